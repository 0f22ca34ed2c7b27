//! Who signed a version, and where it is in the log.

use mere_core::log::SignedCheckpoint;
use mere_pages::{Href, Html, Tag, Tone, badge, definition_list, element, link};

use super::item::{ShownVersion, day};
use super::{PageRequest, site};
use crate::error::RegistryError;

impl PageRequest<'_> {
    /// Shows the signer and the log of a version.
    pub(super) fn facts(&self, shown: &ShownVersion) -> Result<Html, RegistryError> {
        let signing = element(Tag::Section).class("panel").with(element(Tag::H2).with("Signature"));
        let signing = signing.with(shown.signature());
        let logged = element(Tag::Section).class("panel").with(element(Tag::H2).with("Log"));
        Ok(Html::from(signing).with(logged.with(self.log_facts(shown)?)))
    }

    fn log_facts(&self, shown: &ShownVersion) -> Result<Html, RegistryError> {
        let checkpoint = SignedCheckpoint::parse(self.registry.checkpoint()?.as_bytes());
        let checkpoint = checkpoint.map_err(|_| RegistryError::Log("its checkpoint is damaged"))?;
        let head = checkpoint.checkpoint().head();
        let index = shown.info.published.index;
        let yanked = shown.info.yanked.as_ref().map(|event| format!("entry {}", event.index));
        let root = element(Tag::Span).class("digest").with(head.root.to_string());
        let record = shown.info.record.digest().to_string();
        let record = element(Tag::Span).class("digest").with(record);
        let proof = link(&Href::page(&["log", "checkpoint"]), "signed checkpoint");
        let facts = definition_list([
            ("Published", format!("entry {index} of {}, counted from 0", head.size).into()),
            ("Yanked", yanked.into()),
            ("Digest of the record", record.into()),
            ("Root of the tree", root.into()),
            ("Proof", proof.into()),
        ]);
        let note = "mere pull checks the entry, the checkpoint and the signature by itself, and does \
                    not have to believe this page.";
        let note = element(Tag::P).class("quiet small").with(note);
        Ok(facts.with(self.inclusion(index, &head)?).with(note))
    }
}

impl ShownVersion {
    fn signature(&self) -> Html {
        let envelope = &self.info.record.statement;
        let keys = &self.namespace.keys;
        let signer = keys.iter().find(|key| envelope.is_signed_by(&key.public_key));
        let verdict = match signer {
            Some(_) => badge(Tone::Good, "valid signature"),
            None => badge(Tone::Attention, "signed by a former key"),
        };
        let key = match signer {
            Some(key) => Some(key.fingerprint.to_string()),
            None => envelope.signatures().first().map(|mark| mark.key.to_string()),
        };
        let key = element(Tag::Span).class("digest").with(key);
        let namespace = &self.name.item.namespace;
        let integrity = self.statement.integrity.to_string();
        let integrity = element(Tag::Span).class("digest").with(integrity);
        definition_list([
            ("Verification", verdict.into()),
            ("Author", link(&site::namespace_href(namespace), namespace.as_str()).into()),
            ("Key", key.into()),
            ("Signed on", day(&self.statement.created.to_string()).into()),
            ("Canonical hash", integrity.into()),
        ])
    }
}
