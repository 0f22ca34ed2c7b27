//! The commands of `docs/sharing.md`, typed as they are written there.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::fixture::Person;
use crate::support::typist::Typist;

/// Returns the commands of the section with the ten commands, without their comments.
fn documented_commands() -> Vec<String> {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/sharing.md");
    let text = std::fs::read_to_string(guide).expect("the guide");
    let section = text.split("\n## ").find(|section| section.starts_with("Ten commands"));
    let lines = section.expect("the section").lines().filter(|line| line.starts_with("mere "));
    lines.map(|line| line.split("  #").next().unwrap_or(line).trim().to_owned()).collect()
}

/// A server that is stopped when the test ends.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A shell of a person, in which `mere` is the program that is tested.
fn shell(person: &Person, line: &str) -> Command {
    let folder = Path::new(env!("CARGO_BIN_EXE_mere")).parent().expect("its folder");
    let mut shell = person.stage.command("project");
    let environment =
        shell.get_envs().map(|(name, value)| (name.to_owned(), value.map(Into::into)));
    let environment = environment.collect::<Vec<(_, Option<std::ffi::OsString>)>>();
    shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(person.stage.path("project")).env_clear();
    shell.envs(environment.into_iter().filter_map(|(name, value)| Some((name, value?))));
    shell.env("PATH", format!("{}:/usr/bin:/bin", folder.display())).stdin(Stdio::null());
    shell
}

fn type_line(person: &Person, line: &str) -> String {
    let output = shell(person, line).output().expect("a shell");
    assert!(output.status.success(), "{line}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_ten_commands_of_the_guide_do_what_it_says() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    drop(listener);
    let commands = documented_commands();
    let commands = commands.iter().map(|line| line.replace("127.0.0.1:7420", &address));
    let commands = commands.collect::<Vec<_>>();
    let [user, namespace, key, token, serve, login, publish, search, pull, run] = &commands[..]
    else {
        panic!("ten commands: {commands:#?}");
    };
    let ada = Person::with_examples();
    type_line(&ada, "mere keys export > ~/ada.pub");
    for line in [user, namespace, key, token] {
        type_line(&ada, line);
    }
    let mut server = shell(&ada, &format!("exec {serve} --listen {address}"));
    let server = server.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let _server = Server(server.expect("the server starts"));
    let began = Instant::now();
    while std::net::TcpStream::connect(&address).is_err() {
        assert!(began.elapsed() < Duration::from_mins(1), "the server does not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    let token_file = ada.stage.path("home/token");
    let login_words = login.trim_start_matches("mere ");
    let login_words = login_words.replace("~/token", token_file.to_str().expect("text"));
    let log_in = |person: &Person| {
        let mut typist = Typist::start(&person.stage, &login_words);
        typist.answer("[y/N]", "y");
        typist.finish();
    };
    log_in(&ada);
    type_line(&ada, publish);
    let bea = Person::new();
    bea.trust(&ada);
    log_in(&bea);
    assert!(type_line(&bea, search).contains("hello_tool"));
    type_line(&bea, pull);
    assert!(type_line(&bea, run).contains("Hello, Ada!"));
}
