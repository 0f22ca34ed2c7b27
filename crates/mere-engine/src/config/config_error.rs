//! Why a config file cannot be used.

use std::io;
use std::sync::Arc;

use mere_core::address::{Address, ModName};

use super::YamlError;

/// A config file that cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error("{address} is not valid at line {}, column {}: {}", .fault.line, .fault.column, .fault.reason)]
    Invalid { address: Address, fault: YamlError },
    #[error("{address} cannot be read: {cause}")]
    Unreadable { address: Address, cause: Arc<io::Error> },
    #[error("{address} uses the name or id `{name}`, which another extra folder already has")]
    Clash { address: Address, name: ModName },
}

impl ConfigError {
    /// Returns the address of the file it is about.
    pub(crate) fn address(&self) -> &Address {
        match self {
            Self::Invalid { address, .. }
            | Self::Unreadable { address, .. }
            | Self::Clash { address, .. } => address,
        }
    }
}
