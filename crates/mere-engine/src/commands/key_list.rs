//! `mere keys list`: shows the user's keys, and the other keys that ssh-agent offers.
//!
//! It changes nothing, and asks for no passphrase.

use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_core::trust::PublicKey;

use crate::trust::keys::fault::KeyFault;
use crate::trust::keys::own_keys;
use crate::trust::keys::own_keys::{KeyLocation, OwnKey};
use crate::trust::keys::pem::Pem;
use mere_host::{Environment, KeyFile, SshAgent, SshAgentError};

/// Lists the keys. A key that cannot be used is listed with its problem.
pub(super) fn list(environment: &Environment) -> Result<Draft, KeyFault> {
    let own = own_keys::read(environment)?;
    let agent = environment.ssh_agent().map_or(Ok(Vec::new()), SshAgent::keys);
    let agent_keys = agent.as_deref().unwrap_or_default();
    let offered = agent_keys.iter().filter(|key| own.iter().all(|own| own.public != **key));
    let offered = offered.collect::<Vec<_>>();
    let rows = own.iter().map(|own| own_key_row(environment, own, agent_keys));
    let rows =
        rows.chain(offered.iter().copied().map(offered_key_row)).map(Data::from).collect::<Data>();
    let message = match (own.len(), offered.len()) {
        (1, 0) => "1 key.".to_owned(),
        (count, 0) => format!("{count} keys."),
        (count, others) => format!("{count} of your own, and {others} more in ssh-agent."),
    };
    let data = Fields::default().with("keys", rows).with_some(
        "problem",
        agent.err().map(|error: SshAgentError| Content::mention(error.to_string())),
    );
    let draft = Draft::success(codes::KEY_LIST, Prose::words(message)).data(data);
    Ok(if own.is_empty() {
        draft.hint(
            "`mere keys generate` creates a key; `mere keys use` selects an existing one, from a \
             file or from ssh-agent.",
        )
    } else {
        draft
    })
}

fn own_key_row(environment: &Environment, own: &OwnKey, agent_keys: &[PublicKey]) -> Fields {
    let in_agent = agent_keys.contains(&own.public);
    let state = lock_state(environment, own);
    let problem = match &state {
        Err(fault) => Some(Content::mention(fault.to_string())),
        Ok(None) if !in_agent => Some(Content::mention("ssh-agent does not hold it at the moment")),
        Ok(_) => None,
    };
    Fields::default()
        .with("key", Content::from(own.public.fingerprint()))
        .with("public", Content::mention(own.public.to_string()))
        .with("where", location_name(&own.location))
        .with_some("file", location_file(environment, &own.location).map(Content::mention))
        .with("own", true)
        .with("current", own.is_current)
        .with("locked", state.ok().flatten())
        .with("in_agent", in_agent)
        .with_some("problem", problem)
}

fn offered_key_row(key: &PublicKey) -> Fields {
    Fields::default()
        .with("key", Content::from(key.fingerprint()))
        .with("public", Content::mention(key.to_string()))
        .with("where", location_name(&KeyLocation::Agent))
        .with("own", false)
        .with("current", false)
        .with("locked", Data::Null)
        .with("in_agent", true)
}

/// Checks whether a passphrase locks the file of a key; `None` if the key has no file.
fn lock_state(environment: &Environment, own: &OwnKey) -> Result<Option<bool>, KeyFault> {
    let file = match &own.location {
        KeyLocation::Stored(name) => environment.read_saved_key(name)?,
        KeyLocation::InPlace(path) => KeyFile::read_private(path)?,
        KeyLocation::Agent => return Ok(None),
    };
    let pem = Pem::parse(&file)?;
    if *pem.public() != own.public {
        return Err(KeyFault::Changed { file: file.display_path, key: own.public.fingerprint() });
    }
    Ok(Some(pem.is_locked()))
}

/// Names the location of the private half, for replies.
pub(super) fn location_name(location: &KeyLocation) -> &'static str {
    match location {
        KeyLocation::Stored(_) => "kept",
        KeyLocation::InPlace(_) => "in place",
        KeyLocation::Agent => "ssh-agent",
    }
}

/// Returns the file of the private half, for people.
pub(super) fn location_file(environment: &Environment, location: &KeyLocation) -> Option<String> {
    match location {
        KeyLocation::Stored(name) => Some(environment.display_saved_key(name)),
        KeyLocation::InPlace(path) => Some(path.clone()),
        KeyLocation::Agent => None,
    }
}
