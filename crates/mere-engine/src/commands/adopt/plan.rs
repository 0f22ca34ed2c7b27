//! The plan of an adoption: which folders are used in place, and which files are written.
//!
//! Nothing that exists is overwritten, and nothing is written twice.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

use mere_core::address::{RelPath, RepositoryName};
use mere_core::digest::Sha256;
use mere_core::item::{Item, ItemForm, ItemRef, ItemType, Scope};

use super::conversion::{
    CATEGORY, make_graph_notes, make_id, make_note, make_skill, without_block,
};
use super::survey::{Adoptable, AdoptableKind, Survey, SurveyedPlace};
use crate::items::new_item::place_in_space;

/// What an adoption would do.
#[derive(Clone, Debug, Default)]
pub struct AdoptionPlan {
    /// The folders of the project whose skills are used where they lie.
    pub in_place: Vec<String>,
    /// The files that are written, by their path in the project.
    pub(super) files: BTreeMap<String, Vec<u8>>,
    /// What is left, and why.
    pub left: Vec<(String, String)>,
    /// What is adopted although something about it is suspicious, and what that is.
    pub suspicious: Vec<(String, String)>,
    /// The lines that `.gitattributes` lacks for what is adopted.
    pub attributes: Vec<String>,
    seen: BTreeSet<String>,
}

impl AdoptionPlan {
    /// Returns the paths of the files that are written.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Returns whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.in_place.is_empty() && self.files.is_empty()
    }

    pub(super) fn make(surveys: &[Survey], used: &[String]) -> io::Result<Self> {
        let mut plan = Self::default();
        let mut names = BTreeSet::new();
        for survey in surveys {
            match survey.place {
                SurveyedPlace::Project => {
                    names.extend(survey.directive_ids()?);
                    plan.take_in_place(survey, used, &mut names);
                    plan.import(survey)?;
                }
                SurveyedPlace::Named => plan.import(survey)?,
                SurveyedPlace::Home => continue,
            }
            let suspicious = survey.found.iter().filter(|one| !one.findings.is_empty());
            let suspicious = suspicious.map(|one| (one.shown_path(), one.findings.join(", ")));
            plan.suspicious.extend(suspicious);
        }
        plan.suspicious.retain(|(path, _)| !plan.left.iter().any(|(left, _)| left == path));
        Ok(plan)
    }

    /// Takes the folders of skills, unless a name in one of them is taken already.
    fn take_in_place(&mut self, survey: &Survey, used: &[String], names: &mut BTreeSet<String>) {
        let mut folders = BTreeMap::<&str, Vec<&Adoptable>>::new();
        for skill in survey.found.iter().filter(|one| one.kind == AdoptableKind::Skill) {
            let folder = skill.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            folders.entry(folder).or_default().push(skill);
        }
        for (folder, skills) in folders {
            let is_used = used.iter().any(|one| one == folder);
            let clash = skills.iter().find(|skill| names.contains(&skill.name));
            if let Some(clash) = clash.filter(|_| !is_used) {
                let why = format!("there is another directive `{}` already", clash.name);
                self.left.push((folder.to_owned(), why));
                continue;
            }
            names.extend(skills.iter().map(|skill| skill.name.clone()));
            if !is_used {
                self.in_place.push(folder.to_owned());
            }
        }
    }

    fn import(&mut self, survey: &Survey) -> io::Result<()> {
        for found in &survey.found {
            match found.kind {
                AdoptableKind::Skill if survey.place == SurveyedPlace::Project => {}
                AdoptableKind::Skill => self.import_skill(survey, found)?,
                AdoptableKind::Instructions | AdoptableKind::CursorRule => {
                    let Some(text) = read_text(survey, found)? else { continue };
                    let file = found.path.rsplit('/').next().unwrap_or(&found.path);
                    let Some(id) = make_id(file) else { continue };
                    if without_block(&text).trim().is_empty() {
                        continue;
                    }
                    let skill = make_skill(&id, &found.path, &text);
                    self.add(found, (ItemType::Directive, &id), skill);
                }
                AdoptableKind::BasicMemoryNote
                | AdoptableKind::SerenaMemory
                | AdoptableKind::ObsidianNote => {
                    let Some(text) = read_text(survey, found)? else { continue };
                    let Some(id) = make_id(&found.name) else { continue };
                    let note = make_note(&id, &found.name, &text);
                    self.add(found, (ItemType::Knowledge, &id), note);
                }
                AdoptableKind::McpMemory => {
                    let text = read_text(survey, found)?.unwrap_or_default();
                    for (id, note) in make_graph_notes(&text) {
                        self.add(found, (ItemType::Knowledge, &id), note);
                    }
                }
                AdoptableKind::OldItem => {
                    let why = "it is used where it lies once `mere init` has made a space of .ai";
                    self.left.push((found.shown_path(), why.to_owned()));
                }
                AdoptableKind::ClaudePlugin => {
                    let why = "a plugin is adopted by its skills alone";
                    self.left.push((found.shown_path(), why.to_owned()));
                }
            }
        }
        Ok(())
    }

    /// Copies a skill of another folder, byte for byte.
    fn import_skill(&mut self, survey: &Survey, found: &Adoptable) -> io::Result<()> {
        if !self.seen.insert(found.digest.to_string()) {
            return Ok(());
        }
        if make_id(&found.name).as_deref() != Some(found.name.as_str()) {
            let why = "its name is not one that an item can have";
            self.left.push((found.shown_path(), why.to_owned()));
            return Ok(());
        }
        let Some(files) = survey.read_folder(&found.path)? else {
            let why = "it has a link, a file of more than 4 MiB, or more than 1000 files";
            self.left.push((found.shown_path(), why.to_owned()));
            return Ok(());
        };
        for (below, bytes) in files {
            // A signature is made for its place, and is worth nothing in another; and a program for
            // version control would run what a repository configures.
            let is_repository = |path: RelPath| RepositoryName::find_in(&path).is_some();
            if below != ".sig" && !below.parse().is_ok_and(is_repository) {
                let to = format!(".ai/directives/{CATEGORY}/{}/{below}", found.name);
                self.files.insert(to, bytes);
            }
        }
        Ok(())
    }

    /// Adds an item, if it is valid and its content is not among them already.
    fn add(&mut self, found: &Adoptable, (kind, id): (ItemType, &str), text: String) {
        if !self.seen.insert(Sha256::digest(text.as_bytes()).to_string()) {
            return;
        }
        let (form, path) = match kind {
            ItemType::Directive => {
                (ItemForm::Folder, format!(".ai/directives/{CATEGORY}/{id}/SKILL.md"))
            }
            _ => (ItemForm::Flat, format!(".ai/knowledge/{CATEGORY}/{id}.md")),
        };
        let item = format!("{CATEGORY}/{id}").parse::<ItemRef>();
        let place = item.map(|item| place_in_space(Scope::Project, kind, &item, form));
        let is_valid = place.is_ok_and(|place| Item::parse(&text, &place).is_ok());
        if !is_valid {
            let why = "it would not be a valid item: its frontmatter cannot be read, or states \
                       another id";
            self.left.push((found.shown_path(), why.to_owned()));
            return;
        }
        match self.files.entry(path) {
            Entry::Vacant(vacant) => {
                vacant.insert(text.into_bytes());
            }
            Entry::Occupied(taken) => {
                let why = format!("something else becomes {}", taken.key());
                self.left.push((found.shown_path(), why));
            }
        }
    }
}

fn read_text(survey: &Survey, found: &Adoptable) -> io::Result<Option<String>> {
    Ok(survey.read(&found.path)?.and_then(|bytes| String::from_utf8(bytes).ok()))
}
