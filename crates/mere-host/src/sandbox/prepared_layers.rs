//! What a cell builds before it has its order: the parts of its layers that are the same for every
//! tool.
//!
//! A spare cell has the time for it, and whoever runs a tool has not. What fails here is reported
//! as its layer once there is an order, which says whether that layer is required.

use std::io;

use seccompiler::BpfProgram;

use super::confine::LandlockRules;
use super::private_root;
use super::protocol::CellNetwork;
use super::syscalls::compile_filters;

/// The parts of the layers that no order changes.
pub(super) struct PreparedLayers {
    /// The new root, with the system in it.
    pub(super) root: io::Result<()>,
    /// The landlock rules for the system's paths.
    pub(super) rules: io::Result<LandlockRules>,
    /// The filters of a tool without a network.
    pub(super) filters: io::Result<Vec<BpfProgram>>,
}

impl PreparedLayers {
    /// Replaces the machine's root, and prepares what is enforced later.
    pub(super) fn build() -> Self {
        let rules = LandlockRules::new();
        let root = private_root::enter_system();
        let rules = match root {
            Ok(()) => rules.and_then(|rules| rules.allow_all(private_root::system_paths())),
            // The paths would be those of the machine. Without a root, nothing is started.
            Err(_) => rules,
        };
        Self { root, rules, filters: compile_filters(CellNetwork::None) }
    }
}
