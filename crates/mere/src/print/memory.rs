//! How memories and categories look to a person.
//!
//! A program gets the content of a memory alone, unchanged unless colours are forced.

use serde_json::Value;

use super::Printer;
use super::items::{BAD, FAINT, STRONG, as_list, as_text, push_line};

impl Printer {
    /// Formats one memory: its details, then its content. A program gets the content alone.
    pub(crate) fn memory(&self, reply: &Value) -> String {
        let data = &reply["data"];
        let content = self.markdown(as_text(&data["content"]));
        if !self.is_terminal {
            return content;
        }
        let mut out =
            self.paint(&self.escape_controls(&one_line(as_text(&data["title"]))), STRONG) + "\n";
        for words in memory_details(data) {
            let words = self.paint(&self.escape_controls(&one_line(&words)), FAINT);
            push_line(&mut out, format_args!("{words}"));
        }
        let end = if content.is_empty() || content.ends_with('\n') { "" } else { "\n" };
        format!("{out}\n{content}{end}")
    }

    /// Formats memories, the categories directly below, and how many memories there are.
    pub(crate) fn memories(&self, reply: &Value) -> String {
        let data = &reply["data"];
        let rows = as_list(&data["memories"]).map(row).collect::<Vec<_>>();
        let (shown, count) = (rows.len() as u64, data["count"].as_u64().unwrap_or_default());
        let expires = rows.iter().any(|row| !row[2].is_empty());
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
        let is_more = !data["next"].is_null();
        out + &summary(shown, count.max(shown), is_more) + "\n"
    }

    /// Formats categories with the number of memories in each.
    pub(crate) fn categories(&self, reply: &Value) -> String {
        let below = self.subcategories(&reply["data"]);
        if below.is_empty() { "No categories.\n".to_owned() } else { below }
    }

    /// Formats what has expired, and what happened to it.
    pub(crate) fn prune_result(&self, reply: &Value) -> String {
        let mut out = String::new();
        for path in as_list(&reply["data"]["memories"]) {
            let mark = self.paint("-", BAD);
            push_line(&mut out, format_args!("{mark} {}", self.escape_controls(as_text(path))));
        }
        if reply["reply_type"] == "S" { out + &self.outcome(reply) } else { out }
    }

    fn subcategories(&self, data: &Value) -> String {
        let rows = as_list(&data["subcategories"]).map(|one| {
            let path = format!("{}/", as_text(&one["path"]));
            [path, number(&one["memory_count"]), as_text(&one["description"]).to_owned()]
        });
        self.table(["CATEGORY", "MEMORIES", "ABOUT"], rows.collect())
    }
}

/// Lists the details of a memory besides its title and its content.
fn memory_details(data: &Value) -> Vec<String> {
    let mut told = vec![format!("{} · {}", as_text(&data["path"]), as_text(&data["address"]))];
    let tags = as_list(&data["tags"]).map(as_text).collect::<Vec<_>>();
    if !tags.is_empty() {
        told.push(format!("tags: {}", tags.join(", ")));
    }
    let times = [("created", "created_at"), ("updated", "updated_at"), ("expires", "expires_at")];
    let times = times.iter().filter_map(|(word, key)| {
        data[key].as_str().map(|time| format!("{word} {}", to_minute(time)))
    });
    let times = times.collect::<Vec<_>>();
    if !times.is_empty() {
        told.push(times.join(" · ") + " (UTC)");
    }
    told.extend(data["source"].as_str().map(|source| format!("source: {source}")));
    told.extend(as_list(&data["citations"]).map(|one| format!("based on: {}", as_text(one))));
    told
}

/// Returns path, time of change, time of expiry, length, tags and title.
fn row(memory: &Value) -> [String; 6] {
    let tags = as_list(&memory["tags"]).map(as_text).collect::<Vec<_>>().join(", ");
    let fault = if memory["fault"] == true { "(not valid) " } else { "" };
    [
        as_text(&memory["path"]).to_owned(),
        to_minute(as_text(&memory["updated_at"])),
        to_minute(as_text(&memory["expires_at"])),
        number(&memory["token_estimate"]),
        tags,
        format!("{fault}{}", as_text(&memory["title"])),
    ]
}

/// Says how many memories there are, and how many are not shown.
fn summary(shown: u64, count: u64, is_more: bool) -> String {
    let memories = |count: u64| match count {
        0 => "No memories".to_owned(),
        1 => "1 memory".to_owned(),
        _ => format!("{count} memories"),
    };
    match (is_more, count - shown) {
        (false, _) => memories(shown) + ".",
        (true, 0) => memories(shown) + "; there are more.",
        (true, 1) => format!("{shown} of {}; 1 is left.", memories(count)),
        (true, left) => format!("{shown} of {}; {left} more.", memories(count)),
    }
}

/// Shortens a timestamp in UTC to the minute. Any other text stays as it is.
fn to_minute(time: &str) -> String {
    let parts = time.strip_suffix('Z').and_then(|time| time.split_once('T'));
    let parts = parts.and_then(|(day, clock)| Some((day, clock.get(..5)?)));
    parts.map_or_else(|| time.to_owned(), |(day, clock)| format!("{day} {clock}"))
}

fn number(value: &Value) -> String {
    value.as_u64().map(|number| number.to_string()).unwrap_or_default()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn printer(watched: bool) -> Printer {
        Printer {
            uses_colours: false,
            is_terminal: watched,
            working_directory: None,
            last_file: None,
        }
    }

    fn one() -> Value {
        json!({ "reply_type": "S", "data": {
            "store": "cortex", "path": "api/tokens", "title": "Tokens",
            "address": "ROOT_PROJECT:/.ai/memory/api/tokens.md",
            "content": "# Tokens\n\nThey are short.", "tags": ["auth", "api"],
            "created_at": "2026-01-24T09:30:00Z", "updated_at": "2026-01-25T10:00:00.250Z",
            "expires_at": "2027-01-24T09:30:00Z", "source": "a review",
            "citations": ["src/a.rs", "ADR 3"], "sha256": "00",
        } })
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
        assert_eq!(printer(true).memory(&one()), expected);
    }

    #[test]
    fn a_program_gets_the_content_as_it_is() {
        assert_eq!(printer(false).memory(&one()), "# Tokens\n\nThey are short.");
    }

    #[test]
    fn a_memory_cannot_steer_the_terminal() {
        let mut reply = one();
        for key in ["title", "content", "source"] {
            reply["data"][key] = "a\u{1b}[2J\u{202e}b\n".into();
        }
        reply["data"]["tags"] = json!(["\u{7}"]);
        let shown = printer(true).memory(&reply);
        assert!(!shown.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{shown:?}");
    }

    fn listing() -> Value {
        json!({ "data": { "store": "cortex", "category": "api", "count": 2, "memories": [
            { "path": "api/tokens", "title": "Tokens", "tags": ["auth", "api"],
              "updated_at": "2026-01-25T10:00:00Z", "token_estimate": 7 },
            { "path": "api/x", "title": "A much longer title", "tags": [],
              "updated_at": "2026-01-24T09:30:00Z", "token_estimate": 120 },
        ], "subcategories": [
            { "path": "api/auth", "description": "Who may do what", "memory_count": 3 },
            { "path": "api/old", "description": "", "memory_count": 0 },
        ] } })
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
        assert_eq!(printer(true).memories(&listing()), expected);
        let plain = printer(false).memories(&listing());
        assert_eq!(plain.lines().count(), 5, "{plain}");
        let mut expiring = listing();
        expiring["data"]["memories"][0]["expires_at"] = "2027-01-01T00:00:00Z".into();
        let shown = printer(true).memories(&expiring);
        assert!(shown.starts_with("PATH        UPDATED (UTC)     EXPIRES "), "{shown}");
    }

    #[test]
    fn an_empty_list_says_so() {
        let data = json!({ "count": 0, "memories": [], "subcategories": [] });
        let reply = json!({ "data": data });
        assert_eq!(printer(true).memories(&reply), "No memories.\n");
        assert_eq!(printer(true).categories(&reply), "No categories.\n");
    }

    #[test]
    fn categories_alone_are_a_table() {
        let expected = "api/auth/  3         Who may do what\napi/old/   0\n";
        assert_eq!(printer(false).categories(&listing()), expected);
    }

    #[test]
    fn what_is_left_is_counted() {
        for (shown, count, is_more, expected) in [
            (1, 1, false, "1 memory."),
            (10, 57, true, "10 of 57 memories; 47 more."),
            (10, 11, true, "10 of 11 memories; 1 is left."),
            (10, 10, true, "10 memories; there are more."),
        ] {
            assert_eq!(summary(shown, count, is_more), expected);
        }
    }

    #[test]
    fn what_has_expired_is_listed_with_what_became_of_it() {
        let data =
            json!({ "store": "cortex", "count": 1, "memories": ["todo/a"], "dry_run": true });
        let reply = json!({ "reply_type": "S", "message": "1 memory has expired.", "data": data });
        assert_eq!(printer(true).prune_result(&reply), "- todo/a\n1 memory has expired.\n");
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
