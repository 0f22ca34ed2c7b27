//! The sentences for tools that were not run.

use std::fmt::Display;

use mere_core::address::Address;
use mere_core::chain::pin::LockMismatch;
use mere_core::chain::{ChainConfigFault, ChainFault, FillFault, PairFault, SubprocessFault};
use mere_core::item::ItemId;
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};

use super::item::problems;
use crate::enforce::Unused;
use crate::items::{ItemError, RunError, item_name, masked, masked_problems};
use mere_host::{PackagesError, SandboxError};

/// A tool that was not run.
pub(super) fn run(error: &RunError) -> Draft {
    match error {
        RunError::Executor { link, executor, error } => executor_missing(link, executor, error),
        RunError::Chain(fault) => chain(fault),
        RunError::Config(fault) => config(fault, config_field(fault)),
        RunError::Fill(fault) => fill(fault),
        RunError::Parameters(fault) => config(fault, (None, "input_schema".to_owned())),
        RunError::Subprocess(fault) => subprocess(fault),
        RunError::Entrypoint(fault) => entrypoint(&fault.link, "is no path of a file of the tool"),
        RunError::NoEntrypoint(id) => entrypoint(id, "is not one of its files"),
        RunError::Changed(address) => {
            let message = Prose::words("A file of ").address(address.clone());
            let message = message.and(" changed while it was read. Nothing was run.");
            Draft::fault(codes::RUN_CHANGED, message).hint("Try again when nobody writes to it.")
        }
        RunError::Unsigned(unused) => unsigned(unused),
        RunError::LockUnsigned(unused) => lock_unsigned(unused),
        RunError::Unlocked { tool, version } => {
            let words =
                format!("There is no lockfile for `{tool}@{version}`, and one is required.");
            Draft::denied(codes::RUN_UNLOCKED, Prose::words(words)).hint(Prose::words(format!(
                "Ask a person to run `mere lock {tool}`, after a look at `mere chain {tool}`."
            )))
        }
        RunError::LockFaulty { address, fault } => {
            let place = format!(" is not valid at line {}, column {}: ", fault.line, fault.column);
            let message = Prose::words("The lockfile ").address(address.clone()).and(place);
            Draft::fault(codes::RUN_LOCK, message.append(&fault.what).and(". Nothing was run."))
                .hint(fault.fix.clone())
        }
        RunError::LockElsewhere(address) => {
            let message = Prose::words("The lockfile ").address(address.clone());
            Draft::fault(
                codes::RUN_LOCK,
                message.and(" was made for another space. Nothing was run."),
            )
            .hint("Ask a person to remove it, or to run `mere lock` for the tool here.")
        }
        RunError::Drift { tool, lockfile, drift } => drifted(tool, lockfile, drift),
        RunError::Variable(asked, name) => ungranted("environment variable", (asked, name)).hint(
            "The user's own config lets tools have it: `sandbox: {env: [NAME]}` in config.yaml.",
        ),
        RunError::Secret(asked, name) => ungranted("secret", (asked, name))
            .hint("Secrets cannot be granted yet; a tool that needs one is not run."),
        RunError::NoProgram { .. }
        | RunError::Interpreter { .. }
        | RunError::Unprepared { .. }
        | RunError::Packages(_) => needs(error),
        RunError::Sandbox(refusal) => sandbox(refusal),
    }
}

/// A link and a field, for whoever looks for them.
fn at(link: Option<&ItemId>, field: impl Into<String>) -> Fields {
    let link = link.map(|link| Data::Words(link.to_string().into()));
    Fields::default().with_some("link", link).with("field", Content::mention(masked(&field.into())))
}

fn executor_missing(link: &ItemId, executor: &ItemId, error: &ItemError) -> Draft {
    let said = super::item::item(error).message().render_for_person();
    let message = format!("`{link}` is run by `{executor}`, which cannot be taken: ");
    let message = Prose::words(message).content(Content::mention(said));
    Draft::invalid(codes::RUN_CHAIN, message)
        .hint("`executor_id` names another tool, or one that ships with this program.")
        .data(at(Some(link), "executor_id"))
}

fn chain(fault: &ChainFault) -> Draft {
    let message = Prose::words("The chain is refused: ").content(told(fault)).and(".");
    let (link, field) = chain_field(fault);
    let data = at(link, field);
    let data = match fault {
        ChainFault::Pair {
            child,
            fault: PairFault::SchemaMismatch { problems: found, .. },
            ..
        } => data
            .with("child", Data::Words(child.to_string().into()))
            .with("problems", problems(&masked_problems(found.clone()))),
        ChainFault::Pair { child, .. } => data.with("child", Data::Words(child.to_string().into())),
        _ => data,
    };
    Draft::invalid(codes::RUN_CHAIN, message)
        .hint("Each tool says in `validation.child_schemas` what it runs, and in `executor_id` what runs it.")
        .data(data)
}

fn chain_field(fault: &ChainFault) -> (Option<&ItemId>, String) {
    let executor = || "executor_id".to_owned();
    match fault {
        ChainFault::Empty | ChainFault::TooDeep { .. } => (None, executor()),
        ChainFault::Cycle { link }
        | ChainFault::WrongExecutor { link, .. }
        | ChainFault::MissingExecutor { link, .. }
        | ChainFault::NotImplemented { link, .. } => (Some(link), executor()),
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

/// A fault repeats ids and names of fields, and what schemas say: masked, like any text of an item.
fn told(fault: &impl Display) -> Content {
    Content::mention(masked(&fault.to_string()))
}

fn config(fault: &impl Display, (link, field): (Option<&ItemId>, String)) -> Draft {
    let message = Prose::words("What the chain comes to cannot be used: ").content(told(fault));
    Draft::invalid(codes::RUN_CONFIG, message.and("."))
        .hint("`mere chain TOOL` shows the merged config; docs/running.md says what it may hold.")
        .data(at(link, field))
}

fn config_field(fault: &ChainConfigFault) -> (Option<&ItemId>, String) {
    match fault {
        ChainConfigFault::NotAMapping { link, field }
        | ChainConfigFault::TooNested { link, field }
        | ChainConfigFault::VariableName { link, field } => (Some(link), (*field).to_owned()),
        ChainConfigFault::DuplicateEnvConfig { link } => (Some(link), "env_config".to_owned()),
        ChainConfigFault::VariableSource { link, field, name } => {
            (Some(link), format!("{field}.{name}"))
        }
    }
}

fn fill(fault: &FillFault) -> Draft {
    let field = match fault {
        FillFault::ReservedParameter => "parameters.entrypoint",
        FillFault::Entrypoint(_) => "manifest.entrypoint",
        FillFault::Unclosed { field }
        | FillFault::InvalidName { field }
        | FillFault::Nested { field }
        | FillFault::UnknownName { field, .. }
        | FillFault::UnsetVariable { field, .. }
        | FillFault::NotText { field, .. }
        | FillFault::NotAList { field, .. }
        | FillFault::Nul { field }
        | FillFault::TooMany { field }
        | FillFault::TooLong { field } => field,
    };
    config(fault, (None, field.to_owned()))
}

fn subprocess(fault: &SubprocessFault) -> Draft {
    match fault {
        SubprocessFault::InvalidSchema { link, .. } => {
            config(fault, (Some(link), "config_schema".to_owned()))
        }
        SubprocessFault::SchemaMismatch { link, problems: found } => {
            let data = at(Some(link), "config_schema");
            config(fault, (Some(link), "config_schema".to_owned()))
                .data(data.with("problems", problems(&masked_problems(found.clone()))))
        }
        SubprocessFault::InvalidField { field, .. } => config(fault, (None, (*field).to_owned())),
    }
}

fn entrypoint(link: &ItemId, what: &str) -> Draft {
    let message = format!("`manifest.entrypoint` of `{link}` {what}.");
    Draft::invalid(codes::RUN_CONFIG, Prose::words(message))
        .hint("It is the path of one of the tool's own files, from its folder.")
        .data(at(Some(link), "manifest.entrypoint"))
}

fn unsigned(unused: &Unused) -> Draft {
    let Unused { address, place, standing } = unused;
    let message = Prose::words("").address(address.clone());
    let message = message.and(format!(" is {}, and only signed tools are run.", standing.status()));
    let data = Fields::default()
        .with("link", Data::Words(place.id.to_string().into()))
        .with("address", address.clone())
        .with("trust", standing.told());
    let hint = Prose::words("Ask a person to read it and run `mere sign tool ")
        .name(item_name(place))
        .and("`; at a terminal a person can try it with `mere run --allow-unsigned`.");
    Draft::denied(codes::RUN_UNSIGNED, message).hint(hint).data(data)
}

fn lock_unsigned(unused: &Unused) -> Draft {
    let message = Prose::words("The lockfile ").address(unused.address.clone());
    let status = unused.standing.status();
    let message = message.and(format!(" is {status}, and only signed ones count."));
    let data = Fields::default()
        .with("address", unused.address.clone())
        .with("trust", unused.standing.told());
    let tool = unused.place.id.to_string();
    Draft::denied(codes::RUN_UNSIGNED, message)
        .hint(Prose::words(format!("Ask a person to run `mere lock {tool}` again.")))
        .data(data)
}

fn drifted(tool: &ItemId, lockfile: &Address, drift: &LockMismatch) -> Draft {
    let LockMismatch { index, id, field, expected, found } = drift;
    let message = Prose::words(format!("Link {index} of the chain, `{id}`, is not what "))
        .address(lockfile.clone())
        .and(format!(" pins: `{field}` is "))
        .content(Content::mention(found.as_str()))
        .and(", and was ")
        .content(Content::mention(expected.as_str()))
        .and(". Nothing was run.");
    let data = at(Some(id), *field)
        .with("lockfile", lockfile.clone())
        .with("index", *index as u64)
        .with("expected", Content::mention(expected.as_str()))
        .with("found", Content::mention(found.as_str()));
    Draft::fault(codes::RUN_LOCK, message)
        .hint(Prose::words(format!(
            "Ask a person to look at what changed. If it is right, `mere lock {tool}` pins it."
        )))
        .data(data)
}

fn ungranted(what: &'static str, (variable, name): (&str, &str)) -> Draft {
    let message = Prose::words(format!("The tool asks for the {what} `"));
    let message = message.content(Content::mention(masked(name)));
    Draft::denied(codes::RUN_UNGRANTED, message.and("`, which it was not given. Nothing was run."))
        .data(at(None, format!("env_config.{variable}")))
}

fn needs(error: &RunError) -> Draft {
    let invalid = |message: Prose| Draft::invalid(codes::RUN_PROGRAM, message);
    match error {
        RunError::NoProgram { program, runtime } => {
            let message = Prose::words("The program `").content(Content::mention(masked(program)));
            let message = message.and("` is not among those of the system.");
            let runtime = runtime.as_ref().map_or("ID".to_owned(), ToString::to_string);
            invalid(message).hint(Prose::words(format!(
                "Install it, or name another in your own config: `interpreter` under \
                 `runtimes.{runtime}`."
            )))
        }
        RunError::Interpreter { runtime, cause } => {
            tracing::warn!(%cause, %runtime, "what is configured for a runtime cannot be used");
            invalid(Prose::words(format!(
                "What your config names under `runtimes.{runtime}` cannot be used."
            )))
            .hint(
                "It is the real interpreter, in a folder `bin` of its own: no shim, no venv, and \
                 nothing private beside that folder. The path stands in your own config.yaml.",
            )
        }
        RunError::Unprepared { tool } => {
            let name = Content::mention(tool.to_string());
            let message = Prose::words("The packages that `").content(name.clone());
            invalid(message.and("` asks for are not there."))
                .hint(Prose::words("Ask a person to run `mere prepare ").content(name).and("`."))
        }
        RunError::Packages(PackagesError::Failed(fetcher, why)) => {
            let message =
                Prose::words(format!("The packages could not be fetched: {fetcher} says "));
            invalid(message.content(Content::mention(why.as_str())))
                .hint("Only packages that need no building are fetched: wheels, and npm's without scripts.")
        }
        RunError::Packages(PackagesError::Requirement(line)) => {
            let message =
                format!("Line {line} of the requirements is more than a package and its version.");
            invalid(Prose::words(message))
                .hint("Write `name==1.2.3`: options, paths and addresses could run code, or come from anywhere.")
        }
        RunError::Packages(PackagesError::NoFetcher(fetcher)) => {
            invalid(Prose::words(format!("There is no `{fetcher}` to fetch packages with.")))
                .hint("Install it, and try again.")
        }
        other => {
            tracing::error!(%other, "packages could not be kept");
            invalid(Prose::words("The packages could not be kept."))
                .hint("Look at the space on the disk and the rights of your data folder; the log says why.")
        }
    }
}

fn sandbox(refusal: &SandboxError) -> Draft {
    let fault = |message: Prose| Draft::fault(codes::RUN_SANDBOX, message.and(" Nothing was run."));
    match refusal {
        SandboxError::Layer(layer, why) => {
            let name = layer.name();
            let message = format!("The layer `{name}` of the sandbox is missing: ");
            let data = Fields::default().with("layer", name);
            fault(Prose::words(message).content(Content::mention(why.as_str())).and("."))
                .hint("Ask a person to run `mere doctor`: it shows each layer, and what it needs.")
                .data(data)
        }
        SandboxError::Limits(why) => {
            fault(Prose::words(format!("The limits of a run cannot be kept: {why}.")))
                .hint("Ask a person to run `mere doctor`: it says by what limits are kept.")
        }
        SandboxError::NotStarted(why) => {
            let message = Prose::words("The program could not be started: ");
            fault(message.content(Content::mention(why.as_str())).and("."))
                .hint("`mere chain TOOL` shows the command; it must be there in the sandbox.")
        }
        SandboxError::Io(error) => {
            tracing::error!(%error, "the sandbox failed");
            Draft::fault(codes::RUN_SANDBOX, "The sandbox failed.")
                .hint("Try again; the log says what failed. `mere doctor` tries each layer.")
        }
    }
}
