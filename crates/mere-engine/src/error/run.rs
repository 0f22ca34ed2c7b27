//! The sentences for tools that were not run.
//!
//! Each names the link of the chain and the field at fault. Texts from items are masked.

use std::fmt::Display;

use mere_core::address::{Address, RelPath, Root};
use mere_core::chain::{ChainConfigFault, ChainFault, FillFault, PairFault, PrimitiveFault};
use mere_core::item::{ItemId, ItemRef};
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, Prose, codes};

use super::directive_run::run_refusal_reply;
use super::grants::{not_granted_reply, refused_host_reply, variable_reply};
use super::item::problems_data;
use super::keys::end_sentence;
use super::lockfile::{
    displaced_lockfile_reply, drift_reply, foreign_space_reply, left_behind_reply,
    missing_lockfile_reply, unsigned_lockfile_reply,
};
use super::receipts::{no_receipt_reply, replay_fault_reply};
use super::remote_tool::changed_tool_reply;
use super::secrets::secret_error_reply;
use super::trust::unsigned_tool_reply;
use crate::files::masking::{mask_problems, mask_secrets};
use crate::files::view::{disarmed_data, left_data};
use crate::items::reply_fields::own_text;
use crate::items::tool_check::{chain_fault_fix, describe_chain_fault};
use crate::items::{ItemError, WrongInputs, item_name};
use crate::run::{OlderTool, RunError};
use mere_host::{LockHeld, PackagesError, SandboxError, SweepReport};

/// Answers a run that did not take place.
pub(super) fn run_error_reply(error: &RunError) -> Draft {
    match error {
        RunError::ExecutorNotFound { link, executor, error } => {
            executor_error_reply(link, executor, error)
        }
        RunError::Chain(fault) => chain_fault_reply(fault),
        RunError::Config(fault) => config_fault_reply(fault, config_field(fault)),
        RunError::Fill(fault) => fill_fault_reply(fault),
        RunError::Parameters(fault) => config_fault_reply(fault, (None, "input_schema".to_owned())),
        RunError::TakesNoParameters { tool, wrong } => no_parameters_reply(tool, wrong),
        RunError::Primitive(fault) => primitive_fault_reply(fault),
        RunError::Entrypoint(fault) => {
            entrypoint_reply(&fault.link, "is not the path of one of the tool's files")
        }
        RunError::NoEntrypoint(id) => entrypoint_reply(id, "is not one of its files"),
        RunError::FileChanged(address) => changed_file_reply(address),
        RunError::Unsigned(untrusted) => unsigned_tool_reply(untrusted),
        RunError::Older(older) => older_tool_reply(older),
        RunError::Unrecorded(address) => unrecorded_tool_reply(address),
        RunError::LockUnsigned(untrusted) => unsigned_lockfile_reply(untrusted),
        RunError::NoLockfile { tool, version } => missing_lockfile_reply(tool, version),
        RunError::LockInvalid { address, fault } => {
            let place = format!(" is not valid at line {}, column {}: ", fault.line, fault.column);
            let message = Prose::words("The lockfile ").address(address.clone()).and(place);
            Draft::fault(codes::RUN_LOCK, message.append(&fault.what).and(". Nothing was run."))
                .hint(fault.fix.clone())
        }
        RunError::LockOfOtherSpace(address) => foreign_space_reply(address),
        RunError::LockDisplaced(displaced) => displaced_lockfile_reply(displaced),
        RunError::LockLeftBehind { lockfile, pinned, tool } => {
            left_behind_reply(lockfile, pinned, tool)
        }
        RunError::Drift { tool, lockfile, drift } => drift_reply(tool, lockfile, drift),
        RunError::VariableNotAllowed(variable, name) => variable_reply(variable, name),
        RunError::HostRefused { tool, refused, target } => {
            refused_host_reply(tool, refused, target.as_deref())
        }
        RunError::OutsideRun(refusal) => run_refusal_reply(refusal),
        RunError::NotGranted { tool, missing } => not_granted_reply(tool, missing),
        RunError::RemoteToolChanged { tool, server, changed } => {
            changed_tool_reply(tool, server, changed)
        }
        RunError::Secret(name, error) => secret_error_reply(Some(name), error),
        RunError::NoProgram { .. }
        | RunError::BadInterpreter { .. }
        | RunError::PackagesNotFetched { .. }
        | RunError::Packages(_) => program_error_reply(error),
        RunError::Sandbox(refusal) => sandbox_refusal_reply(refusal),
        RunError::NoReceipt { stage, cause } => no_receipt_reply(*stage, cause),
        RunError::Replay(fault) => replay_fault_reply(fault),
        RunError::Project(error) => super::project::project_error_reply(error),
        RunError::ArmedWorkspace(report) => armed_workspace_reply(report),
        RunError::Item(error) => super::item::item_error_reply(error),
        RunError::Search(error) => super::search_error_reply(error),
    }
}

fn changed_file_reply(address: &Address) -> Draft {
    let message = Prose::words("A file of ").address(address.clone());
    let message = message.and(" changed while it was read. Nothing was run.");
    Draft::fault(codes::RUN_CHANGED, message).hint("Try again when nobody is writing to it.")
}

/// Answers a run with parameters for a tool that does not say which it takes.
fn no_parameters_reply(tool: &ItemRef, wrong: &WrongInputs) -> Draft {
    let hint = Prose::words("`")
        .name(ParsedName::from(tool))
        .and(
            "` has no `input_schema`, so it takes no parameters; add one to its manifest, such as ",
        )
        .and("`input_schema: {type: object, properties: {name: {type: string}}}`.");
    super::item::wrong_inputs_reply(wrong).hint(hint)
}

/// Returns the link and the field that a reply is about.
pub(super) fn location_fields(link: Option<&ItemId>, field: impl Into<String>) -> Fields {
    let link = link.map(|link| Data::Words(link.to_string().into()));
    Fields::default()
        .with_some("link", link)
        .with("field", Content::mention(mask_secrets(&field.into())))
}

fn executor_error_reply(link: &ItemId, executor: &ItemId, error: &ItemError) -> Draft {
    let reason = super::item::item_error_reply(error).message().render_for_person();
    let message = format!("`{link}` is run by `{executor}`, which cannot be used: ");
    let message = Prose::words(message).content(Content::mention(reason));
    Draft::invalid(codes::RUN_CHAIN, message)
        .hint("Set `executor_id` to another tool, or to one that ships with Merestone.")
        .data(location_fields(Some(link), "executor_id"))
}

fn chain_fault_reply(fault: &ChainFault) -> Draft {
    let words = masked_mention(&describe_chain_fault(fault));
    let message = Prose::words("The chain is refused: ").content(words).and(".");
    let (link, field) = chain_field(fault);
    let data = location_fields(link, field);
    let data = match fault {
        ChainFault::Pair { child, fault: PairFault::SchemaMismatch { problems, .. }, .. } => data
            .with("child", Data::Words(child.to_string().into()))
            .with("problems", problems_data(&mask_problems(problems.clone()))),
        ChainFault::Pair { child, .. } => data.with("child", Data::Words(child.to_string().into())),
        _ => data,
    };
    Draft::invalid(codes::RUN_CHAIN, message).hint(Prose::words(chain_fault_fix(fault))).data(data)
}

fn chain_field(fault: &ChainFault) -> (Option<&ItemId>, String) {
    let executor = || "executor_id".to_owned();
    match fault {
        ChainFault::Empty | ChainFault::TooDeep { .. } => (None, executor()),
        ChainFault::Cycle { link }
        | ChainFault::WrongExecutor { link, .. }
        | ChainFault::MissingExecutor { link, .. } => (Some(link), executor()),
        ChainFault::ManifestMismatch { link, field, .. } => (Some(link), (*field).to_owned()),
        ChainFault::ReservedName { link, .. } | ChainFault::NotBuiltin { link } => {
            (Some(link), "tool_id".to_owned())
        }
        ChainFault::PrimitiveNotLast { link } | ChainFault::EndsWithoutPrimitive { link } => {
            (Some(link), "tool_type".to_owned())
        }
        ChainFault::Pair { parent, fault, .. } => (Some(parent), pair_field(fault)),
    }
}

fn pair_field(fault: &PairFault) -> String {
    match fault {
        PairFault::NoChildSchemas | PairFault::NoMatch => "validation.child_schemas".to_owned(),
        PairFault::Malformed { field, .. }
        | PairFault::InvalidSchema { field, .. }
        | PairFault::SchemaMismatch { field, .. } => field.clone(),
    }
}

/// Mentions a fault. It repeats ids, field names and what schemas say, so it is masked like any
/// text of an item.
fn masked_mention(fault: &impl Display) -> Content {
    Content::mention(mask_secrets(&fault.to_string()))
}

fn config_fault_reply(fault: &impl Display, (link, field): (Option<&ItemId>, String)) -> Draft {
    let message =
        Prose::words("The chain's merged config cannot be used: ").content(masked_mention(fault));
    Draft::invalid(codes::RUN_CONFIG, message.and("."))
        .hint(
            "`mere chain TOOL` shows the merged config; docs/running.md says what it may contain.",
        )
        .data(location_fields(link, field))
}

fn config_field(fault: &ChainConfigFault) -> (Option<&ItemId>, String) {
    match fault {
        ChainConfigFault::NotAMapping { link, field }
        | ChainConfigFault::TooNested { link, field }
        | ChainConfigFault::VariableName { link, field } => (Some(link), (*field).to_owned()),
        ChainConfigFault::DuplicateEnvConfig { link } => (Some(link), "env_config".to_owned()),
        ChainConfigFault::VariableSource { link, field, name }
        | ChainConfigFault::ReservedVariable { link, field, name } => {
            (Some(link), format!("{field}.{name}"))
        }
        ChainConfigFault::CallCommand { link } => (Some(link), "config.call_command".to_owned()),
        ChainConfigFault::FunctionName { link }
        | ChainConfigFault::NothingCalls { link }
        | ChainConfigFault::CallWithoutInput { link } => (Some(link), "config.call".to_owned()),
    }
}

fn fill_fault_reply(fault: &FillFault) -> Draft {
    let field = match fault {
        FillFault::ReservedParameter => "parameters.entrypoint",
        FillFault::Entrypoint(_) => "manifest.entrypoint",
        FillFault::Unclosed { field }
        | FillFault::InvalidName { field }
        | FillFault::Nested { field }
        | FillFault::UnknownName { field, .. }
        | FillFault::UnsetVariable { field, .. }
        | FillFault::SecretArgument { field, .. }
        | FillFault::NotText { field, .. }
        | FillFault::NotAList { field, .. }
        | FillFault::Nul { field }
        | FillFault::TooMany { field }
        | FillFault::TooLong { field } => field,
    };
    config_fault_reply(fault, (None, field.to_owned()))
}

fn primitive_fault_reply(fault: &PrimitiveFault) -> Draft {
    match fault {
        PrimitiveFault::InvalidSchema { link, .. } => {
            config_fault_reply(fault, (Some(link), "config_schema".to_owned()))
        }
        PrimitiveFault::SchemaMismatch { link, problems } => {
            let data = location_fields(Some(link), "config_schema");
            config_fault_reply(fault, (Some(link), "config_schema".to_owned()))
                .data(data.with("problems", problems_data(&mask_problems(problems.clone()))))
        }
        PrimitiveFault::InvalidField { field, .. } => {
            config_fault_reply(fault, (None, (*field).to_owned()))
        }
        PrimitiveFault::Url(_) => config_fault_reply(fault, (None, "config.url".to_owned())),
    }
}

fn entrypoint_reply(link: &ItemId, what: &str) -> Draft {
    let message = format!("`manifest.entrypoint` of `{link}` {what}.");
    Draft::invalid(codes::RUN_CONFIG, Prose::words(message))
        .hint(
            "It must be the path of one of the tool's own files. A tool in a single file \
             `{id}.yaml` owns only the files named `{id}.*` beside it; a tool in a folder of its \
             own owns everything in the folder.",
        )
        .data(location_fields(Some(link), "manifest.entrypoint"))
}

/// Answers for a signed tool of which a newer version was seen.
fn older_tool_reply(older: &OlderTool) -> Draft {
    let OlderTool { address, place, version, newest } = older;
    let version = version.as_ref().map(ToString::to_string).unwrap_or_default();
    let message = Prose::words("").address(address.clone()).and(format!(
        " is version {version}, but this machine has seen {newest} of it. Nothing was run."
    ));
    let data = Fields::default()
        .with("link", Data::Words(place.id.to_string().into()))
        .with("address", address.clone())
        .with("version", Data::Words(version.into()))
        .with(
            "trust",
            Fields::default().with("status", "verified").with("newest_seen", own_text(newest)),
        );
    let hint =
        Prose::words("Ask a person whether the older version is meant; `mere trust item tool ")
            .name(item_name(place))
            .and("` accepts it. Otherwise restore the newer one.");
    Draft::denied(codes::RUN_OLDER, message).hint(hint).data(data)
}

/// Answers while nobody knows which versions of a tool were seen.
fn unrecorded_tool_reply(address: &Address) -> Draft {
    let message = Prose::words("What this machine has seen of ")
        .address(address.clone())
        .and(" cannot be read, so a newer version may be known. Nothing was run.");
    Draft::fault(codes::TRUST_RECORD, message)
        .hint("Ask a person to run `mere doctor`, which names the file.")
        .data(Fields::default().with("address", address.clone()))
}

fn program_error_reply(error: &RunError) -> Draft {
    let invalid = |message: Prose| Draft::invalid(codes::RUN_PROGRAM, message);
    match error {
        RunError::NoProgram { program, runtime } => {
            let message =
                Prose::words("The program `").content(Content::mention(mask_secrets(program)));
            let message = message.and("` is not one of the system's programs.");
            let runtime = runtime.as_ref().map_or("ID".to_owned(), ToString::to_string);
            invalid(message).hint(Prose::words(format!(
                "Install it, or name another in your own config: `interpreter` under \
                 `runtimes.{runtime}`."
            )))
        }
        RunError::BadInterpreter { runtime, cause } => {
            tracing::warn!(%cause, %runtime, "what is configured for a runtime cannot be used");
            invalid(Prose::words(format!(
                "The interpreter in your config under `runtimes.{runtime}` cannot be used."
            )))
            .hint(
                "It must be the real interpreter, in its own `bin` folder: not a shim or a venv, \
                 and with nothing private beside that folder. The path is in your own config.yaml.",
            )
        }
        RunError::PackagesNotFetched { tool } => {
            let name = Content::mention(tool.to_string());
            let message = Prose::words("The packages that `").content(name.clone());
            invalid(message.and("` needs are not installed."))
                .hint(Prose::words("Ask a person to run `mere prepare ").content(name).and("`."))
        }
        RunError::Packages(PackagesError::Failed(fetcher, reason)) => {
            let message =
                Prose::words(format!("The packages could not be fetched. {fetcher} reports: "));
            invalid(message.content(Content::mention(end_sentence(reason)))).hint(
                "Only packages that need no build step are fetched: wheels, and npm packages \
                 without scripts.",
            )
        }
        RunError::Packages(PackagesError::Requirement(line)) => {
            let message = format!(
                "Line {line} of the requirements contains more than a package and its version."
            );
            invalid(Prose::words(message)).hint(
                "Write `name==1.2.3`: options, paths and URLs could run code or fetch it from \
                 anywhere.",
            )
        }
        RunError::Packages(PackagesError::NoFetcher(fetcher)) => invalid(Prose::words(format!(
            "`{fetcher}`, which fetches the packages, is not installed."
        )))
        .hint("Install it and try again."),
        other => {
            tracing::error!(%other, "packages could not be kept");
            invalid(Prose::words("The packages could not be stored.")).hint(
                "Check the disk space and the permissions of your data folder; the log says why.",
            )
        }
    }
}

fn armed_workspace_reply(report: &SweepReport) -> Draft {
    let message = "The tool ran, and left what looks like a repository in the workspace; it could \
                   not be renamed.";
    let hint = "Run no git or other version control there: it would do what the repository \
                configures. A person can look at the owner and the mode of `data.left`, delete it, \
                and check with `mere workspace list`.";
    let data = Fields::default()
        .with("left", left_data(report))
        .with_some("repositories", disarmed_data(report));
    Draft::fault(codes::RUN_ARMED, message).hint(hint).data(data)
}

fn sandbox_refusal_reply(refusal: &SandboxError) -> Draft {
    let fault = |message: Prose| Draft::fault(codes::RUN_SANDBOX, message.and(" Nothing was run."));
    match refusal {
        SandboxError::Layer(layer, reason) => {
            let name = layer.name();
            let message = format!("The layer `{name}` of the sandbox is missing: ");
            let data = Fields::default().with("layer", name);
            fault(Prose::words(message).content(Content::mention(reason.as_str())).and("."))
                .hint("Ask a person to run `mere doctor`: it shows each layer, and what it needs.")
                .data(data)
        }
        SandboxError::Limits(reason) => {
            fault(Prose::words(format!("The limits of a run cannot be enforced: {reason}.")))
                .hint("Ask a person to run `mere doctor`: it shows how limits are enforced.")
        }
        SandboxError::ProjectTooLarge => super::project::too_large_to_copy_reply(),
        SandboxError::NotStarted(reason) => {
            let message = Prose::words("The program could not be started: ");
            fault(message.content(Content::mention(reason.as_str())).and("."))
                .hint("`mere chain TOOL` shows the command; it must exist in the sandbox.")
        }
        SandboxError::Io(error) if LockHeld::is_cause_of(error) => {
            let workspace = Address::directory(Root::Workspace, RelPath::default());
            let what = Prose::words("The tool was not run in ").address(workspace);
            super::lock_held_reply(what)
        }
        SandboxError::Io(error) => {
            tracing::error!(%error, "the sandbox failed");
            Draft::fault(codes::RUN_SANDBOX, "The sandbox failed.")
                .hint("Try again; the log says what failed. `mere doctor` tries each layer.")
        }
    }
}
