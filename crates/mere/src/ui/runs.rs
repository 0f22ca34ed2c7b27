//! What was run and refused, as the receipts say.

use mere_core::request::{PersonCommand, ReceiptCommand, ReceiptScope, Verb};
use mere_pages::{Attribute, Html, Tag, Tone, badge, command_block, element, empty_note, table};
use serde::Deserialize;

use super::reader::{UiReader, Unreadable};
use super::site;

/// How many runs are shown.
const MAX_RUNS: usize = 100;

#[derive(Deserialize)]
struct ReceiptRows {
    runs: Vec<ReceiptRow>,
}

#[derive(Deserialize)]
struct ReceiptRow {
    id: String,
    began: String,
    tool: String,
    agent: String,
    reader: String,
    result: String,
}

/// Renders the page. With script, the table renews itself.
pub(super) fn render(reader: &UiReader) -> Result<String, Unreadable> {
    let list = ReceiptCommand::List { scope: ReceiptScope::Project, limit: MAX_RUNS, before: None };
    let verb = Verb::Person(PersonCommand::Receipts(list));
    let runs = reader.read::<ReceiptRows>("runs", verb)?.runs;
    let shown = if runs.is_empty() {
        empty_note("Nothing was run in this project yet. Try `mere run hello_tool`.")
    } else {
        let rows = runs.iter().map(|run| {
            let who = if run.reader == "person" { "you".to_owned() } else { run.agent.clone() };
            let receipt = element(Tag::Span).class("digest").with(&run.id);
            let tone = if run.result == "exit 0" { Tone::Good } else { Tone::Attention };
            vec![
                run.began.as_str().into(),
                run.tool.as_str().into(),
                who.into(),
                badge(tone, run.result.as_str()).into(),
                receipt.into(),
            ]
        });
        table("Runs", &["Began", "Tool", "Who", "Result", "Receipt"], rows.collect())
    };
    let live = element(Tag::Div).set(Attribute::Id, "runs").set(Attribute::Refresh, "3");
    let content = Html::from(element(Tag::H1).with("Runs")).with(live.with(shown));
    let check = element(Tag::Section).with(element(Tag::H2).with("Check the receipts"));
    let content = content.with(check.with(command_block("mere runs verify")));
    Ok(site::render("Runs", site::RUNS, content))
}
