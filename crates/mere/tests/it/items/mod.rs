//! Items: found, loaded, made, changed, proposed and kept.

pub(crate) mod bounds;
pub(crate) mod changes;
pub(crate) mod commands;
pub(crate) mod design_examples;
pub(crate) mod directives;
mod directives_told;
pub(crate) mod doctor;
pub(crate) mod faults;
pub(crate) mod forged_proposals;
pub(crate) mod holes;
pub(crate) mod hostile;
pub(crate) mod index;
pub(crate) mod init_existing;
pub(crate) mod load;
pub(crate) mod made;
pub(crate) mod older_format;
pub(crate) mod printing;
pub(crate) mod proposals;
pub(crate) mod rules;
pub(crate) mod running;
pub(crate) mod scripts;
pub(crate) mod secrets;
pub(crate) mod storms;
pub(crate) mod upheaval;
pub(crate) mod watching;
