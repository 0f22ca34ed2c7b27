//! The protocol over standard input and HTTP, with official clients and the conformance suite.

pub(crate) mod clients;
pub(crate) mod conformance;
mod corrections;
mod everyday;
pub(crate) mod http;
pub(crate) mod http_attacks;
pub(crate) mod inspector;
mod offered;
mod offers;
pub(crate) mod pipeline;
pub(crate) mod registration;
mod skills;
pub(crate) mod slow_clients;
pub(crate) mod stdio;
mod story;
