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
use super::embedder::{Embedder, meaning};
use super::feed::{Errand, Feed};
use super::ground::Ground;
use super::index::{Batch, Entry};
use crate::seen::MaskedText;
use crate::space::ItemTree;
use mere_host::{
    FileStamp, OpenFolder, available_parallelism, is_symlink_error, none_if_missing,
    now_nanoseconds, read_at_most,
};

/// How many items are turned around at once: each takes memory meanwhile. Of many items more, so that
/// there is less to merge; never more than the index counts.
const BATCH: std::ops::RangeInclusive<usize> = 512..=4096;
/// How many batches there are to be.
const BATCHES: usize = 24;
/// So few are not worth a thread.
const FEW: usize = 64;
/// How often somebody is told how far it is.
const TICK: Duration = Duration::from_millis(50);
/// The most hands.
const MAX_HANDS: usize = 4;

/// With what files are read.
pub(crate) struct Reader<'a> {
    pub(crate) feed: &'a Feed,
    pub(crate) gate: &'a Gate,
    pub(crate) embedder: &'a Embedder,
    pub(crate) over: &'a dyn Fn() -> bool,
    /// Of how many, how many are read.
    pub(crate) progress: &'a dyn Fn(u64, u64),
}

/// Reads files, and hands over batches as they become ready.
pub(crate) fn read(
    reader: &Reader<'_>,
    errands: &[Errand],
    mut take: impl FnMut(Batch) -> Result<(), SearchError>,
) -> Result<(), SearchError> {
    let done = AtomicUsize::new(0);
    let part =
        Part { feed: reader.feed, gate: reader.gate, embedder: reader.embedder, done: &done };
    if errands.len() <= FEW {
        return take(part.batch(errands)?);
    }
    let hands = available_parallelism(MAX_HANDS);
    let size = errands.len().div_ceil(BATCHES).clamp(*BATCH.start(), *BATCH.end());
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
                    if sender.send(part.batch(chunk)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        loop {
            let batch = receiver.recv_timeout(TICK);
            if (reader.over)() {
                return Err(SearchError::Over);
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
struct Part<'a> {
    feed: &'a Feed,
    gate: &'a Gate,
    embedder: &'a Embedder,
    done: &'a AtomicUsize,
}

impl Part<'_> {
    fn batch(&self, errands: &[Errand]) -> io::Result<Batch> {
        let mut batch = Batch::default();
        let mut open: Option<(usize, usize, String, OpenFolder)> = None;
        for errand in errands {
            self.done.fetch_add(1, Ordering::Relaxed);
            let own = &self.feed.grounds[errand.ground];
            let Some((plot, place)) = own.place(&errand.path) else { continue };
            let (folder, name) = place.folder_and_file().unwrap_or_default();
            let is_open = open.as_ref().is_some_and(|(ground, open, path, _)| {
                (*ground, *open, path) == (errand.ground, plot, &folder)
            });
            if !is_open {
                let opened = folder_of(&own.plots[plot], &folder)?;
                open = opened.map(|opened| (errand.ground, plot, folder, opened));
            }
            if let Some((.., folder)) = &open {
                self.add(&mut batch, (errand, &place), (folder, &name))?;
            }
        }
        Ok(batch)
    }

    /// One file. What cannot be read or understood is known, and never found.
    fn add(
        &self,
        batch: &mut Batch,
        (errand, place): (&Errand, &ScopedPath),
        (folder, name): (&OpenFolder, &str),
    ) -> io::Result<()> {
        let began = now_nanoseconds();
        let Some(file) = file_in(folder, name)? else { return Ok(()) };
        let stamp = FileStamp::from_metadata(&file.metadata()?);
        let bytes = read_at_most(file, item::MAX_ITEM_BYTES as u64)?;
        let text = bytes.as_deref().and_then(|bytes| item::decode_text(bytes).ok());
        let understood = text.and_then(|text| Some((text, Item::parse(text, place).ok()?)));
        let mut entry = Entry {
            ground: self.feed.numbers[errand.ground],
            path: errand.path.clone(),
            tie: tie(&self.feed.grounds[errand.ground], &errand.path),
            replaces: errand.known,
            stamp: Some(stamp).filter(|stamp| !stamp.is_racy(began)),
            kind: place.kind,
            id: place.id.to_string(),
            category: place.category.to_string(),
            expires: None,
            modified: stamp.modified,
            title: String::new(),
            sort: None,
            links: Vec::new(),
            text: None,
            vector: None,
        };
        let document = understood.and_then(|(text, item)| {
            entry.expires = expiry(&item);
            entry.links = links(&item, text).into_iter().map(masked_link).collect();
            let document = seen(self.gate, Document::from_item(&item, place, text))?;
            if has_links(&item) {
                let [title, id, ..] = &document.texts;
                entry.title = if title.is_empty() { id.clone() } else { title.clone() };
                entry.sort = entry_type(&item).map(masked);
            }
            entry.vector = self.embedder.at_once(&document);
            entry.text = self.embedder.is_slow().then(|| print(&meaning(&document)));
            Some(document)
        });
        batch.add(entry, document.as_ref());
        Ok(())
    }
}

/// What an item says, once more, as it did when it was indexed: nothing if it is not understood, and
/// none if it is not there.
pub(crate) fn reread(
    (plot, place): (&ItemTree, &ScopedPath),
    gate: &Gate,
) -> io::Result<Option<String>> {
    let (folder, name) = place.folder_and_file().unwrap_or_default();
    let Some(folder) = folder_of(plot, &folder)? else { return Ok(None) };
    let Some(file) = file_in(&folder, &name)? else { return Ok(None) };
    let bytes = read_at_most(file, item::MAX_ITEM_BYTES as u64)?;
    let text = bytes.as_deref().and_then(|bytes| item::decode_text(bytes).ok());
    let understood = text.and_then(|text| {
        let item = Item::parse(text, place).ok()?;
        seen(gate, Document::from_item(&item, place, text))
    });
    Ok(Some(understood.as_ref().map(meaning).unwrap_or_default()))
}

/// Which of two equal matches comes first, whenever and by whomever they were indexed: what is of the
/// project, then chance.
fn tie(ground: &Ground, path: &str) -> u32 {
    let digest = Sha256::digest(format!("{}\n{path}", ground.name).as_bytes());
    let [a, b, c, d, ..] = *digest.as_bytes();
    let chance = u32::from_le_bytes([a, b, c, d]) >> 1;
    if ground.scope == Scope::Project { chance } else { chance | 1 << 31 }
}

/// What tells a text from another.
pub(crate) fn print(text: &str) -> i64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish().cast_signed()
}

/// A folder of a plot, if it can be opened.
fn folder_of(plot: &ItemTree, folder: &str) -> io::Result<Option<OpenFolder>> {
    match OpenFolder::open(plot.dir(), &plot.path_from_handle(folder)) {
        Err(error) if is_symlink_error(&error) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(None),
        opened => none_if_missing(opened),
    }
}

/// The file of an item, if it can be opened.
fn file_in(folder: &OpenFolder, name: &str) -> io::Result<Option<File>> {
    match folder.open_file(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(None),
        opened => opened,
    }
}

/// A document as an agent sees it; none if it must not be seen at all.
fn seen(gate: &Gate, mut document: Document) -> Option<Document> {
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

fn masked(text: String) -> String {
    MaskedText::mask_whole(text).text
}

fn masked_link(link: Link) -> Link {
    Link { target: masked(link.target), ..link }
}

/// Whether an item is part of the graph.
fn has_links(item: &Item) -> bool {
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
    memory.expires_at.map(nanoseconds)
}

/// A time in nanoseconds since 1970; what is later than can be said is at the end.
pub(crate) fn nanoseconds(at: Timestamp) -> i64 {
    let bounds = (i128::from(i64::MIN), i128::from(i64::MAX));
    i64::try_from(at.as_nanosecond().clamp(bounds.0, bounds.1)).unwrap_or_default()
}
