//! `mere mcp token`: bearer tokens that name an agent over HTTP.
//!
//! A token is printed once, when it is created; afterwards only its id is shown.

use std::io;
use std::process::ExitCode;

use mere_core::reply::codes;
use mere_engine::{TokenError, Tokens};
use serde_json::{Value, json};

use crate::arguments::{TokenArguments, TokenCommand};
use crate::print::operator_reply::operator_reply;
use crate::print::terminal;

const TOOL: &str = "mcp token";
const NO_SUCH_TOKEN: &str = "There is no token with that id; `mere mcp token list` shows them.";

/// What became of the command: lines for a person, and data for a program.
enum TokenOutcome {
    Done { lines: Vec<String>, data: Value },
    NoSuchToken,
}

/// Runs the command.
pub(super) fn run(arguments: &TokenArguments) -> io::Result<ExitCode> {
    let outcome = Tokens::open().and_then(|tokens| apply(&tokens, &arguments.what));
    if arguments.json {
        terminal::print_line(&format!("{:#}", reply(&outcome)))?;
    }
    match outcome {
        Ok(TokenOutcome::Done { lines, .. }) => {
            for line in lines.iter().filter(|_| !arguments.json) {
                terminal::print_line(line)?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Ok(TokenOutcome::NoSuchToken) if arguments.json => Ok(ExitCode::from(terminal::REFUSED)),
        Ok(TokenOutcome::NoSuchToken) => {
            terminal::print_line(NO_SUCH_TOKEN)?;
            Ok(ExitCode::from(terminal::REFUSED))
        }
        Err(_) if arguments.json => Ok(ExitCode::from(terminal::BROKEN)),
        Err(error) => Ok(terminal::print_failure(&error.to_string(), terminal::BROKEN)),
    }
}

fn apply(tokens: &Tokens, what: &TokenCommand) -> Result<TokenOutcome, TokenError> {
    Ok(match what {
        TokenCommand::Create { agent } => {
            let token = tokens.create(agent)?;
            let data = json!({ "token": token, "agent": agent.to_string() });
            TokenOutcome::Done { lines: vec![token], data }
        }
        TokenCommand::List => {
            let tokens = tokens.list();
            let lines = tokens.iter().map(|token| format!("{}  {}", token.id, token.agent));
            let rows = tokens
                .iter()
                .map(|token| json!({ "id": token.id, "agent": token.agent.to_string() }));
            let data = json!({ "tokens": rows.collect::<Vec<_>>() });
            TokenOutcome::Done { lines: lines.collect(), data }
        }
        TokenCommand::Revoke { id } if tokens.revoke(id)? => TokenOutcome::Done {
            lines: vec!["Revoked. Running servers refuse it from now on.".to_owned()],
            data: json!({ "revoked": id }),
        },
        TokenCommand::Revoke { .. } => TokenOutcome::NoSuchToken,
    })
}

/// Builds the same answer in the form of a reply.
fn reply(outcome: &Result<TokenOutcome, TokenError>) -> Value {
    match outcome {
        Ok(TokenOutcome::Done { data, .. }) => {
            operator_reply(codes::TOKEN, TOOL, "The tokens for MCP over HTTP.", data)
        }
        Ok(TokenOutcome::NoSuchToken) => {
            operator_reply(codes::TOKEN_MISSING, TOOL, NO_SUCH_TOKEN, &Value::Null)
        }
        Err(error) => operator_reply(codes::TOKEN_FAILED, TOOL, &error.to_string(), &Value::Null),
    }
}
