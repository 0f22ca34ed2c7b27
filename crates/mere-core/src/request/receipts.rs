//! The commands of people about the receipts of runs.

use crate::trust::ReceiptId;

/// A command about receipts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiptCommand {
    /// Lists them, the newest first.
    List {
        /// Whose runs.
        scope: ReceiptScope,
        /// How many at most.
        limit: usize,
        /// Only those before this one.
        before: Option<ReceiptId>,
    },
    /// Shows one.
    Show {
        /// Its id.
        receipt: ReceiptId,
    },
    /// Checks that none was edited, dropped or reordered.
    Verify,
    /// Returns some as they are stored, the oldest first.
    Export {
        /// Where the previous page ended.
        from: Option<ReceiptCursor>,
    },
}

/// Whose runs are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiptScope {
    /// Those in this project.
    Project,
    /// Those in any folder.
    Everywhere,
}

/// The position of a line among the files of receipts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiptCursor {
    /// The number of the file.
    pub file: u32,
    /// The number of the line, from 0.
    pub line: u64,
}
