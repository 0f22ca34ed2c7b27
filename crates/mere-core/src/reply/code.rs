//! Reply codes, and which layer may give which type of reply.
//!
//! A code is printed as `LAYER-AREA-TYPE-NNN`. The type parameter of a [`Code`] is its reply type,
//! and a code can only be declared for a layer that [`MayAnswer`] it. `Denied` is implemented for
//! [`Enforcement`] alone, so a denial from any other layer does not compile.

use std::fmt;
use std::marker::PhantomData;

/// The four types of reply, which tell a caller what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyType {
    /// Go on.
    Success,
    /// Correct the call.
    Invalid,
    /// Ask a person.
    Denied,
    /// Stop and report the trace id.
    Error,
}

impl ReplyType {
    /// Returns the letter used in `reply_type` and in codes.
    pub fn letter(self) -> &'static str {
        match self {
            Self::Success => "S",
            Self::Invalid => "I",
            Self::Denied => "D",
            Self::Error => "E",
        }
    }
}

/// The part of the system that answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Addressing, visibility, reading.
    World,
    /// The only layer that may deny.
    Enforcement,
    /// Items, signatures, index, search.
    Items,
    /// Running tools.
    Execution,
    /// The registry.
    Registry,
    /// The surface itself: arguments, calls, the gate.
    Surface,
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::World => "WA",
            Self::Enforcement => "EN",
            Self::Items => "IT",
            Self::Execution => "EX",
            Self::Registry => "RG",
            Self::Surface => "MCP",
        })
    }
}

/// A marker type for a reply type.
pub trait ReplyKind {
    /// The reply type that this marker stands for.
    const TYPE: ReplyType;
}

/// A marker type for a layer.
pub trait LayerName {
    /// The layer that this marker stands for.
    const LAYER: Layer;
}

/// States that a layer may give this type of reply.
pub trait MayAnswer<A: ReplyKind>: LayerName {}

macro_rules! answers {
    ($($(#[$doc:meta])* $name:ident = $value:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}
        impl ReplyKind for $name { const TYPE: ReplyType = ReplyType::$value; }
    )*};
}

macro_rules! layers {
    ($($(#[$doc:meta])* $name:ident answers $($answer:ident)*;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}
        impl LayerName for $name { const LAYER: Layer = Layer::$name; }
        $(impl MayAnswer<$answer> for $name {})*
    )*};
}

answers! {
    /// Type S.
    Success = Success;
    /// Type I.
    Invalid = Invalid;
    /// Type D.
    Denied = Denied;
    /// Type E.
    Fault = Error;
}

layers! {
    /// `WA`.
    World answers Success Invalid Fault;
    /// `EN`.
    Enforcement answers Denied Fault;
    /// `IT`.
    Items answers Success Invalid Fault;
    /// `EX`.
    Execution answers Success Invalid Fault;
    /// `RG`.
    Registry answers Success Invalid Fault;
    /// `MCP`.
    Surface answers Success Invalid Fault;
}

/// A code of one reply type.
#[derive(Clone, Copy, Debug)]
pub struct Code<A> {
    id: CodeId,
    reply_type: PhantomData<A>,
}

impl<A: ReplyKind> Code<A> {
    /// Declares a code. Only the table in [`super::codes`] does this.
    pub(crate) const fn declare<L: MayAnswer<A>>(area: &'static str, number: u16) -> Self {
        let id = CodeId { layer: L::LAYER, area, reply_type: A::TYPE, number };
        Self { id, reply_type: PhantomData }
    }

    /// Returns the code without its type parameter.
    pub const fn id(self) -> CodeId {
        self.id
    }
}

/// A code as it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeId {
    layer: Layer,
    area: &'static str,
    reply_type: ReplyType,
    number: u16,
}

impl CodeId {
    /// Returns the layer that answers with it.
    pub fn layer(self) -> Layer {
        self.layer
    }

    /// Returns the type of the replies that carry it.
    pub fn reply_type(self) -> ReplyType {
        self.reply_type
    }
}

impl fmt::Display for CodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}-{:03}", self.layer, self.area, self.reply_type.letter(), self.number)
    }
}
