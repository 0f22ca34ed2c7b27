//! `mere team`, `join` and `leave`.
//!
//! What is signed or joined is exactly what was shown, identified by its digest.

use std::io;
use std::process::ExitCode;

use mere_core::digest::Sha256;
use mere_core::gate::Cleared;
use mere_core::reply::{ReplyType, codes};
use mere_core::request::{JoinCommand, JoinConsent, PersonCommand, TeamCommand, Verb};
use serde_json::Value;

use crate::arguments::{
    AnswerArguments, JoinArguments, LeaveArguments, RemoveMemberArguments, TeamArguments,
    TeamCommandArguments, TeamSignArguments,
};
use crate::commands::items::PersonSession;
use crate::commands::signing::parse_chosen;
use crate::print::Printer;
use crate::print::terminal;

const TOOL: &str = "team";
const JOIN: &str = "join";

/// Which of a removed member's items the person countersigns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Countersigning {
    All,
    Nothing,
}

impl PersonSession {
    pub(crate) fn run_team(&self, asked: TeamArguments) -> io::Result<ExitCode> {
        let (command, answer) = match asked.what {
            TeamCommandArguments::Init(asked) => (TeamCommand::Init(asked.to_team()), asked.answer),
            TeamCommandArguments::Add(asked) => {
                (TeamCommand::Add(Box::new(asked.to_member())), asked.answer)
            }
            TeamCommandArguments::Threshold { admins, answer } => {
                (TeamCommand::Threshold(admins.into()), answer)
            }
            TeamCommandArguments::Require { types, answer } => {
                let types = types.into_iter().map(|one| one.kind).collect();
                (TeamCommand::Require(types), answer)
            }
            TeamCommandArguments::Restore(answer) => (TeamCommand::Restore, answer),
            TeamCommandArguments::Show(answer) => (TeamCommand::Show, answer),
            TeamCommandArguments::Remove(asked) => return self.remove_member(&asked),
            TeamCommandArguments::Sign(asked) => return self.sign_team(&asked),
        };
        let show = if command == TeamCommand::Show { Printer::team } else { Printer::team_change };
        self.run_command(TOOL, PersonCommand::Team(command), &answer, show)
    }

    /// Shows the items that only this member signed, asks whether to countersign them, and removes
    /// the member.
    fn remove_member(&self, asked: &RemoveMemberArguments) -> io::Result<ExitCode> {
        let member = asked.member.clone();
        let leaving = TeamCommand::PreviewRemoval { member: member.clone() };
        let leaving = self.call(TOOL, Verb::Person(PersonCommand::Team(leaving)));
        if leaving.reply_type() != ReplyType::Success {
            return self.print_reply(&leaving, &asked.answer, Printer::outcome);
        }
        let value = leaving.to_value();
        let items = value["data"]["items"].as_array().cloned().unwrap_or_default();
        let Some(vouches) = self.ask_countersigning(&items, asked)? else {
            return Ok(report_refusal("nobody was removed", "use `--countersign`"));
        };
        let countersign = if vouches == Countersigning::All { &items[..] } else { &[] };
        let countersign = countersign.iter().filter_map(parse_chosen).collect();
        let remove = PersonCommand::Team(TeamCommand::Remove { member, countersign });
        self.run_command(TOOL, remove, &asked.answer, Printer::team_change)
    }

    /// Asks whether the person countersigns items that nobody else would vouch for. Returns `None`
    /// if they would rather remove nobody.
    fn ask_countersigning(
        &self,
        items: &[Value],
        asked: &RemoveMemberArguments,
    ) -> io::Result<Option<Countersigning>> {
        if asked.countersign {
            return Ok(Some(Countersigning::All));
        }
        if items.is_empty() || asked.answer.json {
            return Ok(Some(Countersigning::Nothing));
        }
        let paper = Printer::new(asked.answer.color, self.session.working_address().cloned());
        terminal::print_line("Nobody else has signed:")?;
        terminal::print_text(&paper.signable_items(items))?;
        if !terminal::can_ask() {
            terminal::print_note("they no longer count; `--countersign` would add your signature");
            return Ok(Some(Countersigning::Nothing));
        }
        let question = "Remove the member and [c]ountersign these items (which you have read), \
            remove the member and [l]et the items lapse, or [q]uit?";
        Ok(match terminal::ask_choice(question, &['c', 'l', 'q'])? {
            'c' => Some(Countersigning::All),
            'l' => Some(Countersigning::Nothing),
            _ => None,
        })
    }

    fn sign_team(&self, asked: &TeamSignArguments) -> io::Result<ExitCode> {
        let plan = PersonCommand::Team(TeamCommand::Sign { shown_digest: None });
        let plan = self.call(TOOL, Verb::Person(plan));
        let Some(shown) = plan_digest(&plan) else {
            return self.print_reply(&plan, &asked.answer, Printer::outcome);
        };
        let question = "Sign it?";
        if !asked.yes && !self.show_and_ask(&plan, &asked.answer, question)? {
            return Ok(report_refusal("nothing was signed", "use `--yes`"));
        }
        let sign = PersonCommand::Team(TeamCommand::Sign { shown_digest: Some(shown) });
        self.run_command(TOOL, sign, &asked.answer, Printer::team_change)
    }

    /// Shows the roster, asks, and pins exactly what was shown.
    pub(crate) fn join(&self, asked: &JoinArguments) -> io::Result<ExitCode> {
        let plan = self.call(JOIN, Verb::Person(PersonCommand::Join(JoinCommand::Show)));
        let is_over = plan.code() == codes::JOIN_AGAIN.id();
        let Some(shown) = plan_digest(&plan).filter(|_| !is_over) else {
            return self.print_reply(&plan, &asked.answer, Printer::outcome);
        };
        let question = "Should these admins decide who signs here? Compare their fingerprints with \
            somebody you trust.";
        let consent = match (asked.admin.is_empty(), asked.yes) {
            (false, _) => JoinConsent::Admins(asked.admin.clone()),
            (true, true) => JoinConsent::Unchecked,
            (true, false) if self.show_and_ask(&plan, &asked.answer, question)? => {
                JoinConsent::Asked
            }
            (true, false) => {
                return Ok(report_refusal(
                    "you did not join the team",
                    "use `--admin SHA256:…` or `--yes`",
                ));
            }
        };
        let pin = PersonCommand::Join(JoinCommand::Join { shown_digest: shown, consent });
        self.run_command(JOIN, pin, &asked.answer, Printer::outcome)
    }

    pub(crate) fn leave(&self, asked: &LeaveArguments) -> io::Result<ExitCode> {
        let question = "Forget the team of this project?";
        let agrees = asked.yes || terminal::can_ask() && terminal::ask_yes_or_no(question)?;
        if !agrees {
            return Ok(report_refusal("nothing was changed", "use `--yes`"));
        }
        self.run_command(
            "leave",
            PersonCommand::Join(JoinCommand::Leave),
            &asked.answer,
            Printer::outcome,
        )
    }

    /// Shows a roster and asks. If nobody can be asked, the answer is no.
    fn show_and_ask(
        &self,
        plan: &Cleared,
        answer: &AnswerArguments,
        question: &str,
    ) -> io::Result<bool> {
        let paper = Printer::new(answer.color, self.session.working_address().cloned());
        if !answer.json {
            terminal::print_text(&paper.team(&plan.to_value()))?;
        }
        Ok(terminal::can_ask() && terminal::ask_yes_or_no(question)?)
    }
}

/// Returns the digest of what a plan shows, or `None` if the reply is not a plan.
fn plan_digest(plan: &Cleared) -> Option<Sha256> {
    let is_plan = plan.reply_type() == ReplyType::Success;
    plan.to_value()["data"]["digest"].as_str().filter(|_| is_plan)?.parse().ok()
}

/// Says that nothing was done, and which option answers when nobody can be asked.
pub(crate) fn report_refusal(words: &str, answers: &str) -> ExitCode {
    let nobody = format!("{words}; {answers} if nobody can be asked");
    terminal::print_note(if terminal::can_ask() { words } else { &nobody });
    ExitCode::from(terminal::REFUSED)
}
