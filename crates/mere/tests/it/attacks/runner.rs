//! Runs cases one after the other against one server, and checks the same things after each.

use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::attacks::case::{AttackCase, Expectation, Request};
use crate::attacks::checks::{self, Leaks};
use crate::attacks::server::{DEADLINE, Server};
use crate::attacks::tampering::Undo;
use crate::attacks::world::World;
use crate::support::harness::Http;

/// The most memory that a server may have held after all cases of a fixture, in KiB.
const PEAK_MEMORY: usize = 256 * 1024;

/// A fixture with its server, and what went wrong so far.
pub(crate) struct Runner<'a> {
    world: &'a World,
    leaks: Leaks,
    codes: Vec<String>,
    server: Server,
    http: Option<Http<'a>>,
    wrong: Vec<String>,
}

/// What a request brought: all bytes, and what they say.
struct Outcome {
    bytes: Vec<u8>,
    /// The reply as it came, if there is one.
    reply: Option<Value>,
    /// The same without what differs from call to call.
    said: Said,
}

/// What an answer says.
#[derive(PartialEq)]
enum Said {
    Reply(Value),
    RpcError(i64, Value),
    Status(u16, Option<Value>),
    Nothing,
}

impl<'a> Runner<'a> {
    /// A server on a world.
    pub(crate) fn new(world: &'a World) -> Self {
        Self {
            world,
            leaks: Leaks::of(world),
            codes: checks::known_codes(),
            server: Server::start(&world.stage),
            http: None,
            wrong: Vec::new(),
        }
    }

    /// The same with a server over HTTP, with these arguments.
    pub(crate) fn over_http(world: &'a World, arguments: &[&str]) -> Self {
        Self { http: Some(Http::start(&world.stage, arguments)), ..Self::new(world) }
    }

    /// Runs cases of an area, and checks after each.
    pub(crate) fn run(mut self, cases: &[AttackCase]) {
        for case in cases {
            let mut faults = self.try_case(case);
            if let Err(fault) = self.check_alive() {
                faults.push(format!("the server does not answer afterwards: {fault}"));
                self.server = Server::start(&self.world.stage);
            }
            self.wrong.extend(faults.iter().map(|fault| format!("{}: {fault}", case.name)));
        }
        self.finish();
    }

    /// Asks each many times while somebody else changes the disk, and checks every answer.
    pub(crate) fn run_raced(mut self, cases: &[AttackCase]) {
        const ROUNDS: usize = 60;
        for case in cases {
            let outcomes = (0..ROUNDS).map(|_| self.ask(&case.request, &case.expects));
            let outcomes = outcomes.collect::<Vec<_>>();
            let faults = outcomes.into_iter().filter_map(|outcome| match outcome {
                Ok(outcome) => self.check(case, &outcome),
                Err(fault) => Some(fault),
            });
            let faults = faults.map(|fault| format!("{}: {fault}", case.name)).collect::<Vec<_>>();
            self.wrong.extend(faults.into_iter().take(3));
            if let Err(fault) = self.check_alive() {
                self.wrong.push(format!("{}: not alive afterwards: {fault}", case.name));
            }
        }
        self.finish();
    }

    fn finish(mut self) {
        let mut peaks = vec![self.server.peak_memory()];
        peaks.extend(self.http.as_ref().map(Http::peak_memory));
        for peak in peaks.into_iter().filter(|peak| *peak > PEAK_MEMORY) {
            self.wrong.push(format!("the server held {peak} KiB"));
        }
        let (count, all) = (self.wrong.len(), self.wrong.join("\n\n"));
        assert!(self.wrong.is_empty(), "{count} faults:\n\n{all}");
    }

    /// One case, twice; what went wrong.
    fn try_case(&mut self, case: &AttackCase) -> Vec<String> {
        let undo = Undo::after(&self.world.stage, &case.tampering);
        let before = checks::disk(self.world);
        let mut faults = Vec::new();
        let mut first = None;
        for round in ["", "again, "] {
            match self.ask(&case.request, &case.expects) {
                Err(fault) => faults.push(format!("{round}{fault}")),
                Ok(outcome) => {
                    faults
                        .extend(self.check(case, &outcome).map(|fault| format!("{round}{fault}")));
                    if first.as_ref().is_some_and(|first| *first != outcome.said) {
                        faults.push(format!("another answer than before: {}", outcome.said.show()));
                    }
                    first = Some(outcome.said);
                }
            }
            if !faults.is_empty() {
                break;
            }
        }
        let changes = checks::changes(&before, &checks::disk(self.world), case.effect);
        if !changes.is_empty() {
            faults.push(format!("changed: {changes:?}"));
        }
        undo.undo();
        faults
    }

    fn check(&self, case: &AttackCase, outcome: &Outcome) -> Option<String> {
        let leak = match case.request {
            Request::Person(_) => self.leaks.in_persons_view(&outcome.bytes),
            _ => self.leaks.in_agents_view(&outcome.bytes),
        };
        if let Some(leak) = leak {
            let text = String::from_utf8_lossy(&outcome.bytes);
            let text = text.chars().take(2000).collect::<String>();
            return Some(format!("shows {leak:?}: {text}"));
        }
        if let Some(reply) = &outcome.reply
            && let Some(fault) = checks::form_of_reply(reply, &self.codes)
        {
            return Some(fault);
        }
        let is_expected = match (&case.expects, &outcome.said) {
            (Expectation::Code(code), Said::Reply(reply)) => reply["code"] == *code,
            (Expectation::OneOf(codes), Said::Reply(reply)) => {
                codes.iter().any(|code| reply["code"] == *code)
            }
            (Expectation::Says(code, at, value), Said::Reply(reply)) => {
                reply["code"] == *code && reply.pointer(at) == Some(value)
            }
            (Expectation::RpcError(code), Said::RpcError(found, _)) => code == found,
            (Expectation::Status(all), Said::Status(found, _)) => all.contains(found),
            (Expectation::Silence, Said::Nothing) => true,
            _ => false,
        };
        (!is_expected).then(|| format!("not {}: {}", case.expects.describe(), outcome.said.show()))
    }

    /// Makes a request, on the surface it is for.
    fn ask(&mut self, request: &Request, expects: &Expectation) -> Result<Outcome, String> {
        let since = Instant::now();
        let host = self.world.host();
        let real = |value: &Value| -> Value {
            let text = value.to_string().replace("{stage}", &host);
            serde_json::from_str(&text).expect("JSON")
        };
        let outcome = match request {
            Request::Tool(name, arguments) => {
                let params = json!({ "name": name, "arguments": real(arguments) });
                let heard = self.server.request("tools/call", &params)?;
                Outcome::of_message(heard.bytes, heard.answers.first())
            }
            Request::Line(line) => {
                let count = usize::from(!matches!(expects, Expectation::Silence));
                let heard = self.server.line(line, count)?;
                Outcome::of_message(heard.bytes, heard.answers.first())
            }
            Request::Keyboard(name, arguments) => {
                let arguments = real(arguments).to_string();
                let mut command = self.world.stage.command("project");
                of_process(command.args(["call", name, &arguments]))?
            }
            Request::Person(words) => {
                let mut command = self.world.stage.command("project");
                of_process(command.args(words.split(' ')).arg("--json"))?
            }
            Request::Http(bytes) => {
                let http = self.http.as_ref().expect("a server over HTTP");
                of_http(&http.raw(&replaced(bytes, http.address())))
            }
        };
        let took = since.elapsed();
        if took > DEADLINE { Err(format!("it took {took:?}")) } else { Ok(outcome) }
    }

    /// The same server answers a plain call.
    fn check_alive(&mut self) -> Result<(), String> {
        for (command, expected) in [("list", "WA-DIR-S-003"), ("pwd", "WA-DIR-S-001")] {
            let params = json!({ "name": "dir", "arguments": { "command": command } });
            let heard = self.server.request("tools/call", &params)?;
            if heard.answers[0]["result"]["structuredContent"]["code"] != expected {
                return Err(format!("{command}: {}", heard.answers[0]));
            }
        }
        let Some(http) = &self.http else { return Ok(()) };
        let answer = http.call(&json!({ "command": "pwd" }), None);
        let is_alive = answer.status == 401 || answer.body.contains("WA-DIR-S-001");
        if is_alive { Ok(()) } else { Err(format!("over HTTP: {answer:?}")) }
    }
}

impl Outcome {
    /// What a JSON-RPC message says, or what its absence says.
    fn of_message(bytes: Vec<u8>, message: Option<&Value>) -> Self {
        let Some(message) = message else {
            return Self { bytes, reply: None, said: Said::Nothing };
        };
        if let Some(code) = message["error"]["code"].as_i64() {
            let said = Said::RpcError(code, without_times(&message["error"]));
            return Self { bytes, reply: None, said };
        }
        let result = &message["result"];
        Self::of_reply(bytes, result.get("structuredContent").unwrap_or(result).clone())
    }

    fn of_reply(bytes: Vec<u8>, reply: Value) -> Self {
        let said = Said::Reply(without_times(&reply));
        Self { bytes, reply: Some(reply), said }
    }
}

impl Said {
    fn show(&self) -> String {
        let text = match self {
            Self::Reply(reply) => reply.to_string(),
            Self::RpcError(code, error) => format!("JSON-RPC error {code}: {error}"),
            Self::Status(status, message) => format!("HTTP {status} {message:?}"),
            Self::Nothing => "nothing".to_owned(),
        };
        text.chars().take(1500).collect()
    }
}

/// Runs a process to its end, within the deadline; both of its outputs are seen.
fn of_process(command: &mut Command) -> Result<Outcome, String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().map_err(|error| error.to_string())?;
    let process = child.id().to_string();
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    let Ok(output) = receiver.recv_timeout(DEADLINE) else {
        let _ = Command::new("kill").args(["-9", &process]).status();
        return Err("it does not end".to_owned());
    };
    let output = output.map_err(|error| error.to_string())?;
    let reply = serde_json::from_slice::<Value>(&output.stdout)
        .map_err(|error| format!("{error}: {}", String::from_utf8_lossy(&output.stderr)))?;
    Ok(Outcome::of_reply([output.stdout, output.stderr].concat(), reply))
}

fn of_http(text: &str) -> Outcome {
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let message = serde_json::from_str(body).ok().map(|message| without_times(&message));
    Outcome { bytes: text.as_bytes().to_vec(), reply: None, said: Said::Status(status, message) }
}

fn replaced(bytes: &[u8], address: &str) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(bytes) else { return bytes.to_vec() };
    text.replace("{host}", address).into_bytes()
}

/// A value without what differs from call to call.
fn without_times(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let timed = ["trace_id", "session_id", "duration_ms", "updated_at", "receipt"];
            let kept = fields.iter().filter(|(name, _)| !timed.contains(&name.as_str()));
            let kept = kept.map(|(name, value)| (name.clone(), without_times(value)));
            Value::Object(kept.collect())
        }
        Value::Array(all) => Value::Array(all.iter().map(without_times).collect()),
        other => other.clone(),
    }
}
