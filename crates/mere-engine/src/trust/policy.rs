//! The trust policy of a session: whose signatures count, what must be signed, and what is a draft.
//!
//! It is put together once for each reading of the configuration, from the user's own keys, the
//! keys they trust, the team they joined, and what configurations narrow. A project decides none of
//! it; it can only narrow. If something cannot be read, no key counts.

use jiff::Timestamp;
use mere_core::digest::Sha256;
use mere_core::item::{ItemType, Scope, ScopedPath, Version};
use mere_core::trust::{Fingerprint, KeyLimits, Keyring, Roster, SeenVersion, TrustedKey};

use super::approvals::records::RecordError;
use super::drafts::{self, DraftRecord};
use super::former_members::SignerStanding;
use super::seen_versions::{SeenError, SeenVersions};
use super::team::{Membership, Quorum, RosterTrouble, Team};
use crate::config::SigningConfig;
use crate::policy::{SignatureRequirement, SigningPermit};
use crate::trust::project_key::ProjectKey;
use crate::trust::{keys, project_key, signers};
use mere_host::{Environment, Folder, now_nanoseconds as nanoseconds};

/// The trust policy that results from one reading of the configuration.
#[derive(Clone, Default)]
pub(crate) struct TrustPolicy {
    project_scope: ScopeTrust,
    user_scope: ScopeTrust,
    required_types: Vec<ItemType>,
    drafts: Vec<DraftRecord>,
    /// The keys of the user who runs this process.
    own_keys: Vec<Fingerprint>,
    team: Team,
    /// The only keys that count according to the project's configuration, if it names any.
    project_keys: Option<Vec<Fingerprint>>,
    may_sign_unattended: bool,
    /// What this machine has seen; nothing where the user's own settings do not count.
    seen_versions: SeenVersions,
}

/// The folder of a project, and its space if it has one.
#[derive(Clone, Copy)]
pub(crate) struct ProjectFolders<'a> {
    pub(crate) project: Option<&'a Folder>,
    pub(crate) space: Option<&'a Folder>,
}

/// The trusted keys and the space id of one scope.
#[derive(Clone, Default)]
struct ScopeTrust {
    keyring: Keyring,
    space_id: Option<String>,
}

/// Returns the time of the machine's clock.
pub(crate) fn now() -> Timestamp {
    Timestamp::from_nanosecond(i128::from(nanoseconds())).unwrap_or_default()
}

impl TrustPolicy {
    /// Reads the policy of the user and their team; `user` and `project` are the two
    /// configurations.
    pub(crate) fn read(
        environment: &Environment,
        folders: ProjectFolders<'_>,
        user: &SigningConfig,
        project: &SigningConfig,
    ) -> std::io::Result<Self> {
        let space = folders.space;
        let user_space = environment.user_space()?;
        let project_id = space.and_then(|space| project_key::space_id(space.dir()));
        let user_id = user_space.as_ref().and_then(|space| project_key::space_id(space.dir()));
        let team = Team::read(environment, folders, project_id.as_deref());
        let own = keys::own_keys(environment);
        let personal = personal_keyring(environment, &own);
        let keyring = match (&personal, team.joined_roster()) {
            _ if team.is_damaged() => Keyring::default(),
            (Some(_), Some(roster)) => roster_keyring(roster),
            (Some(personal), None) => personal.clone(),
            (None, _) => Keyring::default(),
        };
        let personal = personal.unwrap_or_default();
        let keyring = narrow_keyring(keyring, &personal, project.trusted_keys.as_deref());
        let mut required =
            [&user.required_types[..], &project.required_types, team.required_types()].concat();
        required.sort();
        required.dedup();
        let project_key =
            folders.project.and_then(|project| ProjectKey::for_project(project, space));
        let mut drafts = drafts::read_drafts(environment, project_key);
        let user_key =
            user_space.as_ref().and_then(|space| ProjectKey::for_project(space, Some(space)));
        drafts.extend(drafts::read_drafts(environment, user_key));
        Ok(Self {
            project_scope: ScopeTrust { keyring, space_id: project_id },
            user_scope: ScopeTrust { keyring: personal, space_id: user_id },
            required_types: required,
            drafts,
            own_keys: own.iter().map(|key| key.public.fingerprint()).collect(),
            team,
            project_keys: project.trusted_keys.clone(),
            may_sign_unattended: user.may_sign_unattended,
            seen_versions: SeenVersions::of_user(environment),
        })
    }

    /// Returns a policy that ignores the user's own settings and trusts only the roster that these
    /// admins signed, if its serial is at least `minimum_serial`.
    pub(crate) fn for_admins(
        &self,
        admins: &[Fingerprint],
        minimum_serial: u64,
    ) -> Result<Self, RosterTrouble> {
        let roster = self.team.roster_signed_by(admins, Quorum::All)?;
        if roster.serial < minimum_serial {
            return Err(RosterTrouble::Older { serial: roster.serial, seen: minimum_serial });
        }
        let required = [&self.required_types[..], &roster.require_signed].concat();
        let keyring = narrow_keyring(
            roster_keyring(roster),
            &self.user_scope.keyring,
            self.project_keys.as_deref(),
        );
        let project = ScopeTrust { keyring, space_id: self.project_scope.space_id.clone() };
        Ok(Self { project_scope: project, required_types: required, ..Self::default() })
    }

    /// Returns the policy that would hold in the project if this were the team's roster.
    pub(crate) fn with_roster(&self, roster: &Roster) -> Self {
        let keyring = narrow_keyring(
            roster_keyring(roster),
            &self.user_scope.keyring,
            self.project_keys.as_deref(),
        );
        let project = ScopeTrust { keyring, space_id: self.project_scope.space_id.clone() };
        Self { project_scope: project, ..self.clone() }
    }

    /// Returns this policy without drafts, for what is committed or about to be signed.
    pub(crate) fn without_drafts(&self) -> Self {
        Self { drafts: Vec::new(), ..self.clone() }
    }

    fn scope_trust(&self, scope: Scope) -> &ScopeTrust {
        match scope {
            Scope::Project => &self.project_scope,
            Scope::User | Scope::Registry => &self.user_scope,
        }
    }

    /// Returns the keys that count in a scope.
    pub(crate) fn keyring(&self, scope: Scope) -> &Keyring {
        &self.scope_trust(scope).keyring
    }

    /// Returns the id of a scope's space.
    pub(crate) fn space_id(&self, scope: Scope) -> Option<&str> {
        self.scope_trust(scope).space_id.as_deref()
    }

    /// Checks whether items of a type must be signed to be used.
    pub(crate) fn requires_signature(&self, kind: ItemType) -> bool {
        self.required_types.contains(&kind)
    }

    /// Returns whether items of a type must be signed to be used, as policy asks for it.
    pub(crate) fn signature_requirement(&self, kind: ItemType) -> SignatureRequirement {
        if self.requires_signature(kind) {
            SignatureRequirement::Required
        } else {
            SignatureRequirement::Optional
        }
    }

    /// Returns the types whose items must be signed to be used.
    pub(crate) fn required_types(&self) -> &[ItemType] {
        &self.required_types
    }

    /// Checks whether an item is a draft.
    pub(crate) fn is_draft(&self, place: &ScopedPath) -> bool {
        let Some(address) = place.address() else { return false };
        let now = now();
        self.drafts.iter().any(|draft| draft.covers(&address, now))
    }

    /// Returns what this machine has seen of an item.
    pub(crate) fn seen_version(
        &self,
        place: &ScopedPath,
    ) -> Result<Option<SeenVersion>, SeenError> {
        let space_id = self.space_id(place.scope);
        space_id.map_or(Ok(None), |space_id| self.seen_versions.find(space_id, place))
    }

    /// Remembers versions of items that trusted keys signed.
    pub(crate) fn record_seen(&self, seen: &[(&ScopedPath, &Version)]) -> Result<(), RecordError> {
        for scope in [Scope::Project, Scope::User] {
            let of_scope = seen.iter().filter(|(place, _)| place.scope == scope).copied();
            if let Some(space_id) = self.space_id(scope) {
                self.seen_versions.record(space_id, &of_scope.collect::<Vec<_>>())?;
            }
        }
        Ok(())
    }

    /// Remembers that a person accepts a statement about an item although a newer version was seen.
    pub(crate) fn accept_version(
        &self,
        place: &ScopedPath,
        statement: Sha256,
        permit: &SigningPermit,
    ) -> Result<(), RecordError> {
        let space_id = self.space_id(place.scope);
        space_id.map_or(Ok(()), |id| self.seen_versions.accept(id, place, statement, permit))
    }

    /// Checks whether a key is the user's own.
    pub(crate) fn is_own_key(&self, key: Fingerprint) -> bool {
        self.own_keys.contains(&key)
    }

    /// Returns how the user relates to the team of a scope.
    pub(crate) fn membership(&self, scope: Scope) -> Membership {
        match scope {
            Scope::Project => self.team.membership(),
            Scope::User | Scope::Registry => Membership::NoTeam,
        }
    }

    /// Returns how whoever signed an item relates to the team of its scope.
    pub(crate) fn signer_standing(&self, scope: Scope, key: Option<Fingerprint>) -> SignerStanding {
        match key {
            Some(key) if scope == Scope::Project => self.team.standing_of(key),
            _ => SignerStanding { membership: self.membership(scope), former: None },
        }
    }

    /// Returns the team of the project's space.
    pub(crate) fn team(&self) -> &Team {
        &self.team
    }

    /// Checks whether the user lets their key sign without anybody being asked.
    pub(crate) fn may_sign_unattended(&self) -> bool {
        self.may_sign_unattended
    }
}

/// Returns the user's own keys, the keys they trust, and the keys they revoked; `None` if those
/// cannot be read, because a revocation could be missed.
fn personal_keyring(environment: &Environment, own: &[keys::OwnKey]) -> Option<Keyring> {
    let mut keyring = Keyring::default();
    let signers::TrustStore::Records(records) = signers::read(environment) else {
        tracing::error!("the list of trusted keys cannot be relied on, so no key is trusted");
        return None;
    };
    for key in own {
        let (key, name) = (key.public.clone(), Some("you".to_owned()));
        keyring.add(TrustedKey { key, name, limits: KeyLimits::default() });
    }
    for record in records {
        if record.is_revoked {
            keyring.revoke(record.fingerprint);
        } else if let Some(key) = record.key {
            keyring.add(TrustedKey {
                key,
                name: record.name.map(|name| name.to_string()),
                limits: record.limits,
            });
        }
    }
    Some(keyring)
}

/// Removes the keys that may not count in the project: those that the user revoked, and those that
/// the project does not list if it lists any.
fn narrow_keyring(
    mut keyring: Keyring,
    personal: &Keyring,
    only: Option<&[Fingerprint]>,
) -> Keyring {
    keyring.revoke_all_of(personal);
    if let Some(only) = only {
        keyring.retain_only(only);
    }
    keyring
}

fn roster_keyring(roster: &Roster) -> Keyring {
    let mut keyring = Keyring::default();
    for member in &roster.members {
        keyring.add(member.to_trusted_key());
    }
    keyring
}
