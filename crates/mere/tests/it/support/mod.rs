//! What the tests stand on: the stage for the real binary, sample items, servers and people to play with.

pub(crate) mod container;
pub(crate) mod foreign_owner;
pub(crate) mod harness;
pub(crate) mod memory_driver;
pub(crate) mod memory_server;
pub(crate) mod model_server;
pub(crate) mod repository;
pub(crate) mod samples;
pub(crate) mod searches;
pub(crate) mod store_fixture;
pub(crate) mod tls_server;
pub(crate) mod tools;
pub(crate) mod typist;
pub(crate) mod web_server;
pub(crate) mod workshop;
