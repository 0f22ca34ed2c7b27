//! A script that lies below `tools/`, and what it says about itself.
//!
//! Nothing is ever executed: a small scanner reads the metadata and the signature of one function.
//! It reads plain literals only. What it cannot read is left out, and a note says so.

mod bash;
mod javascript;
mod literal;
mod manifest_text;
mod metadata;
mod python;
mod python_type;
mod tokens;

pub use manifest_text::{draft_manifest, write_manifest};
pub use metadata::{ScriptFunction, ScriptMetadata};

/// The language of a script.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScriptLanguage {
    /// Python, run by `python_runtime`.
    #[default]
    Python,
    /// JavaScript, run by `node_runtime`.
    Node,
    /// Bash, run by `bash_runtime`.
    Bash,
}

/// A script in the folder of its tool.
#[derive(Clone, Copy, Debug)]
pub struct ScriptFile<'a> {
    /// Its file name.
    pub name: &'a str,
    /// Its language.
    pub language: ScriptLanguage,
}

/// How a runtime starts a script.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScriptStyle {
    /// The script is run as a program, which reads its parameters from standard input.
    #[default]
    Program,
    /// One function of the script is called with the parameters.
    Function,
}

impl ScriptLanguage {
    /// Every language.
    pub const ALL: [Self; 3] = [Self::Python, Self::Node, Self::Bash];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Node => "node",
            Self::Bash => "bash",
        }
    }

    /// Returns the id of the runtime for its scripts.
    pub fn runtime(self) -> &'static str {
        match self {
            Self::Python => "python_runtime",
            Self::Node => "node_runtime",
            Self::Bash => "bash_runtime",
        }
    }

    /// Returns the extensions of its files; the first is the usual one.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Python => &["py"],
            Self::Node => &["js", "mjs", "cjs"],
            Self::Bash => &["sh", "bash"],
        }
    }

    /// Splits the name of a script into its stem and its language.
    pub fn split_file_name(name: &str) -> Option<(&str, Self)> {
        let (stem, extension) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty())?;
        let language = Self::ALL.into_iter().find(|one| one.extensions().contains(&extension));
        Some((stem, language?))
    }
}

/// Reads what a script says about itself.
pub fn read_script(language: ScriptLanguage, text: &str) -> ScriptMetadata {
    let facts = match language {
        ScriptLanguage::Python => python::read_facts(text),
        ScriptLanguage::Node => javascript::read_facts(text),
        ScriptLanguage::Bash => bash::read_facts(text),
    };
    facts.into_metadata(text, language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_known_by_its_extension() {
        for (name, expected) in [
            ("a.py", Some(("a", ScriptLanguage::Python))),
            ("a.b.mjs", Some(("a.b", ScriptLanguage::Node))),
            ("x y.sh", Some(("x y", ScriptLanguage::Bash))),
            (".py", None),
            ("py", None),
            ("a.PY", None),
            ("a.pyc", None),
            ("a.ts", None),
        ] {
            assert_eq!(ScriptLanguage::split_file_name(name), expected, "{name}");
        }
    }
}
