//! What agents call while they work, and what each of them was shown.

use mere_core::request::{PersonCommand, Verb};
use mere_pages::{Attribute, Html, Tag, Tone, badge, command_block, element, empty_note, table};

use super::reader::{UiReader, Unreadable};
use super::site;
use crate::print::calls::{CallList, CallRow, CallingAgent};

/// How many calls are shown.
const MAX_CALLS: usize = 100;

/// Renders the page. With script, the tables renew themselves.
pub(super) fn render(reader: &UiReader) -> Result<String, Unreadable> {
    let verb = Verb::Person(PersonCommand::Calls { limit: MAX_CALLS });
    let CallList { calls, clients } = reader.read::<CallList>("calls", verb)?;
    let mut live = element(Tag::Div).set(Attribute::Id, "calls").set(Attribute::Refresh, "2");
    if clients.is_empty() {
        live = live.with(empty_note("No agent has called anything in this project yet."));
        live = live.with(command_block("mere connect claude"));
    } else {
        let columns = ["Agent", "Was shown", "Tokens of that", "Calls", "Refused", "Last"];
        live = live.with(table("Agents", &columns, clients.iter().map(agent_row).collect()));
        let columns = ["When", "Agent", "Tool", "Result", "Answer", "ms"];
        live = live.with(table("Calls", &columns, calls.iter().map(call_row).collect()));
    }
    let content = Html::from(element(Tag::H1).with("Calls")).with(live);
    Ok(site::render("Calls", site::CALLS, content))
}

fn agent_row(client: &CallingAgent) -> Vec<Html> {
    vec![
        client.agent.as_str().into(),
        client.shown().into(),
        client.tokens().to_string().into(),
        client.calls.to_string().into(),
        client.refused.to_string().into(),
        client.last.as_str().into(),
    ]
}

fn call_row(call: &CallRow) -> Vec<Html> {
    let tone = if call.succeeded { Tone::Good } else { Tone::Attention };
    vec![
        call.at.as_str().into(),
        call.agent.as_str().into(),
        element(Tag::Code).with(&call.tool).into(),
        badge(tone, call.code.as_str()).into(),
        call.message.as_str().into(),
        call.milliseconds().into(),
    ]
}
