//! Looks through a folder for what clients and memory programs keep in it.
//!
//! It only reads, follows no link, and is bounded. What it finds is a file or a folder with its
//! digest, and what is suspicious about its text.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use crate::commands::export::EXPORT_MARK;
use mere_core::digest::{Sha256, Sha256Hasher};
use mere_core::item::SKILL_FILE;
use mere_core::secrets;
use mere_core::text::hidden_characters::HiddenCharacters;
use mere_host::{EntryKind, Folder, OpenFolder, open_regular_file, read_at_most};

/// The folders in which clients keep Agent Skills.
pub(crate) const SKILL_FOLDERS: [&str; 6] = [
    ".agents/skills",
    ".claude/skills",
    ".codex/skills",
    ".cursor/skills",
    ".gemini/skills",
    ".github/skills",
];
/// The files that clients read at the start of every session.
const INSTRUCTION_FILES: [&str; 5] =
    ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md", ".claude/CLAUDE.md"];
/// The files in which the MCP memory server keeps its graph.
const MEMORY_FILES: [&str; 3] = ["memory.jsonl", "memory.json", ".claude/memory.jsonl"];

/// The largest file that is looked into.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;
/// How many entries of one place are looked at.
const MAX_ENTRIES: usize = 5_000;
/// How many files one skill may have.
const MAX_FILES: usize = 1_000;
/// How deep a vault is looked through.
const MAX_DEPTH: usize = 8;

/// The kinds of things that can be adopted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdoptableKind {
    /// A folder with a `SKILL.md`.
    Skill,
    /// A file that a client reads at the start of every session.
    Instructions,
    /// A rule of Cursor.
    CursorRule,
    /// A plugin of Claude Code.
    ClaudePlugin,
    /// An item in a folder of the older format, without a space.
    OldItem,
    /// A note of basic-memory.
    BasicMemoryNote,
    /// The graph of the MCP memory server.
    McpMemory,
    /// A memory of Serena.
    SerenaMemory,
    /// A note of an Obsidian vault.
    ObsidianNote,
}

impl AdoptableKind {
    /// Returns the words for people.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Skill => "Agent Skill",
            Self::Instructions => "instructions",
            Self::CursorRule => "Cursor rule",
            Self::ClaudePlugin => "Claude plugin",
            Self::OldItem => "item of the older format",
            Self::BasicMemoryNote => "basic-memory note",
            Self::McpMemory => "MCP memory graph",
            Self::SerenaMemory => "Serena memory",
            Self::ObsidianNote => "Obsidian note",
        }
    }
}

/// Something that can be adopted.
#[derive(Clone, Debug)]
pub struct Adoptable {
    /// Its kind.
    pub kind: AdoptableKind,
    /// Its name: that of the folder, or of the file without its ending.
    pub name: String,
    /// The folder that was looked through.
    pub place: SurveyedPlace,
    /// The path below that folder.
    pub path: String,
    /// The digest of all its bytes.
    pub digest: Sha256,
    /// What is suspicious about its text.
    pub findings: Vec<String>,
}

/// A folder that is looked through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SurveyedPlace {
    /// The project.
    Project,
    /// The home folder.
    Home,
    /// A folder that the person named.
    Named,
}

impl SurveyedPlace {
    /// Returns the word for people.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Home => "home",
            Self::Named => "folder",
        }
    }
}

/// One folder and what was found in it.
pub(super) struct Survey {
    pub(super) place: SurveyedPlace,
    pub(super) folder: Arc<Folder>,
    pub(super) found: Vec<Adoptable>,
    /// The spelling of the home folder, which should be in no shared text.
    home: Option<String>,
}

impl Survey {
    /// Looks through a folder.
    pub(super) fn take(
        place: SurveyedPlace,
        folder: Arc<Folder>,
        home: Option<String>,
    ) -> io::Result<Self> {
        let mut survey = Self { place, folder, found: Vec::new(), home };
        for skills in SKILL_FOLDERS {
            survey.add_skills(skills)?;
        }
        if place == SurveyedPlace::Named {
            survey.add_skills("")?;
            survey.add_skills("skills")?;
        }
        for file in INSTRUCTION_FILES {
            survey.add_file(AdoptableKind::Instructions, file)?;
        }
        for file in MEMORY_FILES {
            survey.add_file(AdoptableKind::McpMemory, file)?;
        }
        survey.add_notes(AdoptableKind::CursorRule, ".cursor/rules", ".mdc")?;
        survey.add_notes(AdoptableKind::SerenaMemory, ".serena/memories", ".md")?;
        survey.add_notes(AdoptableKind::BasicMemoryNote, "basic-memory", ".md")?;
        survey.add_vault()?;
        survey.add_old_space()?;
        survey.add_plugins()?;
        Ok(survey)
    }

    /// Looks for one skill in the folders of the clients.
    pub(super) fn take_skill(
        place: SurveyedPlace,
        folder: Arc<Folder>,
        name: &str,
    ) -> io::Result<Self> {
        let mut survey = Self { place, folder, found: Vec::new(), home: None };
        for skills in SKILL_FOLDERS {
            let path = join(skills, name);
            if survey.read(&join(&path, SKILL_FILE))?.is_some() {
                let seen = survey.digest_folder(&path)?;
                survey.push(AdoptableKind::Skill, path, seen);
            }
        }
        Ok(survey)
    }

    /// Reads a file that was found.
    pub(super) fn read(&self, path: &str) -> io::Result<Option<Vec<u8>>> {
        let (parents, name) = path.rsplit_once('/').unwrap_or(("", path));
        let Some(folder) = OpenFolder::find(self.folder.dir(), parents)? else { return Ok(None) };
        match open_regular_file(&folder.into_dir(), name) {
            Ok(Some(file)) => read_at_most(file, MAX_FILE_BYTES),
            Ok(None) => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the ids of the directives that the project has already.
    pub(super) fn directive_ids(&self) -> io::Result<Vec<String>> {
        let files = self.files_below(".ai/directives", ".md")?;
        let ids = files.iter().filter_map(|file| {
            let main = file.strip_suffix(&format!("/{SKILL_FILE}"));
            main.or_else(|| file.strip_suffix(".md"))?.rsplit('/').next()
        });
        Ok(ids.map(str::to_owned).collect())
    }

    /// Reads the files of a folder, by their paths in it. Returns `None` if not all of it can be
    /// read: it has a link, a special file, a file that is too large, or too many of them.
    pub(super) fn read_folder(&self, path: &str) -> io::Result<Option<BTreeMap<String, Vec<u8>>>> {
        let mut files = BTreeMap::new();
        let mut open = vec![(path.to_owned(), 0)];
        while let Some((folder, depth)) = open.pop() {
            for (name, kind) in self.entries(&folder)? {
                let inner = join(&folder, &name);
                match kind {
                    EntryKind::Folder if depth < MAX_DEPTH => open.push((inner, depth + 1)),
                    EntryKind::File if files.len() < MAX_FILES => {
                        let Some(bytes) = self.read(&inner)? else { return Ok(None) };
                        let below = inner.strip_prefix(path).unwrap_or(&inner);
                        files.insert(below.trim_start_matches('/').to_owned(), bytes);
                    }
                    _ => return Ok(None),
                }
            }
        }
        Ok(Some(files))
    }

    fn add_skills(&mut self, below: &str) -> io::Result<()> {
        for (name, kind) in self.entries(below)? {
            let path = join(below, &name);
            if kind == EntryKind::Link && !below.is_empty() {
                let why = "it is a link, which is not followed".to_owned();
                self.push(AdoptableKind::Skill, path, (Sha256::digest(b""), vec![why]));
                continue;
            }
            let main = match kind {
                EntryKind::Folder => self.read(&join(&path, SKILL_FILE))?,
                _ => None,
            };
            // What this program has exported comes from an item that is there already.
            let is_exported = |main: &Vec<u8>| String::from_utf8_lossy(main).contains(EXPORT_MARK);
            if main.is_some_and(|main| !is_exported(&main)) {
                let (digest, findings) = self.digest_folder(&path)?;
                self.push(AdoptableKind::Skill, path, (digest, findings));
            }
        }
        Ok(())
    }

    fn add_file(&mut self, kind: AdoptableKind, path: &str) -> io::Result<()> {
        let Some(bytes) = self.read(path)? else { return Ok(()) };
        let is_graph = String::from_utf8_lossy(&bytes).contains("\"type\":\"entity\"");
        if kind == AdoptableKind::McpMemory && !is_graph {
            return Ok(());
        }
        let findings = self.examine(None, &bytes);
        self.push(kind, path.to_owned(), (Sha256::digest(&bytes), findings));
        Ok(())
    }

    /// Adds the files with an ending, in a folder and those below it.
    fn add_notes(&mut self, kind: AdoptableKind, below: &str, ending: &str) -> io::Result<()> {
        for path in self.files_below(below, ending)? {
            self.add_file(kind, &path)?;
        }
        Ok(())
    }

    fn add_vault(&mut self) -> io::Result<()> {
        if self.place == SurveyedPlace::Home || !self.has_folder(".obsidian")? {
            return Ok(());
        }
        for path in self.files_below("", ".md")? {
            if !INSTRUCTION_FILES.contains(&path.as_str()) {
                self.add_file(AdoptableKind::ObsidianNote, &path)?;
            }
        }
        Ok(())
    }

    /// Adds the items of an `.ai` folder that is no space: the older format has no `space.json`.
    fn add_old_space(&mut self) -> io::Result<()> {
        if self.read(".ai/space.json")?.is_some() {
            return Ok(());
        }
        for kind in ["directives", "knowledge", "tools"] {
            for ending in [".md", ".yaml"] {
                let files = self.files_below(&format!(".ai/{kind}"), ending)?;
                for path in files.iter().filter(|path| !path.ends_with(SKILL_FILE)) {
                    self.add_file(AdoptableKind::OldItem, path)?;
                }
            }
        }
        Ok(())
    }

    fn add_plugins(&mut self) -> io::Result<()> {
        let mut plugins = vec![String::new()];
        for (name, kind) in self.entries(".claude/plugins")? {
            if kind == EntryKind::Folder {
                plugins.push(join(".claude/plugins", &name));
            }
        }
        for plugin in plugins {
            let manifest = join(&plugin, ".claude-plugin/plugin.json");
            if self.read(&manifest)?.is_some() {
                self.add_file(AdoptableKind::ClaudePlugin, &manifest)?;
                self.add_skills(&join(&plugin, "skills"))?;
            }
        }
        Ok(())
    }

    fn push(&mut self, kind: AdoptableKind, path: String, seen: (Sha256, Vec<String>)) {
        let last = path.trim_end_matches("/.claude-plugin/plugin.json");
        let last = last.rsplit('/').next().unwrap_or(last);
        let name = last.strip_suffix(".md").or_else(|| last.strip_suffix(".mdc")).unwrap_or(last);
        let (digest, findings) = seen;
        let (name, place) = (name.to_owned(), self.place);
        self.found.push(Adoptable { kind, name, place, path, digest, findings });
    }

    /// Hashes every file of a folder, and examines the texts among them.
    fn digest_folder(&self, path: &str) -> io::Result<(Sha256, Vec<String>)> {
        let mut hasher = Sha256Hasher::default();
        let mut findings = Vec::new();
        let Some(files) = self.read_folder(path)? else {
            let why = "a link, a large file or too many files, so it was not looked into";
            return Ok((Sha256::digest(path.as_bytes()), vec![why.to_owned()]));
        };
        for (below, bytes) in files {
            hasher.update(format!("{below}\0{}\0", Sha256::digest(&bytes)).as_bytes());
            findings.extend(self.examine(Some(&below), &bytes));
        }
        findings.sort();
        findings.dedup();
        Ok((hasher.digest(), findings))
    }

    /// Returns what is suspicious about a text, which is that of a file in a folder if it has a name.
    fn examine(&self, file: Option<&str>, bytes: &[u8]) -> Vec<String> {
        let Ok(text) = str::from_utf8(bytes) else { return Vec::new() };
        let mut findings = Vec::new();
        if !HiddenCharacters::count(text).is_empty() {
            findings.push("hidden characters".to_owned());
        }
        let usual = ["/home/", "/Users/", "C:\\Users\\"].into_iter();
        let own = self.home.as_deref().filter(|home| home.len() > 1);
        if usual.chain(own).any(|path| text.contains(path)) {
            findings.push("a host path".to_owned());
        }
        let secrets = secrets::find(text);
        if let Some(first) = secrets.first() {
            let line = text[..first.start].matches('\n').count() + 1;
            let place = file.map_or(format!("line {line}"), |file| format!("{file}, line {line}"));
            findings.push(match secrets.len() {
                1 => format!("a secret ({place})"),
                count => format!("{count} secrets (the first: {place})"),
            });
        }
        findings
    }

    fn has_folder(&self, below: &str) -> io::Result<bool> {
        Ok(OpenFolder::find(self.folder.dir(), below)?.is_some())
    }

    /// Lists a folder in order. One that is missing has no entries.
    fn entries(&self, below: &str) -> io::Result<Vec<(String, EntryKind)>> {
        let mut entries = Vec::new();
        let Some(folder) = OpenFolder::find(self.folder.dir(), below)? else { return Ok(entries) };
        folder.for_each_entry(|name, kind| {
            entries.extend(name.map(|name| (name.to_owned(), kind)));
            Ok(())
        })?;
        entries.sort_by(|left, right| left.0.cmp(&right.0));
        entries.truncate(MAX_ENTRIES);
        Ok(entries)
    }

    /// Lists the files with an ending below a folder, in order.
    fn files_below(&self, below: &str, ending: &str) -> io::Result<Vec<String>> {
        let mut files = Vec::new();
        let mut open = vec![(below.to_owned(), 0)];
        while let Some((folder, depth)) = open.pop() {
            for (name, kind) in self.entries(&folder)? {
                let path = join(&folder, &name);
                let is_hidden = name.starts_with('.') && below.is_empty();
                match kind {
                    EntryKind::Folder if depth < MAX_DEPTH && !is_hidden => {
                        open.push((path, depth + 1));
                    }
                    EntryKind::File if name.ends_with(ending) => files.push(path),
                    _ => {}
                }
            }
            if files.len() >= MAX_ENTRIES {
                break;
            }
        }
        files.sort();
        Ok(files)
    }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
