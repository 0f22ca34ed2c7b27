//! The `dir` tool: where am I, and what is here?

use mere_core::address::{Address, RelPath};
use mere_core::cursor::Cursor;
use mere_core::gate::Gate;
use mere_core::reply::{Code, Content, Data, Draft, Fields, Prose, Success, codes};
use mere_core::root::Root;
use mere_core::segment::Segment;
use mere_core::spoken::Spoken;
use mere_core::turn::Turn;

use crate::snapshot::WorldError;
use crate::world::{
    Bounds, Branches, Entry, Kind, Listing, LookError, ResolveError, VisibilityRef, World,
};

/// How many entries one page holds.
const PAGE: usize = 500;

/// Which page of what.
pub(crate) enum Page<'a> {
    /// The entries of a directory.
    List { cursor: Option<&'a Cursor> },
    /// The directories below it.
    Tree { depth: usize, cursor: Option<&'a Cursor> },
}

/// What a `dir` call looks through.
pub(crate) struct View<'a> {
    pub(crate) world: &'a World,
    pub(crate) gate: &'a Gate,
}

impl View<'_> {
    /// The address of a child, unless it could not be said again or would spell a real folder.
    fn child(&self, parent: &Address, name: &Segment, kind: Kind) -> Option<Address> {
        let (root, path) = (parent.root().clone(), parent.path().join(name.clone()));
        let address = match kind {
            Kind::Directory => Address::directory(root, path),
            Kind::File => Address::file(root, path),
        };
        (address.is_speakable() && !self.gate.finds_folder_in(name)).then_some(address)
    }
}

/// Why there is no listing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DirError {
    #[error(transparent)]
    World(#[from] WorldError),
    #[error(transparent)]
    Path(#[from] ResolveError),
    #[error("{0} is a file")]
    File(Address),
    #[error("the cursor belongs to another call")]
    Cursor,
    #[error("{address} cannot be read")]
    Unreadable { address: Address, cause: std::io::Error },
    #[error("cancelled")]
    Cancelled,
    #[error("{0} took too long")]
    Late(Address),
}

/// Where the caller is. Touches no disk.
pub(crate) fn pwd(home: &Root, working: Option<&Address>) -> Draft {
    let message = Prose::words("Home is ").root(home).and(".");
    Draft::success(codes::DIR_PWD, message).data(whereabouts(home, working))
}

/// Where the caller is from now on.
pub(crate) fn cd(home: &Root, working: Option<&Address>) -> Draft {
    let message = Prose::words("Home is now ").root(home).and(".");
    Draft::success(codes::DIR_CD, message).data(whereabouts(home, working))
}

fn whereabouts(home: &Root, working: Option<&Address>) -> Fields {
    Fields::default()
        .with("home", Address::directory(home.clone(), RelPath::default()))
        .with("root", home.clone())
        .with("working", working.cloned())
}

/// The directory a path names.
pub(crate) fn directory(
    world: &World,
    path: &Spoken,
    home: &Root,
) -> Result<VisibilityRef, DirError> {
    let target = world.resolve(path, home)?;
    match target.kind() {
        Kind::Directory => Ok(target),
        Kind::File => Err(DirError::File(target.address().clone())),
    }
}

/// One page of what is in, or below, a directory.
pub(crate) fn look(
    view: &View<'_>,
    target: &VisibilityRef,
    page: &Page<'_>,
    turn: &dyn Turn,
) -> Result<Draft, DirError> {
    let address = target.address();
    match page {
        Page::List { cursor } => {
            let after = cursor.map(|cursor| list_position(cursor, address)).transpose()?;
            let listing = view.world.list(target, after.as_ref(), PAGE, turn);
            Ok(list(view, address, listing.map_err(|error| ended(error, address))?))
        }
        Page::Tree { depth, cursor } => {
            let after = cursor.map(|cursor| tree_position(cursor, address)).transpose()?;
            let bounds = Bounds { depth: *depth, size: PAGE, after: after.as_ref() };
            let branches = view.world.tree(target, &bounds, turn);
            Ok(tree(view, address, *depth, &branches.map_err(|error| ended(error, address))?))
        }
    }
}

fn ended(error: LookError, address: &Address) -> DirError {
    let address = address.clone();
    match error {
        LookError::Cancelled => DirError::Cancelled,
        LookError::Late => DirError::Late(address),
        LookError::Unreadable(cause) => DirError::Unreadable { address, cause },
    }
}

fn list(view: &View<'_>, target: &Address, listing: Listing) -> Draft {
    let last = listing.entries.last().filter(|_| listing.more).map(Entry::position);
    let next = last.map(|position| Cursor::new("list", target, &position));
    let seen = listing.entries.len() as u64;
    let entries = listing.entries.into_iter().filter_map(|entry| {
        let path = view.child(target, &entry.name, entry.kind())?;
        let kind = if entry.kind() == Kind::Directory { "dir" } else { "file" };
        let name = Content::mention(entry.name.as_str());
        Some(Fields::default().with("name", name).with("path", path).with("type", kind).into())
    });
    let entries = entries.collect::<Vec<Data>>();
    let count = entries.len() as u64;
    let unaddressable = listing.unaddressable + seen - count;
    let data = Fields::default()
        .with("target", target.clone())
        .with("entries", Data::List(entries))
        .with("count", count)
        .with_some("unaddressable", some_count(unaddressable))
        .with_some("next", next.as_ref().map(cursor_data));
    let message = counted(count, "entry", "entries").and(" in ").address(target.clone());
    page(codes::DIR_LIST, message, next.as_ref()).data(data)
}

fn tree(view: &View<'_>, target: &Address, depth: usize, branches: &Branches) -> Draft {
    let last = branches.directories.last().filter(|_| branches.more).map(RelPath::to_string);
    let next = last.map(|position| Cursor::new("tree", target, &position));
    let seen = branches.directories.len() as u64;
    let directories = branches.directories.iter().filter_map(|below| branch(view, target, below));
    let directories = directories.collect::<Vec<Data>>();
    let count = directories.len() as u64;
    let unaddressable = branches.unaddressable + seen - count;
    let data = Fields::default()
        .with("target", target.clone())
        .with("depth", depth as u64)
        .with("directories", Data::List(directories))
        .with("count", count)
        .with_some("unaddressable", some_count(unaddressable))
        .with_some("next", next.as_ref().map(cursor_data));
    let message = counted(count, "directory", "directories").and(" below ").address(target.clone());
    page(codes::DIR_TREE, message, next.as_ref()).data(data)
}

fn branch(view: &View<'_>, target: &Address, below: &RelPath) -> Option<Data> {
    let (name, parents) = below.segments().split_last()?;
    let path = target.path().segments().iter().chain(parents).cloned().collect();
    let parent = Address::directory(target.root().clone(), path);
    let address = view.child(&parent, name, Kind::Directory)?;
    let depth = below.segments().len() as u64;
    Some(Fields::default().with("path", address).with("depth", depth).into())
}

/// The entry a cursor remembers.
fn list_position(cursor: &Cursor, target: &Address) -> Result<Entry, DirError> {
    let position = cursor.position("list", target).ok_or(DirError::Cursor)?;
    Entry::from_position(position).ok_or(DirError::Cursor)
}

/// The directory a cursor remembers.
fn tree_position(cursor: &Cursor, target: &Address) -> Result<RelPath, DirError> {
    let position = cursor.position("tree", target).ok_or(DirError::Cursor)?;
    let names = position.split('/').map(|name| name.parse().ok());
    names.collect::<Option<_>>().ok_or(DirError::Cursor)
}

/// A page says whether it is the last.
fn page(code: Code<Success>, message: Prose, next: Option<&Cursor>) -> Draft {
    match next {
        None => Draft::success(code, message.and(".")),
        Some(_) => Draft::success(code, message.and("; more follow."))
            .hint("Pass `next` as `cursor` for the next page."),
    }
}

fn cursor_data(cursor: &Cursor) -> Data {
    Data::Words(cursor.to_string().into())
}

fn some_count(count: u64) -> Option<u64> {
    (count > 0).then_some(count)
}

fn counted(count: u64, one: &'static str, many: &'static str) -> Prose {
    Prose::words(format!("{count} {}", if count == 1 { one } else { many }))
}
