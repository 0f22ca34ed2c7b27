//! Several servers of one registry.

use std::thread;

use super::on_both_backends;
use super::stage::{Backend, RegistryStage};

on_both_backends! {
    of_two_servers_that_publish_one_version_exactly_one_wins,
    what_one_server_acknowledges_the_other_serves,
}

fn of_two_servers_that_publish_one_version_exactly_one_wins(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let servers = [stage.serve(&[]), stage.serve(&[])];
    let token = stage.token(&["publish:ada/*"]);
    for round in 0..10 {
        let version = format!("1.0.{round}");
        let packages = [
            stage.author.note_with("raced", &version, "source_type: left\n"),
            stage.author.note_with("raced", &version, "source_type: right\n"),
        ];
        let clients = servers.each_ref().map(|server| server.client.with_token(&token));
        for (client, package) in clients.iter().zip(&packages) {
            package.upload(client, "ada");
        }
        let statuses = thread::scope(|scope| {
            let sent = clients
                .iter()
                .zip(&packages)
                .map(|(client, package)| scope.spawn(move || package.submit(client, "ada").status));
            let sent = sent.collect::<Vec<_>>();
            sent.into_iter().map(|one| one.join().expect("an answer")).collect::<Vec<_>>()
        });
        let mut sorted = statuses.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, [201, 409], "round {round}");
        let winner = usize::from(statuses[1] == 201);
        let read = servers[1 - winner].client.get(&packages[0].path("ada")).json();
        assert_eq!(read["record"]["statement"], packages[winner].envelope);
    }
    stage.assert_audited();
}

fn what_one_server_acknowledges_the_other_serves(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let servers = [stage.serve(&[]), stage.serve(&[])];
    let token = stage.token(&["publish:ada/*"]);
    // A client behind a balancer that takes turns.
    for round in 0..12 {
        let note = stage.author.note("turns", &format!("1.0.{round}"));
        let (one, other) = (&servers[round % 2].client, &servers[(round + 1) % 2].client);
        note.upload(&other.with_token(&token), "ada");
        assert_eq!(note.submit(&one.with_token(&token), "ada").status, 201);
        assert_eq!(other.get(&note.path("ada")).status, 200);
        assert_eq!(one.get("/log/checkpoint").body, other.get("/log/checkpoint").body);
    }
    stage.assert_audited();
}
