//! How search hits look to a person: in groups, each with why it was found and its trust status.
//!
//! The order is the engine's; this file only groups, wraps and highlights.

use anstyle::{AnsiColor, Style};
use mere_core::search::HIGHLIGHT_MARK;
use serde_json::Value;

use super::Printer;
use super::items::{BAD, FAINT, GOOD, STRONG, as_list, as_text, item_name, push_line, truncate};
use crate::print::terminal;

/// The style of a word that matched.
const MATCHED: Style = AnsiColor::Yellow.on_default().bold();
/// The style of what a person should look at twice.
const DOUBTFUL: Style = AnsiColor::Yellow.on_default();
/// The most lines of a preview.
const MAX_PREVIEW_LINES: usize = 3;
/// The narrowest useful line.
const MIN_LINE_WIDTH: usize = 20;
/// How many columns the separators between the parts of a hit take.
const SEPARATOR_WIDTH: usize = 12;
/// The indentation of everything below the first line of a hit.
const INDENT: &str = "    ";
/// The most hits on one page.
const MAX_PAGE: u64 = 100;

/// The lists of a reply, with their headings.
const GROUPS: [(&str, &str); 5] = [
    ("directives", "Directives"),
    ("tools", "Tools"),
    ("knowledge", "Knowledge"),
    ("memories", "Memories"),
    ("results", ""),
];

impl Printer {
    /// Formats the hits, and how many there are.
    pub(crate) fn hits(&self, reply: &Value) -> String {
        let data = &reply["data"];
        let total = data["total"].as_u64().unwrap_or_default();
        let mut out = String::new();
        let mut shown = 0;
        for (key, heading) in GROUPS {
            let hits = as_list(&data[key]).collect::<Vec<_>>();
            if hits.is_empty() {
                continue;
            }
            if !heading.is_empty() {
                push_line(&mut out, format_args!("{}", self.paint(heading, STRONG)));
            }
            for hit in &hits {
                let kind = if heading.is_empty() { as_text(&hit["item_type"]) } else { "" };
                out += &self.hit(hit, kind);
            }
            out.push('\n');
            shown += hits.len() as u64;
        }
        let mode = as_text(&data["mode"]);
        let next = data["next"].as_str();
        out + &self.paint(&summary((total, shown), mode, next), FAINT) + "\n"
    }

    /// Formats one hit. In a list of all types, `kind` names its type.
    fn hit(&self, hit: &Value, kind: &str) -> String {
        let name = item_name(hit);
        let title = hit["title"].as_str().map_or_else(|| name.clone(), one_line);
        let status = as_text(&hit["trust"]["status"]);
        let score = hit["score"].as_f64().map(|score| format!("{score:.3}")).unwrap_or_default();
        let before = [kind, &name, as_text(&hit["scope"])].into_iter();
        let before = before.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" · ");
        let before = self.escape_controls(&before);
        let others = before.chars().count() + status.len() + score.len() + SEPARATOR_WIDTH;
        let title = self.escape_controls(&title);
        let title = match terminal::width() {
            None => title,
            Some(width) => truncate(&title, width.saturating_sub(others).max(MIN_LINE_WIDTH)),
        };
        let mut out = format!(
            "  {}  {} {} {}\n",
            self.paint(&title, STRONG),
            self.paint(&format!("{before} ·"), FAINT),
            self.paint(&self.escape_controls(status), trust_style(status)),
            self.paint(&format!("· {score}"), FAINT),
        );
        for told in self.excerpt(hit) {
            push_line(&mut out, format_args!("{INDENT}{told}"));
        }
        for (key, words) in [("superseded_by", "superseded by"), ("shadowed_by", "shadowed by")] {
            if let Some(other) = hit[key].as_str() {
                let note = format!("{words} {}", self.escape_controls(&one_line(other)));
                push_line(&mut out, format_args!("{INDENT}{}", self.paint(&note, DOUBTFUL)));
            }
        }
        out
    }

    /// Returns the lines that show why it was found: where its text matches, or else its
    /// description.
    fn excerpt(&self, hit: &Value) -> Vec<String> {
        let Some(preview) = hit["preview"].as_str() else {
            return vec![self.paint("(text not shown: not trusted)", BAD)];
        };
        let preview = split_preview(&one_line(preview));
        let matched = preview.iter().filter_map(PreviewPart::matched_word).collect::<Vec<_>>();
        let description = one_line(as_text(&hit["description"]));
        let description = mark_matches(&description, &matched);
        // A description that contains the words is better than the place in the text that does.
        let says_it = description.iter().any(|piece| piece.matched_word().is_some());
        let is_better = says_it || matched.is_empty() && !description.is_empty();
        self.wrap(if is_better { &description } else { &preview })
    }

    /// Wraps words into lines that fit the terminal.
    fn wrap(&self, pieces: &[PreviewPart]) -> Vec<String> {
        let width = terminal::width()
            .map_or(usize::MAX, |width| width.saturating_sub(INDENT.len() + 1).max(MIN_LINE_WIDTH));
        let (mut lines, mut now, mut used) = (Vec::new(), String::new(), 0_usize);
        for (word, length) in self.styled_words(pieces) {
            if used > 0 && used + length >= width {
                lines.push(std::mem::take(&mut now));
                used = 0;
                if let Some(last) = lines.get_mut(MAX_PREVIEW_LINES - 1) {
                    last.push('…');
                    return lines;
                }
            }
            let space = if used == 0 { "" } else { " " };
            now = now + space + &word;
            used += space.len() + length;
        }
        lines.extend(Some(now).filter(|line| !line.is_empty()));
        lines
    }

    /// Returns the words of a text as they are printed, each with its width.
    fn styled_words(&self, pieces: &[PreviewPart]) -> Vec<(String, usize)> {
        let mut words = vec![(String::new(), 0)];
        for piece in pieces {
            for (number, part) in self.escape_controls(piece.text()).split(' ').enumerate() {
                if number > 0 {
                    words.push((String::new(), 0));
                }
                let printed = match piece {
                    PreviewPart::Match(_) => self.paint(part, MATCHED),
                    PreviewPart::Other(_) => part.to_owned(),
                };
                if let Some((word, length)) = words.last_mut() {
                    word.push_str(&printed);
                    *length += part.chars().count();
                }
            }
        }
        words.retain(|(_, length)| *length > 0);
        words
    }
}

/// A part of a preview.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PreviewPart {
    /// A word that matched.
    Match(String),
    /// Any other text.
    Other(String),
}

impl PreviewPart {
    fn text(&self) -> &str {
        match self {
            Self::Match(text) | Self::Other(text) => text,
        }
    }

    fn matched_word(&self) -> Option<&str> {
        match self {
            Self::Match(text) => Some(text),
            Self::Other(_) => None,
        }
    }
}

/// Returns the style that shows how far a trust status can be relied on.
fn trust_style(status: &str) -> Style {
    match status {
        "verified" => GOOD,
        "unsigned" => FAINT,
        "draft" | "unknown-key" => DOUBTFUL,
        _ => BAD,
    }
}

/// Says how many hits there are, and how to see the rest.
fn summary((total, shown): (u64, u64), mode: &str, next: Option<&str>) -> String {
    if total == 0 {
        return "No matches. Try fewer or different words; `mere list` shows everything."
            .to_owned();
    }
    let matches = if total == 1 { "match" } else { "matches" };
    let Some(next) = next else {
        let of = if shown < total { format!("{shown} of ") } else { String::new() };
        return format!("{of}{total} {matches} ({mode}).");
    };
    let limit = if total <= MAX_PAGE { "`--limit`, or " } else { "" };
    format!("{shown} of {total} {matches} ({mode}). More: {limit}`--cursor {next}`")
}

/// Splits a preview into its parts. A mark encloses exactly one word; anything else that looks like
/// a mark belongs to the text.
fn split_preview(preview: &str) -> Vec<PreviewPart> {
    let mut pieces = Vec::new();
    let (mut rest, mut own) = (preview, String::new());
    while let Some((before, after)) = rest.split_once(HIGHLIGHT_MARK) {
        let word = after.split_once(HIGHLIGHT_MARK);
        own.push_str(before);
        if let Some((word, after)) = word.filter(|(word, _)| is_word(word)) {
            pieces.push(PreviewPart::Other(std::mem::take(&mut own)));
            pieces.push(PreviewPart::Match(word.to_owned()));
            rest = after;
        } else {
            own.push_str(HIGHLIGHT_MARK);
            rest = after;
        }
    }
    pieces.push(PreviewPart::Other(own + rest));
    pieces.retain(|piece| !piece.text().is_empty());
    pieces
}

/// Splits a text without marks into parts, where the same words match.
fn mark_matches(text: &str, matched: &[&str]) -> Vec<PreviewPart> {
    let is_letter = |c: char| c.is_alphanumeric();
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_end = |c: char| is_letter(c) != is_letter(first);
        let (part, after) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
        let is_match = matched.iter().any(|word| word.to_lowercase() == part.to_lowercase());
        let own = part.to_owned();
        pieces.push(if is_match { PreviewPart::Match(own) } else { PreviewPart::Other(own) });
        rest = after;
    }
    pieces
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c == '*')
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn printer(coloured: bool) -> Printer {
        Printer {
            uses_colours: coloured,
            is_terminal: true,
            working_directory: None,
            last_file: None,
        }
    }

    fn hit() -> Value {
        json!({
            "item_type": "knowledge", "id": "retries", "category": "api", "scope": "project",
            "address": "ROOT_PROJECT:/.ai/knowledge/api/retries.md", "title": "Retries",
            "score": 2.5, "preview": "Use jittered **retries**. Always.",
            "trust": { "status": "verified" },
        })
    }

    fn reply(data: &Value) -> Value {
        json!({ "reply_type": "S", "data": data })
    }

    #[test]
    fn hits_stand_under_their_type() {
        let mut old = hit();
        old["id"] = "old".into();
        old["scope"] = "user".into();
        old["superseded_by"] = "api/retries".into();
        old["shadowed_by"] = "ROOT_PROJECT:/.ai/knowledge/api/old.md".into();
        let data = json!({
            "directives": [], "tools": [], "knowledge": [hit(), old], "memories": [],
            "total": 2, "mode": "hybrid",
        });
        let expected = "Knowledge
  Retries  api/retries · project · verified · 2.500
    Use jittered retries. Always.
  Retries  api/old · user · verified · 2.500
    Use jittered retries. Always.
    superseded by api/retries
    shadowed by ROOT_PROJECT:/.ai/knowledge/api/old.md

2 matches (hybrid).
";
        assert_eq!(printer(false).hits(&reply(&data)), expected);
    }

    #[test]
    fn one_list_says_the_types_and_how_to_go_on() {
        let data = json!({ "results": [hit()], "total": 7, "mode": "text", "next": "abc" });
        let shown = printer(false).hits(&reply(&data));
        let lines = shown.lines().collect::<Vec<_>>();
        assert_eq!(lines[0], "  Retries  knowledge · api/retries · project · verified · 2.500");
        assert_eq!(lines[3], "1 of 7 matches (text). More: `--limit`, or `--cursor abc`");
        assert_eq!(
            summary((101, 10), "text", Some("x")),
            "10 of 101 matches (text). More: `--cursor x`"
        );
    }

    #[test]
    fn nothing_is_told_with_what_to_try() {
        let data = json!({ "directives": [], "total": 0, "mode": "hybrid" });
        let shown = printer(false).hits(&reply(&data));
        assert!(shown.starts_with("No matches. Try fewer or different words"), "{shown}");
        assert!(shown.contains("`mere list`"), "{shown}");
    }

    #[test]
    fn what_may_not_be_used_shows_no_text() {
        let mut broken = hit();
        for key in ["title", "preview"] {
            broken.as_object_mut().expect("an object").shift_remove(key);
        }
        broken["trust"] = json!({ "status": "changed" });
        let data = json!({ "knowledge": [broken], "total": 1, "mode": "hybrid" });
        let shown = printer(false).hits(&reply(&data));
        let expected = "  api/retries  api/retries · project · changed · 2.500
    (text not shown: not trusted)
";
        assert!(shown.contains(expected), "{shown}");
    }

    #[test]
    fn words_that_match_are_set_off_or_their_marks_go() {
        let check = |preview: &str, plain: &str, matched: &[&str]| {
            let pieces = split_preview(preview);
            let told = pieces.iter().map(PreviewPart::text).collect::<String>();
            assert_eq!(told, plain, "{preview}");
            let found = pieces.iter().filter_map(PreviewPart::matched_word).collect::<Vec<_>>();
            assert_eq!(found, matched, "{preview}");
        };
        check("a **b** c", "a b c", &["b"]);
        check("**a** **b**.", "a b.", &["a", "b"]);
        check("callParse**Json**", "callParseJson", &["Json"]);
        check("**very bold** x", "**very bold** x", &[]);
        check("**the **retry** here**", "**the retry here**", &["retry"]);
        check("2 ** 3 **x", "2 ** 3 **x", &[]);
        check("****", "****", &[]);
        let shown = printer(true).excerpt(&hit());
        assert_eq!(shown, [format!("Use jittered {MATCHED}retries{MATCHED:#}. Always.")]);
    }

    #[test]
    fn a_description_stands_in_for_a_text_that_does_not_match() {
        let mut found = hit();
        found["description"] = "How to try\nagain.".into();
        assert_eq!(printer(false).excerpt(&found), ["Use jittered retries. Always."]);
        found["preview"] = "Nothing of it.".into();
        assert_eq!(printer(false).excerpt(&found), ["How to try again."]);
        found["preview"] = "name: **again**".into();
        let expected = format!("How to try {MATCHED}again{MATCHED:#}.");
        assert_eq!(printer(true).excerpt(&found), [expected]);
    }

    #[test]
    fn a_hit_cannot_steer_the_terminal() {
        let mut found = hit();
        for key in ["title", "preview", "description", "superseded_by"] {
            found[key] = "a\u{1b}[2J\u{202e}b **c\u{7}**".into();
        }
        let data = json!({ "results": [found], "total": 1, "mode": "text" });
        let shown = printer(false).hits(&reply(&data));
        assert!(!shown.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{shown:?}");
        assert!(shown.contains("\\u{1b}[2J"), "{shown}");
    }
}
