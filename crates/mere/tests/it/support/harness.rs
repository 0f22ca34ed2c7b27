//! A stage for the real binary, where every agent-facing byte is checked for host paths.
//!
//! A `Stage` is a temporary folder with a home, a project and room beside them. Whatever `mere`
//! prints to an agent goes through [`Stage::check`], which fails on any spelling of those folders:
//! so every end-to-end test is a leak test too.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

use serde_json::{Value, json};

const MERE: &str = env!("CARGO_BIN_EXE_mere");

/// A place to run `mere` in.
pub(crate) struct Stage {
    base: tempfile::TempDir,
    variables: Vec<(String, PathBuf)>,
}

/// A reply and the exit status it came with.
pub(crate) struct Answer {
    pub(crate) reply: Value,
    pub(crate) status: i32,
}

impl Answer {
    pub(crate) fn code(&self) -> &str {
        self.reply["code"].as_str().expect("a code")
    }

    /// The `path` of each entry, or directory, of the answer.
    pub(crate) fn paths(&self) -> Vec<String> {
        let data = &self.reply["data"];
        let list = data.get("entries").or(data.get("directories")).and_then(Value::as_array);
        let list = list.unwrap_or_else(|| panic!("no listing in {}", self.reply));
        list.iter().map(|entry| entry["path"].as_str().expect("a path").to_owned()).collect()
    }

    /// The reply with its ids checked and taken out, for comparing and for snapshots.
    pub(crate) fn timeless(&self) -> Value {
        timeless(&self.reply)
    }
}

/// See [`Answer::timeless`].
pub(crate) fn timeless(reply: &Value) -> Value {
    let mut reply = reply.clone();
    let trace = reply["trace"]["trace_id"].as_str().expect("every reply has a trace id");
    assert!(trace.len() == 32 && trace.bytes().all(|b| b.is_ascii_hexdigit()), "{trace}");
    reply.as_object_mut().expect("an object").shift_remove("trace");
    // The handle of a run is random.
    if let Some(run) = reply.pointer_mut("/data/run").filter(|run| run.is_string()) {
        *run = Value::from("a run");
    }
    reply
}

impl Stage {
    pub(crate) fn new() -> Self {
        let base = tempfile::tempdir().expect("a temporary folder");
        let stage = Self { base, variables: Vec::new() };
        for folder in ["home", "project/.git", "beside"] {
            stage.folder(folder);
        }
        stage
    }

    /// A path on the stage.
    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.base.path().join(below)
    }

    /// Makes a folder on the stage.
    pub(crate) fn folder(&self, below: &str) -> PathBuf {
        let path = self.path(below);
        std::fs::create_dir_all(&path).expect("a folder");
        path
    }

    /// Writes a file on the stage, and the folders it lies in.
    pub(crate) fn file(&self, below: &str, text: &str) -> PathBuf {
        let path = self.path(below);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// Makes a symbolic link on the stage.
    pub(crate) fn link(&self, target: impl AsRef<Path>, below: &str) {
        let path = self.path(below);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::os::unix::fs::symlink(target, path).expect("a link");
    }

    /// Sets an environment variable to a path on the stage, for every run from now on.
    pub(crate) fn variable(&mut self, name: &str, below: &str) {
        let path = self.path(below);
        self.variables.push((name.to_owned(), path));
    }

    /// Sets an environment variable to a text, for every run from now on.
    pub(crate) fn setting(&mut self, name: &str, text: &str) {
        self.variables.push((name.to_owned(), PathBuf::from(text)));
    }

    /// `mere` on this stage, started in `below`, with an environment of its own.
    pub(crate) fn command(&self, below: &str) -> Command {
        let mut command = Command::new(MERE);
        command.env_clear().env("HOME", self.path("home")).current_dir(self.path(below));
        command.envs(self.variables.iter().map(|(name, path)| (name, path)));
        command
    }

    /// Runs a command for people; its output may name host paths.
    pub(crate) fn person(&self, arguments: &[&str]) -> Output {
        self.command("project").args(arguments).output().expect("mere runs")
    }

    /// One agent-facing call from the project folder.
    pub(crate) fn call(&self, arguments: &Value) -> Answer {
        self.call_text("dir", &arguments.to_string())
    }

    pub(crate) fn call_text(&self, tool: &str, arguments: &str) -> Answer {
        let mut command = self.command("project");
        self.answer(command.args(["call", tool, arguments]))
    }

    /// The same command as a user without privileges who owns the stage; root is not stopped by
    /// permissions, so cases about them run as somebody else.
    pub(crate) fn unprivileged(&self, below: &str) -> Command {
        let own = std::fs::metadata("/proc/self").expect("this process");
        let is_root = std::os::unix::fs::MetadataExt::uid(&own) == 0;
        if !is_root {
            return self.command(below);
        }
        let mere = self.path("mere");
        if !mere.exists() {
            // By a process of its own: one that another test starts meanwhile would inherit the
            // handle, and nobody can run a file that is open for writing.
            let copied = Command::new("cp").arg(MERE).arg(&mere).status();
            assert!(copied.expect("cp").success());
        }
        let chown =
            Command::new("chown").args(["-R", "65534:65534"]).arg(self.base.path()).status();
        assert!(chown.expect("chown").success());
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(mere);
        command.env_clear().env("HOME", self.path("home")).current_dir(self.path(below));
        command
    }

    /// Runs an agent-facing command and checks what it prints.
    pub(crate) fn answer(&self, command: &mut Command) -> Answer {
        let output = command.output().expect("mere runs");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        self.check(&text);
        let reply = serde_json::from_str(&text).unwrap_or_else(|error| {
            panic!("{error}: {text:?} {:?}", String::from_utf8_lossy(&output.stderr))
        });
        Answer { reply, status: output.status.code().expect("an exit status") }
    }

    /// Lists a path and says which addresses were there.
    pub(crate) fn list(&self, path: &str) -> Answer {
        self.call(&json!({ "command": "list", "path": path }))
    }

    /// Fails if `text` holds a spelling of this stage's folders, of the machine's temporary folder or
    /// of the home folder.
    pub(crate) fn check(&self, text: &str) {
        let canonical = self.base.path().canonicalize().expect("a canonical path");
        for path in [self.base.path(), &canonical, &std::env::temp_dir()] {
            let path = path.to_str().expect("UTF-8");
            for spelling in [
                path.to_owned(),
                path.replace('/', "\\/"),
                path.replace('/', "%2F"),
                path.replace('/', "%2f"),
            ] {
                assert!(!text.contains(&spelling), "a host path was shown to an agent: {text}");
            }
        }
        let home = std::env::home_dir().expect("a home");
        let home = home.to_str().expect("UTF-8").to_owned() + "/";
        assert!(!text.contains(&home), "the home folder was shown to an agent: {text}");
    }
}

/// `mere mcp` on a stage, spoken to line by line.
pub(crate) struct Mcp<'a> {
    stage: &'a Stage,
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last_id: u64,
    peak: usize,
}

impl<'a> Mcp<'a> {
    pub(crate) fn start(stage: &'a Stage, arguments: &[&str]) -> Self {
        let mut command = stage.command("project");
        command.arg("mcp").args(arguments);
        Self::spawn(stage, command)
    }

    /// A whole command line that ends in `mere mcp`, such as one with limits around it.
    pub(crate) fn spawn(stage: &'a Stage, mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("mere mcp starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("its output"));
        Self { stage, child, input, output, last_id: 0, peak: 0 }
    }

    /// Starts and shakes hands as a 2025-11-25 client.
    pub(crate) fn greeted(stage: &'a Stage, arguments: &[&str]) -> Self {
        let mut mcp = Self::start(stage, arguments);
        mcp.greet();
        mcp
    }

    /// Shakes hands, and returns the server's half.
    pub(crate) fn greet(&mut self) -> Value {
        let answer = self.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": "Test Client", "version": "1" }
            }),
        );
        self.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        answer["result"].clone()
    }

    /// Writes raw bytes and a newline.
    pub(crate) fn send(&mut self, line: &[u8]) {
        let input = self.input.as_mut().expect("open input");
        input.write_all(line).and_then(|()| input.write_all(b"\n")).expect("the server reads");
        input.flush().expect("the server reads");
    }

    /// Reads one line, checked for leaks.
    pub(crate) fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("UTF-8");
        self.stage.check(&line);
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(message.to_string().as_bytes());
        loop {
            let answer = self.receive();
            // The server reports changed lists whenever it notices them.
            let method = answer["method"].as_str();
            if method.is_some_and(|method| method.ends_with("/list_changed")) {
                continue;
            }
            assert_eq!(answer["id"], id, "{answer}");
            return answer;
        }
    }

    /// Calls a tool and returns the whole result.
    pub(crate) fn tool(&mut self, name: &str, arguments: &Value) -> Value {
        let answer = self.request("tools/call", &json!({ "name": name, "arguments": arguments }));
        answer["result"].clone()
    }

    /// Calls `dir` and returns the reply.
    pub(crate) fn dir(&mut self, arguments: &Value) -> Value {
        self.tool("dir", arguments)["structuredContent"].clone()
    }

    /// Writes lines while it reads the answers, up to the one with the id `last`; each is checked
    /// for leaks.
    pub(crate) fn exchange(&mut self, lines: &[String], last: &str) -> Vec<Value> {
        let input = self.input.as_mut().expect("open input");
        let (output, stage) = (&mut self.output, self.stage);
        std::thread::scope(|threads| {
            threads.spawn(|| {
                for line in lines {
                    input.write_all(line.as_bytes()).expect("the server reads");
                    input.write_all(b"\n").expect("the server reads");
                }
            });
            let mut answers = Vec::new();
            loop {
                let mut line = String::new();
                output.read_line(&mut line).expect("UTF-8");
                stage.check(&line);
                let answer = serde_json::from_str::<Value>(&line)
                    .unwrap_or_else(|error| panic!("{error}: {line:?}"));
                let ends = answer["id"] == last;
                answers.push(answer);
                if ends {
                    return answers;
                }
            }
        })
    }

    /// Writes lines until the server takes no more for a second, reading nothing; returns how many
    /// bytes it took.
    pub(crate) fn flood(&mut self, line: impl Fn(usize) -> String + Send + Sync) -> usize {
        let input = self.input.as_mut().expect("open input");
        let taken = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|threads| {
            let writer = threads.spawn(|| {
                for id in 0..100_000 {
                    let line = line(id) + "\n";
                    if input.write_all(line.as_bytes()).is_err() {
                        return;
                    }
                    taken.fetch_add(line.len(), std::sync::atomic::Ordering::Relaxed);
                }
            });
            let mut before = usize::MAX;
            loop {
                std::thread::sleep(std::time::Duration::from_secs(1));
                let now = taken.load(std::sync::atomic::Ordering::Relaxed);
                if now == before || writer.is_finished() {
                    self.peak = peak_memory(self.child.id());
                    let _ = self.child.kill();
                    return now;
                }
                before = now;
            }
        })
    }

    /// The most memory the server has held so far, in KiB.
    pub(crate) fn memory(&self) -> usize {
        peak_memory(self.child.id())
    }

    /// The most memory the server has held so far for what it does, in KiB: without the pages of the
    /// program itself, of which a debug build has tens of megabytes.
    pub(crate) fn working_memory(&self) -> usize {
        let mapped = process_memory(self.child.id(), "RssFile:");
        self.memory().saturating_sub(mapped)
    }

    /// The most memory the server held during [`Mcp::flood`], in KiB.
    pub(crate) fn peak_memory(&self) -> usize {
        self.peak
    }

    /// The server's process.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Tells the server to stop.
    pub(crate) fn terminate(&self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").arg(id).status().expect("kill").success());
    }

    /// Closes the input and waits for the end: exit status and whatever was still printed.
    pub(crate) fn finish(mut self) -> (i32, String) {
        drop(self.input.take());
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.output, &mut rest).expect("UTF-8");
        self.stage.check(&rest);
        let status = self.child.wait().expect("it ends");
        (status.code().expect("an exit status"), rest)
    }
}

impl Drop for Mcp<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The most memory a process has held so far, in KiB.
fn peak_memory(process: u32) -> usize {
    process_memory(process, "VmHWM:")
}

/// One of the figures that the kernel has about the memory of a process, in KiB.
fn process_memory(process: u32, figure: &str) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix(figure)).expect("the figure");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// `mere mcp --http` on a stage, on a port of its own.
pub(crate) struct Http<'a> {
    stage: &'a Stage,
    child: Child,
    url: String,
}

impl<'a> Http<'a> {
    pub(crate) fn start(stage: &'a Stage, arguments: &[&str]) -> Self {
        Self::start_at(stage, "127.0.0.1:0", arguments)
    }

    pub(crate) fn start_at(stage: &'a Stage, address: &str, arguments: &[&str]) -> Self {
        let mut command = stage.command("project");
        command.args(["mcp", "--http", address, "--log-file"]).arg(stage.path("mcp.log"));
        let mut child = command.args(arguments).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut url = String::new();
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        output.read_line(&mut url).expect("it says where it is");
        Self { stage, child, url: url.trim().to_owned() }
    }

    pub(crate) fn url(&self) -> String {
        self.url.clone()
    }

    /// The address it listens at.
    pub(crate) fn address(&self) -> &str {
        self.url.trim_start_matches("http://").trim_end_matches("/mcp")
    }

    /// Sends raw bytes on a connection of their own and reads to its end; the answer is checked for
    /// leaks.
    pub(crate) fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = std::net::TcpStream::connect(self.address()).expect("it listens");
        stream.set_read_timeout(Some(std::time::Duration::from_mins(1))).expect("a timeout");
        // The server may answer and close before it has read everything.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = std::io::Read::read_to_end(&mut stream, &mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        self.stage.check(&answer);
        answer
    }

    /// Posts a JSON text with the given headers besides the usual ones.
    pub(crate) fn post(&self, headers: &[(&str, &str)], body: &str) -> HttpAnswer {
        let mut head = String::from("POST /mcp HTTP/1.1\r\nConnection: close\r\n");
        let usual = [
            ("Host", self.address()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        let given = |name: &str| headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name));
        for (name, value) in usual.iter().filter(|(name, _)| !given(name)).chain(headers) {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        let _ = write!(head, "Content-Length: {}\r\n\r\n{body}", body.len());
        HttpAnswer::parse(&self.raw(head.as_bytes()))
    }

    /// A stateless request as bytes, for a connection that the test holds itself.
    pub(crate) fn request(&self, method: &str, name: Option<&str>, params: &Value) -> String {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let body = body.to_string();
        let name = name.map_or(String::new(), |name| format!("Mcp-Name: {name}\r\n"));
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
             Mcp-Method: {method}\r\n{name}Content-Length: {}\r\n\r\n{body}",
            self.address(),
            body.len()
        )
    }

    /// A call of the stateless revision, with a token if given.
    pub(crate) fn call(&self, arguments: &Value, token: Option<&str>) -> HttpAnswer {
        let params = json!({ "_meta": modern_meta(), "name": "dir", "arguments": arguments });
        let message =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let bearer = token.map(|token| format!("Bearer {token}"));
        let mut headers = MODERN.to_vec();
        if let Some(bearer) = &bearer {
            headers.push(("Authorization", bearer));
        }
        self.post(&headers, &message.to_string())
    }

    /// The most memory it has held, in KiB.
    pub(crate) fn peak_memory(&self) -> usize {
        peak_memory(self.child.id())
    }

    /// Tells it to stop, and waits.
    pub(crate) fn stop(mut self) -> i32 {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").arg(id).status().expect("kill").success());
        self.child.wait().expect("it ends").code().expect("an exit status")
    }
}

impl Drop for Http<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The headers of a stateless tool call.
pub(crate) const MODERN: [(&str, &str); 3] =
    [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "dir")];

/// The `_meta` of a stateless request.
pub(crate) fn modern_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {}
    })
}

/// An answer over HTTP.
#[derive(Debug)]
pub(crate) struct HttpAnswer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl HttpAnswer {
    fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let body = if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
            unchunked(body)
        } else {
            body.to_owned()
        };
        Self { status, head: head.to_owned(), body }
    }

    /// The last JSON-RPC message: the body, or the last event's data.
    pub(crate) fn message(&self) -> Value {
        let event = self.body.lines().rev().find_map(|line| line.strip_prefix("data: {"));
        let text = event.map_or(self.body.clone(), |rest| format!("{{{rest}"));
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The reply in it.
    pub(crate) fn reply(&self) -> Value {
        self.message()["result"]["structuredContent"].clone()
    }

    /// A header's value.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let line = self.head.lines().find(|line| {
            line.split(':').next().is_some_and(|given| given.eq_ignore_ascii_case(name))
        })?;
        line.split_once(": ").map(|(_, value)| value.trim())
    }
}

fn unchunked(body: &str) -> String {
    let mut out = String::new();
    let mut rest = body;
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap_or(0);
        if size == 0 || size > after.len() {
            break;
        }
        out.push_str(&after[..size]);
        rest = after[size..].trim_start_matches("\r\n");
    }
    out
}
