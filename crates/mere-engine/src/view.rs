//! What a call looks through: the world as it is now, and the gate its answer must pass.

use mere_core::address::{Address, RelPath};
use mere_core::cursor::Cursor;
use mere_core::gate::Gate;
use mere_core::name::AgentName;
use mere_core::reply::{Code, Data, Draft, Prose, Success};
use mere_core::root::Root;
use mere_core::segment::Segment;
use mere_core::spoken::Spoken;

use crate::tool_error::ToolError;
use crate::world::{PathKind, Position, SweepPage, VisibilityRef, Weight, World};

/// One call's view.
pub(crate) struct View<'a> {
    pub(crate) world: World,
    pub(crate) gate: &'a Gate,
    pub(crate) agent: &'a AgentName,
    /// The root of bare paths.
    pub(crate) home: Root,
}

impl View<'_> {
    /// What a path names.
    pub(crate) fn resolve(&self, path: &Spoken) -> Result<VisibilityRef, ToolError> {
        Ok(self.world.resolve(path, &self.home)?)
    }

    /// The directory a path names.
    pub(crate) fn resolve_directory(&self, path: &Spoken) -> Result<VisibilityRef, ToolError> {
        let target = self.resolve(path)?;
        match target.kind() {
            PathKind::Directory => Ok(target),
            PathKind::File => Err(ToolError::NotADirectory(target.address().clone())),
        }
    }

    /// The address of a child, unless it could not be said again or would spell a real folder.
    pub(crate) fn child_address(
        &self,
        parent: &Address,
        name: &Segment,
        kind: PathKind,
    ) -> Option<Address> {
        let said = !self.gate.has_escaped_folder_in(name.as_str());
        said.then(|| speakable_address(parent.root().clone(), parent.path().join(name), kind))
            .flatten()
    }

    /// The same for what lies deeper.
    pub(crate) fn descendant_address(
        &self,
        target: &Address,
        below: &RelPath,
        kind: PathKind,
    ) -> Option<Address> {
        let said = !self.gate.has_escaped_folder_in(below.as_str());
        said.then(|| speakable_address(target.root().clone(), target.path().join_path(below), kind))
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
    /// Cuts off what a page of `size` does not hold, and says where the next one begins.
    pub(crate) fn truncate_to_page(
        &mut self,
        size: usize,
        weigh: impl Fn(&str, &F) -> Weight,
    ) -> Option<Position> {
        let mut total = Weight::default();
        let fits = self.entries.iter().take_while(|(key, fruit)| {
            let first = total == Weight::default();
            total.add(weigh(key, fruit));
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

/// A page says whether it is the last.
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

/// A count, unless there is nothing to count.
pub(crate) fn nonzero(count: u64) -> Option<u64> {
    (count > 0).then_some(count)
}

pub(crate) fn count_phrase(count: u64, one: &'static str, many: &'static str) -> Prose {
    Prose::words(format!("{count} {}", if count == 1 { one } else { many }))
}
