//! JSON-RPC over standard input and output, one message per line.
//!
//! The transport is our own for three reasons: a line is bounded and its JSON is strict, an invalid
//! message is answered with a typed error instead of silence, and everything that is written has
//! passed the gate. A task reads all the time, so that a cancellation or an answer is never stuck
//! behind requests; those wait in a [`RequestQueue`].

use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    ClientRequest, ContentBlock, GetMeta, JsonRpcMessage, JsonRpcResponse, ServerResult,
};
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use rmcp::transport::io::{StdioReader, StdioWriter, stdio_pipes};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, mpsc};

use super::call_runner::CallRunner;
use super::message::{InvalidMessage, MAX_MESSAGE_BYTES, Message, parse_message};
use super::queue::RequestQueue;

/// How many messages the SDK may leave unread.
const READ_AHEAD: usize = 16;

/// How much the pipe to the client holds, where the system lets us choose. A large answer then
/// passes in one or two steps instead of twenty.
#[cfg(target_os = "linux")]
const PIPE_BYTES: usize = 1024 * 1024;

/// Enlarges the pipe on standard output. Anything that is not a pipe, or may not grow, stays as it
/// is.
fn enlarge_output_pipe() {
    #[cfg(target_os = "linux")]
    let _ = rustix::pipe::fcntl_setpipe_size(std::io::stdout(), PIPE_BYTES);
}

/// Messages up to this size are joined and written at once.
const SMALL_BYTES: usize = 64 * 1024;

/// Both ends of standard input and output.
pub(super) struct StdioConnection {
    incoming: Arc<Mutex<IncomingMessages>>,
    output: Arc<StdoutWriter>,
}

struct IncomingMessages {
    messages: mpsc::Receiver<Message>,
    /// A handshake that ends one serving and starts the next.
    next_handshake: Option<Message>,
}

/// One serving of the connection. Another can follow it.
pub(super) struct LineTransport {
    incoming: Arc<Mutex<IncomingMessages>>,
    output: Arc<StdoutWriter>,
    /// Whether a request arrived that needs no handshake, so that this serving has none.
    stateless: bool,
}

impl StdioConnection {
    /// Starts reading standard input.
    pub(super) fn open(runner: Arc<CallRunner>) -> Self {
        enlarge_output_pipe();
        let (reader, writer) = stdio_pipes();
        let output = Arc::new(StdoutWriter {
            runner,
            writer: Mutex::new(writer),
            queue: RequestQueue::default(),
        });
        let (sender, messages) = mpsc::channel(READ_AHEAD);
        let lines =
            LineReader { reader: BufReader::new(reader), line: Vec::new(), too_long: false };
        tokio::spawn(read(lines, sender, Arc::clone(&output)));
        Self {
            incoming: Arc::new(Mutex::new(IncomingMessages { messages, next_handshake: None })),
            output,
        }
    }

    pub(super) fn transport(&self) -> LineTransport {
        LineTransport {
            incoming: Arc::clone(&self.incoming),
            output: Arc::clone(&self.output),
            stateless: false,
        }
    }

    /// Checks whether a handshake waits for the next serving. If so, the previous serving's
    /// requests are forgotten.
    pub(super) async fn take_restart(&self) -> bool {
        let anew = self.incoming.lock().await.next_handshake.is_some();
        if anew {
            self.output.queue.clear();
        }
        anew
    }
}

impl Transport<RoleServer> for LineTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let writer = Arc::clone(&self.output);
        async move {
            let answered = match &message {
                JsonRpcMessage::Response(response) => Some(response.id.clone()),
                JsonRpcMessage::Error(error) => error.id.clone(),
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
            };
            let sent = writer.send(as_value(message)?).await;
            if let Some(id) = answered {
                writer.runner.outgoing.release(&id);
                writer.queue.mark_answered(&id);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<Message> {
        let mut incoming = self.incoming.lock().await;
        let message = match incoming.next_handshake.take() {
            Some(message) => message,
            None => incoming.messages.recv().await?,
        };
        if let JsonRpcMessage::Request(request) = &message {
            let is_handshake = matches!(request.request, ClientRequest::InitializeRequest(_));
            if is_handshake && self.stateless {
                incoming.next_handshake = Some(message);
                return None;
            }
            let is_probe = matches!(request.request, ClientRequest::DiscoverRequest(_));
            let names_version = request.request.get_meta().protocol_version().is_some();
            self.stateless |= names_version && !is_handshake && !is_probe;
        }
        Some(message)
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Converts a message to JSON. A reply in it is moved and not copied, because replies are most of
/// what is sent.
fn as_value(mut message: TxJsonRpcMessage<RoleServer>) -> serde_json::Result<Value> {
    let (reply, mirror) = match &mut message {
        JsonRpcMessage::Response(JsonRpcResponse {
            result: ServerResult::CallToolResult(result),
            ..
        }) => {
            let mirror = match result.content.first_mut() {
                Some(ContentBlock::Text(text)) => Some(std::mem::take(&mut text.text)),
                _ => None,
            };
            (result.structured_content.take(), mirror)
        }
        _ => (None, None),
    };
    let mut value = serde_json::to_value(message)?;
    if let Some(reply) = reply {
        value["result"]["structuredContent"] = reply;
    }
    if let Some(mirror) = mirror {
        value["result"]["content"][0]["text"] = mirror.into();
    }
    Ok(value)
}

/// The only writer to standard output.
struct StdoutWriter {
    runner: Arc<CallRunner>,
    writer: Mutex<StdioWriter>,
    queue: RequestQueue,
}

impl StdoutWriter {
    async fn send(&self, message: Value) -> io::Result<()> {
        let Some(cleared) = self.runner.session.clear_message(message, &self.runner.seal) else {
            tracing::error!("a message was not sent because it contained a host path");
            return Ok(());
        };
        let mut pieces = cleared.to_pieces();
        pieces.push("\n".into());
        let size = pieces.iter().map(|piece| piece.len()).sum::<usize>();
        if size <= SMALL_BYTES {
            pieces = vec![pieces.concat().into()];
        }
        let mut writer = self.writer.lock().await;
        for piece in pieces {
            writer.write_all(piece.as_bytes()).await?;
        }
        writer.flush().await
    }
}

/// Reads until the input ends or nobody receives messages any more.
async fn read(mut lines: LineReader, sender: mpsc::Sender<Message>, writer: Arc<StdoutWriter>) {
    loop {
        let received = tokio::select! {
            read = lines.next() => match read {
                Ok(LineRead::Line) => parse_message(&lines.line),
                Ok(LineRead::TooLong) => Err(InvalidMessage::too_long()),
                Ok(LineRead::End) | Err(_) => break,
            },
            message = writer.queue.next() => {
                if sender.send(message).await.is_err() {
                    return;
                }
                continue;
            }
        };
        let taken = received.and_then(|message| match message {
            Some(message) => writer.queue.admit(message, lines.line.len()),
            None => Ok(None),
        });
        let goes_on = match taken {
            Ok(None) => true,
            Ok(Some(message)) => sender.send(message).await.is_ok(),
            Err(misfit) => writer.send(misfit.answer()).await.is_ok(),
        };
        lines.reset();
        if !goes_on {
            return;
        }
    }
    // The input has ended, but waiting requests are still answered.
    while let Some(message) = writer.queue.next_or_none().await {
        if sender.send(message).await.is_err() {
            return;
        }
    }
}

enum LineRead {
    Line,
    TooLong,
    End,
}

/// A reader of lines of bounded length. What it has read of a line is kept if `next` is dropped
/// before it completes.
struct LineReader {
    reader: BufReader<StdioReader>,
    line: Vec<u8>,
    too_long: bool,
}

impl LineReader {
    /// Reads to the end of the line, and keeps at most [`MAX_MESSAGE_BYTES`] of it.
    async fn next(&mut self) -> io::Result<LineRead> {
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                // A last line without a newline counts.
                let nothing = self.line.is_empty() && !self.too_long;
                return Ok(if nothing { LineRead::End } else { self.line_kind() });
            }
            let newline = available.iter().position(|byte| *byte == b'\n');
            let taken = newline.map_or(available.len(), |at| at + 1);
            self.too_long |= self.line.len() + taken > MAX_MESSAGE_BYTES;
            if self.too_long {
                self.line.clear();
            } else {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.reader.consume(taken);
            if newline.is_some() {
                return Ok(self.line_kind());
            }
        }
    }

    /// Discards the line that was used, so that the next one can start.
    fn reset(&mut self) {
        self.line.clear();
        self.line.shrink_to(64 * 1024);
        self.too_long = false;
    }

    fn line_kind(&self) -> LineRead {
        if self.too_long { LineRead::TooLong } else { LineRead::Line }
    }
}
