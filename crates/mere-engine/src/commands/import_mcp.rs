//! `mere import-mcp`: makes tools of the tools of another MCP server.
//!
//! The server is a signed tool itself, so that it is asked for its tools like any tool is run: in
//! the sandbox, with what was granted to it and nothing else. What it says about its tools is shown
//! to a person, written, and signed; exactly what was shown, or nothing.

use std::cell::RefCell;
use std::collections::BTreeMap;

use mere_core::address::Address;
use mere_core::chain::Chain;
use mere_core::digest::Sha256;
use mere_core::item::{
    Item, ItemForm, ItemId, ItemRef, ItemType, Scope, ScopedPath, ToolPermissions, Version,
};
use mere_core::mcp::{McpServerAddress, RemoteTool, server_manifest, tool_manifest};
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, Prose, codes};
use mere_core::request::{ImportMcp, ImportStep, ItemContent, LockfilePolicy, UnsignedPolicy};
use serde_json::Map;

use super::CommandCall;
use crate::error::tool_error::ToolError;
use crate::files::view::count_phrase;
use crate::items::apply_permit::{WriteContext, apply_permit};
use crate::items::change::{ExecutionMode, permit_destination};
use crate::items::item_signer::{ItemSigner, ensure_space_id};
use crate::items::new_item::{NewItem, place_in_space};
use crate::items::relocation::{add_signature, load_from_files};
use crate::items::tool_check::check_new_tool;
use crate::items::{CheckedItem, ItemCall, ItemError, read_and_verify};
use crate::policy::{self, ItemChange, SignatureState, SigningReason};
use crate::run::grants::{grant_state, grants_key};
use crate::run::{RunRequest, ShownChain, run_tool};
use crate::space::ItemChangeError;
use crate::trust::approvals::grants::{GrantRecord, record_grant};

/// Executes one step of an import.
pub(super) fn import_mcp(call: &CommandCall<'_>, request: &ImportMcp) -> Result<Draft, ToolError> {
    let scope = call.change.effective_scope(request.scope);
    match &request.step {
        ImportStep::AddServer { address, permissions } => {
            let place = place_in_space(scope, ItemType::Tool, &request.server, ItemForm::Flat);
            add_server(call.change, place, address, permissions)
        }
        ImportStep::Plan => match ImportPlan::make(call, &request.server, scope)? {
            Ok(plan) => Ok(plan.reply()),
            Err(refusal) => Ok(refusal),
        },
        ImportStep::Write { shown } => match ImportPlan::make(call, &request.server, scope)? {
            Ok(plan) if plan.digest() == *shown => plan.write(call),
            Ok(_) => Ok(Draft::fault(
                codes::IMPORT_UNSTABLE,
                "The server does not say the same about its tools as a moment ago. Nothing was \
                 written.",
            )
            .hint(
                "Try again. A server whose descriptions change with each start cannot be pinned.",
            )),
            Err(refusal) => Ok(refusal),
        },
    }
}

/// Writes and signs the manifest of a server, unless exactly this one is there.
fn add_server(
    call: &ItemCall<'_>,
    place: ScopedPath,
    address: &McpServerAddress,
    permissions: &ToolPermissions,
) -> Result<Draft, ToolError> {
    let text = server_manifest(&place, address, permissions);
    let file = place.address().ok_or(ItemChangeError::InvalidPlace)?;
    let category = Some(place.category.clone());
    let server = ItemRef { category, id: place.id.clone(), version: None };
    let there = call.items.sources.candidates(place.scope, ItemType::Tool, &server);
    let there = there.map_err(ItemError::Unsearchable)?.into_iter().next();
    let there = there.map(|there| read_and_verify(&call.items, there));
    let is_there = match there.transpose()? {
        Some(checked) if checked.item().text == text => true,
        Some(_) => return Err(ItemChangeError::AlreadyExists(file).into()),
        None => false,
    };
    if !is_there {
        let signer = ItemSigner::unlock(call, SigningReason::Requested)?;
        SignedManifest { place, text, replaced: None }.write(call, &signer)?;
    }
    let message = Prose::words("").address(file.clone());
    let message = message.and(if is_there { " is there already." } else { " is made and signed." });
    let data = Fields::default().with("address", file);
    Ok(Draft::success(codes::IMPORT_SERVER, message).data(data))
}

/// A manifest that is to be written and signed.
struct SignedManifest {
    place: ScopedPath,
    text: String,
    /// The digest of the item that it replaces.
    replaced: Option<Sha256>,
}

impl SignedManifest {
    /// Writes the manifest and its signature in one step.
    fn write(&self, call: &ItemCall<'_>, signer: &ItemSigner) -> Result<Address, ToolError> {
        let content = ItemContent { main_file: self.text.clone(), files: Vec::new() };
        let sources = (call.items.sources, call.items.view);
        check_new_tool(&call.items, &self.place, &content, &[])?;
        let new_item = NewItem::new(sources, self.place.clone(), &content)?;
        let space_id = ensure_space_id(call, &self.place)?;
        let loaded = load_from_files(&new_item.files, &[], &self.place)?;
        let files = add_signature(signer, &loaded, &space_id, new_item.files)?;
        let change = match self.replaced {
            None => ItemChange::create(permit_destination(call, self.place.clone())?, files),
            Some(digest) => ItemChange::replace(self.place.clone(), files, digest),
        };
        let permit =
            policy::permit_item(call.items.reader, call.agents, change, SignatureState::Unsigned);
        let (context, is_cancelled) = (call.context, call.is_cancelled);
        apply_permit(permit, &WriteContext { context, is_cancelled })?;
        Ok(new_item.address)
    }
}

/// What becomes of one tool of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ToolState {
    New,
    Changed,
    Unchanged,
}

impl ToolState {
    fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Changed => "changed",
            Self::Unchanged => "unchanged",
        }
    }
}

/// One tool of a server, as it would be written.
struct PlannedTool {
    name: String,
    state: ToolState,
    manifest: SignedManifest,
}

/// Everything that an import would write.
struct ImportPlan {
    server: Chain,
    tools: Vec<PlannedTool>,
    /// The tools that cannot be imported, and why.
    left: Vec<(String, String)>,
}

impl ImportPlan {
    /// Asks the server for its tools. The inner error is the reply if it does not answer.
    fn make(
        call: &CommandCall<'_>,
        server: &ItemRef,
        scope: Scope,
    ) -> Result<Result<Self, Draft>, ToolError> {
        let tools = RefCell::new(Vec::new());
        let parameters = Map::new();
        let request = RunRequest {
            item: server,
            parameters: (&parameters, &[]),
            locking: LockfilePolicy::Optional,
            unsigned: UnsignedPolicy::Refuse,
            mode: ExecutionMode::Real,
            replay: None,
            remote_tools: Some(&tools),
        };
        let chain = ShownChain::follow(call.items, server)?.chain().clone();
        if chain.server_index() != Some(0) {
            let message = Prose::words("The tool `").name(ParsedName::from(server));
            let draft = Draft::invalid(codes::IMPORT_NO_SERVER, message.and("` is not a server."));
            return Ok(Err(draft.hint("`tool_type: mcp_server` makes one of a tool.")));
        }
        let reply = run_tool(call.run, &request)?;
        let tools = tools.into_inner();
        if tools.is_empty() {
            return Ok(Err(reply));
        }
        let pin = &chain.leaf().pin;
        let mut plan = Self { server: chain.clone(), tools: Vec::new(), left: Vec::new() };
        let place = ScopedPath {
            scope,
            ..place_in_space(scope, ItemType::Tool, &pin.reference(), ItemForm::Flat)
        };
        for (tool, id) in plan.choose_ids(tools, &pin.id) {
            match plan_tool(call, &place, (&tool, id)) {
                Ok(planned) => plan.tools.push(planned),
                Err(why) => plan.left.push((tool.name().to_owned(), why)),
            }
        }
        Ok(Ok(plan))
    }

    /// Gives each tool an id. Tools whose names lead to the same id are left out, all of them.
    fn choose_ids(&mut self, tools: Vec<RemoteTool>, server: &ItemId) -> Vec<(RemoteTool, ItemId)> {
        let mut counts = BTreeMap::<ItemId, usize>::new();
        for id in tools.iter().filter_map(|tool| tool.item_id().ok()) {
            *counts.entry(id).or_default() += 1;
        }
        let mut chosen = Vec::new();
        for tool in tools {
            let why = match tool.item_id() {
                Err(error) => error.to_string(),
                Ok(id) if id == *server => "it has the name of the server itself".to_owned(),
                Ok(id) if counts.get(&id).is_some_and(|count| *count > 1) => {
                    format!("another tool of the server would have the same id, `{id}`")
                }
                Ok(id) => {
                    chosen.push((tool, id));
                    continue;
                }
            };
            self.left.push((tool.name().to_owned(), why));
        }
        chosen
    }

    /// Returns the digest of everything that would be written.
    fn digest(&self) -> Sha256 {
        let lines = self.tools.iter().map(|tool| {
            let address = tool.manifest.place.address().map(|one| one.to_string());
            let text = Sha256::digest(tool.manifest.text.as_bytes());
            format!("{} {text} {:?}\n", address.unwrap_or_default(), tool.manifest.replaced)
        });
        let pins = self.server.pins().map(|pin| format!("{} {}\n", pin.id, pin.integrity));
        Sha256::digest(lines.chain(pins).collect::<String>().as_bytes())
    }

    fn fields(&self) -> Fields {
        let tools = self.tools.iter().map(|tool| {
            Fields::default()
                .with("name", Content::mention(tool.name.clone()))
                .with("state", tool.state.word())
                .with_some("address", tool.manifest.place.address())
                .with("manifest", Content::body(tool.manifest.text.clone()))
        });
        let left = self.left.iter().map(|(name, why)| {
            Fields::default()
                .with("name", Content::mention(name.clone()))
                .with("why", Content::mention(why.clone()))
        });
        Fields::default()
            .with("server", ParsedName::from(&self.server.leaf().pin.reference()))
            .with("tools", tools.map(Data::from).collect::<Data>())
            .with("left", left.map(Data::from).collect::<Data>())
    }

    fn reply(&self) -> Draft {
        let count = self.tools.len() as u64;
        let message = count_phrase(count, "tool can be imported", "tools can be imported");
        let digest = Data::Words(self.digest().to_string().into());
        let data = self.fields().with("digest", digest);
        Draft::success(codes::IMPORT_PLAN, message.and(".")).data(data)
    }

    /// Writes and signs every tool that is new or has changed. What was granted to the server is
    /// granted to its new tools: it is the same server that is given it. A tool that was there
    /// keeps what a person has granted or revoked since.
    fn write(self, call: &CommandCall<'_>) -> Result<Draft, ToolError> {
        let signer = ItemSigner::unlock(call.change, SigningReason::Requested)?;
        let mut written = 0;
        for tool in self.tools.iter().filter(|tool| tool.state != ToolState::Unchanged) {
            tool.manifest.write(call.change, &signer)?;
            written += 1;
        }
        for tool in self.tools.iter().filter(|tool| tool.state == ToolState::New) {
            self.pass_grant_on(call, &tool.manifest.place)?;
        }
        let message = count_phrase(written, "tool was written", "tools were written");
        let draft = Draft::success(codes::IMPORTED, message.and(" and signed."));
        Ok(draft.data(self.fields()))
    }

    fn pass_grant_on(&self, call: &CommandCall<'_>, tool: &ScopedPath) -> Result<(), ToolError> {
        let granted = grant_state(call.run, &self.server)?.granted;
        let key = grants_key(call.run.context).map_err(ItemError::Unsearchable)?;
        let (Some(key), false) = (key, granted.is_empty()) else { return Ok(()) };
        let category = Some(tool.category.clone());
        let item = ItemRef { category, id: tool.id.clone(), version: None };
        let shown = ShownChain::follow(call.items, &item)?;
        let state = grant_state(call.run, shown.chain())?;
        let grant = state.granted.union(granted);
        let record = GrantRecord { tool: state.tool, grant };
        record_grant(&call.run.context.environment, &key, &record).map_err(ItemError::Record)?;
        Ok(())
    }
}

/// Plans what becomes of one tool, or says why it cannot be imported.
fn plan_tool(
    call: &CommandCall<'_>,
    server: &ScopedPath,
    (tool, id): (&RemoteTool, ItemId),
) -> Result<PlannedTool, String> {
    let category = match server.category.as_str() {
        "" => server.id.to_string(),
        category => format!("{category}/{}", server.id),
    };
    let category = category.parse().map_err(|_| "its category has too many levels".to_owned())?;
    let place = ScopedPath { category, id, ..server.clone() };
    let there = find_existing(call, &place)?;
    let (version, replaced) = match &there {
        None => (Version::new(1, 0, 0), None),
        Some(checked) => {
            let version = checked.item().item.version().cloned();
            let version = version.unwrap_or_else(|| Version::new(1, 0, 0));
            (version, Some(checked.item().item_digest()))
        }
    };
    let write = |version: &Version| tool_manifest(&place, &server.id, tool, version);
    let same = write(&version);
    let is_same = there.as_ref().is_some_and(|checked| checked.item().text == same);
    let (state, text) = match (&there, is_same) {
        (None, _) => (ToolState::New, same),
        (Some(_), true) => (ToolState::Unchanged, same),
        (Some(_), false) => (ToolState::Changed, write(&version.next_patch())),
    };
    let content = ItemContent { main_file: text.clone(), files: Vec::new() };
    let items = call.items;
    let checked = NewItem::new((items.sources, items.view), place.clone(), &content)
        .and_then(|_| check_new_tool(items, &place, &content, &[]));
    checked.map_err(|error| {
        let reply = crate::error::tool_error_reply(&error.into());
        reply.message().render_for_person()
    })?;
    let manifest = SignedManifest { place, text, replaced };
    Ok(PlannedTool { name: tool.name().to_owned(), state, manifest })
}

/// Finds the tool that was imported before. Anything else of its name is not replaced.
fn find_existing(
    call: &CommandCall<'_>,
    place: &ScopedPath,
) -> Result<Option<CheckedItem>, String> {
    let category = Some(place.category.clone());
    let item = ItemRef { category, id: place.id.clone(), version: None };
    let there = call.items.sources.candidates(place.scope, ItemType::Tool, &item);
    let taken = || "something else has its name".to_owned();
    let Some(there) = there.map_err(|error| error.to_string())?.into_iter().next() else {
        return Ok(None);
    };
    let checked = read_and_verify(call.items, there).map_err(|_| taken())?;
    let is_imported = checked.item().place == *place
        && matches!(&checked.item().item, Item::Tool(tool) if tool.tool_type == "mcp_tool");
    if is_imported { Ok(Some(checked)) } else { Err(taken()) }
}
