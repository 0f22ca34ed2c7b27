//! What helps a person to correct a refused command: the items that a name could mean, what is wrong
//! with the inputs and how they are passed, and the file as a path that can be pasted.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::Printer;
use super::reply::nullable;

/// The data of a refusal, as far as it helps to correct the command.
#[derive(Deserialize)]
pub(crate) struct RefusalDetails {
    #[serde(default)]
    candidates: Vec<AmbiguousItem>,
    #[serde(default)]
    problems: Vec<SchemaProblem>,
    /// What must not leave the machine.
    #[serde(default)]
    findings: Value,
    #[serde(default)]
    address: Value,
    #[serde(default)]
    input_schema: Value,
}

/// An item that an ambiguous name could mean.
#[derive(Deserialize)]
struct AmbiguousItem {
    id: String,
    #[serde(deserialize_with = "nullable")]
    address: Option<String>,
}

/// Something that does not fit a schema, and where it is.
#[derive(Deserialize)]
struct SchemaProblem {
    at: String,
    what: String,
}

impl RefusalDetails {
    /// Describes each thing that does not fit, and where it is; then each input of a tool, as it is
    /// passed at the command line.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        let problems = self.problems.iter().map(|SchemaProblem { at, what }| {
            let words = [at.as_str(), what.as_str()].into_iter().filter(|text| !text.is_empty());
            words.collect::<Vec<_>>().join(": ")
        });
        problems.chain(self.places()).chain(self.inputs())
    }

    /// Describes where each finding is. Other commands have a count of that name.
    fn places(&self) -> impl Iterator<Item = String> {
        let findings = self.findings.as_array().into_iter().flatten();
        findings.filter_map(|one| {
            let text = |key: &str| one.get(key).and_then(Value::as_str);
            Some(format!("{}:{}: {}", text("path")?, one.get("line")?, text("what")?))
        })
    }

    /// Returns the names of the inputs that are required, or of all if none is.
    pub(crate) fn needed(&self) -> Vec<String> {
        let all = self.properties().map(|(name, _)| name);
        let required = all.clone().filter(|name| self.is_required(name)).collect::<Vec<_>>();
        let needed = if required.is_empty() { all.collect() } else { required };
        needed.into_iter().cloned().collect()
    }

    fn properties(&self) -> impl Iterator<Item = (&String, &Value)> + Clone {
        let properties = self.input_schema.get("properties").and_then(Value::as_object);
        properties.into_iter().flat_map(Map::iter)
    }

    fn is_required(&self, name: &str) -> bool {
        let required = self.input_schema.get("required").and_then(Value::as_array);
        required.is_some_and(|all| all.iter().any(|one| one == name))
    }

    /// Describes each input of a tool, as it is passed at the command line.
    pub(crate) fn inputs(&self) -> Vec<String> {
        let describe = |(name, input): (&String, &Value)| {
            let text = |key: &str| input.get(key).and_then(Value::as_str);
            let kind = text("type").map(|kind| format!(" ({kind})")).unwrap_or_default();
            let need = if self.is_required(name) { ", required" } else { "" };
            let about = text("description").map(|about| format!(": {about}")).unwrap_or_default();
            format!("`--param {name}=…`{kind}{need}{about}")
        };
        self.properties().map(describe).collect()
    }
}

impl Printer {
    /// Formats the items that an ambiguous name could mean.
    pub(crate) fn candidate_list(&self, refusal: &RefusalDetails) -> String {
        let rows = refusal
            .candidates
            .iter()
            .map(|one| [one.id.clone(), one.address.clone().unwrap_or_default()]);
        self.table(["ID", "ADDRESS"], rows.collect())
    }

    /// Formats the path of the file that a refusal is about, for a person who pastes it.
    pub(crate) fn refused_path(&self, refusal: &RefusalDetails) -> Option<String> {
        let address = refusal.address.as_str()?;
        let path = self.path(address);
        (self.is_terminal && path != address).then(|| format!("file: {path}"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pipe_printer, success, terminal_printer};
    use super::*;
    use serde_json::json;

    #[test]
    fn a_refusal_says_how_each_input_is_passed() {
        let refusal = success::<RefusalDetails>(json!({
            "problems": [{ "at": "", "what": "`nme` is unknown" }, { "at": "/n", "what": "odd" }],
            "input_schema": { "required": ["csv"], "properties": {
                "csv": { "type": "string", "description": "The file." }, "n": true } },
        }));
        let expected = [
            "`nme` is unknown",
            "/n: odd",
            "`--param csv=…` (string), required: The file.",
            "`--param n=…`",
        ];
        assert_eq!(refusal.data.lines().collect::<Vec<_>>(), expected);
        assert_eq!(refusal.data.needed(), ["csv"]);
        let optional = json!({ "input_schema": { "properties": { "a": {}, "b": {} } } });
        assert_eq!(success::<RefusalDetails>(optional).data.needed(), ["a", "b"]);
    }

    #[test]
    fn a_file_is_told_to_a_person_as_a_path() {
        let about = |address: Value| success::<RefusalDetails>(json!({ "address": address })).data;
        let project = about("ROOT_PROJECT:/.ai/tools/a.yaml".into());
        let printed = terminal_printer().refused_path(&project);
        assert_eq!(printed.as_deref(), Some("file: .ai/tools/a.yaml"));
        assert_eq!(pipe_printer().refused_path(&project), None);
        assert_eq!(terminal_printer().refused_path(&about("ROOT_USER:/a".into())), None);
        assert_eq!(terminal_printer().refused_path(&about(Value::Null)), None);
    }
}
