//! A passphrase or another secret on its way from a person's keyboard.
//!
//! It is wiped when it is dropped, and its debug output does not show it.

use std::fmt;

use zeroize::Zeroizing;

/// A passphrase, or the value of a secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Wraps the text that a person typed.
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// Returns the text that a person typed.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Tells whether nothing was typed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::AgentName;
    use crate::request::{Caller, KeysCommand, PersonCommand, Request, Verb};

    #[test]
    fn it_prints_as_nothing() {
        let secret = Secret::new("correct horse".to_owned());
        assert_eq!(format!("{secret:?}"), "Secret(…)");
        assert_eq!((secret.expose(), secret.is_empty()), ("correct horse", false));
    }

    #[test]
    fn only_a_person_unlocks() {
        let secret = || Some(Secret::new("s".to_owned()));
        let of_agent =
            Request::from_text(Caller::default(), "dir", "{}").with_key_passphrase(secret());
        assert_eq!(of_agent.key_passphrase, None);
        let verb = Verb::Person(PersonCommand::Keys(KeysCommand::List));
        let of_person = Request::from_person(AgentName::default(), "keys", verb);
        assert_eq!(of_person.clone().with_key_passphrase(secret()).key_passphrase, secret());
        assert_eq!(of_person.key_passphrase, None);
    }
}
