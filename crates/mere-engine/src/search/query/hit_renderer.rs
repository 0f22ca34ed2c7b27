//! The hits of a reply, each read and verified from its file.
//!
//! Nothing that a reply says of an item's content comes from the index. An item that may not be
//! used is reported with its address and its trust status only.

use std::thread;

use jiff::Timestamp;
use mere_core::address::Address;
use mere_core::item::{Item, ItemRef, ItemType, Scope, ScopedPath};
use mere_core::reply::{Content, Data, Fields, ParsedName};
use mere_core::request::Reader;
use mere_core::search::{Document, Highlight, excerpt};

use super::rank::SearchHit;
use crate::error::tool_error::ToolError;
use crate::error::trust_fields;
use crate::files::view::View;
use crate::items::{self, CheckedItem, ItemCall, ItemError, is_visible};
use crate::search::SearchError;
use crate::search::graph::GraphVisibility;
use crate::search::update::live_index::LiveIndex;
use crate::trust::TrustPolicy;
use mere_host::available_parallelism;

/// From this number of hits on, several threads read the files.
const PARALLEL_MIN: usize = 4;
/// The most threads.
const MAX_THREADS: usize = 4;

/// Turns ranked hits into reply fields.
pub(crate) struct HitRenderer<'a, 'd> {
    pub(in crate::search) call: &'a ItemCall<'d>,
    pub(in crate::search) highlight: &'a Highlight,
    pub(in crate::search) live_index: &'a LiveIndex,
}

/// What the index knows of a hit without its file.
struct IndexedHit {
    place: ScopedPath,
    address: Address,
    score: Data,
    /// The time when its file was modified.
    modified: Option<Timestamp>,
    superseded_by: Option<ParsedName>,
    shadowed_by: Option<Data>,
}

/// Reads and renders the files of hits. Several threads may share it.
struct HitReader<'a> {
    view: &'a View<'a>,
    trust_policy: &'a TrustPolicy,
    reader: Reader,
    highlight: &'a Highlight,
}

impl HitRenderer<'_, '_> {
    /// Renders hits in their order, without those that disappeared in the meantime or are not
    /// visible.
    pub(crate) fn render_all(
        &self,
        hits: &[SearchHit],
    ) -> Result<Vec<(ItemType, Fields)>, SearchError> {
        let leads = hits.iter().map(|hit| {
            if (self.call.is_cancelled)() { Err(SearchError::Cancelled) } else { self.look_up(hit) }
        });
        let leads = leads.collect::<Result<Vec<_>, _>>()?.into_iter().flatten();
        let leads = leads.collect::<Vec<_>>();
        let ItemCall { view, trust_policy: court, reader: who, .. } = *self.call;
        let reading =
            HitReader { view, trust_policy: court, reader: who, highlight: self.highlight };
        if leads.len() < PARALLEL_MIN {
            return Ok(leads.into_iter().filter_map(|lead| reading.render(lead)).collect());
        }
        Ok(reading.render_in_parallel(leads))
    }

    fn look_up(&self, hit: &SearchHit) -> Result<Option<IndexedHit>, SearchError> {
        let Some(place) = self.live_index.locate(hit.item)? else { return Ok(None) };
        let Some(address) = place.address().filter(|_| is_visible(self.call.view, &place)) else {
            return Ok(None);
        };
        Ok(Some(IndexedHit {
            address,
            score: score_data(hit),
            modified: self.live_index.index.modified_at(hit.item)?,
            superseded_by: self.superseded_by(&place)?,
            shadowed_by: self.shadowed_by(&place),
            place,
        }))
    }

    /// Returns the address of the project's item of the same name, which takes precedence.
    fn shadowed_by(&self, place: &ScopedPath) -> Option<Data> {
        if place.scope != Scope::User {
            return None;
        }
        let (category, id) = (Some(place.category.clone()), place.id.clone());
        let name = ItemRef { category, id, version: None };
        let found = self.call.sources.candidates(Scope::Project, place.kind, &name).ok()?;
        let winner = found.iter().find(|one| is_visible(self.call.view, one))?;
        winner.address().map(Data::from)
    }

    fn superseded_by(&self, place: &ScopedPath) -> Result<Option<ParsedName>, SearchError> {
        if place.kind != ItemType::Knowledge {
            return Ok(None);
        }
        let ask = |audience: GraphVisibility<'_>| self.live_index.successor(place, audience);
        let found = self.call.with_visibility(ask)?;
        Ok(found.map(|place| items::item_name(&place)))
    }
}

impl HitReader<'_> {
    /// Splits the hits between threads. A panic of a thread is passed on.
    fn render_in_parallel(&self, leads: Vec<IndexedHit>) -> Vec<(ItemType, Fields)> {
        let hands = available_parallelism(MAX_THREADS);
        let each = leads.len().div_ceil(hands);
        let mut parts = Vec::new();
        let mut leads = leads.into_iter().peekable();
        while leads.peek().is_some() {
            parts.push(leads.by_ref().take(each).collect::<Vec<_>>());
        }
        let tell = |part: Vec<IndexedHit>| {
            part.into_iter().filter_map(|lead| self.render(lead)).collect::<Vec<_>>()
        };
        let last = parts.pop().unwrap_or_default();
        thread::scope(|scope| {
            let others = parts.into_iter().map(|part| scope.spawn(move || tell(part)));
            let others = others.collect::<Vec<_>>();
            let last = tell(last);
            let told = others.into_iter().flat_map(|other| match other.join() {
                Ok(told) => told,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            told.chain(last).collect()
        })
    }

    /// Renders one hit; none if its file disappeared in the meantime.
    fn render(&self, lead: IndexedHit) -> Option<(ItemType, Fields)> {
        let place = &lead.place;
        let named = Fields::default()
            .with("item_type", place.kind.name())
            .with("id", items::own_text(&place.id))
            .with("category", ParsedName::from(&place.category))
            .with("scope", place.scope.name())
            .with("address", lead.address.clone());
        let fields = match CheckedItem::open_for_reader(
            self.reader,
            (self.view, self.trust_policy),
            place.clone(),
        ) {
            Ok(opened) => self.render_item(named, &opened, &lead),
            // An item that may not be used is reported with its address and its trust status only.
            Err(ToolError::Item(ItemError::Broken(broken))) => {
                named.with("score", lead.score).with("trust", trust_fields(&broken.failure))
            }
            Err(ToolError::Item(ItemError::UseDenied(unused))) => {
                named.with("score", lead.score).with("trust", unused.standing.to_fields())
            }
            Err(_) => return None,
        };
        Some((place.kind, fields.with_some("shadowed_by", lead.shadowed_by)))
    }

    fn render_item(&self, named: Fields, opened: &CheckedItem, lead: &IndexedHit) -> Fields {
        let loaded = &opened.loaded;
        let mut teller = items::ItemMasker::new(self.view, loaded);
        let document = Document::from_item(&loaded.item, &loaded.place, &loaded.text);
        let [_, _, _, description, _, body] = &document.texts;
        let body = teller.mask_text(body);
        let preview = match &loaded.item {
            Item::Directive(_) => self.preview(&strip_tags(&body)),
            _ => self.preview(&body),
        };
        let description = Some(description).filter(|text| !text.is_empty());
        let description = description.map(|text| teller.mention(text));
        // The time that a memory states wins over the file's modification time.
        let updated_at = match &loaded.item {
            Item::Memory(memory) => memory.updated_at.or(lead.modified),
            _ => lead.modified,
        };
        named
            .with("title", teller.mention(loaded.item.title(&loaded.place)))
            .with_some("description", description)
            .with("score", lead.score.clone())
            .with("preview", preview)
            .with("trust", opened.trust_fields())
            .with_some("version", loaded.item.version().map(items::own_text))
            .with_some("updated_at", updated_at.map(|at| items::own_text(&at)))
            .with_some("superseded_by", lead.superseded_by.clone())
    }

    /// Returns the excerpt that matches. Real folders are rewritten before the excerpt is cut and
    /// marked: a cut or marked path would no longer be recognised, and would leak.
    fn preview(&self, body: &str) -> Content {
        let seen = self.view.gate.preview(body, self.view.agent).unwrap_or_default();
        Content::body(excerpt(&seen, self.highlight))
    }
}

/// Returns the text of a directive without its tags.
fn strip_tags(text: &str) -> String {
    let mut said = String::with_capacity(text.len());
    let mut is_tag = false;
    for character in text.chars() {
        match character {
            '<' => is_tag = true,
            '>' if is_tag => {
                is_tag = false;
                said.push(' ');
            }
            _ if is_tag => {}
            _ => said.push(character),
        }
    }
    said
}

/// Returns the score rounded to three digits.
fn score_data(hit: &SearchHit) -> Data {
    let rounded = (f64::from(hit.score) * 1000.0).round() / 1000.0;
    serde_json::Number::from_f64(rounded).map_or(Data::Null, Data::ForeignNumber)
}
