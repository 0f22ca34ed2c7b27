//! Questions to a person before a sensitive file is shown.
//!
//! Only reading asks, and a yes is valid for that one call. With any other answer the file is
//! reported as missing. An agent must not learn whether the file exists, not even from how long the
//! answer takes: before the person has said yes, nothing is looked up on disk. If nobody can be
//! asked, the name alone decides.

use mere_core::address::Address;
use mere_core::reply::{Draft, Prose};
use mere_core::request::{PersonPresence, Read, Reader, Request};
use mere_core::turn::{Answer, Resume, Turn};

use crate::files::error::FileError;
use crate::files::read;
use crate::files::view::View;
use crate::world::{PathKind, ResolveError};

/// How a call ends before its reply has passed the gate: with a draft, or with a question.
pub(crate) enum DraftOutcome {
    Done(Draft),
    Ask(Prose, Resume),
}

/// Reads a file, after a person's confirmation if it is sensitive.
pub(crate) fn read_with_confirmation(
    view: View<'_>,
    call: &Read,
    request: &Request,
    turn: &dyn Turn,
) -> Result<DraftOutcome, FileError> {
    match read::read(&view, call, turn) {
        Err(FileError::Path(ResolveError::NotVisible)) => {}
        read => return read.map(DraftOutcome::Done),
    }
    let address = view.world.address(&call.path, &view.home).ok_or(ResolveError::NotVisible)?;
    let resume = Resume(address.to_string().into_bytes());
    let agent = view.agent.to_string();
    let is_hidden = !view.world.may_show(&address);
    let confirmed = View { world: view.world.with_confirmed(address.clone()), ..view };
    let confirms_more = is_hidden && confirmed.world.may_show(&address);
    match &request.answer {
        Some((answered, Answer::Yes)) if *answered == resume => {
            read::read(&confirmed, call, turn).map(DraftOutcome::Done)
        }
        Some(_) => Err(ResolveError::NotVisible.into()),
        None if request.caller.person == PersonPresence::Absent || !confirms_more => {
            Err(ResolveError::NotVisible.into())
        }
        None => match request.caller.reader {
            Reader::Agent => Ok(DraftOutcome::Ask(question(Some(&agent), &address), resume)),
            // A person is not asked about a file that does not exist.
            Reader::Person => match confirmed.resolve(&call.path) {
                Ok(target) if target.kind() == PathKind::File => {
                    Ok(DraftOutcome::Ask(question(None, target.address()), resume))
                }
                _ => Err(ResolveError::NotVisible.into()),
            },
        },
    }
}

fn question(agent: Option<&str>, address: &Address) -> Prose {
    let who = agent.map(|agent| format!("The agent `{agent}` wants to read "));
    let (who, which) = who.map_or((String::new(), " is "), |who| (who, ", which is "));
    Prose::words(who).address(address.clone()).and(format!(
        "{which}hidden because such files usually contain secrets. Show it this once?"
    ))
}
