//! Tells whether a separator in a text begins an absolute path or continues another one.
//!
//! The folder `/app` is named by `cd /app` and not by `src/app/page.tsx`. For folders of several
//! components this does not matter, because no relative path has all of them by chance.

use std::ops::Range;

use super::path_reading;
use crate::address::Root;

/// Beginnings after which a path is absolute although it touches them.
const CARRIERS: [&str; 6] =
    ["file://", "file://localhost", "://file", "/@fs", "/proc/self/root", "/proc/1/root"];

/// Options of compilers that a path follows without a gap.
const OPTIONS: [&str; 6] = ["-isystem", "-iquote", "-idirafter", "-include", "-isysroot", "-rpath"];

/// The part before a separator that is looked at.
const MAX_BEFORE_BYTES: usize = 96;

/// Checks whether the path at `place` of a text is absolute.
pub(super) fn begins_at(text: &str, place: &Range<usize>) -> bool {
    // In `//app` only the second slash could begin the path; `/./app` begins with its first.
    let start = last_separator(text.as_bytes(), place.start).unwrap_or(place.start);
    begins_after(&text[..start])
        || follows_form_space(text, place.start)
        || is_emphasised(&text[..place.start], &text[place.end..])
}

/// Returns the last of the separators at `at`, unless there are dots between them.
fn last_separator(text: &[u8], mut at: usize) -> Option<usize> {
    let names = path_reading::skip_separators(text, at);
    loop {
        match path_reading::separator_end(text, at)? {
            end if end == names => return Some(at),
            end => at = end,
        }
    }
}

/// Checks whether a separator right after `before` begins an absolute path.
fn begins_after(before: &str) -> bool {
    let near = &before[before.ceil_char_boundary(before.len().saturating_sub(MAX_BEFORE_BYTES))..];
    let plain = path_reading::read_plain(near);
    let near = without_detours(&plain);
    let Some(last) = near.chars().next_back() else { return true };
    if CARRIERS.iter().any(|carrier| near.ends_with(carrier)) || ends_in_colour(near.as_bytes()) {
        return true;
    }
    match last {
        ':' => !ends_in_root(near),
        '/' | '<' | '>' | '}' | ')' | ']' | '*' | '?' | '#' | '%' => false,
        c if continues_component(c) => follows_option(near) || follows_diff_sign(near),
        _ => true,
    }
}

/// Returns what precedes a path without the names that `..` takes back: `/x/..` before `/app`.
fn without_detours(mut near: &str) -> &str {
    while let Some(above) = near.strip_suffix("/..") {
        let name_start = above.trim_end_matches(continues_component).len();
        match above[..name_start].strip_suffix('/') {
            Some(rest) => near = rest,
            // The root is above itself. What stands before the slash tells whether this is the root:
            // it is after `-I`, and not after the name of a folder.
            None => return above,
        }
    }
    near
}

/// Checks for a space as a form writes it, before a slash that is escaped as in a form.
fn follows_form_space(text: &str, slash: usize) -> bool {
    let before = &text[..slash];
    text[slash..].starts_with('%') && before.ends_with('+') && !before.ends_with("++")
}

/// Checks for a path between signs of emphasis, which end where the path ends: `_/app_`,
/// `~~/app/x~~`. The glob `**/app/**` is none, because its last slash is followed by a name.
fn is_emphasised(before: &str, after: &str) -> bool {
    let Some(sign @ ('_' | '*' | '~')) = before.chars().next_back() else { return false };
    let rest = before.trim_end_matches(sign);
    let marks = &before[rest.len()..];
    if rest.ends_with(continues_component) || sign == '~' && marks.len() < 2 {
        return false;
    }
    let line = after.lines().next().unwrap_or_default();
    line.find(marks).is_some_and(|at| !line[..at].ends_with(['/', ' ']))
}

/// Checks for the end of a path component. In scripts without spaces prose touches a path.
fn continues_component(c: char) -> bool {
    let is_word = c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '~' | '@' | '+');
    is_word && !is_of_spaceless_script(c)
}

fn is_of_spaceless_script(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Checks for the root of an address: `ROOT_PROJECT:` or `mod:name:`.
fn ends_in_root(near: &str) -> bool {
    let is_root_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    let head = near.trim_end_matches(':');
    let head = head.rsplit(|c| !is_root_char(c)).next().unwrap_or_default();
    head.parse::<Root>().is_ok()
}

/// Checks for an option that a path follows without a gap: `-I/app/include`.
fn follows_option(near: &str) -> bool {
    let word = near.rsplit(|c: char| !continues_component(c)).next().unwrap_or_default();
    let is_short = word.len() == 2 && word.starts_with('-') && word.ends_with(char::is_alphabetic);
    is_short || OPTIONS.contains(&word)
}

/// Checks for the sign at the beginning of a changed line.
fn follows_diff_sign(near: &str) -> bool {
    let rest = near.trim_end_matches(['+', '-']);
    rest.len() < near.len() && (rest.is_empty() || rest.ends_with('\n'))
}

/// Checks for a colour of a terminal whose escape character got lost on the way.
fn ends_in_colour(near: &[u8]) -> bool {
    let [colour @ .., b'm'] = near else { return false };
    let is_number = |byte: &&u8| byte.is_ascii_digit() || **byte == b';';
    let length = colour.iter().rev().take_while(is_number).count();
    colour[..colour.len() - length].ends_with(b"[")
}

#[cfg(test)]
mod tests {
    use super::{begins_after, follows_diff_sign, is_emphasised};

    #[test]
    fn emphasis_ends_where_the_path_ends() {
        for (before, after) in
            [("_", "/app_"), ("see **", "/app/x** there"), ("~~", "/app~~"), ("~~~", "/app~~~")]
        {
            assert!(is_emphasised(before, after), "{before}{after}");
        }
        for (before, after) in [
            ("~", "/app/x~ there"),
            ("a_", "/app_"),
            ("**", "/app/**"),
            ("*", "/app and *"),
            ("_", "/app\n_"),
            ("see ", "/app"),
        ] {
            assert!(!is_emphasised(before, after), "{before}{after}");
        }
    }

    #[test]
    fn a_changed_line_begins_with_a_sign() {
        for before in ["+", "-", "++", "a\n+", "a\n-"] {
            assert!(follows_diff_sign(before), "{before:?}");
        }
        for before in ["", "\n", "a", "a+", "a\n +"] {
            assert!(!follows_diff_sign(before), "{before:?}");
        }
    }

    #[test]
    fn a_path_begins_after_gaps_signs_and_carriers() {
        for before in [
            "",
            " ",
            "\n",
            "\"",
            "'",
            "`",
            "(",
            "[",
            "{",
            "=",
            ",",
            ";",
            "|",
            "&",
            "!",
            "cd ",
            "#!",
            "PATH=/usr/bin:",
            "host:",
            "file://",
            "file:\\/\\/",
            "vscode://file",
            "http://localhost:5173/@fs",
            "/proc/self/root",
            "-I",
            "-isystem",
            "gcc -L",
            "+",
            "-",
            "\n+",
            "\\n",
            "{\\t",
            "%20",
            "%3D",
            "\\u0022",
            "\u{1b}[31m",
            "[31m",
            "[1;32m",
            "[m",
            "/..",
            "(/..",
            "/x/..",
            "-I/..",
            "\n+/..",
            "プロジェクトは",
            "在",
        ] {
            assert!(begins_after(before), "{before:?}");
        }
    }

    #[test]
    fn a_path_continues_after_names_variables_and_roots() {
        for before in [
            "src",
            "src\\",
            ".",
            "..",
            "~",
            "@",
            "a-",
            "x_",
            "${HOME}",
            "$(pwd)",
            "[slug]",
            "*",
            "<",
            "<home>",
            "//",
            "https://example.com",
            "http://localhost:8080",
            "café",
            "#",
            "ROOT_PROJECT:",
            "see ROOT_USER:",
            "mod:docs:",
            "a-I",
            "src%2Flib",
            "C++",
            "31m",
            "(1;2m",
            "src/..",
            "a/b/..",
            "../..",
        ] {
            assert!(!begins_after(before), "{before:?}");
        }
    }
}
