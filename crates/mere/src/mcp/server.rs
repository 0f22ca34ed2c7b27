//! The handler of the protocol's requests. Each tool call becomes one call at the door.
//!
//! Which tools are listed is all that is decided here; the engine decides about every call.

use std::borrow::Cow;
use std::sync::Arc;

use mere_core::address::{Address, RelPath};
use mere_core::request::{Request, TOOLS, Tool, Toolset};
use mere_core::turn::Turn;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::json;

use super::call_runner::CallRunner;
use super::offers::{self, ClientRequestContext};
use super::resource_watches::WatchRequest;
use super::translate;
use crate::arguments::ToolsetArgument;

const INSTRUCTIONS: &str = "Before you start work, search here: call `search` with what the task is \
    about, then `load` what fits. Everything here is named by address: ROOT_PROJECT:/src/a.rs is a file \
    of the project. A bare path is read from the home root. Save what is worth knowing next time \
    as a memory: list_memories first, then create_memory. Every reply has reply_type: S go on; I \
    correct the call; D ask a person; E stop and report trace_id. Roots:";
/// What is said besides where there is no project.
const NO_PROJECT: &str = "There is no project, so file tools answer I unless an address names one \
    of the roots, and only the user's own items and memories are here. Tell the user to start it in \
    a project or pass `--project`.";

/// The supported revisions. 2025-06-18 does not differ from its successor in anything we use.
pub(super) const VERSIONS: &[ProtocolVersion] =
    &[ProtocolVersion::V_2025_06_18, ProtocolVersion::V_2025_11_25, ProtocolVersion::V_2026_07_28];

/// The server of one session.
#[derive(Clone)]
pub(super) struct ToolServer {
    pub(super) runner: Arc<CallRunner>,
    pub(super) toolsets: ListedTools,
}

/// Which groups of tools are listed besides `help`. Every tool can be called: listing fewer saves
/// an agent's attention and is not a permission.
#[derive(Clone)]
pub(super) enum ListedTools {
    /// What an agent needs that brings file tools of its own.
    Usual,
    /// What the operator chose.
    Chosen(Arc<[ToolsetArgument]>),
}

impl From<Option<&[ToolsetArgument]>> for ListedTools {
    fn from(chosen: Option<&[ToolsetArgument]>) -> Self {
        chosen.map_or(Self::Usual, |chosen| Self::Chosen(chosen.into()))
    }
}

impl ListedTools {
    fn include(&self, toolset: Toolset) -> bool {
        match (self, toolset) {
            (_, Toolset::Basic) => true,
            (Self::Usual, toolset) => toolset != Toolset::Files,
            (Self::Chosen(chosen), toolset) => chosen.iter().any(|one| one.includes(toolset)),
        }
    }

    fn unlisted(&self) -> Vec<Toolset> {
        Toolset::ALL.into_iter().filter(|toolset| !self.include(*toolset)).collect()
    }
}

impl ToolServer {
    fn is_listed(&self, tool: &Tool) -> bool {
        self.toolsets.include(tool.toolset) && self.runner.session.has_tool(tool)
    }

    fn request<'a>(&'a self, context: &'a RequestContext<RoleServer>) -> ClientRequestContext<'a> {
        ClientRequestContext { runner: &self.runner, context }
    }
}

impl ServerHandler for ToolServer {
    fn get_info(&self) -> ServerConfig {
        let roots = self.runner.session.roots().into_iter();
        let roots = roots.map(|root| Address::directory(root, RelPath::default()).to_string());
        let mut instructions = format!("{INSTRUCTIONS} {}", roots.collect::<Vec<_>>().join(" "));
        if !self.runner.session.has_project() {
            instructions = format!("{NO_PROJECT} {instructions}");
        }
        ServerConfig::new(capabilities())
            .with_server_info(implementation())
            .with_protocol_version(ProtocolVersion::V_2025_11_25)
            .with_instructions(instructions)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(VERSIONS)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let listed = TOOLS.iter().filter(|tool| self.is_listed(tool));
        let listed = listed.map(translate::tool).collect::<Vec<_>>();
        self.runner.note_list(&context, "tools", &listed);
        Ok(ListToolsResult::with_all_items(listed))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut call = self.runner.parse_call(&params, &context)?;
        call.request.caller.unlisted = self.toolsets.unlisted();
        let session = Arc::clone(&self.runner.session);
        let handler = move |request: &Request, turn: &mut dyn Turn| session.handle(request, turn);
        self.runner.run_call(call, &context, handler).await
    }

    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let listed = offers::list_prompts(self.request(&context), page).await?;
        self.runner.note_list(&context, "prompts", &listed.prompts);
        Ok(listed)
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        offers::get_prompt(self.request(&context), params).await
    }

    async fn complete(
        &self,
        params: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        offers::complete(self.request(&context), params).await
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        offers::list_resources(self.request(&context), page).await
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        offers::list_templates()
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        offers::read_resource(self.request(&context), params).await
    }

    async fn subscribe(
        &self,
        params: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        offers::subscribe(self.request(&context), &params.uri)
    }

    async fn unsubscribe(
        &self,
        params: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        offers::unsubscribe(self.request(&context), &params.uri)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.runner.subscribers.add_peer(context);
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut wanted = requested.supported_by(&capabilities());
        if let Some(uris) = &mut wanted.resource_subscriptions {
            // What is not accepted is not acknowledged, so that the client knows.
            uris.retain(|uri| offers::parse_canonical_uri(uri).is_ok());
        }
        self.runner.subscribers.accept().then_some(wanted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let agent = self.runner.caller(context.request_context()).agent;
        let uris = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        let watch = |client, since| {
            offers::watch_all(&self.runner, &WatchRequest { client, agent, since }, &uris);
        };
        self.runner.subscribers.serve_subscription(context, watch).await;
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let answered = offers::answer_extension(self.request(&context), &request).await;
        answered.unwrap_or_else(|| Err(unreadable_request(&request, &context, KNOWN_METHODS)))
    }
}

/// The known methods, whose parameters may be wrong.
pub(super) const KNOWN_METHODS: &[&str] = &[
    "tools/call",
    "tools/list",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "resources/subscribe",
    "resources/unsubscribe",
    "completion/complete",
    "initialize",
];

/// Returns what this server is able to do.
fn capabilities() -> ServerCapabilities {
    let capabilities = json!({
        "tools": { "listChanged": true },
        "prompts": { "listChanged": true },
        "resources": { "subscribe": true, "listChanged": true },
        "completions": {},
        "extensions": { offers::SKILLS_EXTENSION: { "directoryRead": true } }
    });
    serde_json::from_value(capabilities).unwrap_or_default()
}

/// Returns the name and version of this server.
pub(super) fn implementation() -> Implementation {
    Implementation::new("merestone", env!("CARGO_PKG_VERSION")).with_title("Merestone")
}

/// Returns the answer to a request that the SDK could not read: a known method with wrong
/// parameters, or an unknown method. The SDK's own answer would repeat the method's name, which
/// nobody has checked.
pub(super) fn unreadable_request(
    request: &CustomRequest,
    context: &RequestContext<RoleServer>,
    known: &[&str],
) -> ErrorData {
    let version = context.protocol_version();
    let modern = version.is_some_and(|v| v.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
    let removed = ["initialize", "ping", "resources/subscribe", "resources/unsubscribe"];
    let removed = modern && removed.contains(&request.method.as_str());
    if known.contains(&request.method.as_str()) && !removed {
        ErrorData::invalid_params("the parameters are not valid for the method", None)
    } else {
        no_such_method()
    }
}

/// What is said about an unknown method.
const NO_SUCH_METHOD: &str = "This server has no such method. It has tools, prompts, resources, \
    completion and skills; the tool `help` says how they are used.";

/// Returns the answer to an unknown method.
pub(super) fn no_such_method() -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, Cow::Borrowed(NO_SUCH_METHOD), None)
}
