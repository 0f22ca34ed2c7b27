//! One session with one project, and the one door into it.
//!
//! Every agent-facing call, from every edge, is [`Session::handle`]. It reads one snapshot,
//! answers with a cleared reply whatever happens inside, and changes nothing before the last
//! question is answered.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use mere_core::address::Address;
use mere_core::gate::{ClearedMessage, Seal, Stamp};
use mere_core::name::AgentName;
use mere_core::reply::Draft;
use mere_core::request::{Caller, Dir, Request, Verb};
use mere_core::root::Root;
use mere_core::spoken::Spoken;
use mere_core::trace::{SessionId, TraceId};
use mere_core::turn::{Outcome, Turn};
use serde_json::Value;
use uuid::Uuid;

use crate::dir::{self, DirError};
use crate::host::{Folder, Surroundings, Typed, find_project};
use crate::snapshot::Snapshot;
use crate::wording;
use crate::world::{ResolveError, World};

/// Whether extra folders are part of the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mods {
    /// As configured.
    #[default]
    Configured,
    /// None at all.
    Off,
}

/// How a session is opened.
#[derive(Debug, Default)]
pub struct Opening {
    /// `--project`.
    pub project: Option<Typed>,
    /// `-C`: the working directory.
    pub directory: Option<Typed>,
    /// `--agent`.
    pub agent: Option<AgentName>,
    /// `--no-mods`.
    pub mods: Mods,
}

/// Why there is no session. For people.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no working directory.
    #[error("the working directory (`-C`) cannot be opened: {0}")]
    WorkingDirectory(std::io::Error),
    /// There is no project.
    #[error("{0}")]
    Project(String),
    /// The project is where keys and approvals are kept.
    #[error("the project lies in a folder where keys or approvals are kept")]
    Private,
    /// `MERE_AGENT` is no name.
    #[error("`MERE_AGENT` is not a name: {0}")]
    Agent(mere_core::name::NameError),
}

/// A session.
pub struct Session {
    id: SessionId,
    surroundings: Surroundings,
    project: Arc<Folder>,
    working: Option<Address>,
    agent: Option<AgentName>,
    home: Mutex<Root>,
    snapshot: RwLock<Arc<Snapshot>>,
}

impl Session {
    /// Finds the project and reads the configuration.
    pub fn open(opening: Opening) -> Result<Self, OpenError> {
        let surroundings =
            Surroundings::read(opening.directory.as_ref()).map_err(OpenError::WorkingDirectory)?;
        let project = find_project(&surroundings, opening.project.as_ref())
            .map_err(|error| OpenError::Project(error.to_string()))?;
        if project.lies_in(&surroundings.private()) {
            return Err(OpenError::Private);
        }
        let agent = match (opening.agent, surroundings.agent()) {
            (Some(agent), _) => Some(agent),
            (None, Some(text)) => {
                let text = text.unwrap_or_default();
                Some(text.parse().map_err(OpenError::Agent)?)
            }
            (None, None) => None,
        };
        let project = Arc::new(project);
        let snapshot = Arc::new(Snapshot::take(&surroundings, &project, opening.mods));
        let mut session = Self {
            id: Uuid::now_v7().into(),
            working: None,
            home: Mutex::new(Root::Project),
            snapshot: RwLock::new(snapshot),
            surroundings,
            project,
            agent,
        };
        session.working = session.find_working();
        Ok(session)
    }

    /// The one door.
    pub fn handle(&self, request: &Request, turn: &mut dyn Turn) -> Outcome {
        let snapshot = self.snapshot();
        let stamp = Stamp {
            trace_id: TraceId::from(Uuid::now_v7()),
            session_id: Some(self.id),
            tool: request.tool(),
            agent: request.caller.agent.clone(),
        };
        let answer = catch_unwind(AssertUnwindSafe(|| self.answer(&snapshot, request, turn)));
        let draft = answer.unwrap_or_else(|_| {
            tracing::error!(trace_id = %stamp.trace_id, "a call panicked");
            wording::panicked()
        });
        Outcome::Done(snapshot.gate.clear(&draft, &stamp))
    }

    /// Passes a whole protocol message through the gate, last thing before it is sent.
    pub fn clear_message(&self, message: Value, seal: &Seal) -> Option<ClearedMessage> {
        self.snapshot().gate.clear_message(message, seal)
    }

    /// The agent's name, where the operator fixed it.
    pub fn agent(&self) -> Option<&AgentName> {
        self.agent.as_ref()
    }

    /// The roots one agent sees now; `None` while the configuration is broken.
    pub fn world(&self, agent: &AgentName) -> Option<World> {
        self.snapshot().world(&self.surroundings, agent).ok()
    }

    fn answer(&self, snapshot: &Snapshot, request: &Request, turn: &mut dyn Turn) -> Draft {
        let answered = match &request.verb {
            Verb::Misspoken(error) => return wording::misspoken(error),
            Verb::Dir(command) => self.dir(snapshot, &request.caller, command, turn),
        };
        answered.unwrap_or_else(|error| wording::dir(&error))
    }

    fn dir(
        &self,
        snapshot: &Snapshot,
        caller: &Caller,
        command: &Dir,
        turn: &mut dyn Turn,
    ) -> Result<Draft, DirError> {
        let home = caller.home.clone().unwrap_or_else(|| self.home());
        let home = snapshot.find_root(&home)?.ok_or(ResolveError::NotVisible)?;
        let working = self.working.as_ref();
        let (path, page) = match command {
            Dir::Pwd => return Ok(dir::pwd(&home, working)),
            Dir::Cd { to } => {
                let to = snapshot.find_root(to)?.ok_or(ResolveError::NotVisible)?;
                *self.home.lock().unwrap_or_else(PoisonError::into_inner) = to.clone();
                return Ok(dir::cd(&to, working));
            }
            Dir::List { path, cursor } => (path, dir::Page::List { cursor: cursor.as_ref() }),
            Dir::Tree { path, depth, cursor } => {
                (path, dir::Page::Tree { depth: *depth, cursor: cursor.as_ref() })
            }
        };
        let world = snapshot.world(&self.surroundings, &caller.agent)?;
        let target = dir::directory(&world, path, &home)?;
        dir::look(&world, &target, &page, turn)
    }

    fn home(&self) -> Root {
        self.home.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The address of the directory the command ran in, if it can be seen.
    fn find_working(&self) -> Option<Address> {
        let path = self.project.locate(&self.surroundings.working_folder()?)?;
        let said = Spoken::Relative { path, directory: true };
        let world = self.world(&AgentName::default())?;
        world.resolve(&said, &Root::Project).ok().map(|seen| seen.address().clone())
    }
}
