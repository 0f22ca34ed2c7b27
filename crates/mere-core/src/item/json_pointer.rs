//! Finds the bytes of a value in a JSON text.
//!
//! It scans a text that [`crate::text::json::parse`] has accepted, so it validates nothing: what it
//! cannot follow is simply not found.

use std::ops::Range;

/// Finds the bytes of the value at a JSON pointer such as `/metadata/tool_id`.
pub(super) fn find_value(text: &str, pointer: &str) -> Option<Range<usize>> {
    let mut walk = JsonScanner { text, at: 0 };
    for step in pointer.split('/').skip(1) {
        walk.enter(step)?;
    }
    walk.skip_space();
    let start = walk.at;
    walk.skip_value()?;
    Some(start..walk.at)
}

struct JsonScanner<'a> {
    text: &'a str,
    at: usize,
}

impl JsonScanner<'_> {
    /// Moves to the value of a key, or of an index in a list.
    fn enter(&mut self, step: &str) -> Option<()> {
        match self.next_byte()? {
            b'{' => loop {
                self.skip_space();
                let start = self.at;
                self.skip_string()?;
                let key = serde_json::from_str::<String>(&self.text[start..self.at]).ok()?;
                (self.next_byte()? == b':').then_some(())?;
                if key == step {
                    return Some(());
                }
                self.skip_value()?;
                (self.next_byte()? == b',').then_some(())?;
            },
            b'[' => {
                for _ in 0..step.parse::<usize>().ok()? {
                    self.skip_value()?;
                    (self.next_byte()? == b',').then_some(())?;
                }
                Some(())
            }
            _ => None,
        }
    }

    /// Skips one value. Brackets are counted, not matched, because the text is known to be
    /// well-formed.
    fn skip_value(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            self.skip_space();
            match *self.text.as_bytes().get(self.at)? {
                b'"' => self.skip_string()?,
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                    continue;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' => {
                    self.at += 1;
                    continue;
                }
                _ => self.skip_word(),
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    fn skip_string(&mut self) -> Option<()> {
        let mut escaped = false;
        for (offset, byte) in self.text[self.at + 1..].bytes().enumerate() {
            match byte {
                b'"' if !escaped => {
                    self.at += offset + 2;
                    return Some(());
                }
                b'\\' => escaped = !escaped,
                _ => escaped = false,
            }
        }
        None
    }

    /// Skips a number, `true`, `false` or `null`.
    fn skip_word(&mut self) {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| c.is_ascii_whitespace() || ",:{}[]\"".contains(c));
        self.at += end.unwrap_or(rest.len());
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_ascii_start().len();
    }

    /// Takes the next byte that is not white space.
    fn next_byte(&mut self) -> Option<u8> {
        self.skip_space();
        let byte = *self.text.as_bytes().get(self.at)?;
        self.at += 1;
        Some(byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_finds_the_bytes_of_a_value() {
        let text = r#" { "a\"}" : [ 1, {"b": "]\\"} ,-2.5e3 ], "\u0063":{"d" : null},"e":true } "#;
        for (pointer, expected) in [
            (r#"/a"}/0"#, Some("1")),
            (r#"/a"}/1/b"#, Some(r#""]\\""#)),
            (r#"/a"}/2"#, Some("-2.5e3")),
            ("/c", Some(r#"{"d" : null}"#)),
            ("/c/d", Some("null")),
            ("/e", Some("true")),
            ("", Some(text.trim())),
            ("/c/x", None),
            ("/e/x", None),
            (r#"/a"}/3"#, None),
            ("/c/0", None),
        ] {
            assert_eq!(find_value(text, pointer).map(|range| &text[range]), expected, "{pointer}");
        }
    }
}
