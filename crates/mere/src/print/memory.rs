//! How memories and categories look to a person.
//!
//! A program gets the content of a memory alone, unchanged unless colours are forced.

use serde::Deserialize;

use super::Printer;
use super::items::{BAD, FAINT, STRONG, push_line};
use super::reply::{ReplyView, nullable};

/// The data of a reply to `mere memory get`.
#[derive(Deserialize)]
pub(crate) struct ShownMemory {
    path: String,
    address: String,
    title: String,
    content: String,
    tags: Vec<String>,
    #[serde(deserialize_with = "nullable")]
    created_at: Option<String>,
    #[serde(deserialize_with = "nullable")]
    updated_at: Option<String>,
    expires_at: Option<String>,
    source: Option<String>,
    #[serde(default)]
    citations: Vec<String>,
}

/// The data of a reply that lists memories, and the categories directly below.
#[derive(Deserialize)]
pub(crate) struct MemoryList {
    count: u64,
    memories: Vec<MemoryRow>,
    subcategories: Vec<CategoryRow>,
    pub(crate) next: Option<String>,
    #[serde(default)]
    other_files: u64,
    #[serde(default)]
    other_folders: u64,
    #[serde(default)]
    unreadable: Vec<String>,
}

/// A memory in a list.
#[derive(Deserialize)]
struct MemoryRow {
    path: String,
    title: String,
    tags: Vec<String>,
    updated_at: String,
    expires_at: Option<String>,
    token_estimate: u64,
    #[serde(default)]
    fault: bool,
}

/// A category in a list.
#[derive(Deserialize)]
struct CategoryRow {
    path: String,
    description: String,
    memory_count: u64,
}

/// The data of a reply to `mere memory prune`.
#[derive(Deserialize)]
pub(crate) struct PruneResult {
    pub(crate) count: u64,
    memories: Vec<String>,
}

impl Printer {
    /// Formats one memory: its details, then its content. A program gets the content alone.
    pub(crate) fn memory(&self, reply: &ReplyView<ShownMemory>) -> String {
        let memory = &reply.data;
        let content = self.markdown(&memory.content);
        if !self.is_terminal {
            return content;
        }
        let title = self.escape_controls(&one_line(&memory.title));
        let mut out = self.paint(&title, STRONG) + "\n";
        for words in memory.details() {
            let words = self.paint(&self.escape_controls(&one_line(&words)), FAINT);
            push_line(&mut out, format_args!("{words}"));
        }
        let end = if content.is_empty() || content.ends_with('\n') { "" } else { "\n" };
        format!("{out}\n{content}{end}")
    }

    /// Formats memories, the categories directly below, and how many memories there are.
    pub(crate) fn memories(&self, reply: &ReplyView<MemoryList>) -> String {
        let data = &reply.data;
        let rows = data.memories.iter().map(MemoryRow::cells).collect::<Vec<_>>();
        let expires = data.memories.iter().any(|memory| memory.expires_at.is_some());
        let mut out = if expires {
            self.table(["PATH", "UPDATED (UTC)", "EXPIRES", "TOKENS", "TAGS", "TITLE"], rows)
        } else {
            let rows = rows.into_iter();
            let rows = rows.map(|[path, updated, _, tokens, tags, title]| {
                [path, updated, tokens, tags, title]
            });
            self.table(["PATH", "UPDATED (UTC)", "TOKENS", "TAGS", "TITLE"], rows.collect())
        };
        let gap = if self.is_terminal { "\n" } else { "" };
        let below = self.subcategories(data);
        if !below.is_empty() {
            out += if out.is_empty() { "" } else { gap };
            out += &below;
        }
        out += if out.is_empty() { "" } else { gap };
        out + &data.summary() + "\n" + &data.notes()
    }

    /// Formats categories with the number of memories in each.
    pub(crate) fn categories(&self, reply: &ReplyView<MemoryList>) -> String {
        let below = self.subcategories(&reply.data);
        if below.is_empty() { "No categories.\n".to_owned() } else { below }
    }

    /// Formats what has expired, and what happened to it.
    pub(crate) fn prune_result(&self, reply: &ReplyView<PruneResult>) -> String {
        let mut out = String::new();
        for path in &reply.data.memories {
            let mark = self.paint("-", BAD);
            push_line(&mut out, format_args!("{mark} {}", self.escape_controls(path)));
        }
        self.with_sentence(out, reply)
    }

    fn subcategories(&self, list: &MemoryList) -> String {
        let rows = list.subcategories.iter().map(|one| {
            [format!("{}/", one.path), one.memory_count.to_string(), one.description.clone()]
        });
        self.table(["CATEGORY", "MEMORIES", "ABOUT"], rows.collect())
    }
}

impl ShownMemory {
    /// Lists the details besides the title and the content.
    fn details(&self) -> Vec<String> {
        let mut lines = vec![format!("{} · {}", self.path, self.address)];
        if !self.tags.is_empty() {
            lines.push(format!("tags: {}", self.tags.join(", ")));
        }
        let times = [
            ("created", &self.created_at),
            ("updated", &self.updated_at),
            ("expires", &self.expires_at),
        ];
        let times = times.into_iter().filter_map(|(word, time)| {
            time.as_ref().map(|time| format!("{word} {}", to_minute(time)))
        });
        let times = times.collect::<Vec<_>>();
        if !times.is_empty() {
            lines.push(times.join(" · ") + " (UTC)");
        }
        lines.extend(self.source.as_ref().map(|source| format!("source: {source}")));
        lines.extend(self.citations.iter().map(|one| format!("based on: {one}")));
        lines
    }
}

impl MemoryRow {
    /// Returns path, time of change, time of expiry, length, tags and title.
    fn cells(&self) -> [String; 6] {
        let fault = if self.fault { "(not valid) " } else { "" };
        [
            self.path.clone(),
            to_minute(&self.updated_at),
            self.expires_at.as_deref().map(to_minute).unwrap_or_default(),
            self.token_estimate.to_string(),
            self.tags.join(", "),
            format!("{fault}{}", self.title),
        ]
    }
}

impl MemoryList {
    /// Says what else lies there, and what could not be read.
    fn notes(&self) -> String {
        let mut notes = String::new();
        let others =
            [(self.other_files, "file", "files"), (self.other_folders, "folder", "folders")];
        let others = others.into_iter().filter(|(count, ..)| *count > 0);
        let others = others.map(|(count, one, many)| {
            format!("{count} other {}", if count == 1 { one } else { many })
        });
        let others = others.collect::<Vec<_>>();
        if !others.is_empty() {
            let others = others.join(", ");
            push_line(
                &mut notes,
                format_args!("Not a memory or category: {others}; see `mere doctor`."),
            );
        }
        if !self.unreadable.is_empty() {
            let unreadable = self.unreadable.join(", ");
            push_line(&mut notes, format_args!("These categories cannot be read: {unreadable}."));
        }
        notes
    }

    /// Says how many memories there are, and how many are not shown.
    fn summary(&self) -> String {
        let shown = self.memories.len() as u64;
        let memories = |count: u64| match count {
            0 => "No memories".to_owned(),
            1 => "1 memory".to_owned(),
            _ => format!("{count} memories"),
        };
        match (&self.next, self.count.saturating_sub(shown)) {
            (None, _) => memories(shown) + ".",
            (Some(_), 0) => memories(shown) + "; there are more.",
            (Some(_), 1) => format!("{shown} of {}; 1 is left.", memories(self.count)),
            (Some(_), left) => format!("{shown} of {}; {left} more.", memories(self.count)),
        }
    }
}

/// Shortens a timestamp in UTC to the minute. Any other text stays as it is.
fn to_minute(time: &str) -> String {
    let parts = time.strip_suffix('Z').and_then(|time| time.split_once('T'));
    let parts = parts.and_then(|(day, clock)| Some((day, clock.get(..5)?)));
    parts.map_or_else(|| time.to_owned(), |(day, clock)| format!("{day} {clock}"))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pipe_printer, success as read, terminal_printer};
    use super::*;
    use serde_json::{Value, json};

    fn one() -> Value {
        json!({
            "store": "cortex", "path": "api/tokens", "title": "Tokens",
            "address": "ROOT_PROJECT:/.ai/memory/api/tokens.md",
            "content": "# Tokens\n\nThey are short.", "tags": ["auth", "api"],
            "created_at": "2026-01-24T09:30:00Z", "updated_at": "2026-01-25T10:00:00.250Z",
            "expires_at": "2027-01-24T09:30:00Z", "source": "a review",
            "citations": ["src/a.rs", "ADR 3"], "sha256": "00",
        })
    }

    #[test]
    fn a_memory_is_told_before_what_it_says() {
        let expected = "Tokens
api/tokens · ROOT_PROJECT:/.ai/memory/api/tokens.md
tags: auth, api
created 2026-01-24 09:30 · updated 2026-01-25 10:00 · expires 2027-01-24 09:30 (UTC)
source: a review
based on: src/a.rs
based on: ADR 3

# Tokens

They are short.
";
        assert_eq!(terminal_printer().memory(&read(one())), expected);
    }

    #[test]
    fn a_program_gets_the_content_as_it_is() {
        assert_eq!(pipe_printer().memory(&read(one())), "# Tokens\n\nThey are short.");
    }

    #[test]
    fn a_memory_cannot_steer_the_terminal() {
        let mut data = one();
        for key in ["title", "content", "source"] {
            data[key] = "a\u{1b}[2J\u{202e}b\n".into();
        }
        data["tags"] = json!(["\u{7}"]);
        let shown = terminal_printer().memory(&read(data));
        assert!(!shown.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{shown:?}");
    }

    fn listing() -> Value {
        json!({ "store": "cortex", "category": "api", "count": 2, "memories": [
            { "path": "api/tokens", "title": "Tokens", "tags": ["auth", "api"],
              "updated_at": "2026-01-25T10:00:00Z", "token_estimate": 7 },
            { "path": "api/x", "title": "A much longer title", "tags": [],
              "updated_at": "2026-01-24T09:30:00Z", "token_estimate": 120 },
        ], "subcategories": [
            { "path": "api/auth", "description": "Who may do what", "memory_count": 3 },
            { "path": "api/old", "description": "", "memory_count": 0 },
        ] })
    }

    #[test]
    fn memories_are_a_table_and_then_categories() {
        let expected = "PATH        UPDATED (UTC)     TOKENS  TAGS       TITLE
api/tokens  2026-01-25 10:00  7       auth, api  Tokens
api/x       2026-01-24 09:30  120                A much longer title

CATEGORY   MEMORIES  ABOUT
api/auth/  3         Who may do what
api/old/   0

2 memories.
";
        assert_eq!(terminal_printer().memories(&read(listing())), expected);
        let plain = pipe_printer().memories(&read(listing()));
        assert_eq!(plain.lines().count(), 5, "{plain}");
        let mut expiring = listing();
        expiring["memories"][0]["expires_at"] = "2027-01-01T00:00:00Z".into();
        let shown = terminal_printer().memories(&read(expiring));
        assert!(shown.starts_with("PATH        UPDATED (UTC)     EXPIRES "), "{shown}");
    }

    #[test]
    fn an_empty_list_says_so() {
        let data = json!({ "count": 0, "memories": [], "subcategories": [] });
        assert_eq!(terminal_printer().memories(&read(data.clone())), "No memories.\n");
        assert_eq!(terminal_printer().categories(&read(data)), "No categories.\n");
    }

    #[test]
    fn categories_alone_are_a_table() {
        let expected = "api/auth/  3         Who may do what\napi/old/   0\n";
        assert_eq!(pipe_printer().categories(&read(listing())), expected);
    }

    #[test]
    fn what_is_left_is_counted() {
        let row = json!({ "path": "a", "title": "A", "tags": [], "updated_at": "2026-01-25T10:00:00Z",
                          "token_estimate": 1 });
        for (shown, count, next, expected) in [
            (1, 1, None, "1 memory."),
            (10, 57, Some("x"), "10 of 57 memories; 47 more."),
            (10, 11, Some("x"), "10 of 11 memories; 1 is left."),
            (10, 10, Some("x"), "10 memories; there are more."),
        ] {
            let memories = vec![row.clone(); shown];
            let data = json!({ "count": count, "memories": memories, "subcategories": [],
                               "next": next });
            assert_eq!(read::<MemoryList>(data).data.summary(), expected);
        }
    }

    #[test]
    fn what_has_expired_is_listed_with_what_became_of_it() {
        let data =
            json!({ "store": "cortex", "count": 1, "memories": ["todo/a"], "dry_run": true });
        let reply = read(data);
        assert_eq!(terminal_printer().prune_result(&reply), "- todo/a\nDone.\n");
    }

    #[test]
    fn times_are_told_to_the_minute() {
        for (time, expected) in [
            ("2026-01-24T09:30:59.5Z", "2026-01-24 09:30"),
            ("2026-01-24T09:30:00+01:00", "2026-01-24T09:30:00+01:00"),
            ("", ""),
            ("TéééZ", "TéééZ"),
        ] {
            assert_eq!(to_minute(time), expected);
        }
    }
}
