//! Installing an item that came from a registry: its place, its signature there, and its files.
//!
//! The author's statement is kept, and the user's key signs where the item lies and where it came
//! from. Everything is verified in memory, exactly as it would be on disk, before anything is
//! written.

use mere_core::address::{Address, RelPath, RepositoryName};
use mere_core::digest::Sha256;
use mere_core::item::{CategoryBase, ItemForm, ItemRef, ItemType, Scope, ScopedPath, Version};
use mere_core::request::Reader;
use mere_core::trust::{
    self, Checked, ClaimedTime, Envelope, FoundItem, Placement, RegistryOrigin, Sidecar,
    SidecarFile, Statement,
};
use serde_json::Value;

use super::RegistryError;
use super::install_journal::InstallJournal;
use crate::items::apply_permit::{WriteContext, apply_permit};
use crate::items::change::permit_destination;
use crate::items::item_signer::{ItemSigner, ensure_space_id};
use crate::items::new_item::main_file_name;
use crate::items::relocation::load_from_files;
use crate::items::signed_texts::keep_signed_text;
use crate::items::version_check::remember_versions;
use crate::items::{CheckedItem, ItemCall, ItemError, LoadedItem, read_and_verify};
use crate::policy::{self, Denied, SigningReason};
use crate::space::ItemChangeError;
use crate::trust::now;

/// An item of a registry whose signature, files and place in the log were checked.
pub(crate) struct FetchedItem {
    /// The author's signed statement.
    pub(crate) author: Envelope,
    pub(crate) statement: Statement,
    /// Its files, the main one last.
    pub(crate) files: Vec<(RelPath, Vec<u8>)>,
    pub(crate) origin: RegistryOrigin,
    /// The proof that it is in the registry's log.
    pub(crate) log_proof: Value,
    /// How the version was chosen.
    pub(crate) choice: VersionChoice,
}

/// How a version was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VersionChoice {
    /// It is the newest one.
    Newest,
    /// Somebody asked for it by number.
    Exact,
    /// The lockfile of the tool that runs on it pins it.
    Pinned,
}

/// What installing an item led to.
pub(crate) struct InstalledItem {
    pub(crate) place: ScopedPath,
    pub(crate) address: Address,
    pub(crate) version: Version,
    pub(crate) state: InstallState,
}

/// What was done with an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InstallState {
    New,
    Replaced,
    Unchanged,
}

impl InstallState {
    /// Returns the word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Replaced => "replaced",
            Self::Unchanged => "unchanged",
        }
    }
}

/// Returns the place of an item in a space, which its statement decides but for the scope.
pub(crate) fn installed_place(
    statement: &Statement,
    scope: Scope,
) -> Result<ScopedPath, RegistryError> {
    let version = (statement.kind == ItemType::Lockfile).then(|| statement.version.clone());
    let forms = [ItemForm::Flat, ItemForm::Folder].into_iter();
    let places = forms.map(|form| ScopedPath {
        scope,
        kind: statement.kind,
        base: CategoryBase::Space,
        category: statement.category.clone(),
        id: statement.id.clone(),
        version: version.clone(),
        form,
    });
    let has_main = |place: &ScopedPath| {
        let main = place.folder_and_file().map(|(_, name)| name);
        main.is_some_and(|main| statement.files.iter().any(|file| file.path == main))
    };
    let mut places = places.filter(has_main);
    let place = places.next().ok_or_else(|| content_error("it has no main file"))?;
    if let Some(file) = statement.files.iter().find(|file| !belongs_to(&place, &file.path)) {
        tracing::warn!(path = file.path, "a registry named a file that is not the item's");
        return Err(content_error("it has a file that cannot be part of such an item"));
    }
    Ok(place)
}

/// Checks whether a file can be one of an item's. Another name would be a file of another item.
fn belongs_to(place: &ScopedPath, path: &str) -> bool {
    let main = place.folder_and_file().map(|(_, name)| name).unwrap_or_default();
    let Ok(parsed) = path.parse::<RelPath>() else { return false };
    let is_sidecar = place.sidecar_name().as_deref() == Some(path);
    let stem = format!("{}.", place.id);
    match place.form {
        _ if path == main => true,
        _ if is_sidecar => false,
        ItemForm::Folder => {
            // A client of git, or of another program, acts on what it finds in such folders.
            RepositoryName::find_in(&parsed).is_none()
        }
        ItemForm::Flat => {
            place.kind == ItemType::Tool
                && path.starts_with(&stem)
                && parsed.names().count() == 1
                && !path.ends_with(mere_core::item::SIDECAR_SUFFIX)
        }
    }
}

/// Installs an item in a scope.
pub(crate) fn install(
    call: &ItemCall<'_>,
    fetched: &FetchedItem,
    scope: Scope,
) -> Result<InstalledItem, RegistryError> {
    let install =
        policy::permit_install(call.items.reader, call.agents).map_err(ItemChangeError::from)?;
    let place = installed_place(&fetched.statement, scope)?;
    let address = place.address().ok_or(ItemChangeError::InvalidPlace)?;
    let permitted = call.items.view.run.permit_write(&address);
    permitted.map_err(|refusal| ItemChangeError::from(Denied::from(refusal)))?;
    let existing = find_installed(call, &place)?;
    let existing = existing.map(|there| check_existing(call, fetched, there)).transpose()?;
    let done = |state| InstalledItem {
        place: place.clone(),
        address: address.clone(),
        version: fetched.statement.version.clone(),
        state,
    };
    if existing.as_ref().is_some_and(|existing| existing.is_same) {
        return Ok(done(InstallState::Unchanged));
    }
    check_age(call, fetched, &place)?;
    let reason = match call.items.reader {
        Reader::Person => SigningReason::Requested,
        Reader::Agent => SigningReason::Install(&install),
    };
    let signer = ItemSigner::unlock(call, reason)?;
    let space_id = ensure_space_id(call, &place)?;
    let files = SignedPlace { place: &place, space_id: &space_id }.sign(call, fetched, &signer)?;
    let write = WriteContext { context: call.context, is_cancelled: call.is_cancelled };
    let state = match existing {
        None => {
            let permit = install.spend(permit_destination(call, place.clone())?, files);
            apply_permit(permit, &write)?;
            InstallState::New
        }
        Some(existing) => {
            let environment = &call.context.environment;
            let journal = InstallJournal::begin(environment, &space_id, &place, &files)?;
            let permit = install.spend_on_update(place.clone(), files, existing.digest);
            let applied = apply_permit(permit, &write);
            if let Some(journal) = journal {
                journal.finish();
            }
            applied?;
            InstallState::Replaced
        }
    };
    note_installed(call, fetched, &signer, &place);
    Ok(done(state))
}

/// Finds the item that lies at a place.
fn find_installed(
    call: &ItemCall<'_>,
    place: &ScopedPath,
) -> Result<Option<ScopedPath>, RegistryError> {
    let (category, version) = (Some(place.category.clone()), place.version.clone());
    let item = ItemRef { category, id: place.id.clone(), version };
    let there = call.items.sources.candidates(place.scope, place.kind, &item);
    Ok(there.map_err(ItemError::Unsearchable)?.into_iter().next())
}

/// An item that may be replaced.
struct ReplaceableItem {
    digest: Sha256,
    /// Whether it is exactly what would be installed.
    is_same: bool,
}

/// Checks that the item at the place came from the same namespace of the same registry, and is
/// unchanged since.
fn check_existing(
    call: &ItemCall<'_>,
    fetched: &FetchedItem,
    there: ScopedPath,
) -> Result<ReplaceableItem, RegistryError> {
    let address = there.address().ok_or(ItemChangeError::InvalidPlace)?;
    let (kind, form) = (there.kind, there.form);
    let checked = match read_and_verify(&call.items, there) {
        Ok(checked) => checked,
        Err(ItemError::Broken(_)) => return Err(RegistryError::Changed(address)),
        Err(error) => return Err(error.into()),
    };
    let loaded = checked.item();
    let sidecar = loaded.sidecar.bytes().and_then(|bytes| Sidecar::parse(bytes).ok());
    let origin = sidecar.as_ref().and_then(|sidecar| sidecar.placement.origin.as_ref());
    let is_same_source = origin.is_some_and(|origin| {
        origin.registry_id == fetched.origin.registry_id
            && origin.namespace == fetched.origin.namespace
    });
    if !is_same_source {
        let namespace = origin.map(|origin| origin.namespace.clone());
        return Err(RegistryError::Taken { address, namespace });
    }
    if matches!(checked, Checked::Draft(_)) {
        return Err(RegistryError::Changed(address));
    }
    let same_form = installed_place(&fetched.statement, loaded.place.scope)?;
    if (same_form.kind, same_form.form) != (kind, form) {
        return Err(ItemChangeError::AlreadyExists(address).into());
    }
    let statement = sidecar.map(|sidecar| sidecar.placement.statement);
    let is_same = statement == Some(Sha256::digest(fetched.author.payload()))
        && matches!(checked, Checked::Verified(_));
    Ok(ReplaceableItem { digest: loaded.item_digest(), is_same })
}

/// Refuses a version that is older than one that was seen, unless somebody asked for it by number.
fn check_age(
    call: &ItemCall<'_>,
    fetched: &FetchedItem,
    place: &ScopedPath,
) -> Result<(), RegistryError> {
    let seen = call.items.trust_policy.seen_version(place);
    let seen = seen.map_err(|error| RegistryError::Unkept(error.to_string()))?;
    let version = &fetched.statement.version;
    match seen {
        Some(seen)
            if fetched.choice != VersionChoice::Exact && version.is_older_than(&seen.newest) =>
        {
            Err(RegistryError::Older { version: version.clone(), newest: seen.newest })
        }
        _ => Ok(()),
    }
}

/// A place in a space that an item is signed for.
struct SignedPlace<'a> {
    place: &'a ScopedPath,
    space_id: &'a str,
}

impl SignedPlace<'_> {
    /// Returns the files of an item at its place, the sidecar first and the main file last, verified as
    /// they would be on disk.
    fn sign(
        &self,
        call: &ItemCall<'_>,
        fetched: &FetchedItem,
        signer: &ItemSigner,
    ) -> Result<Vec<(RelPath, Vec<u8>)>, RegistryError> {
        let Self { place, space_id } = *self;
        let loaded = load_from_files(&fetched.files, &[], place)?;
        let unplaced = Placement {
            statement: Sha256::digest(fetched.author.payload()),
            scope: place.scope,
            space_id: space_id.to_owned(),
            base: Placement::base_name(place.kind, &place.base),
            origin: Some(fetched.origin.clone()),
            created: ClaimedTime::from_timestamp(now()),
        };
        let (author, statement) = (fetched.author.clone(), fetched.statement.clone());
        let mut unsigned = Sidecar::with_signed_statement(author, statement, unplaced);
        unsigned.log_proof = Some(fetched.log_proof.clone());
        let sidecar = signer.sign_placement(&unsigned, place, space_id)?;
        let checked = self.verify(call, loaded, &sidecar)?;
        if !matches!(checked, Checked::Verified(_)) {
            return Err(content_error("its signatures do not count at that place"));
        }
        let mut files = fetched.files.clone();
        for (_, bytes) in &files {
            keep_signed_text(call.context, bytes);
        }
        let name = place.sidecar_name().ok_or(ItemChangeError::InvalidPlace)?;
        files.insert(0, (name.parse().map_err(|_| ItemChangeError::InvalidPlace)?, sidecar));
        Ok(files)
    }

    /// Verifies an item that is not written yet.
    fn verify(
        &self,
        call: &ItemCall<'_>,
        loaded: LoadedItem,
        sidecar: &[u8],
    ) -> Result<CheckedItem, RegistryError> {
        let Self { place, space_id } = *self;
        let files = loaded.all_files();
        let sidecar = SidecarFile::Bytes(sidecar.to_vec());
        let found_item = FoundItem {
            path: place,
            space_id: Some(space_id),
            files: &files,
            sidecar: &sidecar,
            is_draft: false,
            now: now(),
        };
        let keyring = call.items.trust_policy.keyring(place.scope);
        let verified = trust::verify(&found_item, keyring, || {
            let claims = loaded.claims();
            Ok::<_, RegistryError>((loaded, claims))
        })?;
        verified.map_err(RegistryError::Signature)
    }
}

/// Remembers the version that was installed, and that a person accepts it if it is an older one.
fn note_installed(
    call: &ItemCall<'_>,
    fetched: &FetchedItem,
    signer: &ItemSigner,
    place: &ScopedPath,
) {
    let policy = call.items.trust_policy;
    remember_versions(policy, &[(place, &fetched.statement.version)]);
    if fetched.choice == VersionChoice::Exact && call.items.reader == Reader::Person {
        let statement = Sha256::digest(fetched.author.payload());
        if let Err(error) = policy.accept_version(place, statement, signer.permit()) {
            tracing::warn!(%error, "the accepted version could not be remembered");
        }
    }
}

/// Says what is wrong with an item of a registry.
pub(super) fn content_error(what: &str) -> RegistryError {
    RegistryError::Content(what.to_owned())
}

/// Returns the name of the main file of a place.
pub(super) fn main_file(place: &ScopedPath) -> Result<RelPath, RegistryError> {
    main_file_name(place).ok_or_else(|| ItemChangeError::InvalidPlace.into())
}
