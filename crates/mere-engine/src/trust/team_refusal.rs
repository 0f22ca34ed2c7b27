//! The reasons why a team was not created, changed or joined.
//!
//! They are about the request; the state of a roster that is damaged or incomplete is described by
//! the trust policy.

use mere_core::trust::Fingerprint;

/// A refusal. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TeamRefusal {
    #[error("there is already a roster")]
    RosterExists,
    #[error("the user's own space has no team")]
    UserSpace,
    #[error("the user has not joined the team")]
    NotJoined,
    #[error("{0} is not an admin's key")]
    NotAdmin(Fingerprint),
    #[error("there is already a member called {0}")]
    NameTaken(String),
    #[error("the key is already in the team, as {0}")]
    KeyTaken(String),
    #[error("nobody is called {0}")]
    NoMember(String),
    #[error("only {0} could sign the change")]
    KeyNeeded(Fingerprint),
    #[error("it is the last admin")]
    LastAdmin,
    #[error("{admins} admins cannot reach a threshold of {threshold}")]
    ThresholdTooHigh { admins: usize, threshold: usize },
    #[error("the roster is invalid: {0}")]
    InvalidRoster(&'static str),
    #[error("the roster has changed")]
    RosterChanged,
    #[error("the roster is already in force")]
    AlreadyInForce,
    #[error("{0} has signed it")]
    AlreadySigned(Fingerprint),
    #[error("the admins were replaced without the consent of the previous ones")]
    AdminsReplaced,
    #[error("the user's key would not be trusted for the item")]
    KeyNotAccepted,
    #[error("the item does not verify")]
    ItemNotVerified,
}
