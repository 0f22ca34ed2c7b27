//! The reader that turns files into batches for the index, with several threads.
//!
//! What is indexed is what an agent would see of an item: secrets are masked and real folders are
//! replaced by addresses, so that nobody can find out by searching what nobody may read.

use std::borrow::Cow;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::time::{Duration, Instant};

use cap_std::fs::File;
use jiff::Timestamp;
use mere_core::address::AgentName;
use mere_core::digest::Sha256;
use mere_core::embed::EmbeddingText;
use mere_core::gate::Gate;
use mere_core::graph::Link;
use mere_core::item::{self, Item, Scope, ScopedPath};
use mere_core::search::{Document, ExactTerm};
use mere_core::secrets;

use super::change_detector::{ChangeDetector, PendingRead};
use crate::files::redaction::MaskedText;
use crate::search::call_signals::CallSignals;
use crate::search::embed::embedder::Embedder;
use crate::search::error::SearchError;
use crate::search::index::corpus::Corpus;
use crate::search::index::{IndexBatch, IndexEntry};
use crate::space::ItemTree;
use mere_host::{
    FileStamp, OpenFolder, SharedWork, available_parallelism, fault_point, now_nanoseconds,
    read_at_most, share_work,
};

/// How many items a batch has. Each item takes memory until its batch is written, but larger
/// batches leave fewer segments to merge. The upper bound is what a batch can number.
const BATCH_SIZE: std::ops::RangeInclusive<usize> = 512..=4096;
/// The number of batches that many items are split into.
const TARGET_BATCHES: usize = 24;
/// Up to this number of files, one thread reads all of them.
const MAX_SINGLE_THREADED: usize = 64;
/// How often progress is reported.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(50);
/// The most threads.
const MAX_THREADS: usize = 4;

/// The inputs of reading files.
pub(crate) struct BatchReader<'a> {
    pub(crate) detector: &'a ChangeDetector,
    pub(crate) gate: &'a Gate,
    pub(crate) embedder: &'a Embedder,
    pub(crate) signals: CallSignals<'a>,
    /// When to stop reading, even if files are left.
    pub(crate) read_until: Option<Instant>,
}

/// What was not read.
#[derive(Clone, Copy, Default)]
pub(crate) struct UnreadFiles {
    /// Files for which there was no time.
    pub(crate) pending: u64,
    /// Files that may not be read.
    pub(crate) unreadable: u64,
}

/// Reads files and hands over batches as they become ready. Returns what was not read.
pub(crate) fn read_batches(
    reader: &BatchReader<'_>,
    pending_reads: &[PendingRead],
    mut add_batch: impl FnMut(IndexBatch) -> Result<(), SearchError>,
) -> Result<UnreadFiles, SearchError> {
    let (done, unreadable) = (AtomicUsize::new(0), AtomicU64::new(0));
    let part = BatchWorker {
        detector: reader.detector,
        gate: reader.gate,
        embedder: reader.embedder,
        files_done: &done,
        unreadable: &unreadable,
    };
    if pending_reads.len() <= MAX_SINGLE_THREADED {
        add_batch(part.read_batch(pending_reads)?)?;
        return Ok(UnreadFiles { pending: 0, unreadable: unreadable.into_inner() });
    }
    let thread_count = available_parallelism(MAX_THREADS);
    let size =
        pending_reads.len().div_ceil(TARGET_BATCHES).clamp(*BATCH_SIZE.start(), *BATCH_SIZE.end());
    let size = size.min(pending_reads.len().div_ceil(thread_count));
    let (sender, receiver) = mpsc::sync_channel(0);
    let queue = ReadQueue {
        worker: &part,
        chunks: pending_reads.chunks(size).collect(),
        next: AtomicUsize::new(0),
        sender,
        is_stopped: AtomicBool::new(false),
    };
    let progress = || {
        (reader.signals.progress)(done.load(Ordering::Relaxed) as u64, pending_reads.len() as u64);
    };
    let (result, _) = share_work(&queue, |threads| {
        threads.start(thread_count);
        // The receiver is dropped at the end, before the threads are waited for, so that a thread
        // with a finished batch notices that nobody takes it.
        queue.take_batches(receiver, |batch| {
            if (reader.signals.is_cancelled)() {
                return Err(SearchError::Cancelled);
            }
            progress();
            batch.map_or(Ok(()), |batch| add_batch(batch?))?;
            let is_time_over = reader.read_until.is_some_and(|end| Instant::now() >= end);
            Ok(if is_time_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })
    });
    let pending = (result? * size).min(pending_reads.len()) as u64;
    Ok(UnreadFiles { pending, unreadable: unreadable.into_inner() })
}

/// The files that threads read for one taker of batches.
struct ReadQueue<'a> {
    worker: &'a BatchWorker<'a>,
    chunks: Vec<&'a [PendingRead]>,
    /// The number of the first chunk that nobody reads yet.
    next: AtomicUsize,
    sender: SyncSender<io::Result<IndexBatch>>,
    /// Whether a thread has panicked, so that its batch will never come.
    is_stopped: AtomicBool,
}

impl SharedWork for ReadQueue<'_> {
    type Output = ();

    fn work(&self) {
        while let Some(chunk) = self.chunks.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            // Nobody receives any more: the call was cancelled or failed.
            if self.sender.send(self.worker.read_batch(chunk)).is_err() {
                return;
            }
        }
    }

    fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }
}

impl ReadQueue<'_> {
    /// Passes every batch on as soon as it is read, and nothing when none came for a while. Returns
    /// how many batches were not waited for.
    fn take_batches(
        &self,
        receiver: Receiver<io::Result<IndexBatch>>,
        mut add_batch: impl FnMut(
            Option<io::Result<IndexBatch>>,
        ) -> Result<ControlFlow<()>, SearchError>,
    ) -> Result<usize, SearchError> {
        let mut remaining = self.chunks.len();
        while remaining > 0 && !self.is_stopped.load(Ordering::Relaxed) {
            let batch = receiver.recv_timeout(PROGRESS_INTERVAL).ok();
            remaining -= usize::from(batch.is_some());
            if add_batch(batch)?.is_break() {
                break;
            }
        }
        drop(receiver);
        Ok(remaining)
    }
}

/// What every thread needs.
struct BatchWorker<'a> {
    detector: &'a ChangeDetector,
    gate: &'a Gate,
    embedder: &'a Embedder,
    files_done: &'a AtomicUsize,
    /// How many files may not be read.
    unreadable: &'a AtomicU64,
}

impl BatchWorker<'_> {
    fn read_batch(&self, pending_reads: &[PendingRead]) -> io::Result<IndexBatch> {
        let mut batch = IndexBatch::default();
        let mut open: Option<(usize, usize, String, OpenFolder)> = None;
        for pending_read in pending_reads {
            fault_point("index", &pending_read.path);
            self.files_done.fetch_add(1, Ordering::Relaxed);
            let corpus = &self.detector.corpora[pending_read.corpus];
            let Some((tree_index, place)) = corpus.item_at(&pending_read.path) else { continue };
            let (folder, name) = place.folder_and_file().unwrap_or_default();
            let is_open = open.as_ref().is_some_and(|(corpus_index, open, path, _)| {
                (*corpus_index, *open, path) == (pending_read.corpus, tree_index, &folder)
            });
            if !is_open {
                let opened = self.count_denied(open_folder(&corpus.trees[tree_index], &folder))?;
                open = opened.map(|opened| (pending_read.corpus, tree_index, folder, opened));
            }
            if let Some((.., folder)) = &open {
                let file = self.count_denied(open_file(folder, &name))?;
                if let Some(file) = file {
                    self.add_file(&mut batch, pending_read, &place, file)?;
                }
            }
        }
        Ok(batch)
    }

    /// Turns a refusal of the system into nothing, and counts it.
    fn count_denied<T>(&self, opened: io::Result<Option<T>>) -> io::Result<Option<T>> {
        if is_denied(&opened) {
            self.unreadable.fetch_add(1, Ordering::Relaxed);
        }
        none_if_denied(opened)
    }

    /// Adds one file to a batch. A file that cannot be read or parsed is recorded, and is never a
    /// match.
    fn add_file(
        &self,
        batch: &mut IndexBatch,
        pending_read: &PendingRead,
        place: &ScopedPath,
        file: File,
    ) -> io::Result<()> {
        let began = now_nanoseconds();
        let stamp = FileStamp::from_metadata(&file.metadata()?);
        let bytes = ItemBytes::read(file)?;
        let mut entry = IndexEntry {
            corpus: self.detector.corpus_ids[pending_read.corpus],
            path: pending_read.path.clone(),
            tie_break: tie_break(&self.detector.corpora[pending_read.corpus], &pending_read.path),
            replaces: pending_read.indexed_item,
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
        let document = bytes.parse(place).and_then(|(text, item)| {
            entry.expires = expiry(&item);
            entry.links = links(&item, text).into_iter().map(mask_link).collect();
            let document = redact_document(self.gate, Document::from_item(&item, place, text))?;
            if can_have_links(&item) {
                let [title, id, ..] = &document.texts;
                entry.title = if title.is_empty() { id.clone() } else { title.clone() };
                entry.entry_type = entry_type(&item).map(mask);
            }
            let text = document.embedding_text();
            entry.vector = self.embedder.embed_immediately(&text);
            entry.text_fingerprint = self.embedder.is_deferred().then(|| fingerprint(&text));
            Some(document)
        });
        batch.add(entry, document.as_ref());
        Ok(())
    }
}

/// The bytes of an item's file; none if there are more than an item may have.
struct ItemBytes(Option<Vec<u8>>);

impl ItemBytes {
    fn read(file: File) -> io::Result<Self> {
        read_at_most(file, item::MAX_ITEM_BYTES as u64).map(Self)
    }

    /// Returns the text and the item that it is; none if it cannot be parsed.
    fn parse(&self, place: &ScopedPath) -> Option<(&str, Item)> {
        let text = item::decode_text(self.0.as_deref()?).ok()?;
        Some((text, Item::parse(text, place).ok()?))
    }
}

/// Reads the text of an item again as it was indexed: empty if the item cannot be parsed, none if
/// its file is gone.
pub(crate) fn reread_text(
    (tree, place): (&ItemTree, &ScopedPath),
    gate: &Gate,
) -> io::Result<Option<EmbeddingText>> {
    let (folder, name) = place.folder_and_file().unwrap_or_default();
    let Some(folder) = none_if_denied(open_folder(tree, &folder))? else { return Ok(None) };
    let Some(file) = none_if_denied(open_file(&folder, &name))? else { return Ok(None) };
    let bytes = ItemBytes::read(file)?;
    let understood = bytes
        .parse(place)
        .and_then(|(text, item)| redact_document(gate, Document::from_item(&item, place, text)));
    Ok(Some(understood.as_ref().map(Document::embedding_text).unwrap_or_default()))
}

/// Returns the order of an item among equal matches: items of the project first, then by a hash. It
/// does not depend on when or by which process the item was indexed.
fn tie_break(corpus: &Corpus, path: &str) -> u32 {
    let digest = Sha256::digest(format!("{}\n{path}", corpus.name).as_bytes());
    let [a, b, c, d, ..] = *digest.as_bytes();
    let chance = u32::from_le_bytes([a, b, c, d]) >> 1;
    if corpus.scope == Scope::Project { chance } else { chance | 1 << 31 }
}

/// Returns a hash that tells a text from another.
pub(crate) fn fingerprint(text: &EmbeddingText) -> i64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish().cast_signed()
}

fn is_denied<T>(opened: &io::Result<Option<T>>) -> bool {
    matches!(opened, Err(error) if error.kind() == io::ErrorKind::PermissionDenied)
}

/// Returns nothing for what may not be opened.
fn none_if_denied<T>(opened: io::Result<Option<T>>) -> io::Result<Option<T>> {
    if is_denied(&opened) { Ok(None) } else { opened }
}

/// Opens a folder of an item tree; none if it is absent or a link.
fn open_folder(tree: &ItemTree, folder: &str) -> io::Result<Option<OpenFolder>> {
    OpenFolder::find(tree.dir(), &tree.path_from_handle(folder))
}

/// Opens the file of an item; none if it is absent.
fn open_file(folder: &OpenFolder, name: &str) -> io::Result<Option<File>> {
    match folder.open_file(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => opened,
    }
}

/// Rewrites a document as an agent sees it; none if it must not be seen at all.
fn redact_document(gate: &Gate, mut document: Document) -> Option<Document> {
    let agent = AgentName::default();
    let title = document.texts[0].clone();
    // A secret that a file writes with escapes shows only after parsing, so each text is checked.
    for text in document.texts.iter_mut().chain([&mut document.prose]) {
        *text = MaskedText::mask_whole(std::mem::take(text)).text;
        if let Cow::Owned(seen) = gate.preview(text, &agent)? {
            *text = seen;
        }
    }
    // An exact term that nobody may read must not be searchable.
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

/// Returns whether an item can be part of the graph.
fn can_have_links(item: &Item) -> bool {
    matches!(item, Item::Knowledge(_) | Item::Directive(_))
}

fn entry_type(item: &Item) -> Option<String> {
    let Item::Knowledge(entry) = item else { return None };
    let entry_type = entry.frontmatter.get("entry_type").and_then(serde_json::Value::as_str)?;
    // Any text may stand there; one that is too long is not a type.
    (entry_type.len() <= 64).then(|| entry_type.to_owned())
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

/// Converts a time to nanoseconds since 1970. A time out of range becomes the nearest bound.
pub(crate) fn to_nanoseconds(at: Timestamp) -> i64 {
    let bounds = (i128::from(i64::MIN), i128::from(i64::MAX));
    i64::try_from(at.as_nanosecond().clamp(bounds.0, bounds.1)).unwrap_or_default()
}
