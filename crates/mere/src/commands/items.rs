//! The commands for items: a person's request goes through the one door, and the reply is printed
//! for a person.

use std::io;
use std::process::ExitCode;

use mere_core::gate::Cleared;
use mere_core::item::{ItemForm, Scope};
use mere_core::reply::{ReplyType, reword_for_person};
use mere_core::request::{
    AuthorChoice, DoctorMode, Execute, GitHook, IndexCommand, InitSpace, ItemAction, ItemVerb,
    ListItems, Load, PersonCommand, Request, ReviewCommand, ReviewDecision, StarterItems, Verb,
    WorkMode,
};
use mere_core::{request, turn::Turn};
use mere_engine::{Session, SessionState};
use serde_json::Value;

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

pub(crate) type PrintMethod = fn(&Printer, &Value) -> String;

impl PersonSession {
    fn perform(&self, command: ItemCommand) -> io::Result<ExitCode> {
        match command {
            ItemCommand::Init(asked) => {
                let (example, hook) = (example(asked.template), hook(asked.git_hook));
                let keep = PersonCommand::Items(request::ItemCommand::Init(InitSpace {
                    scope: scope(asked.user),
                    example,
                    hook,
                }));
                self.run_command("init", keep, &asked.answer, Printer::new_space)
            }
            ItemCommand::New(asked) => {
                let (kind, form) = (asked.item.kind.kind, asked.item.kind.form);
                let scope = scope(asked.user);
                let keep = PersonCommand::Items(request::ItemCommand::New {
                    kind,
                    item: asked.item.item,
                    scope,
                    form,
                });
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
                    PersonCommand::Items(request::ItemCommand::List(listing)),
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
            ItemCommand::Graph(asked) => {
                let keep = PersonCommand::Items(request::ItemCommand::Graph(asked.to_request()));
                self.run_command("graph", keep, &asked.answer, Printer::graph)
            }
            ItemCommand::Doctor(asked) => {
                let repair = if asked.fix { DoctorMode::Repair } else { DoctorMode::CheckOnly };
                self.run_command(
                    "doctor",
                    PersonCommand::Items(request::ItemCommand::Doctor(repair)),
                    &asked.answer,
                    Printer::checks,
                )
            }
            ItemCommand::Move(asked) => self.change_category(asked),
            ItemCommand::Rename(asked) => self.rename(asked),
            ItemCommand::Delete(asked) => self.delete(&asked),
            ItemCommand::Why(asked) => {
                let keep = PersonCommand::Items(request::ItemCommand::Why {
                    kind: asked.item.kind.kind,
                    item: asked.item.item,
                });
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
        self.call_and_print("show", Verb::Items(ItemVerb::Load(load)), &asked.answer, Printer::item)
    }

    fn copy(&self, asked: CopyArguments) -> io::Result<ExitCode> {
        let (kind, item) = (asked.item.kind.kind, asked.item.item);
        let (to, author) = (asked.to.into(), author(asked.as_mine));
        let keep = PersonCommand::Items(request::ItemCommand::Copy { kind, item, to, author });
        self.run_command("copy", keep, &asked.answer, Printer::outcome)
    }

    fn change_category(&self, asked: MoveArguments) -> io::Result<ExitCode> {
        let (kind, item) = (asked.item.kind.kind, asked.item.item);
        let (category, source) = (asked.category, asked.source.source());
        let author = author(asked.as_mine);
        let keep = PersonCommand::Items(request::ItemCommand::Move {
            kind,
            item,
            category,
            source,
            author,
        });
        self.run_command("move", keep, &asked.answer, Printer::outcome)
    }

    fn rename(&self, asked: RenameArguments) -> io::Result<ExitCode> {
        let (kind, item) = (asked.item.kind.kind, asked.item.item);
        let (id, source) = (asked.new_id, asked.source.source());
        let keep = PersonCommand::Items(request::ItemCommand::Rename {
            kind,
            item,
            id,
            source,
            author: author(asked.as_mine),
        });
        self.run_command("rename", keep, &asked.answer, Printer::outcome)
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
            let dry = self.call("delete", Verb::Items(ItemVerb::Execute(execute(true))));
            if dry.reply_type() != ReplyType::Success {
                return self.print_reply(&dry, &asked.answer, |_, _| String::new());
            }
            let address = dry.to_value()["data"]["address"].as_str().unwrap_or_default().to_owned();
            if !terminal::ask_yes_or_no(&format!("Delete {address}?"))? {
                let nobody = "nothing was deleted; use `--yes` if nobody can be asked";
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
            Verb::Items(ItemVerb::Execute(execute(false))),
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
        self.run_command(
            "index",
            PersonCommand::Items(request::ItemCommand::Index(how)),
            &asked.answer,
            Printer::index,
        )
    }

    fn review(&self, asked: &ReviewArguments) -> io::Result<ExitCode> {
        let one = |name: &String, verdict| {
            PersonCommand::Items(request::ItemCommand::Review(ReviewCommand::Decide {
                proposal: name.clone(),
                decision: verdict,
            }))
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
                PersonCommand::Items(request::ItemCommand::Review(ReviewCommand::List)),
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
        let waiting = self.call(
            "review",
            Verb::Person(PersonCommand::Items(request::ItemCommand::Review(ReviewCommand::List))),
        );
        if waiting.reply_type() != ReplyType::Success {
            return self.print_reply(&waiting, answer, Printer::proposals);
        }
        let waiting = waiting.to_value();
        let names = waiting["data"]["proposals"].as_array().into_iter().flatten();
        let names = names.filter_map(|one| one["proposal"].as_str()).collect::<Vec<_>>();
        if names.is_empty() && when_empty == ReviewContext::Review {
            terminal::print_line("There are no proposals.")?;
        }
        for (number, name) in names.iter().enumerate() {
            let one = |verdict| {
                PersonCommand::Items(request::ItemCommand::Review(ReviewCommand::Decide {
                    proposal: (*name).to_owned(),
                    decision: verdict,
                }))
            };
            terminal::print_line(&format!("\n({} of {})", number + 1, names.len()))?;
            let shown = self.call("review", Verb::Person(one(ReviewDecision::Show)));
            self.print_reply(&shown, answer, Printer::proposal)?;
            // A yes counts only for what was shown.
            let digest =
                shown.to_value()["data"]["digest"].as_str().and_then(|text| text.parse().ok());
            // Within `mere sign`, the letter for yes is `y` everywhere.
            let (question, letters) = match when_empty {
                ReviewContext::Review => {
                    ("Accept this? [a]ccept, [r]eject, [s]kip, [q]uit", ['a', 'r', 's', 'q'])
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

    pub(crate) fn run_command(
        &self,
        tool: &'static str,
        keep: PersonCommand,
        answer: &AnswerArguments,
        show: PrintMethod,
    ) -> io::Result<ExitCode> {
        self.call_and_print(tool, Verb::Person(keep), answer, show)
    }

    pub(crate) fn call_and_print(
        &self,
        tool: &'static str,
        verb: Verb,
        answer: &AnswerArguments,
        show: PrintMethod,
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
    pub(crate) fn print_reply(
        &self,
        reply: &Cleared,
        answer: &AnswerArguments,
        show: PrintMethod,
    ) -> io::Result<ExitCode> {
        let code = terminal::exit_code(reply.reply_type());
        if answer.json {
            return terminal::print_reply(reply).map(|()| code);
        }
        let value = reply.to_value();
        let paper = Printer::new(answer.color, self.session.working_address().cloned());
        match reply.reply_type() {
            ReplyType::Success => {
                terminal::print_text(&show(&paper, &value))?;
                if let Some(hint) = value["hint"].as_str() {
                    terminal::print_note(&reword_for_person(hint));
                }
            }
            // A reply with findings or leftovers is printed like an answer, followed by the refusal
            // that explains it.
            ReplyType::Error | ReplyType::Invalid if has_more_than_message(&value) => {
                let told = show(&paper, &value);
                let is_more = Some(told.trim_end()) != value["message"].as_str();
                terminal::print_text(if is_more { &told } else { "" })?;
                terminal::print_refusal(reply);
            }
            _ => {
                terminal::print_text(&paper.candidate_list(&value))?;
                terminal::print_refusal(reply);
                for problem in value["data"]["problems"].as_array().into_iter().flatten() {
                    terminal::print_detail(&format_problem(problem));
                }
            }
        }
        Ok(code)
    }
}

/// Checks whether a reply that is not a success carries more than its message.
fn has_more_than_message(reply: &Value) -> bool {
    let data = &reply["data"];
    let is_error = reply["reply_type"] == "E";
    is_error && data.as_object().is_some_and(|data| !data.is_empty()) || data["left"].is_array()
}

/// Formats what does not fit, and where.
fn format_problem(problem: &Value) -> String {
    let texts = ["at", "what"].map(|key| problem[key].as_str());
    texts.into_iter().flatten().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(": ")
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
