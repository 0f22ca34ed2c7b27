//! `mere trust add|list|remove|revoke|rotate`: what a person does with the keys of others.
//!
//! Every command answers with a reply for people. A revoked key is never trusted again by `add` or
//! `rotate`.

use mere_core::item::{Category, ItemType, Scope};
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_core::request::{PersonFile, SignerKey, SignerName, SignerSelector, TrustCommand};
use mere_core::trust::{Fingerprint, KeyLimits, PublicKey, Rotation};

use crate::error;
use crate::trust::approvals::records;
use crate::trust::signers::{FILE, SignerFault, TrustRecord, TrustStore};
use crate::trust::{count_teams_needing, keys};
use mere_host::{Environment, KeyFile, KeyFileError, LinkPolicy};

/// Runs a `mere trust` command.
pub(crate) fn run_command(environment: &Environment, command: &TrustCommand) -> Draft {
    let done = match command {
        TrustCommand::Add { key, name, limits } => add(environment, key, (name.as_ref(), limits)),
        TrustCommand::List => list(environment),
        TrustCommand::Remove(signer) => remove(environment, signer),
        TrustCommand::Revoke(signer) => revoke(environment, signer),
        TrustCommand::Rotate { file } => rotate(environment, file),
    };
    done.unwrap_or_else(|fault| error::signer_error_reply(&fault))
}

fn add(
    environment: &Environment,
    key: &SignerKey,
    (name, limits): (Option<&SignerName>, &KeyLimits),
) -> Result<Draft, SignerFault> {
    let key = match key {
        SignerKey::Line(key) => key.clone(),
        SignerKey::File(file) => {
            parse_key_file(&environment.read_person_key_file(file, LinkPolicy::Follow)?)?
        }
    };
    let record = update_records(environment, |records| {
        let known = take_record(records, key.fingerprint());
        if known.as_ref().is_some_and(|known| known.is_revoked) {
            return Err(SignerFault::Revoked(key.fingerprint()));
        }
        let name = name.cloned().or_else(|| known.and_then(|known| known.name));
        let record = TrustRecord { name, limits: limits.clone(), ..TrustRecord::from_key(key) };
        records.push(record.clone());
        Ok(record)
    })?;
    let message =
        signer_label(&record).and(" is trusted").and(limits_phrase(&record.limits)).and(".");
    let hint = "Check the fingerprint with the key's owner before you rely on it.";
    Ok(Draft::success(codes::SIGNER_ADDED, message).hint(hint).data(signer_fields(&record)))
}

fn list(environment: &Environment) -> Result<Draft, SignerFault> {
    let records = match crate::trust::signers::read(environment) {
        TrustStore::Records(records) => records,
        TrustStore::Damaged => {
            return Err(SignerFault::Damaged(environment.display_config_file(FILE)));
        }
        TrustStore::Exposed(reason) => return Err(SignerFault::Exposed(reason)),
    };
    let rows = records.iter().map(|record| Data::from(signer_fields(record))).collect::<Data>();
    let message = match records.len() {
        1 => "1 key.".to_owned(),
        count => format!("{count} keys."),
    };
    let draft = Draft::success(codes::SIGNER_LIST, Prose::words(message))
        .data(Fields::default().with("keys", rows));
    Ok(if records.is_empty() {
        draft.hint("`mere trust add` with somebody's public key makes you trust their signatures.")
    } else {
        draft
    })
}

fn remove(environment: &Environment, signer: &SignerSelector) -> Result<Draft, SignerFault> {
    let record = update_records(environment, |records| {
        let key = find_signer(environment, records, signer)?.fingerprint;
        take_record(records, key).ok_or(SignerFault::Unknown)
    })?;
    let message = signer_label(&record).and(if record.is_revoked {
        " is no longer revoked, but it is not trusted either."
    } else {
        " is no longer trusted."
    });
    Ok(Draft::success(codes::SIGNER_REMOVED, message).data(signer_fields(&record)))
}

fn revoke(environment: &Environment, signer: &SignerSelector) -> Result<Draft, SignerFault> {
    let own = keys::own_keys(environment);
    let record = update_records(environment, |records| {
        let found = find_signer(environment, records, signer)?;
        let own = own.iter().find(|own| own.public.fingerprint() == found.fingerprint);
        let needed = count_teams_needing(environment, found.fingerprint);
        if own.is_some() && needed > 0 {
            return Err(SignerFault::NeededAdmin(found.fingerprint, needed));
        }
        let key = take_record(records, found.fingerprint).unwrap_or(found);
        let public = key.key.clone().or_else(|| own.map(|own| own.public.clone()));
        let record = TrustRecord { is_revoked: true, key: public, ..key };
        records.push(record.clone());
        Ok(record)
    })?;
    let message = signer_label(&record).and(" is revoked: its signatures are no longer trusted.");
    let draft = Draft::success(codes::SIGNER_REVOKED, message).data(signer_fields(&record));
    let is_own = own.iter().any(|own| own.public.fingerprint() == record.fingerprint);
    Ok(if is_own {
        draft.hint(
            "It is one of your own keys: get another with `mere keys generate` and `mere keys \
             use`.",
        )
    } else {
        draft
    })
}

/// Reads the proof that one key replaces another.
pub(super) fn read_rotation(
    environment: &Environment,
    file: &PersonFile,
) -> Result<Rotation, SignerFault> {
    let file = environment.read_person_key_file(file, LinkPolicy::Follow)?;
    let rotation = Rotation::parse(&file.bytes);
    rotation.map_err(|error| SignerFault::Rotation { file: file.display_path, cause: error.0 })
}

fn rotate(environment: &Environment, file: &PersonFile) -> Result<Draft, SignerFault> {
    let rotation = read_rotation(environment, file)?;
    let (old, new) = (rotation.old.fingerprint(), rotation.new.fingerprint());
    let record = update_records(environment, |records| {
        let known = records.iter().find(|record| record.fingerprint == old).cloned();
        let known = known.ok_or(SignerFault::Untrusted(old))?;
        let successor = take_record(records, new);
        let revoked = [Some(&known), successor.as_ref()].into_iter().flatten();
        if let Some(revoked) = revoked.into_iter().find(|record| record.is_revoked) {
            return Err(SignerFault::Revoked(revoked.fingerprint));
        }
        let (name, limits) = (known.name, known.limits);
        let record = TrustRecord { name, limits, ..TrustRecord::from_key(rotation.new) };
        records.push(record.clone());
        Ok(record)
    })?;
    let message = signer_label(&record).and(" is now trusted like ").content(old.into()).and(".");
    let hint =
        Prose::words("The old key is still trusted; `mere trust remove ").content(old.into());
    Ok(Draft::success(codes::SIGNER_ROTATED, message)
        .hint(hint.and("` ends that."))
        .data(signer_fields(&record).with("old", Content::from(old))))
}

/// Changes the records. A file that is not understood completely is not changed.
fn update_records<T>(
    environment: &Environment,
    edit: impl FnOnce(&mut Vec<TrustRecord>) -> Result<T, SignerFault>,
) -> Result<T, SignerFault> {
    records::try_update(environment.lock_config(), FILE, |folder, values| {
        let damaged = || SignerFault::Damaged(folder.display_path(FILE));
        let mut records = crate::trust::signers::parse(values).ok_or_else(damaged)?;
        let done = edit(&mut records)?;
        *values = records.iter().map(TrustRecord::to_record).collect();
        Ok(done)
    })
}

/// Removes a key's record and returns it.
fn take_record(records: &mut Vec<TrustRecord>, key: Fingerprint) -> Option<TrustRecord> {
    let at = records.iter().position(|record| record.fingerprint == key)?;
    Some(records.remove(at))
}

/// Finds the key that a person means. A name given to a trusted key wins over a file name.
fn find_signer(
    environment: &Environment,
    records: &[TrustRecord],
    signer: &SignerSelector,
) -> Result<TrustRecord, SignerFault> {
    let file = match signer {
        SignerSelector::Line(key) => return Ok(TrustRecord::from_key(key.clone())),
        SignerSelector::Fingerprint(key) => return Ok(TrustRecord::from_fingerprint(*key)),
        SignerSelector::Named(file) => file,
    };
    let name = file.as_typed().to_str();
    let called = |record: &&TrustRecord| {
        record.name.as_ref().map(SignerName::as_str).is_some_and(|own| Some(own) == name)
    };
    let found = records.iter().filter(called).collect::<Vec<_>>();
    match found.as_slice() {
        [one] => return Ok((*one).clone()),
        [] => {}
        many => {
            let many = many.iter().map(|record| record.fingerprint).collect();
            return Err(SignerFault::Ambiguous(many));
        }
    }
    match environment.read_person_key_file(file, LinkPolicy::Follow) {
        Err(KeyFileError::Missing(_)) => Err(SignerFault::Unknown),
        file => Ok(TrustRecord::from_key(parse_key_file(&file?)?)),
    }
}

fn parse_key_file(file: &KeyFile) -> Result<PublicKey, SignerFault> {
    let form = |cause: String| SignerFault::Form { file: file.display_path.clone(), cause };
    let text = std::str::from_utf8(&file.bytes).map_err(|_| form("it is not text".to_owned()))?;
    text.parse().map_err(|error: mere_core::trust::KeyError| form(error.to_string()))
}

fn signer_label(record: &TrustRecord) -> Prose {
    let key = Prose::words("").content(record.fingerprint.into());
    match &record.name {
        Some(name) => key.and(" (").content(Content::mention(name.as_str())).and(")"),
        None => key,
    }
}

/// Describes in words what a key counts for.
fn limits_phrase(limits: &KeyLimits) -> &'static str {
    if *limits == KeyLimits::default() { " for everything" } else { " within its limits" }
}

/// Returns the fields of a reply that describe a trusted key.
fn signer_fields(record: &TrustRecord) -> Fields {
    let limits = &record.limits;
    let categories = limits.categories.iter().map(Category::as_str);
    let categories = categories.map(|text| Data::from(Content::mention(text)));
    let key = record.key.as_ref().map(|key| Content::mention(key.to_string()));
    let name = record.name.as_ref().map(|name| Content::mention(name.as_str()));
    Fields::default()
        .with("key", Content::from(record.fingerprint))
        .with("public", key)
        .with("name", name)
        .with(
            "scopes",
            limits.scopes.iter().map(|one| Data::from(Scope::name(*one))).collect::<Data>(),
        )
        .with(
            "types",
            limits.kinds.iter().map(|one| Data::from(ItemType::name(*one))).collect::<Data>(),
        )
        .with("categories", categories.collect::<Data>())
        .with("revoked", record.is_revoked)
}
