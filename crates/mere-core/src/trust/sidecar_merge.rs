//! What becomes of a signature when git merges two versions of an item.
//!
//! A signature cannot be merged line by line, and need not be: both sides state the digests of
//! the item's files, so it is known what git makes of each file that only one side changed. If all
//! of these are what one side signed, that side's signature is kept. If both changed a file, nobody
//! has signed the result yet; our signature is kept, the item reads as changed, and somebody signs
//! it once. Nothing is decided about trust here: whatever is kept is verified like any other.

use super::sidecar::Sidecar;
use crate::item::integrity::FileDigest;

/// The outcome of merging two sidecars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedSidecar {
    /// The text of the sidecar.
    pub text: String,
    /// Whether it can be valid for what git makes of the item's files.
    pub fit: MergedFit,
}

/// Whether a merged signature can be valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergedFit {
    /// It states the files that git makes of the two versions.
    Fits,
    /// The item must be signed again.
    MustBeSigned,
}

/// Merges two versions of a sidecar, given the one that both come from. Returns `None` if neither
/// is a sidecar.
pub fn merge_sidecars(base: &[u8], ours: &[u8], theirs: &[u8]) -> Option<MergedSidecar> {
    let (ours, theirs) = match (Sidecar::parse(ours), Sidecar::parse(theirs)) {
        (Ok(ours), Ok(theirs)) => (ours, theirs),
        (Ok(one), Err(_)) | (Err(_), Ok(one)) => {
            return Some(MergedSidecar { text: one.to_text(), fit: MergedFit::MustBeSigned });
        }
        (Err(_), Err(_)) => return None,
    };
    let base = Sidecar::parse(base).map(|base| base.statement.files).unwrap_or_default();
    let files = merge_files(&base, &ours.statement.files, &theirs.statement.files);
    let (sidecar, fit) = match files {
        Some(files) if files == ours.statement.files => {
            (with_signatures_of(ours, &theirs), MergedFit::Fits)
        }
        Some(files) if files == theirs.statement.files => (theirs, MergedFit::Fits),
        _ => (ours, MergedFit::MustBeSigned),
    };
    Some(MergedSidecar { text: sidecar.to_text(), fit })
}

/// Returns the files that a merge results in, or `None` if both sides changed one of them.
fn merge_files(
    base: &[FileDigest],
    ours: &[FileDigest],
    theirs: &[FileDigest],
) -> Option<Vec<FileDigest>> {
    let find =
        |files: &[FileDigest], path: &str| files.iter().find(|file| file.path == path).cloned();
    let mut paths = [base, ours, theirs].concat().into_iter().map(|file| file.path);
    let mut paths = paths.by_ref().collect::<Vec<_>>();
    paths.sort();
    paths.dedup();
    let mut merged = Vec::new();
    for path in paths {
        let (base, ours, theirs) = (find(base, &path), find(ours, &path), find(theirs, &path));
        merged.extend(match () {
            () if ours == theirs || theirs == base => ours,
            () if ours == base => theirs,
            () => return None,
        });
    }
    Some(merged)
}

/// Adds the signatures that others made of the very same statement and placement.
fn with_signatures_of(mut sidecar: Sidecar, other: &Sidecar) -> Sidecar {
    let envelopes =
        [(&mut sidecar.author, &other.author), (&mut sidecar.installer, &other.installer)];
    for (own, other) in envelopes {
        if own.payload() != other.payload() {
            continue;
        }
        for signature in other.signatures() {
            if !own.signatures().iter().any(|one| one.key == signature.key) {
                own.add_signature(signature.key, signature.signature);
            }
        }
    }
    sidecar
}
