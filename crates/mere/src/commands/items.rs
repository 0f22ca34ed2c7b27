//! `mere list` and `show`, and the commands that create, copy, move, rename and delete items
//! or explain which one a name means.

use std::io;
use std::process::ExitCode;

use mere_core::reply::ReplyType;
use mere_core::request::{Execute, ItemAction, ItemCommand, ItemVerb, Load, SignCommand};

use crate::arguments::{DeleteArguments, ItemSubcommand, ListArguments, ShowArguments};
use crate::commands::person_session::{PersonSession, report_refusal};
use crate::print::items::WITHHELD_ITEM;
use crate::print::outcome::SubjectAddress;
use crate::print::reply::ReplyView;
use crate::print::{Printer, terminal};

impl PersonSession {
    /// Lists items.
    pub(crate) fn list(&self, arguments: &ListArguments) -> io::Result<ExitCode> {
        let list = ItemCommand::List(arguments.to_request());
        let show = if arguments.names_type() { Printer::items } else { Printer::item_overview };
        self.call_and_print("list", list, &arguments.answer, show)
    }

    /// Shows an item.
    pub(crate) fn show(&self, arguments: ShowArguments) -> io::Result<ExitCode> {
        let load = Load {
            kind: arguments.item.kind.kind,
            item: arguments.item.item,
            source: arguments.source.source(),
            destination: None,
            version: None,
            relationships: None,
        };
        let reply = self.call("show", ItemVerb::Load(load));
        if WITHHELD_ITEM.contains(&reply.code()) && !arguments.answer.json {
            let item = ReplyView::read(&reply)?;
            let printer = self.printer(arguments.answer.color);
            terminal::print_text(&printer.withheld_item(&item))?;
        }
        self.print_reply(&reply, &arguments.answer, Printer::item)
    }

    /// Runs a command that changes one item, or explains which one a name means.
    pub(crate) fn change(&self, command: ItemSubcommand) -> io::Result<ExitCode> {
        match command {
            ItemSubcommand::New(arguments) => {
                let new = arguments.to_request();
                self.call_and_print("new", new, &arguments.answer, Printer::written_item)
            }
            ItemSubcommand::Copy(arguments) => {
                let copy = arguments.to_request();
                self.call_and_print("copy", copy, &arguments.answer, Printer::written_item)
            }
            ItemSubcommand::Move(arguments) => {
                let relocate = arguments.to_request();
                self.call_and_print("move", relocate, &arguments.answer, Printer::relocation)
            }
            ItemSubcommand::Rename(arguments) => {
                let rename = arguments.to_request();
                self.call_and_print("rename", rename, &arguments.answer, Printer::relocation)
            }
            ItemSubcommand::Delete(arguments) => self.delete(&arguments),
            ItemSubcommand::Export(arguments) => {
                let export = arguments.to_request();
                self.call_and_print("export", export, &arguments.answer, Printer::exported)
            }
            ItemSubcommand::Log(arguments) => {
                let (kind, item) = (arguments.item.kind.kind, arguments.item.item);
                let log = SignCommand::Log { kind, item, source: arguments.source.source() };
                let log = ItemCommand::Sign(log);
                self.call_and_print("log", log, &arguments.answer, Printer::signature_log)
            }
            ItemSubcommand::Why(arguments) => {
                let (kind, item) = (arguments.item.kind.kind, arguments.item.item);
                let why = ItemCommand::Why { kind, item };
                self.call_and_print("why", why, &arguments.answer, Printer::candidates)
            }
        }
    }

    /// Shows what would be deleted, asks, and deletes exactly that.
    fn delete(&self, arguments: &DeleteArguments) -> io::Result<ExitCode> {
        let delete = Execute {
            kind: arguments.item.kind.kind,
            item: arguments.item.item.clone(),
            source: arguments.source.source(),
            action: ItemAction::Delete { expect: None },
            dry_run: false,
        };
        if !arguments.yes {
            let plan = Execute { dry_run: true, ..delete.clone() };
            let plan = self.call("delete", ItemVerb::Execute(plan));
            if plan.reply_type() != ReplyType::Success {
                return self.print_reply(&plan, &arguments.answer, Printer::outcome);
            }
            let address = ReplyView::<SubjectAddress>::read(&plan)?.data.address;
            if !terminal::ask_yes_or_no(&format!("Delete {address}?"))? {
                return Ok(report_refusal(&format!("{address} was not deleted"), "use `--yes`"));
            }
        }
        let delete = ItemVerb::Execute(delete);
        self.call_and_print("delete", delete, &arguments.answer, Printer::outcome)
    }
}
