//! What differs between the files and the index.
//!
//! Where the system tells of changes, only what changed is looked at. Elsewhere, and at first,
//! folders are scanned and every file's looks are compared with what the index knows.

use std::collections::HashSet;
use std::io;

use mere_core::item::{Category, ScopedPath};

use super::SearchError;
use super::ground::Ground;
use super::index::{GroundId, Index};
use crate::space::{
    ItemTree, ScanDepth, ScanOptions, is_category_inside_an_item, join_path, scan_from,
};
use mere_host::{
    FileStamp, FolderChange, FolderWatcher, Interest, OpenFolder, WatchReport, is_symlink_error,
    none_if_missing,
};

/// How often folders are looked for that came while others were read.
const ROUNDS: usize = 4;

/// The grounds of a session, looked after.
pub(crate) struct Feed {
    pub(crate) grounds: Vec<Ground>,
    /// What the index calls each; empty until it has been asked.
    pub(crate) numbers: Vec<GroundId>,
    watch: FolderWatcher,
    /// The folders that are watched.
    watched: HashSet<String>,
    /// Whether news may have been lost.
    is_unsure: bool,
}

/// A file that is to be read.
pub(crate) struct Errand {
    pub(crate) ground: usize,
    /// Where in it. There may be very many: what follows from the path is not kept.
    pub(crate) path: String,
    /// The item that the index has there.
    pub(crate) known: Option<u32>,
}

/// What has to be done to the index.
#[derive(Default)]
pub(crate) struct Changes {
    pub(crate) read: Vec<Errand>,
    pub(crate) gone: Vec<u32>,
}

/// A folder of a plot.
struct Spot {
    ground: usize,
    plot: usize,
    below: String,
}

/// What is compared: the index, and whether an item may be known.
pub(crate) struct Against<'a> {
    pub(crate) index: &'a Index,
    pub(crate) shows: &'a dyn Fn(&ScopedPath) -> bool,
}

impl Feed {
    pub(crate) fn new(grounds: Vec<Ground>, is_watching: bool) -> Self {
        let watch = if is_watching {
            FolderWatcher::new(Interest::Contents)
        } else {
            FolderWatcher::new_disabled()
        };
        Self { grounds, numbers: Vec::new(), watch, watched: HashSet::new(), is_unsure: true }
    }

    /// Asks the index what it calls the grounds.
    pub(crate) fn number(&mut self, index: &mut Index) -> Result<(), SearchError> {
        if self.numbers.len() != self.grounds.len() {
            let numbers = self.grounds.iter().map(|ground| index.ground(ground));
            self.numbers = numbers.collect::<rusqlite::Result<_>>()?;
        }
        Ok(())
    }

    /// Whether it looks after exactly these.
    pub(crate) fn is_of(&self, grounds: &[Ground]) -> bool {
        self.grounds.len() == grounds.len()
            && self.grounds.iter().zip(grounds).all(|(own, other)| own.is_same(other))
    }

    /// What was told has been done: from now on news count.
    pub(crate) fn settle(&mut self) {
        self.is_unsure = false;
    }

    /// All of it must be looked at again.
    pub(crate) fn doubt(&mut self) {
        self.is_unsure = true;
    }

    /// What differs now.
    pub(crate) fn changes(&mut self, against: &Against<'_>) -> Result<Changes, SearchError> {
        let news = self.watch.take_changes();
        let mut changes = Changes::default();
        match news {
            WatchReport::Unchanged if !self.is_unsure => {}
            WatchReport::Changed(news) if !self.is_unsure => {
                self.is_unsure = true;
                for one in &news {
                    self.follow(one, against, &mut changes)?;
                }
            }
            _ => {
                self.is_unsure = true;
                self.watch_tops();
                for ground in 0..self.grounds.len() {
                    for plot in 0..self.grounds[ground].plots.len() {
                        let spot = Spot { ground, plot, below: String::new() };
                        self.look(&spot, against, &mut changes)?;
                    }
                }
            }
        }
        Ok(changes)
    }

    fn watch_tops(&mut self) {
        for (number, ground) in self.grounds.iter().enumerate() {
            if let Some(top) = &ground.top
                && let Ok(folder) = OpenFolder::open(top, "")
            {
                self.watch.add_open_folder(&folder, &watch_name(number, ""));
            }
        }
    }

    /// Looks where something happened.
    fn follow(
        &mut self,
        news: &FolderChange,
        against: &Against<'_>,
        changes: &mut Changes,
    ) -> Result<(), SearchError> {
        let Some((ground, label)) = read_watch_name(&news.folder) else { return Ok(()) };
        let Some(own) = self.grounds.get(ground) else { return Ok(()) };
        let name = news.name.as_deref();
        if name.is_some_and(|name| name.starts_with('.')) {
            return Ok(());
        }
        // In the space itself only the tops of plots matter.
        let is_top = label.is_empty() && own.top.is_some();
        let inner = join_path(label, name.unwrap_or_default());
        let Some((plot, below)) = own.plot_of(if is_top { &inner } else { label }) else {
            return Ok(());
        };
        let main = own.plots[plot].kind.folder_main_file();
        let spot = |below: &str| Spot { ground, plot, below: below.to_owned() };
        match name {
            _ if is_top => self.look(&spot(below), against, changes),
            None => self.look(&spot(below), against, changes),
            Some(name) if news.is_folder => {
                self.look(&spot(&join_path(below, name)), against, changes)
            }
            Some(name) if Some(name) == main => self.look(&spot(below), against, changes),
            Some(_) => self.look_at_file(ground, &inner, against, changes),
        }
    }

    /// Whether the file of an item is as the index has it.
    pub(crate) fn is_known(&self, index: &Index, place: &ScopedPath) -> Result<bool, SearchError> {
        for (own, number) in self.grounds.iter().zip(&self.numbers) {
            for (plot, plot_of) in own.plots.iter().enumerate() {
                let path = own.path(plot, place);
                let path = path.filter(|path| own.place(path).is_some_and(|(_, at)| at == *place));
                if let Some(path) = path
                    && let Some(known) = index.known_at(*number, &path)?
                {
                    let looks = looks(plot_of, place)?;
                    return Ok(looks.is_some() && known.stamp == looks);
                }
            }
        }
        Ok(false)
    }

    /// One file: is it as the index has it?
    fn look_at_file(
        &self,
        ground: usize,
        path: &str,
        against: &Against<'_>,
        changes: &mut Changes,
    ) -> Result<(), SearchError> {
        let (own, number) = (&self.grounds[ground], self.numbers[ground]);
        let Some((plot, place)) = own.place(path) else { return Ok(()) };
        let known = against.index.known_at(number, path)?;
        let plot_of = &own.plots[plot];
        let looks = looks(plot_of, &place)?;
        let (folder, _) = place.folder_and_file().unwrap_or_default();
        let category = folder.parse::<Category>().unwrap_or_default();
        let counts = looks.is_some()
            && (against.shows)(&place)
            && !is_category_inside_an_item(plot_of, &category)?;
        match (counts, known) {
            (true, Some(known)) if known.stamp.is_some() && known.stamp == looks => {}
            (true, known) => {
                let known = known.map(|known| known.item);
                changes.read.push(Errand { ground, path: path.to_owned(), known });
            }
            (false, Some(known)) => changes.gone.push(known.item),
            (false, None) => {}
        }
        Ok(())
    }

    /// A folder and all below it: what is not as the index has it?
    fn look(
        &mut self,
        spot: &Spot,
        against: &Against<'_>,
        changes: &mut Changes,
    ) -> Result<(), SearchError> {
        self.watch_below(spot)?;
        let (own, number) = (&self.grounds[spot.ground], self.numbers[spot.ground]);
        let start = vec![(spot.plot, spot.below.clone())];
        let known = ScanOptions { depth: ScanDepth::Stamps, is_known: &|_| false };
        let census = scan_from(own.scope, &own.plots, start, &known)?;
        let label = own.plots[spot.plot].index_label(&spot.below);
        let mut known = against.index.known_below(number, &label)?;
        for entry in census.entries {
            let Some(path) = own.path(spot.plot, &entry.place) else { continue };
            if !(against.shows)(&entry.place) {
                continue;
            }
            let known = known.remove(&path);
            if known.is_none_or(|known| known.stamp.is_none() || known.stamp != entry.stamp) {
                let known = known.map(|known| known.item);
                changes.read.push(Errand { ground: spot.ground, path, known });
            }
        }
        changes.gone.extend(known.into_values().map(|known| known.item));
        Ok(())
    }

    /// Watches every folder below a spot, before any of them is read.
    fn watch_below(&mut self, spot: &Spot) -> Result<(), SearchError> {
        if !self.watch.is_active() {
            return Ok(());
        }
        let own = &self.grounds[spot.ground];
        for _ in 0..ROUNDS {
            let start = vec![(spot.plot, spot.below.clone())];
            let known = ScanOptions { depth: ScanDepth::Names, is_known: &|_| false };
            let census = scan_from(own.scope, &own.plots, start, &known)?;
            let mut is_new = false;
            for (label, _) in census.folders {
                let Some((plot, below)) = own.plot_of(&label) else { continue };
                let plot = &own.plots[plot];
                let opened = OpenFolder::open(plot.dir(), &plot.path_from_handle(below));
                let Ok(folder) = opened else { continue };
                let name = watch_name(spot.ground, &label);
                self.watch.add_open_folder(&folder, &name);
                is_new |= self.watched.insert(name);
            }
            if !is_new {
                break;
            }
        }
        Ok(())
    }
}

/// What the file of an item looks like; none if there is none.
fn looks(plot: &ItemTree, place: &ScopedPath) -> io::Result<Option<FileStamp>> {
    let (folder, name) = place.folder_and_file().unwrap_or_default();
    let opened = match OpenFolder::open(plot.dir(), &plot.path_from_handle(&folder)) {
        Err(error) if is_symlink_error(&error) => None,
        opened => none_if_missing(opened)?,
    };
    let looks = opened.map(|folder| folder.file_stamp(&name)).transpose();
    Ok(looks.ok().flatten().flatten())
}

/// What a folder is called while it is watched.
fn watch_name(ground: usize, label: &str) -> String {
    format!("{ground}|{label}")
}

fn read_watch_name(name: &str) -> Option<(usize, &str)> {
    let (ground, label) = name.split_once('|')?;
    Some((ground.parse().ok()?, label))
}
