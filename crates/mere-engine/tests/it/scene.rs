//! A project in a temporary folder, and a session on it.
//!
//! The tests of this folder share it.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use mere_core::gate::Cleared;
use mere_core::request::{Caller, Request};
use mere_core::turn::{Outcome, Progress, Turn};
use mere_engine::{Mods, Session, SessionOptions, SessionState, TypedPath};

/// A folder that holds a project and whatever lies beside it.
pub(crate) struct TestProject {
    base: tempfile::TempDir,
}

impl TestProject {
    pub(crate) fn new() -> Self {
        let base = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(base.path().join("project")).expect("a project");
        Self { base }
    }

    pub(crate) fn base(&self) -> &Path {
        self.base.path()
    }

    pub(crate) fn session(&self) -> Session {
        let project = OsString::from(self.base.path().join("project"));
        let typed = || Some(TypedPath::from(project.clone()));
        Session::open(SessionOptions {
            project: typed(),
            directory: typed(),
            agent: None,
            mods: Mods::Off,
            state: SessionState::Kept,
            store: None,
            cells: Arc::default(),
        })
        .expect("a session")
    }
}

/// Makes one call and returns its reply.
pub(crate) fn call(session: &Session, arguments: &str, turn: &mut dyn Turn) -> Cleared {
    let request = Request::from_text(Caller::default(), "dir", arguments);
    match session.handle(&request, turn) {
        Outcome::Done(reply) => reply,
        Outcome::Ask(question, _) => panic!("dir asked: {question:?}"),
    }
}

/// A caller who waits for ever.
pub(crate) struct PatientTurn;

impl Turn for PatientTurn {
    fn progress(&mut self, _note: &Progress) {}

    fn is_cancelled(&self) -> bool {
        false
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }
}
