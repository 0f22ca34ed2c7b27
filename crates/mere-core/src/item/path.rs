//! The one path truth: where an item lies, from what it is, and back.
//!
//! Nothing else joins a type's folder, a category and an id. A [`ScopedPath`] names the item's main
//! file; what else belongs to it follows from its form.

use super::id::{Category, ItemId};
use super::kind::{ItemType, Scope};
use super::version::Version;
use crate::address::{Address, RelPath};
use crate::root::Root;

/// The folder of a space.
const SPACE_FOLDER: &str = ".ai";
/// The main file of an Agent Skill.
pub const SKILL_FILE: &str = "SKILL.md";
/// The main file of a folder tool.
pub const MANIFEST_FILE: &str = "manifest.yaml";

/// What the name of a sidecar ends with.
pub const SIDECAR_SUFFIX: &str = ".sig";

/// How an item lies on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemForm {
    /// One file, with siblings of the same name for a tool.
    Flat,
    /// A folder: an Agent Skill or a tool with files of its own.
    Folder,
}

/// Where the category of an item begins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CategoryBase {
    /// At the type's folder of the space.
    Space,
    /// At a folder of the project that is taken in place, such as `.claude/skills`.
    InPlace(RelPath),
    /// At the folder of a store, wherever that lies.
    Store(Address),
}

/// Where an item lies.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScopedPath {
    /// In which scope.
    pub scope: Scope,
    /// What it is.
    pub kind: ItemType,
    /// Where its category begins.
    pub base: CategoryBase,
    /// Its category.
    pub category: Category,
    /// Its id.
    pub id: ItemId,
    /// The version a lockfile is for; none for anything else.
    pub version: Option<Version>,
    /// How it lies there.
    pub form: ItemForm,
}

impl ScopedPath {
    /// The folder its main file lies in, from where its category begins, and the file's own name.
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

    /// The name of its sidecar, in the folder of its main file.
    pub fn sidecar_name(&self) -> Option<String> {
        let (_, main) = self.folder_and_file()?;
        Some(match self.form {
            ItemForm::Flat => main + SIDECAR_SUFFIX,
            ItemForm::Folder => SIDECAR_SUFFIX.to_owned(),
        })
    }

    /// The path of its main file from the space, from the project if it is taken in place, or from
    /// its store.
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

    /// Its main file's address; none in the registry, whose items have no files.
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

    /// What lies at a path of a space, if it is an item's main file.
    pub fn from_space_path(scope: Scope, path: &RelPath) -> Option<Self> {
        let mut names = path.names();
        let kind = ItemType::from_folder(names.next()?)?;
        let names = names.collect::<Vec<_>>();
        Self::from_base_path(scope, kind, CategoryBase::Space, &names)
    }

    /// The same below a base, whose type is known; `names` lead from there to the file.
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
    }
}
