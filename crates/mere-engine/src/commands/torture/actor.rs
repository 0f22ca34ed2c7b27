//! What each actor does: it writes and moves its own files, memories or notes, or reads what another
//! one writes.

use std::io;

use serde_json::{Value, json};

use super::client::{Answer, Client};
use super::ledger::{Entry, State};
use super::{Random, Torture, TortureReport, text};

/// How many things an actor has.
const THINGS: usize = 6;
/// The most findings of one kind that an actor reports.
const MOST_REPORTED: usize = 20;

/// What kind of thing is written.
#[derive(Clone, Copy)]
pub(super) enum Thing {
    File,
    Memory,
    Note,
}

/// What an actor does, and as which agent.
#[derive(Clone, Copy)]
pub(super) enum Role {
    Writer(Thing, &'static str),
    /// Reads what the writer of the same name writes.
    Reader(Thing, &'static str),
}

impl Role {
    /// All actors. Two agents write each kind of thing, so that they meet at locks.
    pub(super) const ALL: [Self; 9] = [
        Self::Writer(Thing::File, "ada"),
        Self::Writer(Thing::File, "bob"),
        Self::Writer(Thing::Memory, "ada"),
        Self::Writer(Thing::Memory, "bob"),
        Self::Writer(Thing::Note, "ada"),
        Self::Writer(Thing::Note, "bob"),
        Self::Reader(Thing::File, "ada"),
        Self::Reader(Thing::Memory, "ada"),
        Self::Reader(Thing::Note, "bob"),
    ];
}

impl Thing {
    /// Returns the two places that a thing can have. A note has one, because agents do not move
    /// items.
    fn places(self, agent: &str, number: usize) -> Vec<String> {
        match self {
            Self::File => ["a", "b"].map(|at| format!("ROOT_WORKSPACE:/{at}-{number}.txt")).into(),
            Self::Memory => ["a", "b"].map(|at| format!("{at}/{agent}-{number}")).into(),
            Self::Note => vec![format!("torture/{agent}-{number}")],
        }
    }

    fn write_call(self, place: &str, version: u64, is_new: IsNew) -> (&'static str, Value) {
        let content = text::write(version);
        match (self, is_new) {
            (Self::File, _) => ("write", json!({ "path": place, "content": content })),
            (Self::Memory, IsNew::Yes) => {
                ("create_memory", json!({ "path": place, "content": content }))
            }
            (Self::Memory, IsNew::No) => {
                ("update_memory", json!({ "path": place, "content": content }))
            }
            (Self::Note, _) => {
                let id = place.rsplit('/').next().unwrap_or(place);
                let content = format!("---\nid: {id}\ntitle: {id}\n---\n{content}");
                let action = if is_new == IsNew::Yes { "create" } else { "update" };
                let arguments = json!({
                    "item_type": "knowledge", "action": action, "item_id": place,
                    "content": content
                });
                ("execute", arguments)
            }
        }
    }

    fn move_call(self, from: &str, to: &str) -> (&'static str, Value) {
        let tool = if matches!(self, Self::File) { "move" } else { "move_memory" };
        (tool, json!({ "from": from, "to": to }))
    }

    fn read_call(self, place: &str) -> (&'static str, Value) {
        match self {
            Self::File => ("read", json!({ "path": place })),
            Self::Memory => ("get_memory", json!({ "path": place })),
            Self::Note => {
                ("execute", json!({ "item_type": "knowledge", "action": "run", "item_id": place }))
            }
        }
    }
}

/// Whether a thing does not exist yet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IsNew {
    Yes,
    No,
}

/// An actor, and what it saw.
pub(super) struct Actor<'a> {
    torture: &'a Torture,
    client: Client<'a>,
    role: Role,
    random: Random,
    report: TortureReport,
}

impl<'a> Actor<'a> {
    pub(super) fn new(torture: &'a Torture, number: usize, role: Role) -> Self {
        let (Role::Writer(_, agent) | Role::Reader(_, agent)) = role;
        let client = Client::new(torture, number, agent);
        Self { torture, client, role, random: Random::new(), report: TortureReport::default() }
    }

    /// Acts until the torture is over, and then looks at everything once more.
    pub(super) fn act(mut self) -> io::Result<TortureReport> {
        match self.role {
            Role::Writer(thing, agent) => self.write(thing, agent)?,
            Role::Reader(thing, agent) => self.read(thing, agent)?,
        }
        Ok(self.report)
    }

    fn write(&mut self, thing: Thing, agent: &str) -> io::Result<()> {
        let places = (0..THINGS).map(|number| thing.places(agent, number)).collect::<Vec<_>>();
        let mut ledger = (0..THINGS).map(|_| Entry::default()).collect::<Vec<_>>();
        if matches!(thing, Thing::Memory) {
            for path in ["a", "b"] {
                self.call_until_answered("create_category", &json!({ "path": path }))?;
            }
        }
        let mut version = 0;
        while !self.torture.is_over() {
            version += 1;
            let chosen = usize::try_from(self.random.below(THINGS as u64)).unwrap_or_default();
            let (places, entry) = (&places[chosen], &mut ledger[chosen]);
            if !self.change(thing, places, (entry, version))? {
                self.check(thing, places, entry)?;
            }
        }
        for (places, entry) in places.iter().zip(&mut ledger) {
            self.check(thing, places, entry)?;
        }
        Ok(())
    }

    /// Writes or moves a thing. Returns false if nobody knows whether that was done.
    fn change(
        &mut self,
        thing: Thing,
        places: &[String],
        (entry, version): (&mut Entry, u64),
    ) -> io::Result<bool> {
        let moved = entry.current().filter(|_| places.len() > 1 && version % 3 == 0);
        let (tool, arguments) = if let Some(state) = moved {
            let place = 1 - state.place;
            entry.attempt(State { place, ..state });
            thing.move_call(&places[state.place], &places[place])
        } else {
            let is_new = if entry.current().is_some() { IsNew::No } else { IsNew::Yes };
            let place = entry.current().map_or(0, |state| state.place);
            entry.attempt(State { version, place });
            thing.write_call(&places[place], version, is_new)
        };
        match self.client.call(tool, &arguments)? {
            Answer::Reply(reply) if reply["reply_type"] == "S" => {
                entry.acknowledge();
                let count =
                    if moved.is_some() { &mut self.report.moves } else { &mut self.report.writes };
                *count += 1;
                Ok(true)
            }
            Answer::Reply(reply) => {
                note(&mut self.report.failures, format!("{tool} {arguments}: {reply}"));
                Ok(false)
            }
            Answer::Killed => Ok(false),
        }
    }

    /// Compares a thing with what was acknowledged.
    fn check(&mut self, thing: Thing, places: &[String], entry: &mut Entry) -> io::Result<()> {
        let mut found = Vec::new();
        for (place, path) in places.iter().enumerate() {
            let (tool, arguments) = thing.read_call(path);
            let reply = self.call_until_answered(tool, &arguments)?;
            let version = self.version_in(path, &reply);
            found.extend(version.map(|version| State { version, place }));
        }
        if let Err(loss) = entry.compare(&found) {
            note(&mut self.report.losses, format!("{}: {loss}", places[0]));
        }
        Ok(())
    }

    fn read(&mut self, thing: Thing, agent: &str) -> io::Result<()> {
        while !self.torture.is_over() {
            let chosen = usize::try_from(self.random.below(THINGS as u64)).unwrap_or_default();
            for path in thing.places(agent, chosen) {
                let (tool, arguments) = thing.read_call(&path);
                if let Answer::Reply(reply) = self.client.call(tool, &arguments)? {
                    self.version_in(&path, &reply);
                }
            }
        }
        Ok(())
    }

    /// Returns the version that was read, if there is one. What is not whole is noted.
    fn version_in(&mut self, path: &str, reply: &Value) -> Option<u64> {
        match reply["reply_type"].as_str() {
            Some("S") => {
                let text = reply["data"]["content"].as_str().unwrap_or_default();
                let version = text::version(text);
                match version {
                    Some(_) => self.report.reads += 1,
                    None => note(&mut self.report.torn, format!("{path}: {} bytes", text.len())),
                }
                version
            }
            // It is not there.
            Some("I") => None,
            _ => {
                note(&mut self.report.failures, format!("{path}: {reply}"));
                None
            }
        }
    }

    fn call_until_answered(&mut self, tool: &str, arguments: &Value) -> io::Result<Value> {
        loop {
            if let Answer::Reply(reply) = self.client.call(tool, arguments)? {
                return Ok(reply);
            }
        }
    }
}

/// Keeps a finding. Of very many the first are enough.
fn note(findings: &mut Vec<String>, finding: String) {
    if findings.len() < MOST_REPORTED {
        findings.push(finding);
    }
}
