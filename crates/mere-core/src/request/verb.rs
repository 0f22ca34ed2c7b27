//! Everything that can be asked for, in groups: each group is answered by one part of the engine.
//!
//! The groups are nested so that every layer can match all of what it owns and nothing else.

use std::time::Duration;

use super::{
    CallError, CategoryCall, Dir, EntryChange, Execute, FileChange, Glob, Grep, ItemAction,
    ItemCommand, Load, MemoryCall, OfferCall, PersonCommand, Read, Search, StoreCommand,
    ToolCommand,
};
use crate::item::ItemType;

/// How long one call may take.
const MAX_CALL_TIME: Duration = Duration::from_mins(1);
/// The same limit for running a tool: the longest run, plus the time to start it.
const MAX_RUN_TIME: Duration = Duration::from_mins(65);

/// Everything that can be asked for.
#[derive(Clone, Debug)]
pub enum Verb {
    /// Reads, finds or changes files.
    Files(FileVerb),
    /// Finds, loads, runs or changes items.
    Items(ItemVerb),
    /// Reads or changes the stores of memories.
    Stores(StoreVerb),
    /// A command that only people can give.
    Person(PersonCommand),
    /// Explains how the server is used.
    Help {
        /// The topic, or `None` for an overview.
        topic: Option<&'static str>,
    },
    /// Closes the run of a directive that the caller has open.
    CloseRun,
    /// A call that could not be understood.
    InvalidCall(CallError),
}

/// One call about files.
#[derive(Clone, Debug)]
pub enum FileVerb {
    /// Shows the location, or the contents of a directory.
    Dir(Dir),
    /// Reads a file.
    Read(Read),
    /// Finds files by name.
    Glob(Glob),
    /// Finds lines by content.
    Grep(Grep),
    /// Changes a file.
    Change(FileChange),
    /// Deletes, moves or makes an entry of the workspace.
    Rearrange(EntryChange),
}

/// One call about items.
#[derive(Clone, Debug)]
pub enum ItemVerb {
    /// Searches items.
    Search(Search),
    /// Loads an item.
    Load(Load),
    /// Runs an item, or creates, changes or deletes it.
    Execute(Execute),
    /// Reads what clients are offered besides tools.
    Offer(OfferCall),
}

/// One call about the stores of memories.
#[derive(Clone, Debug)]
pub enum StoreVerb {
    /// Creates, deletes or describes a category.
    Category(CategoryCall),
    /// Reads or changes memories.
    Memory(MemoryCall),
    /// Lists the stores and their configured categories.
    List,
}

impl Verb {
    /// Tells whether the verb looks at none of the files that it is about, only at whether the
    /// configuration has changed, so that an edge need not use another thread.
    pub fn is_instant(&self) -> bool {
        matches!(
            self,
            Self::Files(FileVerb::Dir(Dir::Pwd | Dir::Cd { .. }))
                | Self::InvalidCall(_)
                | Self::Help { .. }
        )
    }

    /// Tells whether the verb may take as long as a tool runs or a download takes.
    pub fn is_long_running(&self) -> bool {
        match self {
            Self::Items(ItemVerb::Execute(Execute { kind, action, .. })) => {
                *kind == ItemType::Tool && matches!(action, ItemAction::Run(_))
            }
            Self::Person(PersonCommand::Items(ItemCommand::Tool(command))) => {
                matches!(
                    command,
                    ToolCommand::Run(_)
                        | ToolCommand::Replay { .. }
                        | ToolCommand::Prepare { .. }
                        | ToolCommand::ImportMcp(_)
                )
            }
            _ => false,
        }
    }

    /// Tells whether the call asks for the content of a file, an item or a tool's output, which has
    /// bounds of its own.
    pub fn asks_for_content(&self) -> bool {
        match self {
            Self::Items(ItemVerb::Execute(execute)) => matches!(execute.action, ItemAction::Run(_)),
            Self::Stores(StoreVerb::Memory(memory)) => matches!(memory, MemoryCall::Get { .. }),
            // A person's commands are for programs and pipes too, which need all of it.
            Self::Files(FileVerb::Read(_))
            | Self::Items(ItemVerb::Load(_) | ItemVerb::Offer(_))
            | Self::Person(_) => true,
            _ => false,
        }
    }

    /// Returns how long a call may take, not counting the time a person needs to answer. A person's
    /// own command has no limit here, because whoever gave it can end it.
    pub fn time_limit(&self) -> Option<Duration> {
        match self {
            Self::Person(_) => None,
            _ if self.is_long_running() => Some(MAX_RUN_TIME),
            _ => Some(MAX_CALL_TIME),
        }
    }

    /// Tells whether the caller waits until the call is finished, however long it takes: for a
    /// long-running verb, while the index is brought up to date, and while a registry is read.
    pub fn has_no_time_limit(&self) -> bool {
        self.is_long_running()
            || matches!(
                self,
                Self::Person(PersonCommand::Items(
                    ItemCommand::Index(_) | ItemCommand::Registry(_)
                ))
            )
    }
}

impl From<ItemVerb> for Verb {
    fn from(verb: ItemVerb) -> Self {
        Self::Items(verb)
    }
}

impl From<StoreVerb> for Verb {
    fn from(verb: StoreVerb) -> Self {
        Self::Stores(verb)
    }
}

impl From<CategoryCall> for Verb {
    fn from(call: CategoryCall) -> Self {
        Self::Stores(StoreVerb::Category(call))
    }
}

impl From<MemoryCall> for Verb {
    fn from(call: MemoryCall) -> Self {
        Self::Stores(StoreVerb::Memory(call))
    }
}

impl From<PersonCommand> for Verb {
    fn from(command: PersonCommand) -> Self {
        Self::Person(command)
    }
}

impl From<StoreCommand> for Verb {
    fn from(command: StoreCommand) -> Self {
        Self::Person(PersonCommand::Stores(command))
    }
}

impl From<ItemCommand> for Verb {
    fn from(command: ItemCommand) -> Self {
        Self::Person(PersonCommand::Items(command))
    }
}
