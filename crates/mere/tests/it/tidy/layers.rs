//! The layers of the engine: a room imports only from rooms below its own.
//!
//! The order is written here once. An import upwards would tie rooms into a knot again, in which
//! nothing can be read or changed alone.

use super::sources;

/// The rooms of the engine, the lowest first.
const LAYERS: [&str; 15] = [
    "config", "policy", "trust", "world", "space", "files", "memory", "items", "search", "run",
    "offers", "registry", "error", "commands", "session",
];

/// The rooms that a line of code names by `crate::room`.
fn named_rooms(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("crate::").map(|(at, prefix)| {
        let rest = &line[at + prefix.len()..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    })
}

#[test]
fn a_room_of_the_engine_imports_only_from_below() {
    let rank = |room: &str| LAYERS.iter().position(|layer| *layer == room);
    let mut seen = 0;
    for (path, text) in sources() {
        let Some(inside) = path.strip_prefix("crates/mere-engine/src/") else { continue };
        let Some((room, _)) = inside.split_once('/') else { continue };
        let own = rank(room).unwrap_or_else(|| panic!("{path} is in no layer"));
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        for target in code.flat_map(named_rooms) {
            seen += 1;
            let target_rank =
                rank(target).unwrap_or_else(|| panic!("{path} imports `crate::{target}`"));
            assert!(target_rank <= own, "{path} imports {target}, which is above");
        }
    }
    assert!(seen > 500, "the imports are found: {seen}");
}
