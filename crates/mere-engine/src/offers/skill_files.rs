//! The files and folders of a skill, as resources.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use mere_core::address::{Address, RelPath, Spoken};
use mere_core::digest::Sha256;
use mere_core::item::{Category, ItemRef};
use mere_core::media::media_type;
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_host::read_at_most;

use super::OfferError;
use super::error::NotServed;
use super::media::media_type_of;
use super::served_skill::{ServedSkill, SkillFile, skill_uri};
use crate::files::read::open_visible_file;
use crate::items::{ItemError, ItemReader};

/// Describes one skill.
pub(super) fn describe(items: &ItemReader<'_>, name: &ItemRef) -> Result<Draft, OfferError> {
    let skill = ServedSkill::open(items, name)?;
    let data = Fields::default().with("skill", skill.fields());
    Ok(Draft::success(codes::OFFER_SKILL, message(&skill)).data(data))
}

/// Returns a file of a skill. `path` begins with the name of the skill.
pub(super) fn read(items: &ItemReader<'_>, path: &RelPath) -> Result<Draft, OfferError> {
    let (skill, rest) = split(items, path)?;
    let file = skill.files().into_iter().find(|file| file.path == rest.as_str());
    let file = file.ok_or(OfferError::NoFile)?;
    let bytes = read_bytes(items, &skill, &file)?;
    let uri = Content::mention(skill_uri(&skill.loaded().place, &file.path));
    let data = Fields::default()
        .with("uri", uri)
        .with("media_type", media_type_of(&file.path, &bytes))
        .with("sha256", Data::Words(file.sha256.to_string().into()));
    let data = match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => data.with("text", Content::body(text)),
        Ok(text) => data.with("blob", encode_media(&skill, text.as_bytes())?),
        Err(error) => data.with("blob", encode_media(&skill, error.as_bytes())?),
    };
    Ok(Draft::success(codes::OFFER_SKILL, message(&skill)).data(data))
}

/// Encodes a binary file, if it is of a kind that holds no text: nobody can search the others for
/// host paths and secrets.
fn encode_media(skill: &ServedSkill, bytes: &[u8]) -> Result<Content, OfferError> {
    let kind = media_type(bytes).split('/').next().unwrap_or_default();
    if !["image", "font", "audio"].contains(&kind) {
        let place = Box::new(skill.loaded().place.clone());
        return Err(OfferError::NotASkill { place, reason: NotServed::Opaque });
    }
    Ok(Content::body(BASE64_STANDARD.encode(bytes)))
}

/// Lists what is directly in a folder of a skill. `path` begins with the name of the skill.
pub(super) fn list_folder(items: &ItemReader<'_>, path: &RelPath) -> Result<Draft, OfferError> {
    let (skill, rest) = split(items, path)?;
    let place = &skill.loaded().place;
    let prefix = if rest.is_root() { String::new() } else { format!("{rest}/") };
    let mut entries = Vec::<(String, Fields)>::new();
    for file in skill.files() {
        let Some(below) = file.path.strip_prefix(&prefix) else { continue };
        let (name, is_folder) = match below.split_once('/') {
            Some((folder, _)) => (folder, true),
            None => (below, false),
        };
        if entries.last().is_some_and(|(last, _)| last == name) {
            continue;
        }
        let uri = skill_uri(place, &format!("{prefix}{name}"));
        let fields = Fields::default()
            .with("uri", Content::mention(uri))
            .with("name", Content::mention(name));
        let fields = if is_folder {
            fields.with("media_type", "inode/directory")
        } else {
            fields.with("media_type", media_type_of(name, &[])).with("size", file.size)
        };
        entries.push((name.to_owned(), fields));
    }
    if entries.is_empty() {
        return Err(OfferError::NoFile);
    }
    let entries = entries.into_iter().map(|(_, fields)| Data::from(fields));
    let data = Fields::default().with("entries", Data::List(entries.collect()));
    Ok(Draft::success(codes::OFFER_SKILL, message(&skill)).data(data))
}

/// Splits a path into a skill and a path within it. Nothing inside the folder of an item is an item
/// of its own, so the first skill on the way is the only one.
fn split(items: &ItemReader<'_>, path: &RelPath) -> Result<(ServedSkill, RelPath), OfferError> {
    let levels = path.as_str().split('/').collect::<Vec<_>>();
    for end in 1..=levels.len() {
        let Ok(name) = levels[..end].join("/").parse::<ItemRef>() else { continue };
        let name = ItemRef { category: name.category.or(Some(Category::default())), ..name };
        match ServedSkill::open(items, &name) {
            Err(OfferError::Item(error)) if matches!(*error, ItemError::Missing { .. }) => {}
            Err(error) => return Err(error),
            Ok(skill) => {
                let rest = levels[end..].join("/");
                let rest = if rest.is_empty() { Ok(RelPath::default()) } else { rest.parse() };
                return Ok((skill, rest.map_err(|_| OfferError::NoFile)?));
            }
        }
    }
    Err(OfferError::NoFile)
}

/// Reads a file, which must be the one that the skill was verified with.
fn read_bytes(
    items: &ItemReader<'_>,
    skill: &ServedSkill,
    file: &SkillFile,
) -> Result<Vec<u8>, OfferError> {
    let loaded = skill.loaded();
    if file.path == loaded.main_file_name() {
        return Ok(loaded.text.clone().into_bytes());
    }
    let path = file.path.parse::<RelPath>().map_err(|_| OfferError::NoFile)?;
    let folder = loaded.address.path().split_last().map(|(folder, _)| folder).unwrap_or_default();
    let address = Address::file(loaded.address.root().clone(), folder.join_path(&path));
    let target = items.view.resolve(&Spoken::Rooted(address.clone()))?;
    let bytes = read_at_most(open_visible_file(&target)?, file.size)
        .map_err(|cause| ItemError::unreadable(&address, cause))?;
    bytes.filter(|bytes| Sha256::digest(bytes) == file.sha256).ok_or(OfferError::NoFile)
}

fn message(skill: &ServedSkill) -> Prose {
    Prose::words("The skill is ").address(skill.loaded().address.clone()).and(".")
}
