//! `mere workspace`: lists the agents' workspaces, and empties them after asking.

use std::io;
use std::process::ExitCode;

use mere_core::reply::ReplyType;
use mere_core::request::{DryRun, ItemCommand, WorkspaceCommand};

use crate::arguments::{CleanArguments, WorkspaceArguments, WorkspaceCommandArguments};
use crate::commands::person_session::{PersonSession, report_refusal};
use crate::print::reply::ReplyView;
use crate::print::workspaces::CleanedWorkspaces;
use crate::print::{Printer, terminal};

const TOOL: &str = "workspace";

impl PersonSession {
    pub(crate) fn run_workspace(&self, arguments: WorkspaceArguments) -> io::Result<ExitCode> {
        match arguments.what {
            WorkspaceCommandArguments::List(answer) => {
                let list = ItemCommand::Workspace(WorkspaceCommand::List);
                self.call_and_print(TOOL, list, &answer, Printer::workspaces)
            }
            WorkspaceCommandArguments::Clean(arguments) => self.clean_workspaces(&arguments),
        }
    }

    fn clean_workspaces(&self, arguments: &CleanArguments) -> io::Result<ExitCode> {
        let clean = |dry_run| {
            let agent = arguments.agent.clone();
            ItemCommand::Workspace(WorkspaceCommand::Clean { agent, dry_run })
        };
        let answer = &arguments.answer;
        if arguments.yes {
            return self.call_and_print(
                TOOL,
                clean(DryRun::No),
                answer,
                Printer::cleaned_workspaces,
            );
        }
        let plan = self.call(TOOL, clean(DryRun::Yes));
        if arguments.dry_run || plan.reply_type() != ReplyType::Success {
            return self.print_reply(&plan, answer, Printer::cleaned_workspaces);
        }
        let view = ReplyView::<CleanedWorkspaces>::read(&plan)?;
        if view.data.files == 0 {
            return self.print_reply(&plan, answer, Printer::cleaned_workspaces);
        }
        if !answer.json {
            terminal::print_text(&self.printer(answer.color).cleaned_workspaces(&view))?;
        }
        if !terminal::can_ask() || !terminal::ask_yes_or_no("Delete this?")? {
            return Ok(report_refusal("nothing was deleted", "use `--yes`"));
        }
        // A person who was asked has seen the list.
        self.call_and_print(TOOL, clean(DryRun::No), answer, Printer::outcome)
    }
}
