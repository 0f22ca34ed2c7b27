//! How the new registry of `mere up` gets something to show: the signed examples of the space that was
//! made just before.
//!
//! Only a registry whose log is empty gets them, so nothing of anybody is touched. The login is used
//! for this alone and never saved, and its token is revoked at once.

use std::process::ExitCode;
use std::time::Duration;

use mere_core::item::Scope;
use mere_core::registry::{NewNamespace, TokenAction, TokenScope};
use mere_core::reply::ReplyType;
use mere_core::request::{
    ItemCommand, KeysCommand, Login, PersonCommand, RegistryAction, RegistryCommand, Secret,
};
use mere_core::trust::{Fingerprint, PublicKey};
use mere_registry::{Privacy, Registry, RegistryError, RegistryOptions, TokenRequest};

use crate::arguments::LocationArguments;
use crate::commands::person_session::{PersonSession, with_default_session};
use crate::commands::registry;
use crate::print::keys::ExportedKey;
use crate::print::reply::{ReplySentences, ReplyView};
use crate::print::sharing::PublishedExamples;

/// The namespace of the examples, and the account that owns it.
const NAMESPACE: &str = "examples";
/// How long the token counts if it cannot be revoked.
const TOKEN_LIFETIME: Duration = Duration::from_mins(1);

/// A space that was just made.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewSpace {
    pub(super) scope: Scope,
    /// The key that signed its examples, if any did.
    pub(super) key: Option<Fingerprint>,
}

/// Publishes the examples of a space in the registry that listens at a URL, and returns a line that
/// says so. Returns `None` if the registry has something already.
pub(super) fn publish_examples(
    location: LocationArguments,
    space: NewSpace,
    url: &str,
) -> Result<Option<String>, String> {
    let registry = Registry::open(&RegistryOptions::default());
    let registry = registry.map_err(|error| error.to_string())?;
    if registry.log_size().map_err(|error| error.to_string())? > 0 {
        return Ok(None);
    }
    let mut published = Ok(0);
    with_default_session(location, |session| {
        published = session.fill_registry(&registry, space, url);
        Ok(ExitCode::SUCCESS)
    })
    .map_err(|error| error.to_string())?;
    let count = published?;
    Ok(Some(format!("Published its {count} signed examples in the registry: {url}/n/{NAMESPACE}")))
}

impl PersonSession {
    /// Publishes the examples of a space with a token of its own, and returns how many there are.
    fn fill_registry(
        &self,
        registry: &Registry,
        space: NewSpace,
        url: &str,
    ) -> Result<u64, String> {
        let signer = space.key.ok_or("they are not signed")?;
        let export = KeysCommand::Export { key: Some(signer) };
        let exported = self.call("keys", PersonCommand::Keys(export));
        let key = ReplyView::<ExportedKey>::read(&exported).map_err(|error| error.to_string())?;
        let key = key.data.public.parse::<PublicKey>().map_err(|error| error.to_string())?;
        let (name, request) = new_token().map_err(|error| error.to_string())?;
        let token = admit_author(registry, &name, &key)
            .and_then(|()| registry.create_token(&request))
            .map_err(|error| error.to_string())?;
        let login = Login {
            token: Some(Secret::new(token.token.expose().to_owned())),
            namespace: Some(name.as_namespace().clone()),
            log_key: Some(registry.log_key().fingerprint()),
        };
        let action = RegistryAction::PublishExamples { scope: space.scope, login };
        let command = RegistryCommand { registry: Some(url.to_owned()), action };
        let reply = self.call("publish", ItemCommand::Registry(command));
        let revoked = registry.revoke_token(&token.id);
        if reply.reply_type() != ReplyType::Success {
            let sentences = ReplySentences::read(&reply).map_err(|error| error.to_string())?;
            return Err(sentences.message);
        }
        revoked.map_err(|error| error.to_string())?;
        let reply = ReplyView::<PublishedExamples>::read(&reply);
        match reply.map_err(|error| error.to_string())?.data.published {
            0 => Err("there were other items of their names".to_owned()),
            count => Ok(count),
        }
    }
}

/// Makes the namespace of the examples, in which a key signs.
fn admit_author(
    registry: &Registry,
    name: &NewNamespace,
    key: &PublicKey,
) -> Result<(), RegistryError> {
    registry.add_account(NAMESPACE)?;
    registry.create_namespace(name, NAMESPACE, Privacy::Public)?;
    registry.add_key(name.as_namespace(), key)?;
    Ok(())
}

/// Returns the namespace of the examples, and a request for a token that may publish in it.
fn new_token() -> Result<(NewNamespace, TokenRequest), RegistryError> {
    let invalid = |_| RegistryError::Malformed("the name of the examples is not a namespace");
    let name = NAMESPACE.parse::<NewNamespace>().map_err(invalid)?;
    let scope = TokenScope {
        action: TokenAction::Publish,
        namespace: name.as_namespace().clone(),
        id: None,
    };
    let end = registry::now().checked_add(TOKEN_LIFETIME);
    let end = end.map_err(|_| RegistryError::Malformed("the clock cannot be used"))?;
    let account = NAMESPACE.to_owned();
    Ok((name, TokenRequest { account, scopes: vec![scope], expires: Some(end) }))
}
