//! Passphrases: asked at the person's own terminal, whatever else the command reads and writes.

use std::cell::RefCell;
use std::io;

use mere_core::gate::Cleared;
use mere_core::reply::codes;
use mere_core::request::{Passphrase, Secret};
use mere_engine::Terminal;

/// How often a person may try.
const ATTEMPTS: usize = 3;

/// What a person has said to unlock their key, for the rest of one command.
#[derive(Default)]
pub(crate) struct PassphraseCache(RefCell<Option<Secret>>);

impl PassphraseCache {
    /// Makes a call with what is known, and again with what the person says, while a key is locked.
    pub(crate) fn call_with_passphrase(&self, make: impl Fn(Option<Secret>) -> Cleared) -> Cleared {
        let known = self.0.borrow().clone();
        let mut reply = make(known);
        for _ in 0..ATTEMPTS {
            let question = match reply.code() {
                code if code == codes::KEY_LOCKED.id() => "Passphrase of",
                code if code == codes::KEY_PASSPHRASE.id() => "That is not it. Passphrase of",
                _ => break,
            };
            let Some(secret) = ask_for_key(question, &reply) else { break };
            *self.0.borrow_mut() = Some(secret.clone());
            reply = make(Some(secret));
        }
        reply
    }
}

/// Makes a call that needs the passphrase of one more key, and again with what the person says.
pub(crate) fn call_with_next_key(make: impl Fn(Passphrase) -> Cleared) -> Cleared {
    let mut reply = make(Passphrase::NotAsked);
    for _ in 0..ATTEMPTS {
        if reply.code() != codes::KEY_NEXT_LOCKED.id() {
            break;
        }
        let Some(secret) = ask_for_key("Passphrase of", &reply) else { break };
        reply = make(Passphrase::Some(secret));
    }
    reply
}

/// The passphrase of the key that a reply names; `None` if nobody says it.
fn ask_for_key(question: &str, reply: &Cleared) -> Option<Secret> {
    let reply = reply.to_value();
    let key = reply["data"]["key"].as_str().unwrap_or("your key");
    Terminal::open()?.ask_hidden(&format!("{question} {key}: ")).ok().flatten()
}

/// The passphrase of a key that is to be made; `None` if the person gives up.
pub(crate) fn ask_for_new_key() -> io::Result<Option<Passphrase>> {
    let Some(mut terminal) = Terminal::open() else { return Ok(Some(Passphrase::NotAsked)) };
    for _ in 0..ATTEMPTS {
        let first = terminal.ask_hidden("Passphrase for the new key (empty for none): ")?;
        let Some(first) = first else { return Ok(None) };
        if first.is_empty() {
            return Ok(Some(Passphrase::None));
        }
        let Some(again) = terminal.ask_hidden("The same again: ")? else { return Ok(None) };
        if first == again {
            return Ok(Some(Passphrase::Some(first)));
        }
        terminal.print_line("They differ.")?;
    }
    Ok(None)
}
