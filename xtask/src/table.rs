//! Samples as a Markdown table: the median, the tail, and the ratio to the best of the others.
//!
//! It only formats; nothing is measured here.

use std::fmt::Write;

use crate::measurement::Measurement;

/// Renders a table with a column for each of `names`, ours first. The last column, `ratio`, is our
/// median over the best of the others.
pub(crate) fn render(names: &[String], works: &[Measurement], ratio: &str) -> String {
    let mut out = String::from("| work |");
    for name in names {
        let _ = write!(out, " {name} |");
    }
    let _ = write!(out, " {ratio} |\n| --- |");
    out.push_str(&" --- |".repeat(names.len() + 1));
    out.push('\n');
    for work in works {
        let _ = write!(out, "| {} ({}) |", work.name, work.unit.label());
        for samples in &work.samples {
            let _ = write!(out, " {} |", cell(work, samples));
        }
        let _ = writeln!(out, " {} |", format_ratio(work));
    }
    out
}

fn cell(work: &Measurement, samples: &[f64]) -> String {
    let unit = work.unit;
    match (percentile(samples, 50), percentile(samples, unit.tail_percentile())) {
        (Some(median), Some(tail)) => format!("{} / {}", unit.format(median), unit.format(tail)),
        _ => "–".to_owned(),
    }
}

fn format_ratio(work: &Measurement) -> String {
    let mut medians = work.samples.iter().map(|samples| percentile(samples, 50));
    let ours = medians.next().flatten();
    let best = medians.flatten().reduce(|one, other| work.unit.better(one, other));
    match (ours, best) {
        (Some(ours), Some(best)) => format!("{:.2}", ours / best),
        _ => "–".to_owned(),
    }
}

/// Returns the given percentile of the samples.
pub(crate) fn percentile(samples: &[f64], percent: usize) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    Some(sorted[(last * percent + 50) / 100])
}
