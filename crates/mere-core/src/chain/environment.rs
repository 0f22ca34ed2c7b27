//! The sources of a tool's environment variables. The values are looked up by whoever runs the
//! tool, not here.

use serde_json::Value;

use crate::item::SecretName;

/// The source of one variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvSource {
    /// The secret of this name, which a person has granted.
    Secret(SecretName),
    /// The variable of this name in the environment of whoever runs the tool.
    Env(String),
    /// This literal text.
    Value(String),
}

impl EnvSource {
    /// Parses one of `{secret: …}`, `{env: …}` and `{value: …}`.
    pub(super) fn parse(value: &Value) -> Option<Self> {
        let mut fields = value.as_object()?.iter();
        let (Some((key, value)), None) = (fields.next(), fields.next()) else { return None };
        let text = value.as_str().filter(|text| !text.contains('\0'))?;
        match key.as_str() {
            "secret" => text.parse().ok().map(Self::Secret),
            "env" if is_variable_name(text) => Some(Self::Env(text.to_owned())),
            "value" => Some(Self::Value(text.to_owned())),
            _ => None,
        }
    }
}

/// The variables that tell a loader, an interpreter, a shell or a program which code to run or where
/// to look for it. A workspace holds bytes that nobody has signed, so no manifest may point there.
const RESERVED_VARIABLES: [&str; 50] = [
    "BASHOPTS",
    "BROWSER",
    "CDPATH",
    "CLASSPATH",
    "EDITOR",
    "ENV",
    "GCONV_PATH",
    "GETCONF_DIR",
    "GLIBC_TUNABLES",
    "GLOBIGNORE",
    "HOME",
    "HOSTALIASES",
    "IFS",
    "INPUTRC",
    "LESSCLOSE",
    "LESSOPEN",
    "LOCPATH",
    "LUA_CPATH",
    "LUA_INIT",
    "LUA_PATH",
    "MAKEFILES",
    "MAKEFLAGS",
    "MANPAGER",
    "NLSPATH",
    "OPENSSL_CONF",
    "OPENSSL_ENGINES",
    "OPENSSL_MODULES",
    "PAGER",
    "PATH",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "PROMPT_COMMAND",
    "PS4",
    "R_ENVIRON",
    "R_HOME",
    "R_LIBS",
    "R_PROFILE",
    "SHELL",
    "SHELLOPTS",
    "SSLKEYLOGFILE",
    "TERMCAP",
    "TERMINFO",
    "TERMINFO_DIRS",
    "TMPDIR",
    "USER",
    "VIRTUAL_ENV",
    "VISUAL",
    "XDG_CONFIG_DIRS",
    "XDG_CONFIG_HOME",
    "ZDOTDIR",
];
/// The beginnings of such variables.
const RESERVED_PREFIXES: [&str; 24] = [
    "BASH_",
    "BUNDLE_",
    "BUN_",
    "CARGO_",
    "DENO_",
    "DYLD_",
    "ELECTRON_",
    "GEM_",
    "GIT_",
    "JAVA_",
    "JDK_",
    "LD_",
    "MALLOC_",
    "NODE_",
    "NPM_CONFIG_",
    "PERL",
    "PIP_",
    "PYTHON",
    "RUBY",
    "RUSTC_",
    "TS_NODE_",
    "UV_",
    "YARN_",
    "_JAVA_",
];
/// The variables with such a beginning that choose no code.
const HARMLESS_VARIABLES: [&str; 9] = [
    "NODE_ENV",
    "NODE_NO_WARNINGS",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONIOENCODING",
    "PYTHONNOUSERSITE",
    "PYTHONOPTIMIZE",
    "PYTHONUNBUFFERED",
    "PYTHONUTF8",
];

/// Reports whether only this program and its own runtimes set a variable. Some programs read names
/// in lower case too.
pub(super) fn is_reserved(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let is_named = |names: &[&str]| names.contains(&name.as_str());
    let has_prefix = RESERVED_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    is_named(&RESERVED_VARIABLES) || has_prefix && !is_named(&HARMLESS_VARIABLES)
}

/// Reports whether a secret of this name is given to a tool in the variable of the same name.
pub fn is_variable_for_secret(name: &SecretName) -> bool {
    is_variable_name(name.as_str()) && !is_reserved(name.as_str())
}

/// Reports whether a text is a valid name of a variable.
pub(super) fn is_variable_name(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.bytes().all(is_word)
        && !text.starts_with(|first: char| first.is_ascii_digit())
        && !text.is_empty()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_variable_has_exactly_one_source() {
        let text = |text: &str| text.to_owned();
        for (value, expected) in [
            (
                json!({"secret": "API_KEY"}),
                Some(EnvSource::Secret("API_KEY".parse().expect("a name"))),
            ),
            (json!({"env": "LANG"}), Some(EnvSource::Env(text("LANG")))),
            (json!({"value": "1"}), Some(EnvSource::Value(text("1")))),
            (json!({"value": "${not} expanded"}), Some(EnvSource::Value(text("${not} expanded")))),
            (json!({"value": ""}), Some(EnvSource::Value(text("")))),
            (json!({"value": 1}), None),
            (json!({"value": "a\0b"}), None),
            (json!({"secret": ""}), None),
            (json!({"env": "a b"}), None),
            (json!({"env": "A", "value": "b"}), None),
            (json!({"other": "A"}), None),
            (json!({}), None),
            (json!("A"), None),
            (json!(null), None),
        ] {
            assert_eq!(EnvSource::parse(&value), expected, "{value}");
        }
    }

    #[test]
    fn variables_that_choose_code_are_reserved() {
        for reserved in [
            "LD_PRELOAD",
            "LD_AUDIT",
            "PYTHONPATH",
            "PYTHONSTARTUP",
            "PYTHONHOME",
            "NODE_OPTIONS",
            "NODE_PATH",
            "BASH_ENV",
            "ENV",
            "PATH",
            "HOME",
            "PERL5LIB",
            "PERL5OPT",
            "RUBYOPT",
            "GIT_SSH_COMMAND",
            "npm_config_prefix",
            "JAVA_TOOL_OPTIONS",
            "_JAVA_OPTIONS",
            "GLIBC_TUNABLES",
            "GCONV_PATH",
            "OPENSSL_CONF",
            "DYLD_INSERT_LIBRARIES",
        ] {
            assert!(is_reserved(reserved), "{reserved}");
        }
        for free in ["API_BASE", "LANG", "TZ", "PYTHONUNBUFFERED", "NODE_ENV", "LEDGER", "PATHS"] {
            assert!(!is_reserved(free), "{free}");
        }
    }

    #[test]
    fn a_variable_has_a_name_that_every_system_takes() {
        for good in ["A", "_", "a1", "PYTHONPATH"] {
            assert!(is_variable_name(good), "{good}");
        }
        for bad in ["", "1A", "A-B", "A=B", "é", "A B", "A\0"] {
            assert!(!is_variable_name(bad), "{bad:?}");
        }
    }
}
