//! The arguments of the commands that run tools and pin what they run on.
//!
//! Parameters are parsed but not validated here, because their types are in the tool's schema.

use clap::Args;
use mere_core::item::ItemRef;
use mere_core::request::{LockCommand, LockfilePolicy, RunTool, UnsignedPolicy};
use serde_json::{Map, Value};

use super::AnswerArguments;
use super::items::ScopeArgument;
use crate::print::terminal::quote_for_shell as quote;

/// Runs a signed tool in a sandbox, where it sees its own files, the workspace and what you granted
/// to it, and nothing else.
#[derive(Args)]
#[command(after_help = "Examples:
  mere run hello_tool --param name=Ada
  mere run data/clean --params '{\"rows\": 3}' --json
  mere run hello_tool --dry-run         everything except running it
  mere run format_code --apply          show what it would change, and ask

Exit status: 5 if the tool ran and failed; else as for every command")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct RunArguments {
    /// The tool, as id or category/id
    #[arg(value_name = "TOOL")]
    item: ItemRef,
    // A parameter without `--param`, which is refused with what to type.
    #[arg(hide = true, value_name = "NAME=VALUE")]
    misplaced: Vec<String>,
    /// A parameter; the tool's schema decides its type; may be repeated
    #[arg(long = "param", short = 'p', value_name = "NAME=VALUE", value_parser = parse_pair)]
    texts: Vec<(String, String)>,
    /// Parameters as one JSON object
    #[arg(long, value_name = "JSON", value_parser = parse_object)]
    params: Option<JsonParameters>,
    /// Refuse to run without a lockfile
    #[arg(long)]
    locked: bool,
    /// Run it even though nobody signed it; only at a terminal
    #[arg(long)]
    allow_unsigned: bool,
    /// Do everything except run it
    #[arg(long)]
    dry_run: bool,
    /// Show what it would change in the project and ask; only at a terminal
    #[arg(long, conflicts_with_all = ["dry_run", "json"])]
    pub(crate) apply: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// Parameters that were given as JSON.
#[derive(Clone, Debug)]
struct JsonParameters(Map<String, Value>);

impl RunArguments {
    pub(crate) fn tool(&self) -> &ItemRef {
        &self.item
    }

    /// Returns whether some parameters are not passed as options.
    pub(crate) fn has_misplaced(&self) -> bool {
        !self.misplaced.is_empty()
    }

    /// Returns how the command would be typed with its parameters as options, given the names of
    /// those that the tool needs. A value without a name gets one if there is no doubt which.
    pub(crate) fn correction(&self, needed: &[String]) -> String {
        let named = self.misplaced.iter().filter_map(|text| text.split_once('='));
        let named = named.map(|(name, _)| name).chain(self.texts.iter().map(|(name, _)| &**name));
        let named = named.collect::<Vec<_>>();
        let open = needed.iter().filter(|name| !named.contains(&name.as_str()));
        let open = open.collect::<Vec<_>>();
        let nameless = self.misplaced.iter().filter(|text| !text.contains('=')).count();
        let mut names = open.iter().filter(|_| open.len() == nameless && nameless == 1);
        let given = self.texts.iter().map(|(name, value)| format!("{name}={value}"));
        let misplaced = self.misplaced.iter().map(|text| {
            if text.contains('=') {
                return text.clone();
            }
            format!("{}={text}", names.next().map_or("NAME", |name| name.as_str()))
        });
        let options = given.chain(misplaced).map(|text| format!(" --param {}", quote(&text)));
        format!("mere run {}{}", self.item, options.collect::<String>())
    }

    pub(crate) fn is_dry(&self) -> bool {
        self.dry_run
    }

    pub(crate) fn to_request(&self) -> RunTool {
        RunTool {
            item: self.item.clone(),
            parameters: self.params.clone().map(|JsonParameters(given)| given).unwrap_or_default(),
            typed_parameters: self.texts.clone(),
            lockfile_policy: if self.locked {
                LockfilePolicy::Required
            } else {
                LockfilePolicy::Optional
            },
            unsigned_policy: if self.allow_unsigned {
                UnsignedPolicy::Allow
            } else {
                UnsignedPolicy::Refuse
            },
            dry_run: self.dry_run,
        }
    }
}

fn parse_pair(text: &str) -> Result<(String, String), String> {
    let wrong = || "a parameter must be NAME=VALUE".to_owned();
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    if name.is_empty() { Err(wrong()) } else { Ok((name.to_owned(), value.to_owned())) }
}

fn parse_object(text: &str) -> Result<JsonParameters, String> {
    match mere_core::text::json::parse(text.as_bytes()) {
        Ok(Value::Object(map)) => Ok(JsonParameters(map)),
        _ => Err("parameters must be one JSON object without duplicate keys".to_owned()),
    }
}

/// Shows the tools that run each other, who signed each, and their merged config.
#[derive(Args)]
#[command(after_help = "Example:
  mere chain hello_tool")]
pub(crate) struct ChainArguments {
    /// The tool, as id or category/id
    #[arg(value_name = "TOOL")]
    pub(crate) item: ItemRef,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// A lockfile records the hash of each tool in a chain; a run that differs from it is refused.
#[derive(Args)]
#[command(after_help = "Examples:
  mere lock hello_tool                  pin it as it is now and sign the lockfile
  mere lock hello_tool --scope user     for yourself only
  mere lock --stale                     pin again what was changed and signed since
  mere lock --check                     compare every lockfile; exit status 4 if one differs")]
pub(crate) struct LockArguments {
    /// The tool, as id or category/id
    #[arg(value_name = "TOOL", required_unless_present_any = ["check", "stale"])]
    item: Option<ItemRef>,
    /// The scope of the lockfile
    #[arg(long, value_enum, default_value = "project", conflicts_with = "check")]
    scope: ScopeArgument,
    /// Compare all lockfiles with what is there
    #[arg(long, conflicts_with = "item")]
    check: bool,
    /// Pin again every tool whose lockfile no longer matches
    #[arg(long, conflicts_with_all = ["item", "check", "scope"])]
    stale: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

impl LockArguments {
    pub(crate) fn to_request(&self) -> LockCommand {
        match &self.item {
            Some(item) => LockCommand::Make { item: item.clone(), scope: self.scope.into() },
            None if self.stale => LockCommand::Renew,
            None => LockCommand::Check,
        }
    }
}

/// Fetches what the tool's requirements.txt or package.json asks for, with your own pip or npm. No
/// code of a package runs during this.
#[derive(Args)]
#[command(after_help = "Example:
  mere prepare data/clean")]
pub(crate) struct PrepareArguments {
    /// The tool, as id or category/id
    #[arg(value_name = "TOOL")]
    pub(crate) item: ItemRef,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}
