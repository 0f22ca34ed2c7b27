//! `mere where`: shows a person where the project, the workspace and the other folders are.
//!
//! It prints host paths, so it is for the operator and never for an agent.

use std::io;
use std::process::ExitCode;

use mere_core::reply::codes;
use mere_engine::{Locations, PathReport, find_locations};
use serde_json::{Value, json};

use crate::arguments::{LocationArguments, WhereArguments};
use crate::print::operator_reply::operator_reply;
use crate::print::terminal;

/// Runs the command.
pub(crate) fn run(
    location: &LocationArguments,
    arguments: &WhereArguments,
) -> io::Result<ExitCode> {
    let agent = arguments.agent.clone();
    let found =
        find_locations(location.project(), location.directory(), agent, arguments.path.as_ref());
    match found {
        Ok(found) if arguments.json => terminal::print_line(&format!("{:#}", reply(&found)))?,
        Ok(found) => {
            for line in lines(&found) {
                terminal::print_line(&line)?;
            }
        }
        Err(error) => return Ok(terminal::print_failure(&error.to_string(), terminal::USAGE)),
    }
    Ok(ExitCode::SUCCESS)
}

fn lines(found: &Locations) -> Vec<String> {
    let project = match &found.project_dir {
        Some(project) => format!("{project} (found by {})", found.found_by),
        None => "none".to_owned(),
    };
    let mut lines = vec![format!("project     {project}")];
    lines.extend(found.member.iter().map(|member| format!("member      {member}")));
    lines.push(format!("working     {}", found.working_dir));
    lines.push(format!("workspace   {}", found.agent_workspace.as_deref().unwrap_or("none")));
    let user_space = found.user_space.as_deref().unwrap_or("none (HOME is not set)");
    lines.push(format!("user space  {user_space}"));
    let own = found.own_folders.iter();
    lines.extend(own.map(|(own, path)| format!("{:<11} {path} ({})", own.name(), own.contents())));
    let extra = found.extra_folders.iter();
    lines.extend(extra.map(|(root, folder)| format!("extra       {root}:/ is {folder}")));
    if let Some(PathReport { input, address, boundary }) = &found.path {
        let address = address.as_deref().unwrap_or("no address");
        lines.push(format!("path        {input}: {address} ({boundary})"));
    }
    lines.extend(found.notes.iter().map(|note| format!("note        {note}")));
    lines
}

/// Builds the same answer in the form of a reply.
fn reply(found: &Locations) -> Value {
    let mut data = json!({
        "project_dir": found.project_dir,
        "found_by": found.project_dir.as_ref().map(|_| &found.found_by),
        "working_dir": found.working_dir, "agent_workspace": found.agent_workspace,
        "user_space": found.user_space
    });
    for (own, path) in &found.own_folders {
        data[own.name()] = json!(path);
    }
    if let Some(member) = &found.member {
        data["member"] = json!(member);
    }
    if let Some(PathReport { input, address, boundary }) = &found.path {
        data["path"] = json!({ "input": input, "address": address, "boundary": boundary });
    }
    if !found.notes.is_empty() {
        data["notes"] = json!(found.notes);
    }
    let message = match found.project_dir {
        Some(_) => "The locations of this project.",
        None => "There is no project: start it in a project or pass `--project`.",
    };
    operator_reply(codes::WHERE, "where", message, &data)
}
