//! Changes to a TOML text of another program that keep every other byte of it.
//!
//! A table is appended at the end, or removed with its own lines; comments stay. Each change is
//! checked before it is returned: read as TOML, the new text differs from the old one in that table
//! only.

use toml::{Table, Value};

/// Why a text was not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TomlEditError {
    /// It is not TOML.
    #[error("it is not valid TOML")]
    NotToml,
    /// The table is written in a way in which it cannot be changed alone.
    #[error("it is written in a way in which it cannot be changed safely")]
    Unsafe,
}

/// A value of a table.
#[derive(Clone, Debug)]
pub enum TomlValue {
    /// A text.
    Text(String),
    /// A list of texts.
    Texts(Vec<String>),
}

impl TomlValue {
    fn to_value(&self) -> Value {
        match self {
            Self::Text(text) => Value::String(text.clone()),
            Self::Texts(texts) => Value::Array(texts.iter().cloned().map(Value::String).collect()),
        }
    }

    /// Writes the value. JSON's form of a string is one of TOML's.
    fn render(&self) -> String {
        let quote = |text: &String| serde_json::Value::from(text.as_str()).to_string();
        match self {
            Self::Text(text) => quote(text),
            Self::Texts(texts) => {
                format!("[{}]", texts.iter().map(quote).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// A table of a TOML text: `[group.name]`.
#[derive(Clone, Debug)]
pub struct TomlTable<'a> {
    /// The table that holds it.
    pub group: &'a str,
    /// Its own name.
    pub name: &'a str,
    /// Its keys and their values.
    pub keys: Vec<(&'a str, TomlValue)>,
}

impl TomlTable<'_> {
    /// Returns the table as it is written.
    pub fn render(&self) -> String {
        let keys = self.keys.iter().map(|(key, value)| format!("{key} = {}\n", value.render()));
        format!("[{}.{}]\n{}", self.group, self.name, keys.collect::<String>())
    }

    fn value(&self) -> Value {
        let keys = self.keys.iter().map(|(key, value)| ((*key).to_owned(), value.to_value()));
        Value::Table(keys.collect())
    }

    /// Returns whether a text has this table with exactly these keys.
    pub fn is_in(&self, text: &str) -> Result<bool, TomlEditError> {
        Ok(self.find(&parse(text)?) == Some(&self.value()))
    }

    /// Sets the table in a text.
    pub fn set(&self, text: &str) -> Result<String, TomlEditError> {
        let before = parse(text)?;
        if self.find(&before) == Some(&self.value()) {
            return Ok(text.to_owned());
        }
        let kept = self.remove(text)?.unwrap_or_else(|| text.to_owned());
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let break_before = match kept.as_str() {
            "" => "",
            kept if kept.ends_with('\n') => line_end,
            _ => &line_end.repeat(2),
        };
        let changed = format!("{kept}{break_before}{}", self.render().replace('\n', line_end));
        let mut expected = parse(&kept)?;
        let group = expected.entry(self.group).or_insert_with(|| Value::Table(Table::new()));
        let group = group.as_table_mut().ok_or(TomlEditError::Unsafe)?;
        group.insert(self.name.to_owned(), self.value());
        check(changed, &expected)
    }

    /// Removes the table of this name from a text, whatever its keys are. Returns `None` if there
    /// is none.
    pub fn remove(&self, text: &str) -> Result<Option<String>, TomlEditError> {
        let mut expected = parse(text)?;
        if self.find(&expected).is_none() {
            return Ok(None);
        }
        let kept = self.cut_lines(text).ok_or(TomlEditError::Unsafe)?;
        let group = expected.get_mut(self.group).and_then(Value::as_table_mut);
        let group = group.ok_or(TomlEditError::Unsafe)?;
        group.remove(self.name);
        // A group that is named only by its tables goes with the last of them.
        let still = parse(&kept).map_err(|_| TomlEditError::Unsafe)?;
        if group.is_empty() && !still.contains_key(self.group) {
            expected.remove(self.group);
        }
        check(kept, &expected).map(Some)
    }

    fn find<'a>(&self, table: &'a Table) -> Option<&'a Value> {
        table.get(self.group)?.get(self.name)
    }

    /// Cuts the lines of the table and of those below it, and one blank line before each.
    fn cut_lines(&self, text: &str) -> Option<String> {
        let mut kept = Vec::<&str>::new();
        // The lines of the table that may yet turn out to belong to the next one.
        let mut open = Vec::<&str>::new();
        let (mut is_inside, mut has_header) = (false, false);
        for line in text.split_inclusive('\n') {
            let header = line.trim_start().starts_with('[');
            if header {
                let was_inside = is_inside;
                is_inside = self.is_own_header(line);
                has_header |= is_inside;
                kept.append(&mut open);
                let follows_blank = kept.last().is_some_and(|last| last.trim().is_empty());
                if is_inside && !was_inside && follows_blank {
                    kept.pop();
                }
            } else if is_inside {
                let is_comment = line.trim().is_empty() || line.trim_start().starts_with('#');
                if is_comment {
                    open.push(line);
                } else {
                    open.clear();
                }
                continue;
            }
            if !is_inside {
                kept.push(line);
            }
        }
        kept.append(&mut open);
        has_header.then(|| kept.concat())
    }

    /// Returns whether a line is the header of the table, or of one below it.
    fn is_own_header(&self, line: &str) -> bool {
        let Some(inner) = line.trim_start().trim_start_matches('[').split(']').next() else {
            return false;
        };
        let mut names = inner.split('.').map(|name| name.trim().trim_matches(['"', '\'']));
        names.next() == Some(self.group) && names.next() == Some(self.name)
    }
}

fn parse(text: &str) -> Result<Table, TomlEditError> {
    text.parse().map_err(|_| TomlEditError::NotToml)
}

/// Accepts a new text if it says what is expected, and nothing else.
fn check(changed: String, expected: &Table) -> Result<String, TomlEditError> {
    match parse(&changed) {
        Ok(table) if table == *expected => Ok(changed),
        _ => Err(TomlEditError::Unsafe),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> TomlTable<'static> {
        let args = TomlValue::Texts(vec!["mcp".to_owned()]);
        TomlTable {
            group: "mcp_servers",
            name: "mere",
            keys: vec![("command", TomlValue::Text("mere".to_owned())), ("args", args)],
        }
    }

    const WRITTEN: &str = "[mcp_servers.mere]\ncommand = \"mere\"\nargs = [\"mcp\"]\n";

    #[test]
    fn a_table_comes_and_goes_and_everything_else_stays() {
        for before in
            ["", "model = \"x\" # mine\n", "[mcp_servers.other]\ncommand = \"o\"\n# last\n"]
        {
            let after = table().set(before).expect("changed");
            let gap = if before.is_empty() { "" } else { "\n" };
            assert_eq!(after, format!("{before}{gap}{WRITTEN}"));
            assert_eq!(table().is_in(&after), Ok(true));
            assert_eq!(table().set(&after), Ok(after.clone()), "a second time");
            assert_eq!(table().remove(&after), Ok(Some(before.to_owned())));
        }
        assert_eq!(table().remove("a = 1"), Ok(None));
    }

    #[test]
    fn only_its_own_lines_go() {
        let text = "a = 1\n\n[mcp_servers.\"mere\"]\ncommand = \"old\"\n\n[mcp_servers.mere.env]\nX = \"1\"\n\
                    # about the next\n[other]\ntext = \"\"\"\n[not.a.header]\n\"\"\"\n";
        let kept = table().remove(text).expect("changed").expect("it was there");
        let expected =
            "a = 1\n\n# about the next\n[other]\ntext = \"\"\"\n[not.a.header]\n\"\"\"\n";
        assert_eq!(kept, expected);
        let set = table().set(text).expect("changed");
        assert_eq!(set, format!("{expected}\n{WRITTEN}"));
    }

    #[test]
    fn what_cannot_be_changed_alone_is_refused() {
        for (text, expected) in [
            ("a = ", TomlEditError::NotToml),
            ("a = 1\na = 2\n", TomlEditError::NotToml),
            ("mcp_servers = { x = { command = \"x\" } }\n", TomlEditError::Unsafe),
            ("mcp_servers.mere = { command = \"x\" }\n", TomlEditError::Unsafe),
            ("mcp_servers = 1\n", TomlEditError::Unsafe),
            ("[mcp_servers.mere]\nx = \"\"\"\n[a]\n\"\"\"\n", TomlEditError::Unsafe),
        ] {
            assert_eq!(table().set(text), Err(expected), "{text}");
        }
    }
}
