//! A tool that could be started now: its program, arguments and environment, and the files it may
//! see.

use std::collections::BTreeMap;
use std::time::Duration;

use mere_core::address::RelPath;
use mere_core::chain::{
    Chain, HttpRequest, McpCall, McpEndpoint, McpTransport, Stdin, Subprocess, TemplateValues,
    ToolAction, tool_input_schema, with_defaults, with_text_values,
};
use mere_core::mcp::McpRequest;
use mere_core::secrets::SecretRedactor;
use serde_json::{Map, Value};

use super::grants::check_grants;
use super::inputs::check_inputs;
use super::lock::Locked;
use super::runtime_needs::RuntimeNeeds;
use super::variables::Variables;
use super::{RunCall, RunError};
use crate::items::ItemError;
use crate::policy::GrantedPermissions;
use mere_host::{Folder, Program, SEARCH_PATH};

/// The folder in the cell that holds the tool's own files.
pub(super) const TOOL_FOLDER: &str = "/tool";
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
    /// What is wanted of it, if it is a server.
    pub(super) server_call: Option<ServerCall>,
}

/// What is wanted of another MCP server.
pub(super) struct ServerCall {
    pub(super) request: McpRequest,
    /// How many bytes of its answer are shown.
    pub(super) max_bytes: usize,
}

/// A session with a server on the web that could begin now. Only `Ready::assemble` makes one.
pub struct ReadySession {
    locked: Locked,
    granted: GrantedPermissions,
    parameters: Map<String, Value>,
    /// Removes the secrets that the server is given from what it says.
    pub(super) redactor: SecretRedactor,
    pub(super) server: WebServer,
}

/// A server on the web, and what is wanted of it.
pub(super) struct WebServer {
    pub(super) endpoint: McpEndpoint,
    pub(super) server_call: ServerCall,
    pub(super) timeout: Duration,
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
    /// It is a session with a server on the web.
    Session(Box<ReadySession>),
}

impl ReadyTool {
    /// Returns the parameters, with defaults.
    pub(super) fn parameters(&self) -> &Map<String, Value> {
        match self {
            Self::Process(ready) => &ready.parameters,
            Self::Request(ready) => &ready.parameters,
            Self::Session(ready) => &ready.parameters,
        }
    }

    /// Returns what the tool asks for, all of it granted.
    pub(super) fn granted(&self) -> &GrantedPermissions {
        match self {
            Self::Process(ready) => ready.granted(),
            Self::Request(ready) => ready.granted(),
            Self::Session(ready) => ready.granted(),
        }
    }

    /// Returns the chain and its lockfile.
    pub(super) fn locked(&self) -> &Locked {
        match self {
            Self::Process(ready) => ready.locked(),
            Self::Request(ready) => ready.locked(),
            Self::Session(ready) => ready.locked(),
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

impl ReadySession {
    /// Returns what the tool asks for, all of it granted.
    pub(super) fn granted(&self) -> &GrantedPermissions {
        &self.granted
    }

    /// Returns the chain and its lockfile.
    pub(super) fn locked(&self) -> &Locked {
        &self.locked
    }
}

impl ServerCall {
    /// Makes what is wanted of a server from the parameters of a run.
    fn new(call: &McpCall, parameters: &Map<String, Value>) -> Self {
        let request = match &call.target {
            None => McpRequest::List,
            Some(target) => McpRequest::Call {
                tool: target.tool.clone(),
                pins: Box::new(target.pins.clone()),
                arguments: parameters.clone(),
            },
        };
        Self { request, max_bytes: call.max_bytes }
    }
}

impl Ready {
    /// Does everything except running the tool.
    pub(super) fn assemble(
        call: &RunCall<'_>,
        locked: Locked,
        (parameters, texts): (&Map<String, Value>, &[(String, String)]),
    ) -> Result<ReadyTool, RunError> {
        let granted = check_grants(call, locked.linked().chain())?;
        let chain = locked.linked().chain();
        let parameters = check_parameters(&locked, parameters, texts)?;
        let config = chain.config().map_err(RunError::Config)?;
        let requested = config.environment().map_err(RunError::Config)?;
        let Variables { values: variables, redactor } =
            Variables::resolve(call, &granted, requested)?;
        // What a server is and what it is given does not depend on the arguments of its tools.
        let none = Map::new();
        let fillable = if chain.speaks_to_server() { &none } else { &parameters };
        let values =
            TemplateValues { folder: TOOL_FOLDER, parameters: fillable, environment: &variables };
        let filled = config.fill(values).map_err(RunError::Fill)?;
        let (mut subprocess, server_call) = match filled.action().map_err(RunError::Primitive)? {
            ToolAction::Subprocess(subprocess) => (subprocess, None),
            ToolAction::Http(request) => {
                let ready = ReadyRequest { locked, granted, parameters, redactor, request };
                return Ok(ReadyTool::Request(Box::new(ready)));
            }
            ToolAction::Mcp(call) => {
                let (server_call, timeout) = (ServerCall::new(&call, &parameters), call.timeout);
                match call.transport {
                    McpTransport::Stdio(argv) => {
                        (Subprocess { argv, stdin: Stdin::None, timeout }, Some(server_call))
                    }
                    McpTransport::Http(endpoint) => {
                        let server = WebServer { endpoint, server_call, timeout };
                        let ready = ReadySession { locked, granted, parameters, redactor, server };
                        return Ok(ReadyTool::Session(Box::new(ready)));
                    }
                }
            }
        };
        let files = read_tool_files(call, &locked)?;
        let needs = RuntimeNeeds::from_chain(call, &locked, &files);
        let program = needs.find_program(call.context, &subprocess.argv, &files)?;
        let packages = needs.find_packages(call.context, &program)?;
        subprocess.argv[0].clone_from(&program.path);
        let input = input_bytes(subprocess.stdin, &parameters);
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
            server_call,
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

/// Returns the parameters with defaults, if the requested tool takes them.
fn check_parameters(
    locked: &Locked,
    parameters: &Map<String, Value>,
    texts: &[(String, String)],
) -> Result<Map<String, Value>, RunError> {
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
    Ok(parameters)
}

/// Returns what a program reads from standard input.
fn input_bytes(stdin: Stdin, parameters: &Map<String, Value>) -> Vec<u8> {
    match stdin {
        Stdin::Json => Value::Object(parameters.clone()).to_string().into_bytes(),
        Stdin::None => Vec::new(),
    }
}

/// Returns whether the requested tool says which parameters it takes.
fn declares_parameters(chain: &Chain) -> bool {
    let manifest = &chain.leaf().manifest;
    ["input_schema", "parameters"].iter().any(|key| manifest.contains_key(*key))
}

/// Reads the verified files of the tool that has the entrypoint.
pub(super) fn read_tool_files(
    call: &RunCall<'_>,
    locked: &Locked,
) -> Result<Vec<(RelPath, Vec<u8>)>, RunError> {
    let chain = locked.linked().chain();
    let entrypoint = chain.entrypoint().map_err(RunError::Entrypoint)?;
    let link = files_index(chain);
    let files = locked.linked().read_files(&call.items, link)?;
    if let Some(entrypoint) = entrypoint
        && !files.iter().any(|(path, _)| path == entrypoint.path())
    {
        let id = chain.tools().get(link).map(|member| member.pin.id.clone());
        return Err(RunError::NoEntrypoint(id.unwrap_or(chain.leaf().pin.id.clone())));
    }
    Ok(files)
}

/// Returns the index of the tool whose files a run sees: the one that has the entrypoint, or the
/// server, or the requested one.
pub(super) fn files_index(chain: &Chain) -> usize {
    let entrypoint = chain.entrypoint().ok().flatten();
    let named = entrypoint.as_ref().map(mere_core::chain::Entrypoint::tool_index);
    named.or_else(|| chain.server_index()).unwrap_or_default()
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
