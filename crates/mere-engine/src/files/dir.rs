//! The `dir` tool: shows where the caller is, and what is there.
//!
//! It reports addresses only. `pwd` and `cd` do not touch the disk here; `list` and `tree` return one
//! page at a time, and the cursor of a page is valid for the same command and target only.

use mere_core::address::{Address, RelPath, Root, Spoken};
use mere_core::cursor::Cursor;
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes, json_length};
use mere_core::turn::Turn;

use crate::files::error::FileError;
use crate::files::view::{
    View, count_phrase, cursor_data, omitted_fields, page_reply, usage_fields,
};
use crate::world::{DirEntry, Listing, PathKind, Position, SweepBounds, SweepPage, Weight};

/// How many entries one page holds.
const PAGE_SIZE: usize = 500;

/// Where a caller is, and which roots there are.
pub(crate) struct Whereabouts<'a> {
    pub(crate) home: &'a Root,
    /// The directory that the command ran in, if it is visible.
    pub(crate) working: Option<&'a Address>,
    pub(crate) roots: &'a [Root],
}

/// Whether the home root is remembered for the next call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HomeMemory {
    Kept,
    Lost,
}

/// Reports the caller's home root. Does not touch the disk.
pub(crate) fn pwd(whereabouts: &Whereabouts<'_>) -> Draft {
    let message = Prose::words("Home is ").root(whereabouts.home).and(".");
    Draft::success(codes::DIR_PWD, message).data(location_fields(whereabouts))
}

/// Reports the caller's new home root, and whether it lasts.
pub(crate) fn cd(whereabouts: &Whereabouts<'_>, memory: HomeMemory) -> Draft {
    let home = whereabouts.home;
    let data = location_fields(whereabouts);
    match memory {
        HomeMemory::Kept => {
            let message = Prose::words("Home is now ").root(home).and(".");
            Draft::success(codes::DIR_CD, message).data(data)
        }
        HomeMemory::Lost => {
            let message = Prose::words("").root(home);
            let message = message.and(" can be home, but nothing is remembered between calls.");
            let hint = Prose::words("Pass `home`: `").root(home);
            Draft::success(codes::DIR_CD, message)
                .hint(hint.and("` with each call whose paths start there."))
                .data(data)
        }
    }
}

fn location_fields(whereabouts: &Whereabouts<'_>) -> Fields {
    let home = whereabouts.home;
    Fields::default()
        .with("home", Address::directory(home.clone(), RelPath::default()))
        .with("root", home.clone())
        .with("working", whereabouts.working.cloned())
        .with("roots", root_addresses(whereabouts.roots))
}

/// Returns the address of each root.
pub(crate) fn root_addresses(roots: &[Root]) -> Data {
    let addresses = roots.iter().map(|root| Address::directory(root.clone(), RelPath::default()));
    addresses.map(Data::from).collect()
}

/// Lists one page of a directory's entries.
pub(crate) fn list(
    view: &View<'_>,
    path: &Spoken,
    cursor: Option<&Cursor>,
    turn: &dyn Turn,
) -> Result<Draft, FileError> {
    let target = view.resolve_directory(path)?;
    let address = target.address();
    let after = cursor.map(|cursor| list_position(cursor, address)).transpose()?;
    let listing = view.world.list(&target, after.as_ref(), PAGE_SIZE, turn);
    let listing = listing.map_err(|error| FileError::from_traversal(error, address))?;
    let is_workspace = *address.root() == Root::Workspace && address.path().is_root();
    let is_measured = is_workspace && after.is_none();
    let usage = is_measured.then(|| usage_fields(&target.size(), &view.workspace_limits));
    Ok(list_reply(view, address, listing, usage))
}

/// What a call wants to see of a directory tree.
pub(crate) struct TreeRequest<'a> {
    pub(crate) path: &'a Spoken,
    pub(crate) depth: usize,
    pub(crate) cursor: Option<&'a Cursor>,
}

/// Lists one page of the directories below a directory, down to a depth.
pub(crate) fn tree(
    view: &View<'_>,
    request: &TreeRequest<'_>,
    turn: &dyn Turn,
) -> Result<Draft, FileError> {
    let TreeRequest { path, depth, cursor } = *request;
    let target = view.resolve_directory(path)?;
    let address = target.address();
    let start = cursor.map(|cursor| tree_position(cursor, address)).transpose()?;
    let bounds = SweepBounds { depth, size: PAGE_SIZE, start: start.as_ref() };
    let page = view.world.tree(&target, &bounds, turn);
    let page = page.map_err(|error| FileError::from_traversal(error, address))?;
    Ok(tree_reply(view, address, depth, page))
}

/// Drops the entries that do not fit on a page by their bytes.
fn cut_listing(listing: &mut Listing, target: &Address) {
    let base = target.to_text().len() + 64;
    let mut total = Weight::default();
    let fits = listing.entries.iter().take_while(|entry| {
        let is_first = total == Weight::default();
        total.add(Weight { count: 1, bytes: base + 2 * json_length(entry.name.as_str()) });
        is_first || !total.overflows(PAGE_SIZE)
    });
    let fits = fits.count();
    if fits < listing.entries.len() {
        listing.entries.truncate(fits);
        listing.more = true;
    }
}

fn list_reply(
    view: &View<'_>,
    target: &Address,
    mut listing: Listing,
    usage: Option<Fields>,
) -> Draft {
    cut_listing(&mut listing, target);
    let last = listing.entries.last().filter(|_| listing.more).map(DirEntry::to_position);
    let next = last.map(|position| Cursor::new("list", target, &position));
    let seen = listing.entries.len() as u64;
    let entries = listing.entries.into_iter().filter_map(|entry| {
        let path = view.child_address(target, &entry.name, entry.kind())?;
        let kind = if entry.kind() == PathKind::Directory { "dir" } else { "file" };
        let name = Content::mention(entry.name.as_str());
        Some(Fields::default().with("name", name).with("path", path).with("type", kind).into())
    });
    let entries = entries.collect::<Vec<Data>>();
    let count = entries.len() as u64;
    let data = Fields::default()
        .with("target", target.clone())
        .with("entries", Data::List(entries))
        .with("count", count)
        .with_some("usage", usage)
        .with_all(omitted_fields(&listing.omitted, seen - count))
        .with_some("next", next.as_ref().map(cursor_data));
    let message = count_phrase(count, "entry", "entries").and(" in ").address(target.clone());
    page_reply(codes::DIR_LIST, message, next.as_ref()).data(data)
}

fn tree_reply(
    view: &View<'_>,
    target: &Address,
    depth: usize,
    mut page: SweepPage<RelPath>,
) -> Draft {
    let base = target.to_text().len() + 64;
    let next = page.truncate_to_page(PAGE_SIZE, |_, below| Weight {
        count: 1,
        bytes: base + json_length(below.as_str()),
    });
    let next =
        next.map(|position| Cursor::new("tree", target, &position.to_text().replace('\0', "/")));
    let seen = page.entries.len() as u64;
    let directories =
        page.entries.iter().filter_map(|(_, below)| directory_data(view, target, below));
    let directories = directories.collect::<Vec<Data>>();
    let count = directories.len() as u64;
    let data = Fields::default()
        .with("target", target.clone())
        .with("depth", depth as u64)
        .with("directories", Data::List(directories))
        .with("count", count)
        .with_all(omitted_fields(&page.omitted, seen - count))
        .with_some("next", next.as_ref().map(cursor_data));
    let message =
        count_phrase(count, "directory", "directories").and(" below ").address(target.clone());
    page_reply(codes::DIR_TREE, message, next.as_ref()).data(data)
}

fn directory_data(view: &View<'_>, target: &Address, below: &RelPath) -> Option<Data> {
    let address = view.descendant_address(target, below, PathKind::Directory)?;
    let depth = below.names().count() as u64;
    Some(Fields::default().with("path", address).with("depth", depth).into())
}

/// Returns the entry that a cursor encodes.
fn list_position(cursor: &Cursor, target: &Address) -> Result<DirEntry, FileError> {
    let position = cursor.position("list", target).ok_or(FileError::WrongCursor)?;
    DirEntry::from_position(position).ok_or(FileError::WrongCursor)
}

/// Returns the place in a traversal that a cursor encodes.
fn tree_position(cursor: &Cursor, target: &Address) -> Result<Position, FileError> {
    let position = cursor.position("tree", target).ok_or(FileError::WrongCursor)?;
    Position::from_text(&position.replace('/', "\0")).ok_or(FileError::WrongCursor)
}
