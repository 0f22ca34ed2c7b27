//! Passphrases. They are asked for on the person's own terminal, whatever the command itself reads
//! and writes.

use std::cell::RefCell;
use std::io;

use mere_core::gate::Cleared;
use mere_core::reply::codes;
use mere_core::request::{Passphrase, Secret};
use mere_engine::Terminal;

use crate::print::keys::LockedKey;
use crate::print::reply::ReplyView;

/// How many attempts a person gets.
const ATTEMPTS: usize = 3;

/// The passphrase that unlocked the person's key, kept for the rest of one command.
#[derive(Default)]
pub(crate) struct PassphraseCache(RefCell<Option<Secret>>);

impl PassphraseCache {
    /// Makes a call with the passphrase known so far. While a key is locked, asks the person for
    /// its passphrase and makes the call again.
    pub(crate) fn call_with_passphrase(&self, make: impl Fn(Option<Secret>) -> Cleared) -> Cleared {
        let known = self.0.borrow().clone();
        let mut reply = make(known);
        for _ in 0..ATTEMPTS {
            let question = match reply.code() {
                code if code == codes::KEY_LOCKED.id() => "Passphrase of",
                code if code == codes::KEY_PASSPHRASE.id() => "Wrong passphrase. Passphrase of",
                _ => break,
            };
            let Some(secret) = ask_for_key(question, &reply) else { break };
            *self.0.borrow_mut() = Some(secret.clone());
            reply = make(Some(secret));
        }
        reply
    }
}

/// Makes a call that needs the passphrase of one more key, and makes it again with what the person
/// enters.
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

/// Asks for the passphrase of the key that a reply names. Returns `None` if nobody enters it.
fn ask_for_key(question: &str, reply: &Cleared) -> Option<Secret> {
    let key = ReplyView::<LockedKey>::read(reply).ok()?.data.key;
    Terminal::open()?.ask_hidden(&format!("{question} {key}: ")).ok().flatten()
}

/// Asks for the passphrase of a key that is about to be generated. Returns `None` if the person
/// gives up.
pub(crate) fn ask_for_new_key() -> io::Result<Option<Passphrase>> {
    let Some(mut terminal) = Terminal::open() else { return Ok(Some(Passphrase::NotAsked)) };
    for _ in 0..ATTEMPTS {
        let first = terminal.ask_hidden("Passphrase for the new key (empty for none): ")?;
        let Some(first) = first else { return Ok(None) };
        if first.is_empty() {
            return Ok(Some(Passphrase::None));
        }
        let Some(again) = terminal.ask_hidden("Repeat the passphrase: ")? else { return Ok(None) };
        if first == again {
            return Ok(Some(Passphrase::Some(first)));
        }
        terminal.print_line("The passphrases do not match.")?;
    }
    Ok(None)
}
