//! Many items, judged with as many hands as the machine has.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use mere_core::item::ScopedPath;
use mere_core::reply::{Content, Data, Fields};
use mere_core::trust::VerificationFailure;

use super::super::tell::word;
use super::super::{ItemError, Opened, Standing};
use super::Desk;
use super::list::{broken_trust, fault_words};
use super::why::remedy;
use crate::court::TrustPolicy;
use crate::enforce::{self, SignatureRequirement};
use crate::tool_error::ToolError;
use crate::view::View;
use mere_host::available_parallelism;

/// How many items one hand takes at a time.
const SHARE: usize = 64;

/// What was found out about an item, without its body.
pub(super) struct Judged {
    pub(super) place: ScopedPath,
    pub(super) standing: Result<Standing, Trouble>,
    /// Whether nobody should rely on it: broken, or not signed where it must be.
    pub(super) is_finding: bool,
    trust: Option<Fields>,
    fault: Option<String>,
    fix: Option<String>,
}

/// Why nobody can say who vouches for an item.
pub(super) enum Trouble {
    /// It is not what was signed, or not where.
    Broken(VerificationFailure),
    /// It is no valid item.
    Invalid,
    /// It cannot be read.
    Unreadable,
}

impl Judged {
    pub(super) fn of(view: &View<'_>, court: &TrustPolicy, place: &ScopedPath) -> Self {
        let place = place.clone();
        let demand = if court.requires_signature(place.kind) {
            SignatureRequirement::Required
        } else {
            SignatureRequirement::Optional
        };
        match Opened::judge(view, court, place.clone()) {
            Ok(opened) => Self {
                // What may not be used is what is found.
                is_finding: enforce::permit_use(&opened, demand).is_err(),
                trust: Some(opened.trust()),
                fault: None,
                fix: opened.advice().map(|advice| advice.render_for_person()),
                standing: Ok(opened.standing),
                place,
            },
            Err(error) => Self {
                is_finding: true,
                trust: broken_trust(&error),
                fault: Some(fault_words(&error)),
                fix: remedy(&error),
                standing: Err(trouble(error)),
                place,
            },
        }
    }

    /// Its name in `status`.
    pub(super) fn status(&self) -> &'static str {
        match &self.standing {
            Ok(standing) => standing.status(),
            Err(Trouble::Broken(failure)) => failure.status(),
            Err(Trouble::Invalid) => "invalid",
            Err(Trouble::Unreadable) => "unreadable",
        }
    }

    pub(super) fn is_verified(&self) -> bool {
        matches!(self.standing, Ok(Standing::Verified(_)))
    }

    /// How it is broken, if it is.
    pub(super) fn failure(&self) -> Option<&VerificationFailure> {
        match &self.standing {
            Err(Trouble::Broken(failure)) => Some(failure),
            _ => None,
        }
    }

    /// What is wrong with it, in words.
    pub(super) fn words(&self) -> String {
        match (&self.fault, &self.standing) {
            (Some(fault), _) => fault.clone(),
            (None, Ok(Standing::Unknown(_))) => "is signed by a key that does not count".to_owned(),
            (None, _) => "is not signed, and must be".to_owned(),
        }
    }

    /// The files that are not what was signed, from the main file's folder.
    fn files(&self) -> Option<Data> {
        let files = match self.failure()? {
            VerificationFailure::Changed(files) => files.clone(),
            VerificationFailure::WrongFiles { extra, missing } => [&extra[..], missing].concat(),
            _ => return None,
        };
        Some(files.into_iter().map(|file| Data::from(Content::mention(file))).collect())
    }

    /// What to do about it.
    pub(super) fn fix(&self) -> Option<&str> {
        self.fix.as_deref()
    }

    /// What a reply tells.
    pub(super) fn told(&self) -> Fields {
        let fix = self.fix.as_deref().filter(|_| !self.is_verified());
        Fields::default()
            .with("item_type", self.place.kind.name())
            .with("id", word(&self.place.id))
            .with("category", word(&self.place.category))
            .with("scope", self.place.scope.name())
            .with("address", self.place.address())
            .with("status", self.status())
            .with("finding", self.is_finding)
            .with_some("trust", self.trust.clone())
            .with_some("files", self.files())
            .with_some("fault", self.fault.as_deref().map(Content::mention))
            .with_some("fix", fix.map(Content::mention))
    }
}

fn trouble(error: ToolError) -> Trouble {
    match error {
        ToolError::Item(ItemError::Broken(broken)) => Trouble::Broken(broken.failure),
        ToolError::Item(_) => Trouble::Invalid,
        _ => Trouble::Unreadable,
    }
}

/// Judges all of them, in order, telling how far it is.
pub(super) fn judge_all(
    desk: &Desk<'_>,
    court: &TrustPolicy,
    places: &[ScopedPath],
) -> Vec<Judged> {
    let (view, next, done) = (desk.view, AtomicUsize::new(0), AtomicUsize::new(0));
    let take = || {
        let from = next.fetch_add(SHARE, Ordering::Relaxed);
        let part = places.get(from..places.len().min(from + SHARE))?;
        (!part.is_empty()).then_some((from, part))
    };
    let work = |tell: &dyn Fn(usize)| {
        let mut judged = Vec::new();
        while let Some((from, part)) = take() {
            let one = |(at, place)| (from + at, Judged::of(view, court, place));
            judged.extend(part.iter().enumerate().map(one));
            tell(done.fetch_add(part.len(), Ordering::Relaxed) + part.len());
        }
        judged
    };
    let hands = available_parallelism(places.len().div_ceil(SHARE));
    let mut judged = thread::scope(|scope| {
        let others = (1..hands).map(|_| scope.spawn(|| work(&|_| {}))).collect::<Vec<_>>();
        let mut judged = work(&|done| (desk.progress)(done as u64, places.len() as u64));
        judged.extend(others.into_iter().flat_map(|other| other.join().unwrap_or_default()));
        judged
    });
    judged.sort_by_key(|(at, _)| *at);
    judged.into_iter().map(|(_, judged)| judged).collect()
}
