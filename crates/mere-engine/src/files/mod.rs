//! The tools that look at files and change them, one per module.
//!
//! A [`view::View`] is what a call looks through. Everything a call reads is redacted for its
//! reader, and a sensitive file is shown only after a person has said yes ([`question`]).

pub(crate) mod dir;
pub(crate) mod entry_change;
pub(crate) mod error;
pub(crate) mod fidelity;
pub(crate) mod file_change;
pub(crate) mod glob;
pub(crate) mod grep;
pub(crate) mod line_stream;
pub(crate) mod masking;
pub(crate) mod question;
pub(crate) mod read;
pub(crate) mod redaction;
pub(crate) mod view;
