//! Files in, batches for the index out, with as many hands as the machine has.
//!
//! What is indexed is what an agent would see of an item: secrets are masked, and real folders are
//! addresses, so that nobody can find out by asking what nobody may read.

use std::borrow::Cow;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use cap_std::fs::File;
use jiff::Timestamp;
use mere_core::digest::Sha256;
use mere_core::gate::Gate;
use mere_core::graph::Link;
use mere_core::item::{self, Item, Scope, ScopedPath};
use mere_core::name::AgentName;
use mere_core::search::{Document, ExactTerm};
use mere_core::secrets;

use super::SearchError;
use super::embedder::{Embedder, embedding_text};
use super::feed::{ChangeDetector, PendingRead};
use super::ground::Corpus;
use super::index::{IndexBatch, IndexEntry};
use crate::seen::MaskedText;
use crate::space::ItemTree;
use mere_host::{
    FileStamp, OpenFolder, available_parallelism, is_symlink_error, none_if_missing,
    now_nanoseconds, read_at_most,
};

/// How many items are turned around at once: each takes memory meanwhile. Of many items more, so that
/// there is less to merge; never more than the index counts.
const BATCH_SIZE: std::ops::RangeInclusive<usize> = 512..=4096;
/// How many batches there are to be.
const TARGET_BATCHES: usize = 24;
/// So few are not worth a thread.
const MAX_SINGLE_THREADED: usize = 64;
/// How often somebody is told how far it is.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(50);
/// The most hands.
const MAX_THREADS: usize = 4;

/// With what files are read.
pub(crate) struct BatchReader<'a> {
    pub(crate) detector: &'a ChangeDetector,
    pub(crate) gate: &'a Gate,
    pub(crate) embedder: &'a Embedder,
    pub(crate) is_cancelled: &'a dyn Fn() -> bool,
    /// Of how many, how many are read.
    pub(crate) progress: &'a dyn Fn(u64, u64),
}

/// Reads files, and hands over batches as they become ready.
pub(crate) fn read_batches(
    reader: &BatchReader<'_>,
    errands: &[PendingRead],
    mut take: impl FnMut(IndexBatch) -> Result<(), SearchError>,
) -> Result<(), SearchError> {
    let done = AtomicUsize::new(0);
    let part = BatchWorker {
        detector: reader.detector,
        gate: reader.gate,
        embedder: reader.embedder,
        files_done: &done,
    };
    if errands.len() <= MAX_SINGLE_THREADED {
        return take(part.read_batch(errands)?);
    }
    let hands = available_parallelism(MAX_THREADS);
    let size = errands.len().div_ceil(TARGET_BATCHES).clamp(*BATCH_SIZE.start(), *BATCH_SIZE.end());
    let size = size.min(errands.len().div_ceil(hands));
    let chunks = errands.chunks(size).collect::<Vec<_>>();
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::sync_channel(0);
    thread::scope(|scope| {
        // It goes before the hands are waited for: whoever has something to hand over must see that.
        let receiver = receiver;
        for _ in 0..hands {
            let (sender, next, chunks, part) = (sender.clone(), &next, &chunks, &part);
            scope.spawn(move || {
                while let Some(chunk) = chunks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // Nobody listens any more: somebody has had enough.
                    if sender.send(part.read_batch(chunk)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        loop {
            let batch = receiver.recv_timeout(PROGRESS_INTERVAL);
            if (reader.is_cancelled)() {
                return Err(SearchError::Cancelled);
            }
            (reader.progress)(done.load(Ordering::Relaxed) as u64, errands.len() as u64);
            match batch {
                Ok(batch) => take(batch?)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    })
}

/// What every hand needs.
struct BatchWorker<'a> {
    detector: &'a ChangeDetector,
    gate: &'a Gate,
    embedder: &'a Embedder,
    files_done: &'a AtomicUsize,
}

impl BatchWorker<'_> {
    fn read_batch(&self, errands: &[PendingRead]) -> io::Result<IndexBatch> {
        let mut batch = IndexBatch::default();
        let mut open: Option<(usize, usize, String, OpenFolder)> = None;
        for errand in errands {
            self.files_done.fetch_add(1, Ordering::Relaxed);
            let own = &self.detector.corpora[errand.corpus];
            let Some((plot, place)) = own.item_at(&errand.path) else { continue };
            let (folder, name) = place.folder_and_file().unwrap_or_default();
            let is_open = open.as_ref().is_some_and(|(ground, open, path, _)| {
                (*ground, *open, path) == (errand.corpus, plot, &folder)
            });
            if !is_open {
                let opened = open_folder(&own.trees[plot], &folder)?;
                open = opened.map(|opened| (errand.corpus, plot, folder, opened));
            }
            if let Some((.., folder)) = &open {
                self.add_file(&mut batch, (errand, &place), (folder, &name))?;
            }
        }
        Ok(batch)
    }

    /// One file. What cannot be read or understood is known, and never found.
    fn add_file(
        &self,
        batch: &mut IndexBatch,
        (errand, place): (&PendingRead, &ScopedPath),
        (folder, name): (&OpenFolder, &str),
    ) -> io::Result<()> {
        let began = now_nanoseconds();
        let Some(file) = open_file(folder, name)? else { return Ok(()) };
        let stamp = FileStamp::from_metadata(&file.metadata()?);
        let bytes = read_at_most(file, item::MAX_ITEM_BYTES as u64)?;
        let text = bytes.as_deref().and_then(|bytes| item::decode_text(bytes).ok());
        let understood = text.and_then(|text| Some((text, Item::parse(text, place).ok()?)));
        let mut entry = IndexEntry {
            corpus: self.detector.corpus_ids[errand.corpus],
            path: errand.path.clone(),
            tie_break: tie_break(&self.detector.corpora[errand.corpus], &errand.path),
            replaces: errand.indexed_item,
            stamp: Some(stamp).filter(|stamp| !stamp.is_racy(began)),
            kind: place.kind,
            id: place.id.to_string(),
            category: place.category.to_string(),
            expires: None,
            modified: stamp.modified,
            title: String::new(),
            entry_type: None,
            links: Vec::new(),
            text_fingerprint: None,
            vector: None,
        };
        let document = understood.and_then(|(text, item)| {
            entry.expires = expiry(&item);
            entry.links = links(&item, text).into_iter().map(mask_link).collect();
            let document = redact_document(self.gate, Document::from_item(&item, place, text))?;
            if can_have_links(&item) {
                let [title, id, ..] = &document.texts;
                entry.title = if title.is_empty() { id.clone() } else { title.clone() };
                entry.entry_type = entry_type(&item).map(mask);
            }
            entry.vector = self.embedder.embed_immediately(&document);
            entry.text_fingerprint =
                self.embedder.is_deferred().then(|| fingerprint(&embedding_text(&document)));
            Some(document)
        });
        batch.add(entry, document.as_ref());
        Ok(())
    }
}

/// What an item says, once more, as it did when it was indexed: nothing if it is not understood, and
/// none if it is not there.
pub(crate) fn reread_text(
    (plot, place): (&ItemTree, &ScopedPath),
    gate: &Gate,
) -> io::Result<Option<String>> {
    let (folder, name) = place.folder_and_file().unwrap_or_default();
    let Some(folder) = open_folder(plot, &folder)? else { return Ok(None) };
    let Some(file) = open_file(&folder, &name)? else { return Ok(None) };
    let bytes = read_at_most(file, item::MAX_ITEM_BYTES as u64)?;
    let text = bytes.as_deref().and_then(|bytes| item::decode_text(bytes).ok());
    let understood = text.and_then(|text| {
        let item = Item::parse(text, place).ok()?;
        redact_document(gate, Document::from_item(&item, place, text))
    });
    Ok(Some(understood.as_ref().map(embedding_text).unwrap_or_default()))
}

/// Which of two equal matches comes first, whenever and by whomever they were indexed: what is of the
/// project, then chance.
fn tie_break(ground: &Corpus, path: &str) -> u32 {
    let digest = Sha256::digest(format!("{}\n{path}", ground.name).as_bytes());
    let [a, b, c, d, ..] = *digest.as_bytes();
    let chance = u32::from_le_bytes([a, b, c, d]) >> 1;
    if ground.scope == Scope::Project { chance } else { chance | 1 << 31 }
}

/// What tells a text from another.
pub(crate) fn fingerprint(text: &str) -> i64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish().cast_signed()
}

/// A folder of a plot, if it can be opened.
fn open_folder(plot: &ItemTree, folder: &str) -> io::Result<Option<OpenFolder>> {
    match OpenFolder::open(plot.dir(), &plot.path_from_handle(folder)) {
        Err(error) if is_symlink_error(&error) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(None),
        opened => none_if_missing(opened),
    }
}

/// The file of an item, if it can be opened.
fn open_file(folder: &OpenFolder, name: &str) -> io::Result<Option<File>> {
    match folder.open_file(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(None),
        opened => opened,
    }
}

/// A document as an agent sees it; none if it must not be seen at all.
fn redact_document(gate: &Gate, mut document: Document) -> Option<Document> {
    let agent = AgentName::default();
    let title = document.texts[0].clone();
    // What a file writes with escapes is a secret only when it is read: each text is looked at.
    for text in &mut document.texts {
        *text = MaskedText::mask_whole(std::mem::take(text)).text;
        if let Cow::Owned(seen) = gate.preview(text, &agent)? {
            *text = seen;
        }
    }
    // Nobody can ask for an exact thing that nobody may read.
    let is_plain = |term: &str| {
        let unchanged = matches!(gate.preview(term, &agent), Some(Cow::Borrowed(_)));
        unchanged && secrets::find(term).is_empty()
    };
    let is_named = document.texts[0] == title;
    let may_ask = |mark: &ExactTerm| {
        is_plain(&mark.to_index_term()) && (is_named || !matches!(mark, ExactTerm::Name(_)))
    };
    document.exact_terms.retain(may_ask);
    Some(document)
}

fn mask(text: String) -> String {
    MaskedText::mask_whole(text).text
}

fn mask_link(link: Link) -> Link {
    Link { target: mask(link.target), ..link }
}

/// Whether an item is part of the graph.
fn can_have_links(item: &Item) -> bool {
    matches!(item, Item::Knowledge(_) | Item::Directive(_))
}

fn entry_type(item: &Item) -> Option<String> {
    let Item::Knowledge(entry) = item else { return None };
    let said = entry.frontmatter.get("entry_type").and_then(serde_json::Value::as_str)?;
    // Anything may stand there; what is too long is no kind of anything.
    (said.len() <= 64).then(|| said.to_owned())
}

fn links(item: &Item, text: &str) -> Vec<Link> {
    match item {
        Item::Knowledge(entry) => {
            Link::from_knowledge(entry, text).unwrap_or_else(|_| Link::from_frontmatter(entry))
        }
        Item::Directive(directive) => Link::from_directive(directive),
        Item::Skill(_) | Item::Tool(_) | Item::Memory(_) | Item::Lockfile(_) => Vec::new(),
    }
}

fn expiry(item: &Item) -> Option<i64> {
    let Item::Memory(memory) = item else { return None };
    memory.expires_at.map(to_nanoseconds)
}

/// A time in nanoseconds since 1970; what is later than can be said is at the end.
pub(crate) fn to_nanoseconds(at: Timestamp) -> i64 {
    let bounds = (i128::from(i64::MIN), i128::from(i64::MAX));
    i64::try_from(at.as_nanosecond().clamp(bounds.0, bounds.1)).unwrap_or_default()
}
