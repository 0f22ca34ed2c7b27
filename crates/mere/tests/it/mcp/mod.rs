//! The protocol over standard input and HTTP, with official clients and the conformance suite.

pub(crate) mod clients;
pub(crate) mod conformance;
pub(crate) mod http;
pub(crate) mod http_attacks;
pub(crate) mod inspector;
pub(crate) mod pipeline;
pub(crate) mod registration;
pub(crate) mod slow_clients;
pub(crate) mod stdio;
