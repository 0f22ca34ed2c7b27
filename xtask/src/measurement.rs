//! One row of a table: what was measured, and the samples of everyone. Those compared take turns
//! within each round, so that a busy machine is busy for all of them.

use std::time::Duration;

use crate::table;

/// What was measured, with the samples of each column; a column is empty if it does not support
/// this.
pub(crate) struct Measurement {
    pub(crate) name: String,
    pub(crate) unit: Unit,
    pub(crate) samples: Vec<Vec<f64>>,
}

impl Measurement {
    /// Returns the median of a column.
    pub(crate) fn median(&self, column: usize) -> Option<f64> {
        table::percentile(self.samples.get(column)?, 50)
    }
}

/// The unit of the samples.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Millis,
    Megabytes,
    /// The only unit of which more is better.
    PerSecond,
}

impl Unit {
    /// Describes the samples, and which two of them are shown.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Millis => "ms, median / p99",
            Self::Megabytes => "MB, median / p99",
            Self::PerSecond => "per second, more is better, median / p1",
        }
    }

    /// Returns the percentile that shows how bad it gets.
    pub(crate) fn tail_percentile(self) -> usize {
        if self == Self::PerSecond { 1 } else { 99 }
    }

    pub(crate) fn better(self, one: f64, other: f64) -> f64 {
        if self == Self::PerSecond { one.max(other) } else { one.min(other) }
    }

    pub(crate) fn format(self, value: f64) -> String {
        match self {
            Self::PerSecond => format!("{value:.0}"),
            Self::Megabytes => format!("{value:.1}"),
            Self::Millis if value < 1.0 => format!("{value:.3}"),
            Self::Millis => format!("{value:.2}"),
        }
    }
}

/// Measures each of `all` once in every round.
pub(crate) fn in_turns<T>(
    all: &mut [T],
    rounds: usize,
    mut measure: impl FnMut(&mut T) -> f64,
) -> Vec<Vec<f64>> {
    let mut samples = vec![Vec::new(); all.len()];
    for _ in 0..rounds {
        for (one, samples) in all.iter_mut().zip(&mut samples) {
            samples.push(measure(one));
        }
    }
    samples
}

pub(crate) fn millis(took: Duration) -> f64 {
    took.as_secs_f64() * 1000.0
}
