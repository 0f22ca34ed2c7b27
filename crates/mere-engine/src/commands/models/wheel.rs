//! Reading files from a ZIP archive, such as a Python wheel.
//!
//! A file that cannot be read counts as absent. Nothing is written anywhere, and nothing larger
//! than the caller allows is unpacked.

use miniz_oxide::inflate::decompress_to_vec_with_limit;

const END_OF_DIRECTORY: [u8; 4] = *b"PK\x05\x06";
const DIRECTORY_ENTRY: [u8; 4] = *b"PK\x01\x02";
const LOCAL_HEADER: [u8; 4] = *b"PK\x03\x04";
/// The size of the end-of-directory record, and the most that its comment adds.
const END_OF_DIRECTORY_BYTES: usize = 22;
const MAX_COMMENT: usize = 65_535;

/// An entry of an archive.
pub(in crate::commands) struct ZipEntry {
    /// Its path as it is written.
    pub(in crate::commands) name: Vec<u8>,
    /// The type and the rights of the file on the Unix system that made the archive, or 0.
    pub(in crate::commands) mode: usize,
    /// How many bytes it says it has, unpacked.
    pub(in crate::commands) size: usize,
    /// The position of its entry in the directory.
    at: usize,
}

impl ZipEntry {
    /// Returns the file, unpacked; none if it is not what the entry says or larger than `most`.
    pub(in crate::commands) fn unpack(&self, archive: &[u8], most: usize) -> Option<Vec<u8>> {
        unpack(archive, archive.get(self.at..)?, most)
    }
}

/// Lists the entries of an archive; none if it is not one, or has more than `most`.
pub(in crate::commands) fn entries(archive: &[u8], most: usize) -> Option<Vec<ZipEntry>> {
    let (mut at, count) = central_directory(archive)?;
    if count > most {
        return None;
    }
    let mut entries = Vec::with_capacity(count);
    for _ in 0..count {
        let head = archive.get(at..)?;
        if !head.starts_with(&DIRECTORY_ENTRY) {
            return None;
        }
        let name = head.get(46..46 + read_u16(head, 28)?)?.to_vec();
        // The upper half of the attributes, if a Unix system wrote them.
        let mode = if *head.get(5)? == 3 { read_u16(head, 40)? } else { 0 };
        entries.push(ZipEntry { name, mode, size: read_u32(head, 24)?, at });
        at += 46 + read_u16(head, 28)? + read_u16(head, 30)? + read_u16(head, 32)?;
    }
    Some(entries)
}

/// Returns a file of an archive, unpacked; none if it is absent or larger than `most`.
pub(super) fn extract(archive: &[u8], name: &str, most: usize) -> Option<Vec<u8>> {
    let found = entries(archive, usize::from(u16::MAX))?.into_iter();
    let mut found = found.filter(|entry| entry.name == name.as_bytes());
    found.next()?.unpack(archive, most)
}

/// Returns the offset of the central directory and the number of its entries.
fn central_directory(archive: &[u8]) -> Option<(usize, usize)> {
    let last = archive.len().checked_sub(END_OF_DIRECTORY_BYTES)?;
    let mut places = (last.saturating_sub(MAX_COMMENT)..=last).rev();
    let end = places.find(|at| archive[*at..].starts_with(&END_OF_DIRECTORY))?;
    Some((read_u32(&archive[end..], 16)?, read_u16(&archive[end..], 10)?))
}

fn unpack(archive: &[u8], head: &[u8], most: usize) -> Option<Vec<u8>> {
    let (method, packed, whole) = (read_u16(head, 10)?, read_u32(head, 20)?, read_u32(head, 24)?);
    let local = archive.get(read_u32(head, 42)?..)?;
    // A file that is encrypted is not read.
    let is_encrypted = read_u16(head, 8)? & 1 != 0;
    if !local.starts_with(&LOCAL_HEADER) || whole > most || is_encrypted {
        return None;
    }
    let start = 30 + read_u16(local, 26)? + read_u16(local, 28)?;
    let data = local.get(start..start.checked_add(packed)?)?;
    let file = match method {
        0 => data.to_vec(),
        8 => decompress_to_vec_with_limit(data, whole).ok()?,
        _ => return None,
    };
    (file.len() == whole).then_some(file)
}

fn read_u16(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    Some(u16::from_le_bytes(*bytes).into())
}

fn read_u32(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    usize::try_from(u32::from_le_bytes(*bytes)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An archive with `a/b.txt`, stored, and `c`, deflated.
    fn archive() -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut entries = Vec::new();
        for (name, method, data) in
            [("a/b.txt", 0_u8, b"stored".to_vec()), ("c", 8, compressed_data())]
        {
            let start = u32::try_from(bytes.len()).expect("short").to_le_bytes();
            let size = [u8::try_from(data.len()).expect("short"), 0, 0, 0];
            let whole = [if method == 0 { 6 } else { 200 }, 0, 0, 0];
            let name_size = [u8::try_from(name.len()).expect("short"), 0];
            let middle = [&[0; 4][..], &[0; 4], &size, &whole, &name_size, &[0; 2]].concat();
            let head = [&[20, 0, 0, 0, method, 0][..], &middle].concat();
            bytes.extend([&LOCAL_HEADER[..], &head, name.as_bytes(), &data].concat());
            let tail = [&[0; 10][..], &start, name.as_bytes()].concat();
            entries.extend([&DIRECTORY_ENTRY[..], &[20, 0], &head, &tail].concat());
        }
        let start = u32::try_from(bytes.len()).expect("short").to_le_bytes();
        bytes.extend(&entries);
        let size = u32::try_from(entries.len()).expect("short").to_le_bytes();
        bytes.extend(
            [&END_OF_DIRECTORY[..], &[0, 0, 0, 0, 2, 0, 2, 0], &size, &start, &[0, 0]].concat(),
        );
        bytes
    }

    fn compressed_data() -> Vec<u8> {
        miniz_oxide::deflate::compress_to_vec(&[b'x'; 200], 6)
    }

    #[test]
    fn files_are_taken_out() {
        let archive = archive();
        assert_eq!(extract(&archive, "a/b.txt", 6).as_deref(), Some(&b"stored"[..]));
        assert_eq!(extract(&archive, "c", 200).as_deref(), Some(&[b'x'; 200][..]));
        assert_eq!(extract(&archive, "a/b.txt", 5), None);
        assert_eq!(extract(&archive, "c", 199), None);
        assert_eq!(extract(&archive, "b.txt", 6), None);
    }

    #[test]
    fn what_is_no_archive_has_no_files() {
        let archive = archive();
        for end in 0..archive.len() {
            assert_eq!(extract(&archive[..end], "c", 200), None, "cut at {end}");
        }
        for at in 0..archive.len() {
            for byte in [0, 0x7f, 0xff] {
                let mut changed = archive.clone();
                changed[at] = byte;
                let _ = extract(&changed, "c", 200);
            }
        }
    }
}
