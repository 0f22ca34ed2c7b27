//! The hits of a reply, each read and verified from its file.
//!
//! Nothing that a reply says of an item's content comes from the index. An item that may not be
//! used is reported with its address and its trust status only.

use jiff::Timestamp;
use mere_core::address::Address;
use mere_core::item::{ItemType, ScopedPath};
use mere_core::reply::{Content, Data, Fields, ParsedName};
use mere_core::request::{HitDetail, RankMode, Search};
use mere_core::search::{Highlight, excerpt};

use super::located_hits::{IndexState, LocatedHit, LocatedHits};
use super::related_entries::RelatedEntry;
use crate::items::item_name;
use crate::items::reply_fields::own_text;
use crate::search::context::{HitContent, HitTexts, ItemAccess};
use crate::search::update::coverage::{Coverage, IndexAnswer};
use mere_host::{fault_point, map_in_parallel};

/// From this number of hits on, several threads read the files.
const PARALLEL_MIN: usize = 4;
/// The most threads.
const MAX_THREADS: usize = 4;
/// The most characters of a summary.
pub(crate) const SUMMARY_LENGTH: usize = 120;

/// The hits of one page, as the reply shows them.
pub(crate) struct Hits {
    pub(super) page: Vec<Hit>,
    /// The entries that are linked with the hits, if the request asks for them.
    pub(super) related: Vec<Hit>,
    /// The number of matches, on all pages and weak ones.
    pub(super) total: u64,
    /// The number of weak matches, which are on no page.
    pub(super) weaker: u64,
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
    request: &'a Search,
}

/// An item that was found and read.
struct FoundHit<'a> {
    place: &'a ScopedPath,
    address: &'a Address,
    content: HitContent,
}

impl Hits {
    /// Returns no hits, for a question that concerns no item.
    pub(crate) fn none() -> Self {
        Self {
            page: Vec::new(),
            related: Vec::new(),
            total: 0,
            weaker: 0,
            has_more: false,
            index_state: IndexState::default(),
            coverage: Coverage::Complete,
        }
    }

    /// Returns the number of hits on the page.
    pub(crate) fn page_length(&self) -> usize {
        self.page.len()
    }

    /// Reads the hits in their order, without those whose files disappeared in the meantime.
    pub(crate) fn read(
        located: IndexAnswer<LocatedHits>,
        items: &ItemAccess<'_>,
        request: &Search,
    ) -> Self {
        let IndexAnswer { value: located, coverage } = located;
        let LocatedHits { hits, related, total, weaker, .. } = located;
        let reader = HitReader { items, highlight: &located.highlight, request };
        let threads = if hits.len() < PARALLEL_MIN { 1 } else { MAX_THREADS };
        let page = map_in_parallel(&hits, threads, |hit| reader.read(hit));
        let related = map_in_parallel(&related, threads, |entry| reader.read_related(entry));
        Self {
            page: page.into_iter().flatten().collect(),
            related: related.into_iter().flatten().collect(),
            total,
            weaker,
            has_more: located.has_more,
            index_state: located.index_state,
            coverage,
        }
    }
}

impl HitReader<'_> {
    /// Reads one hit; none if its file disappeared in the meantime.
    fn read(&self, hit: &LocatedHit) -> Option<Hit> {
        fault_point("search", hit.place.id.as_str());
        let shadowed_by = (self.items.shadowed_by)(&hit.place);
        let superseded_by = hit.superseded_by.as_ref().map(item_name);
        let content = self.read_content(&hit.place, hit.modified)?;
        let fields = match self.request.detail {
            HitDetail::Brief => self
                .brief_fields(&hit.place, content)
                .with_some("shadowed_by", shadowed_by)
                .with_some("superseded_by", superseded_by),
            HitDetail::Full => self
                .full_fields(FoundHit { place: &hit.place, address: &hit.address, content })
                .with("score", score_data(hit.score))
                .with("shadowed_by", shadowed_by)
                .with("superseded_by", superseded_by),
        };
        Some(Hit { kind: hit.place.kind, fields })
    }

    /// Reads an entry that is linked with a hit; none if its file disappeared in the meantime.
    fn read_related(&self, entry: &RelatedEntry) -> Option<Hit> {
        let content = self.read_content(&entry.place, entry.modified)?;
        let shadowed_by = (self.items.shadowed_by)(&entry.place);
        let superseded_by = entry.superseded_by.as_ref().map(item_name);
        let fields = match self.request.detail {
            HitDetail::Brief => self
                .brief_fields(&entry.place, content)
                .with_some("shadowed_by", shadowed_by)
                .with_some("superseded_by", superseded_by),
            HitDetail::Full => {
                let (place, address) = (&entry.place, &entry.place.address()?);
                self.full_fields(FoundHit { place, address, content })
                    .with("score", Data::Null)
                    .with("shadowed_by", shadowed_by)
                    .with("superseded_by", superseded_by)
            }
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

    /// Reads the content of an item; none if its file disappeared in the meantime. The time that a
    /// memory states wins over the file's modification time.
    fn read_content(&self, place: &ScopedPath, modified: Option<Timestamp>) -> Option<HitContent> {
        let mut content = (self.items.read)(place)?;
        if let Some(texts) = &mut content.texts {
            texts.updated_at = texts.updated_at.or(modified);
        }
        Some(content)
    }

    /// Returns what is needed to decide whether to load an item.
    fn brief_fields(&self, place: &ScopedPath, content: HitContent) -> Fields {
        let item_type =
            (self.request.rank == RankMode::Unified).then(|| Data::from(place.kind.name()));
        let summary = content.texts.as_ref().map(|texts| self.summarize(texts));
        Fields::default()
            .with_some("item_type", item_type)
            .with("ref", item_name(place))
            .with("title", content.texts.map(|texts| texts.title))
            .with("summary", summary)
            .with("trust", content.status)
    }

    /// Returns one line that says what an item is about: its description, or else where its text
    /// matches.
    fn summarize(&self, texts: &HitTexts) -> Content {
        let text = match &texts.description {
            Some(description) => description.text(),
            None => &excerpt(&texts.body, self.highlight),
        };
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Content::mention(line).shorten(SUMMARY_LENGTH)
    }

    /// Returns everything that is known about an item. What does not apply is null.
    fn full_fields(&self, found: FoundHit<'_>) -> Fields {
        let FoundHit { place, address, content } = found;
        let (title, description, preview, version, updated_at) = match content.texts {
            None => (None, None, None, None, None),
            Some(texts) => {
                let preview = Content::body(excerpt(&texts.body, self.highlight));
                (
                    Some(texts.title),
                    texts.description,
                    Some(preview),
                    texts.version,
                    texts.updated_at,
                )
            }
        };
        Fields::default()
            .with("item_type", place.kind.name())
            .with("id", own_text(&place.id))
            .with("ref", item_name(place))
            .with("category", ParsedName::from(&place.category))
            .with("scope", place.scope.name())
            .with("address", address.clone())
            .with("title", title)
            .with("description", description)
            .with("preview", preview)
            .with("trust", content.trust)
            .with("version", version.as_ref().map(own_text))
            .with("updated_at", updated_at.as_ref().map(own_text))
    }
}

/// Returns the score rounded to three digits.
fn score_data(score: f32) -> Data {
    let rounded = (f64::from(score) * 1000.0).round() / 1000.0;
    serde_json::Number::from_f64(rounded).map_or(Data::Null, Data::ForeignNumber)
}
