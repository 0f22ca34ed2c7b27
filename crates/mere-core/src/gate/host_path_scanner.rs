//! Finds host paths in our own words.
//!
//! Our words never need an absolute path, so anything that looks like one is a leak: a drive, a
//! UNC name, `~/`, or a `/` that does not continue a relative path. Addresses and web URLs inside
//! a sentence are recognised and skipped. The scanner is written by hand, because whether a slash
//! starts a path depends on the text before it.

use crate::address::Address;

/// Schemes whose URLs do not name a file of the host.
const URL_SCHEMES: [&str; 5] = ["http", "https", "mere", "skill", "test"];

/// Checks whether our words contain something that reads as a host path.
pub(super) fn has_host_path(words: &str) -> bool {
    if has_escaped_separator(words) || words == "/" {
        return true;
    }
    let mut at = 0;
    while let Some(offset) = words[at..].find(['/', '\\']) {
        let slash = at + offset;
        match scan_separator(words, slash) {
            ScanStep::Leak => return true,
            ScanStep::SkipTo(end) => at = end,
        }
    }
    false
}

enum ScanStep {
    Leak,
    SkipTo(usize),
}

fn scan_separator(words: &str, slash: usize) -> ScanStep {
    let (before, after) = (&words[..slash], &words[slash + 1..]);
    if words.as_bytes()[slash] == b'\\' {
        let leak =
            after.starts_with('\\') || has_drive_suffix(before) || is_path_start(before, after);
        return if leak { ScanStep::Leak } else { ScanStep::SkipTo(slash + 1) };
    }
    if before.ends_with(':') {
        return scan_after_colon(words, slash);
    }
    let component = trailing_run(before, is_component_char);
    let leak = component.starts_with('~') || is_path_start(before, after);
    if leak { ScanStep::Leak } else { ScanStep::SkipTo(slash + 1) }
}

/// Checks whether a separator between `before` and `after` begins an absolute path: there is
/// nothing before it that it could continue, and something after it that it could lead to.
fn is_path_start(before: &str, after: &str) -> bool {
    let leads = |c: char| !c.is_whitespace() && !"\"'`)]}>.,;:|…".contains(c);
    let dotted = after.starts_with('.') && after[1..].starts_with(is_component_char);
    !before.ends_with(is_component_char) && (after.starts_with(leads) || dotted)
}

/// Decides whether a slash after a colon belongs to an address, to a URL, or to a host path.
fn scan_after_colon(words: &str, slash: usize) -> ScanStep {
    let head = trailing_run(&words[..slash - 1], |c| {
        c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':')
    });
    let after = &words[slash + 1..];
    let end = token_end(words, slash + 1);
    let token = words[slash - 1 - head.len()..end].trim_end_matches(['.', ':', '!', '?']);
    let is_url = URL_SCHEMES.contains(&head) && after.starts_with('/') && !after.starts_with("//");
    if is_url || token.parse::<Address>().is_ok() {
        return ScanStep::SkipTo(end);
    }
    let leads =
        after.starts_with('/') || is_path_start("", after) || has_drive_suffix(&words[..slash]);
    if leads { ScanStep::Leak } else { ScanStep::SkipTo(slash + 1) }
}

/// Checks for `X:` at the end, where the letter is not the end of a longer word.
fn has_drive_suffix(before: &str) -> bool {
    let mut backwards = before.chars().rev();
    backwards.next() == Some(':')
        && backwards.next().is_some_and(|c| c.is_ascii_alphabetic())
        && !backwards.next().is_some_and(|c| c.is_alphanumeric() || c == '_')
}

/// Checks for escaped separators, for which our words have no use.
fn has_escaped_separator(words: &str) -> bool {
    let escapes = ["%2f", "%5c", "\\u002f", "\\u005c"];
    words.contains(['%', '\\']) && {
        let lower = words.to_ascii_lowercase();
        escapes.iter().any(|escape| lower.contains(escape))
    }
}

fn is_component_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '~' | '@' | '+' | '%' | '$' | '#' | '*')
}

/// Returns the longest suffix of `text` that consists of such characters.
fn trailing_run(text: &str, such: impl Fn(char) -> bool) -> &str {
    text.rsplit(|c: char| !such(c)).next().unwrap_or_default()
}

/// Finds the end of a word that holds an address or a URL.
fn token_end(text: &str, from: usize) -> usize {
    let ends = |c: char| c.is_whitespace() || "\"'`<>|,;)]=".contains(c);
    text[from..].find(ends).map_or(text.len(), |offset| from + offset)
}

#[cfg(test)]
mod tests {
    use super::has_host_path;

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
            "ROOT_PROJECT:/a,/etc/passwd",
            "ROOT_USER:/x;cat=/etc/passwd",
            "https://x,/etc/passwd",
            "ROOT_PROJECT:/../../etc/passwd",
            "\\Users\\me\\x",
            "~root/x",
            "%2Fetc%2Fpasswd",
            "/(x)",
            "C:\\",
            "the drive c:/ is full",
            "on D:\\.",
        ] {
            assert!(has_host_path(words), "{words}");
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
            "test://template/{id}/data",
            "use ROOT_USER:/ here",
            "^[^/]+$",
            "a\\b",
            "ROOT_X:/",
            "time 10:/",
        ] {
            assert!(!has_host_path(words), "{words}");
        }
    }
}
