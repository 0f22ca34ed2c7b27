//! Turns what other programs keep into items: instructions and rules into skills, notes into
//! knowledge entries.

use std::fmt::Write;

use mere_core::text::json;
use serde_json::Value;

/// The category of everything that is imported.
pub(super) const CATEGORY: &str = "adopted";

/// Returns an id made of a name: lower case, digits and single hyphens. Returns `None` if nothing is
/// left of it.
pub(super) fn make_id(name: &str) -> Option<String> {
    let lower = name.to_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let id = words.collect::<Vec<_>>().join("-");
    let id = id.chars().take(64).collect::<String>();
    let id = id.trim_end_matches('-');
    (!id.is_empty()).then(|| id.to_owned())
}

/// Splits a text into its frontmatter, without the lines around it, and the rest.
fn split_frontmatter(text: &str) -> (Option<&str>, &str) {
    let after = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"));
    let Some(after) = after else { return (None, text) };
    if let Some(body) = after.strip_prefix("---\n") {
        return (Some(""), body);
    }
    for line_end in ["\n---\n", "\n---\r\n"] {
        if let Some((front, body)) = after.split_once(line_end) {
            return (Some(front), body);
        }
    }
    match after.strip_suffix("\n---") {
        Some(front) => (Some(front), ""),
        None => (None, text),
    }
}

/// Returns a value of a simple frontmatter.
fn find_field<'a>(front: Option<&'a str>, key: &str) -> Option<&'a str> {
    let line = front?.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    Some(line.trim().trim_matches(['"', '\''])).filter(|value| !value.is_empty())
}

/// Makes a `SKILL.md` of instructions or a rule.
pub(super) fn make_skill(id: &str, file: &str, text: &str) -> String {
    let (front, body) = split_frontmatter(text);
    let usual = format!("The instructions in {file}.");
    let description = find_field(front, "description").unwrap_or(&usual);
    let body = without_block(body);
    format!(
        "---\nname: {id}\ndescription: {}\nmetadata:\n  version: \"1.0.0\"\n  adopted-from: {}\n---\n\n{}\n",
        quote(description),
        quote(file),
        body.trim()
    )
}

/// Returns a text without the block that `mere export` keeps in it.
pub(super) fn without_block(text: &str) -> String {
    let block = text.split_once("<!-- mere:begin");
    let block =
        block.and_then(|(before, rest)| Some((before, rest.split_once("<!-- mere:end -->")?.1)));
    block.map_or_else(|| text.to_owned(), |(before, after)| format!("{before}{after}"))
}

/// Makes a knowledge entry of a note. What it says already stays.
pub(super) fn make_note(id: &str, name: &str, text: &str) -> String {
    let (front, body) = split_frontmatter(text);
    let heading = body.lines().find_map(|line| line.strip_prefix("# ")).map(str::trim);
    let title = heading.filter(|title| !title.is_empty()).unwrap_or(name);
    let mut lines = String::new();
    if find_field(front, "id").is_none() && find_field(front, "zettel_id").is_none() {
        let _ = writeln!(lines, "id: {id}");
    }
    if find_field(front, "title").is_none() {
        let _ = writeln!(lines, "title: {}", quote(title));
    }
    match front {
        None => format!("---\n{lines}---\n\n{text}"),
        Some("") => format!("---\n{lines}---\n{body}"),
        Some(front) => format!("---\n{lines}{front}\n---\n{body}"),
    }
}

/// Makes a knowledge entry of each entity in the graph of the MCP memory server: its id and text.
pub(super) fn make_graph_notes(text: &str) -> Vec<(String, String)> {
    let lines =
        text.lines().filter_map(|line| json::parse(line.as_bytes()).ok()).collect::<Vec<_>>();
    let of_type = |kind: &'static str| lines.iter().filter(move |line| line["type"] == kind);
    let notes = of_type("entity").filter_map(|entity| {
        let name = entity["name"].as_str()?;
        let id = make_id(name)?;
        let observations = entity["observations"].as_array().map(Vec::as_slice).unwrap_or_default();
        let facts = observations.iter().filter_map(Value::as_str).map(|fact| format!("- {fact}\n"));
        let links = of_type("relation").filter(|relation| relation["from"] == name);
        let links = links.filter_map(|relation| {
            let to = make_id(relation["to"].as_str()?)?;
            let how = relation["relationType"].as_str().unwrap_or("related to");
            Some(format!("- {how} [[{to}]]\n"))
        });
        let body = facts.chain(links).collect::<String>();
        let kind = entity["entityType"].as_str().unwrap_or("entity");
        let front = format!("id: {id}\ntitle: {}\ntags: [{}]", quote(name), quote(kind));
        Some((id, format!("---\n{front}\n---\n\n{body}")))
    });
    notes.collect()
}

/// Quotes a text for YAML. JSON's form of a string is one of YAML's.
fn quote(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_keeps_what_it_says() {
        assert_eq!(make_note("a", "A b", "text\n"), "---\nid: a\ntitle: \"A b\"\n---\n\ntext\n");
        let own = "---\nid: x\ntitle: T\ntags: [q]\n---\nbody";
        assert_eq!(make_note("x", "X", own), own);
        let part = make_note("x", "X", "---\npermalink: p\n---\n# Big\n");
        assert_eq!(part, "---\nid: x\ntitle: \"Big\"\npermalink: p\n---\n# Big\n");
    }

    #[test]
    fn an_id_is_made_of_a_name() {
        assert_eq!(make_id("My Note (2)").as_deref(), Some("my-note-2"));
        assert_eq!(make_id("…"), None);
    }
}
