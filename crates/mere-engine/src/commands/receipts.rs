//! `mere runs`: what was run and refused on this machine, and whether the record of it is whole.
//!
//! Nothing is changed here, and no configuration is needed.

use mere_core::digest::ShownDigest;
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_core::request::{Reader, ReceiptCommand, ReceiptCursor, ReceiptScope};
use mere_core::trust::{
    HeadFault, Receipt, ReceiptFault, ReceiptFinding, ReceiptId, ReceiptLink, RunOutcome,
    RunRecord, SignedReceipt,
};
use serde_json::Value;

use crate::error::{receipt_error_reply, unknown_receipt_reply};
use crate::run::receipts::{ChainReport, ReceiptBook, ReceiptError};
use crate::trust::MachineKey;
use crate::world::Context;

/// How many lines one page of an export has.
const EXPORT_PAGE: usize = 1_000;

/// Runs a `mere runs` command.
pub(crate) fn run_command(context: &Context, command: &ReceiptCommand) -> Draft {
    let done = match command {
        ReceiptCommand::List { scope, limit, before } => list(context, *scope, (*limit, *before)),
        ReceiptCommand::Show { receipt } => show(context, *receipt),
        ReceiptCommand::Verify => verify(context),
        ReceiptCommand::Export { from } => export(context, *from),
    };
    done.unwrap_or_else(|error| receipt_error_reply(&error))
}

fn list(
    context: &Context,
    scope: ReceiptScope,
    (limit, before): (usize, Option<ReceiptId>),
) -> Result<Draft, ReceiptError> {
    let book = ReceiptBook::of_user(&context.environment)?;
    let project = project_key(context)?;
    let is_wanted = |signed: &SignedReceipt| {
        scope == ReceiptScope::Everywhere || signed.receipt().run.project == project
    };
    let mut found = book.newest(limit.saturating_add(1), before, is_wanted)?;
    let has_more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| has_more).map(|signed| id_data(signed.receipt().id));
    let rows = found.iter().map(|signed| Data::from(row(signed.receipt())));
    let message = match found.len() {
        1 => "1 receipt.".to_owned(),
        count => format!("{count} receipts."),
    };
    let data = Fields::default().with("runs", rows.collect::<Data>()).with_some("next", next);
    let draft = Draft::success(codes::RUNS, Prose::words(message)).data(data);
    Ok(match (found.is_empty(), scope) {
        (true, ReceiptScope::Project) => {
            draft.hint("Nothing was run in this project; `mere runs --all` lists all others.")
        }
        _ => draft,
    })
}

/// Returns what stands for this project in receipts.
fn project_key(context: &Context) -> Result<Option<String>, ReceiptError> {
    let key = MachineKey::read(&context.environment)?;
    let folder = context.project_folder().and_then(|project| project.canonical_text());
    Ok(key.zip(folder).map(|(key, folder)| key.project_key(folder)))
}

fn row(receipt: &Receipt) -> Fields {
    let run = &receipt.run;
    Fields::default()
        .with("id", id_data(receipt.id))
        .with("began", Data::Words(run.began.to_string().into()))
        .with("tool", Content::mention(run.tool.as_str()))
        .with("agent", Content::mention(run.agent.as_str()))
        .with("reader", reader_name(run.reader))
        .with("result", result_words(run))
        .with_some("duration_ms", run.outcome.as_ref().map(|outcome| outcome.duration_ms))
}

/// Describes how a run ended in a few words.
fn result_words(run: &RunRecord) -> Content {
    let end = run.outcome.as_ref().map(|outcome| match (outcome.exit_code, &outcome.end) {
        (Some(code), _) => format!("exit {code}"),
        (None, Some(end)) => end.clone(),
        (None, None) => "ended".to_owned(),
    });
    Content::mention(match (end, &run.refused) {
        (Some(end), None) => end,
        (Some(end), Some(code)) => format!("{end}, {code}"),
        (None, code) => code.clone().unwrap_or_default(),
    })
}

fn show(context: &Context, id: ReceiptId) -> Result<Draft, ReceiptError> {
    let book = ReceiptBook::of_user(&context.environment)?;
    let key = MachineKey::read(&context.environment)?;
    let found = book.find(id, key.as_ref().map(MachineKey::public))?;
    let Some(found) = found else { return Ok(unknown_receipt_reply()) };
    let receipt = found.signed.receipt();
    let inputs = book.find_inputs(receipt)?.map(Value::Object);
    let inputs = inputs.map(|value| Data::from_foreign(&value, &mut |text| Content::mention(text)));
    let data = receipt_fields(receipt)
        .with("kept_inputs", inputs)
        .with("key", Content::from(found.signed.key()))
        .with("authentic", found.is_authentic);
    let message = if found.is_authentic {
        "This machine signed the receipt."
    } else {
        "The receipt is not what this machine signed."
    };
    Ok(Draft::success(codes::RUNS_SHOWN, message).data(data))
}

fn receipt_fields(receipt: &Receipt) -> Fields {
    let run = &receipt.run;
    let approvals = run.approvals.iter().map(|one| Data::from(Content::mention(one.as_str())));
    Fields::default()
        .with("id", id_data(receipt.id))
        .with("sequence", receipt.sequence)
        .with("previous", ShownDigest::for_people(receipt.previous))
        .with("began", Data::Words(run.began.to_string().into()))
        .with("ended", Data::Words(run.ended.to_string().into()))
        .with("project", run.project.as_deref().map(Content::mention))
        .with("agent", Content::mention(run.agent.as_str()))
        .with("reader", reader_name(run.reader))
        .with("tool", Content::mention(run.tool.as_str()))
        .with("chain", run.chain.iter().map(|link| Data::from(link_fields(link))).collect::<Data>())
        .with("lockfile", run.lockfile.clone())
        .with("approvals", approvals.collect::<Data>())
        .with("inputs", run.inputs.map(ShownDigest::for_people))
        .with("outcome", run.outcome.as_ref().map(outcome_fields))
        .with("refused", run.refused.as_deref().map(Content::mention))
        .with("replays", run.replays.map(id_data))
        .with("result", result_words(run))
}

fn link_fields(link: &ReceiptLink) -> Fields {
    Fields::default()
        .with("tool_id", Content::mention(link.id.to_string()))
        .with("version", Content::mention(link.version.to_string()))
        .with("scope", link.scope.map_or("builtin", mere_core::item::Scope::name))
        .with("category", Content::mention(link.category.to_string()))
        .with("integrity", ShownDigest::for_people(link.integrity))
}

fn outcome_fields(outcome: &RunOutcome) -> Fields {
    let code = outcome.exit_code.map(|code| Data::ForeignNumber(code.into()));
    Fields::default()
        .with("exit_code", code)
        .with("end", outcome.end.as_deref().map(Content::mention))
        .with("duration_ms", outcome.duration_ms)
        .with("stdout", ShownDigest::for_people(outcome.stdout))
        .with("stderr", ShownDigest::for_people(outcome.stderr))
        .with("truncated", outcome.truncated)
}

fn verify(context: &Context) -> Result<Draft, ReceiptError> {
    let book = ReceiptBook::of_user(&context.environment)?;
    let Some(key) = MachineKey::read(&context.environment)? else {
        return verify_without_key(&book);
    };
    let report = book.verify(key.public())?;
    let findings = report.findings.iter().map(|finding| Data::from(finding_fields(finding)));
    let removed = report.head.ok().map(|head| head.removed.sequence).filter(|number| *number > 0);
    let data = Fields::default()
        .with("receipts", report.count)
        .with("key", Content::from(key.public().fingerprint()))
        .with("public", Content::mention(key.public().to_string()))
        .with_some("removed", removed)
        .with("findings", findings.collect::<Data>())
        .with_some("left_out", Some(report.left_out).filter(|count| *count > 0));
    Ok(verify_reply(&report).data(data))
}

/// Answers where there is no key: nothing was ever run, or the key was deleted.
fn verify_without_key(book: &ReceiptBook) -> Result<Draft, ReceiptError> {
    let is_empty = book.page(None, 1)?.lines.is_empty();
    Ok(if is_empty {
        let data =
            Fields::default().with("receipts", 0_u64).with("findings", Data::List(Vec::new()));
        Draft::success(codes::RUNS_VERIFIED, "There are no receipts.").data(data)
    } else {
        let lost = Fields::default()
            .with("receipt", Data::Null)
            .with("sequence", Data::Null)
            .with("fault", "no_key")
            .with("what", "The machine's key is missing: no receipt can be checked.");
        let data = Fields::default().with("findings", Data::List(vec![lost.into()]));
        Draft::fault(codes::RUNS_FINDINGS, "The receipts have 1 finding.")
            .hint(FINDINGS_HINT)
            .data(data)
    })
}

const FINDINGS_HINT: &str = "Somebody changed the files of the receipts, or a disk failed; \
    docs/running.md says what each finding means, and how to start anew.";

fn verify_reply(report: &ChainReport) -> Draft {
    let count = report.findings.len() as u64 + report.left_out;
    if count == 0 {
        let message = match report.count {
            0 => "There are no receipts.".to_owned(),
            1 => "1 receipt is what this machine signed.".to_owned(),
            count => format!("{count} receipts are what this machine signed, in their order."),
        };
        return Draft::success(codes::RUNS_VERIFIED, Prose::words(message));
    }
    let words = if count == 1 { "1 finding".to_owned() } else { format!("{count} findings") };
    Draft::fault(codes::RUNS_FINDINGS, Prose::words(format!("The receipts have {words}.")))
        .hint(FINDINGS_HINT)
}

fn finding_fields(finding: &ReceiptFinding) -> Fields {
    Fields::default()
        .with("receipt", finding.id.map(id_data))
        .with("sequence", finding.sequence)
        .with("fault", fault_name(finding.fault))
        .with("what", Data::Words(describe(finding).into()))
}

fn fault_name(fault: ReceiptFault) -> &'static str {
    match fault {
        ReceiptFault::Unreadable => "unreadable",
        ReceiptFault::Edited => "edited",
        ReceiptFault::WrongKey => "wrong_key",
        ReceiptFault::Dropped { .. } => "dropped",
        ReceiptFault::TailDropped { .. } => "tail_dropped",
        ReceiptFault::Reordered => "reordered",
        ReceiptFault::Unlinked => "unlinked",
        ReceiptFault::WithoutHead(_) => "without_head",
        ReceiptFault::NoHead => "no_head",
        ReceiptFault::DamagedHead => "damaged_head",
        ReceiptFault::OtherHead => "other_head",
    }
}

/// Describes a finding in a sentence.
fn describe(finding: &ReceiptFinding) -> String {
    let number = finding.sequence.unwrap_or_default();
    let range = |to: u64| {
        if to == number {
            format!("Receipt {to} is")
        } else {
            format!("Receipts {number} to {to} are")
        }
    };
    match finding.fault {
        ReceiptFault::Unreadable => format!("What stands in place of receipt {number} is not one."),
        ReceiptFault::Edited => format!("Receipt {number} was edited."),
        ReceiptFault::WrongKey => format!("Receipt {number} is not signed by this machine's key."),
        ReceiptFault::Dropped { to } => format!("{} missing.", range(to)),
        ReceiptFault::TailDropped { to } => format!("{} missing at the end.", range(to)),
        ReceiptFault::Reordered => format!("Receipt {number} stands where it does not belong."),
        ReceiptFault::Unlinked => format!("Receipt {number} does not follow the one before it."),
        ReceiptFault::WithoutHead(HeadFault::Missing) => {
            format!("The head was missing when receipt {number} was written.")
        }
        ReceiptFault::WithoutHead(HeadFault::Damaged) => {
            format!("The head was damaged when receipt {number} was written.")
        }
        ReceiptFault::NoHead => {
            "The head is missing: receipts may be missing at the end.".to_owned()
        }
        ReceiptFault::DamagedHead => {
            "The head is not signed by this machine's key: receipts may be missing at the end."
                .to_owned()
        }
        ReceiptFault::OtherHead => format!("The head names another receipt {number}."),
    }
}

fn export(context: &Context, from: Option<ReceiptCursor>) -> Result<Draft, ReceiptError> {
    let book = ReceiptBook::of_user(&context.environment)?;
    let page = book.page(from.map(|from| (from.file, from.line)), EXPORT_PAGE)?;
    let lines = page.lines.into_iter().map(|line| Data::from(Content::body(line)));
    let next = page
        .next
        .map(|(file, line)| Fields::default().with("file", u64::from(file)).with("line", line));
    let data = Fields::default().with("lines", lines.collect::<Data>()).with_some("next", next);
    Ok(Draft::success(codes::RUNS_EXPORTED, "The receipts as they are stored.").data(data))
}

fn reader_name(reader: Reader) -> &'static str {
    match reader {
        Reader::Agent => "agent",
        Reader::Person => "person",
    }
}

fn id_data(id: ReceiptId) -> Data {
    Data::Words(id.to_string().into())
}
