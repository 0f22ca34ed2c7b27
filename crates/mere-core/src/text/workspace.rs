//! Workspaces of package managers: which folders below a workspace's root belong to it.
//!
//! Each kind has one file at its root that lists the members. What is decided here is what the
//! package manager itself decides, as far as the text of that file tells.

use serde::Deserialize;
use serde_json::Value;

use super::pattern::Patterns;
use super::{json, yaml};

/// The largest file that is read, in bytes.
pub const MAX_WORKSPACE_BYTES: usize = 1024 * 1024;

/// A kind of workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkspaceKind {
    /// npm and yarn: `workspaces` in the root's `package.json`.
    Npm,
    /// pnpm: `pnpm-workspace.yaml`.
    Pnpm,
    /// Cargo: `[workspace]` in the root's `Cargo.toml`.
    Cargo,
    /// Go: `go.work`.
    Go,
    /// uv: `[tool.uv.workspace]` in the root's `pyproject.toml`.
    Uv,
}

/// What the file of a possible root says about a folder below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Membership {
    /// The folder is a member.
    Member,
    /// The root has a workspace, and it is certain that the folder belongs to no other either.
    Excluded,
    /// The file says nothing about the folder.
    Unknown,
}

impl WorkspaceKind {
    /// All kinds, in the order in which they are looked for.
    pub const ALL: [Self; 5] = [Self::Npm, Self::Pnpm, Self::Cargo, Self::Go, Self::Uv];

    /// Returns the name of the file at the root.
    pub fn root_file(self) -> &'static str {
        match self {
            Self::Npm => "package.json",
            Self::Pnpm => "pnpm-workspace.yaml",
            Self::Cargo => "Cargo.toml",
            Self::Go => "go.work",
            Self::Uv => "pyproject.toml",
        }
    }

    /// Returns the name of the file that each member has.
    pub fn member_file(self) -> &'static str {
        match self {
            Self::Npm | Self::Pnpm => "package.json",
            Self::Cargo => "Cargo.toml",
            Self::Go => "go.mod",
            Self::Uv => "pyproject.toml",
        }
    }

    /// Decides whether the folder at `path`, relative to the root, is a member according to the
    /// text of the root's file. A text that cannot be parsed has no members.
    pub fn membership(self, text: &str, path: &str) -> Membership {
        if text.len() > MAX_WORKSPACE_BYTES {
            return Membership::Unknown;
        }
        let found = match self {
            Self::Npm => npm_members(text).map(|globs| globs.membership(path)),
            Self::Pnpm => pnpm_members(text).map(|globs| globs.membership(path)),
            Self::Cargo => cargo_workspace(text).map(|found| found.membership(path)),
            Self::Go => Some(go_membership(text, path)),
            Self::Uv => uv_workspace(text).map(|found| found.membership(path)),
        };
        found.unwrap_or(Membership::Unknown)
    }
}

/// Globs of members, of which those that start with `!` exclude.
struct NegatableGlobs(Vec<String>);

impl NegatableGlobs {
    /// The last glob that matches decides.
    fn membership(&self, path: &str) -> Membership {
        let decided = self.0.iter().rev().find_map(|glob| match glob.strip_prefix('!') {
            Some(glob) => matches_glob(glob, path).then_some(Membership::Unknown),
            None => matches_glob(glob, path).then_some(Membership::Member),
        });
        decided.unwrap_or(Membership::Unknown)
    }
}

/// Reads `workspaces`: a list, or an object with the list as `packages`.
fn npm_members(text: &str) -> Option<NegatableGlobs> {
    let manifest = json::parse(text.as_bytes()).ok()?;
    let listed = match &manifest["workspaces"] {
        Value::Object(options) => options.get("packages")?.as_array()?,
        Value::Array(listed) => listed,
        _ => return None,
    };
    Some(NegatableGlobs(listed.iter().filter_map(|one| Some(one.as_str()?.to_owned())).collect()))
}

fn pnpm_members(text: &str) -> Option<NegatableGlobs> {
    #[derive(Deserialize)]
    struct PnpmFile {
        packages: Vec<String>,
    }
    yaml::parse::<PnpmFile>(text).ok().map(|file| NegatableGlobs(file.packages))
}

/// The members of a workspace and the folders that do not belong to it, as Cargo and uv list them.
#[derive(Default, Deserialize)]
struct MemberLists {
    #[serde(default)]
    members: Vec<String>,
    #[serde(default)]
    exclude: Vec<String>,
}

/// A `[workspace]` of Cargo. Path dependencies are members too, so it claims every package below it
/// that it does not exclude.
struct CargoWorkspace(MemberLists);

impl CargoWorkspace {
    fn membership(&self, path: &str) -> Membership {
        let is_below = |listed: &String| {
            let rest = path.strip_prefix(trim(listed));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let is_excluded =
            self.0.exclude.iter().any(is_below) && !self.0.members.iter().any(is_below);
        if is_excluded { Membership::Excluded } else { Membership::Member }
    }
}

fn cargo_workspace(text: &str) -> Option<CargoWorkspace> {
    #[derive(Deserialize)]
    struct Manifest {
        workspace: Option<MemberLists>,
    }
    toml::from_str::<Manifest>(text).ok()?.workspace.map(CargoWorkspace)
}

/// A `[tool.uv.workspace]`: its globs decide, and there is no other workspace around it.
struct UvWorkspace(MemberLists);

impl UvWorkspace {
    fn membership(&self, path: &str) -> Membership {
        let is_listed = |globs: &[String]| globs.iter().any(|glob| matches_glob(glob, path));
        if is_listed(&self.0.members) && !is_listed(&self.0.exclude) {
            Membership::Member
        } else {
            Membership::Excluded
        }
    }
}

fn uv_workspace(text: &str) -> Option<UvWorkspace> {
    #[derive(Deserialize)]
    struct Manifest {
        tool: Option<Tools>,
    }
    #[derive(Deserialize)]
    struct Tools {
        uv: Option<Uv>,
    }
    #[derive(Deserialize)]
    struct Uv {
        workspace: Option<MemberLists>,
    }
    toml::from_str::<Manifest>(text).ok()?.tool?.uv?.workspace.map(UvWorkspace)
}

/// Looks for the folder among the `use` directives of a `go.work`.
fn go_membership(text: &str, path: &str) -> Membership {
    let mut is_in_block = false;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let listed = if is_in_block {
            is_in_block = line != ")";
            line
        } else {
            let Some(rest) = line.strip_prefix("use") else { continue };
            let rest = rest.trim_start();
            is_in_block = rest == "(";
            rest
        };
        let listed = listed.trim_matches(['"', '`']);
        if listed.starts_with('.') && trim(listed) == path {
            return Membership::Member;
        }
    }
    Membership::Unknown
}

/// Checks a path against one glob of a member. One that leaves the root matches nothing in it.
fn matches_glob(glob: &str, path: &str) -> bool {
    Patterns::anchored(&[trim(glob)]).is_ok_and(|globs| globs.matches_any(path))
}

/// Removes a leading `./` and trailing slashes.
fn trim(listed: &str) -> &str {
    let listed = listed.trim_end_matches('/');
    listed.strip_prefix("./").unwrap_or(listed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: WorkspaceKind, text: &str, cases: &[(&str, Membership)]) {
        for (path, expected) in cases {
            assert_eq!(kind.membership(text, path), *expected, "{kind:?} {path}");
        }
    }

    #[test]
    fn npm_and_yarn_list_globs() {
        use Membership::{Member, Unknown};
        let cases = [("packages/a", Member), ("packages/a/b", Unknown), ("other", Unknown)];
        check(WorkspaceKind::Npm, r#"{"workspaces": ["packages/*"]}"#, &cases);
        check(WorkspaceKind::Npm, r#"{"workspaces": {"packages": ["./packages/*/"]}}"#, &cases);
        let negated = r#"{"workspaces": ["packages/**", "!packages/old"]}"#;
        check(WorkspaceKind::Npm, negated, &[("packages/a/b", Member), ("packages/old", Unknown)]);
        for none in ["{}", "[]", "", "{\"workspaces\": \"packages/*\"}", "{\"workspaces\": [1]}"] {
            check(WorkspaceKind::Npm, none, &[("packages/a", Unknown)]);
        }
    }

    #[test]
    fn pnpm_has_a_file_of_its_own() {
        use Membership::{Member, Unknown};
        let text = "packages:\n  - 'packages/**'\n  - '!**/test/**'\ncatalog:\n  a: ^1\n";
        let cases = [("packages/a", Member), ("packages/a/test/x", Unknown), ("b", Unknown)];
        check(WorkspaceKind::Pnpm, text, &cases);
        check(WorkspaceKind::Pnpm, "packages: 1", &[("packages/a", Unknown)]);
    }

    #[test]
    fn cargo_claims_what_it_does_not_exclude() {
        use Membership::{Excluded, Member, Unknown};
        let text = "[workspace]\nmembers = [\"crates/*\", \"x/in\"]\nexclude = [\"fuzz\", \"x\"]\n";
        let cases = [
            ("crates/a", Member),
            ("tools/path-dependency", Member),
            ("fuzz", Excluded),
            ("fuzz/deep", Excluded),
            ("fuzzy", Member),
            ("x/out", Excluded),
            ("x/in", Member),
        ];
        check(WorkspaceKind::Cargo, text, &cases);
        check(WorkspaceKind::Cargo, "[workspace]", &[("a", Member)]);
        check(WorkspaceKind::Cargo, "[package]\nname = \"a\"", &[("a", Unknown)]);
        check(WorkspaceKind::Cargo, "workspace = 1", &[("a", Unknown)]);
    }

    #[test]
    fn go_lists_folders_one_by_one() {
        use Membership::{Member, Unknown};
        let block = "go 1.22\n\nuse (\n\t./a // comment\n\t\"./b/c\"\n)\n\nreplace x => ./d\n";
        let cases = [("a", Member), ("b/c", Member), ("d", Unknown), ("a/b", Unknown)];
        check(WorkspaceKind::Go, block, &cases);
        check(WorkspaceKind::Go, "use ./a\nuse ./b\n", &[("b", Member), ("c", Unknown)]);
        check(WorkspaceKind::Go, "used ./a\n", &[("a", Unknown)]);
    }

    #[test]
    fn uv_lists_globs_and_exceptions() {
        use Membership::{Excluded, Member, Unknown};
        let text =
            "[tool.uv.workspace]\nmembers = [\"packages/*\"]\nexclude = [\"packages/old\"]\n";
        let cases = [("packages/a", Member), ("packages/old", Excluded), ("other", Excluded)];
        check(WorkspaceKind::Uv, text, &cases);
        check(WorkspaceKind::Uv, "[tool.uv]\ndev = 1\n", &[("packages/a", Unknown)]);
    }

    #[test]
    fn nothing_outside_the_root_is_a_member() {
        for glob in ["..", "../*", "/tmp/*", "~/x", "packages/../../*"] {
            let text = serde_json::json!({ "workspaces": [glob] }).to_string();
            check(WorkspaceKind::Npm, &text, &[("packages/a", Membership::Unknown)]);
        }
    }
}
