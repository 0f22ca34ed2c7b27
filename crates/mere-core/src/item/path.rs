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
const SPACE: &str = ".ai";
/// The main file of an Agent Skill.
pub const SKILL_FILE: &str = "SKILL.md";
/// The main file of a folder tool.
pub const MANIFEST_FILE: &str = "manifest.yaml";

/// What the name of a sidecar ends with.
pub const SIGNATURE: &str = ".sig";

/// How an item lies on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// One file, with siblings of the same name for a tool.
    Flat,
    /// A folder: an Agent Skill or a tool with files of its own.
    Folder,
}

/// Where the category of an item begins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Base {
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
    pub base: Base,
    /// Its category.
    pub category: Category,
    /// Its id.
    pub id: ItemId,
    /// The version a lockfile is for; none for anything else.
    pub version: Option<Version>,
    /// How it lies there.
    pub form: Form,
}

impl ScopedPath {
    /// The folder its main file lies in, from where its category begins, and the file's own name.
    pub fn below_plot(&self) -> Option<(String, String)> {
        let below = self.below_base()?;
        let top = match &self.base {
            Base::Space => format!("{}/", self.kind.folder()),
            Base::InPlace(folder) => format!("{folder}/"),
            Base::Store(_) => String::new(),
        };
        let below = below.as_str().strip_prefix(&top)?;
        let (folder, name) = below.rsplit_once('/').unwrap_or(("", below));
        Some((folder.to_owned(), name.to_owned()))
    }

    /// The name of its sidecar, in the folder of its main file.
    pub fn sidecar_name(&self) -> Option<String> {
        let (_, main) = self.below_plot()?;
        Some(match self.form {
            Form::Flat => main + SIGNATURE,
            Form::Folder => SIGNATURE.to_owned(),
        })
    }

    /// The path of its main file from the space, from the project if it is taken in place, or from
    /// its store.
    pub fn below_base(&self) -> Option<RelPath> {
        let base = match &self.base {
            Base::Space => RelPath::default().child(self.kind.folder())?,
            Base::InPlace(folder) => folder.clone(),
            Base::Store(_) => RelPath::default(),
        };
        let folder = self.category.levels().try_fold(base, |path, level| path.child(level))?;
        let id = self.id.as_str();
        match (self.kind, self.form) {
            (ItemType::Directive, Form::Folder) => folder.child(id)?.child(SKILL_FILE),
            (ItemType::Tool, Form::Folder) => folder.child(id)?.child(MANIFEST_FILE),
            (ItemType::Tool, Form::Flat) => folder.child(&format!("{id}.yaml")),
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
        let below = self.below_base()?;
        match (self.scope, &self.base) {
            (_, Base::Store(store)) => {
                Some(Address::file(store.root().clone(), store.path().below(&below)))
            }
            (Scope::Project, Base::Space) => {
                let path = RelPath::default().child(SPACE)?.below(&below);
                Some(Address::file(Root::Project, path))
            }
            (Scope::Project, Base::InPlace(_)) => Some(Address::file(Root::Project, below)),
            (Scope::User, Base::Space) => Some(Address::file(Root::User, below)),
            (Scope::User, Base::InPlace(_)) | (Scope::Registry, _) => None,
        }
    }

    /// What lies at a path of a space, if it is an item's main file.
    pub fn locate(scope: Scope, path: &RelPath) -> Option<Self> {
        let mut names = path.names();
        let kind = ItemType::of_folder(names.next()?)?;
        let names = names.collect::<Vec<_>>();
        Self::among(scope, kind, Base::Space, &names)
    }

    /// The same below a base, whose type is known; `names` lead from there to the file.
    pub fn among(scope: Scope, kind: ItemType, base: Base, names: &[&str]) -> Option<Self> {
        let (file, folders) = names.split_last()?;
        let (id, version, form, levels) = match (kind, *file) {
            (ItemType::Directive, SKILL_FILE) | (ItemType::Tool, MANIFEST_FILE) => {
                let (id, levels) = folders.split_last()?;
                (*id, None, Form::Folder, levels)
            }
            (ItemType::Tool, file) => (file.strip_suffix(".yaml")?, None, Form::Flat, folders),
            (ItemType::Lockfile, file) => {
                let (id, version) = file.strip_suffix(".lock.json")?.split_once('@')?;
                (id, Some(version.parse().ok()?), Form::Flat, folders)
            }
            (_, file) => (file.strip_suffix(".md")?, None, Form::Flat, folders),
        };
        let category = levels.join("/").parse().ok()?;
        Some(Self { scope, kind, base, category, id: id.parse().ok()?, version, form })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expected: Option<(&str, &str, Form)>) {
        let path = path.parse::<RelPath>().expect("a path");
        let found = ScopedPath::locate(Scope::User, &path);
        let parts = found.as_ref().map(|at| (at.category.as_str(), at.id.as_str(), at.form));
        assert_eq!(parts, expected, "{path}");
        if let Some(found) = found {
            assert_eq!(found.below_base(), Some(path));
        }
    }

    #[test]
    fn a_path_says_what_an_item_is_and_the_item_its_path() {
        check("directives/research/web/topic.md", Some(("research/web", "topic", Form::Flat)));
        check("directives/team/code-review/SKILL.md", Some(("team", "code-review", Form::Folder)));
        check("tools/data/enrich/manifest.yaml", Some(("data", "enrich", Form::Folder)));
        check("tools/enrich.yaml", Some(("", "enrich", Form::Flat)));
        check("knowledge/a/b/c/d/e/f/g/h/x.md", Some(("a/b/c/d/e/f/g/h", "x", Form::Flat)));
        check("memory/n.md", Some(("", "n", Form::Flat)));
        check("lockfiles/x/t@1.2.3-rc.1.lock.json", Some(("x", "t", Form::Flat)));
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
            let located = ScopedPath::locate(scope, &path).expect("an item");
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
