//! `mere grant`, `mere grants` and `mere revoke`, and the question that `mere run` asks before a tool
//! is given something for the first time.

use std::io;
use std::process::ExitCode;

use mere_core::gate::Cleared;
use mere_core::item::{ItemRef, ProjectAccess};
use mere_core::reply::{ReplyType, codes};
use mere_core::request::{GrantTool, ItemCommand, ToolCommand};

use crate::arguments::{ColourArgument, GrantArguments, GrantsArguments, RevokeArguments};
use crate::commands::person_session::PersonSession;
use crate::print::grants::{GrantOutcome, MissingGrants, RequestedPermissions};
use crate::print::reply::ReplyView;
use crate::print::{Printer, terminal};

impl PersonSession {
    /// Grants what was named, or shows what a tool asks for and asks the person.
    pub(crate) fn grant(
        &self,
        arguments: &GrantArguments,
        project: Option<ProjectAccess>,
    ) -> io::Result<ExitCode> {
        let request = arguments.to_request(project);
        let is_question = request.grant.is_empty() && !arguments.answer.json;
        let mut reply = self.call_grant(request);
        let mut is_refused = false;
        if is_question && reply.reply_type() == ReplyType::Success {
            let view = ReplyView::<GrantOutcome>::read(&reply)?;
            is_refused = !view.data.missing.is_empty();
            if terminal::can_ask() && self.ask_for_grant(&arguments.item, &view.data.missing)? {
                is_refused = false;
                reply = self.call_grant(view.data.missing.to_request(&arguments.item)?);
            }
        }
        let ended = self.print_reply(&reply, &arguments.answer, Printer::grant)?;
        Ok(if is_refused { ExitCode::from(terminal::REFUSED) } else { ended })
    }

    /// Asks whether a tool is granted what it lacks. Nothing that is missing needs no question.
    fn ask_for_grant(&self, tool: &ItemRef, missing: &RequestedPermissions) -> io::Result<bool> {
        if missing.is_empty() {
            return Ok(false);
        }
        let printer = self.printer(ColourArgument::Auto);
        terminal::print_error_text(&printer.grant_question(tool, missing));
        terminal::ask_yes_or_no("Grant this to the tool as it is now, in this project?")
    }

    fn call_grant(&self, request: GrantTool) -> Cleared {
        self.call("grant", ItemCommand::Tool(ToolCommand::Grant(request)))
    }

    /// Lists what was granted in this project.
    pub(crate) fn list_grants(&self, arguments: &GrantsArguments) -> io::Result<ExitCode> {
        let list = ItemCommand::Tool(ToolCommand::ListGrants);
        self.call_and_print("grants", list, &arguments.answer, Printer::grants)
    }

    /// Takes back what was granted to a tool.
    pub(crate) fn revoke(&self, arguments: RevokeArguments) -> io::Result<ExitCode> {
        let revoke = ItemCommand::Tool(ToolCommand::Revoke { item: arguments.item });
        self.call_and_print("revoke", revoke, &arguments.answer, Printer::outcome)
    }

    /// Asks the person at the terminal for what a refused run lacks. Returns whether the run can be
    /// tried again.
    pub(crate) fn grant_what_is_missing(
        &self,
        tool: &ItemRef,
        reply: &Cleared,
    ) -> io::Result<bool> {
        if reply.code() != codes::RUN_UNGRANTED.id() || !terminal::can_ask() {
            return Ok(false);
        }
        // A refusal for another reason names nothing that could be granted.
        let Ok(view) = ReplyView::<MissingGrants>::read(reply) else { return Ok(false) };
        let missing = view.data.missing;
        if !self.ask_for_grant(tool, &missing)? {
            return Ok(false);
        }
        let reply = self.call_grant(missing.to_request(tool)?);
        let is_granted = reply.reply_type() == ReplyType::Success;
        if !is_granted {
            terminal::print_refusal(&reply)?;
        }
        Ok(is_granted)
    }
}
