//! The paths of all extra folders, stores and item folders that a config names.
//!
//! They are read apart from the keys that take effect, and whatever else in the file is wrong: the
//! gate keeps such paths from agents even if nobody trusts them and nothing uses them.

use cap_std::fs::Dir;
use serde_json::Value;

use super::{FILE, yaml};

/// The keys whose values name folders.
const KEYS: [&str; 3] = ["mods", "stores", "folders"];

/// Reads the paths as they are written. A file that is no YAML names none; no call succeeds while
/// it is there.
pub(crate) fn read_named_folders(space: &Dir) -> Vec<String> {
    let text = yaml::read(space, FILE).ok().flatten().unwrap_or_default();
    let config = yaml::parse::<Value>(&text).unwrap_or_default();
    let mut paths = Vec::new();
    for key in KEYS {
        collect_paths(&config[key], &mut paths);
    }
    paths
}

/// Collects the texts under `path`, and those in lists.
fn collect_paths(value: &Value, paths: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            for item in items {
                paths.extend(item.as_str().map(str::to_owned));
                collect_paths(item, paths);
            }
        }
        Value::Object(map) => {
            for (key, value) in map {
                paths.extend(value.as_str().filter(|_| key == "path").map(str::to_owned));
                collect_paths(value, paths);
            }
        }
        _ => {}
    }
}
