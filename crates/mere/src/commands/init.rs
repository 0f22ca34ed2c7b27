//! `mere init`. Over a folder that has items already it first shows them, asks, and offers to sign
//! them. Signatures are required only after that, because agents cannot use unsigned items then.

use std::io;
use std::process::ExitCode;

use mere_core::reply::ReplyType;
use mere_core::request::{
    AfterSigning, InitSpace, ItemCommand, ItemSelection, SelectedItems, SignCommand, SignatureRule,
    StarterItems,
};

use crate::arguments::{InitArguments, LocationArguments};
use crate::commands::connect;
use crate::commands::person_session::{PersonSession, report_refusal};
use crate::commands::sign_questions::{AcceptingAll, ask_each};
use crate::commands::signing::parse_chosen;
use crate::print::reply::ReplyView;
use crate::print::signing::SigningPlan;
use crate::print::spaces::InitPreview;
use crate::print::{Printer, terminal};

/// Asks whether the person wants to see and sign what is there.
const SIGN_QUESTION: &str = "Review and sign the unsigned items now? Agents may then use only \
    signed directives, tools and lockfiles.";

impl PersonSession {
    /// Creates a space, and offers to connect a client to a new one.
    pub(crate) fn init(
        &self,
        arguments: &InitArguments,
        location: &LocationArguments,
    ) -> io::Result<ExitCode> {
        let scope = arguments.scope();
        let preview = self.call("init", ItemCommand::PreviewInit { scope });
        // A folder that cannot be looked through gets the same answer from the command itself.
        if preview.reply_type() != ReplyType::Success {
            return self.create_space(arguments, arguments.to_request());
        }
        let preview = ReplyView::<InitPreview>::read(&preview)?;
        let is_space = preview.data.is_space;
        if preview.data.is_empty() && !is_space {
            let ended = self.create_space(arguments, arguments.to_request())?;
            let can_ask = !arguments.answer.json && terminal::can_ask();
            if can_ask && ended == ExitCode::SUCCESS {
                connect::offer(location)?;
            }
            return Ok(ended);
        }
        if preview.data.is_empty() || is_space && !arguments.require_signed {
            return self.create_space(arguments, arguments.to_request());
        }
        // A folder with items of its own needs no examples.
        let space = InitSpace { example: StarterItems::None, ..arguments.to_request() };
        let not_required = InitSpace { signatures: SignatureRule::NotRequired, ..space };
        if !arguments.answer.json {
            let printer = self.printer(arguments.answer.color);
            terminal::print_text(&printer.init_preview(&preview))?;
        }
        if arguments.answer.json || !terminal::can_ask() {
            let space = if arguments.require_signed { space } else { not_required };
            return self.create_space(arguments, space);
        }
        if !is_space
            && !terminal::ask_yes_or_no("Make this folder a space? Your files stay as they are.")?
        {
            return Ok(report_refusal("nothing was changed", "answer `y`"));
        }
        if preview.data.to_sign > 0 && !terminal::ask_yes_or_no(SIGN_QUESTION)? {
            return self.create_space(arguments, not_required);
        }
        self.sign_and_require(arguments, (space, preview.data))
    }

    fn create_space(&self, arguments: &InitArguments, space: InitSpace) -> io::Result<ExitCode> {
        let init = ItemCommand::Init(space);
        self.call_and_print("init", init, &arguments.answer, Printer::new_space)
    }

    /// Creates the space, lets the person sign what is unsigned, and requires signatures if agents
    /// can still use everything then.
    fn sign_and_require(
        &self,
        arguments: &InitArguments,
        (space, preview): (InitSpace, InitPreview),
    ) -> io::Result<ExitCode> {
        if !preview.is_space {
            let unruled = InitSpace { signatures: SignatureRule::AfterSigning, ..space };
            let ended = self.create_space(arguments, unruled)?;
            if ended != ExitCode::SUCCESS {
                return Ok(ended);
            }
        }
        let signed = match preview.to_sign {
            0 => ExitCode::SUCCESS,
            _ => self.sign_existing(arguments)?,
        };
        let required = InitSpace { signatures: SignatureRule::Required, ..space };
        let init = ItemCommand::Init(required);
        let ruled = self.call_and_print("init", init, &arguments.answer, Printer::outcome)?;
        // A new space is a success, whatever the person wants to sign of it.
        let wants_rule = preview.is_space || arguments.require_signed;
        Ok(if wants_rule && signed == ExitCode::SUCCESS { ruled } else { signed })
    }

    /// Shows each unsigned item, and signs those that the person accepts.
    fn sign_existing(&self, arguments: &InitArguments) -> io::Result<ExitCode> {
        let selection = ItemSelection {
            kind: None,
            scope: Some(arguments.scope()),
            which: SelectedItems::Unsigned,
        };
        let plan = self.call("sign", ItemCommand::Sign(SignCommand::Plan(selection)));
        if plan.reply_type() != ReplyType::Success {
            return self.print_reply(&plan, &arguments.answer, Printer::outcome);
        }
        let plan = ReplyView::<SigningPlan>::read(&plan)?;
        terminal::print_note(
            "signatures are required after the last question; until then agents use every item",
        );
        let signed = ask_each(
            &self.printer(arguments.answer.color),
            &plan.data.items,
            AcceptingAll::Offered,
            |item| {
                let items = parse_chosen(item).into_iter().collect();
                let sign =
                    ItemCommand::Sign(SignCommand::Sign { items, after: AfterSigning::NOTHING });
                self.call_and_print("sign", sign, &arguments.answer, Printer::signing_result)
            },
        )?;
        Ok(signed.unwrap_or_else(|| {
            terminal::print_note("nothing was signed");
            ExitCode::SUCCESS
        }))
    }
}
