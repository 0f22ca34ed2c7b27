//! What MCP servers are compared in: starting, listing, reading, memory.

use std::time::Instant;

use serde_json::json;

use crate::corpus::{LONG, NARROW, SHORT, WIDE};
use crate::peer::{Call, Peer};
use crate::talk::Talk;
use crate::work::{Unit, Work, in_turns, millis};

/// Calls in a row of pipelined ones.
const PIPELINED: u32 = 1000;
/// Rounds that are not counted, until a server is warm.
const WARM: usize = 20;

/// Every row.
pub(crate) fn works(peers: &[Peer]) -> Vec<Work> {
    check_reads(peers);
    vec![
        cold_start(peers),
        warm(peers, "list 483 entries", 300, |peer| peer.list(WIDE)),
        pipelined_lists(peers),
        warm(peers, "read 8 KB", 300, |peer| peer.read(SHORT)),
        warm(peers, "read 600 KB", 200, |peer| peer.read(LONG)),
        pipelined_reads(peers),
        memory(peers),
    ]
}

/// What is not the file's text is not worth timing.
fn check_reads(peers: &[Peer]) {
    for peer in peers {
        let mut talk = peer.talk();
        for file in [SHORT, LONG] {
            peer.check_read(file, &talk.call(&peer.read(file)).message);
        }
    }
}

/// Measures each server once in every round.
fn in_rounds(peers: &[Peer], rounds: usize, measure: impl Fn(&Peer) -> f64) -> Vec<Vec<f64>> {
    in_turns(&mut peers.iter().collect::<Vec<_>>(), rounds, |peer| measure(peer))
}

/// From starting the process to the answer to `tools/list`.
fn cold_start(peers: &[Peer]) -> Work {
    let samples = in_rounds(peers, 40, |peer| {
        let began = Instant::now();
        let mut talk = peer.talk();
        talk.request("tools/list", &json!({}));
        millis(began.elapsed())
    });
    Work { name: "cold start to tools/list".into(), unit: Unit::Millis, samples }
}

/// One call after another on a server that is warm.
fn warm(peers: &[Peer], name: &str, rounds: usize, call: impl Fn(&Peer) -> Call) -> Work {
    let mut talks = peers.iter().map(|peer| (peer.talk(), call(peer))).collect::<Vec<_>>();
    let measure = |(talk, call): &mut (Talk, Call)| millis(talk.call(call).took);
    in_turns(&mut talks, WARM, measure);
    let samples = in_turns(&mut talks, rounds, measure);
    Work { name: format!("{name}, warm"), unit: Unit::Millis, samples }
}

fn pipelined_lists(peers: &[Peer]) -> Work {
    let samples = in_rounds(peers, 10, |peer| {
        let (mut talk, call) = (peer.talk(), peer.list(NARROW));
        talk.call(&call);
        millis(talk.pipelined(&call, PIPELINED).0 / PIPELINED)
    });
    let name = "1,000 pipelined lists of 10 entries, per call".into();
    Work { name, unit: Unit::Millis, samples }
}

fn pipelined_reads(peers: &[Peer]) -> Work {
    let samples = in_rounds(peers, 10, |peer| {
        let (mut talk, call) = (peer.talk(), peer.read(SHORT));
        talk.call(&call);
        let (took, answers) = talk.pipelined(&call, PIPELINED);
        for answer in &answers {
            peer.check_read(SHORT, answer);
        }
        f64::from(PIPELINED) / took.as_secs_f64()
    });
    Work { name: "pipelined reads of 8 KB".into(), unit: Unit::PerSecond, samples }
}

/// The most memory after the listings.
fn memory(peers: &[Peer]) -> Work {
    let samples = in_rounds(peers, 5, |peer| {
        let (mut talk, call) = (peer.talk(), peer.list(WIDE));
        for _ in 0..100 {
            talk.call(&call);
        }
        talk.peak_memory()
    });
    Work { name: "peak memory after 100 lists".into(), unit: Unit::Megabytes, samples }
}
