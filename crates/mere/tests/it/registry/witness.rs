//! Witnesses, and a registry that has its checkpoints co-signed.

use std::process::{Command, Stdio};

use mere_core::log::{SignedCheckpoint, VerifierKey};

use super::on_both_backends;
use super::stage::{Backend, RegistryStage, RunningServer, log_key};

on_both_backends! { every_change_is_co_signed_before_it_is_acknowledged }

fn serve_witness(stage: &RegistryStage, origin: &VerifierKey) -> (RunningServer, VerifierKey) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mere"));
    command.args(["witness", "serve", "--listen", "127.0.0.1:0", "--log", "error", "--key-file"]);
    command.arg(stage.folder.path().join("witness.key")).arg("--origin").arg(origin.to_string());
    let server = RunningServer::start({
        command.stdin(Stdio::null());
        command
    });
    let key = server.key_line.trim_start_matches("key ").parse().expect("a key");
    (server, key)
}

fn checkpoint(server: &RunningServer) -> SignedCheckpoint {
    SignedCheckpoint::parse(&server.client.get("/log/checkpoint").body).expect("a checkpoint")
}

fn every_change_is_co_signed_before_it_is_acknowledged(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let plain = stage.serve(&[]);
    let origin = log_key(&plain.client);
    let (mut witness, key) = serve_witness(&stage, &origin);
    let named = format!("http://{}={key}", witness.client.address);
    let server = stage.serve(&["--witness", &named]);
    let author = server.client.with_token(&stage.token(&["publish:ada/*"]));
    for number in 0..5 {
        stage.author.note("seen", &format!("1.0.{number}")).publish(&author, "ada");
        let signed = checkpoint(&server);
        assert_eq!(signed.checkpoint().head().size, number + 3);
        signed.note().check_signed_by(&origin).expect("the log's signature");
        signed.note().check_cosigned_by(&key).expect("the witness's signature");
    }
    // A witness remembers across restarts, and a registry goes on without it.
    witness.kill();
    stage.author.note("seen", "2.0.0").publish(&author, "ada");
    let (again, same) = serve_witness(&stage, &origin);
    assert_eq!(same, key, "the key is kept");
    let named = format!("http://{}={key}", again.client.address);
    let server = stage.serve(&["--witness", &named]);
    let author = server.client.with_token(&stage.token(&["publish:ada/*"]));
    stage.author.note("seen", "3.0.0").publish(&author, "ada");
    let signed = checkpoint(&server);
    assert_eq!(signed.checkpoint().head().size, 9);
    signed.note().check_cosigned_by(&key).expect("the witness's signature");
}

#[test]
fn a_witness_signs_only_what_continues_what_it_signed() {
    let stage = RegistryStage::new(Backend::SqliteFiles);
    let server = stage.serve(&[]);
    let origin = log_key(&server.client);
    let (witness, key) = serve_witness(&stage, &origin);
    let send = |body: &str| witness.client.send("POST", "/add-checkpoint", body.as_bytes());
    let first = server.client.get("/log/checkpoint").text();
    let signed = send(&format!("old 0\n\n{first}"));
    assert_eq!(signed.status, 200, "{}", signed.text());
    assert!(signed.text().starts_with(&format!("— {} ", key.name())));
    // The same again: the old size is now that of the checkpoint.
    let again = send(&format!("old 0\n\n{first}"));
    assert_eq!((again.status, again.text().as_str()), (409, "2\n"));
    assert_eq!(again.header("content-type"), Some("text/x.tlog.size"));
    assert_eq!(send(&format!("old 2\n\n{first}")).status, 200);
    let author = server.client.with_token(&stage.token(&["publish:ada/*"]));
    stage.author.note("one", "1.0.0").publish(&author, "ada");
    let second = server.client.get("/log/checkpoint").text();
    assert_eq!(send(&format!("old 2\n\n{second}")).status, 422, "without a proof");
    assert_eq!(send(&format!("old 9\n\n{second}")).status, 400);
    let forged = second.replacen("\n3\n", "\n2\n", 1);
    assert_eq!(send(&format!("old 2\n\n{forged}")).status, 403, "not signed by the log");
    let foreign = second.replacen("merestone-registry/", "other-registry/", 2);
    assert_eq!(send(&format!("old 0\n\n{foreign}")).status, 404, "an unknown log");
    for malformed in ["", "old", "old x\n\n", "old 1\n\nnothing"] {
        assert_eq!(send(malformed).status, 400, "{malformed}");
    }
    assert_eq!(witness.client.get("/add-checkpoint").status, 405);
    let foreign_host = witness.client.with_header("host", "evil.test");
    assert_eq!(foreign_host.get("/healthz").status, 403);
}
