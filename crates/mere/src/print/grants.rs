//! How the things that tools ask for, and what was granted, look to a person.

use std::io;

use mere_core::chain::{GrantedHost, HostReach, ToolGrant};
use mere_core::item::ItemRef;
use mere_core::request::GrantTool;
use serde::Deserialize;

use super::Printer;
use super::items::{FAINT, STRONG};
use super::reply::{ReplyView, nullable};

/// What a tool asks for.
#[derive(Deserialize)]
pub(crate) struct RequestedPermissions {
    #[serde(deserialize_with = "nullable")]
    project: Option<String>,
    net: Vec<String>,
    secrets: Vec<String>,
}

/// The data of a refused run that lacks a grant.
#[derive(Deserialize)]
pub(crate) struct MissingGrants {
    pub(crate) missing: RequestedPermissions,
}

/// The data of a reply to `mere grant`.
#[derive(Deserialize)]
pub(crate) struct GrantOutcome {
    pub(crate) missing: RequestedPermissions,
}

/// The data of a reply to `mere grants`.
#[derive(Deserialize)]
pub(crate) struct GrantList {
    grants: Vec<ListedGrant>,
}

#[derive(Deserialize)]
struct ListedGrant {
    tool: String,
    #[serde(deserialize_with = "nullable")]
    project: Option<String>,
    net: Vec<String>,
    net_private: Vec<String>,
    secrets: Vec<String>,
    current: bool,
}

impl RequestedPermissions {
    /// Returns whether nothing is asked for.
    pub(crate) fn is_empty(&self) -> bool {
        self.project.is_none() && self.net.is_empty() && self.secrets.is_empty()
    }

    /// Makes the request that grants all of it. A host with a private address needs a grant of its
    /// own, which nobody gives in passing.
    pub(crate) fn to_request(&self, tool: &ItemRef) -> io::Result<GrantTool> {
        let wrong = || io::Error::other("internal error: the permissions cannot be read");
        let project = self.project.as_deref().map(str::parse).transpose().map_err(|_| wrong())?;
        let hosts = self.net.iter().map(|target| {
            let target = target.parse().map_err(|_| wrong())?;
            Ok(GrantedHost { target, reach: HostReach::Public })
        });
        let secrets = self.secrets.iter().map(|name| name.parse().map_err(|_| wrong()));
        let grant = ToolGrant {
            project,
            hosts: hosts.collect::<io::Result<_>>()?,
            secrets: secrets.collect::<io::Result<_>>()?,
        };
        Ok(GrantTool { item: tool.clone(), grant })
    }

    /// Explains to a person what would be granted, one line each.
    fn explain(&self) -> String {
        let mut out = String::new();
        let mut line = |text: String| out.extend(["  ", &text, "\n"]);
        if let Some(access) = &self.project {
            let what = match access.as_str() {
                "propose" => {
                    "read the project, and propose changes that you review before they \
                              are made"
                }
                _ => "read the project, and change nothing in it",
            };
            line(format!("- {what}."));
            line(
                "  It does not see sensitive files, .git, .ai or workspaces. It can read secrets \
                 that lie"
                    .to_owned(),
            );
            line("  in ordinary files; they are masked in what it prints.".to_owned());
        }
        if !self.net.is_empty() {
            line(format!("- connect to {}, and to nothing else.", self.net.join(", ")));
            if self.project.is_some() {
                line(
                    "  What it reads in the project could leave this machine that way.".to_owned(),
                );
            }
        }
        if !self.secrets.is_empty() {
            line(format!("- be given your secrets {}.", self.secrets.join(", ")));
        }
        out
    }
}

impl ListedGrant {
    fn describe(&self) -> String {
        let project = self.project.iter().map(|access| format!("project {access}"));
        let hosts = self.net.iter().map(|target| format!("net {target}"));
        let private = self.net_private.iter().map(|target| format!("net-private {target}"));
        let secrets = self.secrets.iter().map(|name| format!("secret {name}"));
        project.chain(hosts).chain(private).chain(secrets).collect::<Vec<_>>().join(", ")
    }
}

impl Printer {
    /// Formats the question that is asked before a tool is granted something.
    pub(crate) fn grant_question(&self, tool: &ItemRef, missing: &RequestedPermissions) -> String {
        let tool = self.paint(&tool.to_string(), STRONG);
        format!("The tool {tool} asks to\n{}", self.escape_controls(&missing.explain()))
    }

    /// Formats what `mere grant` did.
    pub(crate) fn grant(&self, reply: &ReplyView<GrantOutcome>) -> String {
        self.sentence(reply)
    }

    /// Formats the list of what was granted.
    pub(crate) fn grants(&self, reply: &ReplyView<GrantList>) -> String {
        let lines = reply.data.grants.iter().map(|one| {
            let tool = self.paint(&self.escape_controls(&one.tool), STRONG);
            let what = self.escape_controls(&one.describe());
            let state = if one.current {
                String::new()
            } else {
                self.paint("  the tool has changed or is gone: this no longer counts", FAINT)
            };
            format!("{tool}  {what}{state}\n")
        });
        self.with_sentence(lines.collect(), reply)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pipe_printer, success};
    use super::*;
    use serde_json::json;

    #[test]
    fn a_person_is_told_what_a_tool_could_do() {
        let asked = json!({ "project": "read", "net": ["a.example"], "secrets": ["KEY"] });
        let asked = serde_json::from_value::<RequestedPermissions>(asked).expect("permissions");
        let text = pipe_printer().grant_question(&"c/t".parse().expect("a tool"), &asked);
        for part in [
            "The tool c/t asks to\n",
            "- read the project, and change nothing",
            "secrets that lie\n",
            "- connect to a.example, and to nothing else.",
            "could leave this machine",
            "- be given your secrets KEY.",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let request = asked.to_request(&"c/t".parse().expect("a tool")).expect("a request");
        assert_eq!(request.grant.hosts[0].reach, HostReach::Public);
    }

    #[test]
    fn a_grant_that_no_longer_counts_is_marked() {
        let grant = |tool: &str, current: bool| {
            json!({ "tool": tool, "project": "read", "net": [], "net_private": ["b:1"],
                    "secrets": [], "current": current })
        };
        let data = json!({ "grants": [grant("a", true), grant("b", false)] });
        assert_eq!(
            pipe_printer().grants(&success(data)),
            "a  project read, net-private b:1\n\
             b  project read, net-private b:1  the tool has changed or is gone: this no longer \
             counts\nDone.\n"
        );
    }
}
