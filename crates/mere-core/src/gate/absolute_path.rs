//! Tells whether a separator in a text begins an absolute path or continues another one.
//!
//! The folder `/app` is named by `cd /app` and not by `src/app/page.tsx`. For folders of several
//! components this does not matter, because no relative path has all of them by chance.

use crate::address::Root;

/// Beginnings after which a path is absolute although it touches them.
const CARRIERS: [&str; 6] =
    ["file://", "file://localhost", "://file", "/@fs", "/proc/self/root", "/proc/1/root"];

/// Options of compilers that a path follows without a gap.
const OPTIONS: [&str; 6] = ["-isystem", "-iquote", "-idirafter", "-include", "-isysroot", "-rpath"];

/// The part before a separator that is looked at.
const MAX_BEFORE_BYTES: usize = 96;

/// Checks whether a separator right after `before` begins an absolute path.
pub(super) fn begins_after(before: &str) -> bool {
    // A slash may be escaped, and then the backslash belongs to it.
    let before = before.trim_end_matches('\\');
    let near = &before[before.ceil_char_boundary(before.len().saturating_sub(MAX_BEFORE_BYTES))..];
    let Some(last) = near.chars().next_back() else { return true };
    if follows_carrier(near) || ends_in_escape(near.as_bytes()) {
        return true;
    }
    match last {
        ':' => !ends_in_root(near),
        '/' | '<' | '>' | '}' | ')' | ']' | '*' | '?' | '#' | '%' => false,
        c if continues_component(c) => follows_option(near) || follows_diff_sign(near),
        _ => true,
    }
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

fn follows_carrier(near: &str) -> bool {
    let plain = near.replace('\\', "").replace("%2F", "/").replace("%2f", "/").replace("%3A", ":");
    CARRIERS.iter().any(|carrier| plain.ends_with(carrier))
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

/// Checks for an escape that ends in a letter or a digit without being part of a name.
fn ends_in_escape(near: &[u8]) -> bool {
    let hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    match near {
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', a, b] | [.., b'\\', b'x', a, b] if hex(&[*a, *b]) => true,
        [.., b'\\', b'u', a, b, c, d] if hex(&[*a, *b, *c, *d]) => true,
        [colour @ .., b'm'] => {
            let numbers = |byte: &&u8| byte.is_ascii_digit() || **byte == b';';
            let length = colour.iter().rev().take_while(numbers).count();
            colour[..colour.len() - length].ends_with(b"[")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::begins_after;

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
        ] {
            assert!(!begins_after(before), "{before:?}");
        }
    }
}
