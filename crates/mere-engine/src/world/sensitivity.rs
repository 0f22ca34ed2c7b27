//! Which files are sensitive, so that a person must confirm them, and which a person has confirmed.
//!
//! A path is sensitive if any of its names is, by the built-in list or by `sensitive:`. It is shown
//! if `visible:` or `mere allow` covers it, or if the person said yes to this one call. Until then
//! it is reported as missing. Listing, sweeping and resolving all use this one rule.

use mere_core::address::{Address, RelPath, Root, visible_form};
use mere_core::digest::Sha256;
use mere_core::sensitive::is_sensitive;
use mere_core::text::pattern::Patterns;

use crate::policy::{RunCoverage, RunLimits};
use mere_host::{SPACE_FOLDER, SPACE_INDEX, WORKSPACES_FOLDER, is_temporary_name};

/// The rules from the configuration and the person's approvals.
#[derive(Debug, Default)]
pub(crate) struct SensitivityRules {
    sensitive: Patterns,
    visible: Patterns,
    /// Folders on the way to what `visible` shows.
    pass_through: Patterns,
    allowed: Vec<Address>,
    outer: Option<OuterRule>,
    /// Everything that the rules were made from.
    source: String,
}

/// The rules of the project around this one for its own files, which include this project.
#[derive(Debug)]
struct OuterRule {
    sensitive: Patterns,
    root: Root,
    /// Where in it the project lies.
    inner_path: RelPath,
}

impl SensitivityRules {
    /// Adds the patterns that the project around this one, readable as `root`, calls sensitive.
    pub(crate) fn with_outer(self, sensitive: &[&str], root: Root, below: RelPath) -> Self {
        let source = format!("{} {sensitive:?} {root:?} {below}", self.source);
        let sensitive = patterns_or_everything(sensitive);
        Self { source, outer: Some(OuterRule { sensitive, root, inner_path: below }), ..self }
    }

    /// Builds the rules from the patterns of `sensitive:` and `visible:`, and from what was
    /// allowed. Each pattern was checked when it was read; all of them together may still be too
    /// large, and then everything is sensitive and nothing is shown.
    pub(crate) fn new(sensitive: &[&str], visible: &[&str], allowed: Vec<Address>) -> Self {
        let passages =
            visible.iter().flat_map(|pattern| parent_patterns(pattern)).collect::<Vec<_>>();
        Self {
            sensitive: patterns_or_everything(sensitive),
            visible: Patterns::case_insensitive(visible).unwrap_or_default(),
            pass_through: Patterns::case_insensitive(&passages).unwrap_or_default(),
            source: format!("{sensitive:?} {visible:?} {allowed:?}"),
            allowed,
            outer: None,
        }
    }

    /// Returns a digest that differs for rules that were made from anything else.
    pub(crate) fn digest(&self) -> Sha256 {
        Sha256::digest(self.source.as_bytes())
    }
}

/// Compiles the sensitive patterns. If they cannot be used, everything is sensitive.
fn patterns_or_everything(sensitive: &[&str]) -> Patterns {
    let everything = || Patterns::case_insensitive(&["*"]).unwrap_or_default();
    Patterns::case_insensitive(sensitive).unwrap_or_else(|_| everything())
}

/// Returns the patterns of the folders above what a pattern matches.
fn parent_patterns(pattern: &str) -> impl Iterator<Item = &str> {
    let slashes = pattern.match_indices('/').map(|(at, _)| &pattern[..at]);
    slashes.filter(|parent| !matches!(*parent, "**" | "."))
}

/// How visible a path is to agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visibility {
    /// Visible: nothing about it is sensitive.
    Plain,
    /// Sensitive, but a person has confirmed it.
    Confirmed,
    /// A sensitive folder on the way to something confirmed. It may be passed through, but not
    /// listed.
    PassThrough,
    /// Not sensitive, and perhaps on the way to something that a run may read. It may be passed
    /// through, but not listed.
    RunPassage,
    /// Reported to agents as missing.
    Hidden,
}

impl Visibility {
    /// Checks whether an agent may know of it.
    pub(super) fn is_shown(self) -> bool {
        matches!(self, Self::Plain | Self::Confirmed)
    }
}

/// The visibility rules for one root in one call.
#[derive(Clone, Copy)]
pub(super) struct VisibilityRules<'a> {
    pub(super) sensitivity: &'a SensitivityRules,
    /// The address that the person has confirmed for this call alone.
    pub(super) confirmed_once: Option<&'a Address>,
    /// The limits of the run of a directive that the caller follows.
    pub(super) run: Option<&'a RunLimits>,
    pub(super) root: &'a Root,
}

impl VisibilityRules<'_> {
    /// Returns the visibility of `path`, whose last name is `name` and whose folder has the
    /// visibility `above`.
    pub(super) fn child_visibility(&self, above: Visibility, path: &str, name: &str) -> Visibility {
        if name == WORKSPACES_FOLDER && self.is_in_space(path) {
            return Visibility::Hidden;
        }
        // It has the digests of items, whose text may be masked.
        if name == SPACE_INDEX && self.is_in_space(path) {
            return Visibility::Hidden;
        }
        // Files that are half-written, or about to be removed, are never shown.
        if *self.root != Root::Workspace && is_temporary_name(name) {
            return Visibility::Hidden;
        }
        let coverage =
            self.run.map_or(RunCoverage::Reached, |run| run.read_coverage(self.root, path));
        match (coverage, self.sensitive_visibility(above, path)) {
            (RunCoverage::Outside, _) => Visibility::Hidden,
            (RunCoverage::OnTheWay, Visibility::Plain) => Visibility::RunPassage,
            (RunCoverage::OnTheWay, Visibility::Confirmed) => Visibility::PassThrough,
            (RunCoverage::Reached | RunCoverage::OnTheWay, visibility) => visibility,
        }
    }

    /// Returns the visibility of `path` by what is sensitive.
    fn sensitive_visibility(&self, above: Visibility, path: &str) -> Visibility {
        let plain = matches!(above, Visibility::Plain | Visibility::RunPassage)
            && !is_sensitive(&visible_form(path))
            && !self.is_configured_sensitive(path);
        if plain {
            Visibility::Plain
        } else if self.is_confirmed(path) {
            Visibility::Confirmed
        } else if self.leads_to_confirmed(path) {
            Visibility::PassThrough
        } else {
            Visibility::Hidden
        }
    }

    /// Checks whether a path lies directly in a space: the folder that holds the agents' workspaces
    /// and the index, for example, which nobody sees, whatever a person confirmed.
    fn is_in_space(&self, path: &str) -> bool {
        let space = path.rsplit('/').nth(1);
        match self.root {
            Root::Workspace => false,
            Root::User => space.is_none_or(|space| space == SPACE_FOLDER),
            _ => space == Some(SPACE_FOLDER),
        }
    }

    /// Returns the visibility of a whole path.
    pub(super) fn path_visibility(&self, path: &str) -> Visibility {
        let mut visibility = Visibility::Plain;
        for prefix in prefixes(path) {
            let name = prefix.rsplit('/').next().unwrap_or_default();
            visibility = self.child_visibility(visibility, prefix, name);
        }
        visibility
    }

    /// Checks whether a configuration names the path as sensitive: the session's own, or that of
    /// the project around it.
    fn is_configured_sensitive(&self, path: &str) -> bool {
        if self.sensitivity.sensitive.matches_any(path) {
            return true;
        }
        let Some(outer) = &self.sensitivity.outer else { return false };
        match self.root {
            Root::Project => outer.sensitive.matches_any(&format!("{}/{path}", outer.inner_path)),
            root => *root == outer.root && outer.sensitive.matches_any(path),
        }
    }

    /// Checks whether a person has confirmed this path or a folder it lies in.
    pub(super) fn is_confirmed(&self, path: &str) -> bool {
        let covers = |address: &Address| {
            address.root() == self.root && lies_in(path, address.path().as_str())
        };
        let shown = *self.root == Root::Project
            && !self.sensitivity.visible.is_empty()
            && prefixes(path).any(|prefix| self.sensitivity.visible.matches_any(prefix));
        shown || self.sensitivity.allowed.iter().chain(self.confirmed_once).any(covers)
    }

    fn leads_to_confirmed(&self, path: &str) -> bool {
        let leads = |address: &Address| {
            address.root() == self.root && lies_in(address.path().as_str(), path)
        };
        let passes = *self.root == Root::Project && self.sensitivity.pass_through.matches_any(path);
        passes || self.sensitivity.allowed.iter().chain(self.confirmed_once).any(leads)
    }
}

/// Checks whether a path is a folder or lies in it, by whole names.
fn lies_in(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder);
    rest.is_some_and(|rest| folder.is_empty() || rest.is_empty() || rest.starts_with('/'))
}

/// Returns `a`, `a/b`, `a/b/c` for the path `a/b/c`.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.match_indices('/').map(|(at, _)| at);
    ends.chain([path.len()]).map(|end| &path[..end]).filter(|prefix| !prefix.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sensitivity: &SensitivityRules, path: &str, expected: Visibility) {
        let rules =
            VisibilityRules { sensitivity, confirmed_once: None, run: None, root: &Root::Project };
        assert_eq!(rules.path_visibility(path), expected, "{path}");
    }

    #[test]
    fn sensitive_until_confirmed() {
        let none = SensitivityRules::default();
        check(&none, "", Visibility::Plain);
        check(&none, "src/a.rs", Visibility::Plain);
        check(&none, "deep/.env", Visibility::Hidden);
        check(&none, ".ssh/config", Visibility::Hidden);
        check(&none, "memory/.new-files", Visibility::Hidden);
        check(&none, "memory/.new-files/x", Visibility::Hidden);
        check(&none, "tools/.new-0123456789abcdef0123456789abcdef", Visibility::Hidden);
        check(&none, ".new-things", Visibility::Plain);
        let more = SensitivityRules::new(&["secret/**", "*.token"], &[], vec![]);
        check(&more, "secret", Visibility::Plain);
        check(&more, "secret/a", Visibility::Hidden);
        check(&more, "a/B.TOKEN", Visibility::Hidden);
    }

    #[test]
    fn a_confirmed_path_shows_what_lies_below_it_and_nothing_beside_it() {
        let allowed = ["ROOT_PROJECT:/.ssh/config", "ROOT_PROJECT:/keys/", "ROOT_USER:/.env"];
        let allowed = allowed.map(|text| text.parse().expect("an address")).to_vec();
        let rules = SensitivityRules::new(&[], &["dev/.env", "**/*.key"], allowed);
        check(&rules, ".ssh", Visibility::PassThrough);
        check(&rules, ".ssh/config", Visibility::Confirmed);
        check(&rules, ".ssh/config2", Visibility::Hidden);
        check(&rules, ".ssh/id_rsa", Visibility::Hidden);
        check(&rules, "keys/a/id_rsa", Visibility::Confirmed);
        check(&rules, "keys2/id_rsa", Visibility::Hidden);
        check(&rules, "dev/.env", Visibility::Confirmed);
        check(&rules, "prod/.env", Visibility::Hidden);
        check(&rules, ".env", Visibility::Hidden);
        check(&rules, "a/b/tls.key", Visibility::Confirmed);
    }
}
