//! Checks everything around the items: configs, spaces, keys, trust, the team, the index and the
//! proposals.

use mere_core::address::{Address, RelPath, Root};
use mere_core::item::Scope;
use mere_core::request::{DoctorMode, IndexCommand};

use super::{Finding, FindingState};
use crate::commands::git::{attributes, find_missing_setup};
use crate::commands::{CommandCall, index as indexing, pending_proposals as proposals};
use crate::error::tool_error::ToolError;
use crate::error::{describe_roster_trouble, key_error_reply as key_words};
use crate::items::{ItemCall, ItemError, ItemReader};
use crate::memory::config_check::check_config;
use crate::space::IndexComparison;
use crate::trust::keys::KeyFault;
use crate::trust::signers::TrustStore;
use crate::trust::{self, digest_key, keys, project_key, signers};
use crate::world::Context;
use mere_host::{GitRepository, SPACE_FOLDER};

/// Checks both config files.
pub(super) fn check_configs(context: &Context) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in check_config(context) {
        let address = Some(file.address);
        if let Some(problem) = file.problem {
            let fix = "Correct what is named here; docs/config.md describes every key.";
            found.push(
                Finding::new("config", FindingState::Wrong, problem)
                    .with_fix(fix)
                    .with_address(address.clone()),
            );
        }
        let notes = file.note.into_iter().chain(file.warnings);
        let notes = notes.map(|note| Finding::new("config", FindingState::Note, note));
        found.extend(notes.map(|note| note.with_address(address.clone())));
    }
    or_all_right(found, "config", "the configuration is valid")
}

/// Checks each space's own file, and the git attributes of the project.
pub(super) fn check_spaces(call: &ItemCall<'_>, repair: DoctorMode) -> Vec<Finding> {
    let mut found = Vec::new();
    for space in call.items.sources.spaces() {
        let Some(folder) = space.folder() else { continue };
        let address = space_address(space.scope);
        if project_key::space_format(folder.dir()) > project_key::SPACE_FORMAT {
            let what = "has a newer format, or its space.json is not valid: it is read-only";
            let fix = "Install the newer version, or correct space.json.";
            found.push(
                Finding::new("space", FindingState::Wrong, what)
                    .with_fix(fix)
                    .with_address(address.clone()),
            );
        } else if project_key::space_id(folder.dir()).is_none() {
            let what = "has no id yet: nothing in it is signed";
            let fix =
                "`mere init` (`--user` for yours) gives it one; so does the first `mere sign`.";
            found.push(
                Finding::new("space", FindingState::Note, what)
                    .with_fix(fix)
                    .with_address(address.clone()),
            );
        }
        let project = call.context.project_folder();
        let is_in_git = || project.and_then(GitRepository::discover).is_some();
        if space.scope == Scope::Project && is_in_git() {
            found.extend(check_git_attributes(call, repair));
        }
    }
    or_all_right(found, "space", "the spaces are valid")
}

/// Checks that git keeps the bytes of items.
fn check_git_attributes(call: &ItemCall<'_>, repair: DoctorMode) -> Option<Finding> {
    let lines = attributes::byte_lines(call);
    let missing = attributes::missing_lines(call, &lines).unwrap_or_default();
    if missing.is_empty() {
        return None;
    }
    let what = "git may change line endings of items, which breaks signatures";
    if repair == DoctorMode::Repair && attributes::write_missing_lines(call, &lines).is_ok() {
        return Some(Finding::new(
            "git",
            FindingState::Fixed,
            "git now leaves the bytes of items alone",
        ));
    }
    let lines = missing.join("`, `");
    let fix = format!("`mere doctor --fix` adds `{lines}` to .gitattributes.");
    Some(Finding::new("git", FindingState::Wrong, what).with_fix(fix))
}

/// Checks that git was told how to merge signatures. A clone without that works; its merges are
/// only more work.
pub(super) fn check_git_merging(call: &CommandCall<'_>) -> Option<Finding> {
    let missing = find_missing_setup(call)?;
    let what = match (missing.driver, missing.lines.is_empty()) {
        (true, _) => {
            "git was not told in this clone how to merge signatures, lockfiles and memories: a \
             merge or a rebase stops at each of them that both sides changed"
        }
        (false, _) => {
            ".gitattributes does not say that `mere` merges signatures, lockfiles and memories"
        }
    };
    let fix = "`mere git setup` does, once for each clone.";
    Some(Finding::new("git", FindingState::Note, what).with_fix(fix))
}

/// Checks the user's own keys and the list of trusted keys.
pub(super) fn check_keys(context: &Context, repair: DoctorMode) -> Vec<Finding> {
    let environment = &context.environment;
    let mut found = Vec::new();
    match keys::unlock(environment, None) {
        Ok(_) | Err(KeyFault::Locked(_)) => {}
        Err(KeyFault::NoKey) => found.push(
            Finding::new("keys", FindingState::Note, "you have no key")
                .with_fix("`mere keys generate`, or `mere keys use ~/.ssh/id_ed25519`."),
        ),
        Err(KeyFault::UnsafeMode { .. }) if repair == DoctorMode::Repair => {
            found.push(match keys::restrict_permissions(environment) {
                Ok(()) => Finding::new(
                    "keys",
                    FindingState::Fixed,
                    "the key file is no longer readable by others",
                ),
                Err(error) => Finding::new("keys", FindingState::Wrong, error.to_string()),
            });
        }
        Err(fault) => {
            let words = key_words(&fault);
            let finding =
                Finding::new("keys", FindingState::Wrong, words.message().render_for_person());
            found.push(match words.hint_prose() {
                Some(advice) => finding.with_fix(advice.render_for_person()),
                None => finding,
            });
        }
    }
    match signers::read(environment) {
        TrustStore::Records(_) => {}
        TrustStore::Damaged => {
            let what = "the list of trusted keys is damaged, so no key is trusted";
            let fix =
                "Restore trust.json in your config folder, or move it away and add the keys again.";
            found.push(Finding::new("trust", FindingState::Wrong, what).with_fix(fix));
        }
        TrustStore::Exposed(reason) => {
            let what = format!("no key is trusted: {reason}");
            let fix = "Make the config folder and its files your own, for nobody else to write.";
            found.push(Finding::new("trust", FindingState::Wrong, what).with_fix(fix));
        }
    }
    if let Err(fault) = digest_key::find_key(environment) {
        let what = format!("digests of masked files are withheld: {fault}");
        let fix = format!(
            "Remove `{}` from your state folder; a new key is made when it is needed.",
            digest_key::FILE
        );
        found.push(Finding::new("keys", FindingState::Wrong, what).with_fix(fix));
    }
    or_all_right(found, "keys", "your key can be used")
}

/// Checks the team's roster.
pub(super) fn check_team(items: &ItemReader<'_>) -> Vec<Finding> {
    let team = items.trust_policy.team();
    let path =
        RelPath::default().child(SPACE_FOLDER).and_then(|space| space.child(trust::ROSTER_FILE));
    let address = path.map(|path| Address::file(Root::Project, path));
    if let Some(trouble) = team.roster_trouble() {
        let (what, fix) = describe_roster_trouble(&trouble);
        let finding = Finding::new("team", FindingState::Wrong, what.render_for_person());
        return vec![finding.with_fix(fix.render_for_person()).with_address(address)];
    }
    match (team.joined_roster(), team.signed_roster().is_ok()) {
        (Some(roster), _) => {
            let words = format!("joined, roster {}", roster.serial);
            vec![Finding::new("team", FindingState::Right, words)]
        }
        (None, true) => {
            let what = "there is a team that you have not joined";
            vec![
                Finding::new("team", FindingState::Note, what)
                    .with_fix("`mere join` shows it.")
                    .with_address(address),
            ]
        }
        (None, false) => Vec::new(),
    }
}

/// Checks the index of each space.
pub(super) fn check_index(
    call: &CommandCall<'_>,
    repair: DoctorMode,
) -> Result<Vec<Finding>, ToolError> {
    let mut found = Vec::new();
    for space in call.items.sources.spaces() {
        let comparison = IndexComparison::compare(space).map_err(ItemError::Unsearchable)?;
        let Some(comparison) = comparison else { continue };
        let address = space_address(space.scope);
        for stray in &comparison.strays {
            let (what, at) = match stray.address(space.scope) {
                Some(own) => (format!("is not an item: {}", stray.reason), Some(own)),
                None => (
                    format!("holds `{}`, which is not an item: {}", stray.path, stray.reason),
                    address.clone(),
                ),
            };
            found.push(Finding::new("strays", FindingState::Note, what).with_address(at));
        }
        for script in &comparison.bare_scripts {
            let what = "is a script without a manifest, so it is not a tool";
            found.push(
                Finding::new("scripts", FindingState::Note, what)
                    .with_fix(script.fix())
                    .with_address(Some(script.address.clone())),
            );
        }
        // Replies are correct even with a stale index, so it is reported only when it was repaired.
        if comparison.count_differences() > 0 && repair == DoctorMode::Repair {
            indexing::index(call, IndexCommand::Rebuild)?;
            found.push(Finding::new("index", FindingState::Fixed, "it was rebuilt"));
        }
    }
    Ok(found)
}

/// Reports how many proposals wait for a decision.
pub(super) fn check_proposals(call: &ItemCall<'_>) -> Vec<Finding> {
    match proposals::read_proposals(call).map(|found| found.len()) {
        Ok(0) | Err(_) => Vec::new(),
        Ok(count) => {
            let words = if count == 1 { "proposal waits" } else { "proposals wait" };
            let finding =
                Finding::new("proposals", FindingState::Note, format!("{count} {words} for you"));
            vec![finding.with_fix("`mere review` shows them.")]
        }
    }
}

fn space_address(scope: Scope) -> Option<Address> {
    match scope {
        Scope::User => Some(Address::directory(Root::User, RelPath::default())),
        _ => Some(Address::directory(Root::Project, RelPath::default().child(SPACE_FOLDER)?)),
    }
}

fn or_all_right(found: Vec<Finding>, check: &'static str, words: &'static str) -> Vec<Finding> {
    if found.is_empty() { vec![Finding::new(check, FindingState::Right, words)] } else { found }
}
