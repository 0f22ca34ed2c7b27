//! Properties and proofs of the core.
#![expect(clippy::expect_used, reason = "a test that cannot go on should stop")]

mod address;
mod amend;
mod amend_any;
mod amend_text;
mod chain;
mod chain_config;
mod chain_fill;
mod chain_pairs;
mod chain_pin;
mod directives;
mod directives_any;
mod embed;
mod embed_minilm;
mod formats;
mod gate;
mod graph;
mod graph_drawn;
mod hostile;
mod items;
mod links;
mod log;
mod notes;
mod proofs;
mod scripts;
mod trust;
mod trust_edges;
mod trust_forms;
mod vectors;
