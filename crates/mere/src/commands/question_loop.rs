//! The loop around a call that may ask a question: call, ask, then call again with the answer.
//!
//! It knows nothing about terminals; the caller supplies the door and the way to ask.

use mere_core::gate::Cleared;
use mere_core::request::Request;
use mere_core::turn::{Answer, Outcome, Question};

/// Calls `handler` until it is done, and answers its questions with `ask`.
pub(crate) fn call_until_done(
    mut request: Request,
    mut handler: impl FnMut(&Request) -> Outcome,
    mut ask: impl FnMut(&Question) -> Answer,
) -> Cleared {
    loop {
        match handler(&request) {
            Outcome::Done(reply) => return reply,
            Outcome::Ask(question, resume) => {
                let answer = ask(&question);
                request.answer = Some((resume, answer));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mere_core::address::AgentName;
    use mere_core::gate::{Gate, ReplyMetadata};
    use mere_core::reply::{Draft, Prose, codes};
    use mere_core::request::Caller;
    use mere_core::turn::Resume;

    #[test]
    fn a_question_is_answered_and_the_call_made_again() {
        let gate = Gate::new(Vec::new());
        let agent = AgentName::default();
        let trace_id = mere_core::trace::TraceId::from(uuid::Uuid::nil());
        let stamp = ReplyMetadata { trace_id, session_id: None, tool: None, agent: agent.clone() };
        let text = gate.clear_text(&Prose::words("Sure?"), &agent).expect("no leak");
        let handler = |request: &Request| match &request.answer {
            None => Outcome::Ask(Question { text: text.clone() }, Resume(vec![7])),
            Some((resume, answer)) => {
                assert_eq!((resume, answer), (&Resume(vec![7]), &Answer::Yes));
                Outcome::Done(gate.clear(&Draft::success(codes::DIR_PWD, "Done."), &stamp))
            }
        };
        let request = Request::from_text(Caller::default(), "dir", "{}");
        let reply = call_until_done(request, handler, |question| {
            assert_eq!(question.text.as_str(), "Sure?");
            Answer::Yes
        });
        assert_eq!(reply.to_value()["message"], "Done.");
    }
}
