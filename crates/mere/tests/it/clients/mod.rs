//! The programs that agents run in: what `mere` writes for them and reads of theirs.

mod connect;
mod export;
mod real_clients;
