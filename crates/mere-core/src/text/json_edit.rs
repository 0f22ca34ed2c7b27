//! Changes to a JSON text of another program that keep every other byte of it.
//!
//! Comments, blank lines and the order of members stay as they are. Each change is checked before
//! it is returned: read as JSON, the new text differs from the old one in that one place only.

use serde_json::Value;

use super::json_tree::{JsonEntry, JsonNode};

/// Why a text was not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonEditError {
    /// It is not JSON, not even with comments.
    #[error("it is not valid JSON")]
    NotJson,
    /// A name on the way to the place is there twice, so that readers may disagree about it.
    #[error("it has a key twice that leads to the place of the change")]
    DuplicateKey,
    /// Something on the way to the place is not an object, or the place is not a list.
    #[error("a value that leads to the place of the change is of another kind")]
    OtherKind,
    /// The change would have changed something else as well.
    #[error("it is written in a way in which it cannot be changed safely")]
    Unsafe,
}

/// Returns the value at a path of names, if there is one.
pub fn find_value(text: &str, path: &[&str]) -> Result<Option<Value>, JsonEditError> {
    let root = JsonNode::parse(text).ok_or(JsonEditError::NotJson)?;
    Ok(follow_path(&root, path)?.found().map(|entry| entry.value.to_value()))
}

/// Sets the member at a path of names. Objects that are missing on the way are made. An empty text
/// becomes an object.
pub fn set_value(text: &str, path: &[&str], value: &Value) -> Result<String, JsonEditError> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let root = JsonNode::parse(text).ok_or(JsonEditError::NotJson)?;
    let layout = Layout::detect(text, &root);
    let mut expected = root.to_value();
    *member_mut(&mut expected, path).ok_or(JsonEditError::OtherKind)? = value.clone();
    let changed = match follow_path(&root, path)? {
        Target::Found { entry, .. } if entry.value.to_value() == *value => text.to_owned(),
        Target::Found { entry, .. } => {
            let new = layout.render_at(value, line_indent_of(text, entry.start));
            format!("{}{new}{}", &text[..entry.value.start], &text[entry.value.end..])
        }
        Target::Missing { parent, depth } => {
            let (name, inner) = path[depth..].split_first().ok_or(JsonEditError::OtherKind)?;
            let value = inner.iter().rfold(value.clone(), |value, name| {
                Value::Object([((*name).to_owned(), value)].into_iter().collect())
            });
            let member = format!("{}: ", Value::from(*name));
            layout.append(text, parent, (&member, &value))
        }
    };
    check(changed, &expected)
}

/// Appends an element to the list at a path of names. A list that is missing is made.
pub fn append_element(text: &str, path: &[&str], value: &Value) -> Result<String, JsonEditError> {
    if text.trim().is_empty() {
        return set_value(text, path, &Value::Array(vec![value.clone()]));
    }
    let root = JsonNode::parse(text).ok_or(JsonEditError::NotJson)?;
    let Target::Found { entry, .. } = follow_path(&root, path)? else {
        return set_value(text, path, &Value::Array(vec![value.clone()]));
    };
    let mut expected = root.to_value();
    let list = member_mut(&mut expected, path).and_then(Value::as_array_mut);
    list.ok_or(JsonEditError::OtherKind)?.push(value.clone());
    check(Layout::detect(text, &root).append(text, &entry.value, ("", value)), &expected)
}

/// Removes the member at a path of names. Returns `None` if there is none.
pub fn remove_value(text: &str, path: &[&str]) -> Result<Option<String>, JsonEditError> {
    let root = JsonNode::parse(text).ok_or(JsonEditError::NotJson)?;
    let Target::Found { parent, entry } = follow_path(&root, path)? else { return Ok(None) };
    let mut expected = root.to_value();
    if let Some((name, above)) = path.split_last() {
        let object = member_mut(&mut expected, above).and_then(Value::as_object_mut);
        object.ok_or(JsonEditError::OtherKind)?.shift_remove(*name);
    }
    check(remove_entry(text, parent, entry), &expected).map(Some)
}

/// Removes an element from the list at a path of names. Returns `None` if it is not there.
pub fn remove_element(
    text: &str,
    path: &[&str],
    value: &Value,
) -> Result<Option<String>, JsonEditError> {
    let root = JsonNode::parse(text).ok_or(JsonEditError::NotJson)?;
    let Target::Found { entry: list, .. } = follow_path(&root, path)? else { return Ok(None) };
    let elements = list.value.entries();
    let Some(at) = elements.iter().position(|element| element.value.to_value() == *value) else {
        return Ok(None);
    };
    let mut expected = root.to_value();
    let values = member_mut(&mut expected, path).and_then(Value::as_array_mut);
    values.ok_or(JsonEditError::OtherKind)?.remove(at);
    check(remove_entry(text, &list.value, &elements[at]), &expected).map(Some)
}

/// Accepts a new text if it says what is expected, and nothing else.
fn check(changed: String, expected: &Value) -> Result<String, JsonEditError> {
    match JsonNode::parse(&changed) {
        Some(node) if node.to_value() == *expected => Ok(changed),
        _ => Err(JsonEditError::Unsafe),
    }
}

/// Where a path of names leads.
enum Target<'a> {
    Found {
        parent: &'a JsonNode,
        entry: &'a JsonEntry,
    },
    /// The names from `depth` on are missing.
    Missing {
        parent: &'a JsonNode,
        depth: usize,
    },
}

impl<'a> Target<'a> {
    fn found(&self) -> Option<&'a JsonEntry> {
        match self {
            Self::Found { entry, .. } => Some(entry),
            Self::Missing { .. } => None,
        }
    }
}

fn follow_path<'a>(root: &'a JsonNode, path: &[&str]) -> Result<Target<'a>, JsonEditError> {
    let mut parent = root;
    for (depth, name) in path.iter().enumerate() {
        if !parent.is_object() {
            return Err(JsonEditError::OtherKind);
        }
        let mut named = parent.entries().iter().filter(|entry| entry.key.as_deref() == Some(name));
        let Some(entry) = named.next() else { return Ok(Target::Missing { parent, depth }) };
        if named.next().is_some() {
            return Err(JsonEditError::DuplicateKey);
        }
        if depth + 1 == path.len() {
            return Ok(Target::Found { parent, entry });
        }
        parent = &entry.value;
    }
    Err(JsonEditError::OtherKind)
}

/// Returns the place of a member in a value, made of empty objects where it is missing.
fn member_mut<'a>(value: &'a mut Value, path: &[&str]) -> Option<&'a mut Value> {
    path.iter().try_fold(value, |value, name| {
        if value.is_null() {
            *value = Value::Object(serde_json::Map::new());
        }
        Some(value.as_object_mut()?.entry(*name).or_insert(Value::Null))
    })
}

/// Removes a member or an element, the white space before it, and one comma.
fn remove_entry(text: &str, parent: &JsonNode, entry: &JsonEntry) -> String {
    let entries = parent.entries();
    let before = entries.iter().take_while(|other| other.start < entry.start).last();
    let start = text[..entry.start].trim_end().len();
    // A comment at the end of a line must not swallow what follows.
    let comma = entry.comma.or_else(|| before.and_then(|before| before.comma));
    let mut cuts = vec![(start, entry.value.end)];
    cuts.extend(comma.map(|comma| (comma, comma + 1)));
    cuts.sort_unstable();
    let mut kept = String::new();
    let mut at = 0;
    for (from, to) in cuts {
        kept.push_str(text.get(at..from).unwrap_or_default());
        at = at.max(to);
    }
    kept + &text[at..]
}

/// How a text is laid out.
struct Layout {
    /// The white space of one level.
    unit: String,
    line_end: &'static str,
}

impl Layout {
    fn detect(text: &str, root: &JsonNode) -> Self {
        let first = root.entries().first();
        let unit = first.and_then(|entry| line_indent(text, entry.start));
        Self {
            unit: unit.filter(|unit| !unit.is_empty()).unwrap_or("  ").to_owned(),
            line_end: if text.contains("\r\n") { "\r\n" } else { "\n" },
        }
    }

    /// Writes a value whose first line has this indentation.
    fn render_at(&self, value: &Value, indent: &str) -> String {
        let line_end = self.line_end;
        let inner = format!("{indent}{}", self.unit);
        let (open, lines, close) = match value {
            Value::Object(members) if !members.is_empty() => {
                let lines = members.iter().map(|(name, value)| {
                    format!("{}: {}", Value::from(name.as_str()), self.render_at(value, &inner))
                });
                ('{', lines.collect::<Vec<_>>(), '}')
            }
            // A list of words is short, and stays on its line.
            Value::Array(elements)
                if elements.iter().any(|one| one.is_object() || one.is_array()) =>
            {
                let lines = elements.iter().map(|value| self.render_at(value, &inner));
                ('[', lines.collect(), ']')
            }
            Value::Array(elements) => {
                let words = elements.iter().map(Value::to_string).collect::<Vec<_>>();
                return format!("[{}]", words.join(", "));
            }
            other => return other.to_string(),
        };
        let lines = lines.join(&format!(",{line_end}{inner}"));
        format!("{open}{line_end}{inner}{lines}{line_end}{indent}{close}")
    }

    /// Adds a member (with its name and a colon) or an element at the end of its parent.
    fn append(&self, text: &str, parent: &JsonNode, (name, value): (&str, &Value)) -> String {
        let close = parent.end - 1;
        let last = parent.entries().last();
        let is_one_line = last.is_some() && !text[parent.start..parent.end].contains('\n');
        let comma_at = last.filter(|last| last.comma.is_none()).map(|last| last.value.end);
        let end = text[..close].trim_end().len();
        // Where every entry has a comma after it, the new one has one too.
        let comma_after = if last.is_some() && comma_at.is_none() { "," } else { "" };
        let (head, gap) = match comma_at {
            Some(at) => (format!("{},", &text[..at]), &text[at..end]),
            None => (text[..end].to_owned(), ""),
        };
        if is_one_line {
            return format!("{head}{gap} {name}{value}{comma_after}{}", &text[end..]);
        }
        let outer = line_indent_of(text, parent.start);
        let indent = last
            .and_then(|last| line_indent(text, last.start))
            .map_or_else(|| format!("{outer}{}", self.unit), str::to_owned);
        let new = self.render_at(value, &indent);
        let line_end = self.line_end;
        // An object without line ends gets them; what closes it keeps its own line otherwise.
        let tail = if text[end..close].contains('\n') {
            text[end..].to_owned()
        } else {
            format!("{line_end}{outer}{}", &text[close..])
        };
        format!("{head}{gap}{line_end}{indent}{name}{new}{comma_after}{tail}")
    }
}

/// Returns the white space before a position, if nothing else stands before it on its line.
fn line_indent(text: &str, at: usize) -> Option<&str> {
    let start = text[..at].rfind('\n')? + 1;
    let indent = &text[start..at];
    indent.trim().is_empty().then_some(indent)
}

/// Returns the white space at the start of the line of a position.
fn line_indent_of(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = &text[start..at];
    &line[..line.len() - line.trim_start().len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PATH: [&str; 2] = ["servers", "mere"];

    fn check_set(before: &str, expected: &str) {
        let value = json!({ "command": "mere", "args": ["mcp"] });
        let after = set_value(before, &PATH, &value).expect("changed");
        assert_eq!(after, expected);
        assert_eq!(find_value(&after, &PATH), Ok(Some(value.clone())));
        assert_eq!(set_value(&after, &PATH, &value), Ok(after.clone()), "a second time");
        let removed = remove_value(&after, &PATH).expect("removed").expect("it was there");
        assert_eq!(find_value(&removed, &PATH), Ok(None));
        if before.contains("servers") {
            let kept = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(kept(&removed), kept(before));
        }
    }

    #[test]
    fn a_member_is_added_and_everything_else_stays() {
        check_set(
            "",
            "{\n  \"servers\": {\n    \"mere\": {\n      \"command\": \"mere\",\n      \"args\": \
             [\"mcp\"]\n    }\n  }\n}\n",
        );
        check_set(
            "{\"servers\":{\"x\":{}}}",
            "{\"servers\":{\"x\":{}, \"mere\": {\"command\":\"mere\",\"args\":[\"mcp\"]}}}",
        );
        check_set(
            "{\n\t// mine\n\t\"servers\": {\n\t\t\"x\": 1 // one\n\t}\n}\n",
            "{\n\t// mine\n\t\"servers\": {\n\t\t\"x\": 1, // one\n\t\t\"mere\": {\n\t\t\t\"command\": \
             \"mere\",\n\t\t\t\"args\": [\"mcp\"]\n\t\t}\n\t}\n}\n",
        );
        check_set(
            "{\r\n  \"servers\": {\r\n    \"x\": 1,\r\n  },\r\n}",
            "{\r\n  \"servers\": {\r\n    \"x\": 1,\r\n    \"mere\": {\r\n      \"command\": \
             \"mere\",\r\n      \"args\": [\"mcp\"]\r\n    },\r\n  },\r\n}",
        );
    }

    #[test]
    fn an_addition_that_is_removed_leaves_the_bytes_that_were_there() {
        for before in [
            "{\n  \"servers\": {\n    \"x\": { \"a\": [1, 2] } // one\n  },\n  \"y\": 1.0\n}\n",
            "{\"servers\":{\"x\":{}}}",
            "{\n\"servers\" : {\n\n \"x\":{}\n\n\n}}",
        ] {
            let after = set_value(before, &PATH, &json!({ "command": "mere" })).expect("changed");
            assert_eq!(remove_value(&after, &PATH), Ok(Some(before.to_owned())));
        }
    }

    #[test]
    fn elements_of_lists_come_and_go() {
        let path = ["hooks", "SessionStart"];
        let value = json!({ "hooks": [{ "type": "command" }] });
        for before in [
            "{\n  \"hooks\": {\n    \"SessionStart\": [\n      { \"x\": 1 }\n    ]\n  }\n}\n",
            "{\"hooks\":{\"SessionStart\":[1]}}",
        ] {
            let after = append_element(before, &path, &value).expect("changed");
            let list = find_value(&after, &path).expect("JSON").expect("a list");
            assert_eq!(list[1], value);
            assert_eq!(remove_element(&after, &path, &value), Ok(Some(before.to_owned())));
        }
        let new = append_element("{}", &path, &value).expect("changed");
        assert_eq!(find_value(&new, &path), Ok(Some(json!([value]))));
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_not_changed() {
        let set = |text| set_value(text, &PATH, &json!(1));
        assert_eq!(set("{"), Err(JsonEditError::NotJson));
        assert_eq!(set("{\"servers\":{},\"servers\":{}}"), Err(JsonEditError::DuplicateKey));
        assert_eq!(set("{\"servers\":{\"mere\":1,\"mere\":2}}"), Err(JsonEditError::DuplicateKey));
        assert_eq!(set("{\"servers\":[]}"), Err(JsonEditError::OtherKind));
        assert_eq!(set("[]"), Err(JsonEditError::OtherKind));
    }
}
