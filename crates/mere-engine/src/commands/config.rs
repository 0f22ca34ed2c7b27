//! `mere config check`: checks the config files.
//!
//! It only turns the results into a reply and changes nothing; the checks themselves belong to the
//! configuration.

use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};

use crate::memory::config_check::check_config;
use crate::world::Context;

/// Checks both config files. It also reports settings that do not take effect yet, and differences
/// between the configuration and the disk.
pub(crate) fn check(context: &Context) -> Draft {
    let checked = check_config(context);
    let findings = checked.iter().filter(|one| one.problem.is_some()).count();
    let files = checked.into_iter().map(|one| {
        let problem = one.problem.map(Content::mention);
        let warnings = one.warnings.into_iter().map(|words| Data::from(Content::mention(words)));
        let warnings = warnings.collect::<Vec<_>>();
        Data::from(
            Fields::default()
                .with("address", one.address)
                .with("state", one.state)
                .with_some("problem", problem)
                .with_some("note", one.note.map(Content::mention))
                .with_some(
                    "warnings",
                    (!warnings.is_empty()).then(|| warnings.into_iter().collect::<Data>()),
                ),
        )
    });
    let data = Fields::default().with("files", files.collect::<Data>());
    if findings == 0 {
        return Draft::success(codes::CONFIG_CHECKED, "The configuration is valid.").data(data);
    }
    let words = if findings == 1 { "file is" } else { "files are" };
    let message = Prose::words(format!("{findings} config {words} invalid."));
    Draft::fault(codes::CONFIG_WRONG, message)
        .hint("Correct the problems listed; docs/config.md describes every key.")
        .data(data)
}
