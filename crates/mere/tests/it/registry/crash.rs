//! Servers that are killed while somebody publishes.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use super::on_both_backends;
use super::stage::{Backend, RegistryStage};

on_both_backends! { what_a_killed_server_acknowledged_is_whole }

/// How often the server is killed.
fn kills() -> u64 {
    if std::env::var_os("MERE_LONG").is_some() { 200 } else { 20 }
}

fn what_a_killed_server_acknowledged_is_whole(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let token = stage.token(&["publish:ada/*"]);
    let mut acknowledged = Vec::new();
    let mut sent = Vec::new();
    for round in 0..kills() {
        let mut server = stage.serve(&[]);
        let client = server.client.with_token(&token);
        let is_over = AtomicBool::new(false);
        let count = AtomicU64::new(0);
        let (round_sent, round_acknowledged) = thread::scope(|scope| {
            let publisher = scope.spawn(|| {
                let (mut sent, mut acknowledged) = (Vec::new(), Vec::new());
                for number in 0.. {
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                    let note = stage.author.note("killed", &format!("{round}.0.{number}"));
                    let (_, bytes) = &note.files[0];
                    let path = super::author::blob_path("ada", bytes);
                    if client.try_send("PUT", &path, bytes).is_none() {
                        break;
                    }
                    sent.push(note.clone());
                    let json = client.with_header("content-type", "application/json");
                    match json.try_send("PUT", &note.path("ada"), &note.body()) {
                        Some(reply) if reply.status == 201 => {
                            acknowledged.push(note);
                            count.fetch_add(1, Ordering::Relaxed);
                        }
                        Some(reply) => panic!("{}", reply.text()),
                        None => break,
                    }
                }
                (sent, acknowledged)
            });
            // Something was published, and the next is on its way: each time at another moment.
            while count.load(Ordering::Relaxed) == 0 && !publisher.is_finished() {
                thread::sleep(Duration::from_millis(1));
            }
            thread::sleep(Duration::from_micros(round * 1_370 % 23_000));
            server.kill();
            is_over.store(true, Ordering::Relaxed);
            publisher.join().expect("the publisher")
        });
        sent.extend(round_sent);
        acknowledged.extend(round_acknowledged);
    }
    assert!(acknowledged.len() as u64 >= kills(), "something was published");
    let server = stage.serve(&[]);
    for note in &acknowledged {
        let read = server.client.get(&note.path("ada"));
        assert_eq!(read.status, 200, "{} was acknowledged", note.version);
        assert_eq!(read.json()["record"]["statement"], note.envelope);
    }
    // What was not acknowledged is there as a whole, or not at all.
    for note in &sent {
        let read = server.client.get(&note.path("ada"));
        if read.status == 200 {
            let (_, bytes) = &note.files[0];
            assert_eq!(server.client.get(&super::author::blob_path("ada", bytes)).body, *bytes);
        } else {
            read.assert_problem(404, "not-found");
        }
    }
    stage.assert_audited();
}
