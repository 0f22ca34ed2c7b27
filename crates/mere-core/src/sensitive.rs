//! Names of files that a person must confirm before an agent may see them.
//!
//! A pure rule over names; who asks it, and what "not visible" means, is the world's business.
//! Case is ignored, because the same file has both spellings on some file systems.

use crate::segment::Segment;

const FOLDERS: [&str; 3] = [".ssh", ".aws", ".gnupg"];
const FILES: [&str; 4] = [".netrc", ".npmrc", ".pypirc", "credentials"];
const KEY_STEMS: [&str; 4] = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];
const KEY_ENDINGS: [&str; 2] = [".pem", ".key"];
const EXAMPLES: [&str; 3] = [".example", ".sample", ".template"];
const CREDENTIAL_ENDINGS: [&str; 5] = ["json", "yaml", "yml", "toml", "ini"];

/// Whether a file or folder of this name is hidden until a person says otherwise.
pub fn is_sensitive(name: &Segment) -> bool {
    let name = name.as_str().to_ascii_lowercase();
    FOLDERS.contains(&name.as_str())
        || FILES.contains(&name.as_str())
        || KEY_STEMS.iter().any(|stem| name.starts_with(stem))
        || KEY_ENDINGS.iter().any(|ending| name.ends_with(ending))
        || is_environment(&name)
        || is_credentials(&name)
}

fn is_environment(name: &str) -> bool {
    name == ".env"
        || (name.starts_with(".env.") && !EXAMPLES.iter().any(|ending| name.ends_with(ending)))
}

fn is_credentials(name: &str) -> bool {
    name.strip_prefix("credentials.").is_some_and(|ending| CREDENTIAL_ENDINGS.contains(&ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, expected: bool) {
        let segment = name.parse::<Segment>().expect("a segment");
        assert_eq!(is_sensitive(&segment), expected, "{name}");
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
