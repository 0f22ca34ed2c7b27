//! Judges whether a reader sees a file as it is on disk, and makes the digest that the reader is
//! shown.
//!
//! The whole file is judged, even if only a part of it is shown: another call may show the rest, and
//! both must give the same digest. Memory use does not depend on the size of the file.

use std::io::{self, Read};

use mere_core::address::Address;
use mere_core::digest::{Fidelity, Sha256, Sha256Hasher, ShownDigest};
use mere_core::gate::Gate;
use mere_core::reply::Data;
use mere_core::secrets;

use super::line_stream::opens_private_key;
use super::redaction::SecretDisplay;
use super::view::View;
use crate::trust::digest_key::DigestKeyError;

/// How much of a file is judged at once.
const WINDOW_BYTES: usize = 1024 * 1024;
/// How much of that is judged again with what follows, so that a secret or a path across the end is
/// recognised.
const OVERLAP_BYTES: usize = 64 * 1024;

/// Judges a file that arrives in pieces.
pub(crate) struct FidelityScanner<'a> {
    gate: &'a Gate,
    secrets: SecretDisplay,
    window: Vec<u8>,
    fidelity: Fidelity,
}

impl<'a> FidelityScanner<'a> {
    /// Starts with a file whose reader passes this gate.
    pub(crate) fn new(gate: &'a Gate, secrets: SecretDisplay) -> Self {
        Self { gate, secrets, window: Vec::new(), fidelity: Fidelity::Exact }
    }

    /// Takes the next bytes.
    pub(crate) fn feed(&mut self, mut bytes: &[u8]) {
        while self.fidelity == Fidelity::Exact && !bytes.is_empty() {
            let room = WINDOW_BYTES + OVERLAP_BYTES - self.window.len();
            let (here, rest) = bytes.split_at(bytes.len().min(room));
            self.window.extend_from_slice(here);
            bytes = rest;
            if here.len() == room {
                self.judge_window();
                self.window.drain(..WINDOW_BYTES);
            }
        }
    }

    /// Returns how the reader sees the file.
    pub(crate) fn finish(mut self) -> Fidelity {
        if self.fidelity == Fidelity::Exact {
            self.judge_window();
        }
        self.fidelity
    }

    /// Returns how the reader sees the file, if the whole of it was searched for secrets and none
    /// was found.
    pub(crate) fn finish_without_secrets(self) -> Fidelity {
        let is_altered = self.secrets == SecretDisplay::Masked && opens_private_key(&self.window)
            || self.gate.alters(&String::from_utf8_lossy(&self.window));
        if is_altered { Fidelity::Altered } else { self.fidelity }
    }

    fn judge_window(&mut self) {
        self.fidelity = judge_bytes(self.gate, self.secrets, &self.window);
    }
}

fn judge_bytes(gate: &Gate, display: SecretDisplay, bytes: &[u8]) -> Fidelity {
    let is_altered = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let has_secret = display == SecretDisplay::Masked
            && (opens_private_key(bytes) || !secrets::find(&text).is_empty());
        has_secret || gate.alters(&text)
    };
    // Without its NULs, text of two or four bytes a letter is text too.
    let is_wide = bytes.contains(&0);
    let narrow = || bytes.iter().copied().filter(|byte| *byte != 0).collect::<Vec<_>>();
    if is_altered(bytes) || is_wide && is_altered(&narrow()) {
        Fidelity::Altered
    } else {
        Fidelity::Exact
    }
}

/// A file that was read to its end.
#[derive(Clone, Copy)]
pub(crate) struct ExaminedFile {
    /// The digest of the bytes, which is not for replies.
    pub(crate) sha256: Sha256,
    pub(crate) fidelity: Fidelity,
}

impl View<'_> {
    /// Returns whether the reader sees the secrets of a file at an address without links.
    pub(crate) fn secret_display_at(&self, address: &Address) -> SecretDisplay {
        if self.world.is_confirmed_at(address) {
            SecretDisplay::Shown
        } else {
            SecretDisplay::Masked
        }
    }

    /// Judges the whole content of a file at an address without links.
    pub(crate) fn fidelity_of(&self, address: &Address, bytes: &[u8]) -> Fidelity {
        judge_bytes(self.gate, self.secret_display_at(address), bytes)
    }

    /// Reads a file of any size at an address without links, and judges it.
    pub(crate) fn examine(
        &self,
        address: &Address,
        mut file: impl Read,
    ) -> io::Result<ExaminedFile> {
        let mut scanner = FidelityScanner::new(self.gate, self.secret_display_at(address));
        let (mut hasher, mut buffer) = (Sha256Hasher::default(), vec![0; 64 * 1024]);
        loop {
            match file.read(&mut buffer)? {
                0 => break,
                read => {
                    hasher.update(&buffer[..read]);
                    scanner.feed(&buffer[..read]);
                }
            }
        }
        Ok(ExaminedFile { sha256: hasher.digest(), fidelity: scanner.finish() })
    }

    /// Makes the digest of a file that the reader is shown. An agent's digest is compared with this
    /// one, so that a guess of the plain digest is wrong in any case.
    pub(crate) fn shown_digest(
        &self,
        sha256: Sha256,
        fidelity: Fidelity,
    ) -> Result<ShownDigest, DigestKeyError> {
        ShownDigest::new(sha256, fidelity, || self.digest_key.load())
    }

    /// Makes the same digest for a reply about something that was shown or done already. Without a
    /// key it is withheld.
    pub(crate) fn digest_data(&self, sha256: Sha256, fidelity: Fidelity) -> Data {
        self.shown_digest(sha256, fidelity).ok().into()
    }
}
