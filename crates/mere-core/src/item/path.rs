//! The only place that knows where an item lies on disk, and what item lies at a path.
//!
//! Nothing else joins a type's folder, a category and an id. A [`ScopedPath`] names the item's main
//! file; which other files belong to the item follows from its form.

use super::id::{Category, ItemId};
use super::kind::{ItemType, Scope};
use super::reference::ItemRef;
use super::script::ScriptLanguage;
use super::version::Version;
use crate::address::{Address, RelPath, Root};

/// The name of a space's folder in a project.
const SPACE_FOLDER: &str = ".ai";
/// The main file of an Agent Skill.
pub const SKILL_FILE: &str = "SKILL.md";
/// The main file of a folder tool.
pub const MANIFEST_FILE: &str = "manifest.yaml";

/// The suffix of a sidecar's file name.
pub const SIDECAR_SUFFIX: &str = ".sig";

/// How an item is laid out on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemForm {
    /// One file; a tool also has siblings of the same name.
    Flat,
    /// A folder: an Agent Skill, or a tool with files of its own.
    Folder,
}

/// The folder that an item's category is relative to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CategoryBase {
    /// The type's folder in the space.
    Space,
    /// A folder of the project whose items are used in place, such as `.claude/skills`.
    InPlace(RelPath),
    /// The folder of a store, wherever it lies.
    Store(Address),
}

/// The location of an item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScopedPath {
    /// Its scope.
    pub scope: Scope,
    /// Its type.
    pub kind: ItemType,
    /// The folder its category is relative to.
    pub base: CategoryBase,
    /// Its category.
    pub category: Category,
    /// Its id.
    pub id: ItemId,
    /// The version a lockfile is for; `None` for any other type.
    pub version: Option<Version>,
    /// How it is laid out on disk.
    pub form: ItemForm,
}

impl ScopedPath {
    /// Returns the reference that people write for it: its category, if it has one, and its id.
    pub fn reference(&self) -> ItemRef {
        let category = Some(self.category.clone()).filter(|category| !category.is_empty());
        ItemRef { category, id: self.id.clone(), version: None }
    }

    /// Returns the folder of its main file, relative to the folder its category starts from, and
    /// the file's name.
    pub fn folder_and_file(&self) -> Option<(String, String)> {
        let below = self.main_file_path()?;
        let top = match &self.base {
            CategoryBase::Space => format!("{}/", self.kind.folder()),
            CategoryBase::InPlace(folder) => format!("{folder}/"),
            CategoryBase::Store(_) => String::new(),
        };
        let below = below.as_str().strip_prefix(&top)?;
        let (folder, name) = below.rsplit_once('/').unwrap_or(("", below));
        Some((folder.to_owned(), name.to_owned()))
    }

    /// Returns the name of its sidecar, which lies in the folder of its main file.
    pub fn sidecar_name(&self) -> Option<String> {
        let (_, main) = self.folder_and_file()?;
        Some(match self.form {
            ItemForm::Flat => main + SIDECAR_SUFFIX,
            ItemForm::Folder => SIDECAR_SUFFIX.to_owned(),
        })
    }

    /// Returns the path of its main file relative to the space, to the project if the item is used
    /// in place, or to its store.
    pub fn main_file_path(&self) -> Option<RelPath> {
        let base = match &self.base {
            CategoryBase::Space => RelPath::default().child(self.kind.folder())?,
            CategoryBase::InPlace(folder) => folder.clone(),
            CategoryBase::Store(_) => RelPath::default(),
        };
        let folder = self.category.levels().try_fold(base, |path, level| path.child(level))?;
        let id = self.id.as_str();
        match (self.kind, self.form) {
            (ItemType::Directive, ItemForm::Folder) => folder.child(id)?.child(SKILL_FILE),
            (ItemType::Tool, ItemForm::Folder) => folder.child(id)?.child(MANIFEST_FILE),
            (ItemType::Tool, ItemForm::Flat) => folder.child(&format!("{id}.yaml")),
            (ItemType::Lockfile, _) => {
                folder.child(&format!("{id}@{}.lock.json", self.version.as_ref()?))
            }
            (ItemType::Directive | ItemType::Knowledge | ItemType::Memory, _) => {
                folder.child(&format!("{id}.md"))
            }
        }
    }

    /// Returns the address of its main file, or `None` in the registry, whose items have no files.
    pub fn address(&self) -> Option<Address> {
        let below = self.main_file_path()?;
        match (self.scope, &self.base) {
            (_, CategoryBase::Store(store)) => {
                Some(Address::file(store.root().clone(), store.path().join_path(&below)))
            }
            (Scope::Project, CategoryBase::Space) => {
                let path = RelPath::default().child(SPACE_FOLDER)?.join_path(&below);
                Some(Address::file(Root::Project, path))
            }
            (Scope::Project, CategoryBase::InPlace(_)) => Some(Address::file(Root::Project, below)),
            (Scope::User, CategoryBase::Space) => Some(Address::file(Root::User, below)),
            (Scope::User, CategoryBase::InPlace(_)) | (Scope::Registry, _) => None,
        }
    }

    /// Returns the location of the item whose main file is at this path of a space, if it is one.
    pub fn from_space_path(scope: Scope, path: &RelPath) -> Option<Self> {
        let mut names = path.names();
        let kind = ItemType::from_folder(names.next()?)?;
        let names = names.collect::<Vec<_>>();
        Self::from_base_path(scope, kind, CategoryBase::Space, &names)
    }

    /// Returns the location of the item whose main file has this address, in a space of the project
    /// or the user.
    pub fn from_address(address: &Address) -> Option<Self> {
        let path = address.path().as_str();
        match address.root() {
            Root::Project => {
                let below = path.strip_prefix(SPACE_FOLDER)?.strip_prefix('/')?;
                Self::from_space_path(Scope::Project, &below.parse().ok()?)
            }
            Root::User => Self::from_space_path(Scope::User, address.path()),
            _ => None,
        }
    }

    /// Returns the location that the flat tool of a script would have. `path` is that of the script,
    /// relative to the space.
    pub fn from_script_path(scope: Scope, path: &RelPath) -> Option<Self> {
        let (folder, name) = path.split_last()?;
        let (stem, _) = ScriptLanguage::split_file_name(name.as_str())?;
        let manifest = folder.child(&format!("{stem}.yaml"))?;
        let at = Self::from_space_path(scope, &manifest)?;
        (at.kind == ItemType::Tool && at.form == ItemForm::Flat).then_some(at)
    }

    /// Returns the location of the item of a known type below a base. `names` lead from the base to
    /// the file.
    pub fn from_base_path(
        scope: Scope,
        kind: ItemType,
        base: CategoryBase,
        names: &[&str],
    ) -> Option<Self> {
        let (file, folders) = names.split_last()?;
        let (id, version, form, levels) = match (kind, *file) {
            (ItemType::Directive, SKILL_FILE) | (ItemType::Tool, MANIFEST_FILE) => {
                let (id, levels) = folders.split_last()?;
                (*id, None, ItemForm::Folder, levels)
            }
            (ItemType::Tool, file) => (file.strip_suffix(".yaml")?, None, ItemForm::Flat, folders),
            (ItemType::Lockfile, file) => {
                let (id, version) = file.strip_suffix(".lock.json")?.split_once('@')?;
                (id, Some(version.parse().ok()?), ItemForm::Flat, folders)
            }
            (_, file) => (file.strip_suffix(".md")?, None, ItemForm::Flat, folders),
        };
        let category = levels.join("/").parse().ok()?;
        Some(Self { scope, kind, base, category, id: id.parse().ok()?, version, form })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expected: Option<(&str, &str, ItemForm)>) {
        let path = path.parse::<RelPath>().expect("a path");
        let found = ScopedPath::from_space_path(Scope::User, &path);
        let parts = found.as_ref().map(|at| (at.category.as_str(), at.id.as_str(), at.form));
        assert_eq!(parts, expected, "{path}");
        if let Some(found) = found {
            assert_eq!(found.main_file_path(), Some(path));
        }
    }

    #[test]
    fn a_path_says_what_an_item_is_and_the_item_its_path() {
        check("directives/research/web/topic.md", Some(("research/web", "topic", ItemForm::Flat)));
        check(
            "directives/team/code-review/SKILL.md",
            Some(("team", "code-review", ItemForm::Folder)),
        );
        check("tools/data/enrich/manifest.yaml", Some(("data", "enrich", ItemForm::Folder)));
        check("tools/enrich.yaml", Some(("", "enrich", ItemForm::Flat)));
        check("knowledge/a/b/c/d/e/f/g/h/x.md", Some(("a/b/c/d/e/f/g/h", "x", ItemForm::Flat)));
        check("memory/n.md", Some(("", "n", ItemForm::Flat)));
        check("lockfiles/x/t@1.2.3-rc.1.lock.json", Some(("x", "t", ItemForm::Flat)));
        for none in [
            "directives/SKILL.md",
            "directives/Upper.md",
            "directives/a.txt",
            "tools/x.py",
            "tools/manifest.yaml",
            "lockfiles/t.lock.json",
            "lockfiles/t@x.lock.json",
            "knowledge/a/b/c/d/e/f/g/h/i/x.md",
            "elsewhere/a.md",
            "directives",
        ] {
            check(none, None);
        }
    }

    #[test]
    fn addresses_start_from_the_scopes_root() {
        let path = "tools/api/jwt.yaml".parse::<RelPath>().expect("a path");
        let address = |scope| {
            let located = ScopedPath::from_space_path(scope, &path).expect("an item");
            located.address().map(|address| address.to_string())
        };
        assert_eq!(
            address(Scope::Project).as_deref(),
            Some("ROOT_PROJECT:/.ai/tools/api/jwt.yaml")
        );
        assert_eq!(address(Scope::User).as_deref(), Some("ROOT_USER:/tools/api/jwt.yaml"));
        assert_eq!(address(Scope::Registry), None);
        for scope in [Scope::Project, Scope::User] {
            let located = ScopedPath::from_space_path(scope, &path).expect("an item");
            let address = located.address().expect("an address");
            assert_eq!(ScopedPath::from_address(&address), Some(located));
        }
    }
}
