//! Making, changing and deleting an item: checked, permitted, and then done or proposed.

use mere_core::address::{Address, RelPath};
use mere_core::digest::Sha256;
use mere_core::gate::Gate;
use mere_core::item::integrity::FileDigest;
use mere_core::item::{self, CategoryBase, ItemRef, ItemType, Scope, ScopedPath};
use mere_core::reply::{Data, Draft, Fields, Prose, codes};
use mere_core::request::{Execute, ItemAction, ItemContent, LookupScope, Reader, Secret};
use mere_core::spoken::Spoken;
use mere_core::turn::OutputStream;

use super::belongings::{belongings, whole, whole_of};
use super::find::{find, is_shown};
use super::keep::delete_memory;
use super::place::{Placing, apply};
use super::prospect::{Prospect, form_of, in_space};
use super::run::run;
use super::{ItemError, Standing, Stock, Unmade, proposal};
use crate::config::{AgentsConfig, RunConfig};
use crate::context::Context;
use crate::court::TrustPolicy;
use crate::enforce::{self, ChangeRoute, ExpectedState, ItemChange, ItemOperation, SignatureState};
use crate::read::open_visible_file;
use crate::search::Kit;
use crate::seen::{RedactedText, RedactionConflict, SecretDisplay};
use crate::store::{ItemRules, StoreCall};
use crate::tool_error::ToolError;
use crate::view::View;
use crate::world::VisibilityRef;
use mere_host::{CellPool, digest_file, none_if_missing, read_at_most};

/// What a change is made with.
pub(crate) struct Desk<'a> {
    pub(crate) view: &'a View<'a>,
    /// The gate that agents' answers pass, whoever asks.
    pub(crate) agent_gate: &'a Gate,
    pub(crate) stock: &'a Stock<'a>,
    pub(crate) context: &'a Context,
    pub(crate) agents: &'a AgentsConfig,
    /// By which rules items have categories.
    pub(crate) item_rules: &'a ItemRules,
    /// Whose signatures count.
    pub(crate) court: &'a TrustPolicy,
    pub(crate) who: Reader,
    /// For what is asked about memories.
    pub(crate) clerk: &'a StoreCall<'a>,
    /// The passphrase of the user's key, where a person gave it.
    pub(crate) unlock: Option<&'a Secret>,
    pub(crate) over: &'a dyn Fn() -> bool,
    /// What is searched with.
    pub(crate) search: Kit<'a>,
    /// Tells how far a long command is: of how many, how many are done.
    pub(crate) progress: &'a dyn Fn(u64, u64),
    /// Tells what a running tool says, and after how many milliseconds.
    pub(crate) heard: &'a dyn Fn(u64, Prose),
    /// Passes it on to a person as it comes.
    pub(crate) said: &'a dyn Fn(OutputStream, &Prose),
    /// How tools are run.
    pub(crate) running: &'a RunConfig,
    /// Where they are.
    pub(crate) cells: &'a CellPool,
}

impl Desk<'_> {
    /// The scope that is meant: in the home folder the project's space is the user's own.
    pub(crate) fn scope(&self, said: Scope) -> Scope {
        if said == Scope::Project && self.context.is_home() { Scope::User } else { said }
    }

    /// The same for where an item is looked for.
    pub(crate) fn source(&self, said: LookupScope) -> LookupScope {
        match said {
            LookupScope::Only(scope) => LookupScope::Only(self.scope(scope)),
            wide => wide,
        }
    }
}

/// Whether a change is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Really,
    Dry,
}

/// Does what `execute` asks for.
pub(crate) fn execute(desk: &Desk<'_>, call: &Execute) -> Result<Draft, ToolError> {
    let mode = if call.dry_run { Mode::Dry } else { Mode::Really };
    if let ItemAction::Run { parameters } = &call.action {
        return run(desk, call, parameters);
    }
    if let (ItemType::Memory, Reader::Person, ItemAction::Delete { .. }) =
        (call.kind, desk.who, &call.action)
    {
        return delete_memory(desk, (&call.item, desk.source(call.source)), mode);
    }
    let usual = matches!(call.kind, ItemType::Directive | ItemType::Tool | ItemType::Knowledge);
    let deletes = desk.who == Reader::Person && matches!(call.action, ItemAction::Delete { .. });
    if !usual && !deletes {
        return Err(Unmade::NotMade(call.kind).into());
    }
    match &call.action {
        ItemAction::Run { .. } => Err(ItemError::NotRun(call.kind).into()),
        ItemAction::Create(text) => create(desk, call, text, mode),
        ItemAction::Update { content: text, expect } => update(desk, call, text, (*expect, mode)),
        ItemAction::Delete { expect } => delete(desk, call, *expect, mode),
    }
}

/// Makes a new item.
fn create(
    desk: &Desk<'_>,
    call: &Execute,
    text: &ItemContent,
    mode: Mode,
) -> Result<Draft, ToolError> {
    let form = form_of(call.kind, call.item.id.as_str(), text);
    let place = in_space(desk.scope(Scope::Project), call.kind, &call.item, form);
    check_arrival(desk, &place)?;
    let prospect = Prospect::new((desk.stock, desk.view), place, text)?;
    put(desk, prospect, ExpectedState::Nothing, mode)
}

fn update(
    desk: &Desk<'_>,
    call: &Execute,
    text: &ItemContent,
    (expect, mode): (Option<Sha256>, Mode),
) -> Result<Draft, ToolError> {
    let place =
        find(desk.stock, desk.view, (call.kind, &call.item), desk.source(call.source))?.place;
    let current = Current::main(desk, &place)?;
    current.check(expect)?;
    let whole = current.whole(&place)?;
    let kept = current.others(&place);
    let prospect = Prospect::new((desk.stock, desk.view), place, text)?;
    let content = current.meant(desk, &text.main_file)?;
    let meant = ItemContent {
        main_file: content,
        files: others_meant(desk, &current.address, &text.files)?,
    };
    let prospect = prospect.meaning(&meant, &kept)?;
    put(desk, prospect, ExpectedState::Whole(whole), mode)
}

/// The other files that are meant by someone who saw those that are there masked and rewritten.
fn others_meant(
    desk: &Desk<'_>,
    main: &Address,
    files: &[(RelPath, String)],
) -> Result<Vec<(RelPath, String)>, ToolError> {
    let folder = main.path().split_last().map(|(folder, _)| folder).unwrap_or_default();
    let meant = files.iter().map(|(path, content)| {
        let address = Address::file(main.root().clone(), folder.join_path(path));
        if !desk.view.world.may_show(&address) {
            return Err(Unmade::Files("files whose names are not sensitive").into());
        }
        let content = match Current::read(desk, address) {
            Ok(current) => current.meant(desk, content)?,
            // A new one: nobody saw it as anything else.
            Err(ToolError::Path(_)) => content.clone(),
            Err(error) => return Err(error),
        };
        Ok((path.clone(), content))
    });
    meant.collect()
}

fn delete(
    desk: &Desk<'_>,
    call: &Execute,
    expect: Option<Sha256>,
    mode: Mode,
) -> Result<Draft, ToolError> {
    let place =
        find(desk.stock, desk.view, (call.kind, &call.item), desk.source(call.source))?.place;
    let current = Current::main(desk, &place)?;
    current.check(expect)?;
    let address = current.address.clone();
    let how = ItemOperation::Remove { whole: current.whole(&place)? };
    let change = ItemChange { place, operation: how };
    let told = Told { address, integrity: None, warnings: Vec::new(), done: "deleted" };
    settle(desk, change, told, mode)
}

/// Settles that an item is to be so.
pub(crate) fn put(
    desk: &Desk<'_>,
    prospect: Prospect,
    before: ExpectedState,
    mode: Mode,
) -> Result<Draft, ToolError> {
    let Prospect { place, address, files, integrity, warnings } = prospect;
    let done = if before == ExpectedState::Nothing { "created" } else { "changed" };
    let change = ItemChange { place, operation: ItemOperation::Put { files, before } };
    settle(desk, change, Told { address, integrity, warnings, done }, mode)
}

/// What the answer tells.
struct Told {
    address: Address,
    integrity: Option<Sha256>,
    warnings: Vec<mere_core::reply::Content>,
    done: &'static str,
}

/// Asks policy, and does it, proposes it, or says what would be done.
fn settle(desk: &Desk<'_>, change: ItemChange, told: Told, mode: Mode) -> Result<Draft, ToolError> {
    let sealing = sealing(desk, &change.place);
    let permit = enforce::permit_item(desk.who, desk.agents, change, sealing);
    let way = permit.route();
    let proposal = match (mode, way) {
        (Mode::Dry, _) => None,
        (Mode::Really, ChangeRoute::Direct) => {
            apply(permit, &Placing { context: desk.context, over: desk.over })?;
            None
        }
        (Mode::Really, ChangeRoute::Propose) => Some(proposal::keep(desk, permit)?),
    };
    let address = told.address.clone();
    let data = Fields::default()
        .with("address", told.address)
        .with_some("proposal", proposal.clone())
        .with_some("dry_run", (mode == Mode::Dry).then_some(true))
        .with("integrity", told.integrity)
        .with("trust", Standing::Unsigned.told())
        .with("validation_warnings", told.warnings.into_iter().map(Data::from).collect::<Data>());
    let subject = Prose::words("").address(address);
    Ok(match (mode, proposal) {
        (Mode::Dry, _) => {
            let done = told.done;
            let words = match way {
                ChangeRoute::Direct => format!(" would be {done}. Nothing was changed: a dry run."),
                ChangeRoute::Propose => {
                    format!(" would be proposed to be {done}. Nothing was changed.")
                }
            };
            Draft::success(codes::CHANGE_DRY, subject.and(words)).data(data)
        }
        (Mode::Really, None) => {
            let message = subject.and(format!(" was {}.", told.done));
            Draft::success(codes::CHANGE_DONE, message).data(data)
        }
        (Mode::Really, Some(proposal)) => {
            let message = Prose::words("The change is proposed: ").address(proposal).and(".");
            Draft::success(codes::CHANGE_PROPOSED, message)
                .hint("Nothing else was changed. A person accepts it with `mere review`.")
                .data(data)
        }
    })
}

/// Whether a signature lies beside an item. What cannot be found out counts as signed.
pub(super) fn sealing(desk: &Desk<'_>, place: &ScopedPath) -> SignatureState {
    let main = place.address().map(|address| desk.view.resolve(&Spoken::Rooted(address)));
    let Some(Ok(main)) = main else { return SignatureState::Unsigned };
    let name = place.sidecar_name().unwrap_or_default();
    let there = main.parent_folder().map(|folder| none_if_missing(folder.symlink_metadata(name)));
    match there {
        None | Some(Ok(None)) => SignatureState::Unsigned,
        Some(Ok(Some(_)) | Err(_)) => SignatureState::Signed,
    }
}

/// Whether an item may come to lie at a place: its category may be there, and its name is taken by
/// no item of either form, nor by anything else.
pub(crate) fn check_arrival(desk: &Desk<'_>, place: &ScopedPath) -> Result<(), ToolError> {
    let address = place.address().ok_or(Unmade::Place)?;
    let inside = desk.stock.space(place.scope).map(|space| space.is_inside_an_item(place));
    let inside = inside.transpose().map_err(ItemError::Unsearchable)?.unwrap_or_default();
    if inside || !is_shown(desk.view, place) {
        return Err(Unmade::Place.into());
    }
    check_category(desk, place)?;
    let item = ItemRef {
        category: Some(place.category.clone()),
        id: place.id.clone(),
        version: place.version.clone(),
    };
    let there = desk.stock.candidates(place.scope, place.kind, &item);
    match there.map_err(ItemError::Unsearchable)?.first() {
        None => Ok(()),
        Some(there) => Err(Unmade::Taken(there.address().unwrap_or(address)).into()),
    }
}

/// Whether items of that type may have that category.
fn check_category(desk: &Desk<'_>, place: &ScopedPath) -> Result<(), ToolError> {
    if place.base != CategoryBase::Space {
        return Ok(());
    }
    let space = desk.stock.space(place.scope).and_then(|space| space.folder());
    let folder = space.map(|space| space.subfolder(place.kind.folder())).transpose();
    let folder = folder.map_err(ItemError::Unsearchable)?.flatten();
    let folder = folder.as_ref().map(|folder| &**folder.dir());
    Ok(desk.item_rules.check_category(place, folder)?)
}

/// A file of an item as it is, right or wrong: what is broken can be mended.
struct Current {
    address: Address,
    file: VisibilityRef,
    /// What it holds, unless that is more than an item can.
    bytes: Option<Vec<u8>>,
    sha256: Sha256,
}

impl Current {
    fn main(desk: &Desk<'_>, place: &ScopedPath) -> Result<Self, ToolError> {
        Self::read(desk, place.address().ok_or(Unmade::Place)?)
    }

    fn read(desk: &Desk<'_>, address: Address) -> Result<Self, ToolError> {
        let file = desk.view.resolve(&Spoken::Rooted(address.clone()))?;
        let unreadable = |cause| ToolError::unreadable(&address, cause);
        let bytes = read_at_most(open_visible_file(&file)?, item::MAX_ITEM_BYTES as u64)
            .map_err(unreadable)?;
        let sha256 = match &bytes {
            Some(bytes) => Sha256::digest(bytes),
            None => digest_file(open_visible_file(&file)?).map_err(unreadable)?,
        };
        Ok(Self { address, file, bytes, sha256 })
    }

    /// One digest of all that the item is whose main file this is.
    fn whole(&self, place: &ScopedPath) -> Result<Sha256, ToolError> {
        let unreadable = |cause| ToolError::unreadable(&self.address, cause);
        match self.file.parent_folder() {
            Some(folder) => whole(self.sha256, folder, place).map_err(unreadable),
            None => Ok(whole_of(self.sha256, &[])),
        }
    }

    /// The other files of the item whose main file this is, as far as they can be told.
    fn others(&self, place: &ScopedPath) -> Vec<FileDigest> {
        let others = self.file.parent_folder().map(|folder| belongings(folder, place));
        others.and_then(Result::ok).unwrap_or_default()
    }

    fn check(&self, expect: Option<Sha256>) -> Result<(), Unmade> {
        if expect.is_none_or(|expected| expected == self.sha256) {
            return Ok(());
        }
        Err(Unmade::Stale { address: self.address.clone(), current: Some(self.sha256) })
    }

    /// The content that is meant by someone who saw this one masked and rewritten.
    fn meant(&self, desk: &Desk<'_>, content: &str) -> Result<String, ToolError> {
        let text = self.bytes.as_deref().map(str::from_utf8);
        let Some(Ok(text)) = text else { return Ok(content.to_owned()) };
        let confirmed = desk.view.world.is_confirmed_at(&self.address);
        let secrets = if confirmed { SecretDisplay::Shown } else { SecretDisplay::Masked };
        let obscured = |RedactionConflict| Unmade::Obscured(self.address.clone());
        if desk.who == Reader::Person {
            return Ok(content.to_owned());
        }
        let seen =
            RedactedText::new(text, secrets, desk.view.gate, desk.view.agent).map_err(obscured)?;
        Ok(seen.rewrite(content).map_err(obscured)?)
    }
}
