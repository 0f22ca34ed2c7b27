//! Making a roster, signing it, and writing it into the space.
//!
//! Only the roster that was checked is replaced; if another one was written meanwhile, nothing is
//! written.

use mere_core::item::Scope;
use mere_core::request::SignerKey;
use mere_core::trust::{PublicKey, Roster, SignedRoster};

use super::show::RosterStatus;
use crate::items::item_signer::{ItemSigner, ensure_id_of_scope};
use crate::items::{ItemCall, ItemError};
use crate::policy::SigningReason;
use crate::space::ItemChangeError;
use crate::trust;
use crate::trust::keys::KeyFault;
use crate::trust::{
    ROSTER_FILE, ROSTER_SIDECAR, RosterFile, RosterTrouble, TeamRefusal, keys, project_key,
};
use crate::world::Context;
use mere_host::{FolderWriter, LinkPolicy, WritePrecondition};

/// A roster that was written into the space.
pub(super) struct PublishedRoster {
    pub(super) signed: SignedRoster,
    /// Whether it is in force for the user.
    pub(super) status: RosterStatus,
}

/// Returns the roster that an admin's change starts from. It must be both in force for the admin
/// and in the space, so that nothing somebody else put there is signed in passing.
pub(super) fn current_roster<'a>(call: &'a ItemCall<'_>) -> Result<&'a Roster, ItemError> {
    let base = joined_roster(call)?;
    check_admin(call.context, &base.admins)?;
    Ok(base)
}

/// Returns the roster that is both in force for the user and in the space, whoever they are.
pub(super) fn joined_roster<'a>(call: &'a ItemCall<'_>) -> Result<&'a Roster, ItemError> {
    let team = call.items.trust_policy.team();
    match (team.roster_trouble(), team.joined_roster(), team.roster_file()) {
        (Some(trouble), ..) => Err(ItemError::Team(trouble)),
        (None, Some(joined), _) => Ok(joined),
        (None, None, RosterFile::None) => Err(ItemError::Team(RosterTrouble::Missing)),
        (None, None, _) => Err(TeamRefusal::NotJoined.into()),
    }
}

/// Refuses a user whose key does not belong to one of these admins, before anything is shown or
/// unlocked.
pub(super) fn check_admin(context: &Context, admins: &[PublicKey]) -> Result<(), ItemError> {
    let mut own = keys::own_keys(&context.environment).into_iter();
    match own.find(|key| key.is_current) {
        Some(key) if !is_admin(&key.public, admins) => {
            Err(TeamRefusal::NotAdmin(key.public.fingerprint()).into())
        }
        _ => Ok(()),
    }
}

/// Unlocks the user's key, if it belongs to one of these admins.
pub(super) fn unlock_admin_key(
    call: &ItemCall<'_>,
    admins: &[PublicKey],
) -> Result<ItemSigner, ItemError> {
    let signer = ItemSigner::unlock(call, SigningReason::Requested)?;
    if is_admin(signer.public_key(), admins) {
        return Ok(signer);
    }
    Err(TeamRefusal::NotAdmin(signer.fingerprint()).into())
}

/// Returns whether a key belongs to one of these admins.
fn is_admin(key: &PublicKey, admins: &[PublicKey]) -> bool {
    admins.contains(key)
}

/// Signs the roster that succeeds another one, and writes it into the space.
pub(super) fn publish_roster(
    call: &ItemCall<'_>,
    signers: &[ItemSigner],
    next: Roster,
) -> Result<PublishedRoster, ItemError> {
    let serial =
        next.serial.checked_add(1).ok_or(TeamRefusal::InvalidRoster("its serial is too high"))?;
    let signed = sign_roster(signers, Roster { serial, ..next })?;
    write_roster(call, &signed)?;
    pin_successor(call, signed)
}

/// Signs a roster with keys of the user only.
pub(super) fn sign_roster(
    signers: &[ItemSigner],
    roster: Roster,
) -> Result<SignedRoster, ItemError> {
    roster.check().map_err(|error| TeamRefusal::InvalidRoster(error.0))?;
    let mut envelope = roster.envelope();
    for signer in signers {
        signer.sign_envelope(&mut envelope)?;
    }
    Ok(SignedRoster { roster, envelope })
}

/// Pins the roster for this user if it validly succeeds the one they joined.
pub(super) fn pin_successor(
    call: &ItemCall<'_>,
    signed: SignedRoster,
) -> Result<PublishedRoster, ItemError> {
    let counts = call
        .items
        .trust_policy
        .team()
        .joined_roster()
        .is_some_and(|joined| signed.can_follow(joined));
    if counts {
        trust::pin(&call.context.environment, &signed).map_err(ItemError::from)?;
    }
    let status = if counts { RosterStatus::InForce } else { RosterStatus::Pending };
    Ok(PublishedRoster { signed, status })
}

/// Writes a roster and its sidecar into the space, provided that the files there are still those
/// that were checked.
///
/// The sidecar is written first, and it contains the whole signed text. A process that is killed
/// between the two writes leaves the previous roster with signatures that are not its own. Nobody
/// can join that; users who joined continue with the roster they pinned, and `git restore` brings
/// the old files back. The opposite order would leave a roster that nobody signed.
pub(super) fn write_roster(call: &ItemCall<'_>, signed: &SignedRoster) -> Result<(), ItemError> {
    let address = trust::roster_address().ok_or(ItemChangeError::InvalidPlace)?;
    let failed = |cause| ItemChangeError::WriteFailed { address: address.clone(), cause };
    let space = FolderWriter::make_space(call.context.project().map_err(ItemChangeError::from)?)
        .map_err(failed)?;
    if project_key::space_format(&space) > project_key::SPACE_FORMAT {
        return Err(ItemChangeError::NewerFormat.into());
    }
    let editing = FolderWriter::open(&space, call.is_cancelled).map_err(failed)?;
    let editing = editing.ok_or_else(|| ItemChangeError::TimedOut(address.clone()))?;
    if RosterFile::read(editing.dir()) != *call.items.trust_policy.team().roster_file() {
        return Err(TeamRefusal::RosterChanged.into());
    }
    let roster = format!("{:#}\n", signed.roster.to_json());
    for (name, text) in [(ROSTER_SIDECAR, signed.to_sidecar_text()), (ROSTER_FILE, roster)] {
        let path = name.parse().map_err(|_| ItemChangeError::InvalidPlace)?;
        editing.put(&path, text.as_bytes(), WritePrecondition::Any).map_err(failed)?;
    }
    Ok(())
}

/// Returns the id of the project's space, and gives the space an id if it has none.
pub(super) fn ensure_project_space_id(call: &ItemCall<'_>) -> Result<String, ItemError> {
    let address = trust::roster_address().ok_or(ItemChangeError::InvalidPlace)?;
    ensure_id_of_scope(call, Scope::Project, address)
}

/// Returns the public key that a person gave, either directly or as a file.
pub(super) fn read_public_key(context: &Context, key: &SignerKey) -> Result<PublicKey, ItemError> {
    let file = match key {
        SignerKey::Line(key) => return Ok(key.clone()),
        SignerKey::File(file) => file,
    };
    let read = context.environment.read_person_key_file(file, LinkPolicy::Follow);
    let read = read.map_err(|error| ItemError::Key(error.into()))?;
    let key = std::str::from_utf8(&read.bytes).ok().and_then(|text| text.parse().ok());
    let cause = "it is not one line that begins with ssh-ed25519";
    key.ok_or_else(|| ItemError::Key(KeyFault::InvalidFormat { file: read.display_path, cause }))
}
