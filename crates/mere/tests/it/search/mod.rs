//! Search, its index and its models.

mod brief;
pub(crate) mod coverage;
pub(crate) mod filters;
pub(crate) mod index;
pub(crate) mod models;
pub(crate) mod models_fetched;
mod odd_machines;
pub(crate) mod parity;
pub(crate) mod queries;
pub(crate) mod seen;
pub(crate) mod trouble;
mod vouched;
mod watched;
