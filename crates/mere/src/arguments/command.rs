//! The commands, in groups: each group is run by one part of `commands`.
//!
//! People do not see the groups. The commands of all groups are listed in this order in the help.

use clap::Subcommand;

use super::{
    AdoptArguments, AllowArguments, CallArguments, CallsArguments, CategoryArguments,
    ChainArguments, CompleteArguments, CompletionsArguments, ConfigArguments, ConnectArguments,
    CopyArguments, DeleteArguments, DoctorArguments, EditArguments, ExportArguments, GitArguments,
    GlobArguments, GrantArguments, GrantsArguments, GraphArguments, GrepArguments,
    ImportMcpArguments, IndexArguments, InitArguments, InstallArguments, JoinArguments,
    KeysArguments, LeaveArguments, ListArguments, LockArguments, LogArguments, LoginArguments,
    LogoutArguments, LsArguments, ManArguments, McpArguments, MemoryArguments, MirrorArguments,
    ModelArguments, MoveArguments, NewArguments, OutdatedArguments, PrepareArguments,
    PublishArguments, PullArguments, ReadArguments, RegistryArguments, RenameArguments,
    ReviewArguments, RevokeArguments, RunArguments, RunsArguments, SearchArguments,
    SecretArguments, ShowArguments, SignArguments, SpaceArguments, StoreArguments, TeamArguments,
    TortureArguments, TreeArguments, TrustArguments, UiArguments, UninstallArguments, UpArguments,
    UpdateArguments, VerifyArguments, WhereArguments, WhyArguments, WitnessArguments,
    WitnessCommand, WorkspaceArguments, YankArguments,
};

#[derive(Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Basic(BasicSubcommand),
    #[command(flatten)]
    Memory(MemorySubcommand),
    #[command(flatten)]
    Items(ItemSubcommand),
    #[command(flatten)]
    Signing(SigningSubcommand),
    #[command(flatten)]
    Tools(ToolSubcommand),
    #[command(flatten)]
    Sharing(SharingSubcommand),
    #[command(flatten)]
    Upkeep(UpkeepSubcommand),
    #[command(flatten)]
    Agents(AgentSubcommand),
    #[command(flatten)]
    Files(FileSubcommand),
    #[command(flatten)]
    Trust(TrustSubcommand),
    /// Serve a registry, and manage who may publish there
    Registry(Box<RegistryArguments>),
    /// Co-sign the checkpoints of registries, so that nobody is shown a history of their own
    Witness(Box<WitnessArguments>),
    /// Let git merge what is signed
    Git(GitArguments),
    /// Show where the project is and how it was found, and the address of a path
    Where(WhereArguments),
    /// Print the completions of a shell
    Completions(CompletionsArguments),
    /// Print what could be typed next, for the completions of a shell
    #[command(hide = true)]
    Complete(CompleteArguments),
    /// Print the manual page of `mere` or of one command
    Man(ManArguments),
    /// Remove what the program keeps on this machine
    Uninstall(UninstallArguments),
    /// Kill servers while they write, and count what is lost
    Torture(TortureArguments),
}

// What everybody begins with.
#[derive(Subcommand)]
pub(crate) enum BasicSubcommand {
    /// Report on what other programs keep, such as skills and notes, and take it over
    Adopt(AdoptArguments),
    /// Try everything: an example space, pages in a browser, a registry and MCP, on this machine
    Up(UpArguments),
    /// Create a space: the .ai folder that holds items
    Init(InitArguments),
    /// List the items of the project and of the user
    List(ListArguments),
    /// Find directives, tools, knowledge and memories
    ///
    /// Searches what they say and mean, in the project and in your own space. A query may have
    /// words, "a phrase", begin*, -without, tag:x, category:x and type:x; any text is a valid
    /// query.
    Search(Box<SearchArguments>),
    /// Show an item: its text, and who signed it
    Show(ShowArguments),
    /// Show the items, proposals, memories and runs of this project in a browser
    Ui(UiArguments),
}

// Memories, their categories and their stores.
#[derive(Subcommand)]
pub(crate) enum MemorySubcommand {
    /// Keep memories: short notes in a store
    ///
    /// A memory is a Markdown note at a path such as api/auth/tokens. Agents keep theirs in the
    /// same store, by the same rules.
    Memory(Box<MemoryArguments>),
    /// Manage the categories of a store
    ///
    /// A category is a folder of the store. The categories named in config.yaml are protected, and
    /// the store's mode says who may create others.
    Category(CategoryArguments),
    /// Manage memory stores
    ///
    /// A store is a folder of memories. config.yaml names the stores and says how strict their
    /// categories are.
    Store(StoreArguments),
}

// Changes to one item.
#[derive(Subcommand)]
pub(crate) enum ItemSubcommand {
    /// Create an item from a template
    New(NewArguments),
    /// Copy an item between your own space and the project's
    Copy(CopyArguments),
    /// Move an item to another category
    Move(MoveArguments),
    /// Rename an item
    Rename(RenameArguments),
    /// Delete an item
    Delete(DeleteArguments),
    /// Show everything a name could mean, and which item wins
    Why(WhyArguments),
    /// Show who signed an item, what, and when
    Log(LogArguments),
    /// Write directives in the format of another program
    Export(ExportArguments),
}

// Signatures, and the changes that agents propose.
#[derive(Subcommand)]
pub(crate) enum SigningSubcommand {
    /// Sign items, after showing what has changed
    Sign(SignArguments),
    /// Check that items are unchanged and are where they were signed for
    Verify(VerifyArguments),
    /// Work on an item for a while
    ///
    /// While an item is a draft, its content may change but its location may not.
    #[command(after_help = "Example:
  mere draft directive release/deploy     for 12 hours, or until `mere sign`")]
    Draft(EditArguments),
    /// Edit an item and sign it
    ///
    /// Opens `VISUAL` or `EDITOR`, and signs the item when the editor closes.
    #[command(after_help = "Example:
  mere edit note style")]
    Edit(EditArguments),
    /// Review the changes that agents propose
    Review(ReviewArguments),
}

// Running tools.
#[derive(Subcommand)]
pub(crate) enum ToolSubcommand {
    /// Run a tool in a sandbox
    Run(RunArguments),
    /// List what was run and refused; show, check, export and repeat it
    Runs(RunsArguments),
    /// Show the chain of tools that runs a tool, and its config
    Chain(ChainArguments),
    /// Grant a tool what it asks for: the project, hosts, secrets
    Grant(GrantArguments),
    /// List what was granted to tools in this project
    Grants(GrantsArguments),
    /// Take back what was granted to a tool
    Revoke(RevokeArguments),
    /// Pin everything that a tool runs on
    Lock(LockArguments),
    /// Fetch the packages that a tool needs
    Prepare(PrepareArguments),
    /// Make tools of the tools of another MCP server
    ImportMcp(ImportMcpArguments),
}

// Sharing items through a registry.
#[derive(Subcommand)]
pub(crate) enum SharingSubcommand {
    /// Log in to a registry, after showing the key that signs its log
    Login(LoginArguments),
    /// Forget the token of a registry
    Logout(LogoutArguments),
    /// Publish an item that you signed
    Publish(PublishArguments),
    /// Install an item from a registry
    Pull(PullArguments),
    /// Install the newer versions of installed items
    Update(UpdateArguments),
    /// List the installed items that have a newer version
    Outdated(OutdatedArguments),
    /// Withdraw a version that you published
    Yank(YankArguments),
    /// Copy a registry into a folder that serves as one
    Mirror(MirrorArguments),
}

// Looking after the spaces and what is derived from them.
#[derive(Subcommand)]
pub(crate) enum UpkeepSubcommand {
    /// Draw how knowledge entries are linked, or check their links
    Graph(GraphArguments),
    /// Check everything, and say how to fix it
    Doctor(DoctorArguments),
    /// Write or check the index of items
    Index(IndexArguments),
    /// Manage the models that search by meaning uses
    Model(ModelArguments),
    /// Check the configuration
    Config(ConfigArguments),
    /// Give a copied space an id of its own
    Space(SpaceArguments),
    /// List and empty the agents' workspaces
    Workspace(WorkspaceArguments),
}

// What agents are served with.
#[derive(Subcommand)]
pub(crate) enum AgentSubcommand {
    /// Let a client use this program: Claude Code, Codex, Gemini CLI, Cursor or VS Code
    Connect(ConnectArguments),
    /// Connect a client; the same as `mere connect`
    #[command(hide = true)]
    Install(InstallArguments),
    /// Make one call exactly as an agent would, and print the reply as JSON
    Call(CallArguments),
    /// Show what agents called lately, and what each was shown
    Calls(CallsArguments),
    /// Serve agents over MCP, on standard input and output or over HTTP
    Mcp(McpArguments),
}

// Files as agents see them.
#[derive(Subcommand)]
pub(crate) enum FileSubcommand {
    /// List the entries of a folder
    Ls(LsArguments),
    /// Print a file
    Read(ReadArguments),
    /// Find files by name
    Glob(GlobArguments),
    /// Find lines by a regular expression
    Grep(GrepArguments),
    /// Show the folder tree below a folder
    Tree(TreeArguments),
    /// Show sensitive files of this project to agents
    Allow(AllowArguments),
}

// Keys, and whose signatures count.
#[derive(Subcommand)]
pub(crate) enum TrustSubcommand {
    /// Manage whose signatures count in this project
    Team(TeamArguments),
    /// Trust the signatures of this project's team, after showing who is in it
    Join(JoinArguments),
    /// Forget the team of this project
    Leave(LeaveArguments),
    /// Manage your own keys, which you sign with
    Keys(KeysArguments),
    /// Manage the secrets that tools may be given
    Secret(SecretArguments),
    /// Manage whose signatures you trust, and which projects' configs
    Trust(TrustArguments),
}

impl Command {
    /// Starts the log that suits the command.
    pub(crate) fn start_log(&self) -> std::io::Result<()> {
        match self {
            Self::Agents(AgentSubcommand::Call(call)) => call.log.map_or(Ok(()), |level| {
                crate::log::start_plain(level);
                Ok(())
            }),
            Self::Agents(AgentSubcommand::Mcp(mcp)) => {
                crate::log::start_json(mcp.log, mcp.log_file.as_ref())
            }
            Self::Witness(witness) => {
                let WitnessCommand::Serve(serve) = &witness.what;
                crate::log::start_json(serve.log, None)
            }
            Self::Registry(registry) => registry.what.start_log(),
            _ => {
                crate::log::start_plain(tracing::Level::ERROR);
                Ok(())
            }
        }
    }
}
