//! The `dir` tool: where am I, and what is here?

use mere_core::address::{Address, RelPath};
use mere_core::cursor::Cursor;
use mere_core::reply::{Code, Content, Data, Draft, Fields, Prose, Success, codes};
use mere_core::root::Root;
use mere_core::spoken::Spoken;
use mere_core::turn::Turn;

use crate::config::ConfigError;
use crate::world::{Bounds, Entry, Kind, ResolveError, TreeEnd, VisibilityRef, World};

/// How many entries one page holds.
const PAGE: usize = 500;

/// Which page of what.
pub(crate) enum Page<'a> {
    /// The entries of a directory.
    List { cursor: Option<&'a Cursor> },
    /// The directories below it.
    Tree { depth: usize, cursor: Option<&'a Cursor> },
}

/// Why there is no listing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DirError {
    #[error(transparent)]
    Config(#[from] ConfigError),
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
    world: &World,
    target: &VisibilityRef,
    page: &Page<'_>,
    turn: &dyn Turn,
) -> Result<Draft, DirError> {
    match page {
        Page::List { cursor } => list(world, target, *cursor),
        Page::Tree { depth, cursor } => {
            let after = cursor.map(|cursor| tree_position(cursor, target.address()));
            let after = after.transpose()?;
            let bounds = Bounds { depth: *depth, size: PAGE, after: after.as_ref() };
            tree(world, target, &bounds, turn)
        }
    }
}

fn list(world: &World, target: &VisibilityRef, cursor: Option<&Cursor>) -> Result<Draft, DirError> {
    let address = target.address().clone();
    let after = cursor.map(|cursor| list_position(cursor, &address)).transpose()?;
    let listing = world
        .list(target, after.as_ref(), PAGE)
        .map_err(|cause| DirError::Unreadable { address: address.clone(), cause })?;
    let last = listing.entries.last().filter(|_| listing.more).map(Entry::position);
    let next = last.map(|position| Cursor::new("list", &address, &position));
    let count = listing.entries.len();
    let entries = listing.entries.into_iter().map(|entry| entry_data(&address, entry));
    let data = Fields::default()
        .with("target", address.clone())
        .with("entries", entries.collect::<Data>())
        .with("count", count as u64)
        .with_some("unaddressable", some_count(listing.unaddressable))
        .with_some("next", next.as_ref().map(cursor_data));
    let message = counted(count, "entry", "entries").and(" in ").address(address);
    Ok(page(codes::DIR_LIST, message, next.as_ref()).data(data))
}

fn entry_data(parent: &Address, entry: Entry) -> Data {
    let kind = entry.kind();
    let name = Content::mention(entry.name.as_str());
    let path = parent.path().join(entry.name);
    let root = parent.root().clone();
    let fields = Fields::default().with("name", name);
    match kind {
        Kind::Directory => fields.with("path", Address::directory(root, path)).with("type", "dir"),
        Kind::File => fields.with("path", Address::file(root, path)).with("type", "file"),
    }
    .into()
}

fn tree(
    world: &World,
    target: &VisibilityRef,
    bounds: &Bounds<'_>,
    turn: &dyn Turn,
) -> Result<Draft, DirError> {
    let address = target.address().clone();
    let branches = world.tree(target, bounds, turn).map_err(|end| match end {
        TreeEnd::Cancelled => DirError::Cancelled,
        TreeEnd::Unreadable(cause) => DirError::Unreadable { address: address.clone(), cause },
    })?;
    let last = branches.directories.last().filter(|_| branches.more).map(RelPath::to_string);
    let next = last.map(|position| Cursor::new("tree", &address, &position));
    let count = branches.directories.len();
    let directories = branches.directories.iter().map(|below| branch_data(&address, below));
    let data = Fields::default()
        .with("target", address.clone())
        .with("depth", bounds.depth as u64)
        .with("directories", directories.collect::<Data>())
        .with("count", count as u64)
        .with_some("unaddressable", some_count(branches.unaddressable))
        .with_some("next", next.as_ref().map(cursor_data));
    let message = counted(count, "directory", "directories").and(" below ").address(address);
    Ok(page(codes::DIR_TREE, message, next.as_ref()).data(data))
}

fn branch_data(target: &Address, below: &RelPath) -> Data {
    let depth = below.segments().len() as u64;
    let path = target.path().segments().iter().chain(below.segments()).cloned().collect();
    let address = Address::directory(target.root().clone(), path);
    Fields::default().with("path", address).with("depth", depth).into()
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

fn counted(count: usize, one: &'static str, many: &'static str) -> Prose {
    Prose::words(format!("{count} {}", if count == 1 { one } else { many }))
}
