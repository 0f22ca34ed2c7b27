//! `mere doctor`: checks everything, and names each problem with its fix.
//!
//! With `--fix` it repairs what needs no decision: the index, the git attributes and the mode of
//! key files. It signs nothing, moves nothing and deletes nothing. Repositories in workspaces are
//! disarmed in any case, as they are whenever a workspace is opened.

mod folder_checks;
mod item_checks;
mod name_checks;
mod receipt_checks;
mod sandbox_checks;
mod setup_checks;

use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_core::request::DoctorMode;

use crate::commands::CommandCall;
use crate::error::tool_error::ToolError;

/// The result of one check.
#[derive(Clone)]
pub(super) struct Finding {
    /// The name of the check.
    check: &'static str,
    state: FindingState,
    /// The result in words.
    what: String,
    fix: Option<String>,
    /// The address it is about, if there is one.
    address: Option<mere_core::address::Address>,
}

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FindingState {
    /// Everything is as it should be.
    Right,
    /// It is worth knowing.
    Note,
    /// It needs attention.
    Wrong,
    /// It was wrong, and was repaired.
    Fixed,
}

impl FindingState {
    fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Note => "note",
            Self::Wrong => "wrong",
            Self::Fixed => "fixed",
        }
    }
}

impl Finding {
    fn new(check: &'static str, state: FindingState, what: impl Into<String>) -> Self {
        Self { check, state, what: what.into(), fix: None, address: None }
    }

    fn with_fix(self, fix: impl Into<String>) -> Self {
        Self { fix: Some(fix.into()), ..self }
    }

    fn with_address(self, address: Option<mere_core::address::Address>) -> Self {
        Self { address, ..self }
    }

    fn into_data(self) -> Data {
        Fields::default()
            .with("check", self.check)
            .with("state", self.state.name())
            .with("what", Content::mention(self.what))
            .with_some("address", self.address)
            .with_some("fix", self.fix.map(Content::mention))
            .into()
    }
}

/// Runs every check.
pub(super) fn diagnose(call: &CommandCall<'_>, repair: DoctorMode) -> Result<Draft, ToolError> {
    let mut findings = folder_checks::check_project(call.change.context);
    let world = &call.items.view.world;
    findings.extend(folder_checks::check_file_systems(world, call.change.context));
    findings.extend(folder_checks::check_workspaces(call.change.context));
    findings.extend(setup_checks::check_configs(call.change.context));
    findings.extend(setup_checks::check_spaces(call.change, repair));
    findings.extend(setup_checks::check_git_merging(call));
    findings.extend(setup_checks::check_keys(call.change.context, repair));
    findings.extend(setup_checks::check_team(call.items));
    findings.extend(setup_checks::check_index(call, repair)?);
    findings.extend(item_checks::check_items(call)?);
    findings.extend(setup_checks::check_proposals(call.change));
    findings.extend(name_checks::check_names(call));
    findings.extend(sandbox_checks::check_layers(call.run.run_config.sandbox_level));
    let environment = &call.change.context.environment;
    findings.extend(receipt_checks::check_receipts(environment, call.run.run_config));
    let wrong = findings.iter().filter(|one| one.state == FindingState::Wrong).count();
    let checks = findings.into_iter().map(Finding::into_data).collect::<Data>();
    let data = Fields::default().with("checks", checks).with("findings", wrong as u64);
    if wrong == 0 {
        return Ok(Draft::success(codes::DOCTOR, "Nothing is wrong.").data(data));
    }
    let words = if wrong == 1 { "thing is" } else { "things are" };
    let message = Prose::words(format!("{wrong} {words} wrong."));
    Ok(Draft::fault(codes::DOCTOR_FINDINGS, message)
        .hint("Each is named with its fix; `mere doctor --fix` repairs what needs no decision.")
        .data(data))
}
