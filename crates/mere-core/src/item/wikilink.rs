//! Finds `[[wikilinks]]` in the body of a note: `[[id]]` and `[[category/id]]`, with `#heading`,
//! `|alias` or `.md`, also embedded as `![[id]]`. Text in code is not a link.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::fault::ItemFault;
use crate::text::markdown;
use crate::text::markdown::{PatchError, Section};

/// The character that replaces code while links are searched. No item id contains it.
const CODE_MASK: &str = "`";

/// Returns the byte range of each link's target in a body, without heading, alias and `.md`.
pub fn find_wikilinks(body: &str) -> Result<Vec<Range<usize>>, ItemFault> {
    if !body.contains("[[") {
        return Ok(Vec::new());
    }
    let visible = mask_code(body)?;
    let mut targets = Vec::new();
    let mut place = 0;
    while let Some(found) = visible[place..].find("[[") {
        let open = place + found;
        let start = open + 2;
        // The next `[[`, even one bracket further, begins a link of its own.
        let limit = visible[open + 1..].find("[[").map_or(visible.len(), |next| open + 1 + next);
        place = limit;
        let inner = visible.get(start..limit).unwrap_or_default();
        let inner = inner.split(['\n', '\r']).next().unwrap_or_default();
        if let Some(length) = inner.find("]]").filter(|_| !is_escaped(&visible[..open])) {
            let target = target_range(&inner[..length]);
            targets.push(start + target.start..start + target.end);
        }
    }
    Ok(targets)
}

/// Returns the range of the target within the brackets.
fn target_range(inner: &str) -> Range<usize> {
    let named = inner.split(['|', '#']).next().unwrap_or_default();
    // In a table, the bar before an alias is escaped.
    let is_barred = inner[named.len()..].starts_with('|');
    let named = if is_barred { named.strip_suffix('\\').unwrap_or(named) } else { named };
    let trimmed = named.trim();
    let start = named.len() - named.trim_start().len();
    let trimmed = trimmed.strip_suffix(".md").unwrap_or(trimmed);
    start..start + trimmed.len()
}

/// Reports whether the text ends with a backslash that escapes what follows.
fn is_escaped(before: &str) -> bool {
    let signs = before.len() - before.trim_end_matches('\\').len();
    signs % 2 == 1
}

/// Masks the code in a body. The result is exactly as long as the body, so offsets stay valid.
fn mask_code(body: &str) -> Result<String, ItemFault> {
    // Deep nesting takes the parser too long, and the patch code knows which texts are too deep. No
    // text has a block with an empty name, so the call can only report that. The line break in
    // front keeps text that looks like a second frontmatter part of the body.
    let nothing = Section::Block(String::new());
    let found = markdown::patch(&["\n", body].concat(), &nothing, None, "");
    if matches!(found, Err(PatchError::TooDeep)) {
        let fix = "Nest quotes and lists less deeply.";
        return Err(ItemFault::whole_file("the note is nested too deeply to find its links", fix));
    }
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_TASKLISTS;
    let mut visible = String::with_capacity(body.len());
    for (event, range) in Parser::new_ext(body, options).into_offset_iter() {
        if matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_))) {
            visible.push_str(body.get(visible.len()..range.start).unwrap_or_default());
            visible.push_str(&CODE_MASK.repeat(range.end.saturating_sub(visible.len())));
        }
    }
    visible.push_str(&body[visible.len()..]);
    Ok(visible)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, expected: &[&str]) {
        let found = find_wikilinks(body).expect("links");
        let found = found.into_iter().map(|range| &body[range]).collect::<Vec<_>>();
        assert_eq!(found, expected, "{body:?}");
    }

    #[test]
    fn a_link_names_its_target() {
        check("a [[b]] c ![[d]]", &["b", "d"]);
        check(
            "[[a|b]] [[a#b]] [[a#^b|c]] [[ a ]] [[x/y/a]] [[/a]]",
            &["a", "a", "a", "a", "x/y/a", "/a"],
        );
        check("[[a.md]] [[a.md#b]] [[é|ü]]\r\n[[b]]", &["a", "a", "é", "b"]);
        check("| x | y |\n|---|---|\n| [[a\\|b]] | [[c]] |\n", &["a", "c"]);
        check("# [[a]]\n\n> - [[b]]\n\n[[[c]]] [[#own]] [[]]", &["a", "b", "c", "", ""]);
        check("<b>[[a]]</b> %%[[b]]%% \\\\[[c]]", &["a", "b", "c"]);
    }

    #[test]
    fn what_is_no_link_is_none() {
        check("[[a\nb]] [[a] ] \\[[a]] [ [a]] [[a", &[]);
        check("[[x [[a]] ]]", &["a"]);
    }

    #[test]
    fn code_is_none() {
        check("`[[a]]` ``[[a]] ` `` [[b]]", &["b"]);
        check("```\n[[a]]\n```\n[[b]]\n~~~md\n[[a]]\n", &["b"]);
        check("> ```\n> [[a]]\n\n[[b]]\n", &["b"]);
        check("- x\n\n  ```\n  [[a]]\n  ```\n- [[b]]\n\n      [[a]]\n", &["b"]);
        check("x\n\n    [[a]]\n\n[[b`x`]] [[c|`x`]] `é [[a]]`[[d]]", &["b`x`", "c", "d"]);
        check("`open [[a]]\n\nclosed` [[b]]", &["a", "b"]);
    }

    #[test]
    fn deep_notes_are_refused_and_long_ones_read() {
        let deep = format!("{}[[a]]", "> ".repeat(1000));
        assert!(find_wikilinks(&deep).is_err());
        assert!(find_wikilinks(&format!("---\n{deep}\n---\n")).is_err());
        check(&"> ".repeat(1000), &[]);
        for piece in ["[[", "]]", "[", "`[[", "\\", "[[a]]`", "[[a|", "\\[["] {
            let long = piece.repeat(200_000 / piece.len());
            assert!(find_wikilinks(&long).is_ok(), "{piece}");
        }
    }
}
