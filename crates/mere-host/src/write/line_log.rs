//! A log of lines in a private folder of the user, in numbered files of bounded size.
//!
//! Lines are only appended, by one process at a time, which holds the lock of the folder. When
//! `append` with [`Durability::Synced`] returns, the line survives a power cut. A line without its
//! end is what a killed process left behind: it was never acknowledged, and the next one removes it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::OpenOptions;

use super::locked_folder::{LockedFolder, open_own_folder};
use super::state_folder::StateFolder;
use crate::{OpenFolder, none_if_missing};

/// What is promised about a write that has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// It survives a power cut.
    Synced,
    /// It survives the end of the process.
    Buffered,
}

/// A log in a folder.
#[derive(Clone, Copy, Debug)]
pub struct LineLog {
    /// What its files are called, before their number.
    pub name: &'static str,
    /// How long a file may become before the next one is begun. At most 3 MiB, so that a file can be
    /// read at once.
    pub segment_bytes: u64,
    /// The longest line, in bytes.
    pub max_line: usize,
}

/// The end of a log, ready to be appended to.
pub struct LogEnd<'a> {
    log: LineLog,
    folder: &'a LockedFolder,
    segments: Vec<u32>,
    file: File,
    length: u64,
}

impl LineLog {
    fn file_name(self, segment: u32) -> String {
        format!("{}-{segment:06}.jsonl", self.name)
    }

    fn parse_file_name(self, name: &str) -> Option<u32> {
        let number = name.strip_prefix(self.name)?.strip_prefix('-')?.strip_suffix(".jsonl")?;
        let number = number.parse::<u32>().ok()?;
        (self.file_name(number) == name).then_some(number)
    }

    fn list(self, folder: &OpenFolder) -> io::Result<Vec<u32>> {
        let mut segments = Vec::new();
        folder.for_each_entry(|name, _| {
            segments.extend(name.and_then(|name| self.parse_file_name(name)));
            Ok(())
        })?;
        segments.sort_unstable();
        Ok(segments)
    }

    /// Returns the numbers of the files, the oldest first.
    pub fn segments(self, folder: &StateFolder) -> io::Result<Vec<u32>> {
        match none_if_missing(open_own_folder(folder.path()))? {
            Some(dir) => self.list(&OpenFolder::open(&dir, "")?),
            None => Ok(Vec::new()),
        }
    }

    /// Reads a file without the lock. A missing one is empty.
    pub fn read(self, folder: &StateFolder, segment: u32) -> io::Result<Vec<u8>> {
        Ok(folder.read(&self.file_name(segment))?.unwrap_or_default())
    }

    /// Opens the end of the log, and removes a line that was never finished.
    pub fn open_end(self, folder: &LockedFolder) -> io::Result<LogEnd<'_>> {
        let mut segments = self.list(&OpenFolder::open(folder.dir(), "")?)?;
        if segments.is_empty() {
            segments.push(1);
        }
        let segment = segments.last().copied().unwrap_or(1);
        let file = self.open_segment(folder, segment)?;
        let length = file.metadata()?.len();
        let mut end = LogEnd { log: self, folder, segments, file, length };
        end.remove_unfinished_line()?;
        Ok(end)
    }

    fn open_segment(self, folder: &LockedFolder, segment: u32) -> io::Result<File> {
        let name = self.file_name(segment);
        let mut options = OpenOptions::new();
        options.read(true).append(true).follow(FollowSymlinks::No).nonblock(true);
        let existing = none_if_missing(folder.dir().open_with(&name, &options))?;
        let file = if let Some(file) = existing {
            file.into_std()
        } else {
            options.create(true);
            #[cfg(unix)]
            cap_std::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let file = folder.dir().open_with(&name, &options)?.into_std();
            folder.sync()?;
            file
        };
        folder.check_own_file(&file, &name)?;
        Ok(file)
    }
}

impl LogEnd<'_> {
    /// Returns the last line, without its end.
    pub fn last_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let tail = self.tail()?;
        if let Some(line) = last_line_of(&tail) {
            return Ok(Some(line.to_vec()));
        }
        // The process may have been killed right after it had begun a file.
        for segment in self.segments.iter().rev().skip(1) {
            let bytes =
                self.folder.read(&self.log.file_name(*segment)).map_err(io::Error::other)?;
            if let Some(line) = bytes.as_deref().and_then(last_line_of) {
                return Ok(Some(line.to_vec()));
            }
        }
        Ok(None)
    }

    /// Appends a line, in the next file if this one is full.
    pub fn append(&mut self, line: &str, durability: Durability) -> io::Result<()> {
        let bytes = format!("{line}\n").into_bytes();
        if bytes.len() > self.log.max_line {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the line is too long"));
        }
        let is_full = self.length + bytes.len() as u64 > self.log.segment_bytes;
        if is_full && self.length > 0 {
            self.begin_next_segment()?;
        }
        let written = self.file.write_all(&bytes).and_then(|()| match durability {
            Durability::Synced => self.file.sync_data(),
            Durability::Buffered => Ok(()),
        });
        match written {
            Ok(()) => self.length += bytes.len() as u64,
            // What was written of the line is taken back; if that fails, the next process does it.
            Err(_) => drop(self.file.set_len(self.length)),
        }
        written
    }

    /// Returns the oldest file and its content if there are more than so many.
    pub fn excess_segment(&self, most: usize) -> io::Result<Option<(u32, Vec<u8>)>> {
        let Some(oldest) = self.segments.first().filter(|_| self.segments.len() > most) else {
            return Ok(None);
        };
        let bytes = self.folder.read(&self.log.file_name(*oldest)).map_err(io::Error::other)?;
        Ok(Some((*oldest, bytes.unwrap_or_default())))
    }

    /// Removes a file.
    pub fn remove_segment(&mut self, segment: u32) -> io::Result<()> {
        self.folder.dir().remove_file(self.log.file_name(segment))?;
        self.segments.retain(|other| *other != segment);
        Ok(())
    }

    fn begin_next_segment(&mut self) -> io::Result<()> {
        let next = self.segments.last().copied().unwrap_or_default() + 1;
        self.file = self.log.open_segment(self.folder, next)?;
        self.length = self.file.metadata()?.len();
        self.segments.push(next);
        Ok(())
    }

    /// Reads the end of the file, which holds the last line.
    fn tail(&mut self) -> io::Result<Vec<u8>> {
        let most = self.log.max_line as u64 + 1;
        let mut tail = Vec::new();
        self.file.seek(SeekFrom::Start(self.length.saturating_sub(most)))?;
        (&self.file).take(most).read_to_end(&mut tail)?;
        Ok(tail)
    }

    fn remove_unfinished_line(&mut self) -> io::Result<()> {
        let mut last = [b'\n'];
        if self.length > 0 {
            self.file.seek(SeekFrom::End(-1))?;
            self.file.read_exact(&mut last)?;
        }
        if last == [b'\n'] {
            return Ok(());
        }
        let tail = self.tail()?;
        let kept = tail.iter().rposition(|byte| *byte == b'\n').map(|end| tail.len() - end - 1);
        match kept {
            Some(unfinished) => self.length -= unfinished as u64,
            None if self.length <= self.log.max_line as u64 => self.length = 0,
            // This program writes no such line: it is left as it is.
            None => return self.begin_next_segment(),
        }
        tracing::warn!(log = self.log.name, "a line that was never finished is removed");
        self.file.set_len(self.length)
    }
}

/// Returns the last line of a text that ends with one.
fn last_line_of(text: &[u8]) -> Option<&[u8]> {
    let text = text.strip_suffix(b"\n")?;
    let start = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    Some(&text[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: LineLog = LineLog { name: "l", segment_bytes: 24, max_line: 16 };

    fn lines(folder: &StateFolder) -> Vec<String> {
        let segments = LOG.segments(folder).expect("files");
        let texts = segments.into_iter().map(|one| LOG.read(folder, one).expect("a file"));
        texts.map(|text| String::from_utf8_lossy(&text).into_owned()).collect()
    }

    #[test]
    fn lines_go_on_in_the_next_file_and_the_oldest_can_be_removed() {
        let base = tempfile::tempdir().expect("a folder");
        let folder = StateFolder::new(base.path(), "runs");
        assert_eq!(lines(&folder), Vec::<String>::new());
        let locked = folder.lock().expect("a lock");
        for number in 1..=5 {
            let mut end = LOG.open_end(&locked).expect("an end");
            let last = (number > 1).then(|| format!("line {:04}", number - 1).into_bytes());
            assert_eq!(end.last_line().expect("a line"), last);
            end.append(&format!("line {number:04}"), Durability::Synced).expect("written");
        }
        let all = ["line 0001\nline 0002\n", "line 0003\nline 0004\n", "line 0005\n"];
        assert_eq!(lines(&folder), all);
        let mut end = LOG.open_end(&locked).expect("an end");
        assert_eq!(end.excess_segment(3).expect("files"), None);
        let (oldest, text) = end.excess_segment(2).expect("files").expect("too many");
        assert_eq!((oldest, text.as_slice()), (1, all[0].as_bytes()));
        end.remove_segment(oldest).expect("removed");
        assert_eq!(lines(&folder), all[1..]);
        assert!(end.append(&"x".repeat(16), Durability::Synced).is_err());
    }

    #[test]
    fn a_line_that_was_never_finished_is_removed() {
        let base = tempfile::tempdir().expect("a folder");
        let folder = StateFolder::new(base.path(), "runs");
        let locked = folder.lock().expect("a lock");
        let file = base.path().join("runs/l-000001.jsonl");
        for (before, last, after) in [
            ("whole\nhal", Some("whole"), "whole\nnext\n"),
            ("hal", None, "next\n"),
            ("", None, "next\n"),
            ("\n", Some(""), "\nnext\n"),
        ] {
            std::fs::write(&file, before).expect("written");
            let mut end = LOG.open_end(&locked).expect("an end");
            let found = end.last_line().expect("a line");
            assert_eq!(found.as_deref(), last.map(str::as_bytes), "{before:?}");
            end.append("next", Durability::Buffered).expect("written");
            assert_eq!(lines(&folder), [after]);
        }
        // What is too long to be a line of this log stays, and the log goes on behind it.
        std::fs::write(&file, "x".repeat(20)).expect("written");
        let mut end = LOG.open_end(&locked).expect("an end");
        end.append("next", Durability::Buffered).expect("written");
        assert_eq!(lines(&folder), ["x".repeat(20), "next\n".to_owned()]);
        // The last line is found although the newest file has none.
        std::fs::write(base.path().join("runs/l-000003.jsonl"), "").expect("written");
        let mut end = LOG.open_end(&locked).expect("an end");
        assert_eq!(end.last_line().expect("a line").as_deref(), Some(&b"next"[..]));
    }

    #[test]
    fn a_link_in_place_of_a_file_is_not_followed() {
        let base = tempfile::tempdir().expect("a folder");
        let folder = StateFolder::new(base.path(), "runs");
        let locked = folder.lock().expect("a lock");
        let target = base.path().join("target");
        std::fs::write(&target, "").expect("written");
        std::os::unix::fs::symlink(&target, base.path().join("runs/l-000001.jsonl"))
            .expect("a link");
        assert!(LOG.open_end(&locked).is_err());
    }
}
