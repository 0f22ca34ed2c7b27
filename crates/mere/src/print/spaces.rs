//! How a space looks to a person: what was created in it, its index, its config, its graph, and
//! what a check of it found.

use serde::Deserialize;

use super::Printer;
use super::items::{BAD, FAINT, GOOD, STRONG, UnlistedScript, item_name, push_line};
use super::reply::ReplyView;

/// The most existing items, and the most stray files, that a preview lists.
const MAX_PREVIEW_ITEMS: usize = 20;

/// The data of a reply to `mere init`.
#[derive(Deserialize)]
pub(crate) struct CreatedSpace {
    made: Vec<String>,
    next: Vec<String>,
    /// The key that signed the examples. It is absent if no key could be used.
    pub(crate) key: Option<String>,
    #[serde(default)]
    pub(crate) key_made: bool,
    git_hook: Option<String>,
}

/// The data of a preview of `mere init`.
#[derive(Deserialize)]
pub(crate) struct InitPreview {
    pub(crate) is_space: bool,
    items: u64,
    signed: u64,
    unsigned: u64,
    unknown_key: u64,
    broken: u64,
    /// How many items a person is offered to sign.
    pub(crate) to_sign: u64,
    /// The items that have no valid signature.
    not_signed: Vec<ExistingItem>,
    strays: Vec<StrayFile>,
    scripts_without_manifest: Vec<UnlistedScript>,
}

#[derive(Deserialize)]
struct ExistingItem {
    item_type: String,
    id: String,
    category: String,
    status: String,
    fault: Option<String>,
}

impl InitPreview {
    /// Returns true if there is nothing that a new space would change for agents.
    pub(crate) fn is_empty(&self) -> bool {
        self.items == 0 && self.strays.is_empty() && self.scripts_without_manifest.is_empty()
    }
}

/// The data of a reply to `mere index`.
#[derive(Deserialize)]
pub(crate) struct IndexUpdate {
    spaces: Vec<IndexedSpace>,
}

#[derive(Deserialize)]
struct IndexedSpace {
    scope: String,
    items: u64,
    strays: Vec<StrayFile>,
}

/// The data of a reply to `mere index --check`.
#[derive(Deserialize)]
pub(crate) struct IndexCheck {
    spaces: Vec<ComparedSpace>,
}

#[derive(Deserialize)]
struct ComparedSpace {
    scope: String,
    state: String,
    missing: Vec<String>,
    changed: Vec<String>,
    gone: Vec<String>,
    strays: Vec<StrayFile>,
    #[serde(default)]
    scripts_without_manifest: Vec<UnlistedScript>,
}

/// A file that is not an item.
#[derive(Deserialize)]
pub(super) struct StrayFile {
    path: String,
    why: String,
}

/// The data of a reply to `mere config check`.
#[derive(Deserialize)]
pub(crate) struct ConfigCheck {
    files: Vec<CheckedConfig>,
}

#[derive(Deserialize)]
struct CheckedConfig {
    address: String,
    state: String,
    problem: Option<String>,
    note: Option<String>,
    #[serde(default)]
    warnings: Vec<String>,
}

/// The data of a reply to `mere graph`.
#[derive(Deserialize)]
pub(crate) struct GraphDrawing {
    drawing: String,
}

/// The data of a reply to `mere doctor` and `mere graph --check`.
#[derive(Deserialize)]
pub(crate) struct CheckReport {
    checks: Vec<CheckResult>,
}

#[derive(Deserialize)]
struct CheckResult {
    check: String,
    state: String,
    what: String,
    address: Option<String>,
    fix: Option<String>,
}

impl Printer {
    /// Formats what a folder holds before it becomes a space, and what changes for agents.
    pub(crate) fn init_preview(&self, reply: &ReplyView<InitPreview>) -> String {
        let data = &reply.data;
        let mut out = self.sentence(reply);
        let unknown = match data.unknown_key {
            0 => String::new(),
            count => format!("{count} signed by unknown keys, "),
        };
        let counts = format!(
            "{} signed, {} unsigned, {unknown}{} broken",
            data.signed, data.unsigned, data.broken
        );
        push_line(&mut out, format_args!("  {}", self.paint(&counts, FAINT)));
        for item in data.not_signed.iter().take(MAX_PREVIEW_ITEMS) {
            let name = item_name(&item.category, &item.id);
            let fault = item.fault.as_deref().map(|fault| format!(": {fault}")).unwrap_or_default();
            let line = format!("{} {name} · {}{fault}", item.item_type, item.status);
            push_line(&mut out, format_args!("  {}", self.escape_controls(&line)));
        }
        push_rest(&mut out, data.not_signed.len());
        for stray in data.strays.iter().take(MAX_PREVIEW_ITEMS) {
            let line = format!("{}: {}", stray.path, stray.why);
            push_line(&mut out, format_args!("  not an item: {}", self.escape_controls(&line)));
        }
        push_rest(&mut out, data.strays.len());
        let scripts = &data.scripts_without_manifest;
        for line in self.scripts(&scripts[..scripts.len().min(MAX_PREVIEW_ITEMS)]).lines() {
            push_line(&mut out, format_args!("  {line}"));
        }
        push_rest(&mut out, scripts.len());
        out += "In a space that requires signatures, agents use directives, tools and lockfiles \
            only if they are signed.\n";
        out
    }

    /// Formats a space that was created.
    pub(crate) fn new_space(&self, reply: &ReplyView<CreatedSpace>) -> String {
        let (mut out, data) = (self.sentence(reply), &reply.data);
        for path in &data.made {
            let mark = self.paint("+", GOOD);
            push_line(&mut out, format_args!("  {mark} {}", self.path(path)));
        }
        if let Some(key) = &data.key {
            let made = if data.key_made { "generated now, without a passphrase" } else { "yours" };
            push_line(&mut out, format_args!("  key {} ({made})", self.escape_controls(key)));
        } else {
            out += "  nothing was signed: your key could not be used; `mere doctor` says why\n";
        }
        if let Some(hook) = &data.git_hook {
            push_line(&mut out, format_args!("  pre-commit hook: {hook}"));
        }
        out += "\nTry next:\n";
        for step in &data.next {
            push_line(&mut out, format_args!("  {}", self.paint(&self.command(step), STRONG)));
        }
        out
    }

    /// Formats what the index contains now.
    pub(crate) fn index_update(&self, reply: &ReplyView<IndexUpdate>) -> String {
        let mut out = String::new();
        for IndexedSpace { scope, items, strays } in &reply.data.spaces {
            let word = if *items == 1 { "item" } else { "items" };
            push_line(&mut out, format_args!("{scope}: {items} {word}"));
            out += &self.strays(strays);
        }
        self.with_sentence(out, reply)
    }

    /// Formats how the index differs from the disk.
    pub(crate) fn index_check(&self, reply: &ReplyView<IndexCheck>) -> String {
        let mut out = String::new();
        for space in &reply.data.spaces {
            push_line(&mut out, format_args!("{}: {}", space.scope, space.state));
            for (paths, mark) in [(&space.missing, "+"), (&space.changed, "~"), (&space.gone, "-")]
            {
                for path in paths {
                    push_line(&mut out, format_args!("  {mark} {}", self.escape_controls(path)));
                }
            }
            out += &self.strays(&space.strays);
            out += &self.scripts(&space.scripts_without_manifest);
        }
        self.with_sentence(out, reply)
    }

    pub(super) fn strays(&self, strays: &[StrayFile]) -> String {
        let lines = strays.iter().map(|StrayFile { path, why }| {
            format!("  not an item: {} ({why})\n", self.escape_controls(path))
        });
        lines.collect()
    }

    /// Formats the state of the config files.
    pub(crate) fn config(&self, reply: &ReplyView<ConfigCheck>) -> String {
        let mut out = String::new();
        for file in &reply.data.files {
            let address = self.escape_controls(&file.address);
            push_line(&mut out, format_args!("{address}: {}", file.state));
            for words in [&file.problem, &file.note].into_iter().flatten() {
                push_line(&mut out, format_args!("  {}", self.escape_controls(words)));
            }
            for warning in &file.warnings {
                let mark = self.paint("note:", FAINT);
                push_line(&mut out, format_args!("  {mark} {}", self.escape_controls(warning)));
            }
        }
        out
    }

    /// Formats a drawing of entries and their links.
    pub(crate) fn graph(&self, reply: &ReplyView<GraphDrawing>) -> String {
        let drawing = &reply.data.drawing;
        if drawing.trim().is_empty() {
            return "There is no knowledge here yet; `mere new knowledge ID` creates an entry.\n"
                .into();
        }
        let mut out = self.content(drawing);
        if !out.ends_with('\n') {
            out.push('\n');
        }
        out
    }

    /// Formats what the doctor found, or what is wrong with links.
    pub(crate) fn checks(&self, reply: &ReplyView<CheckReport>) -> String {
        let mut out = String::new();
        for check in &reply.data.checks {
            let (mark, style) = match check.state.as_str() {
                "wrong" => ("✗", BAD),
                "note" => ("·", FAINT),
                _ => ("✓", GOOD),
            };
            let place = check.address.as_ref().map(|address| format!("{} ", self.path(address)));
            let place = place.unwrap_or_default();
            let words = self.escape_controls(&check.what);
            let name = self.paint(&check.check, STRONG);
            push_line(&mut out, format_args!("{} {name}: {place}{words}", self.paint(mark, style)));
            if let Some(fix) = &check.fix {
                push_line(&mut out, format_args!("    {}", self.escape_controls(fix)));
            }
        }
        self.with_sentence(out, reply)
    }
}

/// Says how many entries of a list the preview leaves out.
fn push_rest(out: &mut String, count: usize) {
    let more = count.saturating_sub(MAX_PREVIEW_ITEMS);
    if more > 0 {
        push_line(out, format_args!("  … and {more} more"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pipe_printer, success};
    use serde_json::json;

    #[test]
    fn a_new_space_says_who_signed_it() {
        let space = |more: &str| {
            let data =
                json!({ "made": [], "next": ["mere list"], "git_hook": "made", "key": more });
            pipe_printer().new_space(&success(data))
        };
        let end = "  pre-commit hook: made\n\nTry next:\n  mere list\n";
        assert_eq!(space("SHA256:x"), format!("Done.\n  key SHA256:x (yours)\n{end}"));
        let locked = pipe_printer().new_space(&success(json!({ "made": [], "next": [] })));
        assert!(locked.contains("  nothing was signed: your key could not be used"), "{locked}");
    }

    #[test]
    fn an_index_is_told_with_what_differs() {
        let strays = json!([{ "path": "s", "why": "odd" }]);
        let data = json!({ "spaces": [{ "scope": "user", "items": 1, "strays": strays }] });
        let updated = pipe_printer().index_update(&success(data));
        assert_eq!(updated, "user: 1 item\n  not an item: s (odd)\nDone.\n");
        let data = json!({ "spaces": [{ "scope": "user", "state": "stale", "missing": ["a"],
            "changed": ["b"], "gone": ["c"], "strays": strays }] });
        let expected = "user: stale\n  + a\n  ~ b\n  - c\n  not an item: s (odd)\nDone.\n";
        assert_eq!(pipe_printer().index_check(&success(data)), expected);
    }

    #[test]
    fn a_config_file_is_told_with_its_problem_and_its_notes() {
        let data = json!({ "files": [{ "address": "ROOT_USER:/c", "state": "wrong",
            "problem": "p", "note": "n", "warnings": ["w"] }] });
        let expected = "ROOT_USER:/c: wrong\n  p\n  n\n  note: w\n";
        assert_eq!(pipe_printer().config(&success(data)), expected);
    }

    #[test]
    fn a_check_is_told_with_its_place_and_its_fix() {
        let data = json!({ "checks": [
            { "check": "a", "state": "wrong", "what": "w", "address": "ROOT_PROJECT:/x", "fix": "f" },
            { "check": "b", "state": "note", "what": "n" },
            { "check": "c", "state": "fixed", "what": "r" },
        ] });
        let expected = "✗ a: x w\n    f\n· b: n\n✓ c: r\nDone.\n";
        assert_eq!(pipe_printer().checks(&success(data)), expected);
    }
}
