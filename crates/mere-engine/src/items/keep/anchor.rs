//! Putting an item somewhere: new, copied, into another category, under another id.
//!
//! What is new is durable before what is old goes, so at worst both are there.

use mere_core::address::{Address, RelPath};
use mere_core::item::{
    Category, Form, Item, ItemId, ItemRef, ItemType, Scope, ScopedPath, restate, template,
};
use mere_core::reply::{Data, Draft, Fields, Prose, codes};
use mere_core::request::{Source, Text};
use mere_core::spoken::Spoken;

use super::super::change::{Desk, Mode, put, refuse_taken};
use super::super::find::find;
use super::super::place::{Placing, apply};
use super::super::prospect::{Prospect, in_space, main_name};
use super::super::{ItemError, Loaded, Unmade, tell};
use super::links;
use crate::enforce::{self, Expect, ItemChange, ItemHow, Sealing};
use crate::host::{now, open_regular, read_at_most};
use crate::tool_error::ToolError;

/// The largest file that is carried along.
const MAX_FILE: u64 = 64 * 1024 * 1024;

/// Makes an item from its type's template.
pub(super) fn new(
    desk: &Desk<'_>,
    (kind, item): (ItemType, &ItemRef),
    (scope, form): (Scope, Form),
) -> Result<Draft, ToolError> {
    let place = in_space(scope, kind, item, form);
    let mut files = template(&place).ok_or(Unmade::NotMade(kind))?.into_iter();
    refuse_taken(desk, &place)?;
    let (_, mut content) = files.next().ok_or(Unmade::NotMade(kind))?;
    if kind == ItemType::Memory {
        content = dated(&content);
    }
    let files = files.map(|(name, text)| Ok((name.parse().map_err(|_| Unmade::Place)?, text)));
    let text = Text { content, files: files.collect::<Result<_, ItemError>>()? };
    let prospect = Prospect::new((desk.stock, desk.view), place, &text)?;
    put(desk, prospect, Expect::Nothing, Mode::Really)
}

/// A memory says when it was made.
fn dated(content: &str) -> String {
    let when = jiff::Timestamp::from_nanosecond(i128::from(now())).unwrap_or_default();
    let when = when.strftime("%Y-%m-%dT%H:%M:%SZ");
    content.replacen("---\n", &format!("---\ncreated_at: {when}\nupdated_at: {when}\n"), 1)
}

/// Copies a loaded item into another scope, and says where.
pub(crate) fn copy(desk: &Desk<'_>, loaded: &Loaded, to: Scope) -> Result<Address, ToolError> {
    let place =
        ScopedPath { scope: to, base: mere_core::item::Base::Space, ..loaded.place.clone() };
    enforce::check_install(desk.who, desk.agents).map_err(Unmade::from)?;
    refuse_taken(desk, &place)?;
    let address = place.address().ok_or(Unmade::Place)?;
    let files = carried(desk, loaded, &place)?;
    let to_place = place.clone();
    let change = ItemChange { place, how: ItemHow::Put { files, before: Expect::Nothing } };
    let permit = enforce::permit_install(desk.who, desk.agents, change).map_err(Unmade::from)?;
    apply(permit, &Placing { context: desk.context, over: desk.over })?;
    keep_modes(desk, loaded, &to_place);
    Ok(address)
}

/// Gives the files at a new place the permissions they had, as far as that can be done.
fn keep_modes(desk: &Desk<'_>, loaded: &Loaded, to: &ScopedPath) {
    let folder = |address: Address| desk.view.resolve(&Spoken::Rooted(address)).ok();
    let old = folder(loaded.address.clone());
    let new = to.address().and_then(folder);
    let (Some(old), Some(new)) = (old, new) else { return };
    let (Some(old), Some(new)) = (old.folder(), new.folder()) else { return };
    let others =
        loaded.files.iter().map(|file| (file.path.clone(), renamed(&file.path, loaded, to)));
    let main = main_name(to).map(|main| (loaded.main_name().to_owned(), main.to_string()));
    for (from, to) in others.chain(main) {
        let mode = old.symlink_metadata(from).map(|metadata| metadata.permissions());
        let _ = mode.and_then(|mode| new.set_permissions(to, mode));
    }
}

/// Puts an item into another category.
pub(super) fn change_category(
    desk: &Desk<'_>,
    (kind, item): (ItemType, &ItemRef),
    category: &Category,
    source: Source,
) -> Result<Draft, ToolError> {
    let loaded = Loaded::read(desk.view, find(desk.stock, desk.view, (kind, item), source)?.place)?;
    let to = ScopedPath { category: category.clone(), ..loaded.place.clone() };
    carry(desk, &loaded, &to)
}

/// Calls an item by another id.
pub(super) fn rename(
    desk: &Desk<'_>,
    (kind, item): (ItemType, &ItemRef),
    id: &ItemId,
    source: Source,
) -> Result<Draft, ToolError> {
    if kind == ItemType::Lockfile {
        return Err(Unmade::NotMade(kind).into());
    }
    let loaded = Loaded::read(desk.view, find(desk.stock, desk.view, (kind, item), source)?.place)?;
    let to = ScopedPath { id: id.clone(), ..loaded.place.clone() };
    carry(desk, &loaded, &to)
}

/// Puts an item where `to` says, and takes it away from where it was.
fn carry(desk: &Desk<'_>, loaded: &Loaded, to: &ScopedPath) -> Result<Draft, ToolError> {
    let address = to.address().ok_or(Unmade::Place)?;
    if *to == loaded.place {
        return Err(Unmade::Taken(address).into());
    }
    refuse_taken(desk, to)?;
    let files = carried(desk, loaded, to)?;
    let placing = Placing { context: desk.context, over: desk.over };
    let spend = |place: ScopedPath, how: ItemHow| {
        let change = ItemChange { place, how };
        let permit = enforce::permit_item(desk.who, desk.agents, change, Sealing::Unsigned);
        apply(permit, &placing)
    };
    spend(to.clone(), ItemHow::Put { files, before: Expect::Nothing })?;
    keep_modes(desk, loaded, to);
    spend(loaded.place.clone(), ItemHow::Remove { whole: loaded.whole() })?;
    let links = links::follow(desk, &loaded.place, to);
    let some = |notes: Vec<Address>| {
        (!notes.is_empty()).then(|| notes.into_iter().map(Data::from).collect::<Data>())
    };
    let data = Fields::default()
        .with("address", address.clone())
        .with("from", loaded.address.clone())
        .with("trust", tell::trust());
    let from = Prose::words("Moved ").address(loaded.address.clone());
    let message = from.and(" to ").address(address).and(".");
    let data =
        data.with_some("relinked", some(links.changed)).with_some("not_relinked", some(links.left));
    Ok(Draft::success(codes::MOVED, message).data(data))
}

/// An item's files as they are at another place, the main one last. Other files keep their bytes;
/// beside a flat tool they are named after it.
fn carried(
    desk: &Desk<'_>,
    loaded: &Loaded,
    to: &ScopedPath,
) -> Result<Vec<(RelPath, Vec<u8>)>, ToolError> {
    let unfit = |fault| Unmade::Unfit { address: loaded.address.clone(), fault: Box::new(fault) };
    let main = desk.view.resolve(&Spoken::Rooted(loaded.address.clone()))?;
    let folder = main.folder().ok_or(Unmade::Place)?;
    let mut text = restate(&loaded.text, &loaded.place, to).map_err(unfit)?;
    let mut files = Vec::new();
    for file in &loaded.files {
        let bytes = bytes_of(folder, file)
            .map_err(|cause| Unmade::Failed { address: loaded.address.clone(), cause })?;
        let name = renamed(&file.path, loaded, to);
        if name != file.path {
            text = replace_words(&text, &file.path, &name);
        }
        files.push((name.parse().map_err(|_| Unmade::Place)?, bytes));
    }
    Item::parse(&text, to).map_err(unfit)?;
    files.push((main_name(to).ok_or(Unmade::Place)?, text.into_bytes()));
    Ok(files)
}

/// What a file beside a flat tool is called when the tool is called otherwise.
fn renamed(path: &str, loaded: &Loaded, to: &ScopedPath) -> String {
    let stem = format!("{}.", loaded.place.id);
    match path.strip_prefix(&stem) {
        Some(rest) if to.form == Form::Flat && to.kind == ItemType::Tool => {
            format!("{}.{rest}", to.id)
        }
        _ => path.to_owned(),
    }
}

/// Replaces a file's name where it stands as a whole word.
fn replace_words(text: &str, from: &str, to: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let (before, after) = (&rest[..at], &rest[at + from.len()..]);
        let whole = !before.ends_with(is_part) && !after.starts_with(is_part);
        out.push_str(before);
        out.push_str(if whole { to } else { from });
        rest = after;
    }
    out + rest
}

/// The bytes of a file, if they are those that were hashed.
fn bytes_of(
    folder: &cap_std::fs::Dir,
    file: &mere_core::item::integrity::FileDigest,
) -> std::io::Result<Vec<u8>> {
    let path = file.path.parse::<RelPath>().map_err(|_| std::io::ErrorKind::InvalidData)?;
    let (parents, name) = path.split_last().ok_or(std::io::ErrorKind::InvalidData)?;
    let holder = crate::host::OpenFolder::below(folder, parents.as_str())?.into_dir();
    let opened = open_regular(&holder, name.as_str())?.ok_or(std::io::ErrorKind::InvalidData)?;
    let bytes = read_at_most(opened, MAX_FILE)?.ok_or(std::io::ErrorKind::FileTooLarge)?;
    if mere_core::digest::Sha256::of(&bytes) != file.sha256 {
        return Err(std::io::Error::other("a file changed while it was read"));
    }
    Ok(bytes)
}
