//! The paths that the globs of a directive's permissions reach.
//!
//! A glob starts at the root of the project, and means the same path of the agent's workspace too,
//! because that is where an agent writes; `ROOT_X:/glob` starts at another root. A path without
//! wildcards means a file, or a folder with all in it. A glob that cannot be used reaches nothing.

use mere_core::address::{Address, Root};
use mere_core::text::pattern::Patterns;

/// How a path relates to what is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunCoverage {
    /// It is reached, or is a folder that a glob names on the way.
    Reached,
    /// It may be a folder on the way to something that is reached.
    OnTheWay,
    /// Nothing of it is reached.
    Outside,
}

/// A glob below a folder of a root. The folder itself is shown, and those above it are only on the
/// way.
#[derive(Clone, Debug)]
pub(super) struct ReachGlob {
    pub(super) root: Root,
    /// The path of the folder, empty for the root itself.
    pub(super) folder: String,
    pub(super) glob: String,
}

/// The texts of globs below one root, before they are compiled.
#[derive(Default)]
struct GlobTexts {
    reached: Vec<String>,
    named_folders: Vec<String>,
    on_the_way: Vec<String>,
}

/// The compiled globs below one root.
#[derive(Debug)]
struct RootReach {
    root: Root,
    reached: Patterns,
    named_folders: Patterns,
    on_the_way: Patterns,
}

/// Everything that some globs reach.
#[derive(Debug, Default)]
pub(crate) struct PathReach(Vec<RootReach>);

impl PathReach {
    /// Compiles globs, each below its root.
    pub(super) fn new(globs: &[ReachGlob]) -> Self {
        let mut texts = Vec::<(Root, GlobTexts)>::new();
        for glob in globs {
            let at = texts.iter().position(|(known, _)| *known == glob.root);
            if let Some((_, known)) = at.and_then(|at| texts.get_mut(at)) {
                known.add(glob);
            } else {
                let mut new = GlobTexts::default();
                new.add(glob);
                texts.push((glob.root.clone(), new));
            }
        }
        Self(texts.into_iter().map(|(root, texts)| texts.compile(root)).collect())
    }

    /// Returns how a path of a root relates to what is reached.
    pub(crate) fn coverage(&self, root: &Root, path: &str) -> RunCoverage {
        let Some(own) = self.0.iter().find(|own| own.root == *root) else {
            return RunCoverage::Outside;
        };
        if own.reached.matches_any(path) || own.named_folders.matches_any(path) {
            RunCoverage::Reached
        } else if own.on_the_way.matches_any(path) {
            RunCoverage::OnTheWay
        } else {
            RunCoverage::Outside
        }
    }

    /// Checks whether an address itself is reached.
    pub(crate) fn contains(&self, address: &Address) -> bool {
        let own = self.0.iter().find(|own| own.root == *address.root());
        own.is_some_and(|own| own.reached.matches_any(address.path().as_str()))
    }
}

impl GlobTexts {
    fn add(&mut self, one: &ReachGlob) {
        let glob = one.glob.strip_prefix("./").unwrap_or(&one.glob);
        let glob = glob.strip_suffix('/').unwrap_or(glob);
        let slash = if one.folder.is_empty() { "" } else { "/" };
        let glob = &*[&one.folder, slash, glob].concat();
        if Patterns::anchored(&[glob]).is_err() {
            tracing::warn!("a permission of a directive has a path that is not a glob");
            return;
        }
        self.reached.push(glob.to_owned());
        match glob.strip_suffix("/**") {
            Some(folder) if is_literal(folder) => self.reached.push(folder.to_owned()),
            None if is_literal(glob) => self.reached.push(format!("{glob}/**")),
            _ => {}
        }
        for (at, _) in glob.match_indices('/') {
            let folder = &glob[..at];
            if is_literal(folder) && at >= one.folder.len() {
                self.named_folders.push(folder.to_owned());
            } else if Patterns::anchored(&[folder]).is_ok() {
                self.on_the_way.push(folder.to_owned());
            } else {
                // The slash stands in an alternative, so any folder may be on the way.
                self.on_the_way.push("**".to_owned());
            }
        }
    }

    /// Compiles the texts. All of them together may be too large, and then nothing is reached.
    fn compile(self, root: Root) -> RootReach {
        let compile = |texts: &[String]| {
            let texts = texts.iter().map(String::as_str).collect::<Vec<_>>();
            Patterns::anchored(&texts).unwrap_or_default()
        };
        RootReach {
            root,
            reached: compile(&self.reached),
            named_folders: compile(&self.named_folders),
            on_the_way: compile(&self.on_the_way),
        }
    }
}

/// Checks whether a glob means exactly one path.
fn is_literal(glob: &str) -> bool {
    !glob.contains(['*', '?', '[', ']', '{', '}', '\\'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn below(root: Root, folder: &str, glob: &str) -> ReachGlob {
        ReachGlob { root, folder: folder.to_owned(), glob: glob.to_owned() }
    }

    fn check(glob: &str, path: &str, expected: RunCoverage) {
        let reach = PathReach::new(&[below(Root::Project, "", glob)]);
        assert_eq!(reach.coverage(&Root::Project, path), expected, "{glob} {path}");
        assert_eq!(reach.coverage(&Root::User, path), RunCoverage::Outside, "{glob} {path}");
    }

    #[test]
    fn a_glob_reaches_what_it_matches_and_nothing_beside_it() {
        check("src/**", "src", RunCoverage::Reached);
        check("src/**", "src/a.rs", RunCoverage::Reached);
        check("src/**", "src/deep/a.rs", RunCoverage::Reached);
        for outside in ["src2", "src2/a", "SRC", "SRC/a.rs", "docs", "a/src/b", ".ai", "README.md"]
        {
            check("src/**", outside, RunCoverage::Outside);
        }
        check("src/*.rs", "src/a.rs", RunCoverage::Reached);
        check("src/*.rs", "src/deep/a.rs", RunCoverage::Outside);
        check("src/*.rs", "src/a.rs/x", RunCoverage::Outside);
        check("README.md", "README.md", RunCoverage::Reached);
        check("README.md", "docs/README.md", RunCoverage::Outside);
        check("**", "any/thing", RunCoverage::Reached);
    }

    #[test]
    fn a_path_without_wildcards_means_a_folder_with_all_in_it() {
        for glob in ["docs/api", "docs/api/", "./docs/api"] {
            check(glob, "docs", RunCoverage::Reached);
            check(glob, "docs/api", RunCoverage::Reached);
            check(glob, "docs/api/deep/x.md", RunCoverage::Reached);
            check(glob, "docs/other.md", RunCoverage::Outside);
        }
    }

    #[test]
    fn folders_on_the_way_are_not_reached_themselves() {
        check("**/*.md", "secret", RunCoverage::OnTheWay);
        check("**/*.md", "secret/a.md", RunCoverage::Reached);
        check("*/**", "top.txt", RunCoverage::OnTheWay);
        check("{src/a,lib}/*.rs", "lib/x.rs", RunCoverage::Reached);
        check("{src/a,lib}/*.rs", "src", RunCoverage::OnTheWay);
    }

    #[test]
    fn the_folders_above_a_store_are_only_on_the_way() {
        let reach = PathReach::new(&[below(Root::Project, ".ai/memories", "api")]);
        let coverage = |path: &str| reach.coverage(&Root::Project, path);
        assert_eq!(coverage(".ai"), RunCoverage::OnTheWay);
        assert_eq!(coverage(".ai/memories"), RunCoverage::Reached);
        assert_eq!(coverage(".ai/memories/api/x.md"), RunCoverage::Reached);
        assert_eq!(coverage(".ai/memories/x.md"), RunCoverage::Outside);
    }

    #[test]
    fn a_glob_that_cannot_be_used_reaches_nothing() {
        for glob in ["../**", "/etc/**", "src/../**", "!src/**", "{", "~/x", ""] {
            check(glob, "etc/passwd", RunCoverage::Outside);
            check(glob, "src/a.rs", RunCoverage::Outside);
        }
    }

    #[test]
    fn a_folder_that_a_glob_names_on_the_way_may_not_be_written() {
        let reach = PathReach::new(&[below(Root::Workspace, "", "out/*.md")]);
        let contains = |text: &str| reach.contains(&text.parse().expect("an address"));
        assert!(contains("ROOT_WORKSPACE:/out/a.md"));
        assert!(!contains("ROOT_WORKSPACE:/out/"));
        assert!(!contains("ROOT_WORKSPACE:/out/a.txt"));
        assert!(!contains("ROOT_PROJECT:/out/a.md"));
        let reach = PathReach::new(&[below(Root::Workspace, "", "out/**")]);
        let contains = |text: &str| reach.contains(&text.parse().expect("an address"));
        assert!(contains("ROOT_WORKSPACE:/out/") && contains("ROOT_WORKSPACE:/out/a.md"));
        assert!(!contains("ROOT_WORKSPACE:/outer/"));
    }
}
