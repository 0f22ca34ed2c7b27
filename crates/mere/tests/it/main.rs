//! The real binary, from the keyboard and over MCP, and the tidiness of the tree.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    reason = "tests build the trees that the binary looks at, and start it"
)]

mod attacks;
mod category;
mod clients;
mod command_line;
mod config;
mod files;
mod format;
mod git;
mod graph;
mod guide;
mod items;
mod matrix;
mod mcp;
mod memory;
mod packaging;
#[cfg(debug_assertions)]
mod panics;
mod paths;
mod registry;
mod registry_client;
mod run;
mod search;
mod signing;
mod support;
mod tidy;
mod trust;
mod web;
