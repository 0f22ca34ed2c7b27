//! `mere mcp token`: bearer tokens that name an agent over HTTP.

use std::io;
use std::process::ExitCode;

use mere_engine::{TokenError, Tokens};

use crate::arguments::{TokenArguments, TokenCommand};
use crate::render;

/// Runs the command.
pub(super) fn run(arguments: &TokenArguments) -> io::Result<ExitCode> {
    match Tokens::open().and_then(|tokens| act(&tokens, &arguments.what)) {
        Ok(lines) => {
            for line in lines {
                render::line(&line)?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => Ok(render::failure(&error.to_string(), render::BROKEN)),
    }
}

fn act(tokens: &Tokens, what: &TokenCommand) -> Result<Vec<String>, TokenError> {
    Ok(match what {
        TokenCommand::Create { agent } => vec![tokens.create(agent)?],
        TokenCommand::List => {
            tokens.list().iter().map(|token| format!("{}  {}", token.id, token.agent)).collect()
        }
        TokenCommand::Revoke { id } => vec![if tokens.revoke(id)? {
            "Revoked. Running servers refuse it from now on.".to_owned()
        } else {
            "There is no token of that id.".to_owned()
        }],
    })
}
