//! A tool: a YAML manifest, and the files it runs.
//!
//! Only the manifest is parsed here; whether the tool fits into a chain is checked elsewhere.

use serde_json::{Map, Value};

use super::fault::{ItemFault, place_mismatch};
use super::id::ItemId;
use super::integrity::{self, FileDigest, ItemIdentity};
use super::old_signature::{self, has_old_signature};
use super::path::ScopedPath;
use super::tool_permissions::ToolPermissions;
use super::version::{Version, VersionError};
use crate::chain::builtin;
use crate::digest::Sha256;
use crate::reply::{Content, Prose};
use crate::text::yaml;
use crate::text::yaml::YamlEntry;

/// The known tool types.
const TOOL_TYPES: [&str; 6] = ["script", "api", "mcp_server", "mcp_tool", "runtime", "primitive"];

/// Tool types of the older format, the types they are read as, and what is told about that.
const OLDER_TOOL_TYPES: [(&str, &str, &str); 2] = [
    ("python", "script", "`tool_type: python` is an older name and is read as `script`"),
    ("http", "api", "`tool_type: http` is an older name and is read as `api`"),
];

/// Returns the type that a stated tool type is read as, and a warning if it is an older name.
pub(super) fn read_tool_type(stated: &str) -> Option<(&'static str, Option<&'static str>)> {
    let current = TOOL_TYPES.iter().find(|known| **known == stated).map(|known| (*known, None));
    let older = OLDER_TOOL_TYPES.iter().find(|(older, ..)| *older == stated);
    current.or(older.map(|(_, current, warning)| (*current, Some(*warning))))
}

/// The parsed manifest of a tool.
#[derive(Clone, Debug)]
pub struct ToolManifest {
    /// Its version.
    pub version: Version,
    /// Its tool type. An older name in the manifest is replaced by the current one.
    pub tool_type: String,
    /// The tool that runs it; `None` for a primitive.
    pub executor: Option<ItemId>,
    /// What it asks for beyond its own files and the workspace.
    pub permissions: ToolPermissions,
    /// What it does.
    pub description: String,
    /// The whole manifest.
    pub manifest: Map<String, Value>,
    /// What is odd about it without making it invalid.
    pub warnings: Vec<Content>,
}

impl ToolManifest {
    /// Parses the manifest of the tool that lies at `at`. Ids that are reserved for built-in tools
    /// are refused.
    pub fn parse(text: &str, at: &ScopedPath) -> Result<Self, ItemFault> {
        if builtin::is_reserved(&at.id) {
            let fix = "Rename the tool. A tool of that name would run every other tool.";
            return Err(ItemFault::at_offset(
                text,
                0,
                "the id is reserved for a tool that ships with mere",
                fix,
            ));
        }
        Self::parse_builtin(text, at)
    }

    /// Parses the manifest of a tool that ships in the binary, and may have a reserved id.
    pub(crate) fn parse_builtin(text: &str, at: &ScopedPath) -> Result<Self, ItemFault> {
        let entries = yaml::parse_plain_mapping(text);
        let entries = entries.map_err(|error| ItemFault::from_yaml("the manifest", text, error))?;
        let reader = Reader { text, entries };
        reader.check_equals("tool_id", "the id is", at.id.as_str())?;
        reader.check_category(at)?;
        let Some((tool_type, older)) = read_tool_type(reader.require("tool_type")?) else {
            let fix = "Use script, api, mcp_server, mcp_tool, runtime or primitive.";
            return Err(reader.fault("tool_type", "`tool_type` is not a known type", fix));
        };
        let signature = has_old_signature(text).then(old_signature::warning);
        let version = reader.require("version")?.parse().map_err(|error: VersionError| {
            reader.fault("version", error.describe(), "Write `version: 1.0.0`.")
        })?;
        let executor = reader.parse_executor(tool_type)?;
        let permissions = reader.parse_permissions()?;
        let description = reader.text("description")?.unwrap_or_default().to_owned();
        let tool_type = tool_type.to_owned();
        let manifest = reader.entries.into_iter().map(|entry| (entry.key, entry.value)).collect();
        let warnings = older.map(Content::mention).into_iter().chain(signature).collect();
        Ok(Self { version, tool_type, executor, permissions, description, manifest, warnings })
    }

    /// Computes its canonical hash, which covers every file but the manifest by its digest.
    pub fn integrity(&self, at: &ScopedPath, files: &[FileDigest]) -> Sha256 {
        let identity = ItemIdentity { id: &at.id, version: &self.version };
        integrity::hash_tool(identity, &self.manifest, files)
    }
}

/// A reader of the keys of a manifest, which knows their offsets for faults.
struct Reader<'a> {
    text: &'a str,
    entries: Vec<YamlEntry>,
}

impl Reader<'_> {
    fn entry(&self, key: &str) -> Option<&YamlEntry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    fn text(&self, key: &str) -> Result<Option<&str>, ItemFault> {
        match self.entry(key).map(|entry| &entry.value) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.fault(key, "the value is not a string", "Put it in quotes.")),
        }
    }

    fn require(&self, key: &'static str) -> Result<&str, ItemFault> {
        let missing = || {
            let what = Prose::words(format!("`{key}` is missing"));
            self.fault(key, what, "A manifest has `tool_id`, `tool_type` and `version`.")
        };
        self.text(key)?.ok_or_else(missing)
    }

    fn check_equals(
        &self,
        key: &'static str,
        what: &'static str,
        found: &str,
    ) -> Result<(), ItemFault> {
        let stated = self.require(key)?;
        if stated == found {
            return Ok(());
        }
        Err(self.fault(key, place_mismatch(what, stated, found), "Correct it, or rename the tool."))
    }

    fn check_category(&self, at: &ScopedPath) -> Result<(), ItemFault> {
        match self.text("category")? {
            Some(stated) if stated != at.category.as_str() => {
                let what = place_mismatch("the category is", stated, at.category.as_str());
                Err(self.fault("category", what, "Correct `category`, or move the tool."))
            }
            _ => Ok(()),
        }
    }

    fn parse_executor(&self, tool_type: &str) -> Result<Option<ItemId>, ItemFault> {
        let fix = "Name the tool that runs it, such as `executor_id: python_runtime`.";
        match (self.text("executor_id")?, tool_type) {
            (None, "primitive") => Ok(None),
            (None, _) => Err(self.fault("executor_id", "`executor_id` is missing", fix)),
            (Some(id), _) => {
                let id = id.parse();
                id.map(Some)
                    .map_err(|_| self.fault("executor_id", "`executor_id` is not a valid id", fix))
            }
        }
    }

    fn parse_permissions(&self) -> Result<ToolPermissions, ItemFault> {
        let fix = "Write, for example, `permissions: {project: read, net: [api.example.org], \
                   secrets: [API_KEY]}`, or leave it out.";
        let value = self.entry("permissions").map(|entry| &entry.value);
        ToolPermissions::parse(value)
            .map_err(|fault| self.fault("permissions", Prose::words(fault.to_string()), fix))
    }

    fn fault(&self, key: &str, what: impl Into<Prose>, fix: &'static str) -> ItemFault {
        let at = self.entry(key).map_or(0, |entry| entry.key_range.start);
        ItemFault::at_offset(self.text, at, what, fix)
    }
}
