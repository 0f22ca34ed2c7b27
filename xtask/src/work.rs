//! One row of a table: what was done, and how everyone did. Whoever is compared takes turns within
//! each round, so that a busy machine is busy for all.

use std::time::Duration;

use crate::table;

/// What was done, and every column's samples: none where it does not do this.
pub(crate) struct Measurement {
    pub(crate) name: String,
    pub(crate) unit: Unit,
    pub(crate) samples: Vec<Vec<f64>>,
}

impl Measurement {
    /// The median of a column.
    pub(crate) fn median(&self, column: usize) -> Option<f64> {
        table::percentile(self.samples.get(column)?, 50)
    }
}

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Millis,
    Megabytes,
    /// The only one of which more is better.
    PerSecond,
}

impl Unit {
    /// What the samples are, and which two of them are shown.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Millis => "ms, median / p99",
            Self::Megabytes => "MB, median / p99",
            Self::PerSecond => "per second, more is better, median / p1",
        }
    }

    /// Which percentile tells how bad it gets.
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
