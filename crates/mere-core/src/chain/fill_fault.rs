//! The reason why the templates of a configuration cannot be filled.

use super::{EntrypointFault, MAX_ARGUMENT_BYTES, MAX_ARGUMENTS};

/// The reason why a template cannot be filled. The fault never repeats a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FillFault {
    /// A parameter has the name that is reserved for the entrypoint.
    #[error("`parameters` contains `entrypoint`, a name that is reserved for the file to run")]
    ReservedParameter,
    /// A template is not closed.
    #[error("`{field}` has a `${{` without a `}}`; write `$${{` for the characters themselves")]
    Unclosed {
        /// The field.
        field: String,
    },
    /// A template does not contain a valid name.
    #[error("`{field}` has a `${{…}}` that does not contain a valid name")]
    InvalidName {
        /// The field.
        field: String,
    },
    /// The default of a template contains another template.
    #[error("`{field}` has a template inside the default of another template")]
    Nested {
        /// The field.
        field: String,
    },
    /// No parameter and no variable has that name.
    #[error("`{field}` needs `{name}`, which is neither a parameter nor in `env_config`")]
    UnknownName {
        /// The field.
        field: String,
        /// The name.
        name: String,
    },
    /// The variable of that name has no value.
    #[error("`{field}` needs `{name}` of `env_config`, which has no value")]
    UnsetVariable {
        /// The field.
        field: String,
        /// The name.
        name: String,
    },
    /// A secret would become an argument, which every user of the machine can see.
    #[error(
        "`{field}` needs the secret `{name}`, but arguments are visible to others; the tool finds \
         it in its environment"
    )]
    SecretArgument {
        /// The field.
        field: String,
        /// The name of the variable.
        name: String,
    },
    /// The entrypoint is invalid.
    #[error(transparent)]
    Entrypoint(#[from] EntrypointFault),
    /// An argument is neither a text nor a number nor a boolean.
    #[error("`{field}` is {found}, but an argument must be a string, a number, true or false")]
    NotText {
        /// The field.
        field: String,
        /// The type of the value.
        found: &'static str,
    },
    /// The arguments are not a list.
    #[error("`{field}` is {found}, not a list")]
    NotAList {
        /// The field.
        field: String,
        /// The type of the value.
        found: &'static str,
    },
    /// An argument has a NUL character, which cannot be passed to a program.
    #[error("`{field}` has a NUL character")]
    Nul {
        /// The field.
        field: String,
    },
    /// There are too many arguments.
    #[error("`{field}` exceeds the limit of {MAX_ARGUMENTS} arguments")]
    TooMany {
        /// The field.
        field: String,
    },
    /// The arguments are too long.
    #[error("`{field}` exceeds the limit of {MAX_ARGUMENT_BYTES} bytes for all arguments")]
    TooLong {
        /// The field.
        field: String,
    },
}
