//! All items with their trust: those that need a person first, with what to do.

use mere_core::request::{ItemCommand, ItemSelection, ListItems, SelectedItems, VerifyCommand};
use mere_pages::{Html, Tag, Tone, badge, element, empty_note, link, sentence, table};
use serde::Deserialize;

use super::reader::{UiReader, Unreadable};
use super::site;

/// The most items that are listed.
const MAX_ROWS: usize = 400;

#[derive(Deserialize)]
struct ItemRows {
    items: Vec<ItemRow>,
}

#[derive(Deserialize)]
struct ItemRow {
    item_type: String,
    id: String,
    category: String,
    scope: String,
    version: Option<String>,
    title: Option<String>,
    description: Option<String>,
    trust: Option<TrustState>,
    fault: Option<String>,
}

/// Who vouches for an item.
#[derive(Deserialize)]
pub(super) struct TrustState {
    status: String,
    signer: Option<String>,
}

#[derive(Deserialize)]
struct CheckedItems {
    checked: u64,
    items: Vec<CheckedItem>,
}

#[derive(Deserialize)]
struct CheckedItem {
    address: Option<String>,
    status: String,
    finding: bool,
    fault: Option<String>,
    fix: Option<String>,
}

/// Renders the page.
pub(super) fn render(reader: &UiReader) -> Result<String, Unreadable> {
    let list = ItemCommand::List(ListItems::default());
    let rows = reader.read::<ItemRows>("list", list)?.items;
    let mut content = Html::from(element(Tag::H1).with("Items"));
    content.push(findings(reader));
    if rows.is_empty() {
        content.push(empty_note("There are no items yet. `mere init` makes an example of each."));
    } else {
        content.push(counts(&rows));
        content.push(item_table(&rows));
    }
    Ok(site::render("Items", site::ITEMS, content))
}

/// Shows what is wrong with signatures and places, and how it is put right.
fn findings(reader: &UiReader) -> Html {
    let selection = ItemSelection { which: SelectedItems::All, ..ItemSelection::default() };
    let verify = VerifyCommand { selection, ..VerifyCommand::default() };
    let checked = match reader.read::<CheckedItems>("verify", ItemCommand::Verify(verify)) {
        Ok(checked) => checked,
        Err(unreadable) => return unreadable.into(),
    };
    let wrong = checked.items.iter().filter(|item| item.finding).map(|item| {
        let name = item.address.as_deref().unwrap_or("the team's roster");
        let head = element(Tag::P).with(badge(tone(&item.status), word(&item.status))).with(" ");
        let head = head.with(element(Tag::Code).with(name));
        let fault = item.fault.as_ref().map(|fault| element(Tag::P).with(fault));
        let fix = item.fix.as_ref().map(|fix| element(Tag::P).class("quiet").with(sentence(fix)));
        element(Tag::Li).class("panel problem").with(head).with(fault).with(fix)
    });
    let wrong = wrong.take(MAX_ROWS).collect::<Vec<_>>();
    if wrong.is_empty() {
        let words = format!(
            "{} checked: everything is as it was signed. Memories are not signed.",
            checked.checked
        );
        return element(Tag::P).class("panel fine").with(words).into();
    }
    let section = element(Tag::Section).with(element(Tag::H2).with("These need you"));
    section.with(element(Tag::Ul).class("tree stack").with_all(wrong)).into()
}

fn counts(rows: &[ItemRow]) -> Html {
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    for row in rows {
        *counts.entry(&row.item_type).or_default() += 1;
    }
    let all = counts.into_iter().map(|(kind, count)| {
        let count = element(Tag::Strong).with(count.to_string());
        element(Tag::Li).with(count).with(element(Tag::Span).with(kind))
    });
    element(Tag::Ul).class("stats").with_all(all).into()
}

fn item_table(rows: &[ItemRow]) -> Html {
    let shown = rows.iter().take(MAX_ROWS).map(|row| {
        let name = site::item_name(&row.category, &row.id);
        let href = site::item_href(&row.item_type, &row.scope, &name);
        let about = [&row.description, &row.title, &row.fault];
        let about = about.into_iter().flatten().find(|text| !text.is_empty());
        let trust = row
            .trust
            .as_ref()
            .map_or_else(|| Html::from(badge(Tone::Bad, "unreadable")), TrustState::render);
        vec![
            link(&href, name).into(),
            row.item_type.as_str().into(),
            row.scope.as_str().into(),
            row.version.clone().into(),
            trust,
            about.cloned().into(),
        ]
    });
    let columns = ["Item", "Type", "Scope", "Version", "Trust", "About"];
    let table = table("Items", &columns, shown.collect());
    let more = rows.len().saturating_sub(MAX_ROWS);
    let more = (more > 0).then(|| format!("{more} more items; `mere list` shows all."));
    table.with(more.map(|words| element(Tag::P).class("note").with(words)))
}

impl TrustState {
    /// Renders the state as a badge, and who signed.
    pub(super) fn render(&self) -> Html {
        let signer = self
            .signer
            .as_ref()
            .map(|name| element(Tag::Span).class("quiet small").with(format!(" {name}")));
        Html::from(badge(tone(&self.status), word(&self.status))).with(signer)
    }
}

/// Returns how good a state of trust is.
fn tone(status: &str) -> Tone {
    match status {
        "verified" | "builtin" => Tone::Good,
        "unsigned" | "draft" | "unknown-key" => Tone::Attention,
        _ => Tone::Bad,
    }
}

/// Returns the state in words.
fn word(status: &str) -> String {
    status.replace('-', " ")
}
