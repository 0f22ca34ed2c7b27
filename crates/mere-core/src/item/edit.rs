//! Edits of an item's file that leave every other byte unchanged, and the spelling of YAML scalars
//! in them.

pub(super) use crate::text::edit::{Edit, apply_edits};
use crate::text::yaml;

/// Spells a new YAML scalar like the old one, or quotes it if it would not be read as a text in
/// that spelling.
pub(super) fn respell_scalar(raw: &str, stated: &str, new: &str) -> String {
    let quoted = || format!("\"{new}\"");
    if stated.is_empty() || raw.matches(stated).count() != 1 {
        return quoted();
    }
    let spelled = raw.replacen(stated, new, 1);
    let is_block = raw.ends_with('\n');
    let entries = yaml::parse_plain_mapping(&format!("key: {spelled}"));
    let is_text = entries.is_ok_and(|entries| entries.iter().all(|entry| entry.value == new));
    if is_block || is_text { spelled } else { quoted() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scalar_keeps_its_spelling_where_it_can() {
        for (raw, stated, new, expected) in [
            ("a", "a", "b", "b"),
            ("'a'", "a", "b", "'b'"),
            ("\"a\"", "a", "1", "\"1\""),
            ("a", "a", "1", "\"1\""),
            ("a", "a", "1_000", "\"1_000\""),
            ("a", "a", "on", "\"on\""),
            ("a", "a", "true", "\"true\""),
            ("a", "a", "", "\"\""),
            ("''", "", "a", "\"a\""),
            ("\"\\x61\"", "a", "b", "\"b\""),
            ("a\n\n", "a", "b", "b\n\n"),
        ] {
            assert_eq!(respell_scalar(raw, stated, new), expected, "{raw}");
        }
    }
}
