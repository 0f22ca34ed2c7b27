//! The hits of a reply, each read and verified from its file.
//!
//! Nothing that a reply says of an item's content comes from the index. An item that may not be
//! used is reported with its address and its trust status only.

use mere_core::item::{ItemType, ScopedPath};
use mere_core::reply::{Content, Data, Fields, ParsedName};
use mere_core::search::{Highlight, excerpt};

use super::located_hits::{IndexState, LocatedHit, LocatedHits};
use crate::search::context::{HitTexts, ItemAccess};
use mere_host::{fault_point, map_in_parallel};

/// From this number of hits on, several threads read the files.
const PARALLEL_MIN: usize = 4;
/// The most threads.
const MAX_THREADS: usize = 4;

/// The hits of one page, as the reply shows them.
#[derive(Default)]
pub(crate) struct Hits {
    pub(super) page: Vec<Hit>,
    /// The number of hits on all pages.
    pub(super) total: u64,
    pub(super) has_more: bool,
    pub(super) index_state: IndexState,
}

/// One hit as the reply shows it.
pub(super) struct Hit {
    pub(super) kind: ItemType,
    pub(super) fields: Fields,
}

/// Reads and renders the files of hits. Several threads may share it.
struct HitReader<'a> {
    items: &'a ItemAccess<'a>,
    highlight: &'a Highlight,
}

impl Hits {
    /// Reads the hits in their order, without those whose files disappeared in the meantime.
    pub(crate) fn read(located: LocatedHits, items: &ItemAccess<'_>) -> Self {
        let LocatedHits { hits, total, has_more, highlight, index_state } = located;
        let reader = HitReader { items, highlight: &highlight };
        let threads = if hits.len() < PARALLEL_MIN { 1 } else { MAX_THREADS };
        let page = map_in_parallel(&hits, threads, |hit| reader.read(hit));
        let page = page.into_iter().flatten().collect();
        Self { page, total, has_more, index_state }
    }
}

impl HitReader<'_> {
    /// Reads one hit; none if its file disappeared in the meantime.
    fn read(&self, hit: &LocatedHit) -> Option<Hit> {
        fault_point("search", hit.place.id.as_str());
        let kind = hit.place.kind;
        let shadowed_by = (self.items.shadowed_by)(&hit.place);
        let content = (self.items.read)(&hit.place)?;
        let named = Fields::default()
            .with("item_type", kind.name())
            .with("id", own_text(&hit.place.id))
            .with("category", ParsedName::from(&hit.place.category))
            .with("scope", hit.place.scope.name())
            .with("address", hit.address.clone());
        let fields = match content.texts {
            Some(texts) => self.render_texts(named, hit, (texts, content.trust)),
            None => named.with("score", score_data(hit.score)).with("trust", content.trust),
        };
        Some(Hit { kind, fields: fields.with_some("shadowed_by", shadowed_by) })
    }

    fn render_texts(
        &self,
        named: Fields,
        hit: &LocatedHit,
        (texts, trust): (HitTexts, Fields),
    ) -> Fields {
        // The time that a memory states wins over the file's modification time.
        let updated_at = texts.updated_at.or(hit.modified);
        named
            .with("title", texts.title)
            .with_some("description", texts.description)
            .with("score", score_data(hit.score))
            .with("preview", Content::body(excerpt(&texts.body, self.highlight)))
            .with("trust", trust)
            .with_some("version", texts.version.as_ref().map(own_text))
            .with_some("updated_at", updated_at.as_ref().map(own_text))
            .with_some("superseded_by", hit.superseded_by.as_ref().map(item_name))
    }
}

/// Returns the name by which a reply refers to an item.
fn item_name(place: &ScopedPath) -> ParsedName {
    ParsedName::from(&place.reference())
}

/// Returns an id or another parsed word as text of our own, which needs no masking.
fn own_text<T: ToString>(word: &T) -> Data {
    Data::Words(word.to_string().into())
}

/// Returns the score rounded to three digits.
fn score_data(score: f32) -> Data {
    let rounded = (f64::from(score) * 1000.0).round() / 1000.0;
    serde_json::Number::from_f64(rounded).map_or(Data::Null, Data::ForeignNumber)
}
