//! Sending the request of a tool, and the reply about how it ended.
//!
//! The request itself is sent by mere-host, which connects to nothing but what was granted.

use std::time::Instant;

use mere_core::network::NetworkGrants;
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_core::request::Reader;
use mere_core::secrets::{RedactedStream, SecretRedactor};
use mere_core::trust::ReceiptId;
use mere_core::turn::OutputStream;

use super::execution::visible_text;
use super::ready::ReadyRequest;
use super::receipts::PendingReceipt;
use super::{RunCall, RunError, show};
use crate::files::error::FileError;
use crate::items::load::item_name;
use mere_host::{
    FinishedRequest, HttpError, RefusedHost, RequestEnd, RequestObserver, send_tool_request,
};

/// What to do about hosts that a tool tried to reach.
pub(super) const REFUSED_HOST_HINT: &str = "The tool may not connect to the hosts in `refused_hosts`. Its manifest has to list them under \
     `permissions.net`, and the user has to grant them; one that leads to a private address needs \
     `mere grant TOOL --net-private HOST`.";

/// Does everything except sending the request.
pub(super) fn dry_run_request(ready: &ReadyRequest) -> Result<Draft, RunError> {
    let endpoint = ready.request.url.endpoint();
    let permitted = granted_hosts(ready).permit(endpoint.clone());
    permitted.map_err(|denial| {
        refused_request(ready, RefusedHost { endpoint: endpoint.clone(), denial })
    })?;
    Ok(show::dry_request_reply(ready))
}

fn granted_hosts(ready: &ReadyRequest) -> NetworkGrants {
    NetworkGrants::new(ready.granted().grant().hosts.clone())
}

/// Sends the request of a tool.
pub(super) fn run_request(
    call: &RunCall<'_>,
    ready: &ReadyRequest,
    receipt: &mut PendingReceipt<'_>,
) -> Result<Draft, RunError> {
    let began = Instant::now();
    let on_progress = |bytes: usize| {
        if call.items.reader == Reader::Agent {
            let done = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            (call.report_tool_note)(done, Prose::words(format!("{bytes} bytes received")));
        }
    };
    let observer = RequestObserver { is_cancelled: call.is_cancelled, on_progress: &on_progress };
    let finished = send_tool_request(&ready.request, &granted_hosts(ready), &observer)
        .map_err(|refused| refused_request(ready, refused))?;
    receipt.note_response(&finished, end_reason(&finished.end).unwrap_or_default());
    if finished.end == RequestEnd::Cancelled {
        return Err(FileError::Cancelled.into());
    }
    let body = visible_text(&call.items, &redact_body(ready, &finished), ready.request.max_bytes);
    if call.items.reader == Reader::Person {
        (call.stream_tool_output)(OutputStream::Output, &Prose::words("").content(body.clone()));
    }
    Ok(request_reply(ready, &finished, body, receipt.id()))
}

fn refused_request(ready: &ReadyRequest, refused: RefusedHost) -> RunError {
    let tool = ready.locked().linked().chain().leaf().pin.reference();
    RunError::refused_host(tool, ready.granted().grant(), refused)
}

/// Removes the secrets of a request from the body of the response. What may be the beginning of a
/// secret at the end of a body that goes on is left out.
fn redact_body(ready: &ReadyRequest, finished: &FinishedRequest) -> Vec<u8> {
    let mut stream = RedactedStream::default();
    let mut body = stream.push(&ready.redactor, &finished.body);
    if !finished.truncated {
        body.extend(stream.finish(&ready.redactor));
    }
    body
}

/// Returns the hosts that a tool tried to reach and may not, as replies list them. A tool could
/// tell a secret by such a name.
pub(super) fn refused_hosts(refused: &[RefusedHost], redactor: &SecretRedactor) -> Option<Data> {
    let hosts = refused.iter().map(|one| {
        let name = redactor.redact_text(&one.endpoint.to_string());
        Data::from(Content::mention(name))
    });
    (!refused.is_empty()).then(|| hosts.collect())
}

fn request_reply(
    ready: &ReadyRequest,
    finished: &FinishedRequest,
    body: Content,
    receipt: ReceiptId,
) -> Draft {
    let is_response = finished.end == RequestEnd::Response;
    let success = is_response && finished.status.is_some_and(|status| status / 100 == 2);
    let millis = u64::try_from(finished.duration.as_millis()).unwrap_or(u64::MAX);
    let refused = match &finished.end {
        RequestEnd::Denied(refused) => std::slice::from_ref(refused),
        _ => &[],
    };
    let data = Fields::default()
        .with("success", success)
        .with("body", body)
        .with("stderr", Data::Words("".into()))
        .with("status", finished.status.map(u64::from))
        .with_some("ended", end_reason(&finished.end).map(|words| Data::Words(words.into())))
        .with("duration_ms", millis)
        .with("truncated", finished.truncated)
        .with("chain", show::link_list(ready.locked().linked().listed()))
        .with_some("lockfile", ready.locked().lockfile().cloned())
        .with_some("refused_hosts", refused_hosts(refused, &ready.redactor))
        .with("receipt", Data::Words(receipt.to_string().into()));
    let message = Prose::words("The tool `");
    let message = match ready.locked().linked().leaf() {
        Some(leaf) => message.name(item_name(&leaf.place)),
        None => message,
    };
    let message = match &finished.end {
        RequestEnd::Response if success => message.and("` ran."),
        RequestEnd::Denied(refused) => message
            .and("` ran and failed: it was led to `")
            .content(Content::mention(ready.redactor.redact_text(&refused.endpoint.to_string())))
            .and(format!("`, and {}.", refused.denial)),
        end => message.and(format!("` ran and failed: {}.", failure(end, finished.status))),
    };
    let draft = Draft::success(codes::RUN_TOOL, message).data(data);
    match &finished.end {
        RequestEnd::Denied(_) => draft.hint(REFUSED_HOST_HINT),
        RequestEnd::Failed(HttpError::Timeout) => {
            draft.hint("Its manifest can allow more time with `config.timeout_s`.")
        }
        _ if finished.truncated => {
            draft.hint("Its manifest can allow a longer body with `config.max_bytes`.")
        }
        _ if !success => draft.hint("See `body` for what the server answered."),
        _ => draft,
    }
}

/// Returns what ended the request, or `None` if there was a response.
fn end_reason(end: &RequestEnd) -> Option<&'static str> {
    Some(match end {
        RequestEnd::Response => return None,
        RequestEnd::Failed(HttpError::Timeout) => "timeout",
        RequestEnd::Failed(HttpError::Untrusted) => "certificate",
        RequestEnd::Failed(HttpError::Unreachable) => "unreachable",
        RequestEnd::Failed(_) => "invalid response",
        RequestEnd::Denied(_) => "refused host",
        RequestEnd::RedirectRefused => "refused redirect",
        RequestEnd::TooManyRedirects => "too many redirects",
        RequestEnd::Cancelled => "cancelled",
    })
}

/// Says why a request failed.
fn failure(end: &RequestEnd, status: Option<u16>) -> String {
    match end {
        RequestEnd::Response => {
            format!("the server answered with status {}", status.unwrap_or_default())
        }
        RequestEnd::Failed(error) => error.to_string(),
        RequestEnd::Denied(refused) => refused.denial.to_string(),
        RequestEnd::RedirectRefused => {
            "a redirect leads to something that is not a URL of the web, leaves https, or would \
             send the body to another host"
                .to_owned()
        }
        RequestEnd::TooManyRedirects => "there were too many redirects".to_owned(),
        RequestEnd::Cancelled => "it was ended".to_owned(),
    }
}
