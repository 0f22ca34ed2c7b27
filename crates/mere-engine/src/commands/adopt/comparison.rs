//! Compares what was found: copies that drifted apart, and names that hide others.

use std::collections::BTreeMap;

use super::survey::{Adoptable, AdoptableKind, SurveyedPlace};

/// A name that several skills have.
#[derive(Clone, Debug)]
pub struct SharedName {
    /// The name.
    pub name: String,
    /// Where the skills of this name lie.
    pub paths: Vec<String>,
    /// Whether their bytes differ.
    pub has_drifted: bool,
    /// Which copy each client uses, where that is known.
    pub used: Vec<(&'static str, String)>,
}

/// Finds the names that several skills have.
pub(super) fn find_shared_names(found: &[Adoptable]) -> Vec<SharedName> {
    let mut names = BTreeMap::<&str, Vec<&Adoptable>>::new();
    for skill in found.iter().filter(|one| one.kind == AdoptableKind::Skill) {
        names.entry(&skill.name).or_default().push(skill);
    }
    let shared = names.into_iter().filter(|(_, skills)| skills.len() > 1);
    shared.map(|(name, skills)| SharedName::compare(name, &skills)).collect()
}

impl SharedName {
    /// Compares the skills of one name.
    pub(super) fn compare(name: &str, skills: &[&Adoptable]) -> Self {
        Self {
            name: name.to_owned(),
            paths: skills.iter().map(|skill| skill.shown_path()).collect(),
            has_drifted: skills.iter().any(|skill| skill.digest != skills[0].digest),
            used: used_copies(skills),
        }
    }
}

/// Returns which copy each client uses, by the rules that the clients document.
fn used_copies(skills: &[&Adoptable]) -> Vec<(&'static str, String)> {
    use SurveyedPlace::{Home, Project};
    let find = |place, folder: &str| {
        let prefix = format!("{folder}/");
        let own = |skill: &&&Adoptable| skill.place == place && skill.path.starts_with(&prefix);
        skills.iter().find(own).map(|skill| skill.shown_path())
    };
    let first = |order: &[(SurveyedPlace, &str)]| {
        order.iter().find_map(|(place, folder)| find(*place, folder))
    };
    // Claude Code lets a person's own skill win, Gemini CLI that of the project.
    let claude = first(&[(Home, ".claude/skills"), (Project, ".claude/skills")]);
    let gemini = first(&[
        (Project, ".agents/skills"),
        (Project, ".gemini/skills"),
        (Home, ".agents/skills"),
        (Home, ".gemini/skills"),
    ]);
    let codex = [
        find(Project, ".agents/skills"),
        find(Home, ".agents/skills"),
        find(Home, ".codex/skills"),
    ];
    let codex = codex.into_iter().flatten().collect::<Vec<_>>();
    let codex = (!codex.is_empty()).then(|| codex.join(" and "));
    let used = [("Claude Code", claude), ("Gemini CLI", gemini), ("Codex", codex)];
    used.into_iter().filter_map(|(client, path)| Some((client, path?))).collect()
}
