//! The changes that agents propose, with the command that accepts each.

use mere_core::request::{ItemCommand, ReviewCommand, ReviewDecision, ReviewScope};
use mere_core::text::diff::DiffLine;
use mere_pages::{Html, Tag, Tone, badge, command_block, element, empty_note, render_difference};
use serde::Deserialize;

use super::reader::{UiReader, Unreadable};
use super::site;

/// The most proposals that are shown with their changes.
const MAX_SHOWN: usize = 20;
/// The most files of a proposal.
const MAX_FILES: usize = 10;

#[derive(Deserialize)]
struct ProposalRows {
    proposals: Vec<NamedProposal>,
}

#[derive(Deserialize)]
struct NamedProposal {
    proposal: String,
}

#[derive(Deserialize)]
struct ProposalText {
    agent: String,
    action: String,
    item_type: String,
    id: String,
    category: String,
    changes: Vec<ChangedFile>,
    digest: String,
    stale: bool,
    fault: Option<String>,
}

#[derive(Deserialize)]
struct ChangedFile {
    path: String,
    diff: String,
}

/// Renders the page.
pub(super) fn render(reader: &UiReader) -> Result<String, Unreadable> {
    let list = ItemCommand::Review(ReviewCommand::List(ReviewScope::Proposals));
    let proposals = reader.read::<ProposalRows>("review", list)?.proposals;
    let mut content = Html::from(element(Tag::H1).with("Review"));
    let lead = "Agents cannot change what is signed: they propose. Read the change, and type the \
                command if you want it.";
    content.push(element(Tag::P).class("lead").with(lead));
    if proposals.is_empty() {
        content.push(empty_note("Nothing waits for you."));
    }
    for NamedProposal { proposal } in proposals.iter().take(MAX_SHOWN) {
        let decision = ReviewDecision::Show;
        let show = ReviewCommand::Decide { proposal: proposal.clone(), decision };
        content.push(match reader.read::<ProposalText>("review", ItemCommand::Review(show)) {
            Ok(text) => text.render(proposal),
            Err(unreadable) => unreadable.into(),
        });
    }
    let more = proposals.len().saturating_sub(MAX_SHOWN);
    if more > 0 {
        let words = format!("{more} more; `mere review --list` shows all.");
        content.push(element(Tag::P).class("note").with(words));
    }
    Ok(site::render("Review", site::REVIEW, content))
}

impl ProposalText {
    fn render(&self, name: &str) -> Html {
        let item = site::item_name(&self.category, &self.id);
        let head = element(Tag::H2).with(format!("{} {} {item}", self.action, self.item_type));
        let meta = element(Tag::P).class("meta").with(format!("proposed by {}", self.agent));
        let meta = meta.with(self.stale.then(|| badge(Tone::Attention, "the item changed since")));
        let fault = self.fault.as_ref().map(|fault| element(Tag::P).with(fault));
        let changes = self.changes.iter().take(MAX_FILES).map(|file| {
            let path = Html::from(element(Tag::H3).with(element(Tag::Code).with(&file.path)));
            path.with(render_difference(&parse_difference(&file.diff)))
        });
        let accept = format!("mere review --accept {name} --digest {}", self.digest);
        let section = element(Tag::Section).class("panel warning").with(head).with(meta);
        let section = section.with(fault).with_all(changes);
        let section = section.with(element(Tag::H3).with("To accept exactly this"));
        let section = section.with(command_block(&accept));
        let section = section.with(element(Tag::H3).with("To reject it"));
        section.with(command_block(&format!("mere review --reject {name}"))).into()
    }
}

/// Reads the lines of a difference by their signs.
fn parse_difference(text: &str) -> Vec<DiffLine> {
    let lines = text.lines().map(|line| {
        let rest = line.get(1..).unwrap_or_default().to_owned();
        match line.chars().next() {
            Some('+') => DiffLine::Added(rest),
            Some('-') => DiffLine::Removed(rest),
            Some(' ') => DiffLine::Same(rest),
            _ => DiffLine::Same(line.to_owned()),
        }
    });
    lines.collect()
}
