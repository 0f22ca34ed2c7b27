//! What a tool needs from the machine besides the system itself: a program, and packages.

use mere_core::address::RelPath;
use mere_core::digest::Sha256;
use mere_core::item::{ItemId, ItemRef};

use super::lock::Locked;
use super::ready::{TOOL_FOLDER, files_index};
use super::{RunCall, RunError};
use crate::config::RuntimeConfig;
use crate::world::Context;
use mere_host::{Folder, PackageManifest, PackageRequest, Program};

/// The file that pins the packages of a `package.json`.
const NPM_LOCKFILE: &str = "package-lock.json";
/// The files that ask for packages, and the runtimes that they are for.
const PACKAGE_FILES: [(&str, &str, PackageManifest); 4] = [
    ("python_runtime", "requirements.txt", PackageManifest::Requirements),
    ("node_runtime", "package.json", PackageManifest::PackageJson),
    ("mcp_stdio", "requirements.txt", PackageManifest::Requirements),
    ("mcp_stdio", "package.json", PackageManifest::PackageJson),
];

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
        let owner = &chain.tools()[files_index(chain)].pin;
        let runs = |id: &str| chain.pins().any(|pin| pin.id.as_str() == id);
        let find_file = |name: &str| {
            let beside = format!("{}.{name}", owner.id);
            let file = files.iter().find(|(path, _)| [name, &beside].contains(&path.as_str()));
            file.map(|(_, bytes)| bytes.as_slice())
        };
        let mut asking = PACKAGE_FILES.iter().filter(|(id, ..)| runs(id));
        let package_request = asking.find_map(|(_, name, manifest)| {
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

    pub(super) fn find_packages(
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
