//! `mere export`: writes directives in the formats of other programs.
//!
//! Only items that may be used are exported, and with the bytes that were verified. A file that
//! this command has not written is never overwritten: shared files have a block of their own, and
//! other files are recognised by a mark or by being the same.

mod managed_block;
mod skill_folder;

use std::collections::BTreeMap;
use std::sync::Arc;

use mere_core::address::{RelPath, Spoken};
use mere_core::item::{Item, ItemType, SKILL_FILE, Scope, ScopedPath};
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_core::request::{ExportFormat, ExportItems, ExportMode};
use serde_json::json;

use super::CommandCall;
use crate::error::tool_error::ToolError;
use crate::items::load::item_name;
use crate::items::relocation::read_verified_bytes;
use crate::items::{ItemError, LoadedItem, UsableItem, open_for_use};
use managed_block::set_block;
use mere_host::{ClientFile, ClientFileError, Folder};
pub(super) use skill_folder::EXPORT_MARK;
use skill_folder::{describe, render_rule, render_skill, skill_fault, skill_name};

/// A file of an export.
struct ExportFile {
    path: String,
    content: ExportContent,
}

enum ExportContent {
    /// These bytes. An older export with the mark may be replaced.
    Whole(Vec<u8>),
    /// A block in a file that people write too.
    Block(String),
}

/// What an export consists of.
#[derive(Default)]
struct Export {
    files: Vec<ExportFile>,
    /// The items that are left out, and why.
    left: Vec<(ScopedPath, String)>,
}

/// Writes the directives of the project, or of the user without one.
pub(super) fn export_items(
    call: &CommandCall<'_>,
    request: &ExportItems,
) -> Result<Draft, ToolError> {
    let export = Export::assemble(call, request)?;
    let base = match open_base(call, request) {
        Ok(base) => base,
        Err(cause) => return Ok(failure(&cause.to_string())),
    };
    let (mut changed, mut kept) = (Vec::new(), 0_u64);
    let mut taken = Vec::new();
    for file in &export.files {
        match file.write(&base, request.mode) {
            Ok(FileOutcome::Same) => kept += 1,
            Ok(FileOutcome::Changed) => changed.push(file.path.clone()),
            Ok(FileOutcome::Taken(why)) => taken.push((file.path.clone(), why)),
            Err(error) => return Ok(failure(&format!("{}: {error}", file.path))),
        }
    }
    taken.extend(export.older_files(request, &base));
    let left = export.left.iter().map(|(place, why)| {
        let name = Data::from(item_name(place));
        Fields::default().with("item", name).with("why", Content::mention(why.clone())).into()
    });
    let taken_files = taken.iter().map(|(path, why)| {
        let path = Content::mention(path.clone());
        Fields::default().with("item", path).with("why", Content::mention(why.clone())).into()
    });
    let files = changed.iter().map(|path| Content::mention(path.clone()).into()).collect();
    let data = Fields::default()
        .with("files", Data::List(files))
        .with("unchanged", kept)
        .with("left", Data::List(left.chain(taken_files).collect()));
    Ok(match request.mode {
        ExportMode::Check if !changed.is_empty() || !taken.is_empty() => {
            let words = match changed.len() + taken.len() {
                1 => "1 exported file differs from its item.".to_owned(),
                count => format!("{count} exported files differ from the items."),
            };
            Draft::fault(codes::EXPORT_STALE, Prose::words(words))
                .data(data)
                .hint(Prose::words(format!("Run `mere export --to {}`.", request.format.name())))
        }
        ExportMode::Check => {
            Draft::success(codes::EXPORTED, "The export is up to date.").data(data)
        }
        ExportMode::Write => {
            let words = match (changed.len(), kept) {
                (1, 1) => "1 file was written, 1 was up to date.".to_owned(),
                (1, kept) => format!("1 file was written, {kept} were up to date."),
                (count, 1) => format!("{count} files were written, 1 was up to date."),
                (count, kept) => format!("{count} files were written, {kept} were up to date."),
            };
            Draft::success(codes::EXPORTED, Prose::words(words)).data(data)
        }
    })
}

fn failure(words: &str) -> Draft {
    let message = Prose::words("The export could not be written.");
    let data = Fields::default().with("cause", Content::mention(words.to_owned()));
    Draft::fault(codes::EXPORT_FAILED, message).data(data)
}

fn open_base(call: &CommandCall<'_>, request: &ExportItems) -> std::io::Result<Arc<Folder>> {
    let context = call.change.context;
    match &request.out {
        Some(out) => context.environment.make_person_folder(out).map(Arc::new),
        None => context.project().map(Arc::clone).map_err(|_| std::io::ErrorKind::NotFound.into()),
    }
}

impl Export {
    fn assemble(call: &CommandCall<'_>, request: &ExportItems) -> Result<Self, ToolError> {
        let scope = call.change.effective_scope(Scope::Project);
        let entries = call.items.sources.indexed_items(scope).map_err(ItemError::Unsearchable)?;
        let places = entries.into_iter().map(|entry| entry.place);
        let mut export = Self::default();
        let mut names = BTreeMap::<String, Vec<UsableItem>>::new();
        for place in places.filter(|place| place.kind == ItemType::Directive) {
            match open_for_use(call.items, place.clone()) {
                Ok(usable) => names.entry(skill_name(place.id.as_str())).or_default().push(usable),
                Err(_) => export.left.push((place, "it cannot be used; see `mere verify`".into())),
            }
        }
        let mut chosen = Vec::new();
        for (name, mut usable) in names {
            if usable.len() > 1 {
                let why = "another directive would have the same name";
                let places = usable.iter().map(|one| one.item().place.clone());
                export.left.extend(places.map(|place| (place, why.to_owned())));
            } else if let Some(only) = usable.pop() {
                chosen.push((name, only));
            }
        }
        export.add_items(call, request, &chosen);
        Ok(export)
    }

    /// Returns the files of earlier exports of items that are left out now, and what to do about
    /// them.
    fn older_files(&self, request: &ExportItems, base: &Arc<Folder>) -> Vec<(String, String)> {
        let files = self.left.iter().filter_map(|(place, _)| {
            let file = ExportFile::of_item(request, &skill_name(place.id.as_str()))?;
            let why = "an older export of an item that is left out: delete it";
            file.is_older_export(base).then(|| (file.path, why.to_owned()))
        });
        files.collect()
    }

    fn add_items(
        &mut self,
        call: &CommandCall<'_>,
        request: &ExportItems,
        chosen: &[(String, UsableItem)],
    ) {
        let is_default = request.out.is_none();
        match request.format {
            ExportFormat::AgentSkills => {
                let folder = if is_default { ".agents/skills/" } else { "" };
                let in_place = call.items.sources.in_place_folders();
                let is_in_place = is_default && in_place.iter().any(|one| one == ".agents/skills");
                for (name, usable) in chosen {
                    let is_skill = matches!(usable.item().item, Item::Skill(_));
                    if is_in_place && !is_skill {
                        let why = "`.agents/skills` is used in place, so it would be there twice";
                        self.left.push((usable.item().place.clone(), why.to_owned()));
                    } else {
                        self.add_skill(call, usable.item(), &format!("{folder}{name}"));
                    }
                }
            }
            ExportFormat::ClaudePlugin => {
                let folder = if is_default { "claude-plugin/" } else { "" };
                for (name, usable) in chosen {
                    self.add_skill(call, usable.item(), &format!("{folder}skills/{name}"));
                }
                let manifest = json!({
                    "name": "merestone", "version": "1.0.0",
                    "description": "Directives that were exported by mere."
                });
                let content = ExportContent::Whole(format!("{manifest:#}\n").into_bytes());
                let path = format!("{folder}.claude-plugin/plugin.json");
                self.files.push(ExportFile { path, content });
            }
            ExportFormat::Cursor => {
                let folder = if is_default { ".cursor/rules/" } else { "" };
                self.files.extend(chosen.iter().map(|(name, usable)| ExportFile {
                    path: format!("{folder}{name}.mdc"),
                    content: ExportContent::Whole(render_rule(usable.item()).into_bytes()),
                }));
            }
            ExportFormat::AgentsMd => {
                let content = ExportContent::Block(list_directives(chosen));
                self.files.push(ExportFile { path: "AGENTS.md".to_owned(), content });
            }
        }
    }

    /// Adds the files of a skill, or the one that a directive becomes.
    fn add_skill(&mut self, call: &CommandCall<'_>, loaded: &LoadedItem, folder: &str) {
        let main = format!("{folder}/{SKILL_FILE}");
        if !matches!(loaded.item, Item::Skill(_)) {
            let name = folder.rsplit('/').next().unwrap_or_default();
            let content = ExportContent::Whole(render_skill(loaded, name).into_bytes());
            self.files.push(ExportFile { path: main, content });
            return;
        }
        if let Some(fault) = skill_fault(loaded) {
            self.left.push((loaded.place.clone(), fault.to_owned()));
            return;
        }
        let mut files = vec![ExportFile {
            path: main,
            content: ExportContent::Whole(loaded.text.clone().into_bytes()),
        }];
        let resolved = call.items.view.resolve(&Spoken::Rooted(loaded.address.clone())).ok();
        let parent = resolved.as_ref().and_then(|main| main.parent_folder());
        for file in &loaded.files {
            let bytes = parent.and_then(|parent| read_verified_bytes(parent, file).ok());
            let Some(bytes) = bytes else {
                let why = format!("{} changed while it was read", file.path);
                self.left.push((loaded.place.clone(), why));
                return;
            };
            let path = format!("{folder}/{}", file.path);
            files.push(ExportFile { path, content: ExportContent::Whole(bytes) });
        }
        self.files.append(&mut files);
    }
}

/// Lists directives for `AGENTS.md`.
fn list_directives(chosen: &[(String, UsableItem)]) -> String {
    let lines = chosen.iter().map(|(_, usable)| {
        let loaded = usable.item();
        format!("- `{}`: {}\n", loaded.place.reference(), describe(&loaded.item))
    });
    let lines = lines.collect::<String>();
    format!(
        "## Directives\n\nThese workflows are kept by `mere`. Load one with the MCP tool `load` \
         (`item_type: directive`) or\n`mere show directive NAME` before you start such work.\n\n{lines}"
    )
}

/// What becomes of a file of an export.
enum FileOutcome {
    Same,
    Changed,
    /// Something else is there, which is not touched.
    Taken(String),
}

impl ExportFile {
    /// Returns the file that a directive with a name becomes, without content; none if it becomes
    /// a line of a shared file.
    fn of_item(request: &ExportItems, name: &str) -> Option<Self> {
        let is_default = request.out.is_none();
        let path = match (request.format, is_default) {
            (ExportFormat::AgentSkills, true) => format!(".agents/skills/{name}/{SKILL_FILE}"),
            (ExportFormat::AgentSkills, false) => format!("{name}/{SKILL_FILE}"),
            (ExportFormat::ClaudePlugin, true) => {
                format!("claude-plugin/skills/{name}/{SKILL_FILE}")
            }
            (ExportFormat::ClaudePlugin, false) => format!("skills/{name}/{SKILL_FILE}"),
            (ExportFormat::Cursor, true) => format!(".cursor/rules/{name}.mdc"),
            (ExportFormat::Cursor, false) => format!("{name}.mdc"),
            (ExportFormat::AgentsMd, _) => return None,
        };
        Some(Self { path, content: ExportContent::Whole(Vec::new()) })
    }

    /// Checks whether an earlier export is at its place.
    fn is_older_export(&self, base: &Arc<Folder>) -> bool {
        let file = self.path.parse::<RelPath>().map(|path| ClientFile::new(Arc::clone(base), path));
        let bytes = file.ok().and_then(|file| file.read_bytes().ok().flatten());
        bytes.is_some_and(|bytes| String::from_utf8_lossy(&bytes).contains(EXPORT_MARK))
    }

    fn write(&self, base: &Arc<Folder>, mode: ExportMode) -> Result<FileOutcome, ClientFileError> {
        let path = self.path.parse::<RelPath>();
        let Ok(path) = path else { return Ok(FileOutcome::Taken("no such path".to_owned())) };
        let file = ClientFile::new(Arc::clone(base), path);
        let before = match file.read_bytes() {
            Ok(before) => before,
            Err(ClientFileError::Io(error)) => return Err(error.into()),
            Err(error) => return Ok(FileOutcome::Taken(error.to_string())),
        };
        let after = match (&self.content, &before) {
            (ExportContent::Whole(bytes), None) => bytes.clone(),
            (ExportContent::Whole(bytes), Some(before)) if bytes == before => bytes.clone(),
            (ExportContent::Whole(bytes), Some(before)) => {
                if !String::from_utf8_lossy(before).contains(EXPORT_MARK) {
                    return Ok(FileOutcome::Taken("another file is there".to_owned()));
                }
                bytes.clone()
            }
            (ExportContent::Block(lines), before) => {
                let text = String::from_utf8(before.clone().unwrap_or_default());
                let Ok(text) = text else {
                    return Ok(FileOutcome::Taken(ClientFileError::NotText.to_string()));
                };
                match set_block(&text, lines) {
                    Ok(text) => text.into_bytes(),
                    Err(error) => return Ok(FileOutcome::Taken(error.to_string())),
                }
            }
        };
        if before.as_ref() == Some(&after) {
            return Ok(FileOutcome::Same);
        }
        if mode == ExportMode::Write {
            file.replace(before.as_deref(), &after)?;
        }
        Ok(FileOutcome::Changed)
    }
}
