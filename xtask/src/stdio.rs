//! The comparison of MCP servers: starting, listing, reading, and memory.
//!
//! The answers to reads are checked before anything is measured.

use std::time::Instant;

use serde_json::json;

use crate::mcp_client::McpClient;
use crate::measurement::{Measurement, Unit, in_turns, millis};
use crate::peer::{Call, Peer};
use crate::small_corpus::{LONG, NARROW, SHORT, WIDE};

/// How many calls are pipelined in a row.
const PIPELINED: u32 = 1000;
/// Rounds that are not counted, until a server is warm.
const WARM: usize = 20;

/// Measures every row.
pub(crate) fn measure_all(peers: &[Peer]) -> Vec<Measurement> {
    check_reads(peers);
    vec![
        measure_cold_start(peers),
        measure_warm(peers, "list 483 entries", 300, |peer| peer.list_call(WIDE)),
        measure_pipelined_lists(peers),
        measure_warm(peers, "read 8 KB", 300, |peer| peer.read_call(SHORT)),
        measure_warm(peers, "read 600 KB", 200, |peer| peer.read_call(LONG)),
        measure_pipelined_reads(peers),
        measure_memory(peers),
    ]
}

/// Checks the reads first: an answer that is not the file's text is not worth measuring.
fn check_reads(peers: &[Peer]) {
    for peer in peers {
        let mut client = peer.connect();
        for file in [SHORT, LONG] {
            peer.check_read(file, &client.call(&peer.read_call(file)).message);
        }
    }
}

/// Measures each server once in every round.
fn in_rounds(peers: &[Peer], rounds: usize, measure: impl Fn(&Peer) -> f64) -> Vec<Vec<f64>> {
    in_turns(&mut peers.iter().collect::<Vec<_>>(), rounds, |peer| measure(peer))
}

/// Measures the time from starting the process to the answer to `tools/list`.
fn measure_cold_start(peers: &[Peer]) -> Measurement {
    let samples = in_rounds(peers, 40, |peer| {
        let began = Instant::now();
        let mut client = peer.connect();
        client.request("tools/list", &json!({}));
        millis(began.elapsed())
    });
    Measurement { name: "cold start to tools/list".into(), unit: Unit::Millis, samples }
}

/// Measures one call after another on a warm server.
fn measure_warm(
    peers: &[Peer],
    name: &str,
    rounds: usize,
    call: impl Fn(&Peer) -> Call,
) -> Measurement {
    let mut clients = peers.iter().map(|peer| (peer.connect(), call(peer))).collect::<Vec<_>>();
    let measure = |(client, call): &mut (McpClient, Call)| millis(client.call(call).took);
    in_turns(&mut clients, WARM, measure);
    let samples = in_turns(&mut clients, rounds, measure);
    Measurement { name: format!("{name}, warm"), unit: Unit::Millis, samples }
}

fn measure_pipelined_lists(peers: &[Peer]) -> Measurement {
    let samples = in_rounds(peers, 10, |peer| {
        let (mut client, call) = (peer.connect(), peer.list_call(NARROW));
        client.call(&call);
        millis(client.pipelined(&call, PIPELINED).0 / PIPELINED)
    });
    let name = "1,000 pipelined lists of 10 entries, per call".into();
    Measurement { name, unit: Unit::Millis, samples }
}

fn measure_pipelined_reads(peers: &[Peer]) -> Measurement {
    let samples = in_rounds(peers, 10, |peer| {
        let (mut client, call) = (peer.connect(), peer.read_call(SHORT));
        client.call(&call);
        let (took, answers) = client.pipelined(&call, PIPELINED);
        for answer in &answers {
            peer.check_read(SHORT, answer);
        }
        f64::from(PIPELINED) / took.as_secs_f64()
    });
    Measurement { name: "pipelined reads of 8 KB".into(), unit: Unit::PerSecond, samples }
}

/// Measures the peak memory after the listings.
fn measure_memory(peers: &[Peer]) -> Measurement {
    let samples = in_rounds(peers, 5, |peer| {
        let (mut client, call) = (peer.connect(), peer.list_call(WIDE));
        for _ in 0..100 {
            client.call(&call);
        }
        client.peak_memory()
    });
    Measurement { name: "peak memory after 100 lists".into(), unit: Unit::Megabytes, samples }
}
