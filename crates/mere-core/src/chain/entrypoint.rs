//! The file of a tool that its runtime is given to run.
//!
//! The built-in runtimes check its form in their schemas too, but a chain may use another runtime.
//! So the path is checked again here, where it is used.

use serde_json::{Map, Value};

use super::Chain;
use crate::address::RelPath;
use crate::item::ItemId;

/// The file that is run, and the tool it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrypoint {
    tool_index: usize,
    path: RelPath,
}

/// A tool's entrypoint is not the path of one of its own files.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`manifest.entrypoint` of `{link}` is not the path of one of its files, such as `main.py`")]
pub struct EntrypointFault {
    /// The tool.
    pub link: ItemId,
}

impl Entrypoint {
    /// Returns the index in the chain of the tool that has this file.
    pub fn tool_index(&self) -> usize {
        self.tool_index
    }

    /// Returns the path from the tool's folder.
    pub fn path(&self) -> &RelPath {
        &self.path
    }
}

impl Chain {
    /// Finds the file that is run: that of the first tool in the chain that names one.
    pub fn entrypoint(&self) -> Result<Option<Entrypoint>, EntrypointFault> {
        let named = self.tools().iter().enumerate().find_map(|(link, member)| {
            let value = member.manifest.get("manifest")?.get("entrypoint")?;
            Some((link, value, &member.pin.id))
        });
        let Some((link, value, id)) = named else { return Ok(None) };
        let path = parse_path(value).ok_or_else(|| EntrypointFault { link: id.clone() })?;
        Ok(Some(Entrypoint { tool_index: link, path }))
    }
}

/// Returns the entrypoint that a manifest names, if it names one and it is the path of a file below
/// the tool's folder.
pub fn manifest_entrypoint(manifest: &Map<String, Value>) -> Option<Option<RelPath>> {
    Some(parse_path(manifest.get("manifest")?.get("entrypoint")?))
}

/// Parses a path that can neither lead out of the folder nor be taken for an option.
fn parse_path(value: &Value) -> Option<RelPath> {
    let text = value.as_str().filter(|text| !text.is_empty() && !text.starts_with('-'))?;
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entrypoint_stays_below_its_folder() {
        for good in ["main.py", "src/main.py", "a b.sh", "é.js", "x/-y"] {
            assert!(parse_path(&Value::from(good)).is_some(), "{good}");
        }
        for bad in [
            "",
            "/x",
            "-c",
            "..",
            "../x",
            "a/../x",
            "./x",
            "a//x",
            "a/",
            "a\\x",
            "a\0",
            "a\nb",
            "\u{202e}x",
        ] {
            assert!(parse_path(&Value::from(bad)).is_none(), "{bad:?}");
        }
        assert!(parse_path(&Value::from(1)).is_none() && parse_path(&Value::Null).is_none());
    }
}
