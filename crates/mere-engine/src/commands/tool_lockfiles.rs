//! The lockfiles of a tool that is moved or renamed: each is made anew for the new place where it
//! still held and can be signed, and is deleted otherwise.
//!
//! A lockfile states the id and the category of its tool, so it never fits another place as it is.

use mere_core::address::Address;
use mere_core::item::{ItemRef, ItemType, ScopedPath};
use mere_core::reply::{Content, Data, Fields, Prose};
use mere_core::request::LookupScope;

use super::lock::{PinnedVersion, check_lockfile, make_lockfile};
use crate::error::tool_error::ToolError;
use crate::error::tool_error_reply;
use crate::items::find::{NamedItem, find_without_suggestions};
use crate::items::tool_lockfiles::{delete_lockfile, find_lockfiles};
use crate::items::{ItemCall, ItemError, item_name};

/// The lockfiles of a tool before it is moved.
#[derive(Default)]
pub(super) struct LockfilesBefore(Vec<LockfileBefore>);

struct LockfileBefore {
    place: ScopedPath,
    /// Why it is not made anew, if it did not pin the tool as it was.
    obstacle: Option<String>,
}

/// What happened to the lockfiles.
pub(super) struct LockfilesAfter(Vec<LockfileAfter>);

struct LockfileAfter {
    from: Address,
    to: Option<Address>,
    /// Why it was not made anew.
    obstacle: Option<String>,
    /// Why the old one is still there.
    left: Option<String>,
}

impl LockfilesBefore {
    /// Finds the lockfiles of an item that is about to be moved. Only tools have any.
    pub(super) fn find(call: &ItemCall<'_>, tool: &ScopedPath) -> Result<Self, ToolError> {
        if tool.kind != ItemType::Tool {
            return Ok(Self::default());
        }
        let lockfiles = find_lockfiles(&call.items, tool)?.into_iter().map(|place| {
            let obstacle = match check_lockfile(&call.items, &place) {
                Ok(PinnedVersion::Current) => None,
                Ok(PinnedVersion::Other) => Some("it pinned another version".to_owned()),
                Err(error) => Some(reason(&error)),
            };
            LockfileBefore { place, obstacle }
        });
        Ok(Self(lockfiles.collect()))
    }

    /// Makes those anew that held, for the tool at its new place, and deletes the old ones.
    pub(super) fn follow(self, call: &ItemCall<'_>, tool: &ScopedPath) -> LockfilesAfter {
        let lockfiles = self.0.into_iter().filter_map(|LockfileBefore { place, obstacle }| {
            let from = place.address()?;
            let made = match obstacle {
                Some(obstacle) => Err(obstacle),
                None => lock_again(call, &place, tool).map_err(|error| reason(&error)),
            };
            let (to, obstacle) = match made {
                Ok(to) => (to, None),
                Err(obstacle) => (None, Some(obstacle)),
            };
            let left = delete_lockfile(call, &place).err().map(|error| reason(&error.into()));
            Some(LockfileAfter { from, to, obstacle, left })
        });
        LockfilesAfter(lockfiles.collect())
    }
}

/// Pins a tool at its new place, in the scope of its old lockfile. Returns the new address.
fn lock_again(
    call: &ItemCall<'_>,
    lockfile: &ScopedPath,
    tool: &ScopedPath,
) -> Result<Option<Address>, ToolError> {
    let (category, id) = (Some(tool.category.clone()), tool.id.clone());
    let item = ItemRef { category: category.clone(), id: id.clone(), version: None };
    let named = NamedItem { kind: ItemType::Tool, item: &item, source: LookupScope::Local };
    let found = find_without_suggestions(call.items.sources, call.items.view, named)?;
    if found.place != *tool {
        // Another tool of this name comes first, and would be pinned instead.
        return Err(ItemError::Ambiguous {
            kind: ItemType::Tool,
            item: Box::new(item),
            candidates: vec![found.place, tool.clone()],
        }
        .into());
    }
    make_lockfile(call, &item, lockfile.scope)?;
    let place =
        ScopedPath { category: tool.category.clone(), id: tool.id.clone(), ..lockfile.clone() };
    Ok(place.address())
}

fn reason(error: &ToolError) -> String {
    tool_error_reply(error).message().render_for_person().trim_end_matches('.').to_owned()
}

impl LockfilesAfter {
    /// Adds what happened to a message about the tool.
    pub(super) fn describe(&self, message: Prose, tool: &ScopedPath) -> Prose {
        self.0.iter().fold(message, |message, one| {
            let message = message.and(" Its lockfile ").address(one.from.clone());
            let message = match (&one.to, &one.left) {
                (Some(to), _) => message.and(" was re-created as ").address(to.clone()).and("."),
                (None, None) => message.and(" was deleted"),
                (None, Some(_)) => message.and(" no longer pins it"),
            };
            let message = match &one.obstacle {
                Some(obstacle) => message
                    .and(": ")
                    .content(Content::mention(obstacle.as_str()))
                    .and(". `mere lock ")
                    .name(item_name(tool))
                    .and("` pins the tool."),
                None => message,
            };
            match &one.left {
                Some(left) => message
                    .and(" The old one could not be deleted: ")
                    .content(Content::mention(left.as_str()))
                    .and("."),
                None => message,
            }
        })
    }

    /// Adds what happened to the fields of a reply.
    pub(super) fn add_to(self, fields: Fields) -> Fields {
        if self.0.is_empty() {
            return fields;
        }
        let rows = self.0.into_iter().map(|one| {
            let row = Fields::default().with("address", one.from).with("now", one.to);
            let row = row.with_some("why", one.obstacle.map(Content::mention));
            Data::from(row.with_some("left", one.left.map(Content::mention)))
        });
        fields.with("lockfiles", rows.collect::<Data>())
    }
}
