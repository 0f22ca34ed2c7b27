//! `mere trust item`: a person accepts a version of an item although this machine has seen a newer
//! one.
//!
//! The yes is for one statement of the author. Another content of the same version, or another older
//! version, needs another yes.

use mere_core::item::{ItemRef, ItemType, Version};
use mere_core::reply::{Draft, Fields, Prose, codes};
use mere_core::request::LookupScope;
use mere_core::trust::{Checked, VersionAge};

use crate::error::tool_error::ToolError;
use crate::items::find::NamedItem;
use crate::items::item_signer::permit_setting_aside;
use crate::items::reply_fields::own_text;
use crate::items::version_check::{look_up, statement_digest, trust_fields_with_age};
use crate::items::{CheckedItem, ItemCall, ItemError, command_words, item_name, read_and_verify};

/// Accepts the version of an item that lies in its space.
pub(super) fn accept_version(
    call: &ItemCall<'_>,
    kind: ItemType,
    item: &ItemRef,
    source: LookupScope,
) -> Result<Draft, ToolError> {
    // Only a lockfile has its version in its name; of other items it is compared here.
    let wanted = item.version.clone().filter(|_| kind != ItemType::Lockfile);
    let version = item.version.clone().filter(|_| kind == ItemType::Lockfile);
    let item = &ItemRef { version, ..item.clone() };
    let source = call.effective_source(source);
    let place = call.items.find(NamedItem { kind, item, source })?.place;
    let checked = read_and_verify(&call.items, place)?;
    let loaded = checked.item();
    let has = loaded.item.version();
    if wanted.is_some() && wanted.as_ref() != has {
        let (address, has) = (loaded.address.clone(), has.cloned());
        return Err(ItemError::WrongVersion { address, has }.into());
    }
    let statement = statement_digest(loaded);
    let (Checked::Verified(_), Some(version), Some(statement)) = (&checked, has, statement) else {
        return Ok(nothing_to_accept(&checked));
    };
    let trust_policy = call.items.trust_policy;
    let (age, _) = look_up(trust_policy, &checked);
    let words = match &age {
        VersionAge::Newest => {
            " is the newest version that was seen here; there is nothing to accept."
        }
        VersionAge::Older { is_accepted: true, .. } => " is accepted already.",
        VersionAge::Older { .. } | VersionAge::Unknown => {
            let permit = permit_setting_aside(call)?;
            trust_policy
                .accept_version(&loaded.place, statement, &permit)
                .map_err(ItemError::Record)?;
            " is accepted: this version may be used although a newer one was seen."
        }
    };
    Ok(accepted_reply(&checked, version, &age, words))
}

fn accepted_reply(
    checked: &CheckedItem,
    version: &Version,
    age: &VersionAge,
    words: &'static str,
) -> Draft {
    let loaded = checked.item();
    let message = Prose::words("").address(loaded.address.clone());
    let message = message.and(format!(" {version}")).and(words);
    let data = Fields::default()
        .with("address", loaded.address.clone())
        .with("version", own_text(version))
        .with("trust", trust_fields_with_age(checked, age));
    Draft::success(codes::TRUST_ACCEPTED, message).data(data)
}

/// Answers for an item whose version nobody vouches for.
fn nothing_to_accept(checked: &CheckedItem) -> Draft {
    let loaded = checked.item();
    let message = Prose::words("")
        .address(loaded.address.clone())
        .and(format!(" is {}, so there is no signed version to accept.", checked.status()));
    let hint = format!("Read it; `mere sign {}` makes it yours.", command_words(&loaded.place));
    let hint = Prose::with_names(&hint, &[item_name(&loaded.place)]);
    Draft::invalid(codes::TRUST_NOTHING_TO_ACCEPT, message).hint(hint)
}
