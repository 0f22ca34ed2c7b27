//! The vocabulary and rules of Merestone.
//!
//! This crate opens nothing, prints nothing, asks no clock and names no host path. It defines
//! addresses, calls and replies, and what may leave the machine in a reply; the engine does the
//! rest.

pub mod address;
pub mod canonical;
pub mod category;
pub mod chain;
pub mod cursor;
pub mod diff;
pub mod digest;
mod edit;
pub mod embed;
pub mod gate;
pub mod gitignore;
pub mod graph;
pub mod item;
pub mod json;
mod lines;
pub mod markdown;
pub mod media;
pub mod name;
pub mod pattern;
pub mod reply;
pub mod request;
pub mod root;
pub mod schema;
pub mod search;
pub mod secrets;
pub mod segment;
pub mod sensitive;
pub mod spoken;
pub mod trace;
pub mod trust;
pub mod turn;
pub mod yaml;
