//! A tool that could be started now: its program, arguments and environment, and the files it may
//! see.

use std::collections::BTreeMap;

use mere_core::address::RelPath;
use mere_core::chain::{
    Chain, HttpRequest, Stdin, Subprocess, TemplateValues, ToolAction, tool_input_schema,
    with_defaults, with_text_values,
};
use mere_core::digest::Sha256;
use mere_core::item::{ItemId, ItemRef};
use mere_core::secrets::SecretRedactor;
use serde_json::{Map, Value};

use super::grants::check_grants;
use super::inputs::check_inputs;
use super::lock::Locked;
use super::variables::Variables;
use super::{RunCall, RunError};
use crate::config::RuntimeConfig;
use crate::items::ItemError;
use crate::policy::GrantedPermissions;
use crate::world::Context;
use mere_host::{Folder, PackageManifest, PackageRequest, Program, SEARCH_PATH};

/// The folder in the cell that holds the tool's own files.
const TOOL_FOLDER: &str = "/tool";
/// The variables that every tool gets. `HOME` is the tool's own folder, so that files an agent left
/// in the workspace are not read as configuration.
const BASE_ENVIRONMENT: [(&str, &str); 5] = [
    ("PATH", SEARCH_PATH),
    ("HOME", "/tool"),
    ("TMPDIR", "/work"),
    ("LANG", "C.UTF-8"),
    ("USER", "tool"),
];

/// Everything needed to run a tool, except for the workspace. Only `Ready::assemble` makes one, from
/// a chain that may be run.
pub struct Ready {
    locked: Locked,
    granted: GrantedPermissions,
    pub(super) subprocess: Subprocess,
    pub(super) environment: Vec<(String, String)>,
    parameters: Map<String, Value>,
    pub(super) input: Vec<u8>,
    /// Removes the secrets that the tool is given from what it says.
    pub(super) redactor: SecretRedactor,
    pub(super) files: Vec<(RelPath, Vec<u8>)>,
    pub(super) program: Program,
    /// The packages it needs, if it asked for any.
    pub(super) packages: Option<Folder>,
}

/// A request that could be sent now. Only `Ready::assemble` makes one.
pub struct ReadyRequest {
    locked: Locked,
    granted: GrantedPermissions,
    parameters: Map<String, Value>,
    /// Removes the secrets that the request may contain from what comes back.
    pub(super) redactor: SecretRedactor,
    pub(super) request: Box<HttpRequest>,
}

/// A tool that could be run now.
pub(super) enum ReadyTool {
    /// It is a process in a cell.
    Process(Box<Ready>),
    /// It is a request.
    Request(Box<ReadyRequest>),
}

impl ReadyTool {
    /// Returns the parameters, with defaults.
    pub(super) fn parameters(&self) -> &Map<String, Value> {
        match self {
            Self::Process(ready) => &ready.parameters,
            Self::Request(ready) => &ready.parameters,
        }
    }

    /// Returns what the tool asks for, all of it granted.
    pub(super) fn granted(&self) -> &GrantedPermissions {
        match self {
            Self::Process(ready) => ready.granted(),
            Self::Request(ready) => ready.granted(),
        }
    }

    /// Returns the chain and its lockfile.
    pub(super) fn locked(&self) -> &Locked {
        match self {
            Self::Process(ready) => ready.locked(),
            Self::Request(ready) => ready.locked(),
        }
    }
}

impl ReadyRequest {
    /// Returns what the tool asks for, all of it granted.
    pub(super) fn granted(&self) -> &GrantedPermissions {
        &self.granted
    }

    /// Returns the chain and its lockfile.
    pub(super) fn locked(&self) -> &Locked {
        &self.locked
    }
}

/// The file that pins the packages of a `package.json`.
const NPM_LOCKFILE: &str = "package-lock.json";
/// The files that ask for packages, and the runtimes that they are for.
const PACKAGE_FILES: [(&str, &str, PackageManifest); 2] = [
    ("python_runtime", "requirements.txt", PackageManifest::Requirements),
    ("node_runtime", "package.json", PackageManifest::PackageJson),
];

impl Ready {
    /// Does everything except running the tool.
    pub(super) fn assemble(
        call: &RunCall<'_>,
        locked: Locked,
        (parameters, texts): (&Map<String, Value>, &[(String, String)]),
    ) -> Result<ReadyTool, RunError> {
        let granted = check_grants(call, locked.linked().chain())?;
        let chain = locked.linked().chain();
        let schema = tool_input_schema(&chain.leaf().manifest).map_err(RunError::Parameters)?;
        let parameters = with_text_values(&schema, parameters.clone(), texts);
        let parameters = with_defaults(&schema, parameters);
        if let Some(leaf) = locked.linked().leaf() {
            check_inputs(leaf, &schema, &parameters).map_err(|error| match error {
                ItemError::InvalidInputs(wrong) if !declares_parameters(chain) => {
                    RunError::TakesNoParameters { tool: leaf.place.reference(), wrong }
                }
                error => error.into(),
            })?;
        }
        let config = chain.config().map_err(RunError::Config)?;
        let requested = config.environment().map_err(RunError::Config)?;
        let Variables { values: variables, redactor } =
            Variables::resolve(call, &granted, requested)?;
        let values = TemplateValues {
            folder: TOOL_FOLDER,
            parameters: &parameters,
            environment: &variables,
        };
        let filled = config.fill(values).map_err(RunError::Fill)?;
        let mut subprocess = match filled.action().map_err(RunError::Primitive)? {
            ToolAction::Subprocess(subprocess) => subprocess,
            ToolAction::Http(request) => {
                let ready = ReadyRequest { locked, granted, parameters, redactor, request };
                return Ok(ReadyTool::Request(Box::new(ready)));
            }
        };
        let files = read_tool_files(call, &locked)?;
        let needs = RuntimeNeeds::from_chain(call, &locked, &files);
        let program = needs.find_program(call.context, &subprocess.argv, &files)?;
        let packages = needs.find_packages(call.context, &program)?;
        subprocess.argv[0].clone_from(&program.path);
        let input = match subprocess.stdin {
            Stdin::Json => Value::Object(parameters.clone()).to_string().into_bytes(),
            Stdin::None => Vec::new(),
        };
        let environment = build_environment(variables, &program);
        Ok(ReadyTool::Process(Box::new(Self {
            locked,
            granted,
            subprocess,
            environment,
            parameters,
            input,
            redactor,
            files,
            program,
            packages,
        })))
    }

    /// Returns what the tool asks for, all of it granted.
    pub(super) fn granted(&self) -> &GrantedPermissions {
        &self.granted
    }

    /// Returns the chain and its lockfile.
    pub(super) fn locked(&self) -> &Locked {
        &self.locked
    }
}

/// Returns whether the requested tool says which parameters it takes.
fn declares_parameters(chain: &Chain) -> bool {
    let manifest = &chain.leaf().manifest;
    ["input_schema", "parameters"].iter().any(|key| manifest.contains_key(*key))
}

/// What a tool needs from the machine besides the system itself.
pub(super) struct RuntimeNeeds<'a> {
    tool: ItemRef,
    /// The runtime in the chain that a person may configure.
    runtime: Option<ItemId>,
    runtime_config: Option<RuntimeConfig>,
    /// The files that ask for packages.
    pub(super) package_request: Option<PackageRequest<'a>>,
}

impl<'a> RuntimeNeeds<'a> {
    pub(super) fn from_chain(
        call: &RunCall<'_>,
        locked: &Locked,
        files: &'a [(RelPath, Vec<u8>)],
    ) -> Self {
        let chain = locked.linked().chain();
        let leaf = &chain.leaf().pin;
        let tool = ItemRef {
            category: Some(leaf.category.clone()).filter(|category| !category.is_empty()),
            id: leaf.id.clone(),
            version: None,
        };
        let configured =
            chain.pins().find_map(|pin| call.run_config.runtimes.get_key_value(&pin.id));
        // The link that the primitive runs.
        let last = chain.pins().rev().nth(1).map(|pin| pin.id.clone());
        let runtime = configured.map(|(id, _)| id.clone()).or(last);
        let runs = |id: &str| chain.pins().any(|pin| pin.id.as_str() == id);
        let asking = PACKAGE_FILES.iter().find(|(id, ..)| runs(id));
        let find_file = |name: &str| {
            let beside = format!("{}.{name}", leaf.id);
            let file = files.iter().find(|(path, _)| [name, &beside].contains(&path.as_str()));
            file.map(|(_, bytes)| bytes.as_slice())
        };
        let package_request = asking.and_then(|(_, name, manifest)| {
            let text = find_file(name)?;
            let is_npm = *manifest == PackageManifest::PackageJson;
            let lockfile = is_npm.then(|| find_file(NPM_LOCKFILE)).flatten();
            Some(PackageRequest { manifest: *manifest, text, lockfile })
        });
        Self {
            tool,
            runtime,
            runtime_config: configured.map(|(_, one)| one.clone()),
            package_request,
        }
    }

    /// Finds the program to start.
    pub(super) fn find_program(
        &self,
        context: &Context,
        argv: &[String],
        files: &[(RelPath, Vec<u8>)],
    ) -> Result<Program, RunError> {
        let interpreter = self.runtime_config.as_ref().and_then(|one| one.interpreter.as_deref());
        if let (Some(text), Some(runtime)) = (interpreter, &self.runtime) {
            let project = context.project_folder();
            let program = context.environment.configured_interpreter(text, project);
            let runtime = runtime.clone();
            return program.map_err(|cause| RunError::BadInterpreter { runtime, cause });
        }
        let program = argv.first().map(String::as_str).unwrap_or_default();
        let missing = || {
            let runtime = self.runtime.clone();
            RunError::NoProgram { program: program.to_owned(), runtime }
        };
        let own = program.strip_prefix(TOOL_FOLDER).and_then(|path| path.strip_prefix('/'));
        if let Some(own) = own.filter(|own| files.iter().any(|(path, _)| path.as_str() == *own)) {
            return Ok(Program::from_tool_file(&format!("{TOOL_FOLDER}/{own}")));
        }
        Program::find(program).ok_or_else(missing)
    }

    /// Returns the key under which the tool's packages are stored.
    pub(super) fn packages_key(&self, program: &Program) -> Option<String> {
        let request = self.package_request?;
        let kind = match request.manifest {
            PackageManifest::Requirements => "python",
            PackageManifest::PackageJson => "node",
        };
        let mut all = kind.as_bytes().to_vec();
        let lockfile = request.lockfile;
        for part in [&program.identity_bytes()[..], request.text].into_iter().chain(lockfile) {
            all.push(0);
            all.extend_from_slice(part);
        }
        Some(format!("{kind}-{}", Sha256::digest(&all)))
    }

    fn find_packages(
        &self,
        context: &Context,
        program: &Program,
    ) -> Result<Option<Folder>, RunError> {
        let environment = &context.environment;
        let configured = self.runtime_config.as_ref().and_then(|one| one.packages.as_deref());
        if let (Some(text), Some(runtime)) = (configured, &self.runtime) {
            let folder = environment.configured_folder(text);
            let wrong = |cause| RunError::BadInterpreter { runtime: runtime.clone(), cause };
            return folder.map(Some).map_err(wrong);
        }
        let Some(key) = self.packages_key(program) else { return Ok(None) };
        let found = environment.package_sets().map(|packages| packages.find(&key)).transpose();
        match found.ok().flatten().flatten() {
            Some(folder) => Ok(Some(folder)),
            None => Err(RunError::PackagesNotFetched { tool: self.tool.clone() }),
        }
    }

    /// Returns the reference of the tool.
    pub(super) fn tool(&self) -> &ItemRef {
        &self.tool
    }
}

/// Reads the verified files of the tool that has the entrypoint.
pub(super) fn read_tool_files(
    call: &RunCall<'_>,
    locked: &Locked,
) -> Result<Vec<(RelPath, Vec<u8>)>, RunError> {
    let chain = locked.linked().chain();
    let entrypoint = chain.entrypoint().map_err(RunError::Entrypoint)?;
    let link = entrypoint.as_ref().map_or(0, mere_core::chain::Entrypoint::tool_index);
    let files = locked.linked().read_files(&call.items, link)?;
    if let Some(entrypoint) = entrypoint
        && !files.iter().any(|(path, _)| path == entrypoint.path())
    {
        let id = chain.tools().get(link).map(|member| member.pin.id.clone());
        return Err(RunError::NoEntrypoint(id.unwrap_or(chain.leaf().pin.id.clone())));
    }
    Ok(files)
}

/// Builds the environment of a tool. The variables that it asks for override those that every tool
/// gets.
fn build_environment(
    requested: BTreeMap<String, String>,
    program: &Program,
) -> Vec<(String, String)> {
    let base = BASE_ENVIRONMENT.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let mut all = BTreeMap::from(base);
    if program.install_folder.is_some() {
        // The interpreter's libraries lie beside it, whatever prefix it was built for.
        all.insert("LD_LIBRARY_PATH".to_owned(), "/interpreter/lib".to_owned());
    }
    all.extend(requested);
    all.into_iter().collect()
}
