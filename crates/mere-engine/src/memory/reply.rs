//! The fields of replies about memories.
//!
//! Texts of a memory are content, and known secrets in them are masked.

use jiff::Timestamp;
use mere_core::address::Address;
use mere_core::category::Description;
use mere_core::digest::Sha256;
use mere_core::item::{MemoryPath, MemoryText};
use mere_core::reply::{Content, Data, Fields};

use super::{Store, StoreCall};
use crate::files::masking::{ItemMasker, mask_secrets};

/// A memory that a reply describes.
pub(super) struct MemoryReply<'a> {
    pub(super) call: &'a StoreCall<'a>,
    pub(super) store: &'a Store,
    pub(super) path: &'a MemoryPath,
    pub(super) address: Address,
}

impl MemoryReply<'_> {
    /// Returns every field but the content, which the writer of the memory already knows.
    pub(super) fn summary_fields(self, note: &MemoryText, sha256: Sha256) -> Fields {
        let sha256 = self.digest(note, sha256);
        let mut masker = ItemMasker::for_memory(self.call.view, &self.address, note);
        let fields = self.leading_fields(note, &mut masker);
        let state = FileState { sha256, modified: None };
        with_trailing_fields(fields, note, &mut masker, state)
    }

    /// Returns every field. If the note does not record when it was changed, `modified`, the time
    /// of its file, is used.
    pub(super) fn full_fields(
        self,
        note: &MemoryText,
        sha256: Sha256,
        modified: Option<Timestamp>,
    ) -> Fields {
        let sha256 = self.digest(note, sha256);
        let mut masker = ItemMasker::for_memory(self.call.view, &self.address, note);
        let fields = self.leading_fields(note, &mut masker);
        let fields = fields.with("content", masker.body(note.content()));
        with_trailing_fields(fields, note, &mut masker, FileState { sha256, modified })
    }

    /// Returns the digest of the memory's file for the reply.
    fn digest(&self, note: &MemoryText, sha256: Sha256) -> Data {
        let view = self.call.view;
        view.digest_data(sha256, view.fidelity_of(&self.address, note.text().as_bytes()))
    }

    fn leading_fields(self, note: &MemoryText, masker: &mut ItemMasker) -> Fields {
        self.store
            .identifying_fields(self.path)
            .with("address", self.address)
            .with("title", masker.mention(&note.memory().title))
    }
}

/// The file of a memory as it was read.
struct FileState {
    sha256: Data,
    /// When the file was changed, if the note does not say so itself.
    modified: Option<Timestamp>,
}

fn with_trailing_fields(
    fields: Fields,
    note: &MemoryText,
    masker: &mut ItemMasker,
    state: FileState,
) -> Fields {
    let FileState { sha256, modified } = state;
    let memory = note.memory();
    let texts = |masker: &mut ItemMasker, texts: &[String]| -> Data {
        texts.iter().map(|text| Data::from(masker.mention(text))).collect()
    };
    let citations = (!memory.citations.is_empty()).then(|| texts(masker, &memory.citations));
    fields
        .with("tags", texts(masker, &memory.tags))
        .with("created_at", memory.created_at.map(time_data))
        .with("updated_at", memory.updated_at.or(modified).map(time_data))
        .with_some("expires_at", memory.expires_at.map(time_data))
        .with_some("citations", citations)
        .with_some("source", memory.source.as_deref().map(|source| masker.mention(source)))
        .with("sha256", sha256)
        .with_some("masked", masker.masked_count())
}

/// Converts the description of a category, with known secrets masked.
pub(super) fn description_content(description: &Description) -> Content {
    Content::mention(mask_secrets(description.as_str()))
}

/// Converts a time to the form that replies use.
pub(super) fn time_data(at: Timestamp) -> Data {
    Data::Words(at.to_string().into())
}

impl Store {
    /// Returns its name as content, because it comes from a config file.
    pub(super) fn name_data(&self) -> Data {
        Content::mention(self.name.as_str()).into()
    }
}
