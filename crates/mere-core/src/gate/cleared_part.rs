//! Parts of a reply that passed the gate, for messages that carry more than one reply's worth of
//! fields or only some of them.

use serde_json::Value;

use super::Cleared;

/// A reply that passed the gate, as a tree.
#[derive(Clone, Debug)]
pub struct ClearedReply(Value);

/// A value in a reply that passed the gate.
#[derive(Clone, Copy, Debug)]
pub struct ClearedPart<'a>(&'a Value);

impl Cleared {
    /// Returns the reply as a tree whose parts can be sealed one by one.
    pub fn to_reply(&self) -> ClearedReply {
        ClearedReply(self.to_value())
    }
}

impl ClearedReply {
    /// Returns the message of the reply.
    pub fn message(&self) -> ClearedPart<'_> {
        ClearedPart(&self.0["message"])
    }

    /// Returns the hint of the reply, if it has one.
    pub fn hint(&self) -> Option<ClearedPart<'_>> {
        ClearedPart(&self.0).get("hint")
    }

    /// Returns the data of the reply.
    pub fn data(&self) -> ClearedPart<'_> {
        ClearedPart(&self.0["data"])
    }

    /// Returns a field of the data of the reply, if it has a value.
    pub fn field(&self, name: &str) -> Option<ClearedPart<'_>> {
        self.data().get(name)
    }

    /// Returns the values of a list in the data of the reply.
    pub fn list(&self, name: &str) -> impl Iterator<Item = ClearedPart<'_>> {
        self.field(name).into_iter().flat_map(ClearedPart::items)
    }
}

impl<'a> ClearedPart<'a> {
    /// Returns a field, if it has a value.
    pub fn get(self, name: &str) -> Option<Self> {
        self.0.get(name).filter(|value| !value.is_null()).map(Self)
    }

    /// Returns the values of a list; anything else has none.
    pub fn items(self) -> impl Iterator<Item = Self> {
        self.0.as_array().into_iter().flatten().map(Self)
    }

    /// Returns the text, if it is one.
    pub fn text(self) -> Option<&'a str> {
        self.0.as_str()
    }

    /// Returns the number, if it is one.
    pub fn number(self) -> Option<u64> {
        self.0.as_u64()
    }

    /// Returns the truth value, if it is one.
    pub fn truth(self) -> Option<bool> {
        self.0.as_bool()
    }

    /// Returns whether it is true; anything else is not.
    pub fn is_true(self) -> bool {
        self.truth() == Some(true)
    }

    pub(super) fn to_json(self) -> String {
        self.0.to_string()
    }
}
