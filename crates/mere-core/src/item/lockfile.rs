//! A lockfile: the pinned chain of one version of a tool, at one location.
//!
//! It is strict JSON with a closed schema. The location that it states must be its own, so that a
//! lockfile that was moved or renamed is caught.

use serde_json::{Map, Value};

use super::fault::{ItemFault, place_mismatch};
use super::id::{Category, ItemId};
use super::kind::Scope;
use super::path::ScopedPath;
use super::reference::ItemRef;
use super::version::Version;
use super::{integrity, json_pointer};
use crate::digest::Sha256;
use crate::reply::{Content, ParsedName, Prose};
use crate::text::json;

const FIX: &str = "Create it again with `mere lock`.";

/// A parsed lockfile.
#[derive(Clone, Debug)]
pub struct Lockfile {
    /// The version of the tool it pins.
    pub version: Version,
    /// The canonical hash of that tool.
    pub root_integrity: Sha256,
    /// The chain, from the tool to a primitive.
    pub chain: Vec<PinnedTool>,
    /// The id of the space it is for.
    pub space_id: String,
    /// The whole lockfile as JSON.
    pub value: Value,
}

/// One pinned tool of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinnedTool {
    /// Its id.
    pub id: ItemId,
    /// Its version.
    pub version: Version,
    /// Its scope; `None` for a tool that ships in the binary.
    pub scope: Option<Scope>,
    /// Its category.
    pub category: Category,
    /// Its canonical hash.
    pub integrity: Sha256,
    /// The tool that runs it; `None` for a primitive.
    pub executor: Option<ItemId>,
}

impl PinnedTool {
    /// Returns the category and id that name it.
    pub fn reference(&self) -> ItemRef {
        let category = Some(self.category.clone()).filter(|category| !category.is_empty());
        ItemRef { category, id: self.id.clone(), version: None }
    }
}

impl Lockfile {
    /// Parses the lockfile that lies at `at`.
    pub fn parse(text: &str, at: &ScopedPath) -> Result<Self, ItemFault> {
        let value = json::parse(text.as_bytes()).map_err(|error| ItemFault {
            line: error.line.max(1),
            column: error.column.max(1),
            what: "the lockfile is not strict JSON".into(),
            fix: FIX.into(),
        })?;
        let top = ObjectReader::new(text, &value, String::new())?;
        top.reject_older_format(at)?;
        top.reject_unknown(&[
            "lockfile_version",
            "root",
            "resolved_chain",
            "registry",
            "metadata",
        ])?;
        if top.get("lockfile_version")? != &Value::from(1) {
            return Err(top.fault("lockfile_version", "is not 1"));
        }
        let (root, version) = parse_root(&top, at)?;
        let chain = parse_chain(&top)?;
        check_registry(&top)?;
        let space_id = parse_metadata(&top, at)?;
        Ok(Self { version, root_integrity: root, chain, space_id, value })
    }

    /// Reports whether a text is a lockfile of the older format.
    pub fn is_older_format(text: &[u8]) -> bool {
        let value = json::parse(text).ok();
        value.as_ref().and_then(Value::as_object).is_some_and(is_older_format)
    }

    /// Computes its canonical hash.
    pub fn integrity(&self) -> Sha256 {
        integrity::hash_lockfile(&self.value)
    }
}

/// Reports whether a lockfile is of the older format, which pins a chain but does not say for which
/// place: it says when it was made, or its links have no scopes and its `metadata` no `space_id`.
fn is_older_format(top: &Map<String, Value>) -> bool {
    let links = ["resolved_chain", "chain"].iter().find_map(|key| top.get(*key));
    let Some(links) = links.and_then(Value::as_array) else { return false };
    let has_scopes = links.iter().any(|link| link.get("scope").is_some());
    let space = top.get("metadata").and_then(|metadata| metadata.get("space_id"));
    top.contains_key("generated_at") || !has_scopes && space.is_none()
}

fn parse_root(top: &ObjectReader<'_>, at: &ScopedPath) -> Result<(Sha256, Version), ItemFault> {
    let root = top.object("root")?;
    root.reject_unknown(&["tool_id", "version", "integrity"])?;
    root.check_equals("tool_id", at.id.as_str())?;
    let version = root.parse("version", "is not SemVer")?;
    root.check_equals("version", &version_text(at))?;
    Ok((root.parse("integrity", NOT_A_DIGEST)?, version))
}

const NOT_A_DIGEST: &str = "is not 64 lower-case hexadecimal digits";

fn parse_chain(top: &ObjectReader<'_>) -> Result<Vec<PinnedTool>, ItemFault> {
    let items = top.get("resolved_chain")?.as_array();
    let items = items.ok_or_else(|| top.fault("resolved_chain", "is not a list"))?;
    let links = items.iter().enumerate().map(|(index, item)| {
        let link = ObjectReader::new(top.text, item, format!("/resolved_chain/{index}"))?;
        link.reject_unknown(&["tool_id", "version", "scope", "category", "integrity", "executor"])?;
        let scope = match link.string("scope")? {
            "builtin" => None,
            _ => Some(link.parse("scope", "is not project, user, registry or builtin")?),
        };
        let executor = match link.get("executor")? {
            Value::Null => None,
            _ => Some(link.parse("executor", "is not a valid id")?),
        };
        Ok(PinnedTool {
            id: link.parse("tool_id", "is not a valid id")?,
            version: link.parse("version", "is not SemVer")?,
            scope,
            category: link.parse("category", "is not a valid category")?,
            integrity: link.parse("integrity", NOT_A_DIGEST)?,
            executor,
        })
    });
    links.collect()
}

fn check_registry(top: &ObjectReader<'_>) -> Result<(), ItemFault> {
    if top.get("registry")?.is_null() {
        return Ok(());
    }
    let registry = top.object("registry")?;
    registry.reject_unknown(&["id", "url"])?;
    registry.string("id")?;
    registry.string("url").map(|_| ())
}

fn parse_metadata(top: &ObjectReader<'_>, at: &ScopedPath) -> Result<String, ItemFault> {
    let metadata = top.object("metadata")?;
    metadata.reject_unknown(&["tool_id", "version", "category", "scope", "space_id"])?;
    metadata.check_equals("tool_id", at.id.as_str())?;
    metadata.check_equals("version", &version_text(at))?;
    metadata.check_equals("category", at.category.as_str())?;
    metadata.check_equals("scope", at.scope.name())?;
    let space = metadata.parse::<uuid::Uuid>("space_id", "is not a UUID");
    space.and_then(|_| metadata.string("space_id")).map(str::to_owned)
}

fn version_text(at: &ScopedPath) -> String {
    at.version.as_ref().map(Version::to_string).unwrap_or_default()
}

/// A reader of the fields of one object, which knows their offsets for faults.
struct ObjectReader<'a> {
    text: &'a str,
    map: &'a Map<String, Value>,
    /// The JSON pointer of the object.
    pointer: String,
}

impl<'a> ObjectReader<'a> {
    fn new(text: &'a str, value: &'a Value, pointer: String) -> Result<Self, ItemFault> {
        let map = value.as_object().ok_or_else(|| {
            let at = json_pointer::find_value(text, &pointer).map_or(0, |range| range.start);
            ItemFault::at_offset(text, at, "this is not an object", FIX)
        })?;
        Ok(Self { text, map, pointer })
    }

    fn object(&self, key: &'static str) -> Result<Self, ItemFault> {
        Self::new(self.text, self.get(key)?, format!("{}/{key}", self.pointer))
    }

    fn get(&self, key: &'static str) -> Result<&'a Value, ItemFault> {
        self.map.get(key).ok_or_else(|| self.fault(key, "is missing"))
    }

    fn string(&self, key: &'static str) -> Result<&'a str, ItemFault> {
        self.get(key)?.as_str().ok_or_else(|| self.fault(key, "is not a string"))
    }

    fn parse<T: std::str::FromStr>(&self, key: &'static str, wrong: &str) -> Result<T, ItemFault> {
        self.string(key)?.parse().map_err(|_| self.fault(key, wrong))
    }

    fn check_equals(&self, key: &'static str, found: &str) -> Result<(), ItemFault> {
        let stated = self.string(key)?;
        if stated == found {
            return Ok(());
        }
        let what = match key {
            "tool_id" => "the tool is",
            "version" => "the version is",
            "category" => "the category is",
            _ => "the scope is",
        };
        let fix = "Move it back to where it was created, or create it again with `mere lock`.";
        Err(ItemFault::at_offset(
            self.text,
            self.offset_of(key),
            place_mismatch(what, stated, found),
            fix,
        ))
    }

    /// Refuses a lockfile of the older format.
    fn reject_older_format(&self, at: &ScopedPath) -> Result<(), ItemFault> {
        let is_older = is_older_format(self.map);
        if !is_older {
            return Ok(());
        }
        let fix = Prose::words("Create it again: `mere lock ")
            .name(ParsedName::from(&at.reference()))
            .and("` replaces it.");
        let what = "this is a lockfile of the older format, which does not say where it belongs";
        Err(ItemFault::whole_file(what, fix))
    }

    /// Refuses fields that are not known.
    fn reject_unknown(&self, known: &[&str]) -> Result<(), ItemFault> {
        let Some(key) = self.map.keys().find(|key| !known.contains(&key.as_str())) else {
            return Ok(());
        };
        let what = Prose::words("the field `").content(Content::mention(key.as_str()));
        Err(ItemFault::at_offset(self.text, self.offset_of(key), what.and("` is not known"), FIX))
    }

    fn fault(&self, key: &'static str, wrong: &str) -> ItemFault {
        let what = Prose::words(format!("`{key}` {wrong}"));
        ItemFault::at_offset(self.text, self.offset_of(key), what, FIX)
    }

    /// Returns the offset of a field's value, or of the object if the field is missing.
    fn offset_of(&self, key: &str) -> usize {
        let field = json_pointer::find_value(self.text, &format!("{}/{key}", self.pointer));
        let place = field.or_else(|| json_pointer::find_value(self.text, &self.pointer));
        place.map_or(0, |range| range.start)
    }
}
