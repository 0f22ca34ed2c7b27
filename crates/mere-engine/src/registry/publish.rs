//! Publishing an item: exactly the signed files, and the author's statement.
//!
//! Only what one's own key signed is published, and only after its files were looked through for what
//! must not leave the machine. A version counts as published once it is proved to be in the log.

use mere_core::address::Spoken;
use mere_core::gate::Gate;
use mere_core::registry::{
    ApiPath, Namespace, PublishRequest, RegistryItemName, RegistryType, VersionInfo,
};
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, Prose, codes};
use mere_core::request::{PublishItem, PublishMode};
use mere_core::trust::{Checked, Envelope, Sidecar};

use super::connection::PATIENCE;
use super::logins::{KnownRegistry, save_login};
use super::publish_check::{PublishFinding, check_files};
use super::{LogFault, OpenRegistry, RegistryChoice, RegistryError};
use crate::items::find::NamedItem;
use crate::items::relocation::read_verified_bytes;
use crate::items::{CheckedItem, ItemCall, ItemError, read_and_verify};
use crate::policy::{self, PublishPermit};
use crate::space::ItemChangeError;

/// What publishing needs.
pub(crate) struct PublishCall<'a> {
    pub(crate) choice: RegistryChoice<'a>,
    pub(crate) items: &'a ItemCall<'a>,
    /// The gate that replies to agents pass: it knows the folders of this machine.
    pub(crate) agent_gate: &'a Gate,
}

/// An item that can be published.
pub(super) struct OutgoingItem {
    pub(super) name: RegistryItemName,
    checked: CheckedItem,
    author: Envelope,
    /// The paths and the bytes of all files.
    pub(super) files: Vec<(String, Vec<u8>)>,
    /// What a person should look at.
    warnings: Vec<PublishFinding>,
}

/// Publishes an item, or shows what would be published.
pub(crate) fn publish(
    call: &PublishCall<'_>,
    request: &PublishItem,
) -> Result<Draft, RegistryError> {
    let permit = policy::permit_publish(call.items.items.reader, call.items.agents)
        .map_err(ItemChangeError::from)?;
    let known = call.choice.find()?;
    let namespace = request.namespace.clone().or_else(|| known.namespace.clone());
    let namespace = namespace.ok_or(RegistryError::NoNamespace)?;
    let outgoing = OutgoingItem::read(call, request, namespace)?;
    match request.mode {
        PublishMode::DryRun => Ok(outgoing.preview_reply(&known)),
        PublishMode::Send => {
            let registry = call.choice.open(PATIENCE)?;
            let index = outgoing.send(&registry, permit)?;
            remember_namespace(call, &known, &outgoing.name.namespace);
            Ok(outgoing.published_reply(index))
        }
    }
}

/// Remembers the namespace as the default of a login that has none.
fn remember_namespace(call: &PublishCall<'_>, known: &KnownRegistry, namespace: &Namespace) {
    if known.namespace.is_some() {
        return;
    }
    let known = KnownRegistry { namespace: Some(namespace.clone()), ..known.clone() };
    if let Err(error) = save_login(call.choice.environment, &known) {
        tracing::warn!(%error, "the namespace could not be remembered");
    }
}

impl OutgoingItem {
    /// Reads an item that one's own key signed, and looks through its files.
    pub(super) fn read(
        call: &PublishCall<'_>,
        request: &PublishItem,
        namespace: Namespace,
    ) -> Result<Self, RegistryError> {
        let items = &call.items.items;
        let kind = RegistryType::try_from(request.kind);
        let kind = kind.map_err(|_| RegistryError::UnsharedType(request.kind))?;
        let source = call.items.effective_source(request.source);
        let named = NamedItem { kind: request.kind, item: &request.item, source };
        let checked = read_and_verify(items, items.find(named)?.place)?;
        let loaded = checked.item();
        let not_own = || RegistryError::NotOwn(loaded.address.clone());
        let sidecar = loaded.sidecar.bytes().and_then(|bytes| Sidecar::parse(bytes).ok());
        let is_own = matches!(&checked, Checked::Verified(verified)
            if items.trust_policy.is_own_key(verified.signers().author.key));
        let sidecar = sidecar.filter(|_| is_own).ok_or_else(not_own)?;
        let main = items.view.resolve(&Spoken::Rooted(loaded.address.clone()));
        let main = main.map_err(ItemError::from)?;
        let folder = main.parent_folder().ok_or(ItemChangeError::InvalidPlace)?;
        let mut files = Vec::new();
        for file in loaded.all_files() {
            let bytes = read_verified_bytes(folder, &file);
            let bytes = bytes.map_err(|cause| ItemError::unreadable(&loaded.address, cause))?;
            files.push((file.path, bytes));
        }
        let texts = files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()));
        let findings = check_files(texts, call.agent_gate);
        let (refused, warnings) =
            findings.into_iter().partition::<Vec<_>, _>(|finding| finding.what.is_refused());
        if !refused.is_empty() {
            let address = loaded.address.clone();
            return Err(RegistryError::Private { address, findings: refused });
        }
        let name = RegistryItemName { kind, namespace, id: loaded.place.id.clone() };
        Ok(Self { name, author: sidecar.author, checked, files, warnings })
    }

    /// Sends the files and then the statement, and returns the index in the log once it is proved.
    pub(super) fn send(
        &self,
        registry: &OpenRegistry,
        _permit: PublishPermit,
    ) -> Result<u64, RegistryError> {
        let connection = &registry.connection;
        for (_, bytes) in &self.files {
            let digest = mere_core::digest::Sha256::digest(bytes);
            connection.put_bytes(&ApiPath::Blob(self.name.namespace.clone(), digest), bytes)?;
        }
        let path = self.version_path()?;
        let request = PublishRequest { statement: self.author.clone() };
        let info = connection.put_body::<_, VersionInfo>(&path, &request)?;
        let log = registry.read_log()?;
        let is_this = info.check_events().is_ok() && info.record.statement == self.author;
        let published = &info.published;
        match log.prove_entry(&published.disclosure, published.index)? {
            Some(_) if is_this => Ok(published.index),
            _ => Err(log.distrust(LogFault::Unlogged)),
        }
    }

    /// Returns the path of the version in the registry.
    pub(super) fn version_path(&self) -> Result<ApiPath, RegistryError> {
        let version = self.checked.item().item.version().cloned();
        let version = version.ok_or(RegistryError::NoVersion)?;
        Ok(ApiPath::Version(self.name.clone().with_version(version)))
    }

    fn fields(&self) -> Fields {
        let files = self.files.iter().map(|(path, bytes)| {
            let fields = Fields::default().with("path", Content::mention(path.clone()));
            Data::from(fields.with("size", bytes.len() as u64))
        });
        let loaded = self.checked.item();
        let signer = self.checked.signers().map(|signers| signers.author.key.to_string());
        let warnings = self.warnings.iter().map(|finding| {
            let words = format!("{}:{}: {}", finding.path, finding.line, finding.what.words());
            Data::from(Content::mention(words))
        });
        Fields::default()
            .with("item_type", self.name.kind.name())
            .with("ref", Content::mention(self.name.qualified_id().to_string()))
            .with("version", loaded.item.version().map(|one| Data::Words(one.to_string().into())))
            .with("address", loaded.address.clone())
            .with("category", ParsedName::from(&loaded.place.category))
            .with("signer", Content::mention(signer.unwrap_or_default()))
            .with("files", files.collect::<Data>())
            .with("warnings", warnings.collect::<Data>())
    }

    fn name_with_version(&self) -> Content {
        let version = self.checked.item().item.version().map(ToString::to_string);
        let name = format!("{}@{}", self.name.qualified_id(), version.unwrap_or_default());
        Content::mention(name)
    }

    fn preview_reply(&self, known: &KnownRegistry) -> Draft {
        let message = Prose::words("This would leave the machine as `")
            .content(self.name_with_version())
            .and("` for ")
            .content(Content::mention(known.url.to_string()))
            .and(".");
        Draft::success(codes::PUBLISH_PREVIEW, message)
            .data(self.fields())
            .hint("Nothing was sent. A version that was published cannot be changed or deleted.")
    }

    fn published_reply(&self, index: u64) -> Draft {
        let kind = self.name.kind.name();
        let message = Prose::words(format!("The {kind} `")).content(self.name_with_version());
        let message = message.and(format!("` is published, as entry {index} of the log."));
        Draft::success(codes::PUBLISHED, message).data(self.fields().with("index", index)).hint(
            "It cannot be changed or deleted. Ask a person to run `mere yank` to withdraw it.",
        )
    }
}
