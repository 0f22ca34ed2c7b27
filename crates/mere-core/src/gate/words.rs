//! Finds host paths in our own words.
//!
//! Our words never need an absolute path, so anything that looks like one is a leak: a drive, a
//! UNC name, `~/`, or a `/` that does not continue a relative path. Addresses and web URLs inside
//! a sentence are recognised and skipped. A scanner by hand, because "starts a path" depends on
//! what stands before the slash.

use crate::root::Root;

/// Schemes whose URLs name no file of the host.
const URL_SCHEMES: [&str; 4] = ["http", "https", "skill", "test"];

/// Whether our words hold something that reads as a host path.
pub(super) fn name_a_host_path(words: &str) -> bool {
    let mut at = 0;
    while let Some(offset) = words[at..].find(['/', '\\']) {
        let slash = at + offset;
        match judge(words, slash) {
            Verdict::Leak => return true,
            Verdict::SkipTo(end) => at = end,
        }
    }
    false
}

enum Verdict {
    Leak,
    SkipTo(usize),
}

fn judge(words: &str, slash: usize) -> Verdict {
    let (before, after) = (&words[..slash], &words[slash + 1..]);
    let next = after.chars().next();
    if words.as_bytes()[slash] == b'\\' {
        let leak = next == Some('\\') || is_drive(before);
        return if leak { Verdict::Leak } else { Verdict::SkipTo(slash + 1) };
    }
    if before.ends_with(':') {
        return after_colon(words, slash);
    }
    if before.ends_with('~') && !before[..before.len() - 1].ends_with(continues_component) {
        return Verdict::Leak;
    }
    let relative = before.ends_with(continues_component);
    let leads_somewhere = next.is_some_and(|c| continues_component(c) || c == '/') || words == "/";
    if !relative && leads_somewhere { Verdict::Leak } else { Verdict::SkipTo(slash + 1) }
}

/// A slash after a colon belongs to an address, to a web URL, or to a host path.
fn after_colon(words: &str, slash: usize) -> Verdict {
    let head = token_before(&words[..slash - 1]);
    let after = &words[slash + 1..];
    let is_address = head.parse::<Root>().is_ok() && !after.starts_with('/');
    let is_url = URL_SCHEMES.contains(&head) && after.starts_with('/') && !after.starts_with("//");
    if is_address || is_url {
        return Verdict::SkipTo(token_end(words, slash + 1));
    }
    let leads_somewhere = after.chars().next().is_some_and(|c| continues_component(c) || c == '/');
    if leads_somewhere || is_drive(&words[..slash]) {
        Verdict::Leak
    } else {
        Verdict::SkipTo(slash + 1)
    }
}

/// `X:` at the end, with nothing before the letter that would make it a longer word.
fn is_drive(before: &str) -> bool {
    let mut backwards = before.chars().rev();
    backwards.next() == Some(':')
        && backwards.next().is_some_and(|c| c.is_ascii_alphabetic())
        && !backwards.next().is_some_and(|c| c.is_alphanumeric() || c == '_')
}

fn continues_component(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '~' | '@' | '+' | '%' | '$' | '#')
}

fn token_before(text: &str) -> &str {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    text.rsplit(|c: char| !allowed(c)).next().unwrap_or_default()
}

fn token_end(text: &str, from: usize) -> usize {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>' | '|');
    text[from..].find(ends).map_or(text.len(), |offset| from + offset)
}

#[cfg(test)]
mod tests {
    use super::name_a_host_path;

    #[test]
    fn host_paths_are_found() {
        for words in [
            "/",
            "/etc/passwd",
            "cannot open /home/me/x",
            "(/mnt/c)",
            "\"/Users/me\"",
            "x=/tmp/a",
            "C:\\Windows",
            "at c:/x",
            "\\\\server\\share",
            "\\\\?\\C:\\x",
            "~/.ssh",
            "in ~/x",
            "file:///etc",
            "file:/etc",
            "path:/etc",
            "ROOT_PROJECT://etc",
            "ROOT_NOPE:/x",
            "a, /b",
            "[/opt]",
            "//server/share",
            "see /é",
            "/.ssh",
            "mod:/x",
            "root_user:/x",
            "ROOT_PROJECT:/a and /etc",
            "https://example.org /etc",
            "https:///etc",
        ] {
            assert!(name_a_host_path(words), "{words}");
        }
    }

    #[test]
    fn honest_words_pass() {
        for words in [
            "",
            "and/or",
            "src/a.rs",
            "./x",
            "I/O",
            "text/plain",
            "a / b",
            "1/2",
            "ROOT_PROJECT:/home/me",
            "`ROOT_PROJECT:/src/a.rs`",
            "mod:docs:/x",
            "(mod:docs:/x)",
            "https://json-schema.org/draft/2020-12/schema",
            "test://template/7/data",
            "use ROOT_USER:/ here",
            "^[^/]+$",
            "a\\b",
            "ROOT_X:/",
            "time 10:/",
        ] {
            assert!(!name_a_host_path(words), "{words}");
        }
    }
}
