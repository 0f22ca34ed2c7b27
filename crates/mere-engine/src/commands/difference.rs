//! How an item differs from what was signed.
//!
//! The item is compared only with what a trusted key vouched for last; without that, all of it is
//! new. A signature holds only digests, so the signed text is looked up in the user's cache, where
//! signing leaves it, and in the history of the file. Whatever is found must have the signed digest.

use std::time::{Duration, Instant};

use mere_core::address::{Root, Spoken};
use mere_core::digest::Sha256;
use mere_core::item::ItemForm;
use mere_core::item::integrity::FileDigest;
use mere_core::reply::{Content, Data, Fields};
use mere_core::text::conflict_markers::find_conflict;
use mere_core::text::diff;
use mere_core::text::diff::DiffLine;

use crate::items::item_to_sign::ItemToSign;
use crate::items::relocation::read_verified_bytes;
use crate::items::signed_texts::{MAX_SIGNED_TEXT, keep_signed_text, read_signed_text};
use crate::items::vouched_files::{VouchedVersion, last_vouched_version, read_from_history};
use crate::items::{ItemCall, ItemReader, LoadedItem};
use crate::space::ItemChangeError;
use crate::trust::Membership;
use crate::world::Context;

/// How long few changes are looked for in one file.
const MAX_DIFF_TIME: Duration = Duration::from_millis(300);

/// Returns the changes of each file, and what they were compared with.
pub(super) fn differences(
    call: &ItemCall<'_>,
    to_sign: &ItemToSign,
) -> (Vec<Data>, Option<String>) {
    let loaded = &to_sign.loaded;
    let vouched = last_vouched_version(call, &loaded.place);
    let signed = files_signed_before(vouched.as_ref(), to_sign);
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
    let membership = call.items.trust_policy.membership(loaded.place.scope);
    let base = match (signed.is_empty(), unknown) {
        (true, _) if membership == Membership::NotJoined => {
            "nothing: whose signatures count here is known once you run `mere join`".to_owned()
        }
        (true, _) => "nothing: no trusted key has signed it".to_owned(),
        (false, true) => "nothing: what was signed is not on this machine".to_owned(),
        (false, false) => vouched.map_or("what was signed".to_owned(), |one| describe_base(&one)),
    };
    (changes, Some(base))
}

/// Says which version an item was compared with.
fn describe_base(vouched: &VouchedVersion) -> String {
    let Some(commit) = &vouched.commit else { return "what was signed".to_owned() };
    let key = vouched.signer.key.to_string();
    let signer = vouched.signer.name.as_deref().unwrap_or(&key);
    format!("what {signer} signed last, in commit {}", commit.short_id())
}

/// Returns the files that a trusted key signed, under the names that they have where the item lies
/// now. The signature may lie where the item was.
fn files_signed_before(vouched: Option<&VouchedVersion>, to_sign: &ItemToSign) -> Vec<FileDigest> {
    let place = &to_sign.loaded.place;
    let displaced = || to_sign.displaced.first().map(|one| &one.statement);
    let Some(statement) = vouched.map(|one| &one.statement).or_else(displaced) else {
        return Vec::new();
    };
    let old_stem = format!("{}.", statement.id);
    let rename = |file: &FileDigest| match file.path.strip_prefix(&old_stem) {
        Some(ending) if place.form == ItemForm::Flat => {
            FileDigest { path: format!("{}.{ending}", place.id), ..file.clone() }
        }
        _ => file.clone(),
    };
    statement.files.iter().map(rename).collect()
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

/// Refuses an item in which git left both sides of a merge: nobody means that.
pub(super) fn check_conflicts(
    items: &ItemReader<'_>,
    loaded: &LoadedItem,
) -> Result<(), ItemChangeError> {
    for file in loaded.all_files() {
        let text = read_text(items, loaded, &file);
        if let Some(line) = text.as_deref().and_then(find_conflict) {
            return Err(ItemChangeError::ConflictMarkers { file: file.path, line });
        }
    }
    Ok(())
}

/// Returns the text of a file of an item, unless it is too large or no text.
pub(super) fn read_text(
    items: &ItemReader<'_>,
    loaded: &LoadedItem,
    file: &FileDigest,
) -> Option<String> {
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
    let is_wanted = |bytes: &[u8]| Sha256::digest(bytes) == file.sha256;
    read_signed_text(context, file.sha256).or_else(|| {
        let (folder, _) = loaded.address.path().split_last()?;
        let path = folder.join_path(&file.path.parse().ok()?);
        let path = Some(path).filter(|_| *loaded.address.root() == Root::Project)?;
        String::from_utf8(read_from_history(context, &path, is_wanted)?).ok()
    })
}
