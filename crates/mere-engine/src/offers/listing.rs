//! The lists of prompts, resources and skills, page by page.
//!
//! A page has a number of names; those whose item may not be used are left out, so that a page can
//! have fewer entries.

use mere_core::address::{Address, RelPath, Root};
use mere_core::cursor::Cursor;
use mere_core::item::{Item, ItemRef, ItemType};
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, codes};
use mere_core::request::OfferList;

use super::OfferError;
use super::offered_item::{OfferedForm, is_current, offered_names, open_offered};
use super::served_skill::{ServedSkill, skill_uri};
use crate::files::masking::ItemMasker;
use crate::files::view::count_phrase;
use crate::items::ItemReader;
use crate::memory::StoreError;

/// How many names a page has.
const PAGE_NAMES: usize = 50;
/// How long a page may become before it ends, in bytes.
const PAGE_BYTES: usize = 512 * 1024;

/// The most characters of a description in a list.
const MAX_DESCRIPTION: usize = 400;

/// Something that can be listed: its type, and the form it must have.
type OfferedKind = (ItemType, OfferedForm);

const SKILLS: OfferedKind = (ItemType::Directive, OfferedForm::Folder);
const PROMPTS: OfferedKind = (ItemType::Directive, OfferedForm::Any);
const KNOWLEDGE: OfferedKind = (ItemType::Knowledge, OfferedForm::Any);
const MEMORIES: OfferedKind = (ItemType::Memory, OfferedForm::Any);

/// Lists a page.
pub(super) fn list(
    items: &ItemReader<'_>,
    list: OfferList,
    cursor: Option<&Cursor>,
) -> Result<Draft, OfferError> {
    let target = Address::directory(Root::Project, RelPath::default());
    let after = cursor.map(|cursor| cursor.position(list.name(), &target));
    let after = after.map(|position| position.ok_or(StoreError::ForeignCursor)).transpose()?;
    let names = remaining_names(items, list, after)?;
    let (mut entries, mut bytes, mut taken) = (Vec::new(), 0, 0);
    for (kind, _, name) in names.iter().take(PAGE_NAMES) {
        taken += 1;
        let Some(entry) = describe(items, list, (*kind, name)) else { continue };
        bytes += entry.json_size();
        entries.push(Data::from(entry));
        if bytes > PAGE_BYTES {
            break;
        }
    }
    let last = names[..taken].last().filter(|_| names.len() > taken);
    let next = last.map(|(_, key, _)| Cursor::new(list.name(), &target, key).to_string());
    let count = count_phrase(entries.len() as u64, "entry", "entries");
    let data = Fields::default()
        .with(list.name(), Data::List(entries))
        .with_some("next", next.map(|next| Data::Words(next.into())));
    Ok(Draft::success(codes::OFFER_LIST, count.and(".")).data(data))
}

/// Returns the names after a position, each with its type and its key, in the order of the list.
fn remaining_names(
    items: &ItemReader<'_>,
    list: OfferList,
    after: Option<&str>,
) -> Result<Vec<(ItemType, String, String)>, OfferError> {
    let kinds: &[OfferedKind] = match list {
        OfferList::Prompts => &[PROMPTS],
        OfferList::Skills => &[SKILLS],
        OfferList::Resources => &[SKILLS, KNOWLEDGE, MEMORIES],
    };
    let mut found = Vec::new();
    for (group, (kind, form)) in kinds.iter().enumerate() {
        let names = offered_names(items, *kind, *form)?.into_iter();
        let names = names.map(|name| (*kind, format!("{group}{name}"), name));
        found.extend(names.filter(|(_, key, _)| after.is_none_or(|after| key.as_str() > after)));
    }
    Ok(found)
}

/// Describes one entry, or returns `None` if it is not offered.
fn describe(
    items: &ItemReader<'_>,
    list: OfferList,
    (kind, name): (ItemType, &str),
) -> Option<Fields> {
    let name = name.parse::<ItemRef>().ok()?;
    match (list, kind) {
        (OfferList::Prompts, _) => describe_prompt(items, &name),
        (OfferList::Skills, _) => Some(ServedSkill::open(items, &name).ok()?.fields()),
        (OfferList::Resources, ItemType::Directive) => describe_skill(items, &name),
        (OfferList::Resources, _) => describe_note(items, kind, &name),
    }
}

fn describe_prompt(items: &ItemReader<'_>, name: &ItemRef) -> Option<Fields> {
    let usable = open_offered(items, ItemType::Directive, name).ok()?;
    let mut masker = ItemMasker::new(items.view, &usable);
    let item = &usable.item().item;
    let inputs = match item {
        Item::Directive(directive) => &directive.inputs[..],
        _ => &[],
    };
    let arguments = inputs.iter().map(|input| {
        let fields = Fields::default()
            .with("name", masker.mention(&input.name))
            .with("description", masker.mention(&input.about).shorten(MAX_DESCRIPTION))
            .with("required", input.required);
        Data::from(fields)
    });
    let arguments = Data::List(arguments.collect());
    let description = masker.mention(item.description()).shorten(MAX_DESCRIPTION);
    let fields = Fields::default().with("name", ParsedName::from(name));
    Some(fields.with("description", description).with("arguments", arguments))
}

/// Describes the main file of a skill. Its name and description are those of the skill, whole.
fn describe_skill(items: &ItemReader<'_>, name: &ItemRef) -> Option<Fields> {
    let skill = ServedSkill::open(items, name).ok()?;
    let loaded = skill.loaded();
    let fields = Fields::default()
        .with("uri", Content::mention(skill_uri(&loaded.place, loaded.main_file_name())))
        .with("name", Content::mention(loaded.place.id.as_str()))
        .with("description", Content::mention(loaded.item.description()))
        .with("media_type", "text/markdown");
    Some(fields.with("size", loaded.text.len() as u64))
}

fn describe_note(items: &ItemReader<'_>, kind: ItemType, name: &ItemRef) -> Option<Fields> {
    let usable = open_offered(items, kind, name).ok()?;
    let loaded = usable.item();
    if !is_current(&loaded.item) {
        return None;
    }
    let mut masker = ItemMasker::new(items.view, &usable);
    let uri = format!("mere://{}/{name}", kind.name());
    let fields = Fields::default()
        .with("uri", Content::mention(uri))
        .with("name", ParsedName::from(name))
        .with("title", masker.mention(loaded.item.title(&loaded.place)).shorten(MAX_DESCRIPTION))
        .with("media_type", "text/markdown");
    Some(fields)
}
