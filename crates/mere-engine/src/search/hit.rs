//! One hit, as it is told: read and judged from its file, like anything else.

use jiff::Timestamp;
use mere_core::item::{Item, ItemRef, ItemType, Scope, ScopedPath};
use mere_core::reply::{Content, Data, Fields, Name};
use mere_core::search::{Document, Highlight, excerpt};

use super::SearchError;
use super::library::Library;
use super::rank::Hit;
use crate::items::{self, Desk, ItemError, Opened, is_shown};
use crate::tool_error::ToolError;
use crate::wording::trust_of;

/// Tells hits.
pub(super) struct Teller<'a, 'd> {
    pub(super) desk: &'a Desk<'d>,
    pub(super) highlight: &'a Highlight,
    pub(super) library: &'a Library,
}

impl Teller<'_, '_> {
    /// A hit; none if it went meanwhile, or may not be known.
    pub(super) fn tell(&self, hit: &Hit) -> Result<Option<(ItemType, Fields)>, SearchError> {
        let Some(place) = self.library.place(hit.item)? else { return Ok(None) };
        let Some(address) = place.address().filter(|_| is_shown(self.desk.view, &place)) else {
            return Ok(None);
        };
        let named = Fields::default()
            .with("item_type", place.kind.name())
            .with("id", items::word(&place.id))
            .with("category", Name::from(&place.category))
            .with("scope", place.scope.name())
            .with("address", address);
        let fields = match Opened::open(self.desk, place.clone()) {
            Ok(opened) => self.opened(named, &opened, hit)?,
            // What may not be used says no more than where it is, and why.
            Err(ToolError::Item(ItemError::Broken(broken))) => {
                named.with("score", score(hit)).with("trust", trust_of(&broken.failure))
            }
            Err(ToolError::Item(ItemError::Unused(unused))) => {
                named.with("score", score(hit)).with("trust", unused.standing.told())
            }
            Err(_) => return Ok(None),
        };
        let fields = fields.with_some("shadowed_by", self.shadowed_by(&place));
        Ok(Some((place.kind, fields)))
    }

    fn opened(&self, named: Fields, opened: &Opened, hit: &Hit) -> Result<Fields, SearchError> {
        let loaded = &opened.loaded;
        let mut teller = items::Teller::new(self.desk.view, loaded);
        let document = Document::of(&loaded.item, &loaded.place, &loaded.text);
        let [_, _, _, description, _, body] = &document.texts;
        let preview = self.preview(&teller.hide(body));
        let description = Some(description).filter(|text| !text.is_empty());
        let description = description.map(|text| teller.mention(text));
        let superseded = self.superseded_by(&loaded.place)?;
        let version = loaded.item.version().map(items::word);
        Ok(named
            .with("title", teller.mention(loaded.item.title(&loaded.place)))
            .with_some("description", description)
            .with("score", score(hit))
            .with("preview", preview)
            .with("trust", opened.trust())
            .with_some("version", version)
            .with_some("updated_at", self.updated_at(&loaded.item, hit)?)
            .with_some("superseded_by", superseded))
    }

    /// The part of a text that matches. Real folders go first: cut or marked they would be theirs
    /// no more, and still be told.
    fn preview(&self, body: &str) -> Content {
        let view = self.desk.view;
        let seen = view.gate.preview(body, view.agent).unwrap_or_default();
        Content::body(excerpt(&seen, self.highlight))
    }

    /// When it says it was changed, else when its file was.
    fn updated_at(&self, item: &Item, hit: &Hit) -> Result<Option<Data>, SearchError> {
        let said = match item {
            Item::Memory(memory) => memory.updated_at,
            _ => None,
        };
        let file = match said {
            Some(said) => Some(said),
            None => self.library.index.modified(hit.item)?,
        };
        Ok(file.map(|at: Timestamp| items::word(&at)))
    }

    /// The item of the same name in the project, which wins.
    fn shadowed_by(&self, place: &ScopedPath) -> Option<Data> {
        if place.scope != Scope::User {
            return None;
        }
        let (category, id) = (Some(place.category.clone()), place.id.clone());
        let name = ItemRef { category, id, version: None };
        let found = self.desk.stock.candidates(Scope::Project, place.kind, &name).ok()?;
        let winner = found.iter().find(|one| is_shown(self.desk.view, one))?;
        winner.address().map(Data::from)
    }

    fn superseded_by(&self, place: &ScopedPath) -> Result<Option<Name>, SearchError> {
        if place.kind != ItemType::Knowledge {
            return Ok(None);
        }
        let found = self.library.successor(place, &|found| is_shown(self.desk.view, found))?;
        Ok(found.map(|place| items::item_name(&place)))
    }
}

/// Three digits say enough.
fn score(hit: &Hit) -> Data {
    let rounded = (f64::from(hit.score) * 1000.0).round() / 1000.0;
    serde_json::Number::from_f64(rounded).map_or(Data::Null, Data::Figure)
}
