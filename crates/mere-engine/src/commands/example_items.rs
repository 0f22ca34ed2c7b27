//! The examples that a new space begins with: their files, and the items that these make.

use mere_core::item::{ItemRef, ItemType, Scope, ScopedPath};
use mere_core::registry::RegistryType;

use crate::registry::ExampleItem;

/// The example that also has a lockfile.
pub(super) const EXAMPLE_TOOL: &str = "hello_tool";

/// The files of the examples, with their paths in the space.
pub(super) const EXAMPLES: [(&str, &str); 7] = [
    ("directives/examples/summarize-folder.md", include_str!("examples/summarize-folder.md")),
    ("tools/examples/hello_tool.yaml", include_str!("examples/hello_tool.yaml")),
    ("tools/examples/hello_tool.py", include_str!("examples/hello_tool.py")),
    ("tools/examples/count_todos.yaml", include_str!("examples/count_todos.yaml")),
    ("tools/examples/count_todos.py", include_str!("examples/count_todos.py")),
    ("knowledge/examples/how-items-work.md", include_str!("examples/how-items-work.md")),
    ("memory/welcome.md", include_str!("examples/welcome.md")),
];

/// Returns the names and the texts of the files of the item whose main file has this path, the main
/// file last.
pub(super) fn item_files<'a>(
    files: &'a [(&'a str, &'a str)],
    place: &ScopedPath,
    path: &str,
) -> Vec<(&'a str, &'a str)> {
    let (folder, _) = path.rsplit_once('/').unwrap_or_default();
    let stem = format!("{folder}/{}.", place.id);
    let is_own = |other: &&(&str, &str)| {
        place.kind == ItemType::Tool && other.0.starts_with(&stem) && other.0 != path
    };
    let main = files.iter().filter(|(other, _)| *other == path);
    let own = files.iter().filter(is_own).chain(main);
    own.map(|(path, text)| (path.rsplit_once('/').map_or(*path, |(_, name)| name), *text)).collect()
}

/// Returns the examples that are the same in every space and that a registry takes.
pub(super) fn shared_examples(scope: Scope) -> Vec<ExampleItem> {
    let item = |(path, _): &(&str, &str)| {
        let place = ScopedPath::from_space_path(scope, &path.parse().ok()?)?;
        RegistryType::try_from(place.kind).ok()?;
        let files = item_files(&EXAMPLES, &place, path);
        let item = ItemRef { category: Some(place.category), id: place.id, version: None };
        Some(ExampleItem { kind: place.kind, item, files })
    };
    EXAMPLES.iter().filter_map(item).collect()
}
