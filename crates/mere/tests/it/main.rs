//! The real binary, from the keyboard and over MCP, and the tidiness of the tree.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    reason = "tests build the trees that the binary looks at, and start it"
)]

mod attacks;
mod calls;
mod clients;
mod conformance;
mod harness;
mod http;
mod http_attacks;
mod inspector;
mod mcp;
mod mods;
mod monorepo;
mod paging;
mod people;
mod permissions;
mod project;
mod reading;
mod sensitive;
mod tidy;
mod tools;
mod visibility;
