//! The commands for items: what a person asks for, through the one door, printed for a person.

use std::io;
use std::process::ExitCode;

use mere_core::gate::Cleared;
use mere_core::item::{ItemForm, Scope};
use mere_core::reply::{ReplyType, reword_for_person};
use mere_core::request::{
    AuthorChoice, DoctorMode, Execute, GitHook, IndexCommand, InitSpace, ItemAction, ListItems,
    Load, PersonCommand, Request, ReviewDecision, StarterItems, Verb, WorkMode,
};
use mere_core::turn::Turn;
use mere_engine::{Session, SessionState};
use serde_json::Value;

use crate::arguments::{
    AnswerArguments, ConfigArguments, ConfigCommand, CopyArguments, DeleteArguments,
    DoctorArguments, GraphArguments, IndexArguments, InitArguments, JoinArguments, KeysArguments,
    LeaveArguments, ListArguments, ModelArguments, MoveArguments, NewArguments, PlaceArguments,
    RenameArguments, ReviewArguments, SessionArguments, ShowArguments, SignArguments,
    SignersCommand, TeamArguments, TemplateArgument, VerifyArguments, WhyArguments, WorkArguments,
};
use crate::call::{self, AtKeyboard};
use crate::converse::converse;
use crate::paper::Paper;
use crate::passphrase::Unlocking;
use crate::render;

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
    Draft(WorkArguments),
    Edit(WorkArguments),
    Graph(GraphArguments),
    Doctor(DoctorArguments),
}

/// Runs a command.
pub(crate) fn run(place: PlaceArguments, command: ItemCommand) -> io::Result<ExitCode> {
    at_desk(place, &SessionArguments::default(), |desk| desk.perform(command))
}

/// Opens a person's session, does something with it, and ends it.
pub(crate) fn at_desk(
    place: PlaceArguments,
    session: &SessionArguments,
    perform: impl FnOnce(&Desk) -> io::Result<ExitCode>,
) -> io::Result<ExitCode> {
    let session = match Session::open(place.opening(session, SessionState::Kept)) {
        Ok(session) => session,
        Err(error) => return Ok(render::failure(&error.to_string(), render::USAGE)),
    };
    let desk = Desk { session, unlocking: Unlocking::default() };
    let ended = perform(&desk);
    desk.session.finish();
    ended
}

/// Whether it is said that there is nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quiet {
    Yes,
    No,
}

/// A person's session.
pub(crate) struct Desk {
    pub(crate) session: Session,
    unlocking: Unlocking,
}

pub(crate) type Shown = fn(&Paper, &Value) -> String;

impl Desk {
    fn perform(&self, command: ItemCommand) -> io::Result<ExitCode> {
        match command {
            ItemCommand::Init(asked) => {
                let (example, hook) = (example(asked.template), hook(asked.git_hook));
                let keep =
                    PersonCommand::Init(InitSpace { scope: scope(asked.user), example, hook });
                self.keep("init", keep, &asked.answer, Paper::made)
            }
            ItemCommand::New(asked) => {
                let (kind, form) = (asked.item.kind.kind, asked.item.kind.form);
                let scope = scope(asked.user);
                let keep = PersonCommand::New { kind, item: asked.item.item, scope, form };
                self.keep("new", keep, &asked.answer, Paper::outcome)
            }
            ItemCommand::List(asked) => {
                let listing = ListItems {
                    kind: asked.kind.map(|kind| kind.kind),
                    form: asked.kind.map(|kind| kind.form).filter(|form| *form == ItemForm::Folder),
                    scope: asked.scope.map(Scope::from),
                    category: asked.category,
                };
                self.keep("list", PersonCommand::List(listing), &asked.answer, Paper::items)
            }
            ItemCommand::Show(asked) => self.show(asked),
            ItemCommand::Copy(asked) => self.copy(asked),
            ItemCommand::Sign(asked) => self.sign(&asked),
            ItemCommand::Verify(asked) => self.verify(&asked),
            ItemCommand::Draft(asked) => self.work(asked, WorkMode::Draft),
            ItemCommand::Edit(asked) => self.work(asked, WorkMode::Edit),
            ItemCommand::Graph(asked) => {
                let keep = PersonCommand::Graph(asked.asked());
                self.keep("graph", keep, &asked.answer, Paper::graph)
            }
            ItemCommand::Doctor(asked) => {
                let repair = if asked.fix { DoctorMode::Repair } else { DoctorMode::CheckOnly };
                self.keep("doctor", PersonCommand::Doctor(repair), &asked.answer, Paper::checks)
            }
            ItemCommand::Move(asked) => self.change_category(asked),
            ItemCommand::Rename(asked) => self.rename(asked),
            ItemCommand::Delete(asked) => self.delete(&asked),
            ItemCommand::Why(asked) => {
                let keep = PersonCommand::Why { kind: asked.item.kind.kind, item: asked.item.item };
                self.keep("why", keep, &asked.answer, Paper::candidates)
            }
            ItemCommand::Index(asked) => self.index(&asked),
            ItemCommand::Review(asked) => self.review(&asked),
            ItemCommand::Config(asked) => {
                let ConfigCommand::Check(answer) = asked.what;
                self.keep("config", PersonCommand::CheckConfig, &answer, Paper::config)
            }
            ItemCommand::Model(asked) => self.model(asked),
            ItemCommand::Keys(asked) => self.keys(asked),
            ItemCommand::Signers(asked) => self.signers(asked),
            ItemCommand::Team(asked) => self.team(asked),
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
        self.answer("show", Verb::Load(load), &asked.answer, Paper::item)
    }

    fn copy(&self, asked: CopyArguments) -> io::Result<ExitCode> {
        let (kind, item) = (asked.item.kind.kind, asked.item.item);
        let (to, author) = (asked.to.into(), author(asked.as_mine));
        let keep = PersonCommand::Copy { kind, item, to, author };
        self.keep("copy", keep, &asked.answer, Paper::outcome)
    }

    fn change_category(&self, asked: MoveArguments) -> io::Result<ExitCode> {
        let (kind, item) = (asked.item.kind.kind, asked.item.item);
        let (category, source) = (asked.category, asked.source.source());
        let author = author(asked.as_mine);
        let keep = PersonCommand::Move { kind, item, category, source, author };
        self.keep("move", keep, &asked.answer, Paper::outcome)
    }

    fn rename(&self, asked: RenameArguments) -> io::Result<ExitCode> {
        let (kind, item) = (asked.item.kind.kind, asked.item.item);
        let (id, source) = (asked.new_id, asked.source.source());
        let keep = PersonCommand::Rename { kind, item, id, source, author: author(asked.as_mine) };
        self.keep("rename", keep, &asked.answer, Paper::outcome)
    }

    /// Shows what would go, asks, and deletes exactly that.
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
                return self.print(&dry, &asked.answer, |_, _| String::new());
            }
            let address = dry.to_value()["data"]["address"].as_str().unwrap_or_default().to_owned();
            if !render::ask(&format!("Delete {address}?"))? {
                let nobody = "nothing was deleted; `--yes` answers where nobody can be asked";
                render::note(if render::at_terminal() { "nothing was deleted" } else { nobody });
                return Ok(ExitCode::from(render::REFUSED));
            }
        }
        self.answer("delete", Verb::Execute(execute(false)), &asked.answer, Paper::outcome)
    }

    fn index(&self, asked: &IndexArguments) -> io::Result<ExitCode> {
        let how = match (asked.check, asked.rebuild) {
            (true, _) => IndexCommand::Check,
            (_, true) => IndexCommand::Rebuild,
            _ => IndexCommand::Update,
        };
        self.keep("index", PersonCommand::Index(how), &asked.answer, Paper::index)
    }

    fn review(&self, asked: &ReviewArguments) -> io::Result<ExitCode> {
        let one = |name: &String, verdict| PersonCommand::Review {
            proposal: name.clone(),
            decision: verdict,
        };
        if let Some(name) = &asked.show {
            return self.keep(
                "review",
                one(name, ReviewDecision::Show),
                &asked.answer,
                Paper::proposal,
            );
        }
        if let Some(name) = &asked.accept {
            let accept = ReviewDecision::Accept { shown_digest: asked.digest };
            return self.keep("review", one(name, accept), &asked.answer, Paper::outcome);
        }
        if let Some(name) = &asked.reject {
            return self.keep(
                "review",
                one(name, ReviewDecision::Reject),
                &asked.answer,
                Paper::outcome,
            );
        }
        if asked.list || asked.answer.json || !render::at_terminal() {
            return self.keep("review", PersonCommand::Proposals, &asked.answer, Paper::proposals);
        }
        self.decide(&asked.answer, Quiet::No)
    }

    /// Goes through all proposals with the person.
    pub(crate) fn decide(
        &self,
        answer: &AnswerArguments,
        when_empty: Quiet,
    ) -> io::Result<ExitCode> {
        let waiting = self.call("review", Verb::Person(PersonCommand::Proposals));
        if waiting.reply_type() != ReplyType::Success {
            return self.print(&waiting, answer, Paper::proposals);
        }
        let waiting = waiting.to_value();
        let names = waiting["data"]["proposals"].as_array().into_iter().flatten();
        let names = names.filter_map(|one| one["proposal"].as_str()).collect::<Vec<_>>();
        if names.is_empty() && when_empty == Quiet::No {
            render::line("Nothing is proposed.")?;
        }
        for (number, name) in names.iter().enumerate() {
            let one =
                |verdict| PersonCommand::Review { proposal: (*name).to_owned(), decision: verdict };
            render::line(&format!("\n({} of {})", number + 1, names.len()))?;
            let shown = self.call("review", Verb::Person(one(ReviewDecision::Show)));
            self.print(&shown, answer, Paper::proposal)?;
            // A yes is for what was shown, and for nothing else.
            let digest =
                shown.to_value()["data"]["digest"].as_str().and_then(|text| text.parse().ok());
            // Within `mere sign`, a yes is the same letter for everything.
            let (question, letters) = match when_empty {
                Quiet::No => ("[a]ccept, [r]eject, [s]kip, [q]uit?", ['a', 'r', 's', 'q']),
                Quiet::Yes => {
                    ("Accept it? [y]es, [n]ot now, [r]eject, [q]uit", ['y', 'n', 'r', 'q'])
                }
            };
            match render::choose(question, &letters)? {
                'a' | 'y' => {
                    let accept = one(ReviewDecision::Accept { shown_digest: digest });
                    self.keep("review", accept, answer, Paper::outcome)?;
                }
                'r' => {
                    self.keep("review", one(ReviewDecision::Reject), answer, Paper::outcome)?;
                }
                's' | 'n' => {}
                _ => break,
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    pub(crate) fn keep(
        &self,
        tool: &'static str,
        keep: PersonCommand,
        answer: &AnswerArguments,
        show: Shown,
    ) -> io::Result<ExitCode> {
        self.answer(tool, Verb::Person(keep), answer, show)
    }

    pub(crate) fn answer(
        &self,
        tool: &'static str,
        verb: Verb,
        answer: &AnswerArguments,
        show: Shown,
    ) -> io::Result<ExitCode> {
        self.print(&self.call(tool, verb), answer, show)
    }

    /// Makes a call; a key that is locked is unlocked by the person, once for the whole command.
    pub(crate) fn call(&self, tool: &'static str, verb: Verb) -> Cleared {
        self.call_for(tool, verb, AtKeyboard::default)
    }

    /// The same for a person who listens in a way of their own.
    pub(crate) fn call_for<T: Turn>(
        &self,
        tool: &'static str,
        verb: Verb,
        turn: impl Fn() -> T,
    ) -> Cleared {
        let agent = self.session.agent().cloned().unwrap_or_default();
        let request = Request::from_person(agent, tool, verb);
        let door = |request: &Request| self.session.handle(request, &mut turn());
        self.unlocking
            .call(|unlock| converse(request.clone().with_key_passphrase(unlock), door, call::ask))
    }

    /// Prints a reply, and says how the process ends.
    pub(crate) fn print(
        &self,
        reply: &Cleared,
        answer: &AnswerArguments,
        show: Shown,
    ) -> io::Result<ExitCode> {
        let code = render::exit_code(reply.reply_type());
        if answer.json {
            return render::reply(reply).map(|()| code);
        }
        let value = reply.to_value();
        let paper = Paper::new(answer.color, self.session.working_address().cloned());
        match reply.reply_type() {
            ReplyType::Success => {
                render::text(&show(&paper, &value))?;
                if let Some(hint) = value["hint"].as_str() {
                    render::note(&reword_for_person(hint));
                }
            }
            // A finding, or what is left, is told like an answer, and then what it means.
            ReplyType::Error | ReplyType::Invalid if has_more(&value) => {
                let told = show(&paper, &value);
                let is_more = Some(told.trim_end()) != value["message"].as_str();
                render::text(if is_more { &told } else { "" })?;
                render::refusal(reply);
            }
            _ => {
                render::text(&paper.candidates_of(&value))?;
                render::refusal(reply);
                for problem in value["data"]["problems"].as_array().into_iter().flatten() {
                    render::detail(&told_problem(problem));
                }
            }
        }
        Ok(code)
    }
}

/// Whether a reply that is no success has more to tell than its message.
fn has_more(reply: &Value) -> bool {
    let data = &reply["data"];
    let is_error = reply["reply_type"] == "E";
    is_error && data.as_object().is_some_and(|data| !data.is_empty()) || data["left"].is_array()
}

/// What does not fit, and where.
fn told_problem(problem: &Value) -> String {
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
