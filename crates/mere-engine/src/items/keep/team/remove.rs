//! `mere team remove`: somebody's signatures count no more, and somebody else vouches for their items.

use mere_core::item::{Scope, ScopedPath};
use mere_core::reply::{Content, Data, Draft, Fields, codes};
use mere_core::request::{ItemSelection, SelectedItems, ShownItem};
use mere_core::trust::{PublicKey, Roster, RosterMember, Sidecar, Verification};

use super::super::super::loaded::SidecarFile;
use super::super::super::sealer::Sealer;
use super::super::super::{ItemError, Loaded, Raw, Unmade};
use super::super::Desk;
use super::super::judged::{Judged, judge_all};
use super::super::select::select;
use super::super::sign::{refused, write};
use super::TeamFault;
use super::change::report;
use super::published::{admin, base, publish};
use super::show::{told, with_key};
use crate::court::{TrustPolicy, now};
use crate::tool_error::ToolError;

/// Which items would lose their last signature that counts.
pub(super) fn leaving(desk: &Desk<'_>, member: &str) -> Result<Draft, ToolError> {
    let departure = Departure::of(base(desk)?, member)?;
    let hearing = Hearing::of(desk, &departure.next);
    let items = hearing.orphans(desk)?;
    let count = items.len() as u64;
    let told = items.iter().map(|one| {
        let digest = Loaded::read(desk.view, one.place.clone()).ok().map(|loaded| loaded.whole());
        Data::from(one.told().with_some("digest", digest))
    });
    let data = Fields::default()
        .with("member", Content::mention(departure.name.as_str()))
        .with("key", Content::mention(departure.key.fingerprint().to_string()))
        .with("items", told.collect::<Data>())
        .with("count", count);
    let words = match count {
        0 => " is not the last to vouch for any item.",
        _ => " is the last to vouch for some items.",
    };
    Ok(Draft::success(codes::TEAM_LEAVING, with_key("", &departure.name, words)).data(data))
}

/// Countersigns what the person chose, and removes the member. What could not be countersigned does
/// not keep them.
pub(super) fn remove(
    desk: &Desk<'_>,
    member: &str,
    chosen: &[ShownItem],
) -> Result<Draft, ToolError> {
    let base = base(desk)?;
    let departure = Departure::of(base, member)?;
    let sealer = admin(desk, &base.admins)?;
    let hearing = Hearing::of(desk, &departure.next);
    let places = places(desk)?;
    let (mut signed, mut left) = (Vec::new(), Vec::new());
    for one in chosen {
        let place = places.iter().find(|place| place.address().as_ref() == Some(&one.address));
        let done = match place {
            Some(place) => hearing.countersign(desk, &sealer, (place, one)),
            None => Err(Unmade::Stale { address: one.address.clone(), current: None }.into()),
        };
        match done {
            Ok(()) => signed.push(Data::from(one.address.clone())),
            Err(error) => left.push(refused(&one.address, &error)),
        }
    }
    let published = publish(desk, &sealer, departure.next)?;
    let data = told(desk, &published.signed, published.counts)
        .with("countersigned", Data::List(signed))
        .with("left", Data::List(left));
    let message = with_key("", &departure.name, " is not in the team any more.");
    Ok(report(&published, message, data))
}

/// A roster without somebody.
struct Departure {
    name: String,
    key: PublicKey,
    /// With the serial of the one before.
    next: Roster,
}

impl Departure {
    /// Somebody by name or fingerprint; an admin need not be a member.
    fn of(base: &Roster, said: &str) -> Result<Self, ItemError> {
        let is_named = |key: &PublicKey| key.fingerprint().to_string() == said;
        let member: Option<&RosterMember> =
            base.members.iter().find(|one| one.name == said || is_named(&one.key));
        let key = member.map(|member| &member.key);
        let key = key.or_else(|| base.admins.iter().find(|key| is_named(key)));
        let key = key.ok_or_else(|| TeamFault::NoMember(said.to_owned()))?.clone();
        let mut next = base.clone();
        next.members.retain(|member| member.key != key);
        next.admins.retain(|admin| *admin != key);
        let (admins, threshold) = (next.admins.len(), next.threshold);
        if admins == 0 {
            return Err(TeamFault::LastAdmin.into());
        }
        if admins < threshold {
            return Err(TeamFault::Threshold { admins, threshold }.into());
        }
        let name = member.map_or_else(|| said.to_owned(), |member| member.name.clone());
        Ok(Self { name, key, next })
    }
}

/// Whose signatures count before somebody goes, and after.
struct Hearing {
    before: TrustPolicy,
    after: TrustPolicy,
}

impl Hearing {
    fn of(desk: &Desk<'_>, next: &Roster) -> Self {
        let before = desk.court.without_drafts();
        let after = before.with_roster(next);
        Self { before, after }
    }

    /// What verifies now and would not any more.
    fn orphans(&self, desk: &Desk<'_>) -> Result<Vec<Judged>, ToolError> {
        let judged = judge_all(desk, &self.before, &places(desk)?).into_iter();
        let right = judged.filter(Judged::is_verified).collect::<Vec<_>>();
        let places = right.iter().map(|one| one.place.clone()).collect::<Vec<_>>();
        let after = judge_all(desk, &self.after, &places);
        let both = right.into_iter().zip(after);
        Ok(both.filter(|(_, after)| !after.is_verified()).map(|(now, _)| now).collect())
    }

    /// Adds the person's signatures to an item that verifies now, and is what they were shown.
    fn countersign(
        &self,
        desk: &Desk<'_>,
        sealer: &Sealer,
        (place, chosen): (&ScopedPath, &ShownItem),
    ) -> Result<(), ToolError> {
        let raw = Raw::read(desk.view, place.clone())?;
        let sidecar = match &raw.sidecar {
            SidecarFile::Bytes(bytes) => Sidecar::parse(bytes).ok(),
            SidecarFile::None | SidecarFile::Unreadable => None,
        };
        let Verification::Verified(verified) = raw.judge(&self.before)? else {
            return Err(ItemError::from(TeamFault::Unverified).into());
        };
        let (loaded, _) = verified.into_parts();
        if loaded.whole() != chosen.digest {
            let (address, current) = (chosen.address.clone(), Some(loaded.sha256));
            return Err(Unmade::Stale { address, current }.into());
        }
        if !self.after.keyring(place.scope).is_trusted(sealer.key(), place, now()) {
            return Err(ItemError::from(TeamFault::Uncounted).into());
        }
        let sidecar = sidecar.ok_or(ItemError::from(TeamFault::Unverified))?;
        let text = sealer.countersign(sidecar)?;
        // There is room for so many signatures and no more.
        Sidecar::parse(&text).map_err(|error| ItemError::from(TeamFault::Unfit(error.0)))?;
        write(desk, &loaded, text)
    }
}

/// The items of the project.
fn places(desk: &Desk<'_>) -> Result<Vec<ScopedPath>, ToolError> {
    let scope = Some(Scope::Project);
    select(desk, &ItemSelection { kind: None, scope, which: SelectedItems::All })
}
