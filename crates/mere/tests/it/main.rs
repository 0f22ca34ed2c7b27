//! The real binary, from the keyboard and over MCP, and the tidiness of the tree.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    reason = "tests build the trees that the binary looks at, and start it"
)]

mod attacks;
mod calls;
mod changes;
mod clients;
mod config;
mod conformance;
mod disks;
mod forged_proposals;
mod harness;
mod hostile_items;
mod http;
mod http_attacks;
mod ignore;
mod index;
mod inspector;
mod item_changes;
mod item_faults;
mod item_holes;
mod item_secrets;
mod items;
mod keeping;
mod keys;
mod limits;
mod matrix;
mod matrix_copies;
mod matrix_files;
mod matrix_items;
mod matrix_letters;
mod matrix_trust;
mod mcp;
mod mods;
mod monorepo;
mod paging;
mod payloads;
mod people;
mod permissions;
mod pipeline;
mod project;
mod proposals;
mod reading;
mod repository;
mod running;
mod samples;
mod sensitive;
mod signers;
mod signing;
mod signing_agents;
mod signing_crash;
mod signing_holes;
mod signing_moves;
mod signing_staged;
mod signing_work;
mod statements;
mod storms;
mod team;
mod team_attacks;
mod tidy;
mod tools;
mod traversal;
mod typist;
mod upheaval;
mod visibility;
mod watching;
mod workspaces;
