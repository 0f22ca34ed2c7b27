//! The registry over HTTP: JSON, blobs and the tiles of the log.

mod answer;
mod dispatch;
mod frontend;
mod gzip;
mod metrics;
mod problem;
mod route;
mod server;

pub use server::{RegistryServer, ServeError, ServeOptions};
