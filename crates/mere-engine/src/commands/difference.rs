//! How an item differs from what was signed.
//!
//! The item is compared only with what a trusted key vouched for; without that, all of it is new. A
//! signature holds only digests, so the signed text is looked up in the user's cache, where signing
//! leaves it, and in the last commit. Whatever is found must have the signed digest.

use std::time::{Duration, Instant};

use mere_core::address::{Root, Spoken};
use mere_core::digest::Sha256;
use mere_core::item::ItemForm;
use mere_core::item::integrity::FileDigest;
use mere_core::reply::{Content, Data, Fields};
use mere_core::text::diff;
use mere_core::text::diff::DiffLine;

use crate::items::item_to_sign::ItemToSign;
use crate::items::relocation::read_verified_bytes;
use crate::items::signed_texts::{MAX_SIGNED_TEXT, keep_signed_text, read_signed_text};
use crate::items::vouched_files::{read_committed, vouched_statement};
use crate::items::{ItemCall, ItemReader, LoadedItem};
use crate::world::Context;

/// How long few changes are looked for in one file.
const MAX_DIFF_TIME: Duration = Duration::from_millis(300);

/// Returns the changes of each file, and what they were compared with.
pub(super) fn differences(
    call: &ItemCall<'_>,
    to_sign: &ItemToSign,
) -> (Vec<Data>, Option<&'static str>) {
    let loaded = &to_sign.loaded;
    let signed = files_signed_before(call, to_sign);
    let files = loaded.all_files();
    let mut changes = Vec::new();
    let mut unknown = false;
    for file in &files {
        let before = signed.iter().find(|one| one.path == file.path);
        if before == Some(file) {
            continue;
        }
        let new = read_text(&call.items, loaded, file);
        let old = before.map(|one| signed_text(call.context, loaded, one));
        unknown |= matches!(old, Some(None));
        changes.push(file_change(&file.path, old.flatten().as_deref(), new.as_deref()));
    }
    for gone in signed.iter().filter(|one| !files.iter().any(|file| file.path == one.path)) {
        changes.push(file_change(
            &gone.path,
            signed_text(call.context, loaded, gone).as_deref(),
            Some(""),
        ));
    }
    let base = match (signed.is_empty(), unknown) {
        (true, _) => "nothing: no trusted key has signed it",
        (false, true) => "nothing: what was signed is not on this machine",
        (false, false) => "what was signed",
    };
    (changes, Some(base))
}

/// Returns the files that a trusted key signed, under the names that they have where the item lies
/// now. The signature may lie where the item was.
fn files_signed_before(call: &ItemCall<'_>, to_sign: &ItemToSign) -> Vec<FileDigest> {
    let place = &to_sign.loaded.place;
    let displaced = || to_sign.displaced.first().map(|one| one.statement.clone());
    let Some(statement) = vouched_statement(call, place).or_else(displaced) else {
        return Vec::new();
    };
    let old_stem = format!("{}.", statement.id);
    let rename = |file: FileDigest| match file.path.strip_prefix(&old_stem) {
        Some(ending) if place.form == ItemForm::Flat => {
            FileDigest { path: format!("{}.{ending}", place.id), ..file }
        }
        _ => file,
    };
    statement.files.into_iter().map(rename).collect()
}

/// Returns the diff of a file, or a note that there is none to show.
pub(super) fn file_change(path: &str, old: Option<&str>, new: Option<&str>) -> Data {
    let fields = Fields::default().with("path", Content::mention(path));
    let Some(new) = new else {
        return fields.with("diff", "a file that is not text, or is too long to show\n").into();
    };
    fields.with("diff", Content::body(unified_diff_text(old.unwrap_or_default(), new))).into()
}

/// Returns a unified diff as text.
pub(super) fn unified_diff_text(old: &str, new: &str) -> String {
    let deadline = Instant::now() + MAX_DIFF_TIME;
    let lines = diff::unified_diff(old, new, deadline).into_iter().map(|line| match line {
        DiffLine::Same(text) => format!(" {text}\n"),
        DiffLine::Removed(text) => format!("-{text}\n"),
        DiffLine::Added(text) => format!("+{text}\n"),
        DiffLine::NoFinalNewline => "\\ no newline at the end\n".to_owned(),
        DiffLine::Gap => "…\n".to_owned(),
    });
    lines.collect()
}

/// Caches the texts of a signed item for the next diff.
pub(super) fn cache_signed_texts(call: &ItemCall<'_>, loaded: &LoadedItem) {
    for file in &loaded.all_files() {
        if let Some(text) = read_text(&call.items, loaded, file) {
            keep_signed_text(call.context, text.as_bytes());
        }
    }
}

fn read_text(items: &ItemReader<'_>, loaded: &LoadedItem, file: &FileDigest) -> Option<String> {
    if file.path == loaded.main_file_name() {
        return Some(loaded.text.clone());
    }
    if file.size > MAX_SIGNED_TEXT {
        return None;
    }
    let main = items.view.resolve(&Spoken::Rooted(loaded.address.clone())).ok()?;
    String::from_utf8(read_verified_bytes(main.parent_folder()?, file).ok()?).ok()
}

fn signed_text(context: &Context, loaded: &LoadedItem, file: &FileDigest) -> Option<String> {
    let is_text = |text: &String| Sha256::digest(text.as_bytes()) == file.sha256;
    read_signed_text(context, file.sha256).or_else(|| {
        let (folder, _) = loaded.address.path().split_last()?;
        let path = folder.join_path(&file.path.parse().ok()?);
        let path = Some(path).filter(|_| *loaded.address.root() == Root::Project)?;
        String::from_utf8(read_committed(context, &path)?).ok().filter(is_text)
    })
}
