//! The `help` tool: explains how this server is used, in a few sentences per topic.
//!
//! The sentences are fixed: they name no path and depend on no configuration, so help works even
//! when the configuration is broken. Those about tools that the caller was not shown are left out.
//! The roots are those of the configuration, as far as it can be read.

use mere_core::address::Root;
use mere_core::reply::{Data, Draft, Fields, codes};
use mere_core::request::{TOPICS, Toolset};

use crate::files::dir::root_addresses;

/// Sentences, and the toolset whose tools they are about.
type Sentences = (Toolset, &'static str);

const TOOLS: &[Sentences] = &[
    (
        Toolset::Items,
        "Use `search` to find items and memories by their content. Use `load` for an item by its \
         id (a directive, tool, knowledge entry or lockfile), with its trust status. `execute` \
         runs an item, or creates, changes or deletes one.",
    ),
    (Toolset::Memory, "Use `get_memory` to get a memory by its path in the store."),
    (Toolset::Reading, "Use `read` for any other file; `dir` lists directories."),
    (
        Toolset::Files,
        "`glob` and `grep` find files and lines. `write`, `edit`, `patch_section`, `delete`, \
         `move` and `mkdir` work in your workspace, which is yours to keep tidy.",
    ),
];

const ADDRESSES: &[Sentences] = &[
    (
        Toolset::Basic,
        "Every file has an address such as ROOT_PROJECT:/src/main.rs. A bare path starts at your \
         home root, which is ROOT_PROJECT.",
    ),
    (
        Toolset::Reading,
        "`dir` with `cd` changes it; over HTTP and in `mere call` nothing is remembered, so pass \
         `home` with each call.",
    ),
    (Toolset::Files, "`glob` without `path` or `home` always starts at ROOT_PROJECT."),
    (
        Toolset::Basic,
        "The roots that there are stand in `roots` of this answer. You can read everywhere, but \
         write only in ROOT_WORKSPACE. Without a project neither of the two is there, and \
         ROOT_USER is home.",
    ),
];

const ITEMS: &[Sentences] = &[
    (
        Toolset::Basic,
        "An item has a type, an id and a category; `category/id` names it exactly; the id alone \
         is enough if it is unique.",
    ),
    (Toolset::Items, "`search` finds one."),
    (
        Toolset::Reading,
        "`dir` with `tree` on ROOT_PROJECT:/.ai/ and ROOT_USER:/ shows the folders, `list` what \
         is in one.",
    ),
    (Toolset::Basic, "The project's items win over the user's."),
    (
        Toolset::Items,
        "`execute` with a directive checks your inputs and returns its steps, which you then \
         follow.",
    ),
    (
        Toolset::Basic,
        "`trust.status` says whether an item is signed by a trusted key: be careful with an item \
         that is not `verified`. An item that differs from what was signed is withheld (E): \
         report it, and do not read it by its path instead.",
    ),
];

const MEMORIES: &[Sentences] = &[
    (Toolset::Basic, "A memory is a short note at `category/slug`."),
    (
        Toolset::Memory,
        "`list_memories` shows what is there, `create_memory` adds one to an existing category, \
         `update_memory` changes it. `list_stores` shows the categories that the configuration \
         defines and its mode: `free` (create any category), `subcategories` (only below the \
         defined ones), `strict` (none). A refusal says what is allowed.",
    ),
];

const CHANGES: &[Sentences] = &[
    (
        Toolset::Items,
        "`execute` with `create`, `update` or `delete` writes knowledge entries directly.",
    ),
    (
        Toolset::Basic,
        "Changes to directives, tools and whatever is signed become proposals that a person \
         accepts. Pass the `sha256` you loaded as `expect_sha256`, so that nobody's work is \
         overwritten.",
    ),
];

const REPLIES: &[Sentences] = &[(
    Toolset::Basic,
    "`reply_type` is S (done), I (correct your call), D (ask a person) or E (something is broken: \
     report `trace_id`). `hint` says what to do next.",
)];

/// Returns the text for a topic, without what is about tools of these toolsets.
fn topic_text(topic: &str, unlisted: &[Toolset]) -> String {
    let all = match topic {
        "tools" => TOOLS,
        "addresses" => ADDRESSES,
        "items" => ITEMS,
        "memories" => MEMORIES,
        "changes" => CHANGES,
        _ => REPLIES,
    };
    let told = all.iter().filter(|(toolset, _)| !unlisted.contains(toolset));
    told.map(|(_, words)| *words).collect::<Vec<_>>().join(" ")
}

/// Answers with the text for one topic, or for all of them. What explains addresses comes with the
/// roots that there are.
pub(crate) fn help(topic: Option<&str>, unlisted: &[Toolset], roots: &[Root]) -> Draft {
    let topics = TOPICS.iter().filter(|one| topic.is_none_or(|topic| topic == **one));
    let rows = topics.map(|topic| {
        let text = Data::Words(topic_text(topic, unlisted).into());
        Data::from(Fields::default().with("topic", *topic).with("text", text))
    });
    let is_about_addresses = topic.is_none_or(|topic| topic == "addresses");
    let roots = is_about_addresses.then(|| root_addresses(roots));
    let data = Fields::default().with("topics", rows.collect::<Data>()).with_some("roots", roots);
    Draft::success(codes::HELP, "How to use this server.").data(data)
}
