//! What may be done with an item that was checked: give it to its reader, run it, or let it count
//! as a lockfile.
//!
//! Each permission is a value that holds the item itself. It is made here and nowhere else, so a
//! step that demands one cannot be reached without the decision, nor with another item.

use mere_core::item::Version;
use mere_core::request::{Reader, UnsignedPolicy};
use mere_core::trust::{Checked, Verified, VersionAge};

/// Whether an item must be signed before it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignatureRequirement {
    /// It must be signed by a trusted key.
    Required,
    /// It need not be signed.
    Optional,
}

/// An item that may be given to its reader.
pub struct Usable<T> {
    item: Checked<T>,
}

impl<T> Usable<T> {
    /// Returns the item.
    pub(crate) fn item(&self) -> &T {
        self.item.item()
    }

    /// Returns the item together with who vouches for it.
    pub(crate) fn checked(&self) -> &Checked<T> {
        &self.item
    }
}

/// Allows the use of an item. Where its type must be signed, nobody uses an item without a
/// signature by a trusted key, except a draft, which a person declared. A refused item is returned.
pub(crate) fn permit_use<T>(
    item: Checked<T>,
    requirement: SignatureRequirement,
) -> Result<Usable<T>, Box<Checked<T>>> {
    match item {
        Checked::Unsigned(_) | Checked::UnknownKey(..)
            if requirement == SignatureRequirement::Required =>
        {
            Err(Box::new(item))
        }
        _ => Ok(Usable { item }),
    }
}

/// The circumstances in which a tool is to be run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunContext {
    pub(crate) reader: Reader,
    /// Whether the caller asked explicitly to run tools that nobody vouches for.
    pub(crate) unsigned: UnsignedPolicy,
    /// Whether the process has a controlling terminal.
    pub(crate) has_terminal: bool,
}

/// A tool that may be run.
pub struct Runnable<T> {
    item: Checked<T>,
}

impl<T> Runnable<T> {
    /// Returns the tool.
    pub(crate) fn item(&self) -> &T {
        self.item.item()
    }
}

/// A tool that may not be run, by the reason.
pub(crate) enum RunDenied<T> {
    /// No trusted key has signed it.
    Untrusted(Box<Checked<T>>),
    /// This newer version was seen, and no person has accepted the older one.
    Older(Box<Checked<T>>, Version),
    /// What was seen cannot be read.
    Unrecorded(Box<Checked<T>>),
}

/// Allows a tool to be run: a trusted key must have signed it, and no newer version of it may have
/// been seen here unless a person accepted this one. A person at a terminal may ask explicitly for
/// a tool that nobody vouches for. A refused tool is returned.
pub(crate) fn permit_run<T>(
    item: Checked<T>,
    age: &VersionAge,
    context: RunContext,
) -> Result<Runnable<T>, RunDenied<T>> {
    let is_person_run = context.reader == Reader::Person
        && context.unsigned == UnsignedPolicy::Allow
        && context.has_terminal;
    match (&item, age) {
        _ if is_person_run => Ok(Runnable { item }),
        (Checked::Verified(_), age) if age.is_settled() => Ok(Runnable { item }),
        (Checked::Verified(_), VersionAge::Older { newest, .. }) => {
            Err(RunDenied::Older(Box::new(item), newest.clone()))
        }
        (Checked::Verified(_), _) => Err(RunDenied::Unrecorded(Box::new(item))),
        _ => Err(RunDenied::Untrusted(Box::new(item))),
    }
}

/// A lockfile that counts.
pub struct CountedLockfile<T> {
    lockfile: Verified<T>,
}

impl<T> CountedLockfile<T> {
    /// Returns the lockfile.
    pub(crate) fn item(&self) -> &T {
        self.lockfile.item()
    }
}

/// Lets a lockfile count: a trusted key must have signed it, no matter who asks. A refused lockfile
/// is returned.
pub(crate) fn permit_lockfile<T>(item: Checked<T>) -> Result<CountedLockfile<T>, Box<Checked<T>>> {
    match item {
        Checked::Verified(lockfile) => Ok(CountedLockfile { lockfile }),
        _ => Err(Box::new(item)),
    }
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::{Signer, SigningKey};
    use mere_core::digest::Sha256;
    use mere_core::item::integrity::FileDigest;
    use mere_core::item::{Scope, ScopedPath};
    use mere_core::trust::{
        ClaimedTime, Envelope, FoundItem, ItemClaims, KeyLimits, Keyring, Placement, PublicKey,
        Sidecar, SidecarFile, Statement, TrustedKey, UntrustedReason, UntrustedSigner, verify,
    };

    use super::*;

    /// Returns an item that a trusted key signed.
    fn verified_item() -> Checked<()> {
        let private = SigningKey::from_bytes(&[7; 32]);
        let key = PublicKey::from_bytes(private.verifying_key().as_bytes()).expect("a key");
        let path = "tools/api/jwt.yaml".parse().expect("a path");
        let place = ScopedPath::from_space_path(Scope::Project, &path).expect("an item");
        let (integrity, now) = (Sha256::digest(b"tool"), jiff::Timestamp::UNIX_EPOCH);
        let version: Version = "1.0.0".parse().expect("a version");
        let files = [FileDigest { path: "jwt.yaml".to_owned(), sha256: integrity, size: 4 }];
        let created = ClaimedTime::from_timestamp(now);
        let statement = Statement {
            kind: place.kind,
            id: place.id.clone(),
            version: version.clone(),
            category: place.category.clone(),
            integrity,
            files: files.to_vec(),
            executor: None,
            created,
        };
        let placement = Placement {
            statement: integrity,
            scope: place.scope,
            space_id: "space".to_owned(),
            base: Placement::base_name(place.kind, &place.base),
            origin: None,
            created,
        };
        let mut sidecar = Sidecar::new(statement, placement);
        let sign = |envelope: &mut Envelope| {
            let signature = private.sign(&envelope.message()).to_bytes();
            envelope.add_signature(key.fingerprint(), signature);
        };
        sign(&mut sidecar.author);
        sign(&mut sidecar.installer);
        let mut keyring = Keyring::default();
        keyring.add(TrustedKey { key: key.clone(), name: None, limits: KeyLimits::default() });
        let found = FoundItem {
            path: &place,
            space_id: Some("space"),
            files: &files,
            sidecar: &SidecarFile::Bytes(sidecar.to_text().into_bytes()),
            is_draft: false,
            now,
        };
        let claims =
            ItemClaims { version: Some(version), integrity: Some(integrity), executor: None };
        let read = || Ok::<_, std::convert::Infallible>(((), claims));
        match verify(&found, &keyring, read) {
            Ok(verified) => verified.expect("nothing is broken"),
        }
    }

    #[test]
    fn a_signed_tool_is_run_unless_a_newer_one_was_seen() {
        let older = |is_accepted| VersionAge::Older {
            newest: "2.0.0".parse().expect("a version"),
            is_accepted,
        };
        for (age, denied) in [
            (VersionAge::Newest, None),
            (older(true), None),
            (older(false), Some("older")),
            (VersionAge::Unknown, Some("unrecorded")),
        ] {
            let (reader, unsigned) = (Reader::Agent, UnsignedPolicy::Refuse);
            let context = RunContext { reader, unsigned, has_terminal: false };
            let found = permit_run(verified_item(), &age, context).err();
            let found = found.map(|denied| match denied {
                RunDenied::Untrusted(_) => "untrusted",
                RunDenied::Older(_, newest) => {
                    assert_eq!(newest.to_string(), "2.0.0");
                    "older"
                }
                RunDenied::Unrecorded(_) => "unrecorded",
            });
            assert_eq!(found, denied, "{age:?}");
        }
    }

    #[test]
    fn a_lockfile_that_a_trusted_key_signed_counts() {
        assert!(permit_lockfile(verified_item()).is_ok());
        assert!(permit_use(verified_item(), SignatureRequirement::Required).is_ok());
    }

    /// Returns an item of each kind that no trusted key signed.
    fn items_without_trust() -> [Checked<()>; 3] {
        let key = format!("SHA256:{}", "A".repeat(43)).parse().expect("a fingerprint");
        let signer = UntrustedSigner { key, reason: UntrustedReason::UnknownKey };
        [Checked::Draft(()), Checked::Unsigned(()), Checked::UnknownKey((), signer)]
    }

    #[test]
    fn what_must_be_signed_is_used_signed_or_as_a_draft() {
        for (requirement, expected) in [
            (SignatureRequirement::Required, [true, false, false]),
            (SignatureRequirement::Optional, [true, true, true]),
        ] {
            let found = items_without_trust().map(|item| permit_use(item, requirement).is_ok());
            assert_eq!(found, expected, "{requirement:?}");
        }
    }

    #[test]
    fn an_unsigned_tool_is_run_only_by_a_person_at_a_terminal_who_asked_for_it() {
        for reader in [Reader::Person, Reader::Agent] {
            for unsigned in [UnsignedPolicy::Allow, UnsignedPolicy::Refuse] {
                for has_terminal in [true, false] {
                    let context = RunContext { reader, unsigned, has_terminal };
                    let expected = (reader, unsigned) == (Reader::Person, UnsignedPolicy::Allow)
                        && has_terminal;
                    for item in items_without_trust() {
                        assert_eq!(
                            permit_run(item, &VersionAge::Newest, context).is_ok(),
                            expected,
                            "{context:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_lockfile_that_no_trusted_key_signed_does_not_count() {
        assert!(items_without_trust().into_iter().all(|item| permit_lockfile(item).is_err()));
    }
}
