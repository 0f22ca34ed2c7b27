//! `mere mcp token`: bearer tokens that name an agent over HTTP.
//!
//! A token is printed once, when it is created; afterwards only its id is shown.

use std::io;
use std::process::ExitCode;

use mere_engine::{TokenError, Tokens};

use crate::arguments::{TokenArguments, TokenCommand};
use crate::print::terminal;

/// Runs the command.
pub(super) fn run(arguments: &TokenArguments) -> io::Result<ExitCode> {
    match Tokens::open().and_then(|tokens| apply(&tokens, &arguments.what)) {
        Ok((lines, code)) => {
            for line in lines {
                terminal::print_line(&line)?;
            }
            Ok(ExitCode::from(code))
        }
        Err(error) => Ok(terminal::print_failure(&error.to_string(), terminal::BROKEN)),
    }
}

/// Runs the command, and returns what to print and the exit status.
fn apply(tokens: &Tokens, what: &TokenCommand) -> Result<(Vec<String>, u8), TokenError> {
    Ok(match what {
        TokenCommand::Create { agent } => (vec![tokens.create(agent)?], 0),
        TokenCommand::List => {
            let tokens = tokens.list();
            let lines = tokens.iter().map(|token| format!("{}  {}", token.id, token.agent));
            (lines.collect(), 0)
        }
        TokenCommand::Revoke { id } if tokens.revoke(id)? => {
            (vec!["Revoked. Running servers refuse it from now on.".to_owned()], 0)
        }
        TokenCommand::Revoke { .. } => {
            let words = "There is no token with that id; `mere mcp token list` shows them.";
            (vec![words.to_owned()], terminal::REFUSED)
        }
    })
}
