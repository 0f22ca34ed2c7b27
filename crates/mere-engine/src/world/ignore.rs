//! What `.gitignore`, `.git/info/exclude` and `.aiignore` leave out of sweeps.
//!
//! The rules are git's: the deepest file that mentions a path decides, its last matching line wins,
//! and nothing below an ignored folder can be included again. `.aiignore` takes precedence over
//! git's files and may include what they leave out. The space at the top of a root is exempt from
//! git's files above it, because its items are what agents need.

use std::io::Read;
use std::sync::Arc;

use cap_std::fs::Dir;
pub(super) use mere_core::text::gitignore::IsFolder;
use mere_core::text::gitignore::{IgnoreRules, IgnoreVerdict};

use mere_host::OpenFolder;

const GIT_FILE: &str = ".gitignore";
const AI_FILE: &str = ".aiignore";
/// The largest ignore file that is read.
const MAX_BYTES: u64 = 1024 * 1024;

/// Where ignore rules begin: at the top of the root, or of the repository around it.
pub(super) struct IgnoreBase<'a> {
    pub(super) base: &'a Dir,
    /// The target's path from there.
    pub(super) path: String,
    /// The path of the root's own space from there.
    pub(super) space: String,
}

/// The rules that hold in one folder.
#[derive(Clone, Default)]
pub(super) struct IgnoreStack {
    git: Option<Arc<IgnoreFile>>,
    ai: Option<Arc<IgnoreFile>>,
}

/// One ignore file, linked to those of the folders above.
struct IgnoreFile {
    above: Option<Arc<IgnoreFile>>,
    /// The length of the path to the file's folder, with the final slash.
    prefix_len: usize,
    rules: IgnoreRules,
}

impl IgnoreStack {
    /// Returns the rules that hold for a target before its own files are read.
    pub(super) fn above(from: &IgnoreBase<'_>) -> Self {
        let mut rules = Self::default();
        let slashes = from.path.match_indices('/').map(|(at, _)| at);
        let ends = (!from.path.is_empty()).then_some(0).into_iter().chain(slashes);
        for folder in ends.map(|end| &from.path[..end]) {
            let Ok(open) = OpenFolder::open(from.base, folder) else { return rules };
            rules = rules.for_folder(folder, from).with_files_in(
                &open,
                (from.base, folder),
                IgnoreFilesPresent::ASSUME_ALL,
            );
        }
        rules.for_folder(&from.path, from)
    }

    /// Returns these rules for the folder at `path`, itself included. Inside a root's own space
    /// git's rules do not apply.
    pub(super) fn for_folder(self, path: &str, from: &IgnoreBase<'_>) -> Self {
        if path == from.space { Self { git: None, ai: self.ai } } else { self }
    }

    /// Adds the rules of the files in an open folder at `path` below `base`; `has` tells which of
    /// those files may exist.
    pub(super) fn with_files_in(
        mut self,
        folder: &OpenFolder,
        (base, path): (&Dir, &str),
        has: IgnoreFilesPresent,
    ) -> Self {
        if has.repository {
            let info = if path.is_empty() { ".git/info" } else { &format!("{path}/.git/info") };
            if let Ok(info) = OpenFolder::open(base, info) {
                push_file(&mut self.git, &info, "exclude", path);
            }
        }
        if has.git_file {
            push_file(&mut self.git, folder, GIT_FILE, path);
        }
        if has.ai_file {
            push_file(&mut self.ai, folder, AI_FILE, path);
        }
        self
    }

    /// Checks whether sweeps leave out the path, which is given from where these rules begin.
    pub(super) fn is_ignored(&self, path: &str, is_folder: IsFolder) -> bool {
        let by_ai = decide(self.ai.as_ref(), path, is_folder);
        let verdict = by_ai.or_else(|| decide(self.git.as_ref(), path, is_folder));
        verdict == Some(IgnoreVerdict::Ignored)
    }
}

/// Which of the relevant names a folder contains.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct IgnoreFilesPresent {
    repository: bool,
    git_file: bool,
    ai_file: bool,
}

impl IgnoreFilesPresent {
    /// Assumes that all of them may exist, when the names were not read.
    const ASSUME_ALL: Self = Self { repository: true, git_file: true, ai_file: true };

    /// Notes a name of the folder.
    pub(super) fn note(&mut self, name: &str) {
        self.repository |= name == ".git";
        self.git_file |= name == GIT_FILE;
        self.ai_file |= name == AI_FILE;
    }
}

/// Returns the verdict of the deepest file that has one for the path.
fn decide(
    files: Option<&Arc<IgnoreFile>>,
    path: &str,
    is_folder: IsFolder,
) -> Option<IgnoreVerdict> {
    let mut files = files;
    while let Some(here) = files {
        let below = path.get(here.prefix_len..).unwrap_or_default();
        if let Some(verdict) = here.rules.decide(below, is_folder) {
            return Some(verdict);
        }
        files = here.above.as_ref();
    }
    None
}

fn push_file(chain: &mut Option<Arc<IgnoreFile>>, folder: &OpenFolder, name: &str, path: &str) {
    let Some(rules) = read_rules(folder, name) else { return };
    let at = if path.is_empty() { 0 } else { path.len() + 1 };
    *chain = Some(Arc::new(IgnoreFile { above: chain.take(), prefix_len: at, rules }));
}

/// Reads the rules of a file; `None` if there are none.
fn read_rules(folder: &OpenFolder, name: &str) -> Option<IgnoreRules> {
    let file = folder.open_file(name).ok().flatten()?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    IgnoreRules::parse(&String::from_utf8_lossy(&bytes))
}
