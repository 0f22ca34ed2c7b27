//! `mere keys`: what a person does with their own keys.
//!
//! Every command answers with a reply for people. Private keys are never part of a reply.

use jiff::Timestamp;
use mere_core::reply::{Content, Draft, Fields, Prose, codes};
use mere_core::request::{
    KeyArgument, KeyName, KeysCommand, Passphrase, PersonFile, Reader, Secret,
};
use mere_core::trust::{ClaimedTime, Fingerprint, KeyError, PublicKey, Rotation};
use zeroize::Zeroizing;

use super::key_list;
use crate::error;
use crate::policy::{self, SigningPermit};
use crate::trust::count_teams_needing;
use crate::trust::keys::fault::KeyFault;
use crate::trust::keys::own_keys::{KeyLocation, OwnKey};
use crate::trust::keys::pem::Pem;
use crate::trust::keys::signing::SigningKey;
use crate::trust::keys::{own_keys, pem, signing};
use mere_host::{Environment, LinkPolicy, now_nanoseconds};

/// Runs a `mere keys` command.
pub(crate) fn run_command(
    environment: &Environment,
    command: &KeysCommand,
    unlock: Option<&Secret>,
    reader: Reader,
) -> Draft {
    let done = match command {
        KeysCommand::Generate { name, passphrase } => {
            generate(environment, name.as_ref(), passphrase)
        }
        KeysCommand::List => key_list::list(environment),
        KeysCommand::Export { key } => export(environment, *key),
        KeysCommand::Import { file } => import(environment, file),
        KeysCommand::Use(KeyArgument::Fingerprint(key)) => use_named(environment, *key),
        KeysCommand::Use(KeyArgument::File(file)) => use_file(environment, file),
        KeysCommand::Rotate { to, passphrase, out } => {
            let next = RotationTarget { to: *to, passphrase, out: out.as_ref() };
            let permit = policy::permit_rotation(reader).map_err(KeyFault::Denied);
            permit.and_then(|permit| rotate(environment, &next, unlock, &permit))
        }
    };
    done.unwrap_or_else(|fault| error::key_error_reply(&fault))
}

fn generate(
    environment: &Environment,
    name: Option<&KeyName>,
    passphrase: &Passphrase,
) -> Result<Draft, KeyFault> {
    let own = own_keys::generate(environment, name, new_passphrase(passphrase))?;
    let message = Prose::words("A key was generated: ").content(own.public.fingerprint().into());
    Ok(with_use_hint(Draft::success(codes::KEY_MADE, message.and(".")), &own)
        .data(key_fields(environment, &own)))
}

/// Returns the passphrase for a new key. Where nobody could be asked, the key is not locked.
fn new_passphrase(passphrase: &Passphrase) -> Option<&Secret> {
    match passphrase {
        Passphrase::NotAsked | Passphrase::None => None,
        Passphrase::Some(secret) => Some(secret).filter(|secret| !secret.is_empty()),
    }
}

fn export(environment: &Environment, key: Option<Fingerprint>) -> Result<Draft, KeyFault> {
    let own = own_keys::find(environment, key)?;
    let message = Prose::words("The public key of ").content(own.public.fingerprint().into());
    Ok(Draft::success(codes::KEY_EXPORTED, message.and(".")).data(key_fields(environment, &own)))
}

/// Copies a private key. The copy has the same passphrase, if any.
fn import(environment: &Environment, file: &PersonFile) -> Result<Draft, KeyFault> {
    let file = environment.read_person_key_file(file, LinkPolicy::Refuse)?.require_private()?;
    let pem = Pem::parse(&file)?;
    let public = pem.public().clone();
    let known = own_keys::read(environment)?.into_iter().find(|own| own.public == public);
    if known.is_some_and(|own| matches!(own.location, KeyLocation::Stored(_))) {
        return Err(KeyFault::AlreadyExists(public.fingerprint().to_string()));
    }
    if !pem.is_locked() {
        pem.open(None)?;
    }
    let own = own_keys::store_key(environment, None, &file.bytes, &public)?;
    let message = Prose::words("A copy of ").content(public.fingerprint().into()).and(" is kept.");
    Ok(with_use_hint(Draft::success(codes::KEY_IMPORTED, message), &own)
        .data(key_fields(environment, &own)))
}

/// Makes one of the user's keys current, or one that ssh-agent holds.
fn use_named(environment: &Environment, key: Fingerprint) -> Result<Draft, KeyFault> {
    let own = match own_keys::find(environment, Some(key)) {
        Err(KeyFault::Unknown(_)) => {
            let agent = environment.ssh_agent().map(mere_host::SshAgent::keys);
            let agent_keys = agent.transpose()?.unwrap_or_default().into_iter();
            let public = agent_keys.into_iter().find(|agent_key| agent_key.fingerprint() == key);
            let public = public.ok_or(KeyFault::Unknown(key))?;
            OwnKey { public, is_current: true, location: KeyLocation::Agent }
        }
        own => own?,
    };
    use_key(environment, own)
}

/// Makes a private key current where it lies, or one that ssh-agent holds and whose public half is
/// given.
fn use_file(environment: &Environment, file: &PersonFile) -> Result<Draft, KeyFault> {
    let read = environment.read_person_key_file(file, LinkPolicy::Follow)?;
    let text = std::str::from_utf8(&read.bytes).unwrap_or_default();
    match text.parse::<PublicKey>() {
        Ok(public) => return use_public(environment, &public),
        Err(KeyError::Algorithm | KeyError::Weak) => {
            return Err(KeyFault::NotEd25519 { file: read.display_path });
        }
        Err(KeyError::Form) => {}
    }
    let read = read.require_private()?;
    let pem = Pem::parse(&read)?;
    let public = pem.public().clone();
    if !pem.is_locked() {
        pem.open(None)?;
    }
    let path = environment.person_path_text(file);
    let path = path.ok_or(KeyFault::InvalidFormat {
        file: read.display_path,
        cause: "its path is not Unicode",
    })?;
    let known = own_keys::read(environment)?.into_iter().find(|own| own.public == public);
    let location = match known {
        Some(OwnKey { location: location @ KeyLocation::Stored(_), .. }) => location,
        _ => KeyLocation::InPlace(path),
    };
    use_key(environment, OwnKey { public, is_current: true, location })
}

fn use_public(environment: &Environment, public: &PublicKey) -> Result<Draft, KeyFault> {
    match use_named(environment, public.fingerprint()) {
        Err(KeyFault::Unknown(key)) => Err(KeyFault::NotInAgent(key)),
        done => done,
    }
}

fn use_key(environment: &Environment, own: OwnKey) -> Result<Draft, KeyFault> {
    let own = own_keys::make_current(environment, own)?;
    let message = Prose::words("").content(own.public.fingerprint().into());
    let message = message.and(" is now your signing key.");
    Ok(Draft::success(codes::KEY_USED, message).data(key_fields(environment, &own)))
}

/// What replaces the current key.
struct RotationTarget<'a> {
    to: Option<Fingerprint>,
    passphrase: &'a Passphrase,
    out: Option<&'a PersonFile>,
}

/// The key that replaces the current one.
enum SuccessorKey {
    Own(Box<OwnKey>),
    /// The text of its file, which has not been stored yet.
    New(Zeroizing<String>),
}

/// Replaces the current key. Both keys sign before a new key is stored, and the proof is written
/// before the new key becomes current: whatever fails, the old key is still there and can prove the
/// rotation again.
fn rotate(
    environment: &Environment,
    next: &RotationTarget<'_>,
    unlock: Option<&Secret>,
    permit: &SigningPermit,
) -> Result<Draft, KeyFault> {
    if let Some(out) = next.out {
        environment.check_file_is_new(out)?;
    }
    let old = signing::unlock(environment, unlock)?;
    let needed = count_teams_needing(environment, old.public().fingerprint());
    if needed > 0 && next.out.is_none() {
        return Err(KeyFault::NeededAdmin { key: old.public().fingerprint(), teams: needed });
    }
    let (successor, new) = successor(environment, &old, next, unlock)?;
    let proof = rotation_proof(&old, &new, permit)?;
    let own = match successor {
        SuccessorKey::Own(own) => *own,
        SuccessorKey::New(text) => {
            own_keys::store_key(environment, None, text.as_bytes(), new.public())?
        }
    };
    let file = next.out.map(|out| environment.write_new_person_file(out, &proof)).transpose()?;
    let own = own_keys::make_current(environment, own)?;
    let message = Prose::words("").content(own.public.fingerprint().into());
    let message = message.and(" is now your signing key, in place of ");
    let message = message.content(old.public().fingerprint().into()).and(".");
    let data = key_fields(environment, &own)
        .with("old", Content::from(old.public().fingerprint()))
        .with_some("proof", file.map(Content::mention))
        .with_some("rotation", next.out.is_none().then(|| Content::body(proof)));
    Ok(Draft::success(codes::KEY_ROTATED, message)
        .hint(
            "In a team, an admin (you, if you are one) runs `mere team rotate` with the proof; until \
             then keep the old key. Everyone else who trusts the old key runs `mere trust rotate` \
             with it.",
        )
        .data(data))
}

fn successor(
    environment: &Environment,
    old: &SigningKey,
    next: &RotationTarget<'_>,
    unlock: Option<&Secret>,
) -> Result<(SuccessorKey, SigningKey), KeyFault> {
    let Some(key) = next.to else {
        let key = pem::generate()?;
        let text = pem::encode(&key, new_passphrase(next.passphrase))?;
        return Ok((SuccessorKey::New(text), SigningKey::from_private(key)?));
    };
    if key == old.public().fingerprint() {
        return Err(KeyFault::AlreadyExists(key.to_string()));
    }
    let own = own_keys::find(environment, Some(key))?;
    let passphrase = match next.passphrase {
        Passphrase::Some(secret) => Some(secret),
        Passphrase::NotAsked | Passphrase::None => unlock,
    };
    match signing::unlock_by_fingerprint(environment, key, passphrase) {
        Err(KeyFault::Locked(key) | KeyFault::WrongPassphrase(key)) => {
            Err(KeyFault::NextLocked(key))
        }
        new => Ok((SuccessorKey::Own(Box::new(own)), new?)),
    }
}

/// Returns the statement that one key replaces another, signed by both.
fn rotation_proof(
    old: &SigningKey,
    new: &SigningKey,
    permit: &SigningPermit,
) -> Result<String, KeyFault> {
    let when = Timestamp::from_nanosecond(i128::from(now_nanoseconds())).unwrap_or_default();
    let created = ClaimedTime::from_timestamp(when);
    let rotation = Rotation { old: old.public().clone(), new: new.public().clone(), created };
    let mut envelope = rotation.envelope();
    for key in [old, new] {
        let signature = key.sign(&envelope.message(), permit)?;
        envelope.add_signature(key.public().fingerprint(), signature);
    }
    Ok(Rotation::to_file_text(&envelope))
}

/// Returns the fields of a reply that describe a key.
fn key_fields(environment: &Environment, own: &OwnKey) -> Fields {
    Fields::default()
        .with("key", Content::from(own.public.fingerprint()))
        .with("public", Content::mention(own.public.to_string()))
        .with("where", key_list::location_name(&own.location))
        .with_some(
            "file",
            key_list::location_file(environment, &own.location).map(Content::mention),
        )
        .with("current", own.is_current)
}

/// Adds a hint about how to sign with this key, if it is not the current one.
fn with_use_hint(draft: Draft, own: &OwnKey) -> Draft {
    if own.is_current {
        return draft;
    }
    let hint = Prose::words("This is not your current signing key; `mere keys use ");
    draft.hint(hint.content(own.public.fingerprint().into()).and("` switches to it."))
}
