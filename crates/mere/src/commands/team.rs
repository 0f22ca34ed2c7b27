//! `mere team`, `join` and `leave`.
//!
//! What is signed or joined is exactly what was shown, identified by its digest.

use std::io;
use std::process::ExitCode;

use mere_core::digest::Sha256;
use mere_core::gate::Cleared;
use mere_core::reply::{ReplyType, codes};
use mere_core::request::{ItemCommand, JoinCommand, JoinConsent, TeamCommand};

use crate::arguments::{
    AnswerArguments, JoinArguments, LeaveArguments, RemoveMemberArguments, TeamArguments,
    TeamCommandArguments, TeamSignArguments,
};
use crate::commands::person_session::{PersonSession, report_refusal};
use crate::commands::signing::parse_chosen;
use crate::print::reply::ReplyView;
use crate::print::signing::{SignableItem, SigningPlan};
use crate::print::team::Roster;
use crate::print::{Printer, terminal};

const TOOL: &str = "team";
const JOIN: &str = "join";

/// Which of a removed member's items the person countersigns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Countersigning {
    All,
    Nothing,
}

impl PersonSession {
    pub(crate) fn run_team(&self, arguments: TeamArguments) -> io::Result<ExitCode> {
        let (command, answer) = match arguments.what {
            TeamCommandArguments::Init(arguments) => {
                (TeamCommand::Init(arguments.to_team()), arguments.answer)
            }
            TeamCommandArguments::Add(arguments) => {
                (TeamCommand::Add(Box::new(arguments.to_member())), arguments.answer)
            }
            TeamCommandArguments::Threshold { admins, answer } => {
                (TeamCommand::Threshold(admins.into()), answer)
            }
            TeamCommandArguments::Require { types, answer } => {
                let types = types.into_iter().map(|one| one.kind).collect();
                (TeamCommand::Require(types), answer)
            }
            TeamCommandArguments::Rotate { proof, answer } => {
                (TeamCommand::Rotate { proof: proof.into() }, answer)
            }
            TeamCommandArguments::Restore(answer) => (TeamCommand::Restore, answer),
            TeamCommandArguments::Show(answer) => {
                let show = ItemCommand::Team(TeamCommand::Show);
                return self.call_and_print(TOOL, show, &answer, Printer::team);
            }
            TeamCommandArguments::Remove(arguments) => return self.remove_member(&arguments),
            TeamCommandArguments::Sign(arguments) => return self.sign_team(&arguments),
        };
        self.call_and_print(TOOL, ItemCommand::Team(command), &answer, Printer::outcome)
    }

    /// Shows the items that only this member signed, asks whether to countersign them, and removes
    /// the member.
    fn remove_member(&self, arguments: &RemoveMemberArguments) -> io::Result<ExitCode> {
        let member = arguments.member.clone();
        let preview = TeamCommand::PreviewRemoval { member: member.clone() };
        let preview = self.call(TOOL, ItemCommand::Team(preview));
        if preview.reply_type() != ReplyType::Success {
            return self.print_reply(&preview, &arguments.answer, Printer::outcome);
        }
        let items = ReplyView::<SigningPlan>::read(&preview)?.data.items;
        let Some(vouches) = self.ask_countersigning(&items, arguments)? else {
            return Ok(report_refusal("nobody was removed", "use `--countersign`"));
        };
        let countersign = if vouches == Countersigning::All { &items[..] } else { &[] };
        let countersign = countersign.iter().filter_map(parse_chosen).collect();
        let remove = ItemCommand::Team(TeamCommand::Remove { member, countersign });
        self.call_and_print(TOOL, remove, &arguments.answer, Printer::member_removal)
    }

    /// Asks whether the person countersigns items that nobody else would vouch for. Returns `None`
    /// if they would rather remove nobody.
    fn ask_countersigning(
        &self,
        items: &[SignableItem],
        arguments: &RemoveMemberArguments,
    ) -> io::Result<Option<Countersigning>> {
        if arguments.countersign {
            return Ok(Some(Countersigning::All));
        }
        if items.is_empty() || arguments.answer.json {
            return Ok(Some(Countersigning::Nothing));
        }
        let printer = self.printer(arguments.answer.color);
        terminal::print_line("Nobody else has signed:")?;
        terminal::print_text(&printer.signable_items(items))?;
        if !terminal::can_ask() {
            terminal::print_note("they no longer count; `--countersign` would add your signature");
            return Ok(Some(Countersigning::Nothing));
        }
        let question = "Remove the member and [c]ountersign these items (which you have read), remove the member and [l]et the items lapse, or [q]uit?";
        Ok(match terminal::ask_choice(question, &['c', 'l', 'q'])? {
            'c' => Some(Countersigning::All),
            'l' => Some(Countersigning::Nothing),
            _ => None,
        })
    }

    fn sign_team(&self, arguments: &TeamSignArguments) -> io::Result<ExitCode> {
        let plan = ItemCommand::Team(TeamCommand::Sign { shown_digest: None });
        let plan = self.call(TOOL, plan);
        let Some((plan, shown)) = read_plan(&plan)? else {
            return self.print_reply(&plan, &arguments.answer, Printer::outcome);
        };
        let question = "Sign it?";
        if !arguments.yes && !self.show_and_ask(&plan, &arguments.answer, question)? {
            return Ok(report_refusal("nothing was signed", "use `--yes`"));
        }
        let sign = ItemCommand::Team(TeamCommand::Sign { shown_digest: Some(shown) });
        self.call_and_print(TOOL, sign, &arguments.answer, Printer::outcome)
    }

    /// Shows the roster, asks, and pins exactly what was shown.
    pub(crate) fn join(&self, arguments: &JoinArguments) -> io::Result<ExitCode> {
        let plan = self.call(JOIN, ItemCommand::Join(JoinCommand::Show));
        let is_over = plan.code() == codes::JOIN_AGAIN.id();
        let Some((plan, shown)) = read_plan(&plan)?.filter(|_| !is_over) else {
            return self.print_reply(&plan, &arguments.answer, Printer::outcome);
        };
        let question = "Should these admins decide who signs here? Compare their fingerprints with somebody you trust.";
        let consent = match (arguments.admin.is_empty(), arguments.yes) {
            (false, _) => JoinConsent::Admins(arguments.admin.clone()),
            (true, true) => JoinConsent::Unchecked,
            (true, false) if self.show_and_ask(&plan, &arguments.answer, question)? => {
                JoinConsent::Asked
            }
            (true, false) => {
                return Ok(report_refusal(
                    "you did not join the team",
                    "use `--admin SHA256:…` or `--yes`",
                ));
            }
        };
        let pin = ItemCommand::Join(JoinCommand::Join { shown_digest: shown, consent });
        self.call_and_print(JOIN, pin, &arguments.answer, Printer::outcome)
    }

    pub(crate) fn leave(&self, arguments: &LeaveArguments) -> io::Result<ExitCode> {
        let question = "Forget the team of this project?";
        let agrees = arguments.yes || terminal::can_ask() && terminal::ask_yes_or_no(question)?;
        if !agrees {
            return Ok(report_refusal("nothing was changed", "use `--yes`"));
        }
        self.call_and_print(
            "leave",
            ItemCommand::Join(JoinCommand::Leave),
            &arguments.answer,
            Printer::outcome,
        )
    }

    /// Shows a roster and asks. If nobody can be asked, the answer is no.
    fn show_and_ask(
        &self,
        plan: &ReplyView<Roster>,
        answer: &AnswerArguments,
        question: &str,
    ) -> io::Result<bool> {
        let printer = self.printer(answer.color);
        if !answer.json {
            terminal::print_text(&printer.roster_plan(plan))?;
        }
        Ok(terminal::can_ask() && terminal::ask_yes_or_no(question)?)
    }
}

/// Reads a plan, with the digest of what it shows. Returns `None` if the reply is not a plan.
fn read_plan(plan: &Cleared) -> io::Result<Option<(ReplyView<Roster>, Sha256)>> {
    if plan.reply_type() != ReplyType::Success {
        return Ok(None);
    }
    let plan = ReplyView::<Roster>::read(plan)?;
    let digest = plan.data.digest.parse().ok();
    Ok(digest.map(|digest| (plan, digest)))
}
