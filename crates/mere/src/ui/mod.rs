//! `mere ui`: pages about the local spaces, for the person at this machine.
//!
//! The server listens on loopback and answers only whoever has the token of the printed URL. Pages
//! read through the one door, with the requests that the command line makes, and have no way to
//! change anything: they show the command, and the person types it.

mod access;
mod calls;
mod clients;
mod frontend;
mod graph;
mod item_page;
mod items;
mod memories;
mod reader;
mod review;
mod route;
mod runs;
mod search;
mod site;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;

use mere_engine::{Session, SessionState};
use mere_http::{AllowedHosts, Server};
use tokio::net::TcpListener;

use crate::arguments::{LocationArguments, SessionArguments, UiArguments};
use crate::print::operator_reply::operator_reply;
use crate::print::terminal;
use access::UiAccess;
use frontend::UiFrontend;
use mere_core::reply::codes;
use reader::UiReader;
use serde_json::json;

/// How many pages are read at once.
const MAX_READERS: usize = 8;

/// A server of pages that listens and does not answer yet.
pub(crate) struct UiServer {
    listener: TcpListener,
    frontend: Arc<UiFrontend>,
    session: Arc<Session>,
    address: SocketAddr,
}

/// Runs `mere ui`.
pub(crate) fn run(location: LocationArguments, arguments: &UiArguments) -> io::Result<ExitCode> {
    let session = match open_session(location) {
        Ok(session) => session,
        Err(words) => return Ok(terminal::print_failure(&words, terminal::USAGE)),
    };
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.max_blocking_threads(MAX_READERS).enable_all().build()?;
    runtime.block_on(async {
        let server = match UiServer::bind(session, arguments.port).await {
            Ok(server) => server,
            Err(error) => {
                let words = format!(
                    "cannot listen on port {}: {error}; choose another with `--port`",
                    arguments.port
                );
                return Ok(terminal::print_failure(&words, terminal::BROKEN));
            }
        };
        if arguments.answer.json {
            let data = json!({ "pages": server.url() });
            let reply = operator_reply(codes::SERVING, "ui", "The pages are served.", &data);
            terminal::print_line(&format!("{reply:#}"))?;
            server.run().await;
            return Ok(ExitCode::SUCCESS);
        }
        terminal::print_line(&server.url())?;
        terminal::print_note("open this URL in a browser on this machine; stop with Ctrl-C");
        server.run().await;
        Ok(ExitCode::SUCCESS)
    })
}

/// Opens the session that pages are read from, or returns why that is not possible.
pub(crate) fn open_session(location: LocationArguments) -> Result<Session, String> {
    let options = location.session_options(&SessionArguments::default(), SessionState::Stateless);
    Session::open(options).map_err(|error| error.to_string())
}

impl UiServer {
    /// Begins to listen on a port of this machine.
    pub(crate) async fn bind(session: Session, port: u16) -> io::Result<Self> {
        Self::new(session, TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?)
    }

    /// Makes the server of a listener on a port of this machine.
    pub(crate) fn new(session: Session, listener: TcpListener) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let hosts = AllowedHosts::new(address, &[]).map_err(io::Error::other)?;
        let session = Arc::new(session);
        let reader = UiReader::new(Arc::clone(&session));
        let frontend = UiFrontend { access: UiAccess::new(hosts, address.port()), reader };
        Ok(Self { listener, frontend: Arc::new(frontend), session, address })
    }

    /// Returns the URL for the person, with the token.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.frontend.access.token())
    }

    /// Answers until the process is told to stop.
    pub(crate) async fn run(self) {
        let Self { listener, frontend, session, .. } = self;
        let server = Server::new(listener, move |request, connection| {
            let frontend = Arc::clone(&frontend);
            async move { frontend.answer(request, &connection).await }
        });
        let stopped = server.accept_until(mere_http::wait_for_signal()).await;
        stopped.close().await;
        session.finish();
    }
}
