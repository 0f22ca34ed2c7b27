//! What a person is asked before something is signed: about each item, or once about all.

use std::io;
use std::process::ExitCode;

use crate::print::signing::SignableItem;
use crate::print::{Printer, terminal};

/// A person's answer about one item.
enum SignAnswer {
    Yes,
    No,
    All,
    Quit,
}

/// Whether a person may accept all remaining items at once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AcceptingAll {
    Offered,
    /// Where `a` stands for something else in the same command.
    NotOffered,
}

/// Shows each item, asks about it, and signs it at once if the person accepts it, so that whoever
/// stops in the middle keeps what was accepted. Returns `None` if nothing was, or else the first
/// exit code that is no success.
pub(crate) fn ask_each(
    printer: &Printer,
    items: &[SignableItem],
    accepting_all: AcceptingAll,
    mut sign: impl FnMut(&SignableItem) -> io::Result<ExitCode>,
) -> io::Result<Option<ExitCode>> {
    if items.len() > 1 {
        terminal::print_note("each item is signed as you accept it; Ctrl-C keeps what was signed");
    }
    let mut ended = None;
    let mut accept = |item: &SignableItem| {
        let code = sign(item)?;
        ended = Some(ended.filter(|before| *before != ExitCode::SUCCESS).unwrap_or(code));
        io::Result::Ok(())
    };
    for (number, item) in items.iter().enumerate() {
        terminal::print_text(&format!("\n({} of {}) ", number + 1, items.len()))?;
        terminal::print_text(&printer.difference(item))?;
        if item.digest.is_none() {
            continue;
        }
        match ask_about_item(accepting_all)? {
            SignAnswer::Yes => accept(item)?,
            SignAnswer::No => {}
            SignAnswer::All => {
                // Everything that is signed is shown first, so the remaining items are printed too.
                for item in &items[number + 1..] {
                    terminal::print_text(&format!("\n{}", printer.difference(item)))?;
                }
                items[number..].iter().try_for_each(accept)?;
                break;
            }
            SignAnswer::Quit => break,
        }
    }
    Ok(ended)
}

fn ask_about_item(accepting_all: AcceptingAll) -> io::Result<SignAnswer> {
    let letter = match accepting_all {
        AcceptingAll::Offered => {
            terminal::ask_choice("Sign it? [y]es, [n]o, [a]ll, [q]uit", &['y', 'n', 'a', 'q'])
        }
        AcceptingAll::NotOffered => {
            terminal::ask_choice("Sign it? [y]es, [n]o, [q]uit", &['y', 'n', 'q'])
        }
    };
    Ok(match letter? {
        'y' => SignAnswer::Yes,
        'n' => SignAnswer::No,
        'a' => SignAnswer::All,
        _ => SignAnswer::Quit,
    })
}

/// Shows all items and asks once about those that can be signed.
pub(crate) fn ask_once<'a>(
    printer: &Printer,
    items: &'a [SignableItem],
) -> io::Result<Vec<&'a SignableItem>> {
    let count = items.iter().filter(|item| item.can_be_signed()).count();
    if items.iter().all(SignableItem::is_shown_in_full) {
        for item in items {
            terminal::print_text(&(printer.difference(item) + "\n"))?;
        }
    }
    terminal::print_text(&printer.signable_items(items))?;
    if count == 0 {
        // Why each of them cannot be signed is said instead of a question.
        return Ok(items.iter().collect());
    }
    let others = match items.len() - count {
        0 => String::new(),
        1 => " (1 other cannot be signed)".to_owned(),
        others => format!(" ({others} others cannot be signed)"),
    };
    let question = match count {
        1 => format!("Sign it?{others}"),
        _ => format!("Sign all {count}?{others}"),
    };
    Ok(if terminal::ask_yes_or_no(&question)? { items.iter().collect() } else { Vec::new() })
}
