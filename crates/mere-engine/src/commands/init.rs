//! `mere init`: creates a space with one working example of each type.
//!
//! It is safe to repeat: existing files stay as they are, and only a new space gets examples.

use mere_core::address::{Address, RelPath, Root};
use mere_core::chain::{Chain, ChainTool, builtin, lock};
use mere_core::digest::Sha256;
use mere_core::item::integrity::FileDigest;
use mere_core::item::{CategoryBase, ItemForm, ItemType, Scope, ScopedPath, ToolManifest};
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_core::request::{GitHook, InitSpace, StarterItems};
use mere_core::trust::PublicKey;

use super::CommandCall;
use super::example_items::{EXAMPLE_TOOL, EXAMPLES, item_files};
use super::git::{attributes, install_merge_driver};
use super::signature_rule::{RuleOutcome, SignaturePlan};
use crate::config;
use crate::error::tool_error::ToolError;
use crate::items::item_signer::ItemSigner;
use crate::items::relocation::load_from_files;
use crate::items::signed_texts::keep_signed_text;
use crate::items::{ItemCall, ItemError};
use crate::policy::SigningReason;
use crate::space::ItemChangeError;
use crate::space::git_attributes::with_line_end;
use crate::trust::keys::KeyFault;
use crate::trust::{keys, project_key};
use crate::world::Context;
use mere_host::{
    FolderWriter, GITIGNORE_PATTERNS, GitRepository, HookInstallation, SPACE_FOLDER,
    WritePrecondition, has_terminal, read_at_most,
};

/// The commands to try first.
const NEXT_COMMANDS: [&str; 3] =
    ["mere list", "mere run hello_tool --param name=Ada", "mere show knowledge how-items-work"];

/// The commands to try first in a space without examples.
const NEXT_COMMANDS_WITHOUT_EXAMPLES: [&str; 3] =
    ["mere new skill code-review", "mere new note my-first", "mere list"];

/// The same in the user's own space.
const NEXT_COMMANDS_FOR_USER: [&str; 3] =
    ["mere new skill code-review --user", "mere new note my-first --user", "mere list"];

/// Says that an existing space requires signatures now.
const NOW_REQUIRED: &str = " is a space in which agents may now use directives, tools and lockfiles \
    only if they are signed.";

/// Creates the space of a scope.
pub(super) fn init(call: &CommandCall<'_>, request: InitSpace) -> Result<Draft, ToolError> {
    let scope = call.change.effective_scope(request.scope);
    let address = space_address(scope)?;
    let failed = |cause| ItemChangeError::WriteFailed { address: address.clone(), cause };
    let plan = match SignaturePlan::new(call, request.signatures, scope)? {
        Ok(plan) => plan,
        Err(refusal) => return Ok(refusal),
    };
    check_where(call.change.context, scope, request.hook)?;
    let (key_made, signer) = unlock_or_make_key(call.change)?;
    let mut new_space = NewSpace::begin(call.change, scope).map_err(failed)?;
    if project_key::space_format(new_space.editing.dir()) > project_key::SPACE_FORMAT {
        return Err(ItemChangeError::NewerFormat.into());
    }
    let is_new = new_space.write_space_file(call.change.context).map_err(failed)?;
    let is_new = is_new.ok_or(ItemChangeError::NoSpaceId)?;
    new_space.write_gitignore().map_err(failed)?;
    let config = match scope {
        Scope::User => include_str!("examples/user-config.yaml"),
        _ => include_str!("examples/config.yaml"),
    };
    new_space.put_file(config::FILE, config).map_err(failed)?;
    let rule = plan.apply(&new_space.editing).map_err(failed)?;
    if scope == Scope::Project && attributes::keep_bytes(call.change).map_err(failed)? {
        new_space.note_attributes();
    }
    let next = if is_new && request.example == StarterItems::OneOfEach {
        new_space.write_examples(call.change.context, signer.as_ref())?;
        NEXT_COMMANDS
    } else {
        next_commands_without_examples(scope)
    };
    let hook = match request.hook {
        GitHook::Install => Some(set_up_git(call, &mut new_space)?),
        GitHook::Leave => None,
    };
    let categories = create_categories(call)?;
    let is_unchanged = new_space.created.is_empty() && categories.is_empty();
    let made = new_space.created.iter().filter_map(|path| address_in(&address, path));
    let made = made.chain(categories).map(Data::from);
    let data = Fields::default()
        .with("space", address.clone())
        .with("space_id", Data::Words(new_space.space_id.clone().into()))
        .with_some("key", signer.map(|signer| Content::mention(signer.fingerprint().to_string())))
        .with_some("key_made", key_made.map(|_| true))
        .with_some("git_hook", hook)
        .with("made", made.collect::<Data>())
        .with("next", next.into_iter().map(Data::from).collect::<Data>());
    let (code, words) = match (is_new, &rule) {
        (true, _) => (codes::INIT, " is now a space."),
        (false, RuleOutcome::Added) => (codes::INIT_AGAIN, NOW_REQUIRED),
        (false, _) if is_unchanged => (codes::INIT_AGAIN, unchanged_words(request.hook)),
        (false, _) => (codes::INIT_AGAIN, " is already a space; missing files were added."),
    };
    let draft = Draft::success(code, Prose::words("").address(address).and(words)).data(data);
    Ok(rule.hint().into_iter().fold(draft, Draft::hint))
}

fn next_commands_without_examples(scope: Scope) -> [&'static str; 3] {
    match scope {
        Scope::User => NEXT_COMMANDS_FOR_USER,
        Scope::Project | Scope::Registry => NEXT_COMMANDS_WITHOUT_EXAMPLES,
    }
}

/// Says that the space was there. The hook is not in it, so what became of that is said apart.
fn unchanged_words(hook: GitHook) -> &'static str {
    match hook {
        GitHook::Install => " is already a space.",
        GitHook::Leave => " is already a space; nothing was changed.",
    }
}

/// Returns the address of the space of a scope.
fn space_address(scope: Scope) -> Result<Address, ItemChangeError> {
    if scope == Scope::User {
        return Ok(Address::directory(Root::User, RelPath::default()));
    }
    let folder = RelPath::default().child(SPACE_FOLDER).ok_or(ItemChangeError::InvalidPlace)?;
    Ok(Address::directory(Root::Project, folder))
}

/// Creates the categories that the configuration names, and returns those that were missing.
fn create_categories(call: &CommandCall<'_>) -> Result<Vec<Address>, ToolError> {
    let mut made = call.store_call.stores.create_categories(call.change.context)?;
    made.extend(call.change.item_rules.create_categories(call.change.context)?);
    Ok(made)
}

/// A space that is being created.
struct NewSpace {
    editing: FolderWriter,
    scope: Scope,
    space_id: String,
    /// The paths of the files that were missing before.
    created: Vec<String>,
}

impl NewSpace {
    fn begin(call: &ItemCall<'_>, scope: Scope) -> std::io::Result<Self> {
        let mut made = Vec::new();
        let folder = if scope == Scope::User {
            call.context.environment.make_user_space()?
        } else {
            // A new folder comes with its own `.gitignore`.
            let is_new = call.context.space()?.is_none();
            made.extend(is_new.then(|| ".gitignore".to_owned()));
            FolderWriter::make_space(call.context.project()?)?
        };
        let editing = FolderWriter::open(&folder, call.is_cancelled)?;
        let editing = editing.ok_or(std::io::ErrorKind::TimedOut)?;
        Ok(Self { editing, scope, space_id: String::new(), created: made })
    }

    /// Writes a file, unless something exists at its path.
    fn put_file(&mut self, path: &str, text: &str) -> std::io::Result<bool> {
        let at = path.parse::<RelPath>().map_err(|_| std::io::ErrorKind::InvalidInput)?;
        let new = !self.editing.has_path(&at)?
            && self.editing.put(&at, text.as_bytes(), WritePrecondition::Absent)?;
        if new {
            self.created.push(path.to_owned());
        }
        Ok(new)
    }

    /// Writes `space.json`, unless it exists, and returns whether it is new; `None` if it is there
    /// and says no id.
    fn write_space_file(&mut self, context: &Context) -> std::io::Result<Option<bool>> {
        let name = match self.scope {
            Scope::User => "user".to_owned(),
            _ => context.project()?.name(),
        };
        let Some((id, new)) = project_key::ensure_space_id(&self.editing, &name)? else {
            return Ok(None);
        };
        if new {
            self.created.push(config::SPACE_FILE.to_owned());
        }
        self.space_id = id;
        Ok(Some(new))
    }

    /// Notes that git's attributes were written.
    fn note_attributes(&mut self) {
        let file = "../.gitattributes";
        if !self.created.iter().any(|path| path == file) {
            self.created.push(file.to_owned());
        }
    }

    /// Adds the files to `.gitignore` that do not belong in the project's history.
    fn write_gitignore(&mut self) -> std::io::Result<()> {
        let path = ".gitignore".parse().map_err(|_| std::io::ErrorKind::InvalidInput)?;
        let old = self.read_text(".gitignore")?;
        // A file that cannot be read as text belongs to somebody else and is left alone.
        if old.is_none() && self.editing.has_path(&path)? {
            return Ok(());
        }
        let has = |line: &&str| old.as_deref().unwrap_or_default().lines().any(|one| one == *line);
        let missing =
            GITIGNORE_PATTERNS.iter().filter(|line| !has(line)).copied().collect::<Vec<_>>();
        if missing.is_empty() {
            return Ok(());
        }
        let added = missing.join("\n") + "\n";
        let text = with_line_end(old.unwrap_or_default()) + &added;
        self.editing.put(&path, text.as_bytes(), WritePrecondition::Any)?;
        self.created.push(".gitignore".to_owned());
        Ok(())
    }

    fn write_examples(
        &mut self,
        context: &Context,
        signer: Option<&ItemSigner>,
    ) -> Result<(), ToolError> {
        let space = space_address(self.scope)?;
        let lockfile = self.example_lockfile();
        let lockfile = lockfile.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        let files = EXAMPLES.into_iter().chain(lockfile).collect::<Vec<_>>();
        for (path, text) in &files {
            let sidecar = match signer {
                Some(signer) => {
                    keep_signed_text(context, text.as_bytes());
                    self.example_sidecar(signer, &files, path)?
                }
                None => None,
            };
            let written = (|| {
                if let Some((path, text)) = sidecar {
                    self.put_file(&path, &text)?;
                }
                self.put_file(path, text)
            })();
            written.map_err(|cause| match address_in(&space, path) {
                Some(address) => ItemChangeError::WriteFailed { address, cause },
                None => ItemChangeError::InvalidPlace,
            })?;
        }
        Ok(())
    }

    /// Returns the sidecar of the example whose main file has this path.
    fn example_sidecar(
        &self,
        signer: &ItemSigner,
        files: &[(&str, &str)],
        path: &str,
    ) -> Result<Option<(String, String)>, ToolError> {
        let at = path.parse().ok().and_then(|path| ScopedPath::from_space_path(self.scope, &path));
        let Some(place) = at.filter(|place| place.kind != ItemType::Memory) else {
            return Ok(None);
        };
        let (folder, _) = path.rsplit_once('/').unwrap_or_default();
        let own = item_files(files, &place, path).into_iter().map(|(name, text)| {
            Ok((name.parse().map_err(|_| ItemChangeError::InvalidPlace)?, text.as_bytes().to_vec()))
        });
        let own = own.collect::<Result<Vec<_>, ItemChangeError>>()?;
        let sidecar = signer.sign_item(&load_from_files(&own, &[], &place)?, &self.space_id)?;
        let name = place.sidecar_name().ok_or(ItemChangeError::InvalidPlace)?;
        let sidecar = String::from_utf8(sidecar).map_err(|_| ItemChangeError::InvalidPlace)?;
        Ok(Some((format!("{folder}/{name}"), sidecar)))
    }

    /// Returns the lockfile of the example tool, which pins its whole chain.
    fn example_lockfile(&self) -> Option<(String, String)> {
        let text = |ending: &str| {
            let name = format!("tools/examples/{EXAMPLE_TOOL}.{ending}");
            EXAMPLES.iter().find(|(path, _)| *path == name).map(|(_, text)| *text)
        };
        let (manifest, script) = (text("yaml")?, text("py")?);
        let place = ScopedPath {
            scope: self.scope,
            kind: ItemType::Tool,
            base: CategoryBase::Space,
            category: "examples".parse().ok()?,
            id: EXAMPLE_TOOL.parse().ok()?,
            version: None,
            form: ItemForm::Flat,
        };
        let tool = ToolManifest::parse(manifest, &place).ok()?;
        let script = FileDigest {
            path: format!("{EXAMPLE_TOOL}.py"),
            sha256: Sha256::digest(script.as_bytes()),
            size: script.len() as u64,
        };
        let integrity = tool.integrity(&place, &[script]);
        let mut members = vec![ChainTool::new(tool, &place, integrity)];
        while let Some(executor) = members.last()?.pin.executor.clone() {
            members.push(builtin::find(&executor)?);
        }
        let chain = Chain::new(members).ok()?;
        let version = Some(chain.leaf().pin.version.clone());
        let at = ScopedPath { kind: ItemType::Lockfile, version, ..place };
        let value = lock::build_lockfile(&chain, &at, &self.space_id);
        Some((at.main_file_path()?.to_string(), format!("{value:#}\n")))
    }

    fn read_text(&self, path: &str) -> std::io::Result<Option<String>> {
        let path = path.parse().map_err(|_| std::io::ErrorKind::InvalidInput)?;
        let Some(file) = self.editing.open_file(&path)? else { return Ok(None) };
        let bytes = read_at_most(file, 1024 * 1024)?;
        Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
    }
}

/// Unlocks the user's key, and creates one if the user has none. If the key is locked and nobody
/// can be asked, the examples stay unsigned.
fn unlock_or_make_key(
    call: &ItemCall<'_>,
) -> Result<(Option<PublicKey>, Option<ItemSigner>), ToolError> {
    let made = keys::generate_first(&call.context.environment).map_err(ItemError::Key)?;
    match ItemSigner::unlock(call, SigningReason::Examples) {
        Ok(signer) => Ok((made, Some(signer))),
        Err(error @ ItemError::Key(KeyFault::Locked(_))) if has_terminal() => Err(error.into()),
        Err(error @ ItemError::Key(KeyFault::WrongPassphrase(_))) => Err(error.into()),
        Err(error) => {
            tracing::warn!(%error, "the examples are not signed");
            Ok((made, None))
        }
    }
}

/// Lets git merge what is signed, and check what is committed.
fn set_up_git(call: &CommandCall<'_>, new_space: &mut NewSpace) -> Result<&'static str, ToolError> {
    let hook = install_hook(call.change.context)?;
    if install_merge_driver(call)?.attributes.is_some() {
        new_space.note_attributes();
    }
    Ok(hook)
}

/// Checks that there is a place for the space and for the hook, before even a key is made.
fn check_where(context: &Context, scope: Scope, hook: GitHook) -> Result<(), ToolError> {
    if scope == Scope::Project {
        context.project()?;
    }
    if hook == GitHook::Install {
        find_git(context)?;
    }
    Ok(())
}

fn find_git(context: &Context) -> Result<GitRepository<'_>, ToolError> {
    let git = GitRepository::discover(context.project()?);
    Ok(git.ok_or(ItemChangeError::NoGitRepository)?)
}

/// Installs a git hook that checks what is committed.
fn install_hook(context: &Context) -> Result<&'static str, ToolError> {
    let git = find_git(context)?;
    let hook = git.install_hook(include_str!("examples/pre-commit"));
    Ok(match hook.map_err(ItemChangeError::GitFailed)? {
        HookInstallation::Installed => "installed",
        HookInstallation::AlreadyInstalled => "already installed",
        HookInstallation::OtherHook => {
            "not installed: another hook exists; have it run `mere verify --staged`"
        }
        HookInstallation::SharedFolder => {
            "not installed: `core.hooksPath` is set; have that pre-commit hook run \
             `mere verify --staged`"
        }
    })
}

/// Returns the address of a created file, given its path relative to the space.
fn address_in(space: &Address, path: &str) -> Option<Address> {
    let (folder, path) = match path.strip_prefix("../") {
        Some(beside) => (RelPath::default(), beside),
        None => (space.path().clone(), path),
    };
    Some(Address::file(space.root().clone(), folder.join_path(&path.parse().ok()?)))
}
