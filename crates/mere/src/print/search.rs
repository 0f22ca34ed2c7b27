//! How search hits look to a person: in groups, each with why it was found and its trust status.
//!
//! The order is the engine's; this file only groups, wraps and highlights.

use anstyle::{AnsiColor, Style};
use mere_core::search::HIGHLIGHT_MARK;
use serde::Deserialize;

use super::Printer;
use super::items::{BAD, FAINT, GOOD, STRONG, item_name, push_line, truncate};
use super::reply::ReplyView;
use super::signing::ItemTrust;
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

/// The data of a reply to `mere search`.
#[derive(Deserialize)]
pub(crate) struct SearchResults {
    total: u64,
    mode: String,
    next: Option<String>,
    /// The number of matches that were too weak to be shown.
    #[serde(default)]
    weaker: u64,
    /// True if not all items were searched.
    #[serde(default)]
    incomplete: bool,
    #[serde(flatten)]
    hits: HitLists,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum HitLists {
    /// One list for each type.
    Grouped { directives: Vec<Hit>, tools: Vec<Hit>, knowledge: Vec<Hit>, memories: Vec<Hit> },
    /// One list of all types.
    Ranked { results: Vec<Hit> },
}

/// An item that was found. One that may not be used has no title and no preview.
#[derive(Deserialize)]
struct Hit {
    item_type: String,
    id: String,
    category: String,
    scope: String,
    title: Option<String>,
    description: Option<String>,
    /// None for an entry that is only linked with a hit.
    score: Option<f64>,
    preview: Option<String>,
    trust: ItemTrust,
    superseded_by: Option<String>,
    shadowed_by: Option<String>,
    #[serde(default)]
    related_to: Vec<HitLink>,
    /// Only an item of the registry has this.
    source: Option<String>,
    #[serde(rename = "ref")]
    reference: Option<String>,
}

/// A link between an entry and a hit, as the hit sees it.
#[derive(Deserialize)]
struct HitLink {
    hit: String,
    relation: String,
    direction: String,
}

impl HitLink {
    /// Says how the entry is linked with the hit.
    fn describe(&self) -> String {
        match self.direction.as_str() {
            "outgoing" => format!("`{}` {} this", self.hit, self.relation),
            "incoming" => format!("{} `{}`", self.relation, self.hit),
            _ => format!("{} with `{}`", self.relation, self.hit),
        }
    }
}

impl HitLists {
    /// Returns the lists with their headings. The list of all types has none.
    fn with_headings(&self) -> Vec<(&'static str, &[Hit])> {
        match self {
            Self::Grouped { directives, tools, knowledge, memories } => vec![
                ("Directives", directives),
                ("Tools", tools),
                ("Knowledge", knowledge),
                ("Memories", memories),
            ],
            Self::Ranked { results } => vec![("", results)],
        }
    }
}

impl Printer {
    /// Formats the hits, and how many there are.
    pub(crate) fn hits(&self, reply: &ReplyView<SearchResults>) -> String {
        let mut out = String::new();
        let mut shown = 0;
        for (heading, hits) in reply.data.hits.with_headings() {
            if hits.is_empty() {
                continue;
            }
            if !heading.is_empty() {
                push_line(&mut out, format_args!("{}", self.paint(heading, STRONG)));
            }
            for hit in hits {
                let kind = if heading.is_empty() { hit.item_type.as_str() } else { "" };
                out += &self.hit(hit, kind);
            }
            out.push('\n');
            shown += hits.iter().filter(|hit| hit.related_to.is_empty()).count() as u64;
        }
        out + &self.paint(&reply.data.summary(shown), FAINT) + "\n"
    }

    /// Formats one hit. In a list of all types, `kind` names its type.
    fn hit(&self, hit: &Hit, kind: &str) -> String {
        let name = match (&hit.source, &hit.reference) {
            (Some(_), Some(reference)) => reference.clone(),
            _ => item_name(&hit.category, &hit.id),
        };
        let title = hit.title.as_deref().map_or_else(|| name.clone(), one_line);
        let status = hit.trust.status.as_str();
        let score = match (hit.score, &hit.source) {
            (Some(score), _) => format!("{score:.3}"),
            (None, Some(_)) => format!("`mere pull {} {name}`", hit.item_type),
            (None, None) => "linked".to_owned(),
        };
        let before = [kind, &name, &hit.scope].into_iter();
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
        for line in self.excerpt(hit) {
            push_line(&mut out, format_args!("{INDENT}{line}"));
        }
        let others = [(&hit.superseded_by, "superseded by"), (&hit.shadowed_by, "shadowed by")];
        for (other, words) in others {
            if let Some(other) = other {
                let note = format!("{words} {}", self.escape_controls(&one_line(other)));
                push_line(&mut out, format_args!("{INDENT}{}", self.paint(&note, DOUBTFUL)));
            }
        }
        for link in &hit.related_to {
            let note = self.escape_controls(&one_line(&link.describe()));
            push_line(&mut out, format_args!("{INDENT}{}", self.paint(&note, FAINT)));
        }
        out
    }

    /// Returns the lines that show why it was found: where its text matches, or else its
    /// description.
    fn excerpt(&self, hit: &Hit) -> Vec<String> {
        let Some(preview) = &hit.preview else {
            return vec![self.paint("(text not shown: not trusted)", BAD)];
        };
        let preview = split_preview(&one_line(preview));
        let matched = preview.iter().filter_map(PreviewPart::matched_word).collect::<Vec<_>>();
        let description = one_line(hit.description.as_deref().unwrap_or_default());
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

impl SearchResults {
    /// Says how many hits there are, how many of them are shown, and how to see the rest.
    fn summary(&self, shown: u64) -> String {
        let Self { total, mode, next, .. } = self;
        if *total == 0 && self.incomplete {
            return "No matches; not all items were searched.".to_owned();
        }
        if *total == 0 {
            return "No matches. Try fewer or different words; `mere list` shows everything."
                .to_owned();
        }
        let matches = if *total == 1 { "match" } else { "matches" };
        let Some(next) = next else {
            let of = if shown < *total { format!("{shown} of ") } else { String::new() };
            let rest = if self.incomplete { "; not all items were searched" } else { "" };
            let weaker = match self.weaker {
                0 => String::new(),
                weaker => format!(" {weaker} weaker not shown; `--limit 20` shows more."),
            };
            return format!("{of}{total} {matches} ({mode}){rest}.{weaker}");
        };
        let limit = if *total <= MAX_PAGE { "`--limit`, or " } else { "" };
        format!("{shown} of {total} {matches} ({mode}). More: {limit}`--cursor {next}`")
    }
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
    use super::super::tests::{success, terminal_printer};
    use super::*;
    use serde_json::{Value, json};

    fn colour_printer() -> Printer {
        Printer { uses_colours: true, ..terminal_printer() }
    }

    fn hit() -> Value {
        json!({
            "item_type": "knowledge", "id": "retries", "category": "api", "scope": "project",
            "address": "ROOT_PROJECT:/.ai/knowledge/api/retries.md", "title": "Retries",
            "score": 2.5, "preview": "Use jittered **retries**. Always.",
            "trust": { "status": "verified" },
        })
    }

    fn read_hit(hit: &Value) -> Hit {
        serde_json::from_value(hit.clone()).expect("a hit")
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
        assert_eq!(terminal_printer().hits(&success(data)), expected);
    }

    #[test]
    fn one_list_says_the_types_and_how_to_go_on() {
        let data = json!({ "results": [hit()], "total": 7, "mode": "text", "next": "abc" });
        let shown = terminal_printer().hits(&success(data));
        let lines = shown.lines().collect::<Vec<_>>();
        assert_eq!(lines[0], "  Retries  knowledge · api/retries · project · verified · 2.500");
        assert_eq!(lines[3], "1 of 7 matches (text). More: `--limit`, or `--cursor abc`");
        let data = json!({ "results": [], "total": 101, "mode": "text", "next": "x" });
        let summary = success::<SearchResults>(data).data.summary(10);
        assert_eq!(summary, "10 of 101 matches (text). More: `--cursor x`");
    }

    #[test]
    fn nothing_is_told_with_what_to_try() {
        let data = json!({ "directives": [], "tools": [], "knowledge": [], "memories": [],
                           "total": 0, "mode": "hybrid" });
        let shown = terminal_printer().hits(&success(data));
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
        let data = json!({ "directives": [], "tools": [], "knowledge": [broken], "memories": [],
                           "total": 1, "mode": "hybrid" });
        let shown = terminal_printer().hits(&success(data));
        let expected = "  api/retries  api/retries · project · changed · 2.500
    (text not shown: not trusted)
";
        assert!(shown.contains(expected), "{shown}");
    }

    #[test]
    fn words_that_match_are_set_off_or_their_marks_go() {
        let check = |preview: &str, plain: &str, matched: &[&str]| {
            let pieces = split_preview(preview);
            let joined = pieces.iter().map(PreviewPart::text).collect::<String>();
            assert_eq!(joined, plain, "{preview}");
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
        let shown = colour_printer().excerpt(&read_hit(&hit()));
        assert_eq!(shown, [format!("Use jittered {MATCHED}retries{MATCHED:#}. Always.")]);
    }

    #[test]
    fn a_description_stands_in_for_a_text_that_does_not_match() {
        let mut found = hit();
        found["description"] = "How to try\nagain.".into();
        assert_eq!(
            terminal_printer().excerpt(&read_hit(&found)),
            ["Use jittered retries. Always."]
        );
        found["preview"] = "Nothing of it.".into();
        assert_eq!(terminal_printer().excerpt(&read_hit(&found)), ["How to try again."]);
        found["preview"] = "name: **again**".into();
        let expected = format!("How to try {MATCHED}again{MATCHED:#}.");
        assert_eq!(colour_printer().excerpt(&read_hit(&found)), [expected]);
    }

    #[test]
    fn a_hit_cannot_steer_the_terminal() {
        let mut found = hit();
        for key in ["title", "preview", "description", "superseded_by"] {
            found[key] = "a\u{1b}[2J\u{202e}b **c\u{7}**".into();
        }
        let data = json!({ "results": [found], "total": 1, "mode": "text" });
        let shown = terminal_printer().hits(&success(data));
        assert!(!shown.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{shown:?}");
        assert!(shown.contains("\\u{1b}[2J"), "{shown}");
    }
}
