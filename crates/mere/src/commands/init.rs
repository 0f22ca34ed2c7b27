//! `mere init`. Over a folder that has items already it first shows them, asks, and offers to sign
//! them, because agents could not use them unsigned.

use std::io;
use std::process::ExitCode;

use mere_core::reply::ReplyType;
use mere_core::request::{
    GitStaging, InitSpace, ItemCommand, ItemSelection, SelectedItems, SignCommand, SignatureRule,
    StarterItems,
};

use crate::arguments::InitArguments;
use crate::commands::person_session::{PersonSession, report_refusal};
use crate::commands::signing::{ask_each, parse_chosen};
use crate::print::reply::ReplyView;
use crate::print::signing::SigningPlan;
use crate::print::spaces::InitPreview;
use crate::print::{Printer, terminal};

impl PersonSession {
    /// Creates a space.
    pub(crate) fn init(&self, arguments: &InitArguments) -> io::Result<ExitCode> {
        let scope = arguments.scope();
        let preview = self.call("init", ItemCommand::PreviewInit { scope });
        // A folder that cannot be looked through gets the same answer from the command itself.
        if preview.reply_type() != ReplyType::Success {
            return self.create_space(arguments, arguments.to_request());
        }
        let preview = ReplyView::<InitPreview>::read(&preview)?;
        if preview.data.is_space || preview.data.is_empty() {
            return self.create_space(arguments, arguments.to_request());
        }
        // A folder with items of its own needs no examples.
        let required = InitSpace { example: StarterItems::None, ..arguments.to_request() };
        let not_required = InitSpace { signatures: SignatureRule::NotRequired, ..required };
        if !arguments.answer.json {
            let printer = self.printer(arguments.answer.color);
            terminal::print_text(&printer.init_preview(&preview))?;
        }
        if arguments.answer.json || !terminal::can_ask() {
            return self.create_space(arguments, not_required);
        }
        if !terminal::ask_yes_or_no("Make this folder a space? Your files stay as they are.")? {
            return Ok(report_refusal("nothing was changed", "answer `y`"));
        }
        let signs = preview.data.unsigned == 0
            || terminal::ask_yes_or_no(
                "Review and sign the unsigned items now? Agents may then use only signed \
                 directives, tools and lockfiles.",
            )?;
        if !signs {
            return self.create_space(arguments, not_required);
        }
        let ended = self.create_space(arguments, required)?;
        if ended == ExitCode::SUCCESS && preview.data.unsigned > 0 {
            return self.sign_existing(arguments);
        }
        Ok(ended)
    }

    fn create_space(&self, arguments: &InitArguments, space: InitSpace) -> io::Result<ExitCode> {
        let init = ItemCommand::Init(space);
        self.call_and_print("init", init, &arguments.answer, Printer::new_space)
    }

    /// Shows each item that agents may not use without a signature, and signs those that the person
    /// accepts.
    fn sign_existing(&self, arguments: &InitArguments) -> io::Result<ExitCode> {
        let selection = ItemSelection {
            kind: None,
            scope: Some(arguments.scope()),
            which: SelectedItems::Unfinished,
        };
        let plan = self.call("sign", ItemCommand::Sign(SignCommand::Plan(selection)));
        if plan.reply_type() != ReplyType::Success {
            return self.print_reply(&plan, &arguments.answer, Printer::outcome);
        }
        let plan = ReplyView::<SigningPlan>::read(&plan)?;
        let chosen = ask_each(&self.printer(arguments.answer.color), &plan.data.items)?;
        let items = chosen.into_iter().filter_map(parse_chosen).collect::<Vec<_>>();
        if items.is_empty() {
            terminal::print_note("nothing was signed; `mere sign` asks again");
            return Ok(ExitCode::SUCCESS);
        }
        let sign = SignCommand::Sign { items, staging: GitStaging::Leave };
        let sign = ItemCommand::Sign(sign);
        self.call_and_print("sign", sign, &arguments.answer, Printer::signing_result)
    }
}
