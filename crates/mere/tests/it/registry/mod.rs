//! The registry server: one suite for both databases and both blob stores, all of them real.

mod attacks;
mod author;
mod client;
mod concurrency;
mod conformance;
mod crash;
mod migrations;
mod operator;
mod postgres_tls;
mod privacy;
mod servers;
mod stage;
mod sweep;
mod witness;

/// Makes a test for the embedded database with files, and one for `PostgreSQL` with a bucket.
macro_rules! on_both_backends {
    ($($name:ident),* $(,)?) => {
        mod on_sqlite_and_files {
            $(#[test] fn $name() { super::$name($crate::registry::stage::Backend::SqliteFiles); })*
        }
        mod on_postgres_and_bucket {
            $(#[test] fn $name() { super::$name($crate::registry::stage::Backend::PostgresBucket); })*
        }
    };
}
use on_both_backends;
