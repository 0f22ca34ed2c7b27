//! `mere memory`: what a person does with memories, through the same door as an agent and by the
//! same rules.

use std::io;
use std::process::ExitCode;
use std::time::SystemTime;

use jiff::Timestamp;
use mere_core::gate::Cleared;
use mere_core::item::{MemoryExpiry, MemoryRevision, NewMemory};
use mere_core::reply::{ReplyType, reword_for_person};
use mere_core::request::{DryRun, ExpiredMemories, ListMemories, MemoryCall, StoreCommand};
use mere_engine::TypedPath;
use serde_json::Value;

use crate::arguments::{
    CreateMemoryArguments, ListMemoriesArguments, LocationArguments, MemoryArguments,
    MemoryCommandArguments, Moment, PruneArguments, RemoveMemoryArguments, SessionArguments,
    UpdateMemoryArguments,
};
use crate::commands::content;
use crate::commands::person_session::{PersonSession, report_refusal, with_session};
use crate::print::memory::{MemoryList, PruneResult};
use crate::print::outcome::SubjectAddress;
use crate::print::reply::ReplyView;
use crate::print::{Printer, terminal};

const TOOL: &str = "memory";
/// The most memories that one page holds.
const PAGE_SIZE: usize = 1000;
/// The most memories that are listed.
const MAX_LISTED: usize = 10_000;

/// Runs the command.
pub(crate) fn run(location: LocationArguments, arguments: MemoryArguments) -> io::Result<ExitCode> {
    let directory = location.directory().cloned();
    let session = SessionArguments::for_store(arguments.store);
    with_session(location, &session, |session| match arguments.what {
        MemoryCommandArguments::Create(arguments) => {
            session.create_memory(arguments, directory.as_ref())
        }
        MemoryCommandArguments::Get(arguments) => {
            let get = arguments.to_request();
            session.call_and_print(TOOL, get, &arguments.answer, Printer::memory)
        }
        MemoryCommandArguments::Update(arguments) => {
            session.update_memory(arguments, directory.as_ref())
        }
        MemoryCommandArguments::Move(arguments) => {
            let relocate = MemoryCall::Move { from: arguments.from, to: arguments.to };
            session.call_and_print(TOOL, relocate, &arguments.answer, Printer::outcome)
        }
        MemoryCommandArguments::Remove(arguments) => session.remove_memory(&arguments),
        MemoryCommandArguments::List(arguments) => session.list_memories(&arguments),
        MemoryCommandArguments::Recent(arguments) => session.list_memories(&arguments.into()),
        MemoryCommandArguments::Prune(arguments) => session.prune(&arguments),
    })
}

impl PersonSession {
    fn create_memory(
        &self,
        arguments: CreateMemoryArguments,
        directory: Option<&TypedPath>,
    ) -> io::Result<ExitCode> {
        let content = match content::read_required(&arguments.content, directory) {
            Ok(content) => content,
            Err(error) => return Ok(error.report()),
        };
        let expires_at = match resolve_time(arguments.expires_at) {
            Ok(time) => time,
            Err(code) => return Ok(code),
        };
        let (tags, citations, source) = (arguments.tag, arguments.citation, arguments.source);
        let wording = NewMemory { content, tags, expires_at, citations, source };
        let create = MemoryCall::Create { path: arguments.path, wording };
        self.call_and_print(TOOL, create, &arguments.answer, Printer::outcome)
    }

    fn update_memory(
        &self,
        arguments: UpdateMemoryArguments,
        directory: Option<&TypedPath>,
    ) -> io::Result<ExitCode> {
        let content = match content::read_optional(&arguments.content, directory) {
            Ok(content) => content,
            Err(error) => return Ok(error.report()),
        };
        let expires_at = match resolve_time(arguments.expires_at) {
            Ok(time) => time,
            Err(code) => return Ok(code),
        };
        let revision = MemoryRevision {
            content,
            tags: arguments.tags(),
            expires_at: if arguments.never_expires {
                Some(MemoryExpiry::Never)
            } else {
                expires_at.map(MemoryExpiry::At)
            },
            citations: arguments.citations(),
        };
        let expect = arguments.expect_sha256;
        let update = MemoryCall::Update { path: arguments.path, revision, expect };
        self.call_and_print(TOOL, update, &arguments.answer, Printer::outcome)
    }

    /// Checks that the memory exists, asks, and removes it.
    fn remove_memory(&self, arguments: &RemoveMemoryArguments) -> io::Result<ExitCode> {
        let path = arguments.path.clone();
        if !arguments.yes {
            let get = MemoryCall::Get { path: path.clone(), expired: ExpiredMemories::Included };
            let found = self.call(TOOL, get);
            if found.reply_type() != ReplyType::Success {
                return self.print_reply(&found, &arguments.answer, Printer::outcome);
            }
            let address = ReplyView::<SubjectAddress>::read(&found)?.data.address;
            if !terminal::can_ask() || !terminal::ask_yes_or_no(&format!("Remove {address}?"))? {
                return Ok(report_refusal("nothing was removed", "use `--yes`"));
            }
        }
        let remove = MemoryCall::Remove { path };
        self.call_and_print(TOOL, remove, &arguments.answer, Printer::outcome)
    }

    fn list_memories(&self, arguments: &ListMemoriesArguments) -> io::Result<ExitCode> {
        let most = arguments.limit.map_or(MAX_LISTED, usize::from);
        let reply = match self.collect_pages(arguments.to_request(), most) {
            Ok(reply) => reply,
            Err(reply) => return self.print_reply(&reply, &arguments.answer, Printer::outcome),
        };
        if arguments.answer.json {
            return terminal::print_line(&format!("{reply:#}")).map(|()| ExitCode::SUCCESS);
        }
        let printer = self.printer(arguments.answer.color);
        let list = ReplyView::<MemoryList>::from_value(reply)?;
        terminal::print_text(&printer.memories(&list))?;
        // The hint about the next page is for agents, not for people.
        if let Some(hint) = list.hint.filter(|_| list.data.next.is_none()) {
            terminal::print_note(&reword_for_person(&hint));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Collects the pages of a list, up to `most` memories, into one reply. Returns the first reply
    /// that is not a success as the error.
    pub(crate) fn collect_pages(
        &self,
        mut list: ListMemories,
        most: usize,
    ) -> Result<Value, Box<Cleared>> {
        let mut all = None;
        loop {
            let left = most.saturating_sub(all.as_ref().map_or(0, count_listed));
            list.limit = left.min(PAGE_SIZE);
            let reply = self.call(TOOL, MemoryCall::List(list.clone()));
            if reply.reply_type() != ReplyType::Success {
                return Err(Box::new(reply));
            }
            let joined = append_page(all, reply.to_value());
            let next = joined["data"]["next"].as_str().and_then(|next| next.parse().ok());
            if next.is_none() || next == list.cursor || count_listed(&joined) >= most {
                return Ok(joined);
            }
            list.cursor = next;
            all = Some(joined);
        }
    }

    /// Shows what would be deleted, asks, and deletes what has expired.
    fn prune(&self, arguments: &PruneArguments) -> io::Result<ExitCode> {
        if arguments.dry_run {
            return self.call_and_print(
                TOOL,
                StoreCommand::Prune(DryRun::Yes),
                &arguments.answer,
                Printer::prune_result,
            );
        }
        if !arguments.yes {
            let plan = self.call(TOOL, StoreCommand::Prune(DryRun::Yes));
            if plan.reply_type() != ReplyType::Success {
                return self.print_reply(&plan, &arguments.answer, Printer::prune_result);
            }
            let view = ReplyView::<PruneResult>::read(&plan)?;
            if view.data.count == 0 {
                return self.print_reply(&plan, &arguments.answer, Printer::prune_result);
            }
            let printer = self.printer(arguments.answer.color);
            if !arguments.answer.json {
                terminal::print_text(&printer.prune_result(&view))?;
            }
            let question = if view.data.count == 1 { "Delete it?" } else { "Delete them?" };
            if !terminal::can_ask() || !terminal::ask_yes_or_no(question)? {
                return Ok(report_refusal("nothing was deleted", "use `--yes`"));
            }
        }
        let prune = StoreCommand::Prune(DryRun::No);
        // A person who was asked has seen the list.
        if arguments.yes {
            self.call_and_print(TOOL, prune, &arguments.answer, Printer::prune_result)
        } else {
            self.call_and_print(TOOL, prune, &arguments.answer, Printer::outcome)
        }
    }
}

/// Returns how many memories a reply lists.
pub(crate) fn count_listed(reply: &Value) -> usize {
    reply["data"]["memories"].as_array().map_or(0, Vec::len)
}

/// Appends a page to what was listed so far. On the last page the count becomes the number of
/// memories listed.
fn append_page(before: Option<Value>, mut page: Value) -> Value {
    if let Some(mut before) = before {
        let mut memories = before["data"]["memories"].take();
        if let (Some(all), Some(more)) =
            (memories.as_array_mut(), page["data"]["memories"].as_array_mut())
        {
            all.append(more);
        }
        page["data"]["memories"] = memories;
        page["data"]["subcategories"] = before["data"]["subcategories"].take();
    }
    let count = count_listed(&page);
    let total = page["data"]["count"].as_u64().and_then(|total| usize::try_from(total).ok());
    let is_whole = page["data"]["next"].is_null();
    let count = if is_whole { count } else { total.unwrap_or_default().max(count) };
    page["data"]["count"] = count.into();
    page
}

/// Resolves a time that may be relative to now, or returns the exit code of the process.
fn resolve_time(given: Option<Moment>) -> Result<Option<Timestamp>, ExitCode> {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    let now = Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX);
    let time = given.map(|moment| moment.resolve(now)).transpose();
    time.map_err(|error| terminal::print_failure(&error.to_string(), terminal::USAGE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn page(count: u64, paths: &[&str], next: Option<&str>) -> Value {
        let memories = paths.iter().map(|path| json!({ "path": path })).collect::<Vec<_>>();
        let below = json!([{ "path": paths[0] }]);
        let mut data = json!({ "count": count, "memories": memories, "subcategories": below });
        if let Some(next) = next {
            data["next"] = next.into();
        }
        json!({ "reply_type": "S", "data": data })
    }

    #[test]
    fn pages_become_one_reply() {
        let first = append_page(None, page(2, &["a", "b"], Some("x")));
        assert_eq!((count_listed(&first), &first["data"]["count"]), (2, &json!(2)));
        let second = append_page(Some(first), page(2, &["c", "d"], Some("y")));
        assert_eq!(second["data"]["count"], 4, "at least what is listed");
        let all = append_page(Some(second), page(1, &["e"], None));
        assert_eq!((count_listed(&all), &all["data"]["count"]), (5, &json!(5)));
        assert_eq!(all["data"]["subcategories"], json!([{ "path": "a" }]));
        assert_eq!(all["data"]["memories"][4], json!({ "path": "e" }));
        assert!(all["data"]["next"].is_null());
    }

    #[test]
    fn a_count_of_everything_stays_while_something_is_left() {
        let first = append_page(None, page(9, &["a", "b"], Some("x")));
        assert_eq!(first["data"]["count"], 9);
        let second = append_page(Some(first), page(9, &["c"], Some("y")));
        assert_eq!((count_listed(&second), &second["data"]["count"]), (3, &json!(9)));
    }
}
