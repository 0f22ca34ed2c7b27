//! What one call sees: the world as it is now, and the gate its reply must pass.
//!
//! Also holds the small pieces that replies with pages have in common.

use std::borrow::Cow;

use mere_core::address::{Address, AgentName, RelPath, Root, Segment, Spoken};
use mere_core::cursor::Cursor;
use mere_core::gate::Gate;
use mere_core::reply::{Code, Content, Data, Draft, Fields, Prose, Success};
use mere_core::text::shorten::shorten;

use crate::files::error::FileError;
use crate::policy::RunPermit;
use crate::trust::digest_key::DigestKeyReader;
use crate::world::{Omitted, PathKind, Position, SweepPage, VisibilityRef, Weight, World};
use mere_host::{SweepReport, WorkspaceLimits, WorkspaceSize};

/// The world, gate, agent and home root of one call.
pub(crate) struct View<'a> {
    pub(crate) world: World,
    /// What the call may write and run. Without it there is no view.
    pub(crate) run: RunPermit,
    pub(crate) gate: &'a Gate,
    pub(crate) agent: &'a AgentName,
    /// The root that bare paths start from.
    pub(crate) home: Root,
    /// How much the agent's workspace may hold.
    pub(crate) workspace_limits: WorkspaceLimits,
    /// The key for the digests of files that are not shown as they are.
    pub(crate) digest_key: DigestKeyReader<'a>,
}

impl View<'_> {
    /// Resolves a path.
    pub(crate) fn resolve(&self, path: &Spoken) -> Result<VisibilityRef, FileError> {
        Ok(self.world.resolve(path, &self.home)?)
    }

    /// Resolves a path that must be a directory.
    pub(crate) fn resolve_directory(&self, path: &Spoken) -> Result<VisibilityRef, FileError> {
        let target = self.resolve(path)?;
        match target.kind() {
            PathKind::Directory => Ok(target),
            PathKind::File => Err(FileError::NotADirectory(target.address().clone())),
        }
    }

    /// Shortens a text for its reader. The gate judges the whole text first, because it would not
    /// recognise half a path.
    pub(crate) fn shorten(&self, text: String, most: usize) -> String {
        if let Cow::Borrowed(_) = shorten(&text, most) {
            return text;
        }
        let seen = self.gate.preview(&text, self.agent).unwrap_or_default();
        shorten(&seen, most).into_owned()
    }

    /// Returns the address of a child, unless its name cannot be spoken or would spell a real
    /// folder.
    pub(crate) fn child_address(
        &self,
        parent: &Address,
        name: &Segment,
        kind: PathKind,
    ) -> Option<Address> {
        let is_speakable = !self.gate.has_escaped_folder_in(name.as_str());
        is_speakable
            .then(|| speakable_address(parent.root().clone(), parent.path().join(name), kind))
            .flatten()
    }

    /// Returns the address of something deeper, under the same conditions as
    /// [`Self::child_address`].
    pub(crate) fn descendant_address(
        &self,
        target: &Address,
        below: &RelPath,
        kind: PathKind,
    ) -> Option<Address> {
        let is_speakable = !self.gate.has_escaped_folder_in(below.as_str());
        is_speakable
            .then(|| speakable_address(target.root().clone(), target.path().join_path(below), kind))
            .flatten()
    }
}

fn speakable_address(root: Root, path: RelPath, kind: PathKind) -> Option<Address> {
    let address = match kind {
        PathKind::Directory => Address::directory(root, path),
        PathKind::File => Address::file(root, path),
    };
    address.is_within_length_limit().then_some(address)
}

impl<F> SweepPage<F> {
    /// Drops what does not fit on a page of `size`, and returns where the next page begins.
    pub(crate) fn truncate_to_page(
        &mut self,
        size: usize,
        weigh: impl Fn(&str, &F) -> Weight,
    ) -> Option<Position> {
        let mut total = Weight::default();
        let fits = self.entries.iter().take_while(|(key, output)| {
            let first = total == Weight::default();
            total.add(weigh(key, output));
            first || !total.overflows(size)
        });
        let fits = fits.count();
        if fits == self.entries.len() {
            return self.resume_at.take();
        }
        self.entries.truncate(fits);
        self.entries.last().map(|(key, _)| Position::After(key.clone()))
    }
}

/// Starts the reply for one page, which says whether more pages follow.
pub(crate) fn page_reply(code: Code<Success>, message: Prose, next: Option<&Cursor>) -> Draft {
    match next {
        None => Draft::success(code, message.and(".")),
        Some(_) => Draft::success(code, message.and("; more follow."))
            .hint("Pass `next` as `cursor` for the next page."),
    }
}

pub(crate) fn cursor_data(cursor: &Cursor) -> Data {
    Data::Words(cursor.to_string().into())
}

/// Returns what a workspace holds and what it may hold. The number of files includes directories.
pub(crate) fn usage_fields(size: &WorkspaceSize, limits: &WorkspaceLimits) -> Fields {
    Fields::default()
        .with("bytes", size.bytes)
        .with("max_bytes", limits.bytes)
        .with("files", size.files)
        .with("max_files", limits.files)
        .with_some("partial", size.is_partial.then_some(true))
}

/// The largest number of repositories that a reply names.
const MAX_REPOSITORIES: usize = 20;

/// Returns the repositories in a workspace that were disarmed, if there were any.
pub(crate) fn disarmed_data(report: &SweepReport) -> Option<Data> {
    let rows = report.disarmed.iter().take(MAX_REPOSITORIES).map(|one| {
        let renamed = one.to.as_deref().map(workspace_path_data);
        let path = workspace_path_data(&one.from);
        Data::from(Fields::default().with("path", path).with_some("renamed_to", renamed))
    });
    (!report.disarmed.is_empty()).then(|| rows.collect())
}

/// Returns what could not be disarmed.
pub(crate) fn left_data(report: &SweepReport) -> Data {
    report.left.iter().take(MAX_REPOSITORIES).map(|path| workspace_path_data(path)).collect()
}

/// Returns a path of a workspace: its address, or what it looks like if it can have none.
fn workspace_path_data(path: &str) -> Data {
    match path.parse::<RelPath>() {
        Ok(path) => Address::file(Root::Workspace, path).into(),
        Err(_) => Content::mention(path).into(),
    }
}

/// Returns what a listing leaves out. Its names that cannot be spoken here are counted with those
/// that nobody could speak.
pub(crate) fn omitted_fields(omitted: &Omitted, unspeakable: u64) -> Fields {
    Fields::default()
        .with_some("unaddressable", nonzero(omitted.unaddressable + unspeakable))
        .with_some("lookalikes", nonzero(omitted.lookalikes))
        .with_some("absolute_links", nonzero(omitted.absolute_links))
        .with_some("outside_links", nonzero(omitted.outside_links))
}

/// Returns a count, or `None` for zero.
pub(crate) fn nonzero(count: u64) -> Option<u64> {
    (count > 0).then_some(count)
}

pub(crate) fn count_phrase(count: u64, one: &'static str, many: &'static str) -> Prose {
    Prose::words(format!("{count} {}", if count == 1 { one } else { many }))
}
