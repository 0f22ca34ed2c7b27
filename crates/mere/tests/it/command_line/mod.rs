//! The command line as people meet it: names, completions, manual pages, and what to type instead.

mod completions;
mod examples;
mod hints;
mod outcomes;
mod replies;
mod shell;
mod uninstall;
mod usage;
