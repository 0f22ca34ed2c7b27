//! What the server counts, in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The upper bounds of the durations that are counted, in seconds.
const BOUNDS: [f64; 10] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1.0, 5.0];

/// The counts of one server since it started.
#[derive(Default)]
pub(super) struct Metrics(Mutex<Counts>);

#[derive(Default)]
struct Counts {
    /// By route, method and status.
    requests: BTreeMap<(&'static str, String, u16), u64>,
    /// By route.
    durations: BTreeMap<&'static str, DurationCounts>,
    publishes: u64,
}

#[derive(Default)]
struct DurationCounts {
    /// How many were at most as long as each bound.
    buckets: [u64; BOUNDS.len()],
    count: u64,
    seconds: f64,
}

/// A request that was answered.
pub(super) struct AnsweredRequest {
    /// The name of its route.
    pub(super) route: &'static str,
    /// Its method; anything that HTTP does not define is `OTHER`.
    pub(super) method: String,
    /// The status of the answer.
    pub(super) status: u16,
    /// How long the answer took.
    pub(super) time: Duration,
}

impl Metrics {
    /// Counts a request.
    pub(super) fn count(&self, request: AnsweredRequest) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let AnsweredRequest { route, method, status, time } = request;
        if route == "publish" && status == 201 {
            counts.publishes += 1;
        }
        *counts.requests.entry((route, method, status)).or_default() += 1;
        let durations = counts.durations.entry(route).or_default();
        let seconds = time.as_secs_f64();
        durations.count += 1;
        durations.seconds += seconds;
        for (bucket, bound) in durations.buckets.iter_mut().zip(BOUNDS) {
            *bucket += u64::from(seconds <= bound);
        }
    }

    /// Renders everything.
    pub(super) fn render(&self, log_size: u64) -> String {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut out = String::new();
        let _ = counts.write(&mut out, log_size);
        out
    }
}

impl Counts {
    fn write(&self, out: &mut String, log_size: u64) -> std::fmt::Result {
        writeln!(out, "# HELP mere_registry_requests_total Requests by route, method and status.")?;
        writeln!(out, "# TYPE mere_registry_requests_total counter")?;
        for ((route, method, status), count) in &self.requests {
            writeln!(
                out,
                "mere_registry_requests_total{{route=\"{route}\",method=\"{method}\",status=\"{status}\"}} {count}"
            )?;
        }
        writeln!(out, "# HELP mere_registry_request_seconds How long answers took.")?;
        writeln!(out, "# TYPE mere_registry_request_seconds histogram")?;
        let name = "mere_registry_request_seconds";
        for (route, durations) in &self.durations {
            for (bound, bucket) in BOUNDS.iter().zip(durations.buckets) {
                writeln!(out, "{name}_bucket{{route=\"{route}\",le=\"{bound}\"}} {bucket}")?;
            }
            let DurationCounts { count, seconds, .. } = durations;
            writeln!(out, "{name}_bucket{{route=\"{route}\",le=\"+Inf\"}} {count}")?;
            writeln!(out, "{name}_sum{{route=\"{route}\"}} {seconds}")?;
            writeln!(out, "{name}_count{{route=\"{route}\"}} {count}")?;
        }
        writeln!(out, "# HELP mere_registry_publishes_total Versions published by this server.")?;
        writeln!(out, "# TYPE mere_registry_publishes_total counter")?;
        writeln!(out, "mere_registry_publishes_total {}", self.publishes)?;
        writeln!(out, "# HELP mere_registry_log_size Entries of the transparency log.")?;
        writeln!(out, "# TYPE mere_registry_log_size gauge")?;
        writeln!(out, "mere_registry_log_size {log_size}")
    }
}
