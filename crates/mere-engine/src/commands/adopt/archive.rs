//! Archives on disk: tar, gzipped tar and ZIP, read into memory within bounds.
//!
//! An archive is taken whole or refused whole. Only regular files and folders are taken: a link, a
//! device, a path that leads elsewhere, or a name that occurs twice refuses it, because what would
//! come out of it could not be told from looking at it.

use std::collections::BTreeMap;

use mere_core::address::{RelPath, RepositoryName};
use miniz_oxide::inflate::decompress_to_vec_with_limit;

use crate::commands::models::wheel::{self, ZipEntry};

/// The largest archive, packed and unpacked, in bytes.
pub(super) const MAX_PACKED: u64 = 64 * 1024 * 1024;
const MAX_UNPACKED: usize = 128 * 1024 * 1024;
/// The most files.
const MAX_FILES: usize = 10_000;
/// The size of a block of a tar archive.
const BLOCK: usize = 512;

/// The files of an archive, by their paths.
pub(super) type ArchiveFiles = BTreeMap<RelPath, Vec<u8>>;

/// Why an archive is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    /// It is none, or it is damaged.
    #[error("it is not a whole archive of the form tar, tar.gz or zip")]
    Format,
    /// It is too large.
    #[error("it is larger than 64 MiB, or more than 128 MiB or 10,000 files would come out of it")]
    TooLarge,
    /// Something in it is not a file.
    #[error("something in it is a link or a special file")]
    NotAFile,
    /// A path in it is not one below its folder.
    #[error("a path in it leads elsewhere or is not a plain one")]
    Path,
    /// A path occurs twice.
    #[error("a path occurs twice in it")]
    Twice,
}

/// Reads all files of an archive.
pub(super) fn read_archive(bytes: &[u8]) -> Result<ArchiveFiles, ArchiveError> {
    if bytes.len() as u64 > MAX_PACKED {
        return Err(ArchiveError::TooLarge);
    }
    if bytes.starts_with(b"PK") {
        return read_zip(bytes);
    }
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return read_tar(&gunzip(bytes)?);
    }
    read_tar(bytes)
}

/// Collects files, and refuses what must not be in an archive.
#[derive(Default)]
struct FileCollector {
    files: ArchiveFiles,
    bytes: usize,
}

impl FileCollector {
    fn add(&mut self, path: &str, content: &[u8]) -> Result<(), ArchiveError> {
        let path = parse_path(path)?.ok_or(ArchiveError::Path)?;
        // A program for version control would run what a repository configures.
        if RepositoryName::find_in(&path).is_some() {
            return Ok(());
        }
        self.bytes += content.len();
        if self.bytes > MAX_UNPACKED || self.files.len() == MAX_FILES {
            return Err(ArchiveError::TooLarge);
        }
        match self.files.insert(path, content.to_vec()) {
            None => Ok(()),
            Some(_) => Err(ArchiveError::Twice),
        }
    }
}

/// Parses a path in an archive. The folder of the archive itself has none.
fn parse_path(path: &str) -> Result<Option<RelPath>, ArchiveError> {
    let mut path = path;
    while let Some(rest) = path.strip_prefix("./") {
        path = rest;
    }
    let path = path.strip_suffix('/').unwrap_or(path);
    if path.is_empty() || path == "." {
        return Ok(None);
    }
    if path.contains('\\') {
        return Err(ArchiveError::Path);
    }
    path.parse::<RelPath>().map(Some).map_err(|_| ArchiveError::Path)
}

/// Unpacks one gzip stream.
fn gunzip(bytes: &[u8]) -> Result<Vec<u8>, ArchiveError> {
    let (&[_, _, 8, flags], mut at) = (bytes.first_chunk::<4>().ok_or(ArchiveError::Format)?, 10)
    else {
        return Err(ArchiveError::Format);
    };
    let rest = |at: usize| bytes.get(at..).ok_or(ArchiveError::Format);
    if flags & 4 != 0 {
        let length = rest(at)?.first_chunk::<2>().ok_or(ArchiveError::Format)?;
        at += 2 + usize::from(u16::from_le_bytes(*length));
    }
    // The name of the file, and a comment, each up to a NUL.
    for flag in [8, 16] {
        if flags & flag != 0 {
            let end = rest(at)?.iter().position(|byte| *byte == 0).ok_or(ArchiveError::Format)?;
            at += end + 1;
        }
    }
    if flags & 2 != 0 {
        at += 2;
    }
    let unpacked = decompress_to_vec_with_limit(rest(at)?, MAX_UNPACKED).map_err(|error| {
        let is_full = error.output.len() >= MAX_UNPACKED;
        if is_full { ArchiveError::TooLarge } else { ArchiveError::Format }
    })?;
    // The length at the end tells an archive that was cut, and a second stream behind the first.
    let length = bytes.last_chunk::<4>().ok_or(ArchiveError::Format)?;
    let is_whole = u32::try_from(unpacked.len()) == Ok(u32::from_le_bytes(*length));
    if is_whole { Ok(unpacked) } else { Err(ArchiveError::Format) }
}

fn read_tar(bytes: &[u8]) -> Result<ArchiveFiles, ArchiveError> {
    let mut found = FileCollector::default();
    let (mut at, mut long_name) = (0, None::<String>);
    loop {
        let header = bytes.get(at..at + BLOCK).ok_or(ArchiveError::Format)?;
        if header.iter().all(|byte| *byte == 0) {
            return Ok(found.files);
        }
        check_sum(header)?;
        let size = octal(&header[124..136])?;
        let content = bytes.get(at + BLOCK..).and_then(|rest| rest.get(..size));
        let content = content.ok_or(ArchiveError::Format)?;
        at += BLOCK + size.div_ceil(BLOCK) * BLOCK;
        match header[156] {
            b'L' => long_name = Some(text(content)?.to_owned()),
            b'x' => long_name = pax_path(content)?.or(long_name),
            // What holds for all files: times and owners.
            b'g' => {}
            b'0' | 0 => found.add(&entry_name(header, long_name.take())?, content)?,
            b'5' => {
                parse_path(&entry_name(header, long_name.take())?)?;
            }
            _ => return Err(ArchiveError::NotAFile),
        }
    }
}

/// Checks the sum of a header, in which the sum itself counts as blanks.
fn check_sum(header: &[u8]) -> Result<(), ArchiveError> {
    let plain = header.iter().enumerate();
    let sum =
        plain.map(|(at, byte)| if (148..156).contains(&at) { 32 } else { usize::from(*byte) });
    if octal(&header[148..156])? == sum.sum::<usize>() { Ok(()) } else { Err(ArchiveError::Format) }
}

/// Reads a number of a header. Larger ones have another form, and their files are too large.
fn octal(field: &[u8]) -> Result<usize, ArchiveError> {
    if field.first().is_some_and(|byte| byte & 0x80 != 0) {
        return Err(ArchiveError::TooLarge);
    }
    let digits = text(field)?.trim_matches([' ', '\0']);
    if digits.is_empty() {
        return Ok(0);
    }
    usize::from_str_radix(digits, 8).map_err(|_| ArchiveError::Format)
}

/// Returns the path of an entry: the long one before it, or that of its header.
fn entry_name(header: &[u8], long: Option<String>) -> Result<String, ArchiveError> {
    if let Some(long) = long {
        return Ok(long);
    }
    let name = text(&header[..100])?;
    let prefix = if &header[257..262] == b"ustar" { text(&header[345..500])? } else { "" };
    Ok(if prefix.is_empty() { name.to_owned() } else { format!("{prefix}/{name}") })
}

/// Returns the path in a pax header, whose lines are `LENGTH KEY=VALUE`.
fn pax_path(content: &[u8]) -> Result<Option<String>, ArchiveError> {
    let mut rest = content;
    let mut path = None;
    while !rest.is_empty() {
        let blank = rest.iter().position(|byte| *byte == b' ').ok_or(ArchiveError::Format)?;
        let length = std::str::from_utf8(&rest[..blank]).ok().and_then(|text| text.parse().ok());
        let length = length.filter(|length| (blank + 2..=rest.len()).contains(length));
        let length: usize = length.ok_or(ArchiveError::Format)?;
        let line = std::str::from_utf8(&rest[blank + 1..length - 1]);
        let line = line.map_err(|_| ArchiveError::Path)?;
        match line.split_once('=') {
            Some(("path", value)) => path = Some(value.to_owned()),
            // A link, or a size that the header cannot hold.
            Some(("linkpath", _)) => return Err(ArchiveError::NotAFile),
            Some(("size", _)) => return Err(ArchiveError::TooLarge),
            _ => {}
        }
        rest = &rest[length..];
    }
    Ok(path)
}

/// Reads a text that ends at a NUL.
fn text(field: &[u8]) -> Result<&str, ArchiveError> {
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    std::str::from_utf8(&field[..end]).map_err(|_| ArchiveError::Path)
}

fn read_zip(bytes: &[u8]) -> Result<ArchiveFiles, ArchiveError> {
    let entries = wheel::entries(bytes, MAX_FILES).ok_or(ArchiveError::Format)?;
    let mut found = FileCollector::default();
    for entry in entries {
        let ZipEntry { name, mode, .. } = &entry;
        let name = std::str::from_utf8(name).map_err(|_| ArchiveError::Path)?;
        // The type of a file, where a Unix system has made the archive.
        match mode & 0o170_000 {
            0 | 0o100_000 | 0o040_000 => {}
            _ => return Err(ArchiveError::NotAFile),
        }
        if name.ends_with('/') {
            parse_path(name)?;
            continue;
        }
        if entry.size > MAX_UNPACKED - found.bytes {
            return Err(ArchiveError::TooLarge);
        }
        let content = entry.unpack(bytes, MAX_UNPACKED).ok_or(ArchiveError::Format)?;
        found.add(name, &content)?;
    }
    Ok(found.files)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header of a tar archive and its content.
    fn entry(name: &str, kind: u8, content: &[u8]) -> Vec<u8> {
        let mut header = [0; BLOCK];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        header[156] = kind;
        header[257..262].copy_from_slice(b"ustar");
        header[148..156].copy_from_slice(b"        ");
        let sum = header.iter().map(|byte| u32::from(*byte)).sum::<u32>();
        header[148..154].copy_from_slice(format!("{sum:06o}").as_bytes());
        header[154] = 0;
        let mut entry = header.to_vec();
        entry.extend(content);
        entry.resize(entry.len().next_multiple_of(BLOCK), 0);
        entry
    }

    fn tar(entries: &[(&str, u8, &[u8])]) -> Vec<u8> {
        let entries = entries.iter().map(|(name, kind, content)| entry(name, *kind, content));
        entries.chain([vec![0; 2 * BLOCK]]).flatten().collect()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let packed = miniz_oxide::deflate::compress_to_vec(bytes, 6);
        let length = u32::try_from(bytes.len()).expect("short").to_le_bytes();
        [&[0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3][..], b"name\0", &packed, &[0; 4], &length].concat()
    }

    fn names(files: &ArchiveFiles) -> Vec<&str> {
        files.keys().map(RelPath::as_str).collect()
    }

    #[test]
    fn files_come_out_of_a_tar_plain_and_gzipped() {
        let long = format!("skills/{}/SKILL.md", "x".repeat(120));
        let pax = format!("{} path={long}\n", long.len() + 10);
        let archive = tar(&[
            ("pax_global_header", b'g', b"52 comment=x\n"),
            ("./", b'5', b""),
            ("./a/b.md", b'0', b"text"),
            ("x", b'x', pax.as_bytes()),
            ("cut", b'0', b"long"),
            ("././@LongLink", b'L', b"gnu/name.md\0"),
            ("cut", 0, b""),
        ]);
        for bytes in [archive.clone(), gzip(&archive)] {
            let files = read_archive(&bytes).expect("an archive");
            assert_eq!(names(&files), ["a/b.md", "gnu/name.md", &long]);
            assert_eq!(files[&long.parse::<RelPath>().expect("a path")], b"long");
        }
    }

    #[test]
    fn what_could_leave_its_folder_refuses_the_whole_archive() {
        for (name, kind, error) in [
            ("../x", b'0', ArchiveError::Path),
            ("a/../../x", b'0', ArchiveError::Path),
            ("/etc/passwd", b'0', ArchiveError::Path),
            ("a\\..\\x", b'0', ArchiveError::Path),
            ("../x/", b'5', ArchiveError::Path),
            ("", b'0', ArchiveError::Path),
            ("link", b'2', ArchiveError::NotAFile),
            ("hard", b'1', ArchiveError::NotAFile),
            ("device", b'3', ArchiveError::NotAFile),
            ("pipe", b'6', ArchiveError::NotAFile),
            ("good.md", b'0', ArchiveError::Twice),
        ] {
            let archive = tar(&[("good.md", b'0', b"x"), (name, kind, b"")]);
            assert_eq!(read_archive(&archive).err(), Some(error), "{name}");
        }
        let pax = tar(&[("x", b'x', b"15 path=../../x\n"), ("good.md", b'0', b"x")]);
        assert!(read_archive(&pax).is_err());
    }

    #[test]
    fn a_bomb_is_refused_before_it_is_unpacked() {
        let zeros = vec![0; MAX_UNPACKED + 1];
        assert_eq!(read_archive(&gzip(&zeros)).err(), Some(ArchiveError::TooLarge));
        let mut huge = entry("a", b'0', b"");
        huge[124] = 0x80;
        assert!(read_archive(&huge).is_err());
    }

    #[test]
    fn what_is_no_archive_or_a_damaged_one_is_refused() {
        let archive = tar(&[("a/b.md", b'0', b"text"), ("c", b'0', b"more")]);
        for bytes in [archive.clone(), gzip(&archive)] {
            for end in 0..bytes.len().min(2 * BLOCK) {
                assert!(read_archive(&bytes[..end]).is_err(), "cut at {end}");
            }
            for at in 0..bytes.len().min(2 * BLOCK) {
                let mut changed = bytes.clone();
                changed[at] ^= 0xff;
                // It ends, whatever it says.
                let _ = read_archive(&changed);
            }
        }
        for bytes in [&b""[..], b"PK", b"hello", &[0x1f, 0x8b]] {
            assert!(read_archive(bytes).is_err());
        }
    }
}
