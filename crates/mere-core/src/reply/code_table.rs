//! The form of the table of reply codes.

use super::code::CodeId;

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct CodeEntry {
    /// The code.
    pub id: CodeId,
    /// The meaning, worded as in the document.
    pub meaning: &'static str,
}

/// Declares a constant for each code, and the table of all of them.
macro_rules! declare_codes {
    ($($name:ident: $layer:ident $area:literal $answer:ident $number:literal $means:literal;)*) => {
        $(
            #[doc = $means]
            pub const $name: Code<$answer> = Code::declare::<$layer>($area, $number);
        )*
        /// The codes of this table, in the order of the document.
        pub(super) const TABLE: &[CodeEntry] = &[$(CodeEntry { id: $name.id(), meaning: $means }),*];
    };
}

pub(super) use declare_codes;
