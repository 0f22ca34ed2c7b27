//! What would prevent a tool from running, known from its manifest and its place.
//!
//! One function says what is wrong with a manifest where it lies or will lie. Whoever makes a tool
//! is refused, and whoever signs, loads or examines one is told. A run checks all of it again.

use cap_std::fs::Dir;
use mere_core::address::{Address, RelPath, Spoken};
use mere_core::chain::{
    Chain, ChainFault, ChainTool, MAX_CHAIN_LENGTH, PairFault, builtin, check_child_schemas,
    manifest_entrypoint, tool_input_schema,
};
use mere_core::digest::Sha256;
use mere_core::item::integrity::FileDigest;
use mere_core::item::{
    Item, ItemFault, ItemForm, ItemId, ItemRef, ItemType, OLD_SIGNATURE_WARNING, ScopedPath,
    ScriptLanguage, ToolManifest, has_old_signature,
};
use mere_core::reply::{Content, Prose};
use mere_core::request::{ItemContent, LookupScope};
use mere_core::schema::Schema;
use serde_json::Value;
use std::io::Read as _;

use super::find::{NamedItem, find_without_suggestions};
use super::item_files::hash_other_files;
use super::{ItemError, ItemReader, LoadedItem};
use crate::files::masking::mask_secrets;
use crate::files::read::open_visible_file;
use crate::space::ItemChangeError;
use mere_host::OpenFolder;

/// The most scripts of a tool that are looked at for old signatures.
const MAX_SCRIPTS: usize = 16;
/// The bytes at the start of a script that are looked at.
const SCRIPT_START_BYTES: u64 = 8 * 1024;

/// A reason why a tool would not run.
pub(crate) struct ToolProblem {
    /// The key of the manifest that it is about, with dots between names.
    field: &'static str,
    /// What is wrong, in words that may repeat the manifest.
    pub(crate) what: String,
    pub(crate) fix: String,
}

impl ToolProblem {
    fn new(field: &'static str, what: impl Into<String>, fix: impl Into<String>) -> Self {
        let what = mask_secrets(&what.into());
        Self { field, what, fix: fix.into() }
    }

    fn warning(&self) -> Content {
        Content::mention(format!("{}. {}", self.what, self.fix))
    }
}

/// A tool's manifest where it lies or will lie, and the paths of its other files.
#[derive(Clone, Copy)]
struct PlacedTool<'a> {
    place: &'a ScopedPath,
    tool: &'a ToolManifest,
    files: &'a [FileDigest],
}

/// Returns everything that would prevent a tool that was read from running.
pub(crate) fn tool_problems(items: &ItemReader<'_>, loaded: &LoadedItem) -> Vec<ToolProblem> {
    let Item::Tool(tool) = &loaded.item else { return Vec::new() };
    let placed = PlacedTool { place: &loaded.place, tool, files: &loaded.files };
    placed.problems(items)
}

/// Returns warnings about a tool that was read: what would prevent it from running, and signatures
/// of the older format in its scripts.
pub(crate) fn tool_warnings(items: &ItemReader<'_>, loaded: &LoadedItem) -> Vec<Content> {
    let problems = tool_problems(items, loaded);
    let mut warnings = problems.iter().map(ToolProblem::warning).collect::<Vec<_>>();
    let signed = scripts_with_old_signatures(items, loaded);
    warnings.extend(signed.into_iter().map(|path| {
        Content::mention(format!("`{}`: {OLD_SIGNATURE_WARNING}", mask_secrets(&path)))
    }));
    warnings
}

/// Refuses a new manifest that could not be run. `kept` are the files that it gets besides those
/// that come with it.
pub(crate) fn check_new_tool(
    items: &ItemReader<'_>,
    place: &ScopedPath,
    text: &ItemContent,
    kept: &[FileDigest],
) -> Result<(), ItemError> {
    let Ok(Item::Tool(tool)) = Item::parse(&text.main_file, place) else { return Ok(()) };
    let given = text.files.iter().map(|(path, content)| FileDigest {
        path: path.to_string(),
        sha256: Sha256::digest(content.as_bytes()),
        size: content.len() as u64,
    });
    let files = given.chain(kept.iter().cloned()).collect::<Vec<_>>();
    let problems = PlacedTool { place, tool: &tool, files: &files }.problems(items);
    match problems.first() {
        None => Ok(()),
        Some(problem) => {
            let address = place.address().ok_or(ItemChangeError::InvalidPlace)?;
            let (line, column) = locate_field(&text.main_file, problem.field);
            let what = Prose::words("").content(Content::mention(problem.what.as_str()));
            let fix = Prose::words("").content(Content::mention(problem.fix.as_str()));
            let fault = Box::new(ItemFault { line, column, what, fix });
            Err(ItemChangeError::Invalid { address, fault }.into())
        }
    }
}

/// Returns the files that lie where a flat tool would be made, and would belong to it.
pub(crate) fn files_beside(items: &ItemReader<'_>, place: &ScopedPath) -> Vec<FileDigest> {
    if (place.kind, place.form) != (ItemType::Tool, ItemForm::Flat) {
        return Vec::new();
    }
    let files = open_folder_of(items, place).map(|folder| hash_other_files(&folder, place));
    files.and_then(Result::ok).unwrap_or_default()
}

/// Opens the folder in which a flat tool lies or would lie.
pub(crate) fn open_folder_of(items: &ItemReader<'_>, place: &ScopedPath) -> Option<Dir> {
    let trees = items.sources.space(place.scope)?.trees_of(ItemType::Tool);
    let tree = trees.into_iter().find(|tree| tree.base == place.base)?;
    let path = tree.path_from_handle(place.category.as_str());
    OpenFolder::open(tree.dir(), &path).ok().map(OpenFolder::into_dir)
}

impl PlacedTool<'_> {
    fn problems(&self, items: &ItemReader<'_>) -> Vec<ToolProblem> {
        let mut problems = Vec::new();
        problems.extend(self.entrypoint_problem());
        problems.extend(self.schema_problems());
        problems.extend(self.chain_problem(items));
        problems
    }

    fn entrypoint_problem(&self) -> Option<ToolProblem> {
        let field = "manifest.entrypoint";
        let Some(path) = manifest_entrypoint(&self.tool.manifest)? else {
            let what = "`manifest.entrypoint` is not the path of one of the tool's files";
            return Some(ToolProblem::new(field, what, "Write a path such as `main.py`."));
        };
        if self.files.iter().any(|file| file.path == path.as_str()) {
            return None;
        }
        let id = &self.place.id;
        Some(match self.place.form {
            ItemForm::Folder => ToolProblem::new(
                field,
                format!("`manifest.entrypoint` names `{path}`, which is not one of its files"),
                "Put the file into the tool's folder, or correct the name.",
            ),
            ItemForm::Flat if is_beside(id, &path) => ToolProblem::new(
                field,
                format!("`manifest.entrypoint` names `{path}`, which does not exist"),
                "Put the file beside the manifest, or correct the name.",
            ),
            ItemForm::Flat => {
                let extension = path.as_str().rsplit_once('.').map_or("py", |(_, ending)| ending);
                ToolProblem::new(
                    field,
                    format!(
                        "`manifest.entrypoint` names `{path}`, but a tool of single files owns \
                         only files that are named after it, such as `{id}.{extension}`"
                    ),
                    format!(
                        "Rename the script to `{id}.{extension}` and write `entrypoint: \
                         {id}.{extension}`, or make the tool a folder `{id}` with the manifest as \
                         `manifest.yaml` and `{path}` in it."
                    ),
                )
            }
        })
    }

    fn schema_problems(&self) -> Vec<ToolProblem> {
        let manifest = &self.tool.manifest;
        let mut problems = Vec::new();
        let fix = "It must be JSON Schema 2020-12, without references to other documents.";
        let key = if manifest.contains_key("parameters") { "parameters" } else { "input_schema" };
        match tool_input_schema(manifest) {
            Err(fault) => {
                let fix = "Describe the parameters in `input_schema`, as docs/running.md shows.";
                problems.push(ToolProblem::new(key, fault.to_string(), fix));
            }
            Ok(schema) => problems.extend(schema_problem(key, &schema, fix)),
        }
        if let Some(schema) = manifest.get("config_schema") {
            problems.extend(schema_problem("config_schema", schema, fix));
        }
        if let Err(fault) = check_child_schemas(manifest) {
            let what = format!("the tool could run no other: {fault}");
            problems.push(ToolProblem::new("validation", what, "Correct `child_schemas`."));
        }
        problems
    }

    /// Checks that what runs the tool exists, and accepts it and its configuration.
    fn chain_problem(&self, items: &ItemReader<'_>) -> Option<ToolProblem> {
        let tools = match self.follow_executors(items) {
            Ok(tools) => tools,
            Err(problem) => return Some(problem),
        };
        let chain = match Chain::new(tools) {
            Ok(chain) => chain,
            Err(fault) => return Some(chain_fault_problem(&fault)),
        };
        let config = chain.config().and_then(|config| config.environment().map(|_| ()));
        config.err().map(|fault| {
            let fix = "docs/running.md says what `config` and `env_config` may contain.";
            ToolProblem::new("config", fault.to_string(), fix)
        })
    }

    fn follow_executors(&self, items: &ItemReader<'_>) -> Result<Vec<ChainTool>, ToolProblem> {
        let integrity = Sha256::digest(b"");
        let mut tools = vec![ChainTool::new(self.tool.clone(), self.place, integrity)];
        while let Some(link) = tools.last()
            && let Some(executor) = link.pin.executor.clone()
        {
            if tools.iter().any(|tool| tool.pin.id == executor) {
                return Err(chain_fault_problem(&ChainFault::Cycle { link: executor }));
            }
            if tools.len() > MAX_CHAIN_LENGTH {
                break;
            }
            let next = match builtin::find(&executor) {
                Some(shipped) => shipped,
                None => read_executor(items, &link.pin.id, &executor)?,
            };
            tools.push(next);
        }
        Ok(tools)
    }
}

/// Reports whether a flat tool owns a file of this path.
fn is_beside(id: &ItemId, path: &RelPath) -> bool {
    let rest = path.as_str().strip_prefix(id.as_str());
    path.names().count() == 1 && rest.is_some_and(|rest| rest.starts_with('.'))
}

fn schema_problem(key: &'static str, schema: &Value, fix: &'static str) -> Option<ToolProblem> {
    let error = Schema::compile(schema).err()?;
    Some(ToolProblem::new(key, format!("`{key}` cannot be used: {error}"), fix))
}

/// Reads the manifest of a tool that runs another, whoever vouches for it.
fn read_executor(
    items: &ItemReader<'_>,
    link: &ItemId,
    executor: &ItemId,
) -> Result<ChainTool, ToolProblem> {
    let problem = |why: &str| {
        let what = format!("`executor_id` of `{link}` names `{executor}`, {why}");
        let runtimes = "`python_runtime`, `node_runtime` or `bash_runtime`";
        ToolProblem::new("executor_id", what, format!("Name {runtimes}, or a tool of yours."))
    };
    let item = ItemRef { category: None, id: executor.clone(), version: None };
    let named = NamedItem { kind: ItemType::Tool, item: &item, source: LookupScope::Local };
    let found = find_without_suggestions(items.sources, items.view, named);
    let found = found.map_err(|error| match error {
        ItemError::Missing { .. } => problem("which does not exist"),
        ItemError::Ambiguous { .. } | ItemError::Clash { .. } => {
            problem("which means several tools")
        }
        _ => problem("which cannot be read"),
    })?;
    match LoadedItem::read(items.view, found.place) {
        Ok(LoadedItem { item: Item::Tool(tool), place, integrity: Some(integrity), .. }) => {
            Ok(ChainTool::new(tool, &place, integrity))
        }
        _ => Err(problem("which is not valid")),
    }
}

/// Says what is wrong with a chain. What a runtime that ships with mere asks of a script is said in
/// words, not as a pattern.
pub(crate) fn describe_chain_fault(fault: &ChainFault) -> String {
    match fault {
        ChainFault::Pair { parent, child, fault: PairFault::SchemaMismatch { problems, .. } }
            if builtin::is_reserved(parent)
                && problems.iter().any(|one| one.pointer == "/manifest/entrypoint") =>
        {
            format!(
                "`{parent}` does not run `{child}`: `manifest.entrypoint` must name a script in \
                 its language"
            )
        }
        fault => fault.to_string(),
    }
}

/// Says what to do about a chain that is refused.
pub(crate) fn chain_fault_fix(fault: &ChainFault) -> String {
    match fault {
        ChainFault::Pair { parent, .. } if parent.as_str().starts_with("mcp_") => {
            "`mere import-mcp` writes the manifests of a server and of its tools.".to_owned()
        }
        ChainFault::Pair { parent, child, .. } if parent.as_str() == "http_client" => format!(
            "Ask a person to run `mere edit tool {child}` and write `tool_type: api` with \
             `config: {{url: https://…}}`; docs/running.md describes the other keys."
        ),
        ChainFault::Pair { parent, child, .. } if builtin::is_reserved(parent) => format!(
            "Ask a person to run `mere edit tool {child}` and write `manifest: {{entrypoint: FILE}}` \
             with the `executor_id` that runs it: `python_runtime` (.py), `node_runtime` (.js, \
             .mjs, .cjs) or `bash_runtime` (.sh, .bash)."
        ),
        _ => {
            "Each tool says in `validation.child_schemas` what it runs, and in `executor_id` what \
              runs it."
                .to_owned()
        }
    }
}

fn chain_fault_problem(fault: &ChainFault) -> ToolProblem {
    let (what, fix) = (describe_chain_fault(fault), chain_fault_fix(fault));
    ToolProblem::new("executor_id", what, fix)
}

/// Returns the paths of the tool's scripts that have a signature of the older format.
fn scripts_with_old_signatures(items: &ItemReader<'_>, loaded: &LoadedItem) -> Vec<String> {
    let folder = loaded.address.path().split_last().map(|(folder, _)| folder).unwrap_or_default();
    let is_script = |file: &&FileDigest| ScriptLanguage::split_file_name(&file.path).is_some();
    let scripts = loaded.files.iter().filter(is_script).take(MAX_SCRIPTS);
    let signed = scripts.filter(|file| {
        let path = file.path.parse::<RelPath>().ok().map(|path| folder.join_path(&path));
        let address = path.map(|path| Address::file(loaded.address.root().clone(), path));
        let file = address.and_then(|address| {
            let file = items.view.resolve(&Spoken::Rooted(address)).ok()?;
            open_visible_file(&file).ok()
        });
        let mut bytes = Vec::new();
        let read = file.map(|file| file.take(SCRIPT_START_BYTES).read_to_end(&mut bytes));
        matches!(read, Some(Ok(_))) && has_old_signature(&String::from_utf8_lossy(&bytes))
    });
    signed.map(|file| file.path.clone()).collect()
}

/// Finds the line and the column of a key of a manifest, or the start if it is not there.
fn locate_field(text: &str, field: &str) -> (usize, usize) {
    let (top, inner) = field.split_once('.').map_or((field, None), |(top, key)| (top, Some(key)));
    let is_top = |line: &str| line.strip_prefix(top).is_some_and(|rest| rest.starts_with(':'));
    let Some(start) = text.lines().position(is_top) else { return (1, 1) };
    let Some(inner) = inner.map(|key| format!("{key}:")) else { return (start + 1, 1) };
    let mut below = text.lines().enumerate().skip(start);
    let found = below.find_map(|(line, text)| Some((line + 1, text.find(&inner)?)));
    found.map_or((start + 1, 1), |(line, at)| (line, at + 1))
}
