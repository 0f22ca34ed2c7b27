//! How what leaves for a registry and what comes from one looks to a person.

use std::fmt::Write;

use serde::Deserialize;

use super::Printer;
use super::items::{FAINT, STRONG};
use super::reply::ReplyView;

/// The data of a reply that shows the log key of a registry.
#[derive(Deserialize)]
pub(crate) struct ShownLogKey {
    pub(crate) log_key: String,
    registry_id: String,
}

/// The data of a reply that nothing vouches for an author.
#[derive(Deserialize)]
pub(crate) struct UnknownAuthor {
    pub(crate) namespace: String,
    pub(crate) fingerprint: String,
    /// The key itself, if the registry shows it.
    pub(crate) key: Option<String>,
}

/// The data of a reply to `mere publish`.
#[derive(Deserialize)]
pub(crate) struct Publication {
    files: Vec<PublishedFile>,
    category: String,
    signer: String,
    #[serde(default)]
    warnings: Vec<String>,
}

/// The data of the reply about the examples of a new space.
#[derive(Deserialize)]
pub(crate) struct PublishedExamples {
    pub(crate) published: u64,
}

#[derive(Deserialize)]
struct PublishedFile {
    path: String,
    size: u64,
}

/// The data of a reply to `mere pull`.
#[derive(Deserialize)]
pub(crate) struct Installation {
    items: Vec<InstalledItem>,
    #[serde(default)]
    warnings: Vec<String>,
}

#[derive(Deserialize)]
struct InstalledItem {
    address: String,
    version: String,
    state: String,
}

/// The data of a reply to `mere outdated` and `mere update`.
#[derive(Deserialize)]
pub(crate) struct InstalledVersions {
    items: Vec<InstalledVersion>,
}

#[derive(Deserialize)]
struct InstalledVersion {
    address: String,
    version: String,
    latest: Option<String>,
    state: String,
    #[serde(default)]
    why: Option<String>,
}

impl Printer {
    /// Formats the log key of a registry, before a person is asked about it.
    pub(crate) fn log_key(&self, reply: &ReplyView<ShownLogKey>) -> String {
        let key = self.paint(&self.escape_controls(&reply.data.log_key), STRONG);
        let id = self.escape_controls(&reply.data.registry_id);
        let sentence = self.sentence(reply);
        format!("{sentence}  registry  {id}\n  log key   {key}\n")
    }

    /// Formats the key of an unknown author, before a person is asked about it.
    pub(crate) fn unknown_author(&self, reply: &ReplyView<UnknownAuthor>) -> String {
        let namespace = self.escape_controls(&reply.data.namespace);
        let key = self.paint(&self.escape_controls(&reply.data.fingerprint), STRONG);
        let sentence = self.sentence(reply);
        format!("{sentence}  namespace  {namespace}\n  key        {key}\n")
    }

    /// Formats what left the machine, or would leave it.
    pub(crate) fn publication(&self, reply: &ReplyView<Publication>) -> String {
        let data = &reply.data;
        let mut out = String::new();
        let width = data.files.iter().map(|file| file.size.to_string().len()).max().unwrap_or(1);
        for file in &data.files {
            let path = self.escape_controls(&file.path);
            let _ = writeln!(out, "  {:>width$}  {path}", file.size);
        }
        let category = if data.category.is_empty() { "(none)" } else { &data.category };
        let _ = writeln!(out, "  category   {}", self.escape_controls(category));
        let _ = writeln!(out, "  signed by  {}", self.escape_controls(&data.signer));
        self.with_sentence(out + &self.warnings(&data.warnings), reply)
    }

    /// Formats what was installed.
    pub(crate) fn installation(&self, reply: &ReplyView<Installation>) -> String {
        let mut out = String::new();
        for item in &reply.data.items {
            let address = self.paint(&self.escape_controls(&item.address), STRONG);
            let version = self.escape_controls(&item.version);
            let state = self.paint(&self.escape_controls(&item.state), FAINT);
            let _ = writeln!(out, "{address}  {version}  {state}");
        }
        self.with_sentence(out + &self.warnings(&reply.data.warnings), reply)
    }

    /// Formats which versions are installed, and which there are.
    pub(crate) fn updates(&self, reply: &ReplyView<InstalledVersions>) -> String {
        let mut out = String::new();
        for item in &reply.data.items {
            let address = self.paint(&self.escape_controls(&item.address), STRONG);
            let version = self.escape_controls(&item.version);
            let latest = item.latest.as_deref().filter(|latest| *latest != item.version);
            let latest = latest.map_or(String::new(), |latest| format!(" → {latest}"));
            let state = self.paint(&self.escape_controls(&item.state), FAINT);
            let _ = writeln!(out, "{address}  {version}{latest}  {state}");
            if let Some(why) = &item.why {
                let _ = writeln!(out, "  {}", self.escape_controls(why));
            }
        }
        self.with_sentence(out, reply)
    }

    fn warnings(&self, warnings: &[String]) -> String {
        let note = self.paint("warning:", FAINT);
        let lines =
            warnings.iter().map(|warning| format!("{note} {}\n", self.escape_controls(warning)));
        lines.collect()
    }
}
