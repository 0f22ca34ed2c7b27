//! The sentences about tools of other MCP servers. None of them repeats what a server said.

use mere_core::item::ItemRef;
use mere_core::mcp::PinnedPart;
use mere_core::reply::{Data, Draft, Fields, ParsedName, Prose, codes};

/// Answers a run of a tool that its server describes otherwise than when it was imported.
pub(super) fn changed_tool_reply(
    tool: &ItemRef,
    server: &ItemRef,
    changed: &[PinnedPart],
) -> Draft {
    let parts = changed.iter().map(|part| format!("`{part}`")).collect::<Vec<_>>().join(", ");
    let message = Prose::words("The tool `").name(ParsedName::from(tool));
    let message = match changed {
        [] => message.and("` is no longer a tool of its server. Nothing was called."),
        _ => message.and(format!(
            "` is not what was imported: its server now gives it another {parts}. It was not called."
        )),
    };
    let names = changed.iter().map(|part| Data::from(part.key())).collect::<Data>();
    let hint = Prose::words("Ask a person to read what the server says now: `mere import-mcp ")
        .name(ParsedName::from(server))
        .and("` shows it, and imports it anew.");
    let data = Fields::default().with("tool", ParsedName::from(tool)).with("changed", names);
    Draft::fault(codes::RUN_REMOTE_CHANGED, message).hint(hint).data(data)
}
