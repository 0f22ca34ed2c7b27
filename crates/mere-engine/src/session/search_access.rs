//! What a search may see of items, on behalf of one caller.
//!
//! Search is lent these functions as an [`ItemAccess`], so that it reads nothing that was not
//! verified and decides nothing about trust itself.

use std::borrow::Cow;

use mere_core::address::Address;
use mere_core::item::bounds::{self, FieldBound};
use mere_core::item::{Item, ItemRef, ItemType, Scope, ScopedPath};
use mere_core::reply::Content;
use mere_core::request::LookupScope;
use mere_core::search::Document;
use mere_core::trust::Vouching;

use crate::error::trust_fields;
use crate::files::masking::ItemMasker;
use crate::items::displaced_signature::{has_no_twin, is_unclaimed};
use crate::items::find::NamedItem;
use crate::items::{
    ItemError, ItemReader, RawItem, UsableItem, is_visible, open_for_use, signature_requirement,
    trust_status_fields,
};
use crate::policy::SignatureRequirement;
use crate::search::{EntryTrust, HitContent, HitTexts, ItemAccess};

/// Reads items for a search.
#[derive(Clone, Copy)]
pub(super) struct SearchAccess<'a>(pub(super) ItemReader<'a>);

impl<'a> SearchAccess<'a> {
    /// Returns what a search may do with items.
    pub(super) fn access(self) -> ItemAccess<'a> {
        ItemAccess {
            is_visible: Box::new(move |place| is_visible(self.0.view, place)),
            is_indexable: Box::new(move |place| {
                let address = place.address();
                address.is_some_and(|address| self.0.view.world.may_show_outside_runs(&address))
            }),
            hides_indexed_items: self.0.view.run.read_limits().is_some(),
            trust_of: Box::new(move |place| self.trust_of(place)),
            shadowed_by: Box::new(move |place| self.shadowed_by(place)),
            read: Box::new(move |place| self.read_hit(place)),
        }
    }

    /// Returns what of an item the caller may rely on. An item that has no sidecar and needs none
    /// is not read, unless a signature that has lost its item states its id.
    fn trust_of(&self, place: &ScopedPath) -> EntryTrust {
        let requirement = signature_requirement(self.0.trust_policy, self.0.reader, place.kind);
        let is_plain = requirement == SignatureRequirement::Optional
            && is_unclaimed(self.0.sources, place)
            && has_no_twin(self.0.sources, place)
            && RawItem::has_no_sidecar(self.0.view, place).unwrap_or_default();
        if is_plain {
            let is_draft = self.0.trust_policy.is_draft(place);
            let vouching = if is_draft { Vouching::Person } else { Vouching::Nobody };
            return EntryTrust::Content(vouching);
        }
        match self.open(place) {
            Ok(opened) => EntryTrust::Content(opened.checked().vouching()),
            Err(ItemError::UseDenied(untrusted)) => {
                EntryTrust::NameOnly(untrusted.status.vouching())
            }
            // A broken item keeps its place: it is reported and not skipped.
            Err(_) => EntryTrust::NameOnly(Vouching::Person),
        }
    }

    /// Returns the address of the item of the same name that is loaded instead of this one.
    fn shadowed_by(&self, place: &ScopedPath) -> Option<Address> {
        let other = match place.scope {
            Scope::User => Scope::Project,
            Scope::Project if place.kind == ItemType::Knowledge => Scope::User,
            Scope::Project | Scope::Registry => return None,
        };
        let (category, id) = (Some(place.category.clone()), place.id.clone());
        let item = &ItemRef { category, id, version: None };
        let twins = self.0.sources.candidates(other, place.kind, item).ok()?;
        let twin = twins.iter().find(|one| is_visible(self.0.view, one))?;
        let source = LookupScope::Local;
        match self.0.find_for_use(NamedItem { kind: place.kind, item, source }) {
            Ok(found) if found.place == *place => None,
            Ok(found) => found.place.address(),
            // The project's item is broken, so it is reported instead of either.
            Err(_) => twin.address().filter(|_| place.scope == Scope::User),
        }
    }

    /// Reads and verifies an item for a hit. An item that may not be used has a trust status and no
    /// texts; one that cannot be read is no hit.
    fn read_hit(&self, place: &ScopedPath) -> Option<HitContent> {
        match self.open(place) {
            Ok(opened) => {
                let texts = Some(self.hit_texts(&opened));
                let checked = opened.checked();
                let (status, trust) = (checked.status(), trust_status_fields(checked));
                Some(HitContent { status, trust, texts })
            }
            Err(ItemError::Broken(broken)) => {
                let (status, trust) = (broken.failure.status(), trust_fields(&broken.failure));
                Some(HitContent { status, trust, texts: None })
            }
            Err(ItemError::UseDenied(untrusted)) => {
                let checked = &untrusted.status;
                let (status, trust) = (checked.status(), trust_status_fields(checked));
                Some(HitContent { status, trust, texts: None })
            }
            Err(_) => None,
        }
    }

    fn open(&self, place: &ScopedPath) -> Result<UsableItem, ItemError> {
        open_for_use(&self.0, place.clone())
    }

    /// Returns the texts of an item with its secrets masked. The body is rewritten before search
    /// cuts and marks it, because a cut or marked path would no longer be recognised.
    fn hit_texts(&self, opened: &UsableItem) -> HitTexts {
        let loaded = opened.item();
        let mut masker = ItemMasker::new(self.0.view, opened);
        let document = Document::from_item(&loaded.item, &loaded.place, &loaded.text);
        let [_, _, _, description, _, body] = &document.texts;
        let body = masker.mask_text(body);
        let body = match &loaded.item {
            Item::Directive(_) => strip_tags(&body),
            _ => body,
        };
        let rewritten = match self.0.view.gate.preview(&body, self.0.view.agent) {
            Some(Cow::Borrowed(_)) => None,
            Some(Cow::Owned(rewritten)) => Some(rewritten),
            None => Some(String::new()),
        };
        let description = Some(description).filter(|text| !text.is_empty());
        let updated_at = match &loaded.item {
            Item::Memory(memory) => memory.updated_at,
            _ => None,
        };
        let mut mention = |text: &str, bound: FieldBound| {
            Content::mention(self.0.view.shorten(masker.mask_text(text), bound.most))
        };
        HitTexts {
            title: mention(loaded.item.title(&loaded.place), bounds::TITLE),
            description: description.map(|text| mention(text, bounds::SHOWN_DESCRIPTION)),
            body: rewritten.unwrap_or(body),
            version: loaded.item.version().cloned(),
            updated_at,
        }
    }
}

/// Returns the text of a directive without its tags.
fn strip_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut is_tag = false;
    for character in text.chars() {
        match character {
            '<' => is_tag = true,
            '>' if is_tag => {
                is_tag = false;
                plain.push(' ');
            }
            _ if is_tag => {}
            _ => plain.push(character),
        }
    }
    plain
}
