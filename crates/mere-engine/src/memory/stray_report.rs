//! Names what lies in a store and is neither a memory nor a category, for `mere config check` and
//! `mere doctor`, each with the command that renames it. For people.

use std::io;

use mere_core::address::RelPath;
use mere_core::category::CategoryMode;
use mere_core::item::{Category, ItemId};

use super::Store;
use super::table::{StoreStray, StrayReason, find_strays, markdown_stem};
use crate::trust::approvals::project::escape_unprintable;
use crate::world::Context;

/// The most names of files that one line mentions.
const MAX_NAMED: usize = 3;

/// Returns a line for each stray of a store that somebody seems to have meant, one for all other
/// files, and one for each category that may not be read. `option` is what selects the store.
pub(super) fn describe_strays(
    context: &Context,
    store: &Store,
    option: &str,
) -> io::Result<Vec<String>> {
    let what = format!("store `{}`", store.name);
    if store.check_unobstructed(context).is_err() {
        let line = format!("{what}: its folder is a link or a file: put a folder there");
        return Ok(vec![line]);
    }
    let Some(folder) = store.folder(context)? else { return Ok(Vec::new()) };
    let (strays, unreadable) = find_strays(&folder)?;
    let meant = strays.iter().filter(|(_, stray)| stray.reason.seems_meant());
    let mut lines = meant
        .map(|(path, stray)| {
            let force = if needs_force(store, path, stray) { " --force" } else { "" };
            let options = format!("{option}{force}");
            format!("{what}: {}", describe_stray(path, stray, &options))
        })
        .collect::<Vec<_>>();
    let others = strays.iter().filter(|(_, stray)| !stray.reason.seems_meant());
    let others = others.map(|(path, _)| path.as_str()).collect::<Vec<_>>();
    // Outside a space a folder may hold anything.
    if store.is_in_space() && !others.is_empty() {
        lines.push(format!("{what}: {}", describe_others(&others)));
    }
    lines.extend(unreadable.iter().map(|category| {
        format!("{what}: category `{category}` cannot be read: check the permissions of its folder")
    }));
    Ok(lines)
}

fn describe_stray(path: &str, stray: &StoreStray, option: &str) -> String {
    let shown = escape_unprintable(path);
    let (kind, expected) =
        if stray.is_folder { ("folder", "category") } else { ("file", "memory") };
    let fix = match stray.reason {
        StrayReason::NotUtf8 => "rename it by hand".to_owned(),
        StrayReason::Link => "put what it leads to in its place, or remove it".to_owned(),
        StrayReason::OtherFile
        | StrayReason::InvalidSlug
        | StrayReason::WrongEnding
        | StrayReason::InvalidCategory
        | StrayReason::TooDeep => match rename_command(path, stray.reason) {
            Some(command) => format!("run `{command}{option}`"),
            None => "rename it by hand".to_owned(),
        },
    };
    let reason = stray.reason.describe();
    format!("the {kind} `{shown}` is not a {expected}, because {reason}: {fix}")
}

/// Returns whether the store refuses to make a category of a folder unless a person insists.
fn needs_force(store: &Store, path: &str, stray: &StoreStray) -> bool {
    let is_refused = match store.rules.mode() {
        CategoryMode::Free => false,
        CategoryMode::Subcategories => !path.contains('/'),
        CategoryMode::Strict => true,
    };
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    let suggested = suggest_name(name).and_then(|id| match path.rsplit_once('/') {
        Some((parent, _)) => format!("{parent}/{id}").parse::<Category>().ok(),
        None => Category::default().child(&id).ok(),
    });
    let is_configured =
        suggested.is_some_and(|category| store.rules.hierarchy().find(&category).is_some());
    stray.is_folder && is_refused && !is_configured
}

/// Returns the command that renames a stray, if its path can be typed.
fn rename_command(path: &str, reason: StrayReason) -> Option<String> {
    path.parse::<RelPath>().ok()?;
    let (parent, name) = path.rsplit_once('/').map_or(("", path), |(parent, name)| (parent, name));
    let name = match reason {
        StrayReason::InvalidSlug | StrayReason::WrongEnding => {
            markdown_stem(name).map_or(name, |(stem, _)| stem)
        }
        _ => name,
    };
    let new_name = match (reason, suggest_name(name)) {
        (StrayReason::TooDeep, _) => "new-name".to_owned(),
        (_, id) => {
            let id = id.map_or_else(|| "new-name".to_owned(), |id| id.to_string());
            if parent.is_empty() { id } else { format!("{parent}/{id}") }
        }
    };
    Some(format!("mere store rename {} {new_name}", quote_for_shell(path)))
}

/// Suggests a name that a memory or a category may have. A name with letters that have no
/// lower-case ASCII form has no suggestion.
fn suggest_name(name: &str) -> Option<ItemId> {
    if name.chars().any(|c| c.is_alphanumeric() && !c.is_ascii()) {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    let parts = lower.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let parts = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>();
    parts.join("-").parse().ok()
}

fn quote_for_shell(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    if path.chars().all(is_plain) && !path.starts_with('-') {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}

fn describe_others(others: &[&str]) -> String {
    let named = others.iter().take(MAX_NAMED).map(|path| format!("`{}`", escape_unprintable(path)));
    let named = named.collect::<Vec<_>>().join(", ");
    let more = if others.len() > MAX_NAMED { ", …" } else { "" };
    match others.len() {
        1 => format!("the file {named} is not a memory: memories are files `name.md`"),
        many => {
            format!("{many} files are not memories ({named}{more}): memories are files `name.md`")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_suggested_where_one_is_near() {
        for (name, expected) in [
            ("Research", Some("research")),
            ("Meeting Notes", Some("meeting-notes")),
            ("2024 - Q1 (draft)", Some("2024-q1-draft")),
            ("a__b", Some("a__b")),
            ("\u{65e5}\u{672c}", None),
            ("Caf\u{e9}", None),
            ("!!!", None),
        ] {
            assert_eq!(suggest_name(name).map(|id| id.to_string()).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn a_command_can_be_typed_as_it_stands() {
        let command = |path, reason| rename_command(path, reason).expect("a command");
        assert_eq!(
            command("a/Meeting Notes", StrayReason::InvalidCategory),
            "mere store rename 'a/Meeting Notes' a/meeting-notes"
        );
        assert_eq!(
            command("It's.md", StrayReason::InvalidSlug),
            r"mere store rename 'It'\''s.md' it-s"
        );
        assert_eq!(
            command("a.markdown", StrayReason::WrongEnding),
            "mere store rename a.markdown a"
        );
        assert_eq!(
            command("\u{65e5}\u{672c}", StrayReason::InvalidCategory),
            "mere store rename \u{65e5}\u{672c} new-name"
        );
        assert_eq!(
            command("japan/\u{65e5}.md", StrayReason::InvalidSlug),
            "mere store rename japan/\u{65e5}.md japan/new-name"
        );
        assert_eq!(rename_command("a\u{202e}b", StrayReason::InvalidCategory), None);
    }
}
