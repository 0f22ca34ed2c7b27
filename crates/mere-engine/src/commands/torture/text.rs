//! Texts that tell their version and whether they are whole.

/// Writes the text of a version.
pub(super) fn write(version: u64) -> String {
    let lines = 1 + version * 37 % 400;
    let body = (0..lines).map(|line| format!("line {line} of version {version}\n"));
    let body = body.collect::<String>();
    format!("version {version} bytes {} sum {}\n{body}", body.len(), sum(&body))
}

/// Returns the version of a text, or `None` if it is not whole.
pub(super) fn version(text: &str) -> Option<u64> {
    let (head, body) = text.split_once('\n')?;
    let words = head.split(' ').collect::<Vec<_>>();
    let ["version", version, "bytes", bytes, "sum", expected] = words[..] else { return None };
    // A store may keep a text without the end of its last line.
    let body = if body.ends_with('\n') { body.to_owned() } else { format!("{body}\n") };
    let is_whole = bytes == body.len().to_string() && expected == sum(&body).to_string();
    version.parse().ok().filter(|_| is_whole)
}

/// Adds up a text so that no part of it can be exchanged unnoticed (FNV-1a).
fn sum(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_whole_or_it_has_no_version() {
        let text = write(7);
        assert_eq!(version(&text), Some(7));
        assert_eq!(version(text.trim_end()), Some(7));
        assert_eq!(version(&text[..text.len() - 9]), None);
        assert_eq!(version(&text.replace("line 3", "line 4")), None);
        assert_eq!(version(&format!("{}{}", write(1), write(2))), None);
        assert_eq!(version(""), None);
    }
}
