//! A lockfile: what a tool's chain is pinned to, for one version of it at one place.
//!
//! Strict JSON with a closed schema. What it says of its own place must be its place, so that one
//! that was moved or renamed is caught.

use serde_json::{Map, Value};

use super::fault::{Fault, differ};
use super::id::{Category, ItemId};
use super::integrity;
use super::kind::Scope;
use super::outline;
use super::path::ScopedPath;
use super::version::Version;
use crate::digest::Sha256;
use crate::json;
use crate::reply::{Content, Prose};

const FIX: &str = "Make it again with `mere lock`.";

/// A lockfile that was understood.
#[derive(Clone, Debug)]
pub struct Lockfile {
    /// The version of the tool that it pins.
    pub version: Version,
    /// The hash of that tool.
    pub root: Sha256,
    /// The chain, from the tool down to a primitive.
    pub chain: Vec<Link>,
    /// The space it is for.
    pub space_id: String,
    /// All of it.
    pub value: Value,
}

/// One tool of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its id.
    pub id: ItemId,
    /// Its version.
    pub version: Version,
    /// Where it lives; none for what ships in the binary.
    pub scope: Option<Scope>,
    /// Its category.
    pub category: Category,
    /// Its hash.
    pub integrity: Sha256,
    /// The tool that runs it; none for a primitive.
    pub executor: Option<ItemId>,
}

impl Lockfile {
    /// Reads a lockfile that lies at `at`.
    pub fn parse(text: &str, at: &ScopedPath) -> Result<Self, Fault> {
        let value = json::parse(text.as_bytes()).map_err(|error| Fault {
            line: error.line.max(1),
            column: error.column.max(1),
            what: "the lockfile is not strict JSON".into(),
            fix: FIX.into(),
        })?;
        let top = Fields::of(text, &value, String::new())?;
        top.only(&["lockfile_version", "root", "resolved_chain", "registry", "metadata"])?;
        if top.get("lockfile_version")? != &Value::from(1) {
            return Err(top.fault("lockfile_version", "is not 1"));
        }
        let (root, version) = read_root(&top, at)?;
        let chain = read_chain(&top)?;
        check_registry(&top)?;
        let space_id = read_metadata(&top, at)?;
        Ok(Self { version, root, chain, space_id, value })
    }

    /// Its canonical hash.
    pub fn integrity(&self) -> Sha256 {
        integrity::lockfile(&self.value)
    }
}

fn read_root(top: &Fields<'_>, at: &ScopedPath) -> Result<(Sha256, Version), Fault> {
    let root = top.object("root")?;
    root.only(&["tool_id", "version", "integrity"])?;
    root.check("tool_id", at.id.as_str())?;
    let version = root.parsed("version", "is not SemVer")?;
    root.check("version", &stated_version(at))?;
    Ok((root.parsed("integrity", HEX)?, version))
}

const HEX: &str = "is not 64 lower-case hexadecimal digits";

fn read_chain(top: &Fields<'_>) -> Result<Vec<Link>, Fault> {
    let items = top.get("resolved_chain")?.as_array();
    let items = items.ok_or_else(|| top.fault("resolved_chain", "is not a list"))?;
    let links = items.iter().enumerate().map(|(index, item)| {
        let link = Fields::of(top.text, item, format!("/resolved_chain/{index}"))?;
        link.only(&["tool_id", "version", "scope", "category", "integrity", "executor"])?;
        let scope = match link.string("scope")? {
            "builtin" => None,
            _ => Some(link.parsed("scope", "is not project, user, registry or builtin")?),
        };
        let executor = match link.get("executor")? {
            Value::Null => None,
            _ => Some(link.parsed("executor", "is no id")?),
        };
        Ok(Link {
            id: link.parsed("tool_id", "is no id")?,
            version: link.parsed("version", "is not SemVer")?,
            scope,
            category: link.parsed("category", "is no category")?,
            integrity: link.parsed("integrity", HEX)?,
            executor,
        })
    });
    links.collect()
}

fn check_registry(top: &Fields<'_>) -> Result<(), Fault> {
    if top.get("registry")?.is_null() {
        return Ok(());
    }
    let registry = top.object("registry")?;
    registry.only(&["id", "url"])?;
    registry.string("id")?;
    registry.string("url").map(|_| ())
}

fn read_metadata(top: &Fields<'_>, at: &ScopedPath) -> Result<String, Fault> {
    let metadata = top.object("metadata")?;
    metadata.only(&["tool_id", "version", "category", "scope", "space_id"])?;
    metadata.check("tool_id", at.id.as_str())?;
    metadata.check("version", &stated_version(at))?;
    metadata.check("category", at.category.as_str())?;
    metadata.check("scope", at.scope.name())?;
    let space = metadata.parsed::<uuid::Uuid>("space_id", "is no UUID");
    space.and_then(|_| metadata.string("space_id")).map(str::to_owned)
}

fn stated_version(at: &ScopedPath) -> String {
    at.version.as_ref().map(Version::to_string).unwrap_or_default()
}

/// The fields of one object, and where they stand.
struct Fields<'a> {
    text: &'a str,
    map: &'a Map<String, Value>,
    /// The JSON pointer of the object.
    pointer: String,
}

impl<'a> Fields<'a> {
    fn of(text: &'a str, value: &'a Value, pointer: String) -> Result<Self, Fault> {
        let map = value.as_object().ok_or_else(|| {
            let at = outline::find(text, &pointer).map_or(0, |range| range.start);
            Fault::at(text, at, "this is not an object", FIX)
        })?;
        Ok(Self { text, map, pointer })
    }

    fn object(&self, key: &'static str) -> Result<Self, Fault> {
        Self::of(self.text, self.get(key)?, format!("{}/{key}", self.pointer))
    }

    fn get(&self, key: &'static str) -> Result<&'a Value, Fault> {
        self.map.get(key).ok_or_else(|| self.fault(key, "is missing"))
    }

    fn string(&self, key: &'static str) -> Result<&'a str, Fault> {
        self.get(key)?.as_str().ok_or_else(|| self.fault(key, "is not a text"))
    }

    fn parsed<T: std::str::FromStr>(&self, key: &'static str, wrong: &str) -> Result<T, Fault> {
        self.string(key)?.parse().map_err(|_| self.fault(key, wrong))
    }

    fn check(&self, key: &'static str, found: &str) -> Result<(), Fault> {
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
        let fix = "Put it back where it was made, or make it again with `mere lock`.";
        Err(Fault::at(self.text, self.place(key), differ(what, stated, found), fix))
    }

    /// Refuses fields that are not known.
    fn only(&self, known: &[&str]) -> Result<(), Fault> {
        let Some(odd) = self.map.keys().find(|key| !known.contains(&key.as_str())) else {
            return Ok(());
        };
        let what = Prose::words("the field `").content(Content::mention(odd.as_str()));
        Err(Fault::at(self.text, self.place(odd), what.and("` is not known"), "Take it out."))
    }

    fn fault(&self, key: &'static str, wrong: &str) -> Fault {
        let what = Prose::words(format!("`{key}` {wrong}"));
        Fault::at(self.text, self.place(key), what, FIX)
    }

    /// Where a field's value begins, or else the object.
    fn place(&self, key: &str) -> usize {
        let field = outline::find(self.text, &format!("{}/{key}", self.pointer));
        let place = field.or_else(|| outline::find(self.text, &self.pointer));
        place.map_or(0, |range| range.start)
    }
}
