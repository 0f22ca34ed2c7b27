//! `mere team`, `join` and `leave`: what is shown is what is signed, or joined.

use std::io;
use std::process::ExitCode;

use mere_core::digest::Sha256;
use mere_core::gate::Cleared;
use mere_core::reply::{ReplyType, codes};
use mere_core::request::{JoinCommand, JoinConsent, PersonCommand, TeamCommand, Verb};
use serde_json::Value;

use crate::arguments::{
    AnswerArguments, JoinArguments, LeaveArguments, RemoveArguments, TeamArguments,
    TeamCommandArguments, TeamSignArguments,
};
use crate::items::Desk;
use crate::paper::Paper;
use crate::render;
use crate::signing::chosen;

const TOOL: &str = "team";
const JOIN: &str = "join";

/// For which of a member's items the person vouches from now on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Vouches {
    ForAll,
    ForNone,
}

impl Desk {
    pub(crate) fn team(&self, asked: TeamArguments) -> io::Result<ExitCode> {
        let (command, answer) = match asked.what {
            TeamCommandArguments::Init(asked) => (TeamCommand::Init(asked.team()), asked.answer),
            TeamCommandArguments::Add(asked) => {
                (TeamCommand::Add(Box::new(asked.member())), asked.answer)
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
        let show = if command == TeamCommand::Show { Paper::team } else { Paper::team_change };
        self.keep(TOOL, PersonCommand::Team(command), &answer, show)
    }

    /// Shows what only they signed, asks who vouches for it from now on, and removes them.
    fn remove_member(&self, asked: &RemoveArguments) -> io::Result<ExitCode> {
        let member = asked.member.clone();
        let leaving = TeamCommand::PreviewRemoval { member: member.clone() };
        let leaving = self.call(TOOL, Verb::Person(PersonCommand::Team(leaving)));
        if leaving.reply_type() != ReplyType::Success {
            return self.print(&leaving, &asked.answer, Paper::outcome);
        }
        let value = leaving.to_value();
        let items = value["data"]["items"].as_array().cloned().unwrap_or_default();
        let Some(vouches) = self.asks_for(&items, asked)? else {
            return Ok(refused("nobody was removed", "`--countersign`, or nothing,"));
        };
        let countersign = if vouches == Vouches::ForAll { &items[..] } else { &[] };
        let countersign = countersign.iter().filter_map(chosen).collect();
        let remove = PersonCommand::Team(TeamCommand::Remove { member, countersign });
        self.keep(TOOL, remove, &asked.answer, Paper::team_change)
    }

    /// Whether the person vouches for items that would have nobody left to do so; none if they
    /// would rather remove nobody.
    fn asks_for(&self, items: &[Value], asked: &RemoveArguments) -> io::Result<Option<Vouches>> {
        if asked.countersign {
            return Ok(Some(Vouches::ForAll));
        }
        if items.is_empty() || asked.answer.json {
            return Ok(Some(Vouches::ForNone));
        }
        let paper = Paper::new(asked.answer.color, self.session.working_address().cloned());
        render::line("Nobody else vouches for:")?;
        render::text(&paper.to_sign(items))?;
        if !render::at_terminal() {
            render::note("they do not count any more; `--countersign` would vouch for them");
            return Ok(Some(Vouches::ForNone));
        }
        let question = "Remove them and [c]ountersign these items, which you have read; [l]et the \
                        items count no more; or [q]uit?";
        Ok(match render::choose(question, &['c', 'l', 'q'])? {
            'c' => Some(Vouches::ForAll),
            'l' => Some(Vouches::ForNone),
            _ => None,
        })
    }

    fn sign_team(&self, asked: &TeamSignArguments) -> io::Result<ExitCode> {
        let plan = PersonCommand::Team(TeamCommand::Sign { shown_digest: None });
        let plan = self.call(TOOL, Verb::Person(plan));
        let Some(shown) = digest(&plan) else {
            return self.print(&plan, &asked.answer, Paper::outcome);
        };
        let question = "Sign it?";
        if !asked.yes && !self.agrees(&plan, &asked.answer, question)? {
            return Ok(refused("nothing was signed", "`--yes` answers"));
        }
        let sign = PersonCommand::Team(TeamCommand::Sign { shown_digest: Some(shown) });
        self.keep(TOOL, sign, &asked.answer, Paper::team_change)
    }

    /// Shows, asks, and pins exactly what was shown.
    pub(crate) fn join(&self, asked: &JoinArguments) -> io::Result<ExitCode> {
        let plan = self.call(JOIN, Verb::Person(PersonCommand::Join(JoinCommand::Show)));
        let is_over = plan.code() == codes::JOIN_AGAIN.id();
        let Some(shown) = digest(&plan).filter(|_| !is_over) else {
            return self.print(&plan, &asked.answer, Paper::outcome);
        };
        let question = "Do these admins say who signs here? Compare them with somebody you trust.";
        let consent = match (asked.admin.is_empty(), asked.yes) {
            (false, _) => JoinConsent::Admins(asked.admin.clone()),
            (true, true) => JoinConsent::Unchecked,
            (true, false) if self.agrees(&plan, &asked.answer, question)? => JoinConsent::Asked,
            (true, false) => {
                return Ok(refused("nothing was joined", "`--admin SHA256:…` or `--yes` answers"));
            }
        };
        let pin = PersonCommand::Join(JoinCommand::Join { shown_digest: shown, consent });
        self.keep(JOIN, pin, &asked.answer, Paper::outcome)
    }

    pub(crate) fn leave(&self, asked: &LeaveArguments) -> io::Result<ExitCode> {
        let question = "Forget the team of this project?";
        let agrees = asked.yes || render::at_terminal() && render::ask(question)?;
        if !agrees {
            return Ok(refused("nothing was changed", "`--yes` answers"));
        }
        self.keep("leave", PersonCommand::Join(JoinCommand::Leave), &asked.answer, Paper::outcome)
    }

    /// Shows a roster and asks. Where nobody can be asked, nobody agrees.
    fn agrees(&self, plan: &Cleared, answer: &AnswerArguments, question: &str) -> io::Result<bool> {
        let paper = Paper::new(answer.color, self.session.working_address().cloned());
        if !answer.json {
            render::text(&paper.team(&plan.to_value()))?;
        }
        Ok(render::at_terminal() && render::ask(question)?)
    }
}

/// What a plan was about; none if there is no plan.
fn digest(plan: &Cleared) -> Option<Sha256> {
    let is_plan = plan.reply_type() == ReplyType::Success;
    plan.to_value()["data"]["digest"].as_str().filter(|_| is_plan)?.parse().ok()
}

/// Says that nothing was done, and what answers where nobody can be asked.
pub(crate) fn refused(words: &str, answers: &str) -> ExitCode {
    let nobody = format!("{words}; {answers} where nobody can be asked");
    render::note(if render::at_terminal() { words } else { &nobody });
    ExitCode::from(render::REFUSED)
}
