//! `mere memory`: what a person does with memories, through the same door as an agent and by the
//! same rules.

use std::io;
use std::process::ExitCode;
use std::time::SystemTime;

use jiff::Timestamp;
use mere_core::gate::Cleared;
use mere_core::item::{MemoryExpiry, MemoryRevision, NewMemory};
use mere_core::reply::{ReplyType, reword_for_person};
use mere_core::request::{
    DryRun, ExpiredMemories, ListMemories, MemoryCall, PersonCommand, StoreCommand, Verb,
};
use mere_engine::TypedPath;
use serde_json::Value;

use crate::arguments::{
    CreateMemoryArguments, ListMemoriesArguments, LocationArguments, MemoryArguments,
    MemoryCommandArguments, Moment, PruneArguments, RemoveMemoryArguments, SessionArguments,
    UpdateMemoryArguments,
};
use crate::commands::content;
use crate::commands::items::{PersonSession, with_session};
use crate::commands::team::report_refusal;
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
pub(crate) fn run(place: LocationArguments, asked: MemoryArguments) -> io::Result<ExitCode> {
    let directory = place.directory().cloned();
    let session = SessionArguments::for_store(asked.store);
    with_session(place, &session, |desk| match asked.what {
        MemoryCommandArguments::Create(asked) => desk.create_memory(asked, directory.as_ref()),
        MemoryCommandArguments::Get(asked) => {
            let get = MemoryCall::Get { path: asked.path, expired: expired(asked.include_expired) };
            desk.call_and_print(TOOL, Verb::Memory(get), &asked.answer, Printer::memory)
        }
        MemoryCommandArguments::Update(asked) => desk.update_memory(asked, directory.as_ref()),
        MemoryCommandArguments::Move(asked) => {
            let relocate = MemoryCall::Move { from: asked.from, to: asked.to };
            desk.call_and_print(TOOL, Verb::Memory(relocate), &asked.answer, Printer::outcome)
        }
        MemoryCommandArguments::Remove(asked) => desk.remove_memory(&asked),
        MemoryCommandArguments::List(asked) => desk.list_memories(&asked),
        MemoryCommandArguments::Recent(asked) => desk.list_memories(&asked.into()),
        MemoryCommandArguments::Prune(asked) => desk.prune(&asked),
    })
}

impl PersonSession {
    fn create_memory(
        &self,
        asked: CreateMemoryArguments,
        directory: Option<&TypedPath>,
    ) -> io::Result<ExitCode> {
        let content = match content::read_required(&asked.content, directory) {
            Ok(content) => content,
            Err(error) => return Ok(error.report()),
        };
        let expires_at = match resolve_time(asked.expires_at) {
            Ok(time) => time,
            Err(code) => return Ok(code),
        };
        let (tags, citations, source) = (asked.tag, asked.citation, asked.source);
        let wording = NewMemory { content, tags, expires_at, citations, source };
        let create = MemoryCall::Create { path: asked.path, wording };
        self.call_and_print(TOOL, Verb::Memory(create), &asked.answer, Printer::outcome)
    }

    fn update_memory(
        &self,
        asked: UpdateMemoryArguments,
        directory: Option<&TypedPath>,
    ) -> io::Result<ExitCode> {
        let content = match content::read_optional(&asked.content, directory) {
            Ok(content) => content,
            Err(error) => return Ok(error.report()),
        };
        let expires_at = match resolve_time(asked.expires_at) {
            Ok(time) => time,
            Err(code) => return Ok(code),
        };
        let revision = MemoryRevision {
            content,
            tags: replacement(asked.tag, asked.no_tags),
            expires_at: if asked.never_expires {
                Some(MemoryExpiry::Never)
            } else {
                expires_at.map(MemoryExpiry::At)
            },
            citations: replacement(asked.citation, asked.no_citations),
        };
        let expect = asked.expect_sha256;
        let update = MemoryCall::Update { path: asked.path, revision, expect };
        self.call_and_print(TOOL, Verb::Memory(update), &asked.answer, Printer::outcome)
    }

    /// Checks that the memory exists, asks, and removes it.
    fn remove_memory(&self, asked: &RemoveMemoryArguments) -> io::Result<ExitCode> {
        let path = asked.path.clone();
        if !asked.yes {
            let get = MemoryCall::Get { path: path.clone(), expired: ExpiredMemories::Included };
            let found = self.call(TOOL, Verb::Memory(get));
            if found.reply_type() != ReplyType::Success {
                return self.print_reply(&found, &asked.answer, Printer::outcome);
            }
            let address = ReplyView::<SubjectAddress>::read(&found)?.data.address;
            if !terminal::can_ask() || !terminal::ask_yes_or_no(&format!("Remove {address}?"))? {
                return Ok(report_refusal("nothing was removed", "`--yes` answers"));
            }
        }
        let remove = MemoryCall::Remove { path };
        self.call_and_print(TOOL, Verb::Memory(remove), &asked.answer, Printer::outcome)
    }

    fn list_memories(&self, asked: &ListMemoriesArguments) -> io::Result<ExitCode> {
        let list = ListMemories {
            category: asked.category.clone().unwrap_or_default(),
            sort: asked.sort.into(),
            expired: expired(asked.include_expired),
            ..ListMemories::default()
        };
        let most = asked.limit.map_or(MAX_LISTED, usize::from);
        let reply = match self.collect_pages(list, most) {
            Ok(reply) => reply,
            Err(reply) => return self.print_reply(&reply, &asked.answer, Printer::outcome),
        };
        if asked.answer.json {
            return terminal::print_line(&format!("{reply:#}")).map(|()| ExitCode::SUCCESS);
        }
        let list = ReplyView::<MemoryList>::from_value(reply)?;
        terminal::print_text(&self.printer(&asked.answer).memories(&list))?;
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
            let reply = self.call(TOOL, Verb::Memory(MemoryCall::List(list.clone())));
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
    fn prune(&self, asked: &PruneArguments) -> io::Result<ExitCode> {
        let prune = |rehearsal| Verb::Person(PersonCommand::Store(StoreCommand::Prune(rehearsal)));
        if asked.dry_run {
            return self.call_and_print(
                TOOL,
                prune(DryRun::Yes),
                &asked.answer,
                Printer::prune_result,
            );
        }
        if !asked.yes {
            let plan = self.call(TOOL, prune(DryRun::Yes));
            if plan.reply_type() != ReplyType::Success {
                return self.print_reply(&plan, &asked.answer, Printer::prune_result);
            }
            let view = ReplyView::<PruneResult>::read(&plan)?;
            if view.data.count == 0 {
                return self.print_reply(&plan, &asked.answer, Printer::prune_result);
            }
            if !asked.answer.json {
                terminal::print_text(&self.printer(&asked.answer).prune_result(&view))?;
            }
            let question = if view.data.count == 1 { "Delete it?" } else { "Delete them?" };
            if !terminal::can_ask() || !terminal::ask_yes_or_no(question)? {
                return Ok(report_refusal("nothing was deleted", "`--yes` answers"));
            }
        }
        // Whoever was asked has seen the list.
        if asked.yes {
            self.call_and_print(TOOL, prune(DryRun::No), &asked.answer, Printer::prune_result)
        } else {
            self.call_and_print(TOOL, prune(DryRun::No), &asked.answer, Printer::outcome)
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
    let said = page["data"]["count"].as_u64().and_then(|said| usize::try_from(said).ok());
    let is_whole = page["data"]["next"].is_null();
    let count = if is_whole { count } else { said.unwrap_or_default().max(count) };
    page["data"]["count"] = count.into();
    page
}

fn expired(included: bool) -> ExpiredMemories {
    if included { ExpiredMemories::Included } else { ExpiredMemories::Hidden }
}

/// Returns the replacement for a list, or `None` if the list stays as it is.
fn replacement(said: Vec<String>, cleared: bool) -> Option<Vec<String>> {
    (cleared || !said.is_empty()).then_some(said)
}

/// Resolves a time that may be relative to now, or returns the exit code of the process.
fn resolve_time(said: Option<Moment>) -> Result<Option<Timestamp>, ExitCode> {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    let now = Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX);
    let time = said.map(|moment| moment.resolve(now)).transpose();
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

    #[test]
    fn what_is_not_said_stays() {
        assert_eq!(replacement(Vec::new(), false), None);
        assert_eq!(replacement(Vec::new(), true), Some(Vec::new()));
        assert_eq!(replacement(vec!["a".to_owned()], false), Some(vec!["a".to_owned()]));
    }
}
