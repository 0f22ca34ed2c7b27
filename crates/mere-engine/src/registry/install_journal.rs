//! The journal of an update that is being written: a killed process leaves the old item or the new one.
//!
//! An item of several files cannot be replaced in one step. Its new files are recorded durably before
//! the first is written, and the record is removed after the last. The next session finishes what was
//! begun: the signature is written first, so that a new one shows that the rest has to follow.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use mere_core::address::RelPath;
use mere_core::digest::Sha256;
use mere_core::item::{ItemForm, ItemType, Scope, ScopedPath};
use serde_json::{Value, json};

use crate::trust::approvals::records::{self, RecordError};
use crate::trust::project_key::space_id;
use crate::world::Context;
use mere_host::{
    EntryKind, Environment, FolderWriter, OpenFolder, WritePrecondition, read_at_most,
};

/// The file in the state folder that holds the records.
const FILE: &str = "installs.json";
/// The largest item that is recorded, in bytes. A larger one is written without a record.
const MAX_BYTES: usize = 2 * 1024 * 1024;
/// The largest file that is compared, in bytes.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// An update that is recorded until it is written.
pub(super) struct InstallJournal<'a> {
    environment: &'a Environment,
    id: String,
}

impl<'a> InstallJournal<'a> {
    /// Records the files of an update, the signature first and the main file last. A folder is
    /// exchanged as a whole, so that it needs no record.
    pub(super) fn begin(
        environment: &'a Environment,
        space_id: &str,
        place: &ScopedPath,
        files: &[(RelPath, Vec<u8>)],
    ) -> Result<Option<Self>, RecordError> {
        let bytes = files.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
        let main = place.main_file_path().and_then(|main| main.split_last());
        let Some((folder, _)) = main.filter(|_| place.form == ItemForm::Flat && bytes <= MAX_BYTES)
        else {
            return Ok(None);
        };
        let id = mere_host::new_sortable_id().to_string();
        let files = files.iter().map(|(path, bytes)| {
            json!({
                "path": folder.join_path(path).as_str(),
                "bytes": BASE64_STANDARD.encode(bytes),
            })
        });
        let record = json!({
            "id": id,
            "scope": place.scope.name(),
            "space_id": space_id,
            "siblings": (place.kind == ItemType::Tool).then(|| format!("{}.", place.id)),
            "files": files.collect::<Vec<_>>(),
        });
        records::update(environment.lock_state(), FILE, |records| records.push(record))?;
        Ok(Some(Self { environment, id }))
    }

    /// Removes the record: the update is written, or was refused.
    pub(super) fn finish(self) {
        let removed = records::update(self.environment.lock_state(), FILE, |records| {
            records.retain(|record| record["id"] != *self.id);
        });
        if let Err(error) = removed {
            tracing::warn!(%error, "the record of an update could not be removed");
        }
    }
}

/// Finishes the updates that a killed process has begun in the spaces of this session.
pub(crate) fn recover_installs(context: &Context) -> Result<(), RecordError> {
    let environment = &context.environment;
    let pending = records::parse_or_empty(environment.read_state_or_none(FILE));
    if pending.is_empty() {
        return Ok(());
    }
    for record in &pending {
        let is_settled = match settle(context, record) {
            Ok(is_settled) => is_settled,
            Err(error) => {
                tracing::error!(%error, "an update that was cut short could not be finished");
                false
            }
        };
        if is_settled {
            records::update(environment.lock_state(), FILE, |records| {
                records.retain(|one| one["id"] != record["id"]);
            })?;
        }
    }
    Ok(())
}

/// Finishes one update. Returns whether its record is of no more use.
fn settle(context: &Context, record: &Value) -> std::io::Result<bool> {
    let Some((scope, files)) = parse_record(record) else { return Ok(true) };
    let folder = if scope == Scope::Project {
        context.space()?.map(|space| space.dir().try_clone()).transpose()?
    } else {
        let space = context.environment.user_space()?;
        space.map(|space| space.dir().try_clone()).transpose()?
    };
    // The record may belong to a space that is not open.
    let Some(folder) =
        folder.filter(|folder| space_id(folder).as_deref() == record["space_id"].as_str())
    else {
        return Ok(false);
    };
    let Some(writer) = FolderWriter::open(&folder, &|| false)? else { return Ok(false) };
    let Some((signature, rest)) = files.split_first() else { return Ok(true) };
    let has_bytes = |(path, bytes): &(RelPath, Vec<u8>)| {
        let file = writer.open_file(path)?;
        let found = file.map(|file| read_at_most(file, MAX_FILE_BYTES)).transpose()?.flatten();
        Ok::<_, std::io::Error>(
            found.is_some_and(|found| Sha256::digest(&found) == Sha256::digest(bytes)),
        )
    };
    // With the old signature the old item is still whole.
    if has_bytes(signature)? {
        for (path, bytes) in rest {
            writer.put(path, bytes, WritePrecondition::Any)?;
        }
        if let Some(stem) = record["siblings"].as_str() {
            remove_old_siblings(&writer, stem, &files)?;
        }
    }
    Ok(true)
}

/// Removes the files of a tool's old version that its new one does not have.
fn remove_old_siblings(
    writer: &FolderWriter,
    stem: &str,
    files: &RecordedFiles,
) -> std::io::Result<()> {
    let Some((folder, _)) = files.first().and_then(|(path, _)| path.split_last()) else {
        return Ok(());
    };
    let mut old = Vec::new();
    OpenFolder::open(writer.dir(), folder.as_str())?.for_each_entry(|name, kind| {
        let name = name.filter(|name| name.starts_with(stem) && kind == EntryKind::File);
        let path = name.and_then(|name| folder.child(name));
        old.extend(path.filter(|path| !files.iter().any(|(new, _)| new == path)));
        Ok(())
    })?;
    old.iter().try_for_each(|path| writer.remove(path))
}

/// The files of an item, the signature first and the main file last.
type RecordedFiles = Vec<(RelPath, Vec<u8>)>;

fn parse_record(record: &Value) -> Option<(Scope, RecordedFiles)> {
    let scope = record["scope"].as_str()?.parse().ok()?;
    let files = record["files"].as_array()?.iter().map(|file| {
        let path = file["path"].as_str()?.parse().ok()?;
        Some((path, BASE64_STANDARD.decode(file["bytes"].as_str()?).ok()?))
    });
    Some((scope, files.collect::<Option<_>>()?))
}
