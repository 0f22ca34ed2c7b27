//! What two versions of an item differ in.

use std::time::{Duration, Instant};

use mere_core::item::Version;
use mere_core::registry::RegistryItemName;
use mere_core::text::diff::unified_diff;
use mere_pages::{Html, Tag, Tone, badge, element, empty_note, link, render_difference, table};

use super::item::ShownVersion;
use super::{PageRequest, site};
use crate::error::RegistryError;

/// How long few changes are looked for.
const MAX_TIME: Duration = Duration::from_millis(200);

impl PageRequest<'_> {
    /// Shows what changed from one version to another.
    pub(super) fn difference(&self, item: &RegistryItemName) -> Result<String, RegistryError> {
        let (from, to) = (self.named_version("from=")?, self.named_version("to=")?);
        let old = self.read_shown(&item.clone().with_version(from.clone()))?;
        let new = self.read_shown(&item.clone().with_version(to.clone()))?;
        let lines = unified_diff(&old.content.text, &new.content.text, deadline());
        let title = format!("{} {from} → {to}", new.info.record.name);
        let back = link(&site::item_href(item), format!("{}/{}", item.namespace, item.id));
        let head = element(Tag::Header).class("title");
        let head = head.with(element(Tag::P).class("crumbs").with(back));
        let swap = link(&site::difference_href(item, &to, &from), "the other way round");
        let head = head.with(element(Tag::H1).with(&title)).with(element(Tag::P).with(swap));
        let text = element(Tag::Section).with(element(Tag::H2).with("Main file"));
        let text = text.with(if lines.is_empty() {
            empty_note("The main file is the same in both versions.")
        } else {
            render_difference(&lines)
        });
        let content = Html::from(head).with(text).with(changed_files(&old, &new));
        Ok(site::render(&title, Some(site::BROWSE), content))
    }

    fn named_version(&self, key: &str) -> Result<Version, RegistryError> {
        let value = self.query.split('&').find_map(|pair| pair.strip_prefix(key));
        let version = value.and_then(|value| value.replace("%2B", "+").parse().ok());
        version.ok_or(RegistryError::Malformed("name two versions, such as ?from=1.0.0&to=1.1.0"))
    }
}

fn deadline() -> Instant {
    Instant::now() + MAX_TIME
}

/// Lists the files that were added, removed or changed.
fn changed_files(old: &ShownVersion, new: &ShownVersion) -> Html {
    let (before, after) = (&old.statement.files, &new.statement.files);
    let find = |files: &[mere_core::item::integrity::FileDigest], path: &str| {
        files.iter().find(|file| file.path == path).map(|file| file.sha256)
    };
    let added = after.iter().filter_map(|file| match find(before, &file.path) {
        None => Some((&file.path, badge(Tone::Good, "added"))),
        Some(digest) if digest != file.sha256 => {
            Some((&file.path, badge(Tone::Attention, "changed")))
        }
        Some(_) => None,
    });
    let removed = before.iter().filter(|file| find(after, &file.path).is_none());
    let removed = removed.map(|file| (&file.path, badge(Tone::Bad, "removed")));
    let rows = added.chain(removed).take(200);
    let rows = rows.map(|(path, what)| vec![element(Tag::Code).with(path).into(), what.into()]);
    let rows = rows.collect::<Vec<_>>();
    if rows.is_empty() {
        return Html::default();
    }
    let section = element(Tag::Section).with(element(Tag::H2).with("Files"));
    section.with(table("Files", &["File", "Change"], rows)).into()
}
