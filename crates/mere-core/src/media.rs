//! Recognizes the media type of a binary file by its first bytes.
//!
//! Only the bytes are looked at, never the name of the file.

/// Signatures at the beginning of a file, and their media types.
const SIGNATURES: [(&[u8], &str); 20] = [
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"\x00asm", "application/wasm"),
    (b"\x7fELF", "application/x-executable"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
];

/// Returns the media type of a binary file that begins with these bytes.
pub fn media_type(head: &[u8]) -> &'static str {
    let known = SIGNATURES.iter().find(|(signature, _)| head.starts_with(signature));
    if let Some((_, name)) = known {
        return name;
    }
    match (head.get(..4), head.get(4..8), head.get(8..12)) {
        (Some(b"RIFF"), _, Some(b"WEBP")) => "image/webp",
        (Some(b"RIFF"), _, Some(b"WAVE")) => "audio/wav",
        (_, Some(b"ftyp"), _) => "video/mp4",
        (Some(b"\xff\xfe\x00\x00"), ..) => "text/plain; charset=utf-32",
        _ if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") => {
            "text/plain; charset=utf-16"
        }
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes_tell() {
        for (head, expected) in [
            (&b"\x89PNG\r\n\x1a\n\0"[..], "image/png"),
            (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
            (b"\0\0\0\x18ftypmp42", "video/mp4"),
            (b"\xff\xfeh\0i\0", "text/plain; charset=utf-16"),
            (b"\0\0", "application/octet-stream"),
            (b"", "application/octet-stream"),
        ] {
            assert_eq!(media_type(head), expected, "{head:?}");
        }
    }
}
