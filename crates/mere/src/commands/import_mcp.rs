//! `mere import-mcp`: adds a server, shows what it says about its tools, and has them written.

use std::io;
use std::process::ExitCode;

use mere_core::gate::Cleared;
use mere_core::reply::{ReplyType, codes};
use mere_core::request::{ImportStep, ItemCommand, ToolCommand};

use crate::arguments::ImportMcpArguments;
use crate::commands::person_session::{PersonSession, report_refusal};
use crate::print::imports::ImportedTools;
use crate::print::reply::ReplyView;
use crate::print::{Printer, terminal};

impl PersonSession {
    /// Imports the tools of a server.
    pub(crate) fn import_mcp(&self, arguments: &ImportMcpArguments) -> io::Result<ExitCode> {
        match arguments.server_step() {
            Err(error) => return Ok(terminal::print_failure(&error, terminal::USAGE)),
            Ok(None) => {}
            Ok(Some(step)) => {
                let reply = self.call_import(arguments, step);
                if reply.reply_type() != ReplyType::Success {
                    return self.print_reply(&reply, &arguments.answer, Printer::outcome);
                }
            }
        }
        let mut plan = self.call_import(arguments, ImportStep::Plan);
        if self.grant_what_is_missing(&arguments.server, &plan)? {
            plan = self.call_import(arguments, ImportStep::Plan);
        }
        if plan.code() != codes::IMPORT_PLAN.id() {
            return self.report_silent_server(&plan, arguments);
        }
        let view = ReplyView::<ImportedTools>::read(&plan)?;
        if !arguments.answer.json {
            let printer = self.printer(arguments.answer.color);
            terminal::print_text(&printer.import_plan(&view))?;
        }
        let digest = view.data.digest.as_deref().and_then(|text| text.parse().ok());
        let Some(shown) = digest.filter(|_| view.data.has_changes()) else {
            return self.print_reply(&plan, &arguments.answer, Printer::imported);
        };
        let question = "Write these tools, and sign them?";
        let is_wanted = arguments.yes || terminal::can_ask() && terminal::ask_yes_or_no(question)?;
        if !is_wanted {
            return Ok(report_refusal("nothing was written", "`--yes` writes them"));
        }
        let reply = self.call_import(arguments, ImportStep::Write { shown });
        self.print_reply(&reply, &arguments.answer, Printer::imported)
    }

    fn call_import(&self, arguments: &ImportMcpArguments, step: ImportStep) -> Cleared {
        let request = arguments.to_request(step);
        self.call("import-mcp", ItemCommand::Tool(ToolCommand::ImportMcp(request)))
    }

    /// Reports that a server did not list its tools.
    fn report_silent_server(
        &self,
        reply: &Cleared,
        arguments: &ImportMcpArguments,
    ) -> io::Result<ExitCode> {
        if reply.reply_type() != ReplyType::Success {
            return self.print_reply(reply, &arguments.answer, Printer::outcome);
        }
        if arguments.answer.json {
            terminal::print_reply(reply)?;
        } else {
            let printer = self.printer(arguments.answer.color);
            let view = ReplyView::read(reply)?;
            terminal::print_error_text(&printer.silent_server(&view));
        }
        Ok(ExitCode::from(terminal::TOOL_FAILED))
    }
}
