//! The commands for items: a person's request goes through the one door, and the reply is printed
//! for a person.

use std::io;
use std::process::ExitCode;

use mere_core::gate::Cleared;
use mere_core::item::{ItemForm, Scope};
use mere_core::reply::{ReplyType, reword_for_person};
use mere_core::request::{
    AuthorChoice, DoctorMode, Execute, GitHook, GraphCommand, IndexCommand, InitSpace, ItemAction,
    ListItems, Load, PersonCommand, Request, ReviewDecision, StarterItems, Verb, WorkMode,
};
use mere_core::turn::Turn;
use mere_engine::{Session, SessionState};
use serde::de::DeserializeOwned;

use crate::arguments::{
    AnswerArguments, ConfigArguments, ConfigCommand, CopyArguments, DeleteArguments,
    DoctorArguments, EditArguments, GraphArguments, IndexArguments, InitArguments, JoinArguments,
    KeysArguments, LeaveArguments, ListArguments, LocationArguments, ModelArguments, MoveArguments,
    NewArguments, RenameArguments, ReviewArguments, SessionArguments, ShowArguments, SignArguments,
    SignersCommand, TeamArguments, TemplateArgument, VerifyArguments, WhyArguments,
};
use crate::commands::call;
use crate::commands::call::KeyboardTurn;
use crate::commands::passphrase::PassphraseCache;
use crate::commands::question_loop::call_until_done;
use crate::print::items::{RefusalDetails, WITHHELD_ITEM};
use crate::print::outcome::SubjectAddress;
use crate::print::proposals::{ProposalList, ShownProposal};
use crate::print::reply::{ReplyView, is_answer};
use crate::print::{Printer, terminal};

/// A command for items.
pub(crate) enum ItemCommand {
    Init(InitArguments),
    New(NewArguments),
    List(ListArguments),
    Show(ShowArguments),
    Copy(CopyArguments),
    Move(MoveArguments),
    Rename(RenameArguments),
    Delete(DeleteArguments),
    Why(WhyArguments),
    Index(IndexArguments),
    Review(ReviewArguments),
    Config(ConfigArguments),
    Model(ModelArguments),
    Keys(KeysArguments),
    Signers(SignersCommand),
    Team(TeamArguments),
    Join(JoinArguments),
    Leave(LeaveArguments),
    Sign(SignArguments),
    Verify(VerifyArguments),
    Draft(EditArguments),
    Edit(EditArguments),
    Graph(GraphArguments),
    Doctor(DoctorArguments),
}

/// Runs a command.
pub(crate) fn run(place: LocationArguments, command: ItemCommand) -> io::Result<ExitCode> {
    with_session(place, &SessionArguments::default(), |desk| desk.perform(command))
}

/// Opens a person's session, passes it to `perform`, and ends it.
pub(crate) fn with_session(
    place: LocationArguments,
    session: &SessionArguments,
    perform: impl FnOnce(&PersonSession) -> io::Result<ExitCode>,
) -> io::Result<ExitCode> {
    let session = match Session::open(place.session_options(session, SessionState::Kept)) {
        Ok(session) => session,
        Err(error) => return Ok(terminal::print_failure(&error.to_string(), terminal::USAGE)),
    };
    let desk = PersonSession { session, passphrases: PassphraseCache::default() };
    let ended = perform(&desk);
    desk.session.finish();
    ended
}

/// The command within which proposals are reviewed. Within `mere sign` nothing is printed when
/// there are none.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReviewContext {
    Sign,
    Review,
}

/// A person's session.
pub(crate) struct PersonSession {
    pub(crate) session: Session,
    passphrases: PassphraseCache,
}

/// Formats a reply whose data is a `T`.
pub(crate) type PrintMethod<T> = fn(&Printer, &ReplyView<T>) -> String;

impl PersonSession {
    fn perform(&self, command: ItemCommand) -> io::Result<ExitCode> {
        match command {
            ItemCommand::Init(asked) => {
                let (example, hook) = (example(asked.template), hook(asked.git_hook));
                let keep =
                    PersonCommand::Init(InitSpace { scope: scope(asked.user), example, hook });
                self.run_command("init", keep, &asked.answer, Printer::new_space)
            }
            ItemCommand::New(asked) => {
                let (kind, form) = (asked.item.kind.kind, asked.item.kind.form);
                let scope = scope(asked.user);
                let keep = PersonCommand::New { kind, item: asked.item.item, scope, form };
                self.run_command("new", keep, &asked.answer, Printer::outcome)
            }
            ItemCommand::List(asked) => {
                let listing = ListItems {
                    kind: asked.kind.map(|kind| kind.kind),
                    form: asked.kind.map(|kind| kind.form).filter(|form| *form == ItemForm::Folder),
                    scope: asked.scope.map(Scope::from),
                    category: asked.category,
                };
                self.run_command(
                    "list",
                    PersonCommand::List(listing),
                    &asked.answer,
                    Printer::items,
                )
            }
            ItemCommand::Show(asked) => self.show(asked),
            ItemCommand::Copy(asked) => self.copy(asked),
            ItemCommand::Sign(asked) => self.sign(&asked),
            ItemCommand::Verify(asked) => self.verify(&asked),
            ItemCommand::Draft(asked) => self.draft_or_edit(asked, WorkMode::Draft),
            ItemCommand::Edit(asked) => self.draft_or_edit(asked, WorkMode::Edit),
            ItemCommand::Graph(asked) => self.draw_or_check_graph(&asked),
            ItemCommand::Doctor(asked) => {
                let repair = if asked.fix { DoctorMode::Repair } else { DoctorMode::CheckOnly };
                self.run_command(
                    "doctor",
                    PersonCommand::Doctor(repair),
                    &asked.answer,
                    Printer::checks,
                )
            }
            ItemCommand::Move(asked) => self.change_category(asked),
            ItemCommand::Rename(asked) => self.rename(asked),
            ItemCommand::Delete(asked) => self.delete(&asked),
            ItemCommand::Why(asked) => {
                let keep = PersonCommand::Why { kind: asked.item.kind.kind, item: asked.item.item };
                self.run_command("why", keep, &asked.answer, Printer::candidates)
            }
            ItemCommand::Index(asked) => self.run_index(&asked),
            ItemCommand::Review(asked) => self.review(&asked),
            ItemCommand::Config(asked) => {
                let ConfigCommand::Check(answer) = asked.what;
                self.run_command("config", PersonCommand::CheckConfig, &answer, Printer::config)
            }
            ItemCommand::Model(asked) => self.run_model(asked),
            ItemCommand::Keys(asked) => self.run_keys(asked),
            ItemCommand::Signers(asked) => self.run_signers(asked),
            ItemCommand::Team(asked) => self.run_team(asked),
            ItemCommand::Join(asked) => self.join(&asked),
            ItemCommand::Leave(asked) => self.leave(&asked),
        }
    }

    fn show(&self, asked: ShowArguments) -> io::Result<ExitCode> {
        let load = Load {
            kind: asked.item.kind.kind,
            item: asked.item.item,
            source: asked.source.source(),
            destination: None,
            version: None,
            relationships: None,
        };
        let reply = self.call("show", Verb::Load(load));
        if WITHHELD_ITEM.contains(&reply.code()) && !asked.answer.json {
            let item = ReplyView::read(&reply)?;
            terminal::print_text(&self.printer(&asked.answer).withheld_item(&item))?;
        }
        self.print_reply(&reply, &asked.answer, Printer::item)
    }

    fn draw_or_check_graph(&self, asked: &GraphArguments) -> io::Result<ExitCode> {
        let request = asked.to_request();
        let is_check = matches!(request, GraphCommand::Check);
        let reply = self.call("graph", Verb::Person(PersonCommand::Graph(request)));
        if is_check {
            self.print_reply(&reply, &asked.answer, Printer::checks)
        } else {
            self.print_reply(&reply, &asked.answer, Printer::graph)
        }
    }

    fn copy(&self, asked: CopyArguments) -> io::Result<ExitCode> {
        let (kind, item) = (asked.item.kind.kind, asked.item.item);
        let (to, author) = (asked.to.into(), author(asked.as_mine));
        let keep = PersonCommand::Copy { kind, item, to, author };
        self.run_command("copy", keep, &asked.answer, Printer::outcome)
    }

    fn change_category(&self, asked: MoveArguments) -> io::Result<ExitCode> {
        let (kind, item) = (asked.item.kind.kind, asked.item.item);
        let (category, source) = (asked.category, asked.source.source());
        let author = author(asked.as_mine);
        let keep = PersonCommand::Move { kind, item, category, source, author };
        self.run_command("move", keep, &asked.answer, Printer::relocation)
    }

    fn rename(&self, asked: RenameArguments) -> io::Result<ExitCode> {
        let (kind, item) = (asked.item.kind.kind, asked.item.item);
        let (id, source) = (asked.new_id, asked.source.source());
        let keep = PersonCommand::Rename { kind, item, id, source, author: author(asked.as_mine) };
        self.run_command("rename", keep, &asked.answer, Printer::relocation)
    }

    /// Shows what would be deleted, asks, and deletes exactly that.
    fn delete(&self, asked: &DeleteArguments) -> io::Result<ExitCode> {
        let execute = |dry_run| Execute {
            kind: asked.item.kind.kind,
            item: asked.item.item.clone(),
            source: asked.source.source(),
            action: ItemAction::Delete { expect: None },
            dry_run,
        };
        if !asked.yes {
            let dry = self.call("delete", Verb::Execute(execute(true)));
            if dry.reply_type() != ReplyType::Success {
                return self.print_reply(&dry, &asked.answer, Printer::outcome);
            }
            let address = ReplyView::<SubjectAddress>::read(&dry)?.data.address;
            if !terminal::ask_yes_or_no(&format!("Delete {address}?"))? {
                let nobody = "nothing was deleted; `--yes` answers where nobody can be asked";
                terminal::print_note(if terminal::can_ask() {
                    "nothing was deleted"
                } else {
                    nobody
                });
                return Ok(ExitCode::from(terminal::REFUSED));
            }
        }
        self.call_and_print(
            "delete",
            Verb::Execute(execute(false)),
            &asked.answer,
            Printer::outcome,
        )
    }

    fn run_index(&self, asked: &IndexArguments) -> io::Result<ExitCode> {
        let how = match (asked.check, asked.rebuild) {
            (true, _) => IndexCommand::Check,
            (_, true) => IndexCommand::Rebuild,
            _ => IndexCommand::Update,
        };
        let reply = self.call("index", Verb::Person(PersonCommand::Index(how)));
        match how {
            IndexCommand::Check => self.print_reply(&reply, &asked.answer, Printer::index_check),
            IndexCommand::Update | IndexCommand::Rebuild => {
                self.print_reply(&reply, &asked.answer, Printer::index_update)
            }
        }
    }

    fn review(&self, asked: &ReviewArguments) -> io::Result<ExitCode> {
        let one = |name: &String, verdict| PersonCommand::Review {
            proposal: name.clone(),
            decision: verdict,
        };
        if let Some(name) = &asked.show {
            return self.run_command(
                "review",
                one(name, ReviewDecision::Show),
                &asked.answer,
                Printer::proposal,
            );
        }
        if let Some(name) = &asked.accept {
            let accept = ReviewDecision::Accept { shown_digest: asked.digest };
            return self.run_command("review", one(name, accept), &asked.answer, Printer::outcome);
        }
        if let Some(name) = &asked.reject {
            return self.run_command(
                "review",
                one(name, ReviewDecision::Reject),
                &asked.answer,
                Printer::outcome,
            );
        }
        if asked.list || asked.answer.json || !terminal::can_ask() {
            return self.run_command(
                "review",
                PersonCommand::Proposals,
                &asked.answer,
                Printer::proposals,
            );
        }
        self.review_proposals(&asked.answer, ReviewContext::Review)
    }

    /// Goes through all proposals with the person, one after another.
    pub(crate) fn review_proposals(
        &self,
        answer: &AnswerArguments,
        when_empty: ReviewContext,
    ) -> io::Result<ExitCode> {
        let waiting = self.call("review", Verb::Person(PersonCommand::Proposals));
        if waiting.reply_type() != ReplyType::Success {
            return self.print_reply(&waiting, answer, Printer::proposals);
        }
        let waiting = ReplyView::<ProposalList>::read(&waiting)?.data.proposals;
        if waiting.is_empty() && when_empty == ReviewContext::Review {
            terminal::print_line("Nothing is proposed.")?;
        }
        for (number, proposal) in waiting.iter().enumerate() {
            let one =
                |decision| PersonCommand::Review { proposal: proposal.name.clone(), decision };
            terminal::print_line(&format!("\n({} of {})", number + 1, waiting.len()))?;
            let shown = self.call("review", Verb::Person(one(ReviewDecision::Show)));
            self.print_reply(&shown, answer, Printer::proposal)?;
            // A yes counts only for what was shown.
            let digest = match shown.reply_type() {
                ReplyType::Success => {
                    ReplyView::<ShownProposal>::read(&shown)?.data.digest.parse().ok()
                }
                _ => None,
            };
            // Within `mere sign`, the letter for yes is `y` everywhere.
            let (question, letters) = match when_empty {
                ReviewContext::Review => {
                    ("[a]ccept, [r]eject, [s]kip, [q]uit?", ['a', 'r', 's', 'q'])
                }
                ReviewContext::Sign => {
                    ("Accept it? [y]es, [n]ot now, [r]eject, [q]uit", ['y', 'n', 'r', 'q'])
                }
            };
            match terminal::ask_choice(question, &letters)? {
                'a' | 'y' => {
                    let accept = one(ReviewDecision::Accept { shown_digest: digest });
                    self.run_command("review", accept, answer, Printer::outcome)?;
                }
                'r' => {
                    self.run_command(
                        "review",
                        one(ReviewDecision::Reject),
                        answer,
                        Printer::outcome,
                    )?;
                }
                's' | 'n' => {}
                _ => break,
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    pub(crate) fn run_command<T: DeserializeOwned>(
        &self,
        tool: &'static str,
        keep: PersonCommand,
        answer: &AnswerArguments,
        show: PrintMethod<T>,
    ) -> io::Result<ExitCode> {
        self.call_and_print(tool, Verb::Person(keep), answer, show)
    }

    pub(crate) fn call_and_print<T: DeserializeOwned>(
        &self,
        tool: &'static str,
        verb: Verb,
        answer: &AnswerArguments,
        show: PrintMethod<T>,
    ) -> io::Result<ExitCode> {
        self.print_reply(&self.call(tool, verb), answer, show)
    }

    /// Makes a call. If a key is locked, the person unlocks it once for the whole command.
    pub(crate) fn call(&self, tool: &'static str, verb: Verb) -> Cleared {
        self.call_with_turn(tool, verb, KeyboardTurn::default)
    }

    /// Makes a call with the caller's own kind of turn.
    pub(crate) fn call_with_turn<T: Turn>(
        &self,
        tool: &'static str,
        verb: Verb,
        turn: impl Fn() -> T,
    ) -> Cleared {
        let agent = self.session.agent().cloned().unwrap_or_default();
        let request = Request::from_person(agent, tool, verb);
        let door = |request: &Request| self.session.handle(request, &mut turn());
        self.passphrases.call_with_passphrase(|unlock| {
            call_until_done(
                request.clone().with_key_passphrase(unlock),
                door,
                call::ask_at_terminal,
            )
        })
    }

    /// Prints a reply and returns the exit code of the process.
    pub(crate) fn print_reply<T: DeserializeOwned>(
        &self,
        reply: &Cleared,
        answer: &AnswerArguments,
        show: PrintMethod<T>,
    ) -> io::Result<ExitCode> {
        if answer.json {
            terminal::print_reply(reply)?;
        } else if is_answer(reply) {
            let view = ReplyView::read(reply)?;
            terminal::print_text(&show(&self.printer(answer), &view))?;
            match view.hint {
                // Findings are followed by the refusal that explains them.
                _ if !view.is_success() => terminal::print_refusal(reply)?,
                Some(hint) => terminal::print_note(&reword_for_person(&hint)),
                None => {}
            }
        } else {
            let details = ReplyView::<RefusalDetails>::read(reply)?.data;
            terminal::print_text(&self.printer(answer).candidate_list(&details))?;
            terminal::print_refusal(reply)?;
            details.problem_lines().for_each(|line| terminal::print_detail(&line));
        }
        Ok(terminal::exit_code(reply.reply_type()))
    }

    /// Makes a printer for the options of a command.
    pub(crate) fn printer(&self, answer: &AnswerArguments) -> Printer {
        Printer::new(answer.color, self.session.working_address().cloned())
    }
}

fn example(template: TemplateArgument) -> StarterItems {
    match template {
        TemplateArgument::Example => StarterItems::OneOfEach,
        TemplateArgument::Blank => StarterItems::None,
    }
}

fn hook(wanted: bool) -> GitHook {
    if wanted { GitHook::Install } else { GitHook::Leave }
}

fn author(as_mine: bool) -> AuthorChoice {
    if as_mine { AuthorChoice::Me } else { AuthorChoice::Unchanged }
}

fn scope(user: bool) -> Scope {
    if user { Scope::User } else { Scope::Project }
}
