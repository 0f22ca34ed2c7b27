//! The small corpus that the MCP servers are measured on.
//!
//! It is the same in every run.

use std::path::Path;

use crate::random::Random;
use crate::text::{self, Language};

/// A folder with 483 entries.
pub(crate) const WIDE: &str = "wide";
/// A folder with 10 entries.
pub(crate) const NARROW: &str = "narrow";
/// A file of 8 KB.
pub(crate) const SHORT: &str = "short.rs";
/// A file of 600 KB.
pub(crate) const LONG: &str = "long.rs";

/// Fills an empty folder.
pub(crate) fn fill(folder: &Path) {
    std::fs::create_dir(folder.join(".git")).expect("a folder");
    write_entries(&folder.join(WIDE), 483);
    write_entries(&folder.join(NARROW), 10);
    let mut random = Random::new(1);
    for (name, size) in [(SHORT, 8 * 1024), (LONG, 600 * 1024)] {
        let mut text = text::generate(Language::Rust, size, &mut random);
        text.truncate(size);
        std::fs::write(folder.join(name), text).expect("a file");
    }
}

/// Writes entries of which every tenth is a folder and the others are files.
fn write_entries(folder: &Path, entries: usize) {
    std::fs::create_dir(folder).expect("a folder");
    for number in 0..entries {
        let path = folder.join(format!("entry-{number:04}.txt"));
        if number % 10 == 0 {
            std::fs::create_dir(path).expect("a folder");
        } else {
            std::fs::write(path, format!("entry {number}\n")).expect("a file");
        }
    }
}
