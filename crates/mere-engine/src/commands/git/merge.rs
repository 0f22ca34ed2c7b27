//! The merge driver: what git runs where both sides changed a signature, a lockfile or a memory.
//!
//! A signature is chosen, never joined line by line; a lockfile goes with it. Both are derived from
//! an item, so a conflict in them says nothing that the item's own text does not say. Whatever is
//! none of these is merged as text, as git does.

use std::io;

use mere_core::item::{MAX_ITEM_BYTES, MergeableMemory, SIDECAR_SUFFIX};
use mere_core::text::json;
use mere_core::trust::{MAX_SIDECAR_BYTES, MergedFit, merge_sidecars};
use mere_host::{MergeVersions, TextMerge, merge_texts, read_file, write_file};

/// How the names of lockfiles end.
const LOCKFILE_SUFFIX: &str = ".lock.json";

/// What became of a file that git wanted merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeReport {
    /// Nothing is left to do.
    Merged,
    /// Our signature was kept, and nobody has signed what the merge results in.
    MustBeSigned,
    /// Our lockfile was kept, and may not pin what the merge results in.
    MustBeLocked,
    /// Both sides are in the text, between markers.
    Conflict,
}

/// Merges three versions of a file. The result replaces our version. `path` is its path in the
/// repository, which only says what kind of file it is.
pub fn merge_versions(
    versions: &MergeVersions,
    path: &str,
    marker_length: u8,
) -> io::Result<MergeReport> {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    if name.ends_with(SIDECAR_SUFFIX) {
        if let Some(report) = merge_signatures(versions)? {
            return Ok(report);
        }
    } else if name.ends_with(LOCKFILE_SUFFIX) {
        if are_lockfiles(versions)? {
            return Ok(MergeReport::MustBeLocked);
        }
    } else {
        prepare_memory(versions)?;
    }
    Ok(match merge_texts(versions, marker_length)? {
        TextMerge::Clean => MergeReport::Merged,
        TextMerge::Conflict => MergeReport::Conflict,
    })
}

/// Chooses between two signatures. Returns `None` if neither file is one.
fn merge_signatures(versions: &MergeVersions) -> io::Result<Option<MergeReport>> {
    let read = |file| read_file(file, None, MAX_SIDECAR_BYTES);
    let (base, ours, theirs) =
        (read(&versions.base)?, read(&versions.ours)?, read(&versions.theirs)?);
    let (Some(ours), Some(theirs)) = (ours, theirs) else { return Ok(None) };
    let Some(merged) = merge_sidecars(&base.unwrap_or_default(), &ours, &theirs) else {
        return Ok(None);
    };
    write_file(&versions.ours, merged.text.as_bytes())?;
    Ok(Some(match merged.fit {
        MergedFit::Fits => MergeReport::Merged,
        MergedFit::MustBeSigned => MergeReport::MustBeSigned,
    }))
}

/// Reports whether both sides are lockfiles, so that ours can stay as it is.
fn are_lockfiles(versions: &MergeVersions) -> io::Result<bool> {
    for file in [&versions.ours, &versions.theirs] {
        let bytes = read_file(file, None, MAX_ITEM_BYTES as u64)?.unwrap_or_default();
        let value = json::parse(&bytes).ok();
        if value.is_none_or(|value| value.get("lockfile_version").is_none()) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Gives three versions of a memory the same frontmatter, so that only their bodies can conflict.
/// Versions that are not all memories stay as they are.
fn prepare_memory(versions: &MergeVersions) -> io::Result<()> {
    let read = |file| {
        let bytes = read_file(file, None, MAX_ITEM_BYTES as u64)?;
        Ok::<_, io::Error>(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
    };
    let texts = (read(&versions.base)?, read(&versions.ours)?, read(&versions.theirs)?);
    let (Some(base), Some(ours), Some(theirs)) = texts else { return Ok(()) };
    let Ok(memory) = MergeableMemory::new(&base, &ours, &theirs) else { return Ok(()) };
    write_file(&versions.base, memory.base.as_bytes())?;
    write_file(&versions.theirs, memory.theirs.as_bytes())?;
    write_file(&versions.ours, memory.ours.as_bytes())
}
