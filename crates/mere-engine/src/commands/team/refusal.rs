//! The reasons why a team was not created, changed or joined.
//!
//! They are about the request; the state of a roster that is damaged or incomplete is described by
//! the trust policy.

use mere_core::trust::Fingerprint;

/// A refusal. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TeamRefusal {
    #[error("there is a roster already")]
    RosterExists,
    #[error("the user's own space has no team")]
    UserSpace,
    #[error("the user has not joined the team")]
    NotJoined,
    #[error("{0} is no admin's key")]
    NotAdmin(Fingerprint),
    #[error("somebody is called {0} already")]
    NameTaken(String),
    #[error("the key is in the team already, as {0}")]
    KeyTaken(String),
    #[error("nobody is called {0}")]
    NoMember(String),
    #[error("it is the last admin")]
    LastAdmin,
    #[error("{admins} admins cannot reach a threshold of {threshold}")]
    ThresholdTooHigh { admins: usize, threshold: usize },
    #[error("that is no roster: {0}")]
    InvalidRoster(&'static str),
    #[error("the roster is another one by now")]
    RosterChanged,
    #[error("the roster is the one that counts")]
    AlreadyInForce,
    #[error("{0} has signed it")]
    AlreadySigned(Fingerprint),
    #[error("the admins changed without the ones before")]
    AdminsReplaced,
    #[error("the user's key would not count for the item")]
    KeyNotAccepted,
    #[error("the item does not verify")]
    ItemNotVerified,
}
