//! `mere up`: an example space, MCP over HTTP, a registry and the pages, all on this machine.

use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use mere_core::item::Scope;
use mere_core::reply::{ReplyType, codes};
use mere_core::request::{GitHook, InitSpace, ItemCommand, SignatureRule, StarterItems};
use mere_engine::{Session, SessionState};
use mere_registry::{Registry, RegistryOptions, RegistryServer, ServeOptions};
use serde_json::json;
use tokio::net::TcpListener;

use crate::arguments::{LocationArguments, SessionArguments, UpArguments};
use crate::commands::person_session::{PersonSession, with_default_session};
use crate::mcp;
use crate::print::operator_reply::operator_reply;
use crate::print::reply::ReplyView;
use crate::print::spaces::{CreatedSpace, InitPreview};
use crate::print::terminal;
use crate::ui::{self, UiServer};

/// How many calls run at once in all servers together.
const MAX_BLOCKING_THREADS: usize = 64;
/// How many requests one client may send to the registry in a second.
const REGISTRY_RATE: u32 = 5_000;

/// The servers, all of them listening.
struct Servers {
    registry: RegistryServer,
    agents: TcpListener,
    session: Arc<Session>,
    pages: UiServer,
}

/// What was made before anything is served.
#[derive(Default)]
struct MadeSpace {
    /// The scope of a new space.
    scope: Option<Scope>,
    /// The fingerprint of a new key.
    key: Option<String>,
}

impl MadeSpace {
    /// Says what was made, if anything was.
    fn print(&self) -> io::Result<()> {
        let Some(scope) = self.scope else { return Ok(()) };
        let place = if scope == Scope::Project { "this project" } else { "your home" };
        terminal::print_line(&format!("Made a space with examples in {place}: .ai"))?;
        if let Some(key) = &self.key {
            let words = "Made a key for you, without a passphrase, and signed the examples";
            terminal::print_line(&format!("{words}: {key}"))?;
        }
        terminal::print_line("")
    }
}

/// Runs the command.
pub(crate) fn run(location: LocationArguments, arguments: &UpArguments) -> io::Result<ExitCode> {
    let mut made = MadeSpace::default();
    let ended =
        with_default_session(location.clone(), |session| session.make_example_space(&mut made))?;
    if ended != ExitCode::SUCCESS {
        return Ok(ended);
    }
    if !arguments.answer.json {
        made.print()?;
    }
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.max_blocking_threads(MAX_BLOCKING_THREADS).enable_all().build()?;
    let ended = runtime.block_on(async {
        match Servers::bind(location, arguments).await {
            Ok(servers) => {
                if arguments.answer.json {
                    servers.print_reply(&made)?;
                } else {
                    servers.print_urls()?;
                }
                servers.run().await
            }
            Err(words) => Ok(terminal::print_failure(&words, terminal::BROKEN)),
        }
    });
    runtime.shutdown_background();
    ended
}

impl PersonSession {
    /// Makes a space with an example of each type if there is none, in the project or else for the
    /// user.
    fn make_example_space(&self, made: &mut MadeSpace) -> io::Result<ExitCode> {
        let scopes =
            if self.has_project() { vec![Scope::Project, Scope::User] } else { vec![Scope::User] };
        for scope in &scopes {
            let preview = self.call("init", ItemCommand::PreviewInit { scope: *scope });
            let is_there = preview.reply_type() == ReplyType::Success
                && ReplyView::<InitPreview>::read(&preview)?.data.is_space;
            if is_there {
                return Ok(ExitCode::SUCCESS);
            }
        }
        let space = InitSpace {
            scope: scopes[0],
            example: StarterItems::OneOfEach,
            hook: GitHook::Leave,
            signatures: SignatureRule::RequiredIfNew,
        };
        let reply = self.call("init", ItemCommand::Init(space));
        if reply.reply_type() == ReplyType::Success {
            let space = ReplyView::<CreatedSpace>::read(&reply)?.data;
            *made = MadeSpace { scope: Some(scopes[0]), key: space.key.filter(|_| space.key_made) };
            return Ok(ExitCode::SUCCESS);
        }
        terminal::print_refusal(&reply)?;
        Ok(terminal::exit_code(reply.reply_type()))
    }
}

impl Servers {
    /// Begins to listen everywhere, or says what cannot be started and how to help it.
    async fn bind(location: LocationArguments, arguments: &UpArguments) -> Result<Self, String> {
        let registry = Registry::open(&RegistryOptions::default());
        let registry =
            registry.map_err(|error| format!("the registry cannot be opened: {error}"))?;
        let options = ServeOptions {
            listen: format!("127.0.0.1:{}", arguments.registry),
            hosts: Vec::new(),
            rate: REGISTRY_RATE,
            witnesses: Vec::new(),
        };
        let registry = RegistryServer::bind(registry, &options).await.map_err(|error| {
            format!("the registry: {error}; choose another port with `--registry-port`")
        })?;
        let agents = TcpListener::bind(("127.0.0.1", arguments.mcp)).await;
        let agents = agents.map_err(|error| {
            let port = arguments.mcp;
            format!("MCP: cannot listen on port {port}: {error}; choose another with `--mcp-port`")
        })?;
        let session = SessionArguments::default();
        let options = location.clone().session_options(&session, SessionState::Stateless);
        let session = Session::open(options).map_err(|error| error.to_string())?;
        let pages = UiServer::bind(ui::open_session(location)?, arguments.ui).await;
        let pages = pages.map_err(|error| {
            let port = arguments.ui;
            format!(
                "the pages: cannot listen on port {port}: {error}; choose another with `--ui-port`"
            )
        })?;
        Ok(Self { registry, agents, session: Arc::new(session), pages })
    }

    /// Prints where everything is, and what to do next.
    fn print_urls(&self) -> io::Result<()> {
        let (agents, mere) = (self.agents.local_addr()?, terminal::own_command());
        let lines = [
            format!("  Pages     {}", self.pages.url()),
            format!("  Registry  http://{}", self.registry.address()),
            format!("  MCP       http://{agents}/mcp"),
            String::new(),
            "Next steps".to_owned(),
            "  open the pages in a browser: your items, their trust, what agents propose"
                .to_owned(),
            format!("  connect an agent: {mere} connect claude (or codex, gemini, cursor, vscode)"),
            format!("  see what is there: {mere} list"),
            format!("  run a tool in its sandbox: {mere} run hello_tool --param name=Ada"),
            String::new(),
            "Ctrl-C stops everything.".to_owned(),
        ];
        lines.iter().try_for_each(|line| terminal::print_line(line))
    }

    /// Prints where everything is, for a program.
    fn print_reply(&self, made: &MadeSpace) -> io::Result<()> {
        let data = json!({
            "pages": self.pages.url(),
            "registry": format!("http://{}", self.registry.address()),
            "mcp": format!("http://{}/mcp", self.agents.local_addr()?),
            "space_made": made.scope.map(Scope::name),
            "key_made": made.key,
        });
        let reply = operator_reply(codes::SERVING, "up", "Everything is served.", &data);
        terminal::print_line(&format!("{reply:#}"))
    }

    /// Answers until the process is told to stop.
    async fn run(self) -> io::Result<ExitCode> {
        let Self { registry, agents, session, pages } = self;
        let agents = mcp::serve_loopback(session, agents);
        let (ended, (), ()) = tokio::join!(agents, registry.run(), pages.run());
        ended
    }
}
