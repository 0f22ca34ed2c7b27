//! `mere review`: a person decides on the changes that agents and tools propose, and on what
//! somebody signed whose key does not count.
//!
//! A yes counts only for what was shown, named by its digest.

use std::io;
use std::process::ExitCode;

use mere_core::reply::ReplyType;
use mere_core::request::{
    AfterSigning, ItemCommand, ItemSelection, ReviewCommand, ReviewDecision, ReviewScope,
    SelectedItems, SignCommand,
};

use crate::arguments::{AnswerArguments, ReviewArguments};
use crate::commands::person_session::PersonSession;
use crate::commands::sign_questions::{AcceptingAll, ask_each};
use crate::commands::signing::parse_chosen;
use crate::print::proposals::{ProposalList, ShownProposal};
use crate::print::reply::ReplyView;
use crate::print::signing::{SignableItem, SigningPlan};
use crate::print::{Printer, terminal};

const TOOL: &str = "review";

/// The command within which proposals are reviewed. Within `mere sign` nothing is printed when
/// there are none.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReviewContext {
    Sign,
    Review,
}

/// Whether the person goes on to the next proposal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    GoOn,
    Stop,
}

impl PersonSession {
    pub(crate) fn review(&self, arguments: &ReviewArguments) -> io::Result<ExitCode> {
        let answer = &arguments.answer;
        if let Some(name) = &arguments.show {
            let show = decide(name, ReviewDecision::Show);
            return self.call_and_print(TOOL, show, answer, Printer::proposal);
        }
        if let Some(name) = &arguments.accept {
            let accept = decide(name, ReviewDecision::Accept { shown_digest: arguments.digest });
            return self.call_and_print(TOOL, accept, answer, Printer::outcome);
        }
        if let Some(name) = &arguments.reject {
            let reject = decide(name, ReviewDecision::Reject);
            return self.call_and_print(TOOL, reject, answer, Printer::outcome);
        }
        if !(arguments.list || answer.json) && terminal::can_ask() {
            return self.review_everything(answer);
        }
        let list = ItemCommand::Review(ReviewCommand::List(ReviewScope::Everything));
        let proposals = self.call(TOOL, list);
        let ended = self.print_reply(&proposals, answer, Printer::proposals)?;
        if !(arguments.list || answer.json)
            && proposals.reply_type() == ReplyType::Success
            && !ReplyView::<ProposalList>::read(&proposals)?.data.proposals.is_empty()
        {
            terminal::print_note(
                "To decide, run it at a terminal, or use `--accept NAME` or `--reject NAME`.",
            );
        }
        Ok(ended)
    }

    /// Goes through all proposals, and through the items that somebody signed whose key does not
    /// count here.
    fn review_everything(&self, answer: &AnswerArguments) -> io::Result<ExitCode> {
        let ended = self.review_proposals(answer, ReviewContext::Review)?;
        let which = SelectedItems::SignedByStrangers;
        let selection = ItemSelection { which, ..ItemSelection::default() };
        let plan = self.call("sign", ItemCommand::Sign(SignCommand::Plan(selection)));
        if plan.reply_type() != ReplyType::Success {
            return self.print_reply(&plan, answer, Printer::outcome);
        }
        let plan = ReplyView::<SigningPlan>::read(&plan)?;
        if let Some(hint) = &plan.hint {
            terminal::print_note(hint);
        }
        let items = plan.data.items;
        if items.is_empty() {
            return Ok(ended);
        }
        let words = match items.len() {
            1 => "1 item is signed by a key that does not count here.".to_owned(),
            count => format!("{count} items are signed by keys that do not count here."),
        };
        terminal::print_line(&format!("\n{words}"))?;
        let printer = self.printer(answer.color);
        let signed = ask_each(&printer, &items, AcceptingAll::NotOffered, |item| {
            self.sign_shown(answer, item)
        })?;
        Ok(signed.unwrap_or(ended))
    }

    /// Signs an item as it was shown.
    fn sign_shown(&self, answer: &AnswerArguments, item: &SignableItem) -> io::Result<ExitCode> {
        let items = parse_chosen(item).into_iter().collect();
        let sign = SignCommand::Sign { items, after: AfterSigning::NOTHING };
        self.call_and_print("sign", ItemCommand::Sign(sign), answer, Printer::signing_result)
    }

    /// Goes through all proposals with the person, one after another.
    pub(crate) fn review_proposals(
        &self,
        answer: &AnswerArguments,
        context: ReviewContext,
    ) -> io::Result<ExitCode> {
        let list = ReviewCommand::List(ReviewScope::Proposals);
        let proposals = self.call(TOOL, ItemCommand::Review(list));
        if proposals.reply_type() != ReplyType::Success {
            return self.print_reply(&proposals, answer, Printer::proposals);
        }
        let proposals = ReplyView::<ProposalList>::read(&proposals)?.data.proposals;
        if proposals.is_empty() && context == ReviewContext::Review {
            terminal::print_line("There are no proposals.")?;
        }
        for (number, proposal) in proposals.iter().enumerate() {
            terminal::print_line(&format!("\n({} of {})", number + 1, proposals.len()))?;
            if self.decide_on_proposal(&proposal.name, answer, context)? == Next::Stop {
                break;
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Shows a proposal, asks, and carries out what the person decides.
    pub(crate) fn decide_on_proposal(
        &self,
        name: &str,
        answer: &AnswerArguments,
        context: ReviewContext,
    ) -> io::Result<Next> {
        // Within `mere sign`, the letter for yes is `y` everywhere.
        let (question, letters) = match context {
            ReviewContext::Review => {
                ("Accept this? [a]ccept, [r]eject, [s]kip, [q]uit", ['a', 'r', 's', 'q'])
            }
            ReviewContext::Sign => {
                ("Accept it? [y]es, [n]ot now, [r]eject, [q]uit", ['y', 'n', 'r', 'q'])
            }
        };
        let shown = self.call(TOOL, decide(name, ReviewDecision::Show));
        self.print_reply(&shown, answer, Printer::proposal)?;
        // A yes counts only for what was shown.
        let digest = match shown.reply_type() {
            ReplyType::Success => {
                ReplyView::<ShownProposal>::read(&shown)?.data.digest.parse().ok()
            }
            _ => None,
        };
        let decision = match terminal::ask_choice(question, &letters)? {
            'a' | 'y' => ReviewDecision::Accept { shown_digest: digest },
            'r' => ReviewDecision::Reject,
            's' | 'n' => return Ok(Next::GoOn),
            _ => return Ok(Next::Stop),
        };
        self.call_and_print(TOOL, decide(name, decision), answer, Printer::outcome)?;
        Ok(Next::GoOn)
    }
}

/// Makes the command that decides on a proposal.
fn decide(proposal: &str, decision: ReviewDecision) -> ItemCommand {
    ItemCommand::Review(ReviewCommand::Decide { proposal: proposal.to_owned(), decision })
}
