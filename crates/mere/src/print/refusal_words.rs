//! The sentences of a refused command, as a person is told them: with commands for what an agent
//! would call, and more about paths than an agent may know.

use mere_core::gate::Cleared;
use mere_core::reply::{codes, reword_for_person};
use serde::Deserialize;

use super::reply::{ReplySentences, ReplyView, UnreadableReply};

/// What a person is told where an agent is told that a path is not visible.
const NOT_VISIBLE: (&str, &str) = (
    "there is no such file or folder that agents may see",
    "Paths are read from where you are; `mere where PATH` says where one is. Sensitive files
such as .env are hidden: `mere allow PATH` shows one. Links that leave the project are not followed.",
);

/// What a person is told where an agent is told that there is no project.
const NO_PROJECT: (&str, &str) = (
    "there is no project here",
    "`mere where` says why. Change to the folder of a project, or name one with `--project`.
`mere init --user` makes a space of your own, whose items are there in every project.",
);

/// What went wrong, and what to do about it.
pub(super) struct RefusalWords {
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

/// The data of a refusal that names a missing category.
#[derive(Deserialize)]
struct MissingCategory {
    category: String,
}

impl RefusalWords {
    /// Words the sentences of a reply.
    pub(super) fn of(reply: &Cleared) -> Result<Self, UnreadableReply> {
        if reply.code() == codes::PATH_NOT_VISIBLE.id() {
            return Ok(Self::fixed(NOT_VISIBLE));
        }
        if reply.code() == codes::NO_PROJECT.id() {
            return Ok(Self::fixed(NO_PROJECT));
        }
        if reply.code() == codes::MEMORY_CATEGORY.id() {
            let reply = ReplyView::<MissingCategory>::read(reply)?;
            let message = name_category(&reply.message, &reply.data.category);
            return Ok(Self::new(message, reply.hint));
        }
        let reply = ReplySentences::read(reply)?;
        Ok(Self::new(reply.message, reply.hint))
    }

    fn new(message: String, hint: Option<String>) -> Self {
        Self { message, hint: hint.map(|hint| reword_for_person(&hint)) }
    }

    fn fixed((message, hint): (&str, &str)) -> Self {
        Self { message: message.to_owned(), hint: Some(hint.to_owned()) }
    }
}

/// Rewords that a category is missing, so that the command to make it can be typed as it stands.
fn name_category(message: &str, category: &str) -> String {
    let command = format!("`mere category create {category}`");
    reword_for_person(message).replace("`mere category create`", &command)
}
