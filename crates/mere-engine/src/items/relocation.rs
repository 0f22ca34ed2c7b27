//! An item that is being moved or copied: the files and signatures at its new place.
//!
//! Signatures are made before anything is written and come first among the files, so that a
//! half-written item reads as changed and never as validly signed by somebody.

use mere_core::address::{RelPath, Spoken};
use mere_core::digest::Sha256;
use mere_core::item::integrity::FileDigest;
use mere_core::item::{self, Item, ItemForm, ItemType, ScopedPath, rewrite_location};
use mere_core::request::AuthorChoice;
use mere_core::trust::{Checked, Sidecar, SidecarFile};

use super::{ItemCall, ItemError, ItemReader};
use crate::items::item_signer::{ItemSigner, ensure_space_id};
use crate::items::new_item::main_file_name;
use crate::items::signed_texts::keep_signed_text;
use crate::items::{CheckedItem, LoadedItem};
use crate::policy::SigningReason;
use crate::space::ItemChangeError;
use mere_host::{open_regular_file, read_at_most};

/// The largest file that is moved or copied.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// An item that is being moved or copied to another place.
pub(crate) struct Relocation<'a> {
    pub(crate) call: &'a ItemCall<'a>,
    pub(crate) item: &'a CheckedItem,
    pub(crate) to: &'a ScopedPath,
    pub(crate) author: AuthorChoice,
    pub(crate) reason: SigningReason<'a>,
}

impl Relocation<'_> {
    /// Returns the files at the new place, the sidecar first and the main file last.
    pub(crate) fn build_files(&self) -> Result<Vec<(RelPath, Vec<u8>)>, ItemError> {
        let loaded = self.item.item();
        let mut files = relocated_files(&self.call.items, loaded, self.to)?;
        if let Some(sidecar) = self.build_sidecar(&files)? {
            let name = self.to.sidecar_name().ok_or(ItemChangeError::InvalidPlace)?;
            for (_, bytes) in &files {
                keep_signed_text(self.call.context, bytes);
            }
            files.insert(0, (name.parse().map_err(|_| ItemChangeError::InvalidPlace)?, sidecar));
        }
        Ok(files)
    }

    /// Signs the item for its new place. The user's own item is signed again. An item by somebody
    /// else keeps its author's signature, provided that not a byte of it changes.
    fn build_sidecar(&self, files: &[(RelPath, Vec<u8>)]) -> Result<Option<Vec<u8>>, ItemError> {
        let loaded = self.item.item();
        let signed = loaded.sidecar.bytes().and_then(|bytes| Sidecar::parse(bytes).ok());
        if loaded.place.kind == ItemType::Memory
            || signed.is_none() && self.author == AuthorChoice::Unchanged
        {
            return Ok(None);
        }
        let moved = load_from_files(files, &[], self.to)?;
        let signers = self.item.signers();
        let is_own = signers
            .is_some_and(|signers| self.call.items.trust_policy.is_own_key(signers.author.key));
        let kept =
            signed.filter(|signed| signers.is_some() && is_statement_true_of(signed, &moved));
        if matches!(self.item, Checked::Draft(_)) && self.author == AuthorChoice::Unchanged {
            return Err(ItemChangeError::IsDraft(loaded.address.clone()).into());
        }
        // An agent may install an item that was signed, but can never have anything else signed.
        let is_ours = is_own && !matches!(self.reason, SigningReason::Install(_));
        if self.author == AuthorChoice::Unchanged && kept.is_none() && !is_ours {
            return Err(ItemChangeError::SignedByOther(loaded.address.clone()).into());
        }
        let signer = ItemSigner::unlock(self.call, self.reason)?;
        let space_id = ensure_space_id(self.call, self.to)?;
        Ok(Some(match kept.filter(|_| self.author == AuthorChoice::Unchanged) {
            Some(signed) => signer.sign_placement(&signed, self.to, &space_id)?,
            None => signer.sign_item(&moved, &space_id)?,
        }))
    }
}

/// Returns whether the author's statement still holds for the moved item.
fn is_statement_true_of(signed: &Sidecar, moved: &LoadedItem) -> bool {
    let (statement, place) = (&signed.statement, &moved.place);
    statement.category == place.category
        && statement.id == place.id
        && statement.files == moved.all_files()
}

/// Puts the sidecar of an item before its files.
pub(crate) fn add_signature(
    signer: &ItemSigner,
    loaded: &LoadedItem,
    space_id: &str,
    mut files: Vec<(RelPath, Vec<u8>)>,
) -> Result<Vec<(RelPath, Vec<u8>)>, ItemError> {
    let sidecar = signer.sign_item(loaded, space_id)?;
    let name = loaded.place.sidecar_name().ok_or(ItemChangeError::InvalidPlace)?;
    files.insert(0, (name.parse().map_err(|_| ItemChangeError::InvalidPlace)?, sidecar));
    Ok(files)
}

/// Parses an item as it will be at a place, from its new files, the main one last, and the files
/// that stay.
pub(crate) fn load_from_files(
    files: &[(RelPath, Vec<u8>)],
    kept: &[FileDigest],
    to: &ScopedPath,
) -> Result<LoadedItem, ItemChangeError> {
    let address = to.address().ok_or(ItemChangeError::InvalidPlace)?;
    let invalid =
        |fault| ItemChangeError::Invalid { address: address.clone(), fault: Box::new(fault) };
    let (main, others) = files
        .split_last()
        .map_or((&[][..], &[][..]), |((_, main), others)| (main.as_slice(), others));
    let text = item::decode_text(main).map_err(invalid)?;
    let item = Item::parse(text, to).map_err(invalid)?;
    let mut files = others
        .iter()
        .map(|(path, bytes)| FileDigest {
            path: path.to_string(),
            sha256: Sha256::digest(bytes),
            size: bytes.len() as u64,
        })
        .collect::<Vec<_>>();
    files.extend_from_slice(kept);
    files.sort_by(|left, right| left.path.cmp(&right.path));
    let integrity = item.integrity(text, to, &files);
    Ok(LoadedItem {
        place: to.clone(),
        address,
        text: text.to_owned(),
        sha256: Sha256::digest(main),
        item,
        files,
        integrity,
        sidecar: SidecarFile::None,
    })
}

/// Returns an item's files as they will be at another place, the main one last. Other files keep
/// their bytes; the siblings of a flat tool are renamed after it.
fn relocated_files(
    items: &ItemReader<'_>,
    loaded: &LoadedItem,
    to: &ScopedPath,
) -> Result<Vec<(RelPath, Vec<u8>)>, ItemError> {
    let invalid = |fault| ItemChangeError::Invalid {
        address: loaded.address.clone(),
        fault: Box::new(fault),
    };
    let main = items.view.resolve(&Spoken::Rooted(loaded.address.clone()))?;
    let folder = main.parent_folder().ok_or(ItemChangeError::InvalidPlace)?;
    let mut text = rewrite_location(&loaded.text, &loaded.place, to).map_err(invalid)?;
    let mut files = Vec::new();
    for file in &loaded.files {
        let bytes = read_verified_bytes(folder, file).map_err(|cause| {
            ItemChangeError::WriteFailed { address: loaded.address.clone(), cause }
        })?;
        let name = new_file_name(&file.path, loaded, to);
        if name != file.path {
            text = replace_whole_words(&text, &file.path, &name);
        }
        files.push((name.parse().map_err(|_| ItemChangeError::InvalidPlace)?, bytes));
    }
    Item::parse(&text, to).map_err(invalid)?;
    files.push((main_file_name(to).ok_or(ItemChangeError::InvalidPlace)?, text.into_bytes()));
    Ok(files)
}

/// Returns the new name of a sibling file when its flat tool is renamed.
pub(crate) fn new_file_name(path: &str, loaded: &LoadedItem, to: &ScopedPath) -> String {
    let stem = format!("{}.", loaded.place.id);
    match path.strip_prefix(&stem) {
        Some(rest) if to.form == ItemForm::Flat && to.kind == ItemType::Tool => {
            format!("{}.{rest}", to.id)
        }
        _ => path.to_owned(),
    }
}

/// Replaces a file's name where it stands as a whole word.
fn replace_whole_words(text: &str, from: &str, to: &str) -> String {
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

/// Reads a file and checks that its bytes are those that were hashed.
pub(crate) fn read_verified_bytes(
    folder: &cap_std::fs::Dir,
    file: &mere_core::item::integrity::FileDigest,
) -> std::io::Result<Vec<u8>> {
    let path = file.path.parse::<RelPath>().map_err(|_| std::io::ErrorKind::InvalidData)?;
    let (parents, name) = path.split_last().ok_or(std::io::ErrorKind::InvalidData)?;
    let parent = mere_host::OpenFolder::open(folder, parents.as_str())?.into_dir();
    let opened =
        open_regular_file(&parent, name.as_str())?.ok_or(std::io::ErrorKind::InvalidData)?;
    let bytes = read_at_most(opened, MAX_FILE_BYTES)?.ok_or(std::io::ErrorKind::FileTooLarge)?;
    if mere_core::digest::Sha256::digest(&bytes) != file.sha256 {
        return Err(std::io::Error::other("a file changed while it was read"));
    }
    Ok(bytes)
}
