//! The reply that every agent-facing call returns: success, invalid, denied or error.
//!
//! A reply is written as a [`Draft`], whose strings are typed by their origin, and it reaches an
//! edge only as the `Cleared` that the gate makes of it. There is one constructor per reply type,
//! and each takes a code of that type, so a layer cannot give an answer that it may not give.

mod code;
mod code_table;
pub mod codes;
#[cfg(test)]
mod codes_tests;
mod data;
mod name;
mod prose;
mod size;

pub use code::{
    Code, CodeId, Denied, Enforcement, Execution, Fault, Invalid, Items, Layer, LayerName,
    MayAnswer, Registry, ReplyKind, ReplyType, Success, Surface, World,
};
pub use data::{Content, ContentKind, Data, Fields};
pub use name::ParsedName;
pub use prose::{Prose, ProsePart, reword_for_person};
pub use size::{MAX_REPLY_BYTES, json_length};

/// A reply before the gate.
#[derive(Clone, Debug)]
pub struct Draft {
    pub(crate) code: CodeId,
    pub(crate) message: Prose,
    pub(crate) hint: Option<Prose>,
    pub(crate) data: Fields,
}

impl Draft {
    /// Drafts a success: the call did what the message says. An empty result is a success too.
    pub fn success(code: Code<Success>, message: impl Into<Prose>) -> Self {
        Self::new(code, message.into())
    }

    /// Drafts an invalid reply: the call is wrong, or names nothing visible.
    pub fn invalid(code: Code<Invalid>, message: impl Into<Prose>) -> Self {
        Self::new(code, message.into())
    }

    /// Drafts a denial: policy forbids the mutation, the execution or the use of the item.
    pub fn denied(code: Code<Denied>, message: impl Into<Prose>) -> Self {
        Self::new(code, message.into())
    }

    /// Drafts an error: something is broken.
    pub fn fault(code: Code<Fault>, message: impl Into<Prose>) -> Self {
        Self::new(code, message.into())
    }

    /// Adds a hint about what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Prose>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Sets the structured data.
    #[must_use]
    pub fn data(mut self, data: Fields) -> Self {
        self.data = data;
        self
    }

    /// Returns the message.
    pub fn message(&self) -> &Prose {
        &self.message
    }

    /// Returns the hint about what to do next, if there is one.
    pub fn hint_prose(&self) -> Option<&Prose> {
        self.hint.as_ref()
    }

    /// Returns its code.
    pub fn code(&self) -> CodeId {
        self.code
    }

    fn new<A: ReplyKind>(code: Code<A>, message: Prose) -> Self {
        Self { code: code.id(), message, hint: None, data: Fields::default() }
    }
}
