//! `require_signed` in the config of a space that `mere init` creates, or finds.
//!
//! The rule is only added where agents can use afterwards what they could use before: while an item
//! is unsigned that would have to be signed, it stays off.

use std::io;

use mere_core::digest::Sha256;
use mere_core::item::{ItemType, Scope};
use mere_core::reply::{Data, Draft, Fields, Prose, codes};
use mere_core::request::SignatureRule;
use mere_core::text::yaml;
use mere_core::text::yaml::amend;
use mere_core::text::yaml::amend::AmendError;
use mere_core::trust::TrustStatus;
use serde_json::{Value, json};

use super::CommandCall;
use super::init_preview::is_space;
use super::item_report::{ItemReport, verify_all};
use super::select::all_items;
use crate::config;
use crate::error::tool_error::ToolError;
use crate::space::git_attributes::with_line_end;
use crate::trust::DEFAULT_SIGNED_TYPES;
use mere_host::{FolderWriter, WritePrecondition, read_at_most};

/// The rule as it is appended to a config, with a comment.
const RULE: &str = include_str!("examples/require-signed.yaml");

/// The key of the rule.
const KEY: &str = "require_signed";

/// The most items that a refusal names.
const MAX_NAMED: usize = 3;

/// What to do about `require_signed`.
pub(super) enum SignaturePlan {
    /// Add it.
    Require,
    /// Leave the config as it is.
    Leave,
    /// Leave it off, and say so.
    LeaveOff,
}

/// What was done about `require_signed`.
pub(super) enum RuleOutcome {
    Added,
    /// The config has the key already.
    Kept,
    /// The config is written in a way that cannot be edited safely.
    NotAdded(AmendError),
    LeftOff,
    Unchanged,
}

impl SignaturePlan {
    /// Decides what to do, before anything is written. A refusal is an answer of its own.
    pub(super) fn new(
        call: &CommandCall<'_>,
        rule: SignatureRule,
        scope: Scope,
    ) -> Result<Result<Self, Draft>, ToolError> {
        Ok(Ok(match rule {
            SignatureRule::AfterSigning => Self::Leave,
            SignatureRule::RequiredIfNew if is_space(call, scope) => Self::Leave,
            SignatureRule::NotRequired if is_required(call) => Self::Leave,
            SignatureRule::NotRequired => Self::LeaveOff,
            SignatureRule::Required | SignatureRule::RequiredIfNew => {
                let unusable = find_unusable(call, scope)?;
                match rule {
                    _ if unusable.is_empty() => Self::Require,
                    SignatureRule::Required => return Ok(Err(refusal(&unusable))),
                    _ => Self::LeaveOff,
                }
            }
        }))
    }

    /// Adds the rule to the config of a space that is being written. Every comment is kept.
    pub(super) fn apply(&self, space: &FolderWriter) -> io::Result<RuleOutcome> {
        match self {
            Self::Leave => return Ok(RuleOutcome::Unchanged),
            Self::LeaveOff => return Ok(RuleOutcome::LeftOff),
            Self::Require => {}
        }
        let path = config::FILE.parse().map_err(|_| io::ErrorKind::InvalidInput)?;
        let file = space.open_file(&path)?.ok_or(io::ErrorKind::NotFound)?;
        let bytes = read_at_most(file, config::MAX_YAML_BYTES as u64)?;
        let old = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        let old = old.ok_or(io::ErrorKind::InvalidData)?;
        let new = match add_rule(&old) {
            Ok(new) => new,
            Err(AmendError::AlreadyExists) => return Ok(RuleOutcome::Kept),
            Err(error) => return Ok(RuleOutcome::NotAdded(error)),
        };
        let before = WritePrecondition::Digest(Sha256::digest(old.as_bytes()));
        if !space.put(&path, new.as_bytes(), before)? {
            return Err(io::ErrorKind::ResourceBusy.into());
        }
        Ok(RuleOutcome::Added)
    }
}

impl RuleOutcome {
    /// Says what a person has to know about it.
    pub(super) fn hint(&self) -> Option<Prose> {
        Some(match self {
            Self::Added | Self::Unchanged => return None,
            Self::Kept => Prose::words(
                "config.yaml has a `require_signed` of its own, which was left as it is.",
            ),
            Self::NotAdded(error) => Prose::words(format!(
                "`require_signed` could not be added to config.yaml: {error}. Add \
                 `require_signed: [directive, tool, lockfile]` to it."
            )),
            Self::LeftOff => Prose::words(
                "Agents may use unsigned items here: `require_signed` is off. \
                 `mere init --require-signed` shows the unsigned items, signs those that you \
                 accept as `mere sign` does, and switches it on.",
            ),
        })
    }
}

/// Returns a config with the rule at its end, together with the comment that explains it unless the
/// config is written in braces.
fn add_rule(old: &str) -> Result<String, AmendError> {
    let kinds = DEFAULT_SIGNED_TYPES.map(ItemType::name);
    let amended = amend::add(old, &[KEY], &json!(kinds))?;
    let value = |text: &str| yaml::parse::<Value>(text).ok();
    let appended = with_line_end(old.to_owned()) + RULE;
    let is_same = value(&appended).is_some() && value(&appended) == value(&amended);
    Ok(if is_same { appended } else { amended })
}

/// Returns whether the configuration requires signatures already.
fn is_required(call: &CommandCall<'_>) -> bool {
    let required = call.items.trust_policy.required_types();
    DEFAULT_SIGNED_TYPES.iter().all(|kind| required.contains(kind))
}

/// Returns the items that agents could no longer use if signatures were required.
fn find_unusable(call: &CommandCall<'_>, scope: Scope) -> Result<Vec<ItemReport>, ToolError> {
    let mut places = all_items(call.change, Some(scope))?;
    places.retain(|place| DEFAULT_SIGNED_TYPES.contains(&place.kind));
    let mut reports = verify_all(call, call.items.trust_policy, &places);
    reports.retain(|report| {
        matches!(report.trust_status, Ok(TrustStatus::Unsigned(()) | TrustStatus::UnknownKey(..)))
    });
    Ok(reports)
}

/// Says that the rule is not added, and because of which items.
fn refusal(unusable: &[ItemReport]) -> Draft {
    let addresses = || unusable.iter().filter_map(|report| report.place.address());
    let words = match unusable.len() {
        1 => "Signatures are not required: agents could no longer use 1 item, which nobody whose \
              key counts has signed: "
            .to_owned(),
        count => format!(
            "Signatures are not required: agents could no longer use {count} items, which nobody \
             whose key counts has signed: "
        ),
    };
    let mut message = Prose::words(words);
    for (number, address) in addresses().take(MAX_NAMED).enumerate() {
        message = message.and(if number > 0 { ", " } else { "" }).address(address);
    }
    let message = message.and(if unusable.len() > MAX_NAMED { " and others." } else { "." });
    let rows = addresses().map(Data::from).collect::<Data>();
    Draft::invalid(codes::INIT_UNSIGNED, message)
        .hint(
            "At a terminal, `mere init --require-signed` shows each item and asks whether to sign \
             it. Items that agents shall not use can be deleted with `mere delete`.",
        )
        .data(Fields::default().with("unsigned", rows))
}
