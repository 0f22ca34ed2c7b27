//! How the agents' workspaces look to a person.

use serde::Deserialize;

use super::Printer;
use super::items::{FAINT, STRONG, push_line};
use super::reply::ReplyView;

/// The data of a reply to `mere workspace list`.
#[derive(Deserialize)]
pub(crate) struct WorkspaceList {
    workspaces: Vec<UsedWorkspace>,
}

#[derive(Deserialize)]
struct UsedWorkspace {
    agent: String,
    path: String,
    bytes: u64,
    max_bytes: u64,
    files: u64,
    max_files: u64,
    #[serde(default)]
    proposals: u64,
    /// Whether a part of it could not be measured.
    #[serde(default)]
    partial: bool,
    /// The repositories that were disarmed, and the paths of those that could not be.
    #[serde(default)]
    repositories: Vec<Disarmed>,
    #[serde(default)]
    left: Vec<String>,
}

/// What looked like a repository, and the name that it has now.
#[derive(Deserialize)]
struct Disarmed {
    path: String,
    renamed_to: Option<String>,
}

/// The data of a reply to `mere workspace clean`.
#[derive(Deserialize)]
pub(crate) struct CleanedWorkspaces {
    workspaces: Vec<CleanedWorkspace>,
    pub(crate) files: u64,
}

#[derive(Deserialize)]
struct CleanedWorkspace {
    agent: String,
    files: u64,
    bytes: u64,
}

impl Printer {
    /// Formats the list of workspaces.
    pub(crate) fn workspaces(&self, reply: &ReplyView<WorkspaceList>) -> String {
        let mut out = String::new();
        for one in &reply.data.workspaces {
            let agent = self.paint(&self.escape_controls(&one.agent), STRONG);
            let least = if one.partial { "at least " } else { "" };
            let (used, most) = (format_size(one.bytes), format_size(one.max_bytes));
            push_line(
                &mut out,
                format_args!(
                    "{agent}  {least}{used} of {most}, {} of {} files and folders",
                    one.files, one.max_files
                ),
            );
            let path = self.escape_controls(&one.path);
            push_line(&mut out, format_args!("  {}", self.paint(&path, FAINT)));
            if one.proposals > 0 {
                let proposals = if one.proposals == 1 { "proposal" } else { "proposals" };
                push_line(
                    &mut out,
                    format_args!("  {} {proposals}: see `mere review`", one.proposals),
                );
            }
            self.push_repositories(&mut out, one);
        }
        push_line(&mut out, format_args!("{}", reply.message));
        out
    }

    fn push_repositories(&self, out: &mut String, one: &UsedWorkspace) {
        for Disarmed { path, renamed_to } in &one.repositories {
            let path = self.escape_controls(path);
            let fate = match renamed_to {
                Some(to) => format!("is now {}", self.escape_controls(to)),
                None => "was deleted".to_owned(),
            };
            push_line(out, format_args!("  {path} looked like a repository, and {fate}"));
        }
        for left in &one.left {
            let left = self.escape_controls(left);
            let advice = "may be a repository and cannot be renamed: run no git there, delete it";
            push_line(out, format_args!("  {left} {advice}"));
        }
    }

    /// Formats what was deleted from workspaces, or would be.
    pub(crate) fn cleaned_workspaces(&self, reply: &ReplyView<CleanedWorkspaces>) -> String {
        let mut out = String::new();
        for one in reply.data.workspaces.iter().filter(|one| one.files > 0) {
            let agent = self.paint(&self.escape_controls(&one.agent), STRONG);
            push_line(
                &mut out,
                format_args!(
                    "{agent}  {} in {} {}",
                    format_size(one.bytes),
                    one.files,
                    if one.files == 1 { "file or folder" } else { "files and folders" }
                ),
            );
        }
        push_line(&mut out, format_args!("{}", reply.message));
        out
    }
}

/// Formats a number of bytes in the largest unit that leaves at least one.
fn format_size(bytes: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    let unit = UNITS.iter().find(|(_, size)| bytes >= *size);
    let Some((unit, size)) = unit else { return format!("{bytes} B") };
    match (bytes / size, bytes % size * 10 / size) {
        (whole, 0) => format!("{whole} {unit}"),
        (whole, tenth) => format!("{whole}.{tenth} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_short() {
        for (bytes, expected) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1 KiB"),
            (1536, "1.5 KiB"),
            (1 << 30, "1 GiB"),
            (u64::MAX, "17179869183.9 GiB"),
        ] {
            assert_eq!(format_size(bytes), expected);
        }
    }
}
