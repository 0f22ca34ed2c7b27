//! Where the values of a JSON text stand.
//!
//! It walks a text that [`crate::json::parse`] has accepted, so it checks nothing: what it cannot
//! follow is simply not found.

use std::ops::Range;

/// The bytes of the value at a JSON pointer such as `/metadata/tool_id`.
pub(super) fn find(text: &str, pointer: &str) -> Option<Range<usize>> {
    let mut walk = Walk { text, at: 0 };
    for step in pointer.split('/').skip(1) {
        walk.enter(step)?;
    }
    walk.space();
    let start = walk.at;
    walk.value()?;
    Some(start..walk.at)
}

struct Walk<'a> {
    text: &'a str,
    at: usize,
}

impl Walk<'_> {
    /// Goes to the value of a key, or of a place in a list.
    fn enter(&mut self, step: &str) -> Option<()> {
        match self.next()? {
            b'{' => loop {
                self.space();
                let start = self.at;
                self.string()?;
                let key = serde_json::from_str::<String>(&self.text[start..self.at]).ok()?;
                (self.next()? == b':').then_some(())?;
                if key == step {
                    return Some(());
                }
                self.value()?;
                (self.next()? == b',').then_some(())?;
            },
            b'[' => {
                for _ in 0..step.parse::<usize>().ok()? {
                    self.value()?;
                    (self.next()? == b',').then_some(())?;
                }
                Some(())
            }
            _ => None,
        }
    }

    /// Passes one value. Brackets are counted, not matched: the text is known to be well-formed.
    fn value(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            self.space();
            match *self.text.as_bytes().get(self.at)? {
                b'"' => self.string()?,
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
                _ => self.word(),
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    fn string(&mut self) -> Option<()> {
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

    /// Passes a number, `true`, `false` or `null`.
    fn word(&mut self) {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| c.is_ascii_whitespace() || ",:{}[]\"".contains(c));
        self.at += end.unwrap_or(rest.len());
    }

    fn space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_ascii_start().len();
    }

    /// Takes the next byte that is no space.
    fn next(&mut self) -> Option<u8> {
        self.space();
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
            assert_eq!(find(text, pointer).map(|range| &text[range]), expected, "{pointer}");
        }
    }
}
