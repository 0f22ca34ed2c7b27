//! What every agent-facing call returns: success, invalid, denied or error.
//!
//! A reply is written as a [`Draft`], whose strings are typed by where they come from, and reaches
//! an edge only as the `Cleared` the gate makes of it. There is one constructor per reply type and
//! each takes a code of that type, so a layer cannot answer what it may not.

mod code;
pub mod codes;
mod data;
mod name;
mod prose;

pub use code::{
    Code, CodeId, Denied, Enforcement, Execution, Fault, Invalid, Items, Layer, LayerName,
    MayAnswer, Registry, ReplyKind, ReplyType, Success, Surface, World,
};
pub use data::{Content, ContentKind, Data, Fields};
pub use name::ParsedName;
pub use prose::{Prose, ProsePart, reword_for_person};

/// A reply before the gate.
#[derive(Clone, Debug)]
pub struct Draft {
    pub(crate) code: CodeId,
    pub(crate) message: Prose,
    pub(crate) hint: Option<Prose>,
    pub(crate) data: Fields,
}

impl Draft {
    /// The call did what it says. An empty result is a success too.
    pub fn success(code: Code<Success>, message: impl Into<Prose>) -> Self {
        Self::new(code, message.into())
    }

    /// The call is wrong or names nothing visible.
    pub fn invalid(code: Code<Invalid>, message: impl Into<Prose>) -> Self {
        Self::new(code, message.into())
    }

    /// Policy forbids the mutation, the execution or the use of the item.
    pub fn denied(code: Code<Denied>, message: impl Into<Prose>) -> Self {
        Self::new(code, message.into())
    }

    /// Something is broken.
    pub fn fault(code: Code<Fault>, message: impl Into<Prose>) -> Self {
        Self::new(code, message.into())
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Prose>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Sets the structured answer.
    #[must_use]
    pub fn data(mut self, data: Fields) -> Self {
        self.data = data;
        self
    }

    /// What it says.
    pub fn message(&self) -> &Prose {
        &self.message
    }

    /// What to do next, if it says so.
    pub fn hint_prose(&self) -> Option<&Prose> {
        self.hint.as_ref()
    }

    fn new<A: ReplyKind>(code: Code<A>, message: Prose) -> Self {
        Self { code: code.id(), message, hint: None, data: Fields::default() }
    }
}
