//! Checkpoints: the origin of a log, its size, its root and the time, as a signed note (C2SP
//! `tlog-checkpoint`).
//!
//! The time is our extension line. Parsing checks the form only; [`CheckpointPolicy`] decides
//! whether a checkpoint is trusted.
//!
//! [`CheckpointPolicy`]: super::CheckpointPolicy

use std::fmt;
use std::str::FromStr;

use super::hash::{MAX_TREE_SIZE, TreeHash, TreeHead};
use super::note::{NoteError, NoteSignature, SignedNote};
use super::signer::LogSigner;
use super::time::{LogTime, parse_decimal};
use super::verifier_key::NoteKeyName;

/// The most extension lines that a checkpoint may have.
const MAX_EXTENSIONS: usize = 16;
/// What the extension line with the time begins with.
const TIME_PREFIX: &str = "time ";

/// What a log says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    origin: NoteKeyName,
    head: TreeHead,
    extensions: Vec<String>,
}

/// A checkpoint with its signatures, which nobody has checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedCheckpoint {
    checkpoint: Checkpoint,
    note: SignedNote,
}

impl Checkpoint {
    /// Describes a tree at a time.
    pub fn new(origin: NoteKeyName, head: TreeHead, time: LogTime) -> Self {
        Self { origin, head, extensions: vec![format!("{TIME_PREFIX}{time}")] }
    }

    /// Returns the name of the log.
    pub fn origin(&self) -> &NoteKeyName {
        &self.origin
    }

    /// Returns its size and root.
    pub fn head(&self) -> TreeHead {
        self.head
    }

    /// Returns the time. Logs of others may have none.
    pub fn time(&self) -> Option<LogTime> {
        let mut times = self.extensions.iter().filter_map(|line| line.strip_prefix(TIME_PREFIX));
        let time = times.next()?.parse().ok();
        time.filter(|_| times.next().is_none())
    }
}

impl FromStr for Checkpoint {
    type Err = NoteError;

    fn from_str(body: &str) -> Result<Self, NoteError> {
        let lines = body.strip_suffix('\n').ok_or(NoteError::Form)?;
        let mut lines = lines.split('\n');
        let (Some(origin), Some(size), Some(root)) = (lines.next(), lines.next(), lines.next())
        else {
            return Err(NoteError::Form);
        };
        let origin = origin.parse().map_err(|_| NoteError::Form)?;
        let size = parse_decimal(size).filter(|size| *size <= MAX_TREE_SIZE);
        let size = size.ok_or(NoteError::Form)?;
        let root = root.parse::<TreeHash>().map_err(|_| NoteError::Form)?;
        let extensions = lines.map(str::to_owned).collect::<Vec<_>>();
        if extensions.len() > MAX_EXTENSIONS || extensions.iter().any(String::is_empty) {
            return Err(NoteError::Form);
        }
        if size == 0 && root != TreeHash::empty_tree() {
            return Err(NoteError::Form);
        }
        Ok(Self { origin, head: TreeHead { size, root }, extensions })
    }
}

impl fmt::Display for Checkpoint {
    /// Writes the text that is signed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n{}\n{}", self.origin, self.head.size, self.head.root)?;
        self.extensions.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

impl SignedCheckpoint {
    /// Signs a checkpoint with the key of its log.
    pub fn sign(checkpoint: Checkpoint, signer: &LogSigner) -> Result<Self, NoteError> {
        let mut note = SignedNote::new(checkpoint.to_string())?;
        note.add_signature(signer.sign(&note));
        Ok(Self { checkpoint, note })
    }

    /// Parses a checkpoint. Its signatures are not checked.
    pub fn parse(bytes: &[u8]) -> Result<Self, NoteError> {
        let note = SignedNote::parse(bytes)?;
        Ok(Self { checkpoint: note.body().parse()?, note })
    }

    /// Returns what it says. Nobody has checked it.
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// Returns the note that it is.
    pub fn note(&self) -> &SignedNote {
        &self.note
    }

    /// Adds a signature, such as that of a witness. It replaces an earlier one by the same key.
    pub fn add_signature(&mut self, signature: NoteSignature) {
        self.note.add_signature(signature);
    }
}

impl fmt::Display for SignedCheckpoint {
    /// Writes the text that is served.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.note.fmt(f)
    }
}
