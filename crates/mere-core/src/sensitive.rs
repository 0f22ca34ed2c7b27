//! Names of files that a person must confirm before an agent may see them.
//!
//! This is a pure rule over names; the world decides when to ask it and what "not visible" means.
//! Case is ignored, because on some file systems both spellings name the same file.

const FOLDERS: [&str; 3] = [".ssh", ".aws", ".gnupg"];
const FILES: [&str; 4] = [".netrc", ".npmrc", ".pypirc", "credentials"];
const KEY_STEMS: [&str; 4] = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];
const KEY_ENDINGS: [&str; 2] = [".pem", ".key"];
const EXAMPLE_ENDINGS: [&str; 3] = [".example", ".sample", ".template"];
const CREDENTIAL_ENDINGS: [&str; 5] = ["json", "yaml", "yml", "toml", "ini"];

/// Reports whether a file or folder of this name is hidden until a person says otherwise.
pub fn is_sensitive(name: &str) -> bool {
    let is = |other: &&str| name.eq_ignore_ascii_case(other);
    FOLDERS.iter().any(is)
        || FILES.iter().any(is)
        || KEY_STEMS.iter().any(|stem| strip_prefix_ignoring_case(name, stem).is_some())
        || KEY_ENDINGS.iter().any(|ending| ends_with_ignoring_case(name, ending))
        || is_environment_file(name)
        || is_credentials_file(name)
}

fn is_environment_file(name: &str) -> bool {
    match strip_prefix_ignoring_case(name, ".env") {
        Some("") => true,
        Some(rest) => {
            rest.starts_with('.')
                && !EXAMPLE_ENDINGS.iter().any(|end| ends_with_ignoring_case(name, end))
        }
        None => false,
    }
}

fn is_credentials_file(name: &str) -> bool {
    let ending = strip_prefix_ignoring_case(name, "credentials.");
    ending.is_some_and(|ending| CREDENTIAL_ENDINGS.iter().any(|e| ending.eq_ignore_ascii_case(e)))
}

fn strip_prefix_ignoring_case<'a>(name: &'a str, start: &str) -> Option<&'a str> {
    let (head, rest) = name.split_at_checked(start.len())?;
    head.eq_ignore_ascii_case(start).then_some(rest)
}

fn ends_with_ignoring_case(name: &str, ending: &str) -> bool {
    let tail = name.len().checked_sub(ending.len()).and_then(|at| name.get(at..));
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, expected: bool) {
        assert_eq!(is_sensitive(name), expected, "{name}");
    }

    #[test]
    fn the_list_of_the_contract() {
        for name in [
            ".env",
            ".env.local",
            ".ENV",
            "server.pem",
            "tls.key",
            "id_rsa",
            "id_rsa.pub",
            "id_ed25519_work",
            ".ssh",
            ".aws",
            ".gnupg",
            ".netrc",
            ".npmrc",
            ".pypirc",
            "credentials",
            "credentials.json",
            "Credentials.YAML",
        ] {
            check(name, true);
        }
        for name in [
            ".env.example",
            ".env.sample",
            ".env.template",
            ".envrc",
            "config.json",
            "keys.md",
            "credentials.md",
            "monkey",
            "pem",
        ] {
            check(name, false);
        }
    }
}
