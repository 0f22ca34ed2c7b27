//! Showing an item of a registry without installing it.
//!
//! It is checked exactly as if it were installed, so that an agent is not shown the words of an author
//! whom the user does not trust.

use mere_core::item::{ItemType, Scope};
use mere_core::registry::{PublishedReference, RegistryItemName, RegistryType};
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, Prose, codes};

use super::connection::PATIENCE;
use super::fetch::{FetchedVersion, VersionRequest, fetch_version};
use super::install::installed_place;
use super::{RegistryChoice, RegistryError};
use crate::files::redaction::MaskedText;
use crate::items::ItemReader;
use crate::items::relocation::load_from_files;
use crate::items::reply_fields::own_text;

/// Shows an item.
pub(crate) fn preview(
    choice: RegistryChoice<'_>,
    items: &ItemReader<'_>,
    (kind, item): (ItemType, &PublishedReference),
) -> Result<Draft, RegistryError> {
    let kind = RegistryType::try_from(kind).map_err(|_| RegistryError::UnsharedType(kind))?;
    let registry = choice.open(PATIENCE)?;
    let log = registry.read_log()?;
    let name = RegistryItemName::new(kind, item.name.clone());
    let request =
        VersionRequest { item: &name, version: item.version.as_ref().into(), scope: Scope::User };
    let FetchedVersion { item: fetched, warning, .. } =
        fetch_version(&registry, &log, items, &request)?;
    let statement = &fetched.statement;
    let place = installed_place(statement, Scope::User)?;
    let loaded = load_from_files(&fetched.files, &[], &place)?;
    if loaded.integrity != Some(statement.integrity) {
        return Err(RegistryError::Content("it is not what its author signed".to_owned()));
    }
    let signer = fetched.author.signatures().first().map(|mark| mark.key.to_string());
    let trust =
        Fields::default().with("status", "verified").with_some("key", signer.map(Content::mention));
    let files = statement.files.iter().map(|file| {
        let fields = Fields::default().with("path", Content::mention(file.path.clone()));
        Data::from(fields.with("size", file.size).with("sha256", own_text(&file.sha256)))
    });
    let data = Fields::default()
        .with("item_type", statement.kind.name())
        .with("id", own_text(&statement.id))
        .with("ref", Content::mention(item.name.to_string()))
        .with("version", own_text(&statement.version))
        .with("category", ParsedName::from(&statement.category))
        .with("scope", "registry")
        .with("content", Content::body(MaskedText::mask_whole(loaded.text.clone()).text))
        .with("files", files.collect::<Data>())
        .with("integrity", own_text(&statement.integrity))
        .with("trust", trust)
        .with_some("warning", warning.map(Content::mention));
    let message = Prose::words("`").content(Content::mention(item.name.to_string()));
    let message = message.and(format!("` {} is in the registry.", statement.version));
    Ok(Draft::success(codes::LOAD, message)
        .data(data)
        .hint("It is not installed: pass `destination` to install it."))
}
