//! Who keeps one server of the storm busy, and knows what must be there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::time::Instant;

use serde_json::{Value, json};

use crate::memory::storm::{Change, HOMES, Kept, POOL, Storm, below, body, count, open};
use crate::support::memory_server::Server;

/// How many creates, updates and moves are asked for before the first answer is read.
const BATCH: usize = 25;
/// How often the category that comes and goes is deleted, in batches.
const PURGE: usize = 4;
/// A digest that no memory has.
const STALE: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// One driver.
pub(crate) struct Driver<'a> {
    storm: &'a Storm,
    number: usize,
    server: Server<'a>,
    /// What nobody changes but this driver.
    kept: BTreeMap<String, Kept>,
    batches: usize,
    tokens: usize,
}

/// What is asked for.
struct Op {
    tool: &'static str,
    arguments: Value,
    about: About,
}

/// How it is settled.
enum About {
    /// A new memory of the driver; in a category that others delete, it may be refused.
    Create {
        path: String,
        token: String,
        may_fail: bool,
    },
    Update {
        path: String,
        token: String,
    },
    Move {
        from: String,
        to: String,
    },
    /// Something at a path that is taken, or with a digest that is not the memory's.
    Refused,
    /// What all drivers want to make.
    Race {
        path: String,
        token: String,
    },
    /// Another text for a memory of the pool.
    Change {
        object: usize,
        token: String,
        expected: Option<String>,
    },
    /// Another home for it.
    Shift,
    /// A category that others make and delete too.
    Category,
    /// The driver's category that comes and goes, with all that is in it.
    Purge,
}

impl<'a> Driver<'a> {
    pub(crate) fn new(storm: &'a Storm, number: usize) -> Self {
        let server = Server::start(storm, number);
        Self { storm, number, server, kept: BTreeMap::new(), batches: 0, tokens: 0 }
    }

    /// Asks for everything, and returns what must be there.
    pub(crate) fn run(mut self) -> BTreeMap<String, Kept> {
        for category in ["a", "b/deep"] {
            self.ask("create_category", &json!({ "path": self.own(category) })).expect("made");
        }
        let mut left = self.storm.each;
        while left > 0 {
            let batch = left.min(BATCH);
            self.attempt(batch);
            left -= batch;
        }
        self.kept
    }

    /// One batch: asked for at once, and settled one by one.
    fn attempt(&mut self, batch: usize) {
        self.batches += 1;
        self.ask("create_category", &json!({ "path": self.own("gone") })).expect("made");
        let object = below(POOL);
        let seen = HOMES.map(|home| self.find(&format!("{home}/o{object}")));
        let mut busy = BTreeSet::new();
        let mut ops =
            (0..batch).map(|_| self.choose(&mut busy, (object, &seen))).collect::<Vec<_>>();
        for tool in ["create_category", "delete_category"] {
            let arguments = json!({ "path": format!("common/c{}", self.batches) });
            ops.insert(below(ops.len()), Op { tool, arguments, about: About::Category });
        }
        if self.purges() {
            let arguments = json!({ "path": self.own("gone"), "recursive": true });
            let purge = Op { tool: "delete_category", arguments, about: About::Purge };
            ops.insert(below(ops.len()), purge);
        }
        self.storm.requested.fetch_add(batch, Ordering::Relaxed);
        let began = Instant::now();
        let calls = ops.iter().map(|op| (op.tool, op.arguments.clone())).collect::<Vec<_>>();
        let answers = self.server.exchange(&calls);
        for (op, (answer, ended)) in ops.into_iter().zip(answers) {
            let answer = answer.map(|reply| reply_data(&op, &reply));
            if !matches!(op.about, About::Category | About::Purge) {
                let storm = self.storm;
                count(match &answer {
                    Some(Ok(_)) => &storm.acknowledged,
                    Some(Err(_)) => &storm.refused,
                    None => &storm.unanswered,
                });
            }
            self.settle(op, answer, (began, ended));
        }
    }

    fn purges(&self) -> bool {
        self.batches.is_multiple_of(PURGE)
    }

    fn own(&self, below: &str) -> String {
        format!("d{}/{below}", self.number)
    }

    fn token(&mut self) -> String {
        self.tokens += 1;
        format!("t{}-{}", self.number, self.tokens)
    }

    /// A path that nobody has.
    fn fresh(&mut self) -> String {
        let categories = ["a", "b", "b/deep", "gone"];
        let category = categories[below(if self.purges() { 3 } else { 4 })];
        let token = self.token();
        self.own(&format!("{category}/{token}"))
    }

    /// One of the driver's memories that nothing else of this batch is about.
    fn pick(&self, busy: &mut BTreeSet<String>) -> Option<String> {
        let (own, gone) = (self.own(""), self.own("gone/"));
        let is_free = |path: &&String| {
            let goes = self.purges() && path.starts_with(&gone);
            path.starts_with(&own) && !goes && !busy.contains(*path)
        };
        let free = self.kept.keys().filter(is_free).collect::<Vec<_>>();
        let picked = free.get(below(free.len().max(1))).map(|path| (*path).clone());
        busy.extend(picked.clone());
        picked
    }

    fn choose(&mut self, busy: &mut BTreeSet<String>, pool: (usize, &[Option<Kept>; 2])) -> Op {
        let (token, chance) = (self.token(), below(100));
        match chance {
            0..14 => return choose_shared(token, chance, pool),
            14..20 => {
                let path = format!("race/r{}", self.tokens / 30);
                if busy.insert(path.clone()) {
                    let arguments = memory_arguments(&path, &token);
                    let about = About::Race { path, token };
                    return Op { tool: "create_memory", arguments, about };
                }
            }
            20..24 => {
                let path = format!("common/c{}/{token}", self.batches);
                return create(path, token, true);
            }
            24..64 => {
                if let Some(path) = self.pick(busy) {
                    return self.choose_own(path, token, chance);
                }
            }
            64..66 => {
                if let (Some(from), Some(to)) = (self.pick(busy), self.pick(busy)) {
                    let arguments = json!({ "from": from, "to": to });
                    return Op { tool: "move_memory", arguments, about: About::Refused };
                }
            }
            _ => {}
        }
        create(self.fresh(), token, false)
    }

    /// Something about a memory of the driver's own.
    fn choose_own(&mut self, path: String, token: String, chance: usize) -> Op {
        let mut arguments = memory_arguments(&path, &token);
        match chance {
            24..27 => Op { tool: "create_memory", arguments, about: About::Refused },
            27..30 => {
                arguments["expect_sha256"] = STALE.into();
                Op { tool: "update_memory", arguments, about: About::Refused }
            }
            30..50 => {
                if chance.is_multiple_of(2) {
                    arguments["expect_sha256"] = self.kept[&path].sha256.clone().into();
                }
                Op { tool: "update_memory", arguments, about: About::Update { path, token } }
            }
            _ => {
                let to = self.fresh();
                let arguments = json!({ "from": path, "to": to });
                Op { tool: "move_memory", arguments, about: About::Move { from: path, to } }
            }
        }
    }

    /// Takes note of what an answer says, or looks what became of a call without one.
    fn settle(&mut self, op: Op, answer: Option<Result<Value, String>>, time: (Instant, Instant)) {
        let Op { about, arguments, .. } = op;
        let kept = |token: String, data: &Value| Kept { token, sha256: text(&data["sha256"]) };
        match (about, answer) {
            (About::Refused, Some(Ok(_))) => panic!("{arguments} must be refused"),
            (About::Refused | About::Shift | About::Category, _)
            | (About::Create { may_fail: true, .. } | About::Change { .. }, Some(Err(_))) => {}
            (About::Create { path, token, .. } | About::Update { path, token }, Some(Ok(data))) => {
                self.kept.insert(path, kept(token, &data));
            }
            (About::Create { path, token, .. } | About::Update { path, token }, None) => {
                let there = self.find(&path);
                let is_new = there.as_ref().is_some_and(|there| there.token == token);
                assert!(is_new || there.as_ref() == self.kept.get(&path), "{path}: {there:?}");
                self.kept.extend(there.map(|there| (path, there)));
            }
            (About::Move { from, to }, Some(Ok(data))) => {
                let old = self.kept.remove(&from).expect("a memory");
                assert_eq!(old.sha256, text(&data["sha256"]), "{from}");
                self.kept.insert(to, old);
            }
            (About::Move { from, to }, None) => {
                let old = self.kept.remove(&from).expect("a memory");
                let there = [&from, &to].map(|path| self.find(path));
                let is_moved = there[1].is_some();
                let whole = [&there[0], &there[1]][usize::from(is_moved)];
                assert!(whole.as_ref() == Some(&old) && there.contains(&None), "{there:?}");
                self.kept.insert(if is_moved { to } else { from }, old);
            }
            (About::Race { path, token }, answer) => {
                // Whoever is refused has seen another's.
                let claim = match answer {
                    Some(Ok(data)) => (token, Some(text(&data["sha256"]))),
                    Some(Err(_)) => (String::new(), None),
                    None => (token, None),
                };
                open(&self.storm.races).entry(path).or_default().push(claim);
            }
            (About::Change { object, token, expected }, answer) => {
                let (is_acknowledged, (began, ended)) = (answer.is_some(), time);
                let change = Change { object, token, expected, is_acknowledged, began, ended };
                open(&self.storm.changes).push(change);
            }
            (About::Purge, Some(Ok(_))) => self.purge(),
            (About::Purge, None) => self.look_for_purged(),
            (_, Some(Err(reply))) => panic!("{arguments} is refused: {reply}"),
        }
    }

    fn purge(&mut self) {
        let gone = self.own("gone/");
        self.kept.retain(|path, _| !path.starts_with(&gone));
    }

    /// Looks whether the category that goes is gone: with all that was in it, or not at all.
    fn look_for_purged(&mut self) {
        let gone = self.own("gone/");
        let paths = self.kept.keys().filter(|path| path.starts_with(&gone)).cloned();
        let paths = paths.collect::<Vec<_>>();
        let left = paths.iter().filter(|path| self.find(path).is_some()).count();
        assert!(left == 0 || left == paths.len(), "{left} of {} are left", paths.len());
        if left == 0 {
            self.purge();
        }
    }

    /// What is at a path now.
    fn find(&mut self, path: &str) -> Option<Kept> {
        let data = self.ask("get_memory", &json!({ "path": path })).ok()?;
        let content = text(&data["content"]);
        let token = content.trim_start().lines().next().unwrap_or_default().to_owned();
        assert_eq!(content.trim_start(), body(&token), "{path} is torn");
        Some(Kept { token, sha256: text(&data["sha256"]) })
    }

    /// Asks for something that may be asked for twice, until there is an answer.
    fn ask(&mut self, tool: &'static str, arguments: &Value) -> Result<Value, String> {
        loop {
            let answers = self.server.exchange(&[(tool, arguments.clone())]);
            if let Some((Some(reply), _)) = answers.into_iter().next() {
                let about = About::Category;
                return reply_data(&Op { tool, arguments: arguments.clone(), about }, &reply);
            }
        }
    }
}

/// Something about a memory of the pool, where it was last seen.
fn choose_shared(token: String, chance: usize, (object, seen): (usize, &[Option<Kept>; 2])) -> Op {
    let home = usize::from(seen[0].is_none());
    let path = |home: usize| format!("{}/o{object}", HOMES[home]);
    if chance < 3 {
        let arguments = json!({ "from": path(home), "to": path(1 - home) });
        return Op { tool: "move_memory", arguments, about: About::Shift };
    }
    let mut arguments = memory_arguments(&path(home), &token);
    let expected = seen[home].as_ref().filter(|_| chance < 9).map(|kept| kept.sha256.clone());
    if let Some(sha256) = &expected {
        arguments["expect_sha256"] = sha256.clone().into();
    }
    Op { tool: "update_memory", arguments, about: About::Change { object, token, expected } }
}

/// What a reply says; none of them may be an error.
fn reply_data(op: &Op, reply: &Value) -> Result<Value, String> {
    match reply["reply_type"].as_str() {
        Some("S") => Ok(reply["data"].clone()),
        Some("I") => Err(reply.to_string()),
        _ => panic!("{} {}: {reply}", op.tool, op.arguments),
    }
}

fn create(path: String, token: String, may_fail: bool) -> Op {
    let arguments = memory_arguments(&path, &token);
    Op { tool: "create_memory", arguments, about: About::Create { path, token, may_fail } }
}

fn memory_arguments(path: &str, token: &str) -> Value {
    json!({ "path": path, "content": body(token) })
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}
