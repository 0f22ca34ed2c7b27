//! Samples as a Markdown table: the median, the tail, and the ratio to the best of the others.
//!
//! It only formats; nothing is measured here.

use std::fmt::Write;

use crate::measurement::Measurement;

/// Renders a table with a column for each of `names`, ours first. The last column, `ratio`, is our
/// median over the best of the others.
pub(crate) fn render(names: &[String], measurements: &[Measurement], ratio: &str) -> String {
    let mut out = String::from("| work |");
    for name in names {
        let _ = write!(out, " {name} |");
    }
    let _ = write!(out, " {ratio} |\n| --- |");
    out.push_str(&" --- |".repeat(names.len() + 1));
    out.push('\n');
    for row in measurements {
        let _ = write!(out, "| {} ({}) |", row.name, row.unit.label());
        for samples in &row.samples {
            let _ = write!(out, " {} |", cell(row, samples));
        }
        let _ = writeln!(out, " {} |", format_ratio(row));
    }
    out
}

fn cell(row: &Measurement, samples: &[f64]) -> String {
    let unit = row.unit;
    match (percentile(samples, 50), percentile(samples, unit.tail_percentile())) {
        (Some(median), Some(tail)) => format!("{} / {}", unit.format(median), unit.format(tail)),
        _ => "–".to_owned(),
    }
}

fn format_ratio(row: &Measurement) -> String {
    let mut medians = row.samples.iter().map(|samples| percentile(samples, 50));
    let ours = medians.next().flatten();
    let best = medians.flatten().reduce(|one, other| row.unit.better(one, other));
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
