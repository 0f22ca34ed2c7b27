//! The handler of the protocol's requests. Each tool call becomes one call at the door.
//!
//! Which tools are listed is all that is decided here; the engine decides about every call.

use std::borrow::Cow;
use std::sync::Arc;

use mere_core::address::{Address, RelPath};
use mere_core::request::{Request, TOOLS, Tool, Toolset};
use mere_core::turn::Turn;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode,
    Implementation, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerCapabilities,
    ServerConfig, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::call_runner::CallRunner;
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
}

impl ToolServer {
    fn is_listed(&self, tool: &Tool) -> bool {
        self.toolsets.include(tool.toolset) && self.runner.session.has_tool(tool)
    }
}

impl ServerHandler for ToolServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        let roots = self.runner.session.roots().into_iter();
        let roots = roots.map(|root| Address::directory(root, RelPath::default()).to_string());
        let mut instructions = format!("{INSTRUCTIONS} {}", roots.collect::<Vec<_>>().join(" "));
        if !self.runner.session.has_project() {
            instructions = format!("{NO_PROJECT} {instructions}");
        }
        ServerConfig::new(capabilities)
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
        let call = self.runner.parse_call(&params, &context)?;
        let session = Arc::clone(&self.runner.session);
        let handler = move |request: &Request, turn: &mut dyn Turn| session.handle(request, turn);
        self.runner.run_call(call, &context, handler).await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.runner.subscribers.add_peer(context);
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let wanted = requested.supported_by(&self.get_info().capabilities);
        self.runner.subscribers.has_room().then_some(wanted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.runner.subscribers.serve_subscription(context).await;
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(unreadable_request(&request, &context, &["tools/call", "tools/list", "initialize"]))
    }
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
    let removed = modern && matches!(request.method.as_str(), "initialize" | "ping");
    if known.contains(&request.method.as_str()) && !removed {
        ErrorData::invalid_params("the parameters are not valid for the method", None)
    } else {
        no_such_method()
    }
}

/// Returns the answer to an unknown method.
pub(super) fn no_such_method() -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, Cow::Borrowed("no such method"), None)
}
