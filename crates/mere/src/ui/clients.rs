//! What agents are offered: the tools, and about how many tokens their descriptions cost.

use mere_core::request::{TOOLS, Tool, Toolset};
use mere_pages::{Html, Tag, command_block, element, table};

use super::reader::UiReader;
use super::site;

/// How many bytes of a description are about one token.
const BYTES_PER_TOKEN: usize = 4;

/// Renders the page.
pub(super) fn render(reader: &UiReader) -> String {
    let offered = TOOLS.iter().filter(|tool| reader.has_tool(tool)).collect::<Vec<_>>();
    let listed = offered.iter().filter(|tool| tool.toolset != Toolset::Files);
    let (listed_count, listed_cost) =
        listed.fold((0, 0), |(count, cost), tool| (count + 1, cost + tokens(tool)));
    let total = offered.iter().map(|tool| tokens(tool)).sum::<usize>();
    let lead = format!(
        "A client that connects in this project is shown {listed_count} tools, which cost it about \
         {listed_cost} tokens. With the file tools (--toolsets items,memory,files) there are {}, \
         and about {total} tokens.",
        offered.len()
    );
    let rows = offered.iter().map(|tool| {
        vec![
            element(Tag::Code).with(tool.name).into(),
            group(tool.toolset).into(),
            tokens(tool).to_string().into(),
            tool.about.into(),
        ]
    });
    let columns = ["Tool", "Group", "Tokens", "What the client reads"];
    let table = table("Tools", &columns, rows.collect());
    let content = Html::from(element(Tag::H1).with("Clients"));
    let content = content.with(element(Tag::P).class("lead").with(lead)).with(table);
    let connect = element(Tag::Section).with(element(Tag::H2).with("Connect one"));
    let connect = connect.with(command_block("mere connect claude"));
    site::render("Clients", site::CLIENTS, content.with(connect))
}

/// Estimates how many tokens the description of a tool has.
fn tokens(tool: &Tool) -> usize {
    let schema = serde_json::Value::Object(tool.input_schema()).to_string().len();
    (tool.name.len() + tool.about.len() + schema).div_ceil(BYTES_PER_TOKEN)
}

fn group(toolset: Toolset) -> &'static str {
    match toolset {
        Toolset::Items => "items",
        Toolset::Memory => "memory",
        Toolset::Files => "files",
        Toolset::Reading => "items and memory alone, and files",
        Toolset::Basic => "always",
    }
}
