//! `mere sign`, `verify`, `draft` and `edit`.
//!
//! What is signed is exactly what was shown: each item is named by its address and the digest of
//! what was shown.

use std::collections::BTreeMap;
use std::io;
use std::process::ExitCode;

use mere_core::address::Address;
use mere_core::item::{ItemName, Version};
use mere_core::reply::{ReplyType, codes};
use mere_core::request::{
    AfterSigning, ItemCommand, ItemSelection, ItemWork, LockCommand, MAX_MINIMUM_VERSIONS_BYTES,
    Relocking, SelectedItems, ShownItem, SignCommand, ToolCommand, VerifyCommand, WorkMode,
    parse_minimum_versions,
};
use mere_engine::TypedPath;

use crate::arguments::{EditArguments, SignArguments, SigningSubcommand, VerifyArguments};
use crate::commands::call::KeyboardTurn;
use crate::commands::person_session::PersonSession;
use crate::commands::review::ReviewContext;
use crate::commands::sign_questions::{AcceptingAll, ask_each, ask_once};
use crate::print::reply::ReplyView;
use crate::print::signing::{SignableItem, SigningPlan, StaleLock, StaleLocks, Verification};
use crate::print::{Printer, sarif, terminal};

const REOPEN_QUESTION: &str = "Open the editor again? Otherwise it stays a draft as it is.";

impl PersonSession {
    pub(crate) fn run_signing(&self, command: SigningSubcommand) -> io::Result<ExitCode> {
        match command {
            SigningSubcommand::Sign(arguments) => self.sign(&arguments),
            SigningSubcommand::Verify(arguments) => self.verify(&arguments),
            SigningSubcommand::Draft(arguments) => self.draft_or_edit(arguments, WorkMode::Draft),
            SigningSubcommand::Edit(arguments) => self.draft_or_edit(arguments, WorkMode::Edit),
            SigningSubcommand::Review(arguments) => self.review(&arguments),
        }
    }

    /// Shows the items, asks, and signs them.
    fn sign(&self, arguments: &SignArguments) -> io::Result<ExitCode> {
        // What a stranger signed is shown, but not signed in passing.
        let otherwise =
            if arguments.dry_run { SelectedItems::Reviewable } else { SelectedItems::Unfinished };
        let selection = match arguments.selection.selection(otherwise) {
            Ok(selection) => selection,
            Err(error) => return Ok(terminal::print_failure(&error, terminal::USAGE)),
        };
        let is_open = selection.which == SelectedItems::Unfinished;
        if is_open && terminal::can_ask() && !arguments.answer.json {
            self.review_proposals(&arguments.answer, ReviewContext::Sign)?;
        }
        let plan = self.call("sign", ItemCommand::Sign(SignCommand::Plan(selection.clone())));
        if plan.reply_type() != ReplyType::Success {
            return self.print_reply(&plan, &arguments.answer, Printer::outcome);
        }
        if arguments.dry_run && arguments.answer.json {
            return self.print_reply(&plan, &arguments.answer, Printer::outcome);
        }
        let ReplyView { data, hint, .. } = ReplyView::<SigningPlan>::read(&plan)?;
        let SigningPlan { items, unsigned, unknown_key } = data;
        if let Some(hint) = hint.filter(|_| !arguments.answer.json) {
            terminal::print_note(&hint);
        }
        if is_open && unknown_key > 0 && !arguments.answer.json {
            terminal::print_note(&signed_by_strangers(unknown_key));
        }
        if items.is_empty() && arguments.relock {
            return self.relock(arguments);
        }
        if items.is_empty() && !arguments.answer.json {
            // Nothing is printed for a commit that touches no item.
            if selection.which != SelectedItems::Staged {
                terminal::print_line(&nothing_to_sign(unsigned))?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        let printer = self.printer(arguments.answer.color);
        if arguments.dry_run {
            items
                .iter()
                .try_for_each(|item| terminal::print_text(&(printer.difference(item) + "\n")))?;
            return Ok(ExitCode::SUCCESS);
        }
        let ended = self.ask_and_sign(arguments, &selection, &items)?;
        let has_tool = items.iter().any(SignableItem::is_tool);
        if has_tool && !arguments.relock && !arguments.answer.json {
            self.offer_relock(arguments)?;
        }
        if is_open && unsigned > 0 && !arguments.answer.json {
            terminal::print_note(&permitted_unsigned(unsigned));
        }
        Ok(ended)
    }

    /// Asks about items where somebody has to be asked, and signs those that are accepted.
    fn ask_and_sign(
        &self,
        arguments: &SignArguments,
        selection: &ItemSelection,
        items: &[SignableItem],
    ) -> io::Result<ExitCode> {
        let printer = self.printer(arguments.answer.color);
        let is_open = selection.which == SelectedItems::Unfinished;
        let is_exact = selection.names_each_item();
        let is_asked = !arguments.yes && !is_exact;
        let one_by_one = match selection.which {
            SelectedItems::Unfinished
            | SelectedItems::Unsigned
            | SelectedItems::Reviewable
            | SelectedItems::SignedByStrangers
            | SelectedItems::Staged => true,
            SelectedItems::All => selection.kind.is_some(),
            SelectedItems::Named(_) => false,
        };
        let chosen = match (is_asked, terminal::can_ask()) {
            (true, true) if one_by_one && !arguments.answer.json => {
                let signed = ask_each(&printer, items, AcceptingAll::Offered, |item| {
                    self.sign_chosen(arguments, &[item])
                });
                // Nothing was accepted: that is said, and is a refusal.
                return signed?.map_or_else(|| self.sign_chosen(arguments, &[]), Ok);
            }
            (true, true) => {
                let chosen = ask_once(&printer, items)?;
                if items.iter().all(SignableItem::is_shown_in_full) {
                    return self.sign_chosen(arguments, &chosen);
                }
                chosen
            }
            (true, false) if is_open => return self.refuse_unasked(arguments, items),
            _ => {
                // Whoever names an item sees what is signed, without being asked.
                if is_exact && terminal::is_output_terminal() && !arguments.answer.json {
                    items
                        .iter()
                        .try_for_each(|item| terminal::print_text(&printer.difference(item)))?;
                    return self.sign_chosen(arguments, &items.iter().collect::<Vec<_>>());
                }
                items.iter().collect()
            }
        };
        for item in &chosen {
            if let Some(warning) = &item.warning {
                terminal::print_note(&format!("{}: {warning}", item.address()));
            }
        }
        self.sign_chosen(arguments, &chosen)
    }

    /// Says that nothing is signed, because nobody can be asked.
    fn refuse_unasked(
        &self,
        arguments: &SignArguments,
        items: &[SignableItem],
    ) -> io::Result<ExitCode> {
        if !arguments.answer.json {
            let printer = self.printer(arguments.answer.color);
            terminal::print_text(&printer.signable_items(items))?;
        }
        // Where nobody may sign, no option helps.
        let none = SignCommand::Sign { items: Vec::new(), after: AfterSigning::NOTHING };
        let reply = self.call("sign", ItemCommand::Sign(none));
        if reply.reply_type() == ReplyType::Denied {
            return self.print_reply(&reply, &arguments.answer, Printer::outcome);
        }
        terminal::print_note("nothing was signed; name the items, or use `--all` or `--yes`");
        Ok(ExitCode::from(terminal::REFUSED))
    }

    /// Signs items. Whoever did not see their warnings with what differs has been told of them.
    fn sign_chosen(
        &self,
        arguments: &SignArguments,
        items: &[&SignableItem],
    ) -> io::Result<ExitCode> {
        for item in items.iter().filter(|item| item.digest.is_none()) {
            let why = item.unfit.as_deref().unwrap_or_default();
            terminal::print_note(&format!("{} cannot be signed: {why}", item.address()));
        }
        let has_unsignable = items.iter().any(|item| item.digest.is_none());
        let chosen = items.iter().filter_map(|item| parse_chosen(item)).collect::<Vec<_>>();
        if chosen.is_empty() && has_unsignable {
            return Ok(ExitCode::from(terminal::INVALID));
        }
        if chosen.is_empty() && !arguments.answer.json {
            terminal::print_line("Nothing was signed.")?;
            return Ok(ExitCode::from(terminal::REFUSED));
        }
        let after = arguments.after();
        let command = ItemCommand::Sign(SignCommand::Sign { items: chosen, after });
        let reply = self.call("sign", command);
        let ended = self.print_reply(&reply, &arguments.answer, Printer::signing_result)?;
        Ok(if has_unsignable { ExitCode::from(terminal::INVALID) } else { ended })
    }

    /// Offers to pin tools again whose lockfiles are stale now, or says how.
    fn offer_relock(&self, arguments: &SignArguments) -> io::Result<()> {
        let list = ItemCommand::Tool(ToolCommand::Lock(LockCommand::ListStale));
        let list = self.call("lock", list);
        if list.reply_type() != ReplyType::Success {
            return Ok(());
        }
        let stale = ReplyView::<StaleLocks>::read(&list)?.data.stale;
        let Some(question) = relock_question(&stale) else { return Ok(()) };
        if terminal::can_ask() && terminal::ask_yes_or_no(&question)? {
            self.relock(arguments)?;
            return Ok(());
        }
        for lock in &stale {
            terminal::print_note(&format!("{} is pinned as it was: {}", lock.tool, lock.fix));
        }
        Ok(())
    }

    /// Pins tools again whose lockfiles are stale, and signs nothing else.
    fn relock(&self, arguments: &SignArguments) -> io::Result<ExitCode> {
        let after = AfterSigning { relocking: Relocking::Follow, ..arguments.after() };
        let sign = ItemCommand::Sign(SignCommand::Sign { items: Vec::new(), after });
        self.call_and_print("sign", sign, &arguments.answer, Printer::signing_result)
    }

    /// Verifies items, and writes the findings to a file if one is given.
    fn verify(&self, arguments: &VerifyArguments) -> io::Result<ExitCode> {
        let selection = match arguments.selection.selection(SelectedItems::All) {
            Ok(selection) => selection,
            Err(error) => return Ok(terminal::print_failure(&error, terminal::USAGE)),
        };
        let (admins, least_serial) = (arguments.admin.clone(), arguments.min_serial);
        let minimum_versions = match read_minimum_versions(arguments.min_version_file.as_ref()) {
            Ok(versions) => versions,
            Err(error) => return Ok(terminal::print_failure(&error, terminal::USAGE)),
        };
        let verify =
            VerifyCommand { selection, admins, minimum_serial: least_serial, minimum_versions };
        let reply = self.call("verify", ItemCommand::Verify(verify));
        if let Some(file) = &arguments.sarif {
            let text = format!("{:#}\n", sarif::report(&reply)?);
            if let Err(error) = mere_engine::write_file(file, text.as_bytes()) {
                return Ok(terminal::print_failure(
                    &format!("the findings cannot be written: {error}"),
                    terminal::BROKEN,
                ));
            }
        }
        if arguments.if_space && reply.code() == codes::VERIFY_NO_SPACE.id() {
            return Ok(ExitCode::SUCCESS);
        }
        let is_success = reply.reply_type() == ReplyType::Success;
        if is_success && arguments.selection.staged && !arguments.answer.json {
            // Nothing is printed for a commit that touches no item.
            let verification = ReplyView::<Verification>::read(&reply)?.data;
            if verification.checked == 0 {
                return Ok(ExitCode::SUCCESS);
            }
        }
        self.print_reply(&reply, &arguments.answer, Printer::verification)
    }

    fn draft_or_edit(&self, arguments: EditArguments, how: WorkMode) -> io::Result<ExitCode> {
        let (kind, item) = (arguments.item.kind.kind, arguments.item.item);
        let tool = match how {
            WorkMode::Draft => "draft",
            WorkMode::Edit => "edit",
        };
        let work = ItemWork { kind, item, source: arguments.source.source(), mode: how };
        loop {
            let command = ItemCommand::Work(work.clone());
            let reply = self.call_with_turn(tool, command, KeyboardTurn::with_own_terminal);
            let ended = self.print_reply(&reply, &arguments.answer, Printer::outcome)?;
            // What the editor left is not an item. It is a draft now, so that nothing is lost.
            let is_fault = how == WorkMode::Edit && reply.code() == codes::ITEM_FAULTY.id();
            if !is_fault || arguments.answer.json || !terminal::ask_yes_or_no(REOPEN_QUESTION)? {
                return Ok(ended);
            }
        }
    }
}

/// Asks whether tools are to be pinned again; `None` if none has to be.
fn relock_question(stale: &[StaleLock]) -> Option<String> {
    match stale {
        [] => None,
        [one] => Some(format!("{} is pinned as it was. Pin it as it is now?", one.tool)),
        many => {
            let count = many.len();
            Some(format!("{count} tools are pinned as they were. Pin them as they are now?"))
        }
    }
}

/// Reads the file of minimum versions, if there is one.
fn read_minimum_versions(file: Option<&TypedPath>) -> Result<BTreeMap<ItemName, Version>, String> {
    let Some(file) = file else { return Ok(BTreeMap::new()) };
    let unusable = |cause: String| format!("the file of minimum versions cannot be used: {cause}");
    let bytes = mere_engine::read_file(file, None, MAX_MINIMUM_VERSIONS_BYTES);
    let bytes = bytes.map_err(|error| unusable(error.to_string()))?;
    let too_large = || unusable(format!("it is larger than {MAX_MINIMUM_VERSIONS_BYTES} bytes"));
    let versions = parse_minimum_versions(&bytes.ok_or_else(too_large)?);
    versions.map_err(|error| unusable(error.to_string()))
}

/// Parses an item that can be signed: one with an address and the digest that was shown.
pub(crate) fn parse_chosen(item: &SignableItem) -> Option<ShownItem> {
    let address = item.address().parse::<Address>().ok()?;
    Some(ShownItem { address, digest: item.digest.as_ref()?.parse().ok()? })
}

/// Says that nothing has to be signed, and how many items could be.
fn nothing_to_sign(unsigned: u64) -> String {
    match unsigned {
        0 => "There is nothing to sign.".to_owned(),
        _ => format!("Nothing has to be signed. {}", permitted_unsigned(unsigned)),
    }
}

/// Says how many items are signed by keys that do not count, and where they are looked at.
fn signed_by_strangers(count: u64) -> String {
    match count {
        1 => {
            "1 item is signed by a key that does not count here: `mere review` shows it".to_owned()
        }
        _ => format!(
            "{count} items are signed by keys that do not count here: `mere review` shows them"
        ),
    }
}

/// Says how many items are unsigned without having to be signed, and how to sign them.
fn permitted_unsigned(unsigned: u64) -> String {
    let (are, them) = if unsigned == 1 { ("item is", "it") } else { ("items are", "them") };
    format!(
        "{unsigned} {are} unsigned, which is permitted here: `mere sign --all` shows {them} and \
         signs {them}, and `mere sign TYPE ID` signs one."
    )
}
