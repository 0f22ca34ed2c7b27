//! A witness that listens.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use mere_core::digest::Sha256;
use mere_core::log::{
    ADD_CHECKPOINT_PATH, LogTime, MAX_WITNESS_REQUEST_BYTES, NoteKeyName, TREE_SIZE_MEDIA_TYPE,
    VerifierKey, WitnessRefusal, WitnessRequest, WitnessSigner, WitnessedSize, format_signatures,
};
use mere_http::{
    AllowedHosts, Body, BodyLimits, Connection, MissingHostName, Server, read_body, wait_for_signal,
};
use tokio::net::TcpListener;

use super::memory::WitnessMemory;
use crate::clock;
use crate::error::RegistryError;
use crate::storage::{KeyFile, WitnessFile};
use crate::transparency::{create_seed, parse_seed, random_seed, read_seed};

const LIMITS: BodyLimits =
    BodyLimits { bytes: MAX_WITNESS_REQUEST_BYTES, time: Duration::from_secs(10) };
/// How long the last requests may take after the witness was told to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// How a witness is served.
#[derive(Clone, Debug)]
pub struct WitnessOptions {
    /// The address to listen on.
    pub listen: String,
    /// Names by which logs reach the witness, besides its address.
    pub hosts: Vec<String>,
    /// The file of its private key, created if it is missing. What it has co-signed is in a file
    /// beside it.
    pub key_file: KeyFile,
    /// The name of its key. Without one, the name is made of the key.
    pub name: Option<NoteKeyName>,
    /// The keys of the logs that it knows.
    pub origins: Vec<VerifierKey>,
}

/// The reason why a witness cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum WitnessError {
    /// The address cannot be used.
    #[error("cannot listen on `{0}`: {1}")]
    Listen(String, io::Error),
    /// The witness listens on all addresses and has no name.
    #[error("listening on all addresses requires `--host NAME`")]
    NoHost,
    /// The key cannot be used.
    #[error("the key of the witness cannot be used: {0}")]
    Key(RegistryError),
    /// What it has co-signed cannot be read.
    #[error("what the witness has co-signed cannot be read: {0}")]
    State(io::Error),
}

/// A witness that listens and does not answer yet.
pub struct WitnessServer {
    listener: TcpListener,
    address: SocketAddr,
    witness: Arc<Witness>,
}

struct Witness {
    hosts: AllowedHosts,
    signer: WitnessSigner,
    origins: Vec<VerifierKey>,
    memory: Mutex<WitnessMemory>,
}

/// An answer of the witness.
struct WitnessAnswer {
    status: u16,
    content_type: &'static str,
    body: String,
}

impl WitnessServer {
    /// Begins to listen.
    pub async fn bind(options: &WitnessOptions) -> Result<Self, WitnessError> {
        let signer = open_signer(options).map_err(WitnessError::Key)?;
        let state = WitnessFile::new(options.key_file.beside(".state.json"));
        let memory = WitnessMemory::open(state).map_err(WitnessError::State)?;
        let failed = |error| WitnessError::Listen(options.listen.clone(), error);
        let listener = TcpListener::bind(&options.listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let hosts = AllowedHosts::new(address, &options.hosts);
        let hosts = hosts.map_err(|MissingHostName| WitnessError::NoHost)?;
        let (origins, memory) = (options.origins.clone(), Mutex::new(memory));
        let witness = Arc::new(Witness { hosts, signer, origins, memory });
        Ok(Self { listener, address, witness })
    }

    /// Returns the address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the key by which its cosignatures are checked.
    pub fn key(&self) -> &VerifierKey {
        self.witness.signer.key()
    }

    /// Answers until the process is told to stop.
    pub async fn run(self) {
        let Self { listener, address, witness } = self;
        tracing::info!(%address, "serving a witness");
        let server = Server::new(listener, move |request, connection| {
            let witness = Arc::clone(&witness);
            async move { witness.answer(request, &connection).await }
        });
        server.accept_until(wait_for_signal()).await.close_within(STOP_TIMEOUT).await;
    }
}

impl Witness {
    async fn answer(
        self: &Arc<Self>,
        request: Request<Incoming>,
        connection: &Arc<Connection>,
    ) -> Response<Body> {
        if let Err(refusal) = self.hosts.check(&request) {
            return WitnessAnswer::text(403, &refusal.to_string()).response();
        }
        let path = request.uri().path();
        let answer = match (request.method(), path) {
            (&Method::GET, "/healthz") => WitnessAnswer::text(200, "ok"),
            (&Method::POST, ADD_CHECKPOINT_PATH) => {
                match read_body(request.into_body(), connection, LIMITS).await {
                    Ok(body) => self.add_checkpoint(body).await,
                    Err(refusal) => WitnessAnswer::text(400, &refusal.to_string()),
                }
            }
            (_, ADD_CHECKPOINT_PATH) => WitnessAnswer::text(405, "use POST"),
            _ => WitnessAnswer::text(404, "nothing is served here"),
        };
        if answer.status != 200 {
            let (client, status) = (connection.address(), answer.status);
            tracing::warn!(%client, status, "a checkpoint was not co-signed");
        }
        answer.response()
    }

    /// Co-signs beside the connections, because the disk may be slow.
    async fn add_checkpoint(self: &Arc<Self>, body: Bytes) -> WitnessAnswer {
        let witness = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || witness.cosign(&body)).await;
        done.unwrap_or_else(|_| WitnessAnswer::text(500, "the witness failed"))
    }

    fn cosign(&self, body: &[u8]) -> WitnessAnswer {
        let Ok(request) = WitnessRequest::parse(body) else {
            return WitnessAnswer::text(400, "the request is malformed");
        };
        let origin = request.checkpoint.checkpoint().origin().clone();
        let Some(key) = self.origins.iter().find(|key| *key.name() == origin) else {
            return WitnessAnswer::text(404, "the log is not known");
        };
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let checked = match request.check(key, memory.last(origin.as_str())) {
            Ok(checked) => checked,
            Err(refusal) => return WitnessAnswer::refusal(refusal),
        };
        if let Err(error) = memory.remember(origin.as_str(), checked.head()) {
            tracing::error!(%error, "what is co-signed cannot be stored");
            return WitnessAnswer::text(500, "the witness failed");
        }
        let signature = checked.cosign(&self.signer, LogTime::from_timestamp(clock::now()));
        let body = format_signatures(&[signature]);
        WitnessAnswer { status: 200, content_type: "text/plain; charset=utf-8", body }
    }
}

impl WitnessAnswer {
    fn text(status: u16, words: &str) -> Self {
        Self { status, content_type: "text/plain; charset=utf-8", body: format!("{words}\n") }
    }

    fn refusal(refusal: WitnessRefusal) -> Self {
        let (WitnessRefusal::OtherSize(size) | WitnessRefusal::OtherRoot(size)) = refusal else {
            return Self::text(refusal.status(), &refusal.to_string());
        };
        let body = WitnessedSize(size).to_string();
        Self { status: refusal.status(), content_type: TREE_SIZE_MEDIA_TYPE, body }
    }

    fn response(self) -> Response<Body> {
        let mut response = Response::new(Full::new(Bytes::from(self.body)).boxed());
        let status = StatusCode::from_u16(self.status);
        *response.status_mut() = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let kind = HeaderValue::from_static(self.content_type);
        response.headers_mut().insert(CONTENT_TYPE, kind);
        response
    }
}

/// Opens the key, and creates it if it is missing.
fn open_signer(options: &WitnessOptions) -> Result<WitnessSigner, RegistryError> {
    let seed = if let Some(seed) = read_seed(&options.key_file)? {
        seed
    } else {
        let seed = random_seed()?;
        create_seed(&options.key_file, &seed)?;
        seed
    };
    let seed = parse_seed(&seed)?;
    let malformed = || RegistryError::Log("the key is malformed");
    let make = |name: NoteKeyName| WitnessSigner::new(name, &seed).map_err(|_| malformed());
    if let Some(name) = &options.name {
        return make(name.clone());
    }
    let plain = make("merestone-witness".parse().map_err(|_| malformed())?)?;
    let digest = Sha256::digest(plain.key().public_key().as_bytes()).to_string();
    make(format!("merestone-witness/{}", &digest[..16]).parse().map_err(|_| malformed())?)
}
