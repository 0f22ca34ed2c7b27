//! Who vouches for an item, and where it may lie.
//!
//! An author signs a [`Statement`] about an item; whoever installs it signs a [`Placement`] that
//! says where it lies. Both are stored in a [`Sidecar`]. [`verify()`] is the one function that
//! compares them with what was found, and the only maker of [`Verified`]. A team's [`Roster`] says
//! whose keys are trusted. A [`Receipt`] says what was run. Nothing here asks a clock or opens a file.

mod envelope;
mod key;
mod keyring;
mod placement;
mod receipt;
mod roster;
mod rotation;
mod seen_version;
mod sidecar;
mod sidecar_merge;
pub(crate) mod signed_data;
mod statement;
mod verification;
mod verify;
mod vouching;

pub use envelope::{Envelope, EnvelopeSignature, PayloadType};
/// The last day on which a key is trusted.
pub use jiff::civil::Date;
pub use key::{Fingerprint, FingerprintError, KeyError, PublicKey};
pub use keyring::{KeyLimits, Keyring, TrustedKey};
pub use placement::{Placement, RegistryOrigin};
pub use receipt::{
    HeadFault, MAX_RECEIPT_BYTES, RECEIPT_HEAD_BYTES, Receipt, ReceiptChainCheck, ReceiptFault,
    ReceiptFinding, ReceiptHead, ReceiptId, ReceiptIdError, ReceiptLink, ReceiptPosition,
    RunOutcome, RunRecord, SignedReceipt,
};
pub use roster::{Roster, RosterMember, SignedRoster};
pub use rotation::Rotation;
pub use seen_version::{MAX_ACCEPTED_STATEMENTS, SeenVersion, VersionAge};
pub use sidecar::{CONFLICT_MARKERS, MAX_SIDECAR_BYTES, Sidecar, SidecarFile};
pub use sidecar_merge::{MergedFit, MergedSidecar, merge_sidecars};
pub use signed_data::SignedDataError;
pub use statement::{ClaimedTime, Statement};
pub use verification::{
    Checked, ItemSigners, LocationField, LocationMismatch, TrustStatus, TrustedSigner,
    UntrustedReason, UntrustedSigner, Verification, VerificationFailure, Verified,
};
pub use verify::{
    FoundItem, ItemClaims, check_author, check_displaced_sidecar, trusted_sidecar,
    trusted_statement, verify,
};
pub use vouching::Vouching;
