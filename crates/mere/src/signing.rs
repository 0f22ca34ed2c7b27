//! `mere sign`, `verify`, `draft` and `edit`: what is shown is what is signed.

use std::io;
use std::process::ExitCode;

use mere_core::address::Address;
use mere_core::reply::ReplyType;
use mere_core::request::{
    GitStaging, ItemWork, PersonCommand, SelectedItems, ShownItem, SignCommand, Verb,
    VerifyCommand, WorkMode,
};
use serde_json::Value;

use crate::arguments::{SignArguments, VerifyArguments, WorkArguments};
use crate::items::{Desk, Quiet};
use crate::paper::Paper;
use crate::render;
use crate::sarif;

/// What a person says to one item.
enum Said {
    Yes,
    No,
    All,
    Quit,
}

impl Desk {
    /// Shows, asks, and signs.
    pub(crate) fn sign(&self, asked: &SignArguments) -> io::Result<ExitCode> {
        let selection = match asked.selection.selection(SelectedItems::Unfinished) {
            Ok(selection) => selection,
            Err(error) => return Ok(render::failure(&error, render::USAGE)),
        };
        let is_open = selection.which == SelectedItems::Unfinished;
        if is_open && render::at_terminal() && !asked.answer.json && !asked.dry_run {
            self.decide(&asked.answer, Quiet::Yes)?;
        }
        let plan = self
            .call("sign", Verb::Person(PersonCommand::Sign(SignCommand::Plan(selection.clone()))));
        if plan.reply_type() != ReplyType::Success {
            return self.print(&plan, &asked.answer, Paper::outcome);
        }
        if asked.dry_run && asked.answer.json {
            return self.print(&plan, &asked.answer, Paper::outcome);
        }
        let plan = plan.to_value();
        let items = plan["data"]["items"].as_array().cloned().unwrap_or_default();
        if items.is_empty() && !asked.answer.json {
            // A commit that touches no item is told nothing.
            if selection.which != SelectedItems::Staged {
                render::line("Nothing is to be signed.")?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        let paper = Paper::new(asked.answer.color, self.session.working_address().cloned());
        if asked.dry_run {
            items.iter().try_for_each(|item| render::text(&(paper.difference(item) + "\n")))?;
            return Ok(ExitCode::SUCCESS);
        }
        let is_asked = !asked.yes && !asked.selection.is_exact();
        let one_by_one =
            matches!(selection.which, SelectedItems::Unfinished | SelectedItems::Staged);
        let chosen = match (is_asked, render::at_terminal()) {
            (true, true) if one_by_one => ask_each(&paper, &items)?,
            (true, true) => ask_once(&paper, &items)?,
            (true, false) if is_open => {
                render::text(&paper.to_sign(&items))?;
                let words = "nothing was signed; name the items, or say `--all` or `--yes`";
                render::note(words);
                return Ok(ExitCode::from(render::REFUSED));
            }
            _ => {
                // Who names an item sees what is signed, without being asked.
                if asked.selection.is_exact() && render::is_watched() && !asked.answer.json {
                    items.iter().try_for_each(|item| render::text(&paper.difference(item)))?;
                }
                items.iter().collect()
            }
        };
        self.seal(asked, &chosen)
    }

    fn seal(&self, asked: &SignArguments, items: &[&Value]) -> io::Result<ExitCode> {
        for item in items.iter().filter(|item| item["digest"].is_null()) {
            let words = ["address", "unfit"].map(|key| item[key].as_str().unwrap_or_default());
            render::note(&format!("{} cannot be signed: {}", words[0], words[1]));
        }
        for item in items.iter().filter(|item| item["warning"].is_string()) {
            let words = ["address", "warning"].map(|key| item[key].as_str().unwrap_or_default());
            render::note(&format!("{}: {}", words[0], words[1]));
        }
        let unfit = items.iter().any(|item| item["digest"].is_null());
        let chosen = items.iter().filter_map(|item| chosen(item)).collect::<Vec<_>>();
        if chosen.is_empty() && unfit {
            return Ok(ExitCode::from(render::INVALID));
        }
        if chosen.is_empty() && !asked.answer.json {
            render::line("Nothing was signed.")?;
            return Ok(ExitCode::from(render::REFUSED));
        }
        let stage = if asked.selection.staged { GitStaging::Add } else { GitStaging::Leave };
        let seal = PersonCommand::Sign(SignCommand::Sign { items: chosen, staging: stage });
        let reply = self.call("sign", Verb::Person(seal));
        let ended = self.print(&reply, &asked.answer, Paper::signed)?;
        Ok(if unfit { ExitCode::from(render::INVALID) } else { ended })
    }

    /// Verifies, and writes the findings to a file if that is asked for.
    pub(crate) fn verify(&self, asked: &VerifyArguments) -> io::Result<ExitCode> {
        let selection = match asked.selection.selection(SelectedItems::All) {
            Ok(selection) => selection,
            Err(error) => return Ok(render::failure(&error, render::USAGE)),
        };
        let (admins, least_serial) = (asked.admin.clone(), asked.min_serial);
        let verify = VerifyCommand { selection, admins, minimum_serial: least_serial };
        let reply = self.call("verify", Verb::Person(PersonCommand::Verify(verify)));
        if let Some(file) = &asked.sarif {
            let text = format!("{:#}\n", sarif::report(&reply.to_value()));
            if let Err(error) = mere_engine::write_file(file, text.as_bytes()) {
                return Ok(render::failure(
                    &format!("the findings cannot be written: {error}"),
                    render::BROKEN,
                ));
            }
        }
        let is_idle =
            reply.reply_type() == ReplyType::Success && reply.to_value()["data"]["checked"] == 0;
        if is_idle && asked.selection.staged && !asked.answer.json {
            return Ok(ExitCode::SUCCESS);
        }
        self.print(&reply, &asked.answer, Paper::verified)
    }

    pub(crate) fn work(&self, asked: WorkArguments, how: WorkMode) -> io::Result<ExitCode> {
        let (kind, item) = (asked.item.kind.kind, asked.item.item);
        let tool = match how {
            WorkMode::Draft => "draft",
            WorkMode::Edit => "edit",
        };
        let work = ItemWork { kind, item, source: asked.source.source(), mode: how };
        self.keep(tool, PersonCommand::Work(work), &asked.answer, Paper::outcome)
    }
}

/// What can be signed: it was understood, and has the digest that was shown.
pub(crate) fn chosen(item: &Value) -> Option<ShownItem> {
    let address = item["address"].as_str()?.parse::<Address>().ok()?;
    Some(ShownItem { address, digest: item["digest"].as_str()?.parse().ok()? })
}

fn ask_each<'a>(paper: &Paper, items: &'a [Value]) -> io::Result<Vec<&'a Value>> {
    let mut chosen = Vec::new();
    for (number, item) in items.iter().enumerate() {
        render::text(&format!("\n({} of {}) ", number + 1, items.len()))?;
        render::text(&paper.difference(item))?;
        if item["digest"].is_null() {
            continue;
        }
        match ask()? {
            Said::Yes => chosen.push(item),
            Said::No => {}
            Said::All => {
                // What is signed is shown, the rest too.
                for item in &items[number + 1..] {
                    render::text(&format!("\n{}", paper.difference(item)))?;
                }
                chosen.extend(&items[number..]);
                break;
            }
            Said::Quit => break,
        }
    }
    Ok(chosen)
}

fn ask() -> io::Result<Said> {
    Ok(match render::choose("Sign it? [y]es, [n]o, [a]ll, [q]uit", &['y', 'n', 'a', 'q'])? {
        'y' => Said::Yes,
        'n' => Said::No,
        'a' => Said::All,
        _ => Said::Quit,
    })
}

fn ask_once<'a>(paper: &Paper, items: &'a [Value]) -> io::Result<Vec<&'a Value>> {
    render::text(&paper.to_sign(items))?;
    let count = items.len();
    let question = if count == 1 { "Sign it?".to_owned() } else { format!("Sign all {count}?") };
    Ok(if render::ask(&question)? { items.iter().collect() } else { Vec::new() })
}
