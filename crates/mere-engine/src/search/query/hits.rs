//! The hits of a reply, each read and verified from its file.
//!
//! Nothing that a reply says of an item's content comes from the index. An item that may not be
//! used is reported with its address and its trust status only.

use mere_core::item::{ItemType, ScopedPath};
use mere_core::reply::{Content, Data, Fields, ParsedName};
use mere_core::search::{Highlight, excerpt};

use super::located_hits::{IndexState, LocatedHit, LocatedHits};
use super::related_entries::RelatedEntry;
use crate::items::item_name;
use crate::items::reply_fields::own_text;
use crate::search::context::{HitTexts, ItemAccess};
use crate::search::update::coverage::Coverage;
use mere_host::{fault_point, map_in_parallel};

/// From this number of hits on, several threads read the files.
const PARALLEL_MIN: usize = 4;
/// The most threads.
const MAX_THREADS: usize = 4;

/// The hits of one page, as the reply shows them.
pub(crate) struct Hits {
    pub(super) page: Vec<Hit>,
    /// The entries that are linked with the hits, if the request asks for them.
    pub(super) related: Vec<Hit>,
    /// The number of hits on all pages.
    pub(super) total: u64,
    pub(super) has_more: bool,
    pub(super) index_state: IndexState,
    /// Whether all items were searched.
    pub(super) coverage: Coverage,
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
    /// Returns no hits, for a question that concerns no item.
    pub(crate) fn none() -> Self {
        Self {
            page: Vec::new(),
            related: Vec::new(),
            total: 0,
            has_more: false,
            index_state: IndexState::default(),
            coverage: Coverage::Complete,
        }
    }

    /// Reads the hits in their order, without those whose files disappeared in the meantime.
    pub(crate) fn read(located: LocatedHits, coverage: Coverage, items: &ItemAccess<'_>) -> Self {
        let LocatedHits { hits, related, total, has_more, highlight, index_state } = located;
        let reader = HitReader { items, highlight: &highlight };
        let threads = if hits.len() < PARALLEL_MIN { 1 } else { MAX_THREADS };
        let page = map_in_parallel(&hits, threads, |hit| reader.read(hit));
        let related = map_in_parallel(&related, threads, |entry| reader.read_related(entry));
        let related = related.into_iter().flatten().collect();
        let page = page.into_iter().flatten().collect();
        Self { page, related, total, has_more, index_state, coverage }
    }
}

impl HitReader<'_> {
    /// Reads one hit; none if its file disappeared in the meantime.
    fn read(&self, hit: &LocatedHit) -> Option<Hit> {
        fault_point("search", hit.place.id.as_str());
        let shadowed_by = (self.items.shadowed_by)(&hit.place);
        let content = (self.items.read)(&hit.place)?;
        let named = name_fields(&hit.place).with("address", hit.address.clone());
        let fields = match content.texts {
            Some(texts) => self.render_texts(named, hit, (texts, content.trust)),
            None => named.with("score", score_data(hit.score)).with("trust", content.trust),
        };
        let fields = fields.with_some("shadowed_by", shadowed_by);
        Some(Hit { kind: hit.place.kind, fields })
    }

    /// Reads an entry that is linked with a hit; none if its file disappeared in the meantime.
    fn read_related(&self, entry: &RelatedEntry) -> Option<Hit> {
        let content = (self.items.read)(&entry.place)?;
        let named = name_fields(&entry.place).with("address", entry.place.address()?);
        let fields = match content.texts {
            Some(texts) => named
                .with("title", texts.title)
                .with_some("description", texts.description)
                .with("preview", Content::body(excerpt(&texts.body, self.highlight)))
                .with("trust", content.trust)
                .with_some("version", texts.version.as_ref().map(own_text)),
            None => named.with("trust", content.trust),
        };
        let links = entry.links.iter().map(|link| {
            Data::from(
                Fields::default()
                    .with("hit", item_name(&link.hit))
                    .with("relation", link.relation.name())
                    .with("direction", link.direction.name()),
            )
        });
        let fields = fields.with("related_to", links.collect::<Data>());
        Some(Hit { kind: entry.place.kind, fields })
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

/// Returns the fields that name an item.
fn name_fields(place: &ScopedPath) -> Fields {
    Fields::default()
        .with("item_type", place.kind.name())
        .with("id", own_text(&place.id))
        .with("category", ParsedName::from(&place.category))
        .with("scope", place.scope.name())
}

/// Returns the score rounded to three digits.
fn score_data(score: f32) -> Data {
    let rounded = (f64::from(score) * 1000.0).round() / 1000.0;
    serde_json::Number::from_f64(rounded).map_or(Data::Null, Data::ForeignNumber)
}
