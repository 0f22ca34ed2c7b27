//! How chains, lockfiles and the output of tools look to a person.
//!
//! On a terminal a tool's output is escaped, so that it cannot control the terminal.

use anstyle::{AnsiColor, Style};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::Printer;
use super::items::push_line;
use super::reply::ReplyView;
use super::signing::ItemTrust;

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const DIM: Style = Style::new().dimmed();

/// The data of a reply to `mere run`.
#[derive(Deserialize)]
pub(crate) struct RunResult {
    pub(crate) success: bool,
    pub(crate) truncated: bool,
    /// The changes to the project that wait for a person.
    pub(crate) proposal: Option<RunProposal>,
    /// Why its changes are not proposed.
    not_proposed: Option<String>,
    #[serde(default)]
    left_out: Vec<LeftOutPath>,
    #[serde(default)]
    refused_hosts: Vec<String>,
}

/// The proposal of a run.
#[derive(Deserialize)]
pub(crate) struct RunProposal {
    pub(crate) id: String,
    files: u64,
}

/// A change that is left out of a proposal.
#[derive(Deserialize)]
pub(crate) struct LeftOutPath {
    path: String,
    reason: String,
}

/// The data of a reply to `mere run --dry-run`.
#[derive(Deserialize)]
pub(crate) struct DryRunPlan {
    argv: Vec<String>,
}

/// The data of a reply to `mere lock --check`.
#[derive(Deserialize)]
pub(crate) struct LockCheck {
    lockfiles: Vec<LockFinding>,
}

/// A lockfile that does not hold.
#[derive(Deserialize)]
struct LockFinding {
    address: Option<String>,
    why: String,
}

/// The data of a reply to `mere chain`. It has a lockfile if the chain is pinned, and a reason if
/// the chain would not run.
#[derive(Deserialize)]
pub(crate) struct ShownChain {
    chain: Vec<ChainLink>,
    config: Map<String, Value>,
    lockfile: Option<String>,
    refused: Option<String>,
}

#[derive(Deserialize)]
struct ChainLink {
    tool_id: String,
    version: String,
    scope: String,
    category: String,
    integrity: String,
    trust: ItemTrust,
}

impl Printer {
    /// Escapes what a tool printed.
    pub(crate) fn tool_output(&self, text: &str) -> String {
        self.content(text)
    }

    /// Formats the hosts that a tool was kept from, and what permits them.
    pub(crate) fn refused_hosts(&self, run: &RunResult, tool: &str) -> String {
        let mut out = String::new();
        for host in &run.refused_hosts {
            let host = self.escape_controls(host);
            push_line(
                &mut out,
                format_args!(
                    "mere: it was kept from {host}: if its manifest names that, \
                     `mere grant {tool} --net {host}` permits it, or `--net-private {host}` if it \
                     leads to a private address"
                ),
            );
        }
        out
    }

    /// Formats what a tool would change in the project, and what is left out of that.
    pub(crate) fn run_changes(&self, run: &RunResult) -> String {
        let mut out = self.left_out(&run.left_out);
        if let Some(why) = &run.not_proposed {
            let why = self.escape_controls(why);
            push_line(&mut out, format_args!("mere: its changes are not proposed: {why}"));
        }
        if let Some(RunProposal { id, files }) = &run.proposal {
            let files = if *files == 1 { "1 file".to_owned() } else { format!("{files} files") };
            let id = self.escape_controls(id);
            let line =
                format_args!("mere: it proposes to change {files}: `mere review --show {id}`");
            push_line(&mut out, line);
        }
        out
    }

    /// Formats the changes that are left out of a proposal.
    pub(super) fn left_out(&self, paths: &[LeftOutPath]) -> String {
        let lines = paths.iter().map(|one| {
            let (path, reason) = (self.path(&one.path), self.escape_controls(&one.reason));
            format!("left out: {path}: {reason}\n")
        });
        lines.collect()
    }

    /// Formats the command that would be run.
    pub(crate) fn dry_run(&self, reply: &ReplyView<DryRunPlan>) -> String {
        let words = reply.data.argv.iter().map(|word| self.escape_controls(word));
        let command = words.collect::<Vec<_>>().join(" ");
        format!("{}  {command}\n", self.sentence(reply))
    }

    /// Formats the lockfiles that do not hold, and why.
    pub(crate) fn lockfiles(&self, reply: &ReplyView<LockCheck>) -> String {
        let lines = reply.data.lockfiles.iter().map(|LockFinding { address, why }| {
            let path = self.path(address.as_deref().unwrap_or_default());
            format!("{} {path}\n    {}\n", self.paint("✗", BAD), self.escape_controls(why))
        });
        self.with_sentence(lines.collect(), reply)
    }

    /// Formats the links of a chain, their merged config, and whether the chain is pinned.
    pub(crate) fn chain(&self, reply: &ReplyView<ShownChain>) -> String {
        let data = &reply.data;
        let links = data.chain.iter().enumerate().map(|(depth, link)| match depth {
            0 => self.link(link) + "\n",
            _ => format!("{}└─ {}\n", "   ".repeat(depth - 1), self.link(link)),
        });
        let config = data.config.iter().map(|(key, value)| {
            let value = self.escape_controls(&value.to_string());
            format!("  {}: {value}\n", self.escape_controls(key))
        });
        let pinned = match (&data.lockfile, &data.refused) {
            (_, Some(refused)) => {
                format!("{} {}\n", self.paint("not run:", BAD), self.escape_controls(refused))
            }
            (Some(lockfile), None) => {
                format!("{} {}\n", self.paint("pinned by", GOOD), self.path(lockfile))
            }
            (None, None) => self.paint("not pinned; `mere lock` pins it", DIM) + "\n",
        };
        links
            .chain(["\nconfig\n".to_owned()])
            .chain(config)
            .chain(["\n".to_owned(), pinned])
            .collect()
    }

    fn link(&self, link: &ChainLink) -> String {
        let status = link.trust.status.as_str();
        let style = match status {
            "verified" => GOOD,
            "builtin" => DIM,
            _ => BAD,
        };
        let place = match (status, link.category.as_str()) {
            ("builtin", _) => String::new(),
            (_, "") => format!("  {}", link.scope),
            (_, category) => format!("  {} {category}", link.scope),
        };
        let digest = self.paint(link.integrity.get(..12).unwrap_or_default(), DIM);
        let status = self.paint(status, style);
        format!("{} {}  {status}{place}  {digest}", link.tool_id, link.version)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pipe_printer, success};
    use super::*;
    use serde_json::json;

    #[test]
    fn a_chain_says_whether_it_is_pinned_and_would_run() {
        let chain = json!([{ "tool_id": "a", "version": "1", "scope": "user", "category": "c",
                             "integrity": "0123456789abcdef", "trust": { "status": "draft" } }]);
        let data = |more: Value| {
            let mut data = json!({ "chain": chain, "config": { "k": [1] } });
            let fields = more.as_object().cloned().unwrap_or_default();
            data.as_object_mut().expect("an object").extend(fields);
            data
        };
        let start = "a 1  draft  user c  0123456789ab\n\nconfig\n  k: [1]\n\n";
        for (more, expected) in [
            (json!({}), "not pinned; `mere lock` pins it\n"),
            (json!({ "lockfile": "ROOT_PROJECT:/l" }), "pinned by l\n"),
            (json!({ "refused": "why" }), "not run: why\n"),
        ] {
            let shown = pipe_printer().chain(&success(data(more)));
            assert_eq!(shown, format!("{start}{expected}"));
        }
    }

    #[test]
    fn lockfiles_that_do_not_hold_are_named() {
        let data = json!({ "lockfiles": [{ "address": "ROOT_PROJECT:/l", "why": "w" }] });
        assert_eq!(pipe_printer().lockfiles(&success(data)), "✗ l\n    w\nDone.\n");
    }
}
