//! Lockfiles that no longer pin what their tool consists of.
//!
//! A lockfile is made from tools that were signed, so after a tool was changed and signed its
//! lockfile is stale: nothing is wrong with either, and the tool does not run. One command pins it
//! again. A tool whose version was raised lost its pin without a word, so that is told too.

use mere_core::address::{Address, RelPath, Root};
use mere_core::item::{ItemRef, ItemType, SIDECAR_SUFFIX, Scope, ScopedPath};
use mere_core::reply::{Content, Data, Draft, Fields, codes};
use mere_core::request::Relocking;

use super::lock::{PinnedVersion, check_lockfile, make_lockfile};
use super::sign::{SigningRun, refusal_fields};
use crate::error::tool_error::ToolError;
use crate::error::tool_error_reply;
use crate::files::view::count_phrase;
use crate::items::{ItemCall, ItemError, ItemReader, item_name};
use crate::run::RunError;

/// A lockfile that does not pin its tool as it is now.
pub(super) struct StaleLock {
    /// The place of the lockfile.
    pub(super) place: ScopedPath,
    pub(super) state: LockState,
    /// What differs.
    why: String,
}

/// What is wrong with a lockfile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LockState {
    /// The tool, or one that it runs on, is not what was pinned, so the tool does not run.
    Stale,
    /// The tool has another version, which nothing pins.
    Outdated,
}

impl StaleLock {
    /// Says what is wrong, as a phrase that follows the lockfile's name.
    pub(super) fn problem(&self) -> String {
        match self.state {
            LockState::Stale => format!("is stale, so its tool does not run: {}", self.why),
            LockState::Outdated => {
                "pins another version of its tool than the one that is there, which nothing pins"
                    .to_owned()
            }
        }
    }

    /// Returns the one command that settles it, once somebody has looked at the change.
    pub(super) fn fix(&self) -> String {
        let scope = if self.place.scope == Scope::User { " --scope user" } else { "" };
        format!("`mere lock {}{scope}` pins it as it is now.", item_name(&self.place).as_str())
    }

    /// Returns the row of a reply.
    fn to_data(&self) -> Data {
        Fields::default()
            .with("tool", item_name(&self.place))
            .with("scope", self.place.scope.name())
            .with("address", self.place.address())
            .with("why", Content::mention(self.problem()))
            .with("fix", Content::mention(self.fix()))
            .into()
    }

    /// Returns the finding of `mere verify`.
    pub(super) fn into_finding(self) -> Data {
        Fields::default()
            .with("item_type", ItemType::Lockfile.name())
            .with("address", self.place.address())
            .with("status", "stale-lock")
            .with("finding", self.state == LockState::Stale)
            .with("fault", Content::mention(self.problem()))
            .with("fix", Content::mention(self.fix()))
            .into()
    }
}

/// Finds the stale lockfiles among those that are wanted.
pub(super) fn find_stale_locks(
    items: &ItemReader<'_>,
    is_wanted: impl Fn(&ScopedPath) -> bool,
) -> Result<Vec<StaleLock>, ToolError> {
    let mut stale = Vec::new();
    for scope in [Scope::Project, Scope::User] {
        let places = items.sources.items_of_type(scope, ItemType::Lockfile);
        let places = places.map_err(ItemError::Unsearchable)?;
        let (mut outdated, mut current) = (Vec::new(), Vec::new());
        for place in places.into_iter().filter(&is_wanted) {
            match check_lockfile(items, &place) {
                Ok(PinnedVersion::Other) => outdated.push(place),
                Err(ToolError::Run(error)) if matches!(*error, RunError::Drift { .. }) => {
                    let why = tool_error_reply(&ToolError::Run(error));
                    let why = why.message().render_for_person();
                    let why = why.trim_end_matches(" Nothing was run.").to_owned();
                    current.push((place.category.clone(), place.id.clone()));
                    stale.push(StaleLock { place, state: LockState::Stale, why });
                }
                // Whatever else is wrong with a lockfile or its tool is reported as that.
                Ok(PinnedVersion::Current) | Err(_) => current.push((place.category, place.id)),
            }
        }
        // Of several lockfiles of one tool, one is told.
        for place in outdated {
            let tool = (place.category.clone(), place.id.clone());
            if !current.contains(&tool) {
                current.push(tool);
                stale.push(StaleLock { place, state: LockState::Outdated, why: String::new() });
            }
        }
    }
    Ok(stale)
}

/// Lists the stale lockfiles.
pub(super) fn list_stale_locks(items: &ItemReader<'_>) -> Result<Draft, ToolError> {
    let stale = find_stale_locks(items, |_| true)?;
    let count = stale.len() as u64;
    let message = count_phrase(count, "lockfile is stale", "lockfiles are stale").and(".");
    let data = Fields::default()
        .with("stale", stale.iter().map(StaleLock::to_data).collect::<Data>())
        .with("count", count);
    Ok(Draft::success(codes::LOCK_STALE, message).data(data))
}

/// Pins every tool again whose lockfile is stale.
pub(super) fn renew_stale_locks(call: &ItemCall<'_>) -> Result<Draft, ToolError> {
    let RenewedLocks { made, left } = RenewedLocks::renew(call)?;
    let count = made.len() as u64;
    let message = count_phrase(count, "lockfile was made anew", "lockfiles were made anew");
    let is_whole = left.is_empty();
    let data = Fields::default()
        .with("relocked", made.into_iter().map(Data::from).collect::<Data>())
        .with("left", Data::List(left));
    if is_whole {
        return Ok(Draft::success(codes::LOCK_RENEWED, message.and(".")).data(data));
    }
    Ok(Draft::invalid(codes::LOCK_LEFT, message.and("; some could not be."))
        .hint("The reason is given for each.")
        .data(data))
}

/// The lockfiles that were made anew, and why others were not.
pub(super) struct RenewedLocks {
    pub(super) made: Vec<Address>,
    pub(super) left: Vec<Data>,
}

impl RenewedLocks {
    /// Pins every tool again whose lockfile is stale, in the scope of that lockfile.
    pub(super) fn renew(call: &ItemCall<'_>) -> Result<Self, ToolError> {
        let (mut made, mut left) = (Vec::new(), Vec::new());
        for stale in find_stale_locks(&call.items, |_| true)? {
            let place = &stale.place;
            let (category, id) = (Some(place.category.clone()), place.id.clone());
            let tool = ItemRef { category, id, version: None };
            match make_lockfile(call, &tool, place.scope) {
                Ok(locked) => made.push(locked.address),
                Err(error) => {
                    left.extend(place.address().map(|address| refusal_fields(&address, &error)));
                }
            }
        }
        Ok(Self { made, left })
    }
}

/// The lockfiles after tools were signed.
pub(super) struct LocksAfter {
    made: Vec<Address>,
    /// Why some were not made anew.
    pub(super) left: Vec<Data>,
    /// What the reply says about them.
    pub(super) fields: Fields,
}

impl LocksAfter {
    /// Makes stale lockfiles anew if that is asked for. Otherwise they are only named, and only if a
    /// tool was signed.
    pub(super) fn follow(
        call: &ItemCall<'_>,
        signing: &SigningRun<'_>,
        (signed, relocking): (&[&Address], Relocking),
    ) -> Result<Self, ToolError> {
        let mut after = Self { made: Vec::new(), left: Vec::new(), fields: Fields::default() };
        match relocking {
            Relocking::Follow => {
                let RenewedLocks { made, left } = RenewedLocks::renew(call)?;
                let relocked = made.iter().cloned().map(Data::from).collect::<Data>();
                after.fields = after.fields.with("relocked", relocked);
                (after.made, after.left) = (made, left);
            }
            Relocking::Leave if !signing.has_tool(signed) => {}
            Relocking::Leave => {
                let stale = find_stale_locks(&call.items, |_| true)?;
                if !stale.is_empty() {
                    let stale = stale.iter().map(StaleLock::to_data).collect::<Data>();
                    after.fields = after.fields.with("stale_locks", stale);
                }
            }
        }
        Ok(after)
    }

    /// Returns the files of the project that were written.
    pub(super) fn written(&self) -> Vec<RelPath> {
        let own = self.made.iter().filter(|address| *address.root() == Root::Project);
        let files = own.flat_map(|address| {
            let path = address.path();
            let sidecar = format!("{path}{SIDECAR_SUFFIX}").parse().ok();
            [Some(path.clone()), sidecar].into_iter().flatten()
        });
        files.collect()
    }
}
