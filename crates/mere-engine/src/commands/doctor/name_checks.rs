//! Names that agents are not shown, because two of them look alike.

use mere_core::address::{Root, is_invisible};

use super::{Finding, FindingState};
use crate::commands::CommandCall;
use crate::world::TwinNames;

/// Checks the names in the project and in the user's space.
pub(super) fn check_names(call: &CommandCall<'_>) -> Vec<Finding> {
    let world = &call.items.view.world;
    let mut findings = Vec::new();
    for root in [Root::Project, Root::User] {
        match world.find_twins(&root, call.change.is_cancelled) {
            Ok(found) => findings.extend(found.into_iter().map(twin_finding)),
            Err(error) => {
                tracing::warn!(%error, %root, "names could not be compared");
                let what = format!("the names in {root} could not all be compared");
                findings.push(Finding::new("names", FindingState::Note, what));
            }
        }
    }
    if findings.is_empty() {
        findings.push(Finding::new("names", FindingState::Right, "no two names look alike"));
    }
    findings
}

fn twin_finding(twins: TwinNames) -> Finding {
    let names = twins.names.iter().map(|name| format!("`{}`", escape(name)));
    let names = names.collect::<Vec<_>>().join(", ");
    let what = format!("agents see none of these names, which look alike: {names}");
    Finding::new("names", FindingState::Wrong, what)
        .with_fix("rename them so that they differ in what can be seen")
        .with_address(Some(twins.folder))
}

/// Writes out the invisible characters of a name.
fn escape(name: &str) -> String {
    let escape = |c: char| match c {
        c if is_invisible(c) || c == '\u{fe0f}' => c.escape_unicode().to_string(),
        c => c.to_string(),
    };
    name.chars().map(escape).collect()
}
