//! The protocol's requests, each turned into one call at the door.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mere_core::gate::{Cleared, Seal};
use mere_core::name::AgentName;
use mere_core::request::{Caller, Request, TOOLS};
use mere_core::turn::{Answer, Progress, Turn};
use mere_engine::Session;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode,
    Implementation, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::translate;
use crate::converse::converse;

/// How long one call may take.
const MAX_CALL_TIME: Duration = Duration::from_mins(1);

const INSTRUCTIONS: &str = "Everything here is named by address: ROOT_PROJECT:/src/a.rs is a file \
    of the project, ROOT_USER:/ the user's own space, ROOT_WORKSPACE:/ your own workspace. A bare \
    path is read from the home root. Every reply has reply_type: S go on; I correct the call; D \
    ask a person; E stop and report trace_id.";

/// The server of one session.
#[derive(Clone)]
pub(super) struct Server {
    session: Arc<Session>,
    seal: Seal,
    places: Arc<Semaphore>,
}

impl Server {
    pub(super) fn new(session: Arc<Session>, calls: usize) -> Self {
        let seal = Seal::new(uuid::Uuid::new_v4());
        Self { session, seal, places: Arc::new(Semaphore::new(calls)) }
    }

    /// What marks this server's cleared replies on their way through the SDK.
    pub(super) fn seal(&self) -> &Seal {
        &self.seal
    }

    /// The name the operator fixed, else the client's, else `default`.
    fn agent(&self, context: &RequestContext<RoleServer>) -> AgentName {
        let client = || AgentName::from_title(&context.client_info()?.name);
        self.session.agent().cloned().or_else(client).unwrap_or_default()
    }

    async fn call(
        &self,
        mut request: Request,
        cancelled: CancellationToken,
    ) -> Result<Cleared, ErrorData> {
        let mut turn = Listening { cancelled, deadline: Instant::now() + MAX_CALL_TIME };
        let session = Arc::clone(&self.session);
        let mut door = move |request: Request| {
            // Nobody can be asked on this edge yet: every question is answered with no.
            converse(request, |request| session.handle(request, &mut turn), |_| Answer::No)
        };
        // Requests are taken in the order they came. One that needs no disk is answered at once,
        // and any other gets the home of this moment: so what was asked before a `cd` sees the old
        // home, and what was asked after it the new one.
        if request.verb.is_instant() {
            return Ok(door(request));
        }
        request.caller.home.get_or_insert_with(|| self.session.home());
        let failed = || ErrorData::internal_error("the call could not be run", None);
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(|_| failed())?;
        let call = tokio::task::spawn_blocking(move || {
            let _place = place;
            door(request)
        });
        call.await.map_err(|_| failed())
    }
}

/// A client that may cancel.
struct Listening {
    cancelled: CancellationToken,
    deadline: Instant,
}

impl Turn for Listening {
    fn progress(&mut self, _note: &Progress) {}

    fn cancelled(&self) -> bool {
        self.cancelled.is_cancelled()
    }

    fn deadline(&self) -> Option<Instant> {
        Some(self.deadline)
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let server =
            Implementation::new("merestone", env!("CARGO_PKG_VERSION")).with_title("Merestone");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(server)
            .with_protocol_version(ProtocolVersion::V_2025_11_25)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(translate::tool).collect()))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = Caller { agent: self.agent(&context), ..Caller::default() };
        let request = Request::new(caller, &params.name, &params.arguments.unwrap_or_default());
        let reply = self.call(request, context.ct).await?;
        Ok(translate::result(&reply, &self.seal).into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // A known method whose parameters do not fit ends up here too. The SDK's own answer would
        // repeat the method's name, which nobody has checked.
        let known = matches!(request.method.as_str(), "tools/call" | "tools/list");
        Err(if known {
            ErrorData::invalid_params("the parameters do not fit the method", None)
        } else {
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "no such method", None)
        })
    }
}
