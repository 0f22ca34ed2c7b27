//! How an item differs from what was signed.
//!
//! A signature holds digests only. The text that was signed is looked for in the user's cache, where
//! signing leaves it, and in the last commit; whatever is found must have the signed digest.

use mere_core::diff::{self, Line};
use mere_core::digest::Sha256;
use mere_core::item::integrity::FileDigest;
use mere_core::reply::{Content, Data, Fields};
use mere_core::root::Root;
use mere_core::spoken::Spoken;
use mere_core::trust::Sidecar;

use super::super::Loaded;
use super::super::loaded::SidecarFile;
use super::Desk;
use super::anchoring::bytes_of;
use crate::host::Git;

/// The largest text that is compared or remembered.
const MAX_TEXT: u64 = 256 * 1024;

/// What differs, file by file, and what it was compared with.
pub(super) fn differences(desk: &Desk<'_>, loaded: &Loaded) -> (Vec<Data>, Option<&'static str>) {
    let signed = signed_files(desk, loaded);
    let files = loaded.all_files();
    let mut changes = Vec::new();
    let mut unknown = false;
    for file in &files {
        let before = signed.iter().find(|one| one.path == file.path);
        if before == Some(file) {
            continue;
        }
        let new = text_of(desk, loaded, file);
        let old = before.map(|one| old_text(desk, loaded, one));
        unknown |= matches!(old, Some(None));
        changes.push(change(&file.path, old.flatten().as_deref(), new.as_deref()));
    }
    for gone in signed.iter().filter(|one| !files.iter().any(|file| file.path == one.path)) {
        changes.push(change(&gone.path, old_text(desk, loaded, gone).as_deref(), Some("")));
    }
    let base = match (signed.is_empty(), unknown) {
        (true, _) => "nothing: it was never signed",
        (false, true) => "nothing: what was signed is not on this machine",
        (false, false) => "what was signed",
    };
    (changes, Some(base))
}

/// A difference, or that there is none to show.
pub(super) fn change(path: &str, old: Option<&str>, new: Option<&str>) -> Data {
    let fields = Fields::default().with("path", Content::mention(path));
    let Some(new) = new else {
        return fields.with("diff", "a file that is no text, or too long to show\n").into();
    };
    fields.with("diff", Content::body(unified(old.unwrap_or_default(), new))).into()
}

/// Two texts as people read a difference.
pub(super) fn unified(old: &str, new: &str) -> String {
    let lines = diff::unified(old, new).into_iter().map(|line| match line {
        Line::Same(text) => format!(" {text}\n"),
        Line::Old(text) => format!("-{text}\n"),
        Line::New(text) => format!("+{text}\n"),
        Line::Unended => "\\ no newline at the end\n".to_owned(),
        Line::Gap => "…\n".to_owned(),
    });
    lines.collect()
}

/// Keeps the texts of an item that was signed, for the next difference.
pub(super) fn remember(desk: &Desk<'_>, loaded: &Loaded) {
    let Some(cache) = desk.context.surroundings.cache() else { return };
    for file in loaded.all_files().iter().filter(|file| file.size <= MAX_TEXT) {
        if let Some(text) = text_of(desk, loaded, file)
            && let Err(error) = cache.keep_text(&file.sha256.to_string(), text.as_bytes())
        {
            tracing::debug!(%error, "a signed text could not be kept");
        }
    }
}

/// The files that were signed, as far as a sidecar says so.
fn signed_files(desk: &Desk<'_>, loaded: &Loaded) -> Vec<FileDigest> {
    let main = desk.view.resolve(&Spoken::Rooted(loaded.address.clone())).ok();
    let sidecar = main.and_then(|main| SidecarFile::read(main.folder()?, &loaded.place).ok());
    match sidecar {
        Some(SidecarFile::Bytes(bytes)) => {
            Sidecar::parse(&bytes).map(|sidecar| sidecar.statement.files).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

fn text_of(desk: &Desk<'_>, loaded: &Loaded, file: &FileDigest) -> Option<String> {
    if file.path == loaded.main_name() {
        return Some(loaded.text.clone());
    }
    if file.size > MAX_TEXT {
        return None;
    }
    let main = desk.view.resolve(&Spoken::Rooted(loaded.address.clone())).ok()?;
    String::from_utf8(bytes_of(main.folder()?, file).ok()?).ok()
}

fn old_text(desk: &Desk<'_>, loaded: &Loaded, file: &FileDigest) -> Option<String> {
    let is_it = |bytes: &Vec<u8>| Sha256::of(bytes) == file.sha256;
    let cache = desk.context.surroundings.cache();
    let kept = cache.and_then(|cache| cache.kept_text(&file.sha256.to_string(), MAX_TEXT));
    let found = kept.filter(is_it).or_else(|| {
        let (folder, _) = loaded.address.path().split_last()?;
        let path = folder.below(&file.path.parse().ok()?);
        let git = Git::of(&desk.context.project);
        let git = git.filter(|_| *loaded.address.root() == Root::Project)?;
        git.committed(&path).filter(is_it)
    });
    String::from_utf8(found?).ok()
}
