//! Who may have the user's key sign. An agent can never cause a signature, except where the user lets
//! agents install: for the placement of what is installed, and for the lockfile that pins it.
//!
//! A [`SigningPermit`] says that somebody who is there means it. The key signs for nothing else.

use mere_core::request::Reader;

use super::{Denied, InstallPermit};

/// The circumstances in which something is to be signed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SigningContext {
    pub(crate) reader: Reader,
    /// Whether the process has a controlling terminal.
    pub(crate) has_terminal: bool,
    /// Whether ssh-agent holds the key. It asks for confirmation in its own way.
    pub(crate) is_in_agent: bool,
    /// Whether the user's own configuration lets the key sign without asking anybody.
    pub(crate) may_sign_unattended: bool,
}

/// Why something is to be signed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SigningReason<'a> {
    /// A person asked for it.
    Requested,
    /// These are the examples that this program has just written itself.
    Examples,
    /// It is the placement of an item that may be installed, or the first lockfile of one that was.
    Install(&'a InstallPermit),
}

/// Permission to sign with the user's key.
#[derive(Debug)]
pub struct SigningPermit(());

/// Allows the user's key to sign.
pub(crate) fn permit_signing(
    context: SigningContext,
    reason: SigningReason<'_>,
) -> Result<SigningPermit, Denied> {
    let is_intended = context.has_terminal || context.is_in_agent || context.may_sign_unattended;
    match (context.reader, reason) {
        (Reader::Person, SigningReason::Examples) => Ok(SigningPermit(())),
        (Reader::Person, SigningReason::Requested) if is_intended => Ok(SigningPermit(())),
        (reader, SigningReason::Install(install)) if install.reader() == reader => {
            Ok(SigningPermit(()))
        }
        (Reader::Person | Reader::Agent, _) => Err(Denied::Sign),
    }
}

/// Allows the user's keys to sign that one replaces the other, if a person replaces it.
pub(crate) fn permit_rotation(reader: Reader) -> Result<SigningPermit, Denied> {
    match reader {
        Reader::Person => Ok(SigningPermit(())),
        Reader::Agent => Err(Denied::Sign),
    }
}

#[cfg(test)]
impl SigningPermit {
    /// Creates a permit for a test of what signs.
    pub(crate) fn for_tests() -> Self {
        Self(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::permit_install;
    use super::*;
    use crate::config::AgentsConfig;

    fn context(reader: Reader, has_terminal: bool) -> SigningContext {
        SigningContext { reader, has_terminal, is_in_agent: false, may_sign_unattended: false }
    }

    #[test]
    fn nobody_but_a_person_who_is_there_signs() {
        for (reader, has_terminal, expected) in [
            (Reader::Person, true, true),
            (Reader::Person, false, false),
            (Reader::Agent, true, false),
            (Reader::Agent, false, false),
        ] {
            let permit = permit_signing(context(reader, has_terminal), SigningReason::Requested);
            assert_eq!(permit.is_ok(), expected, "{reader:?} {has_terminal}");
        }
        for (is_in_agent, may_sign_unattended) in [(true, false), (false, true)] {
            let context = |reader| SigningContext {
                is_in_agent,
                may_sign_unattended,
                ..context(reader, false)
            };
            let is_permitted =
                |reader| permit_signing(context(reader), SigningReason::Requested).is_ok();
            assert!(is_permitted(Reader::Person) && !is_permitted(Reader::Agent));
        }
        assert!(permit_rotation(Reader::Person).is_ok());
        assert!(permit_rotation(Reader::Agent).is_err());
    }

    #[test]
    fn an_agent_has_a_placement_signed_only_with_its_own_permit_to_install() {
        let agents = AgentsConfig::default();
        assert!(permit_install(Reader::Agent, &agents).is_err());
        let persons = permit_install(Reader::Person, &agents).expect("a permit");
        let agents = AgentsConfig { may_install: Some(true), ..agents };
        let own = permit_install(Reader::Agent, &agents).expect("a permit");
        for (permit, expected) in [(&own, true), (&persons, false)] {
            let context = context(Reader::Agent, false);
            let signing = permit_signing(context, SigningReason::Install(permit));
            assert_eq!(signing.is_ok(), expected, "{permit:?}");
        }
    }
}
