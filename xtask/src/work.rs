//! What is timed. The peers take turns within each round, so that a busy machine is busy for all.

use std::time::Instant;

use serde_json::json;

use crate::peer::Peer;

/// One row: what was done, in which unit, and every peer's samples.
pub(crate) struct Work {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) samples: Vec<Vec<f64>>,
}

/// From starting the process to the answer to `tools/list`.
pub(crate) fn cold_start(peers: &[Peer]) -> Work {
    let samples = in_turns(peers, 40, |peer| {
        let began = Instant::now();
        let mut talk = peer.talk();
        talk.request("tools/list", &json!({}));
        millis(began)
    });
    Work { name: "cold start to tools/list", unit: "ms", samples }
}

/// One listing after another on a server that is warm.
pub(crate) fn list(peers: &[Peer], name: &'static str, below: &'static str) -> Work {
    let mut talks = peers.iter().map(Peer::talk).collect::<Vec<_>>();
    let mut samples = vec![Vec::new(); peers.len()];
    for round in 0..320 {
        for (talk, samples) in talks.iter_mut().zip(&mut samples) {
            let began = Instant::now();
            talk.list(below);
            if round >= 20 {
                samples.push(millis(began));
            }
        }
    }
    Work { name, unit: "ms", samples }
}

/// Many requests sent before the first answer is read.
pub(crate) fn pipelined(peers: &[Peer], name: &'static str, below: &'static str) -> Work {
    let samples = in_turns(peers, 5, |peer| {
        let mut talk = peer.talk();
        talk.list(below);
        let began = Instant::now();
        // In batches, so that neither side waits for the other's full pipe.
        for _ in 0..20 {
            (0..50).for_each(|_| talk.ask_list(below));
            (0..50).for_each(|_| drop(talk.answer()));
        }
        millis(began) / 1000.0
    });
    Work { name, unit: "ms", samples }
}

/// The most memory after the listings.
pub(crate) fn memory(peers: &[Peer]) -> Work {
    let samples = in_turns(peers, 3, |peer| {
        let mut talk = peer.talk();
        for _ in 0..100 {
            talk.list(crate::corpus::WIDE);
        }
        talk.peak_memory() / 1024.0
    });
    Work { name: "peak memory after 100 lists", unit: "MB", samples }
}

fn in_turns(peers: &[Peer], rounds: usize, measure: impl Fn(&Peer) -> f64) -> Vec<Vec<f64>> {
    let mut samples = vec![Vec::new(); peers.len()];
    for _ in 0..rounds {
        for (peer, samples) in peers.iter().zip(&mut samples) {
            samples.push(measure(peer));
        }
    }
    samples
}

fn millis(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1000.0
}
