//! Bounded HTTP/1 serving, for every server of Merestone.
//!
//! A server accepts a limited number of connections, reads bodies of a limited size in a limited
//! time, answers each client at a limited rate, and only under its own host names. What is answered
//! is the caller's business.

mod allowed_hosts;
mod body;
mod connections;
mod rate_limiter;
mod server;
mod shutdown_signal;

use std::convert::Infallible;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;

pub use allowed_hosts::{AllowedHosts, HostRefusal, MissingHostName};
pub use body::{BodyLimits, BodyRefusal, read_body};
pub use connections::{Answering, Connection, Connections, NoBodyRoom, TooManyAnswers};
pub use rate_limiter::{ClientKey, Rate, RateLimited, RateLimiter};
pub use server::{Server, StoppedServer};
pub use shutdown_signal::wait_for_signal;

/// The body of every response.
pub type Body = BoxBody<Bytes, Infallible>;
