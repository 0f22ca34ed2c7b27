//! `mere up`: an example space, MCP over HTTP, a registry and the pages, all on this machine.

use std::io;
use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::sync::Arc;

use mere_core::item::Scope;
use mere_core::reply::{ReplyType, codes};
use mere_core::request::{GitHook, InitSpace, ItemCommand, SignatureRule, StarterItems};
use mere_engine::{Session, SessionState};
use mere_registry::{Registry, RegistryOptions, RegistryServer, ServeOptions};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::arguments::{AnswerArguments, LocationArguments, SessionArguments, UpArguments};
use crate::commands::person_session::{PersonSession, with_default_session};
use crate::commands::registry_examples::{NewSpace, publish_examples};
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

/// What is listened on. Nobody is answered yet.
struct Listeners {
    registry: RegistryServer,
    agents: TcpListener,
    pages: TcpListener,
}

/// The servers, all of them listening.
struct Servers {
    registry: RegistryServer,
    agents: TcpListener,
    session: Arc<Session>,
    pages: UiServer,
}

/// A space that was made before anything is served.
struct MadeSpace {
    space: NewSpace,
    /// The fingerprint of a key that was made with it.
    made_key: Option<String>,
}

impl MadeSpace {
    /// Says what was made.
    fn print(&self) -> io::Result<()> {
        let place = if self.space.scope == Scope::Project { "this project" } else { "your home" };
        terminal::print_line(&format!("Made a space with examples in {place}: .ai"))?;
        let Some(key) = &self.made_key else { return Ok(()) };
        let words = "Made a key for you, without a passphrase, and signed the examples";
        terminal::print_line(&format!("{words}: {key}"))
    }
}

/// Runs the command.
pub(crate) fn run(location: LocationArguments, arguments: &UpArguments) -> io::Result<ExitCode> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.max_blocking_threads(MAX_BLOCKING_THREADS).enable_all().build()?;
    // A port that is taken is found before anything is made.
    let listeners = match runtime.block_on(Listeners::bind(arguments)) {
        Ok(listeners) => listeners,
        Err(words) => return Ok(terminal::print_failure(&words, terminal::BROKEN)),
    };
    let mut made = None;
    let ended =
        with_default_session(location.clone(), |session| session.make_example_space(&mut made))?;
    if ended != ExitCode::SUCCESS {
        return Ok(ended);
    }
    if let Some(made) = made.as_ref().filter(|_| !arguments.answer.json) {
        made.print()?;
    }
    let ended = runtime.block_on(async {
        match Servers::open(location.clone(), listeners) {
            Ok(servers) => servers.run(location, (made, &arguments.answer)).await,
            Err(words) => Ok(terminal::print_failure(&words, terminal::BROKEN)),
        }
    });
    runtime.shutdown_background();
    ended
}

impl PersonSession {
    /// Makes a space with an example of each type if there is none, in the project or else for the
    /// user.
    fn make_example_space(&self, made: &mut Option<MadeSpace>) -> io::Result<ExitCode> {
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
        let scope = scopes[0];
        let space = InitSpace {
            scope,
            example: StarterItems::OneOfEach,
            hook: GitHook::Leave,
            signatures: SignatureRule::RequiredIfNew,
        };
        let reply = self.call("init", ItemCommand::Init(space));
        if reply.reply_type() == ReplyType::Success {
            let CreatedSpace { key, key_made, .. } = ReplyView::read(&reply)?.data;
            let space = NewSpace { scope, key: key.as_ref().and_then(|key| key.parse().ok()) };
            *made = Some(MadeSpace { space, made_key: key.filter(|_| key_made) });
            return Ok(ExitCode::SUCCESS);
        }
        terminal::print_refusal(&reply)?;
        Ok(terminal::exit_code(reply.reply_type()))
    }
}

impl Listeners {
    /// Begins to listen everywhere, or says what cannot be started and how to help it.
    async fn bind(arguments: &UpArguments) -> Result<Self, String> {
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
        let agents = listen(arguments.mcp, ("MCP", "--mcp-port")).await?;
        let pages = listen(arguments.ui, ("the pages", "--ui-port")).await?;
        Ok(Self { registry, agents, pages })
    }
}

/// Listens on a port of this machine, for a server that is named with the option of its port.
async fn listen(port: u16, (what, option): (&str, &str)) -> Result<TcpListener, String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
    listener.map_err(|error| {
        format!("{what}: cannot listen on port {port}: {error}; choose another with `{option}`")
    })
}

impl Servers {
    /// Opens the sessions that the servers answer from, or says why that is not possible.
    fn open(location: LocationArguments, listeners: Listeners) -> Result<Self, String> {
        let Listeners { registry, agents, pages } = listeners;
        let session = SessionArguments::default();
        let options = location.clone().session_options(&session, SessionState::Stateless);
        let session = Session::open(options).map_err(|error| error.to_string())?;
        let pages = UiServer::new(ui::open_session(location)?, pages);
        let pages = pages.map_err(|error| format!("the pages: {error}"))?;
        Ok(Self { registry, agents, session: Arc::new(session), pages })
    }

    /// Returns where everything is, and what to do next.
    fn describe(&self) -> io::Result<String> {
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
        Ok(lines.join("\n"))
    }

    /// Describes where everything is, for a program.
    fn addresses(&self) -> io::Result<Value> {
        Ok(json!({
            "pages": self.pages.url(),
            "registry": format!("http://{}", self.registry.address()),
            "mcp": format!("http://{}/mcp", self.agents.local_addr()?),
        }))
    }

    /// Answers until the process is told to stop. The registry gets the examples of a new space
    /// before the person is told where everything is.
    async fn run(
        self,
        location: LocationArguments,
        (made, answer): (Option<MadeSpace>, &AnswerArguments),
    ) -> io::Result<ExitCode> {
        let (description, mut data) = (self.describe()?, self.addresses()?);
        let Self { registry, agents, session, pages } = self;
        let url = format!("http://{}", registry.address());
        let space = made.as_ref().map(|made| made.space);
        data["space_made"] = space.map(|space| space.scope.name()).into();
        data["key_made"] = made.and_then(|made| made.made_key).into();
        let tell = async {
            let published = match space {
                Some(space) => publish_for(location, space, url).await?,
                None => None,
            };
            if answer.json {
                let reply = operator_reply(codes::SERVING, "up", "Everything is served.", &data);
                return terminal::print_line(&format!("{reply:#}"));
            }
            published.iter().try_for_each(|line| terminal::print_line(line))?;
            if space.is_some() {
                terminal::print_line("")?;
            }
            terminal::print_line(&description)
        };
        let agents = mcp::serve_loopback(session, agents);
        let (ended, (), (), told) = tokio::join!(agents, registry.run(), pages.run(), tell);
        told.and(ended)
    }
}

/// Publishes the examples of a new space, and returns the line that says so.
async fn publish_for(
    location: LocationArguments,
    space: NewSpace,
    url: String,
) -> io::Result<Option<String>> {
    let publishing = tokio::task::spawn_blocking(move || publish_examples(location, space, &url));
    let published = publishing.await.map_err(io::Error::other)?;
    if let Err(words) = &published {
        terminal::print_note(&format!("no example was published: {words}"));
    }
    Ok(published.ok().flatten())
}
