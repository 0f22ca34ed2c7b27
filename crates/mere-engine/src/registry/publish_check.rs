//! What must not leave the machine with an item: secrets, and the folders of this machine.
//!
//! A finding names the file and the line, and never repeats what stands there.

use mere_core::address::AgentName;
use mere_core::gate::Gate;
use mere_core::secrets;

/// The beginnings of paths that mean something on one machine only.
const HOST_PREFIXES: [&str; 9] = [
    "/home/",
    "/Users/",
    "/root/",
    "/tmp/",
    "/var/folders/",
    "/mnt/",
    "/media/",
    "/private/",
    ":\\Users\\",
];

/// The most findings that are told.
const MAX_FINDINGS: usize = 50;

/// Something in a file that must not be published, or that a person should look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublishFinding {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) what: FindingKind,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FindingKind {
    /// Something that looks like a secret.
    Secret,
    /// The path of a folder of this machine.
    OwnFolder,
    /// Another path that means something on one machine only.
    HostPath,
}

impl FindingKind {
    /// Returns the words for it.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Secret => "something that looks like a secret",
            Self::OwnFolder => "the path of a folder of this machine",
            Self::HostPath => "a path that may exist on one machine only",
        }
    }

    /// Returns whether the item is not published because of it.
    pub(crate) fn is_refused(self) -> bool {
        self != Self::HostPath
    }
}

/// Looks through the files of an item. The gate is the one that replies to agents pass: it knows the
/// folders of this machine.
pub(crate) fn check_files<'a>(
    files: impl Iterator<Item = (&'a str, &'a [u8])>,
    gate: &Gate,
) -> Vec<PublishFinding> {
    let mut findings = Vec::new();
    for (path, bytes) in files {
        let text = String::from_utf8_lossy(bytes);
        let found = |at: usize, what| PublishFinding {
            path: path.to_owned(),
            line: text[..at].matches('\n').count() + 1,
            what,
        };
        findings.extend(
            secrets::find(&text).iter().map(|range| found(range.start, FindingKind::Secret)),
        );
        findings.extend(own_folders(&text, gate).map(|at| found(at, FindingKind::OwnFolder)));
        findings.extend(host_paths(&text).map(|at| found(at, FindingKind::HostPath)));
    }
    findings.sort_by(|one, other| (&one.path, one.line).cmp(&(&other.path, other.line)));
    findings.dedup_by(|next, one| {
        next.path == one.path
            && next.line == one.line
            && (next.what == one.what || one.what.is_refused())
    });
    findings.sort_by_key(|finding| !finding.what.is_refused());
    findings.truncate(MAX_FINDINGS);
    findings
}

/// Returns where the folders of this machine are named.
fn own_folders<'a>(text: &'a str, gate: &Gate) -> impl Iterator<Item = usize> + use<'a> {
    let places = match gate.replacements_in(text, &AgentName::default()) {
        Some(replacements) => replacements.into_iter().map(|one| one.range.start).collect(),
        // The gate would withhold the text as a whole.
        None => vec![0],
    };
    places.into_iter()
}

/// Returns where paths stand that mean something on one machine only.
fn host_paths(text: &str) -> impl Iterator<Item = usize> + '_ {
    HOST_PREFIXES.into_iter().flat_map(|prefix| {
        text.match_indices(prefix).map(|(at, _)| at).filter(|at| {
            let before = text[..*at].chars().next_back();
            !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-'))
                || prefix.starts_with(':')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mere_core::gate::{Landmark, StandIn};

    #[test]
    fn what_is_private_is_found_by_its_line() {
        let landmark = Landmark { path: "/srv/work/acme".to_owned(), stand_in: StandIn::Home };
        let gate = Gate::new(vec![landmark]);
        let check = |text: &str, expected: &[(usize, FindingKind)]| {
            let files = [("a.py", text.as_bytes())];
            let found = check_files(files.into_iter(), &gate);
            let found = found.iter().map(|one| (one.line, one.what)).collect::<Vec<_>>();
            assert_eq!(found, expected, "{text}");
        };
        check("print('hello')\n#!/usr/bin/env python3\n", &[]);
        check("x\ncd /srv/work/acme/src\n", &[(2, FindingKind::OwnFolder)]);
        check("open('/home/ada/x')\n", &[(1, FindingKind::HostPath)]);
        check("see docs/home/ada\nhttps://example.org/home/x", &[]);
        let key = format!("KEY = 'ghp_{}'\n", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        check(&key, &[(1, FindingKind::Secret)]);
    }
}
