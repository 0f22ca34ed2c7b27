//! The inputs of runs, kept beside their receipts so that a run can be repeated.
//!
//! They are the parameters that a tool was given. Secrets that were granted to it are not among
//! them. A receipt has the digest of its inputs, so inputs that were changed are found out. They
//! are not synced: after a power cut the inputs of the last runs may be gone, their receipts are
//! not.

use mere_core::digest::Sha256;
use mere_core::text::{canonical, json};
use mere_core::trust::{Receipt, ReceiptId};
use serde_json::{Map, Value};

use super::{ReceiptBook, ReceiptError};
use mere_host::{Durability, LineLog, LockedFolder};

/// The largest inputs that are kept, in bytes of their line.
const MAX_LINE: usize = 256 * 1024;
/// The files of the inputs.
const INPUTS: LineLog =
    LineLog { name: "inputs", segment_bytes: 3 * 1024 * 1024, max_line: MAX_LINE };
/// How many of them are kept.
const MAX_SEGMENTS: usize = 16;

/// The inputs of a run.
pub(super) struct KeptInputs {
    /// Their canonical text.
    pub(super) text: String,
    pub(super) digest: Sha256,
}

impl KeptInputs {
    /// Makes what is kept of parameters.
    pub(super) fn new(parameters: &Map<String, Value>) -> Self {
        let text = canonical::to_text(&Value::Object(parameters.clone()));
        Self { digest: Sha256::digest(text.as_bytes()), text }
    }

    /// Keeps the inputs of a run, unless they are too large.
    pub(super) fn append(
        folder: &LockedFolder,
        id: ReceiptId,
        inputs: &str,
    ) -> Result<(), ReceiptError> {
        let line = format!("{{\"id\":\"{id}\",\"inputs\":{inputs}}}");
        if line.len() + 1 > MAX_LINE {
            return Ok(());
        }
        let mut end = INPUTS.open_end(folder)?;
        end.append(&line, Durability::Buffered)?;
        if let Some((segment, _)) = end.excess_segment(MAX_SEGMENTS)? {
            end.remove_segment(segment)?;
        }
        Ok(())
    }
}

impl ReceiptBook {
    /// Finds the inputs of a run. Returns `None` if they are no longer kept, or are not what the
    /// receipt says.
    pub(crate) fn find_inputs(
        &self,
        receipt: &Receipt,
    ) -> Result<Option<Map<String, Value>>, ReceiptError> {
        let start = format!("{{\"id\":\"{}\",", receipt.id);
        for segment in INPUTS.segments(&self.runs)?.into_iter().rev() {
            let text = INPUTS.read(&self.runs, segment)?;
            let mut lines = text.split(|byte| *byte == b'\n');
            let Some(line) = lines.find(|line| line.starts_with(start.as_bytes())) else {
                continue;
            };
            let Ok(Value::Object(mut fields)) = json::parse(line) else { return Ok(None) };
            let Some(Value::Object(inputs)) = fields.remove("inputs") else { return Ok(None) };
            let is_own = Some(KeptInputs::new(&inputs).digest) == receipt.run.inputs;
            return Ok(is_own.then_some(inputs));
        }
        Ok(None)
    }
}
