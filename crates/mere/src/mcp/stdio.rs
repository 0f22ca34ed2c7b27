//! JSON-RPC over standard input and output, one message a line.
//!
//! Our own transport, for three reasons: a line is bounded and its JSON strict, a message that
//! makes no sense is answered with a typed error instead of silence, and what is written has
//! passed the gate. A task reads ahead; the SDK polls `receive` in a `select!`, and taking from a
//! channel is safe to cancel.

use std::io;
use std::sync::Arc;

use mere_core::json;
use rmcp::RoleServer;
use rmcp::model::{ClientNotification, ClientRequest, GetMeta, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::io::{StdioReader, StdioWriter, stdio_pipes};
use serde_json::{Value, json as object};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, mpsc};

use super::edge::Edge;
use super::in_flight::InFlight;

/// The longest line that is read, in bytes.
const MAX_LINE_BYTES: usize = 8 * 1024 * 1024;
/// How many messages are read ahead.
const READ_AHEAD: usize = 4;

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const INVALID_PARAMS: i64 = -32602;

/// A message and how many bytes its line had.
struct Heard {
    message: RxJsonRpcMessage<RoleServer>,
    bytes: usize,
}

/// Both ends of standard input and output.
pub(super) struct Lines {
    incoming: Arc<Mutex<Incoming>>,
    outlet: Arc<Outlet>,
}

struct Incoming {
    lines: mpsc::Receiver<Heard>,
    /// A handshake that ends one serving and begins the next.
    held: Option<Heard>,
}

/// One serving of the lines. Another can follow it.
pub(super) struct LineTransport {
    incoming: Arc<Mutex<Incoming>>,
    outlet: Arc<Outlet>,
    /// Whether a request came that needs no handshake: this serving has none.
    stateless: bool,
}

impl Lines {
    /// Starts reading.
    pub(super) fn open(edge: Arc<Edge>) -> Self {
        let (reader, writer) = stdio_pipes();
        let writer = Mutex::new(writer);
        let outlet = Arc::new(Outlet { edge, writer, in_flight: InFlight::default() });
        let (sender, receiver) = mpsc::channel(READ_AHEAD);
        tokio::spawn(read(BufReader::new(reader), sender, Arc::clone(&outlet)));
        Self { incoming: Arc::new(Mutex::new(Incoming { lines: receiver, held: None })), outlet }
    }

    pub(super) fn transport(&self) -> LineTransport {
        LineTransport {
            incoming: Arc::clone(&self.incoming),
            outlet: Arc::clone(&self.outlet),
            stateless: false,
        }
    }

    /// Whether a handshake waits for the next serving.
    pub(super) async fn begins_anew(&self) -> bool {
        self.incoming.lock().await.held.is_some()
    }
}

impl Transport<RoleServer> for LineTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let outlet = Arc::clone(&self.outlet);
        async move {
            let answered = match &message {
                JsonRpcMessage::Response(response) => Some(response.id.clone()),
                JsonRpcMessage::Error(error) => error.id.clone(),
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
            };
            let sent = outlet.send(serde_json::to_value(message)?).await;
            if let Some(id) = answered {
                outlet.in_flight.leave(&id);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let mut incoming = self.incoming.lock().await;
        // Room first, so that a message which was taken is never lost when this is cancelled.
        self.outlet.in_flight.room().await;
        let heard = match incoming.held.take() {
            Some(heard) => heard,
            None => incoming.lines.recv().await?,
        };
        match &heard.message {
            JsonRpcMessage::Request(request) => {
                let is_handshake = matches!(request.request, ClientRequest::InitializeRequest(_));
                if is_handshake && self.stateless {
                    incoming.held = Some(heard);
                    return None;
                }
                let is_probe = matches!(request.request, ClientRequest::DiscoverRequest(_));
                let names_version = request.request.get_meta().protocol_version().is_some();
                self.stateless |= names_version && !is_handshake && !is_probe;
                self.outlet.in_flight.enter(request.id.clone(), heard.bytes);
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.outlet.in_flight.leave(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        Some(heard.message)
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The only way to standard output.
struct Outlet {
    edge: Arc<Edge>,
    writer: Mutex<StdioWriter>,
    in_flight: InFlight,
}

impl Outlet {
    async fn send(&self, message: Value) -> io::Result<()> {
        let Some(cleared) = self.edge.session.clear_message(message, &self.edge.seal) else {
            tracing::error!("a message was not sent: it named a host path");
            return Ok(());
        };
        let mut line = cleared.line();
        line.push('\n');
        let mut writer = self.writer.lock().await;
        writer.write_all(line.as_bytes()).await?;
        writer.flush().await
    }

    async fn refuse(&self, refusal: Refusal) -> io::Result<()> {
        let Refusal { id, code, message } = refusal;
        self.send(object!({
            "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message }
        }))
        .await
    }
}

/// What cannot be handed to the SDK, and the answer to it.
struct Refusal {
    id: Value,
    code: i64,
    message: &'static str,
}

impl Refusal {
    fn new(code: i64, message: &'static str) -> Self {
        Self { id: Value::Null, code, message }
    }
}

/// Reads until the input ends or nobody listens any more.
async fn read(
    mut reader: BufReader<StdioReader>,
    sender: mpsc::Sender<Heard>,
    outlet: Arc<Outlet>,
) {
    let mut line = Vec::new();
    loop {
        let heard = match next_line(&mut reader, &mut line).await {
            Ok(Read::Line) => understand(&line),
            Ok(Read::TooLong) => Err(Refusal::new(INVALID_REQUEST, "the line is over 8 MiB")),
            Ok(Read::End) | Err(_) => return,
        };
        let kept = match heard {
            Ok(None) => true,
            Ok(Some(message)) => sender.send(Heard { message, bytes: line.len() }).await.is_ok(),
            Err(refusal) => outlet.refuse(refusal).await.is_ok(),
        };
        if !kept {
            return;
        }
    }
}

enum Read {
    Line,
    TooLong,
    End,
}

/// Reads one line into `line`, keeping at most [`MAX_LINE_BYTES`] of it.
async fn next_line(reader: &mut BufReader<StdioReader>, line: &mut Vec<u8>) -> io::Result<Read> {
    line.clear();
    line.shrink_to(64 * 1024);
    let mut too_long = false;
    loop {
        let available = reader.fill_buf().await?;
        if available.is_empty() {
            // A last line without a newline counts.
            let nothing = line.is_empty() && !too_long;
            return Ok(if nothing { Read::End } else { ended(too_long) });
        }
        let newline = available.iter().position(|byte| *byte == b'\n');
        let taken = newline.map_or(available.len(), |at| at + 1);
        too_long |= line.len() + taken > MAX_LINE_BYTES;
        if too_long {
            line.clear();
        } else {
            line.extend_from_slice(&available[..taken]);
        }
        reader.consume(taken);
        if newline.is_some() {
            return Ok(ended(too_long));
        }
    }
}

fn ended(too_long: bool) -> Read {
    if too_long { Read::TooLong } else { Read::Line }
}

/// A line as a message; `None` for an empty one.
fn understand(line: &[u8]) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Refusal> {
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    let value = json::parse(line)
        .map_err(|_| Refusal::new(PARSE_ERROR, "the line is not JSON with each key once"))?;
    let id = value.get("id").filter(|id| id.is_string() || id.is_number()).cloned();
    let has_method = value.get("method").is_some_and(Value::is_string);
    let is_notification = has_method && value.get("id").is_none();
    match serde_json::from_value(value) {
        Ok(message) => Ok(Some(message)),
        // A notification is never answered.
        Err(_) if is_notification => Ok(None),
        Err(_) if has_method && id.is_some() => Err(Refusal {
            id: id.unwrap_or_default(),
            code: INVALID_PARAMS,
            message: "the parameters do not fit the method",
        }),
        Err(_) => Err(Refusal {
            id: id.unwrap_or_default(),
            code: INVALID_REQUEST,
            message: "not a JSON-RPC 2.0 message",
        }),
    }
}
