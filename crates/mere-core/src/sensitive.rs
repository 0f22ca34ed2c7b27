//! Paths of files that a person must confirm before an agent may see them.
//!
//! This is a pure rule over paths; the world decides when to ask it and what "not visible" means.
//! Case is ignored, because on some file systems both spellings name the same file. The lists
//! contain what secret scanners look for by name, without the names that ordinary source trees use
//! for other things: those files are shown, and the secrets in them are masked.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Names of files and folders that are sensitive wherever they lie, in lowercase.
const NAMES: &[&[&str]] = &[
    // Keys, key rings and password stores.
    &[".ssh", ".gnupg", ".password-store", "secring.gpg", "otr.private_key", "wallet.dat"],
    &[".vault-token", ".vault_pass", ".vault_pass.txt", ".vault_password", ".vault_password.txt"],
    &[".secrets", ".secrets.toml", ".dev.vars", ".htpasswd", "hudson.util.secret"],
    // Clouds.
    &[".aws", ".azure", ".oci", ".aliyun", ".boto", ".s3cfg", ".passwd-s3fs", "rclone.conf"],
    &["application_default_credentials.json", "access_tokens.db", "legacy_credentials"],
    &["msal_token_cache.json", "msal_token_cache.bin", "accesstokens.json", ".cloudflared"],
    &["rootkey.csv", "accesskeys.csv", ".terraformrc", "credentials.tfrc.json", ".tugboat"],
    &["ngrok.yml", ".sentryclirc", ".databrickscfg", ".twilio-cli", ".cdsapirc", "kaggle.json"],
    // Containers.
    &[".dockercfg", ".dockerconfigjson", "kubeconfig", "k3s.yaml"],
    // Package managers and version control.
    &[".npmrc", ".pypirc", "pip.conf", "pip.ini", ".git-credentials", ".gitcookies"],
    &["credentials"],
    // Databases.
    &[".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf", ".mongorc.js", ".dbshell"],
    &[".cqlshrc", "credentials-config.json", "robomongo.json", ".snowsql"],
    // Shells.
    &[".histfile", ".zhistory", ".bash_sessions", ".zsh_sessions", "fish_history"],
    &["consolehost_history.txt"],
    // Agents.
    &[".credentials", ".credentials.json", ".claude.json", "oauth_creds.json", ".mcp-auth"],
    // Clients of mail, files, the web and displays.
    &[".netrc", "_netrc", ".curlrc", ".wgetrc", ".esmtprc", ".msmtprc", ".fetchmailrc"],
    &[".mbsyncrc", ".muttrc", ".smbcredentials", ".rhosts", ".ftppass", ".ftpconfig"],
    &[".remote-sync.json", "sftp-config.json", "filezilla.xml", "recentservers.xml"],
    &["sitemanager.xml", "ws_ftp.ini", "proftpdpasswd", ".xauthority", ".iceauthority"],
    &["logins.json", "key3.db", "key4.db", "signons.sqlite", "cookies.sqlite", "login data"],
    &["cookies.txt"],
];

/// Files and folders that are sensitive below the given folders, in lowercase.
const PATHS: &[&str] = &[
    // Clouds and services.
    ".config/gcloud",
    ".config/doctl",
    ".config/hcloud",
    ".config/scw",
    ".config/linode-cli",
    ".config/configstore",
    ".config/netlify/config.json",
    ".config/stripe/config.toml",
    ".config/sops/age/keys.txt",
    ".config/op",
    ".config/bitwarden cli/data.json",
    ".fly/config.yml",
    ".wrangler/config",
    "com.vercel.cli/auth.json",
    ".travis/config.yml",
    ".circleci/cli.yml",
    ".snowflake/connections.toml",
    ".databricks/token-cache.json",
    ".dbt/profiles.yml",
    ".streamlit/secrets.toml",
    // Containers.
    ".kube/config",
    ".docker/config.json",
    "containers/auth.json",
    ".config/helm/repositories.yaml",
    ".config/helm/registry/config.json",
    "etc/shadow",
    "etc/gshadow",
    // Package managers and version control.
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".bundle/config",
    ".hex/hex.config",
    "pypoetry/auth.toml",
    "huggingface/token",
    "huggingface/stored_tokens",
    ".config/gh/hosts.yml",
    ".config/glab-cli/config.yml",
    ".config/tea/config.yml",
    ".config/hub",
    ".subversion/auth",
    // Shells.
    ".local/share/atuin",
    "nushell/history.txt",
    "nushell/history.sqlite3",
    // Agents.
    ".codex/auth.json",
    ".cursor/auth.json",
    ".config/cursor/auth.json",
    ".factory/auth.json",
    ".copilot/config.json",
    ".grok/user-settings.json",
    ".openhands/settings.json",
    "github-copilot/hosts.json",
    "github-copilot/apps.json",
    "opencode/auth.json",
    "opencode/mcp-auth.json",
    ".local/share/amp/secrets.json",
    ".config/goose/secrets.yaml",
    "io.datasette.llm/keys.json",
    // Clients and editors.
    ".vscode/sftp.json",
    ".idea/webservers.xml",
    ".idea/datasources.local.xml",
    ".purple/accounts.xml",
    ".irssi/config",
    "weechat/sec.conf",
];

/// Ends of names, in lowercase: keys, key stores, vaults and recorded state that contains secrets.
const ENDINGS: &[&str] = &[
    ".pem",
    ".key",
    ".p8",
    ".p12",
    ".pfx",
    ".pkcs12",
    ".jks",
    ".jceks",
    ".keystore",
    ".bks",
    ".ppk",
    ".keytab",
    ".kdb",
    ".kdbx",
    ".psafe3",
    ".keychain",
    ".keychain-db",
    ".keyring",
    ".kwallet",
    ".agilekeychain",
    ".opvault",
    ".1pif",
    ".ovpn",
    ".kubeconfig",
    ".publishsettings",
    ".tfstate",
    ".tfstate.backup",
    "_accesskeys.csv",
    "_rsa",
    "_dsa",
    "_ecdsa",
    "_ed25519",
];

const KEY_STEMS: [&str; 5] = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "krb5cc_"];
const EXAMPLE_ENDINGS: [&str; 3] = [".example", ".sample", ".template"];
const CREDENTIAL_ENDINGS: [&str; 11] =
    ["json", "yaml", "yml", "toml", "ini", "xml", "db", "csv", "properties", "cfg", "conf"];

/// No name of the lists is longer; the ends of longer names are compared all the same.
const MAX_NAME_BYTES: usize = 64;

/// Every listed last name, with the listed paths that end in it; a name that is sensitive wherever
/// it lies is such a path itself. Every file of a listing is looked up here, so a look must be
/// cheap.
static LISTED: LazyLock<HashMap<&[u8], Vec<&str>>> = LazyLock::new(|| {
    let mut listed = HashMap::<_, Vec<_>>::new();
    for path in NAMES.iter().copied().flatten().chain(PATHS) {
        listed.entry(last_name(path).as_bytes()).or_default().push(*path);
    }
    listed
});

/// Reports whether the file or folder at this path below a root is hidden until a person says
/// otherwise. Only its last name is judged, in the light of the folders it lies in: a caller asks
/// for each folder on the way.
pub fn is_sensitive(path: &str) -> bool {
    let name = last_name(path);
    let mut buffer = [0; MAX_NAME_BYTES];
    let tail = &name.as_bytes()[name.len().saturating_sub(MAX_NAME_BYTES)..];
    let lower = &mut buffer[..tail.len()];
    lower.copy_from_slice(tail);
    lower.make_ascii_lowercase();
    let lower = &*lower;
    is_listed(path, lower)
        || has_sensitive_ending(lower)
        || is_credentials_file(lower)
        || lower.starts_with(b"client_secret") && lower.ends_with(b".json")
        || lower.starts_with(b"ssh_host_") && lower.ends_with(b"_key")
        || starts_like_a_key(name)
        || is_history(lower, name)
        || is_environment_file(name)
}

fn last_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn is_listed(path: &str, lower: &[u8]) -> bool {
    let listed = LISTED.get(lower);
    listed.is_some_and(|listed| listed.iter().any(|listed| ends_with_path(path, listed)))
}

/// Checks for the listed endings, of which each begins with a separator.
fn has_sensitive_ending(lower: &[u8]) -> bool {
    let separators = lower.iter().enumerate().rev().filter(|(_, byte)| b"._".contains(byte));
    let mut ends = separators.take(2).map(|(at, _)| &lower[at..]);
    ends.any(|end| ENDINGS.iter().any(|ending| ending.as_bytes() == end))
}

fn starts_like_a_key(name: &str) -> bool {
    KEY_STEMS.iter().any(|stem| strip_prefix_ignoring_case(name, stem).is_some())
}

/// Checks for the files in which shells and database clients keep what was typed.
fn is_history(lower: &[u8], name: &str) -> bool {
    name.starts_with('.') && lower.ends_with(b"_history")
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

fn is_credentials_file(lower: &[u8]) -> bool {
    let ending = lower.strip_prefix(b"credentials.");
    ending.is_some_and(|ending| CREDENTIAL_ENDINGS.iter().any(|e| ending == e.as_bytes()))
}

/// Checks whether a path is a listed one, or ends in it on whole names.
fn ends_with_path(path: &str, listed: &str) -> bool {
    let Some(above) = path.len().checked_sub(listed.len()) else { return false };
    ends_with_ignoring_case(path, listed) && (above == 0 || path.as_bytes()[above - 1] == b'/')
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

    fn check(paths: &[&str], expected: bool) {
        for path in paths {
            assert_eq!(is_sensitive(path), expected, "{path}");
            assert_eq!(is_sensitive(&path.to_ascii_uppercase()), expected, "{path}");
            assert_eq!(is_sensitive(&format!("a/b/{path}")), expected, "{path}");
        }
    }

    #[test]
    fn the_list_of_the_contract() {
        check(&[".env", ".env.local", "server.pem", "tls.key"], true);
        check(&["id_rsa", "id_rsa.pub", "id_ed25519_work", ".ssh", ".aws", ".gnupg"], true);
        check(&[".netrc", ".npmrc", ".pypirc", "credentials", "credentials.json"], true);
        check(&["credentials.yaml"], true);
        check(&[".env.example", ".env.sample", ".env.template", ".envrc"], false);
        check(&["config.json", "keys.md", "credentials.md", "monkey", "pem"], false);
    }

    #[test]
    fn credential_files_of_clouds_containers_shells_agents_and_clients() {
        check(&[".kube/config", ".docker/config.json", ".config/gcloud", ".git-credentials"], true);
        check(&[".claude/.credentials.json", ".codex/auth.json", ".gemini/oauth_creds.json"], true);
        check(&[".config/gh/hosts.yml", ".m2/settings.xml", ".cargo/credentials.toml"], true);
        check(&["pip.conf", ".config/pip/pip.conf", ".pip/pip.conf", "pip/pip.ini"], true);
        check(&[".bash_history", ".zsh_history", ".psql_history", ".node_repl_history"], true);
        check(&["deploy_rsa", "ssh_host_ed25519_key", "release.keystore", "vault.kdbx"], true);
        check(&["terraform.tfstate", "prod.kubeconfig", "client_secret_12.apps.json"], true);
        check(&["alice_accessKeys.csv", ".local/share/opencode/auth.json", "krb5cc_0"], true);
        check(&[&format!("{}.p12", "x".repeat(200))], true);
    }

    #[test]
    fn ordinary_names_of_source_trees_stay() {
        check(&["config", "auth.json", "hosts.yml", "settings.xml", "config/gcloud"], false);
        check(&["kube/config", "docker/config.json", "x.docker/config.json", "history"], false);
        check(
            &["locales/en/auth.json", "secrets.yaml", "secret.rs", "token", "tokens.json"],
            false,
        );
        check(
            &[
                ".yarnrc.yml",
                ".yarnrc",
                "pip.py",
                "pip.conf.md",
                "gradle.properties",
                "browser_history",
                "rsa",
                "ed25519",
                "keystore",
            ],
            false,
        );
        check(&["key.rs", "pem.rs", ".env-cmdrc", "package.json", "cookies", "shadow"], false);
        check(&["", "é", "日本.md", &"x".repeat(300)], false);
    }

    #[test]
    fn no_listed_name_is_too_long_to_be_compared_and_all_are_lowercase() {
        let names = NAMES.iter().flat_map(|group| *group).chain(ENDINGS).chain(PATHS);
        for name in names {
            assert!(name.len() <= MAX_NAME_BYTES, "{name}");
            assert_eq!(**name, name.to_ascii_lowercase(), "{name}");
        }
    }
}
