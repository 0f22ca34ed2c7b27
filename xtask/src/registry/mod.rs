//! What a registry of many items costs, on both databases: the time of searches, reads and
//! publications, and what an item takes in rows, bytes and memory.
//!
//! The registry is filled by publishing, as anybody would, but in memory, and is then moved to the
//! disk: every figure is measured there, with what is acknowledged synced.

mod host;
mod http;
mod publisher;
mod storage_size;
mod workload;

use std::time::Instant;

use host::{Backend, RegistryHost, Stage};
use publisher::Publisher;
use storage_size::StorageSize;
use workload::Figures;

/// What is measured.
pub(crate) struct Options {
    backends: Vec<Backend>,
    sizes: Vec<usize>,
}

impl Options {
    /// Parses `[--long] [sqlite|postgres] [ITEMS...]`.
    pub(crate) fn parse(words: &[&str]) -> Option<Self> {
        let (mut backends, mut sizes, mut is_long) = (Vec::new(), Vec::new(), false);
        for word in words {
            match *word {
                "--long" => is_long = true,
                "sqlite" => backends.push(Backend::Sqlite),
                "postgres" => backends.push(Backend::Postgres),
                number => sizes.push(number.parse().ok().filter(|size| *size >= 1_000)?),
            }
        }
        if backends.is_empty() {
            backends = vec![Backend::Sqlite, Backend::Postgres];
        }
        if sizes.is_empty() {
            sizes = vec![10_000, 100_000];
        }
        if is_long {
            sizes.push(1_000_000);
        }
        sizes.sort_unstable();
        Some(Self { backends, sizes })
    }
}

/// What was found at one size.
struct SizeReport {
    items: usize,
    fill_seconds: f64,
    figures: Figures,
    storage: StorageSize,
}

/// Fills registries, measures them, and prints a table for each database.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    for backend in &options.backends {
        let mut reports = Vec::new();
        for items in &options.sizes {
            eprintln!("{}: {items} items …", backend.name());
            reports.push(measure(*backend, *items)?);
        }
        println!("{}", render(*backend, &reports));
    }
    Ok(())
}

fn measure(backend: Backend, items: usize) -> Result<SizeReport, String> {
    let began = Instant::now();
    let mut host = RegistryHost::create(backend, Stage::InMemory)?;
    host.set_up(&Publisher::public_line())?;
    let token = host.token()?;
    let server = host.serve()?;
    Publisher::fill(&server.address, &token, items);
    drop(server);
    let storage = StorageSize::measure(&host)?;
    host.move_to_disk()?;
    let fill_seconds = began.elapsed().as_secs_f64();
    eprintln!("  filled in {fill_seconds:.0} s");
    let server = host.serve()?;
    let figures = Figures::measure(&server, &token, items)?;
    Ok(SizeReport { items, fill_seconds, figures, storage })
}

/// Renders the reports of a database, with a column for each size.
fn render(backend: Backend, reports: &[SizeReport]) -> String {
    let mut lines = Vec::new();
    let mut row = |name: &str, cell: &dyn Fn(&SizeReport) -> String| {
        let cells = reports.iter().map(cell).collect::<Vec<_>>().join(" | ");
        lines.push(format!("| {name} | {cells} |"));
    };
    row(backend.title(), &|report| format!("{} items", report.items));
    row("---", &|_| "---".to_owned());
    if let Some(first) = reports.first() {
        for (at, search) in first.figures.searches.iter().enumerate() {
            let name = format!("search, {} (ms, median / p99 / processor)", search.name);
            row(&name, &|report| {
                let search = &report.figures.searches[at];
                let times = workload::median_and_tail(&search.samples);
                format!("{times} / {:.2}", search.processor)
            });
        }
    }
    row("send a file, durable (ms, median / p99)", &|report| {
        workload::median_and_tail(&report.figures.uploads)
    });
    row("publish a version, durable (ms, median / p99)", &|report| {
        workload::median_and_tail(&report.figures.publications)
    });
    row("reads, 8 connections (per second)", &|report| format!("{:.0}", report.figures.reads));
    row("processor time of a read (µs)", &|report| format!("{:.0}", report.figures.read_micros));
    row("memory of the server, at its start / after all this (MB)", &|report| {
        format!("{:.1} / {:.1}", report.figures.memory.0, report.figures.memory.1)
    });
    row("rows per item", &|report| format!("{:.2}", report.storage.rows_per(report.items)));
    row("bytes per item, database / blobs", &|report| {
        let [database, blobs] = report.storage.bytes_per(report.items);
        format!("{database:.0} / {blobs:.0}")
    });
    row("tiles and bundles of the log per 1,000 items", &|report| {
        format!("{:.2}", report.storage.tiles_per(report.items) * 1_000.0)
    });
    row("time to fill, in memory (s)", &|report| format!("{:.0}", report.fill_seconds));
    lines.join("\n") + "\n"
}
