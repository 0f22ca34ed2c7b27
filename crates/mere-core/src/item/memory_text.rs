//! The text of a memory: composed for a new one, and revised key by key.
//!
//! Every text that is made here is parsed again, so that what is written means what the caller
//! said.

use jiff::Timestamp;
use serde_json::Value;

use super::any_item::{check_no_nul, check_size};
use super::bounds;
use super::edit::{self, Edit};
use super::fault::ItemFault;
use super::frontmatter::Frontmatter;
use super::id::ItemId;
use super::memory::Memory;
use crate::address::is_invisible;
use crate::reply::Prose;
use crate::text::markdown;
use crate::text::markdown::Section;

/// The text of a memory, together with its parsed form.
#[derive(Clone, Debug)]
pub struct MemoryText {
    text: String,
    memory: Memory,
}

/// The content and metadata of a new memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewMemory {
    /// Its body.
    pub content: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// When it expires; from then on it is hidden.
    pub expires_at: Option<Timestamp>,
    /// The sources it cites.
    pub citations: Vec<String>,
    /// Who or what it comes from.
    pub source: Option<String>,
}

/// A change to a memory. What is `None` stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryRevision {
    /// Its body.
    pub content: Option<String>,
    /// Its tags.
    pub tags: Option<Vec<String>>,
    /// When it expires; from then on it is hidden.
    pub expires_at: Option<MemoryExpiry>,
    /// The sources it cites.
    pub citations: Option<Vec<String>>,
}

/// When a memory expires; from then on it is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryExpiry {
    /// It never expires.
    Never,
    /// It expires at this time.
    At(Timestamp),
}

impl MemoryExpiry {
    /// Returns the time, if there is one.
    pub fn time(self) -> Option<Timestamp> {
        match self {
            Self::Never => None,
            Self::At(time) => Some(time),
        }
    }
}

impl MemoryText {
    /// Parses a memory.
    pub fn parse(text: String, slug: &ItemId) -> Result<Self, ItemFault> {
        check_size(text.len())?;
        check_no_nul(&text)?;
        let memory = Memory::parse(&text, slug).map_err(|fault| fault.or_conflict(&text))?;
        Ok(Self { text, memory })
    }

    /// Composes the text of a new memory.
    pub fn compose(slug: &ItemId, memory: &NewMemory, now: Timestamp) -> Result<Self, ItemFault> {
        check_tags_and_citations(&memory.tags, &memory.citations)?;
        check_tags_and_citations(&[], memory.source.as_slice())?;
        let mut keys = vec![("created_at", format_time(now)), ("updated_at", format_time(now))];
        let list = |texts: &[String]| (!texts.is_empty()).then(|| quote_list(texts));
        keys.extend(memory.expires_at.map(|at| ("expires_at", format_time(at))));
        keys.extend(list(&memory.tags).map(|tags| ("tags", tags)));
        keys.extend(memory.source.as_deref().map(|source| ("source", quote(source))));
        keys.extend(list(&memory.citations).map(|citations| ("citations", citations)));
        let keys = keys.into_iter().map(|(key, value)| format!("{key}: {value}\n"));
        let text = format!("---\n{}---\n{}", keys.collect::<String>(), memory.content);
        let note = Self::parse(text, slug)?;
        note.check_reads_back(memory).map(|()| note)
    }

    /// Applies a revision and returns the new text.
    pub fn revise(
        &self,
        slug: &ItemId,
        revision: &MemoryRevision,
        now: Timestamp,
    ) -> Result<Self, ItemFault> {
        let (tags, citations) = (revision.tags.as_deref(), revision.citations.as_deref());
        check_tags_and_citations(tags.unwrap_or_default(), citations.unwrap_or_default())?;
        let frontmatter = Frontmatter::parse_optional(&self.text)?;
        let body = revision.content.as_deref().unwrap_or_else(|| self.content());
        let mut text = [&self.text[..frontmatter.content_start], body].concat();
        if let Some(tags) = &revision.tags {
            text = with_key(&text, "tags", Some(quote_list(tags)))?;
        }
        if let Some(citations) = &revision.citations {
            text = with_key(&text, "citations", Some(quote_list(citations)))?;
        }
        if let Some(expires_at) = revision.expires_at {
            text = with_key(&text, "expires_at", expires_at.time().map(format_time))?;
        }
        text = with_key(&text, "updated_at", Some(format_time(now)))?;
        let note = Self::parse(text, slug)?;
        let expected = NewMemory {
            content: body.to_owned(),
            tags: revision.tags.clone().unwrap_or_else(|| self.memory.tags.clone()),
            expires_at: revision.expires_at.map_or(self.memory.expires_at, MemoryExpiry::time),
            citations: revision.citations.clone().unwrap_or_else(|| self.memory.citations.clone()),
            source: self.memory.source.clone(),
        };
        note.check_reads_back(&expected).map(|()| note)
    }

    /// Returns the whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text after the frontmatter.
    pub fn content(&self) -> &str {
        &self.text[self.memory.content.clone()]
    }

    /// Returns the parsed memory.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Checks that the text parses back to what the caller said.
    fn check_reads_back(&self, expected: &NewMemory) -> Result<(), ItemFault> {
        let to_millisecond = |at: Timestamp| at.as_millisecond();
        let memory = &self.memory;
        let same = self.content() == expected.content
            && memory.tags == expected.tags
            && memory.citations == expected.citations
            && memory.source == expected.source
            && memory.expires_at.map(to_millisecond) == expected.expires_at.map(to_millisecond);
        if same {
            return Ok(());
        }
        let what = "the text cannot be written in a way that reads back unchanged";
        Err(ItemFault::whole_file(what, "Remove characters that are not text."))
    }
}

/// Checks that tags and citations are short and visible.
fn check_tags_and_citations(tags: &[String], citations: &[String]) -> Result<(), ItemFault> {
    let is_forbidden = |c: char| c.is_control() && c != '\n' && c != '\t' || is_invisible(c);
    let fits = |text: &String, most: usize| {
        !text.trim().is_empty() && text.chars().count() <= most && !text.contains(is_forbidden)
    };
    if tags.len() > bounds::TAGS.most || !tags.iter().all(|tag| fits(tag, bounds::TAG.most)) {
        let fix = "Give at most 64 tags, each with 1 to 100 visible characters.";
        return Err(ItemFault::whole_file("the tags are invalid", fix));
    }
    let is_short = |one: &String| fits(one, bounds::CITATION.most);
    if citations.len() > bounds::CITATIONS.most || !citations.iter().all(is_short) {
        let fix = "Give at most 64 citations; each of them, and the source, has 1 to 1000 visible \
            characters.";
        return Err(ItemFault::whole_file("a citation or the source is invalid", fix));
    }
    Ok(())
}

/// Sets one key of a text's frontmatter, or removes it if there is no value.
pub(super) fn with_key(text: &str, key: &str, value: Option<String>) -> Result<String, ItemFault> {
    let Some(value) = value else { return without_key(text, key) };
    let section = Section::FrontmatterKey(key.to_owned());
    let patch = markdown::patch(text, &section, None, &value).map_err(|error| {
        let what = Prose::words(format!("the frontmatter cannot be changed: {error}"));
        ItemFault::whole_file(what, "Write each key of the frontmatter at the beginning of a line.")
    })?;
    Ok(patch.apply(text))
}

/// Removes one key of a text's frontmatter. If the key has several lines, it is set to null
/// instead.
fn without_key(text: &str, key: &str) -> Result<String, ItemFault> {
    let frontmatter = Frontmatter::parse_optional(text)?;
    let Some(entry) = frontmatter.entries.iter().find(|entry| entry.key == key) else {
        return Ok(text.to_owned());
    };
    let yaml = &text[frontmatter.yaml_start..frontmatter.yaml_end];
    let start = yaml[..entry.key_range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = yaml[entry.key_range.start..].find('\n').map(|at| entry.key_range.start + at + 1);
    let is_one_line = |end: &usize| entry.value_range.end <= *end;
    let is_own_line = yaml[start..entry.key_range.start].is_empty();
    match end.filter(is_one_line).filter(|_| is_own_line) {
        Some(end) => {
            let range = frontmatter.yaml_start + start..frontmatter.yaml_start + end;
            Ok(edit::apply_edits(text, vec![Edit { range, text: String::new() }]))
        }
        None => with_key(text, key, Some("null".to_owned())),
    }
}

/// Formats a time in UTC, to the millisecond.
fn format_time(at: Timestamp) -> String {
    format!("{at:.3}")
}

fn quote(text: &str) -> String {
    Value::from(text).to_string()
}

fn quote_list(texts: &[String]) -> String {
    let texts = texts.iter().map(|text| quote(text)).collect::<Vec<_>>();
    format!("[{}]", texts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slug() -> ItemId {
        "auth".parse().expect("a slug")
    }

    fn at(text: &str) -> Timestamp {
        text.parse().expect("a time")
    }

    #[test]
    fn a_new_memory_reads_back_as_what_was_said() {
        let memory = NewMemory {
            content: "---\n# Auth\n\nno newline".to_owned(),
            tags: vec!["a b".to_owned(), "yes".to_owned(), "\"q\": 1".to_owned()],
            expires_at: Some(at("2027-01-01T00:00:00.5Z")),
            citations: vec!["https://example.org/#x".to_owned()],
            source: Some("agent: x\ny".to_owned()),
        };
        let note =
            MemoryText::compose(&slug(), &memory, at("2026-02-17T10:00:00Z")).expect("a note");
        assert_eq!(
            note.text(),
            "---\ncreated_at: 2026-02-17T10:00:00.000Z\nupdated_at: 2026-02-17T10:00:00.000Z\n\
             expires_at: 2027-01-01T00:00:00.500Z\ntags: [\"a b\", \"yes\", \"\\\"q\\\": 1\"]\n\
             source: \"agent: x\\ny\"\ncitations: [\"https://example.org/#x\"]\n---\n---\n# Auth\n\n\
             no newline"
        );
        assert_eq!(note.memory().title, "Auth");
    }

    fn check(text: &str, revision: &MemoryRevision, expected: &str) {
        let note = MemoryText::parse(text.to_owned(), &slug()).expect("a note");
        let revised = note.revise(&slug(), revision, at("2026-02-18T10:00:00Z"));
        let revised = revised.unwrap_or_else(|fault| panic!("{text:?}: {fault:?}"));
        assert_eq!(revised.text(), expected, "{text:?}");
    }

    #[test]
    fn what_is_not_named_stays() {
        let update = "updated_at: 2026-02-18T10:00:00.000Z";
        let content =
            MemoryRevision { content: Some("new".to_owned()), ..MemoryRevision::default() };
        check("plain note\n", &content, &format!("---\n{update}\n---\nnew"));
        check(
            "---\n# mine\nmood: good # today\nupdated_at: 2026-01-01T00:00:00Z\n---\nold\n",
            &content,
            &format!("---\n# mine\nmood: good # today\n{update}\n---\nnew"),
        );
        let tags = MemoryRevision { tags: Some(vec!["x".to_owned()]), ..MemoryRevision::default() };
        check(
            "---\ntags:\n  - a\n  - b\nk: 1\n---\nc",
            &tags,
            &format!("---\ntags: [\"x\"]\nk: 1\n{update}\n---\nc"),
        );
        let never =
            MemoryRevision { expires_at: Some(MemoryExpiry::Never), ..MemoryRevision::default() };
        check(
            "---\na: 1\nexpires_at: 2027-01-01T00:00:00Z\nb: 2\n---\nc",
            &never,
            &format!("---\na: 1\nb: 2\n{update}\n---\nc"),
        );
        check("---\na: 1\n---\nc", &never, &format!("---\na: 1\n{update}\n---\nc"));
        check(
            "---\r\nexpires_at: 2027-01-01T00:00:00Z\r\n---\r\nc",
            &never,
            &format!("---\r\n{update}\r\n---\r\nc"),
        );
    }
}
