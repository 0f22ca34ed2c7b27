//! The `help` tool: explains how this server is used, in a few sentences per topic.
//!
//! The texts are fixed: they name no path and depend on no configuration, so help works even when
//! the configuration is broken. The roots are those of the configuration, as far as it can be read.

use mere_core::address::Root;
use mere_core::reply::{Data, Draft, Fields, codes};
use mere_core::request::TOPICS;

use crate::files::dir::root_addresses;

/// Returns the text for a topic.
fn topic_text(topic: &str) -> &'static str {
    match topic {
        "tools" => {
            "Use `search` to find items and memories by their content. Use `load` for an item by \
             its id (a directive, tool, knowledge entry or lockfile), with its trust status. Use \
             `get_memory` to get a memory by its path in the store, and `read` for any other file. \
             `execute` runs an item, or creates, changes or deletes one; `dir` lists directories, \
             `glob` and `grep` find files and lines. `write`, `edit`, `patch_section`, `delete`, \
             `move` and `mkdir` work in your workspace, which is yours to keep tidy."
        }
        "addresses" => {
            "Every file has an address such as ROOT_PROJECT:/src/main.rs. A bare path starts at \
             your home root, which is ROOT_PROJECT until `dir` with `cd` changes it; over HTTP and \
             in `mere call` nothing is remembered, so pass `home` with each call. `roots` lists \
             what there is. You can read everywhere, but write only in ROOT_WORKSPACE. Without a \
             project neither of the two is there, and ROOT_USER is home."
        }
        "items" => {
            "An item has a type, an id and a category; `category/id` names it exactly; the id \
             alone is enough if it is unique. `search` finds one; `dir` with `tree` on \
             ROOT_PROJECT:/.ai/ and ROOT_USER:/ shows the folders, `list` what is in one. The \
             project's items win over the user's. `execute` with a directive checks your inputs \
             and returns its steps, which you then follow. `trust.status` says whether an item is \
             signed by a trusted key: be careful with an item that is not `verified`. An item that \
             differs from what was signed is withheld (E): report it, and do not read it by its \
             path instead."
        }
        "memories" => {
            "A memory is a short note at `category/slug`. `list_memories` shows what is there, \
             `create_memory` adds one to an existing category, `update_memory` changes it. \
             `list_stores` shows the categories that the configuration defines and its mode: \
             `free` (create any category), `subcategories` (only below the defined ones), `strict` \
             (none). A refusal says what is allowed."
        }
        "changes" => {
            "`execute` with `create`, `update` or `delete` writes knowledge entries directly; \
             changes to directives, tools and whatever is signed become proposals that a person \
             accepts. Pass the `sha256` you loaded as `expect_sha256`, so that nobody's work is \
             overwritten."
        }
        _ => {
            "`reply_type` is S (done), I (correct your call), D (ask a person) or E (something is \
             broken: report `trace_id`). `hint` says what to do next."
        }
    }
}

/// Answers with the text for one topic, or for all of them. What explains addresses comes with the
/// roots that there are.
pub(crate) fn help(topic: Option<&str>, roots: &[Root]) -> Draft {
    let topics = TOPICS.iter().filter(|one| topic.is_none_or(|topic| topic == **one));
    let rows = topics.map(|topic| {
        Data::from(Fields::default().with("topic", *topic).with("text", topic_text(topic)))
    });
    let is_about_addresses = topic.is_none_or(|topic| topic == "addresses");
    let roots = is_about_addresses.then(|| root_addresses(roots));
    let data = Fields::default().with("topics", rows.collect::<Data>()).with_some("roots", roots);
    Draft::success(codes::HELP, "How to use this server.").data(data)
}
