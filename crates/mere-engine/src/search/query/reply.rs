//! The reply to a search: its lists of hits and of entries related to them, its counts, and the
//! notes about what was not searched.

use mere_core::item::ItemType;
use mere_core::reply::{Data, Draft, Fields, Prose, codes};
use mere_core::request::RankMode;

use super::hits::{Hit, Hits};
use super::question::SearchQuestion;
use super::registry_hits::RegistryAnswer;
use crate::files::view::{cursor_data, page_reply};
use crate::search::notes;

/// Drafts the reply.
pub(crate) fn draft(question: &SearchQuestion<'_>, hits: Hits, registry: RegistryAnswer) -> Draft {
    let notes = collect_notes(question, &hits, &registry);
    let next = hits.has_more.then(|| question.next_cursor());
    let unavailable = registry.is_unavailable().then(|| Data::List(vec!["registry".into()]));
    let message = count_message(&hits, &registry);
    let total = hits.total + registry.total();
    let incomplete = hits.coverage.incomplete_field();
    let weaker = Some(hits.weaker).filter(|weaker| *weaker > 0);
    let page = hits.page.into_iter().chain(hits.related).chain(registry.into_hits());
    let data = result_lists(page, question.request.rank)
        .with("total", total)
        .with_some("weaker", weaker)
        .with("mode", question.mode.name())
        .with_some("incomplete", incomplete)
        .with_some("next", next.as_ref().map(cursor_data))
        .with_some("unavailable", unavailable);
    let draft = page_reply(codes::SEARCH, message, next.as_ref()).data(data);
    if notes.is_empty() { draft } else { draft.hint(Prose::words(notes.join(" "))) }
}

/// Returns the sentences of the reply's hint: unavailable sources, model errors, missing vectors
/// and the state of the index.
fn collect_notes(
    question: &SearchQuestion<'_>,
    hits: &Hits,
    registry: &RegistryAnswer,
) -> Vec<String> {
    let index_state = &hits.index_state;
    let searched = if question.covers_items() {
        "only local items were searched"
    } else {
        "nothing was searched"
    };
    let registry = registry.note(searched);
    let no_store = (question.covers_items() && question.lacks_memories)
        .then(|| notes::NO_STORE_NOTE.to_owned());
    let keyword_only = question.embedding_error.as_ref().map(notes::keyword_only_note);
    let missing = index_state.missing_vectors;
    let backlog = (missing > 0).then(|| notes::embedding_backlog_note(missing));
    let gap = hits.coverage.gap();
    let empty = (index_state.is_empty && gap.is_none()).then(|| notes::NO_ITEMS_NOTE.to_owned());
    let temporary = index_state.is_temporary.then(|| notes::TEMPORARY_INDEX_NOTE.to_owned());
    let incomplete = gap.map(notes::incomplete_note);
    let notes = [registry, no_store, keyword_only, backlog, empty, temporary, incomplete];
    notes.into_iter().flatten().collect()
}

/// Groups the hits into the lists of a reply.
fn result_lists(hits: impl Iterator<Item = Hit>, rank: RankMode) -> Fields {
    if rank == RankMode::Unified {
        let hits = hits.map(|hit| Data::from(hit.fields)).collect::<Data>();
        return Fields::default().with("results", hits);
    }
    let names = [
        (ItemType::Directive, "directives"),
        (ItemType::Tool, "tools"),
        (ItemType::Knowledge, "knowledge"),
        (ItemType::Memory, "memories"),
    ];
    let mut lists = names.map(|(_, name)| (name, Vec::new()));
    for hit in hits {
        let at = names.iter().position(|(kind, _)| *kind == hit.kind);
        if let Some(at) = at {
            lists[at].1.push(Data::from(hit.fields));
        }
    }
    lists
        .into_iter()
        .fold(Fields::default(), |fields, (name, hits)| fields.with(name, Data::List(hits)))
}

/// Says how many matches there are, and how many were too weak to be shown. Where not all items were
/// searched, that is said with it, so that nobody takes a match that is missing for one that does
/// not exist.
fn count_message(hits: &Hits, registry: &RegistryAnswer) -> Prose {
    let shown = hits.page.len() + registry.count();
    let words = match (hits.total + registry.total(), shown) {
        (0, _) => "No matches".to_owned(),
        (1, _) => "1 match".to_owned(),
        (total, shown) if shown as u64 == total => format!("{total} matches"),
        (total, shown) if hits.weaker > 0 => {
            let weaker = if hits.weaker == 1 { "weaker one" } else { "weaker ones" };
            format!("{total} matches, {shown} shown, {} {weaker} not", hits.weaker)
        }
        (total, shown) => format!("{total} matches, {shown} shown"),
    };
    match hits.coverage.gap() {
        None => Prose::words(words),
        Some(_) => Prose::words(format!("{words}; not all items were searched")),
    }
}
