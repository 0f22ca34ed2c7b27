//! Logging in and out.
//!
//! The key that signs a registry's log is shown to a person once, and pinned after a yes. A token is
//! checked by nobody here: a registry refuses a wrong one when it is used.

use mere_core::log::LogFingerprint;
use mere_core::registry::{ApiPath, RegistryInfo};
use mere_core::reply::{Content, Draft, Fields, Prose, codes};
use mere_core::request::Login;

use super::connection::{Connection, PATIENCE};
use super::logins::{KnownRegistry, forget_token, list_logins, save_login};
use super::memory::RegistryMemory;
use super::{OpenRegistry, RegistryChoice, RegistryError};
use mere_host::RegistryUrl;

/// Logs in to a registry. The log key must be the pinned one, or the one that the person accepts.
pub(crate) fn log_in(choice: RegistryChoice<'_>, login: &Login) -> Result<Draft, RegistryError> {
    let registry = open_with_login(choice, login)?;
    // A log that is not signed by this key, or that is behind, is refused before it is remembered.
    let size = registry.read_log()?.size();
    save_login(choice.environment, &registry.known)?;
    let data = Fields::default()
        .with("registry_id", Content::mention(registry.known.id.to_string()))
        .with("log_key", Content::mention(registry.known.log_key.fingerprint().to_string()))
        .with("entries", size);
    let message = Prose::words("You are logged in to ");
    let message = message.content(Content::mention(registry.known.url.to_string())).and(".");
    let draft = Draft::success(codes::LOGIN, message).data(data);
    Ok(match registry.known.token {
        Some(_) => draft,
        None => draft.hint("Without a token you can read what is public, and publish nothing."),
    })
}

/// Opens a registry with a login that nobody has saved. Its log is not read yet.
pub(super) fn open_with_login(
    choice: RegistryChoice<'_>,
    login: &Login,
) -> Result<OpenRegistry, RegistryError> {
    let environment = choice.environment;
    let named = choice.named.ok_or(RegistryError::NoLogin)?;
    let url = RegistryUrl::from_person(named, environment)?;
    let connection = Connection::open(&url, login.token.clone(), PATIENCE)?;
    let info = connection.get_body::<RegistryInfo>(&ApiPath::Registry)?;
    let info = info.ok_or(RegistryError::Answer("it is not a registry"))?;
    let logins = list_logins(environment)?;
    let before = logins.iter().find(|known| known.url == url);
    check_log_key(&info, before, login.log_key)?;
    let known = KnownRegistry {
        url,
        id: info.registry_id,
        log_key: info.log_key,
        token: login.token.clone(),
        namespace: login.namespace.clone().or_else(|| before?.namespace.clone()),
    };
    let memory = RegistryMemory::of_registry(environment, &known);
    Ok(OpenRegistry::new(known, connection, memory, choice.config))
}

/// Checks the log key that a registry shows: against the pinned one, or against the one that the
/// person accepts. A person may accept another one than before.
fn check_log_key(
    info: &RegistryInfo,
    before: Option<&KnownRegistry>,
    accepted: Option<LogFingerprint>,
) -> Result<(), RegistryError> {
    let fingerprint = info.log_key.fingerprint();
    match (accepted, before) {
        (Some(accepted), _) if accepted == fingerprint => Ok(()),
        (Some(_), _) => Err(RegistryError::WrongKey { fingerprint }),
        (None, Some(known)) if known.log_key == info.log_key && known.id == info.registry_id => {
            Ok(())
        }
        (None, Some(_)) => Err(RegistryError::ChangedKey),
        (None, None) => Err(RegistryError::NewKey { registry_id: info.registry_id, fingerprint }),
    }
}

/// Forgets the token of a registry. The log key stays pinned.
pub(crate) fn log_out(choice: RegistryChoice<'_>) -> Result<Draft, RegistryError> {
    let known = choice.find()?;
    forget_token(choice.environment, &known)?;
    let message = Prose::words("The token for ");
    let message = message.content(Content::mention(known.url.to_string()));
    Ok(Draft::success(codes::LOGOUT, message.and(" is forgotten. Its log key stays known.")))
}
