//! The samples as a Markdown table: median, 99th percentile, and the ratio to the fastest peer.

use std::fmt::Write;

use crate::peer::Peer;
use crate::work::Work;

/// Renders the table. The last column is our median over the best of the others.
pub(crate) fn render(peers: &[Peer], works: &[Work]) -> String {
    let mut out = String::from("| work |");
    for peer in peers {
        let _ = write!(out, " {} {} |", peer.name, peer.version);
    }
    out.push_str(" mere ÷ best peer |\n| --- |");
    out.push_str(&" --- |".repeat(peers.len() + 1));
    out.push('\n');
    for work in works {
        let _ = write!(out, "| {} ({}, median / p99) |", work.name, work.unit);
        for samples in &work.samples {
            let _ = write!(out, " {:.2} / {:.2} |", at(samples, 0.5), at(samples, 0.99));
        }
        let medians = work.samples.iter().map(|samples| at(samples, 0.5)).collect::<Vec<_>>();
        let best = medians[1..].iter().copied().fold(f64::INFINITY, f64::min);
        let ratio =
            if best.is_finite() { format!("{:.2}", medians[0] / best) } else { "–".into() };
        let _ = writeln!(out, " {ratio} |");
    }
    out
}

fn at(samples: &[f64], part: f64) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let index = ((sorted.len() - 1) as f64 * part).round() as usize;
    sorted[index]
}
