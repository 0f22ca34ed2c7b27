//! The vocabulary and rules of Merestone.
//!
//! This crate opens nothing, prints nothing, asks no clock and names no host path. It defines
//! addresses, calls and replies, and what may leave the machine in a reply; the engine does the
//! rest.

pub mod address;
pub mod category;
pub mod chain;
pub mod cursor;
pub mod digest;
pub mod embed;
pub mod gate;
pub mod graph;
pub mod item;
pub mod log;
pub mod mcp;
pub mod media;
pub mod network;
pub mod registry;
pub mod reply;
pub mod request;
pub mod schema;
pub mod search;
pub mod secrets;
pub mod sensitive;
pub mod text;
pub mod trace;
pub mod trust;
pub mod turn;
