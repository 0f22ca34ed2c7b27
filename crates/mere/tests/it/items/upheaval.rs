//! Whatever happens to the folders of a space, everyone is told what a fresh scan would tell.
//!
//! A die makes, removes, moves and links files and folders, some of them behind the back of a
//! server that watches and of an index that was written. After each throw the server, a command that
//! uses the index and a command that has none are asked, and must agree.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};

const IDS: [&str; 5] = ["a", "b", "kit", "d", "e"];
const FOLDERS: [&str; 6] = ["", "a", "kit", "a/b", "kit/a", "d/e/a"];

/// A die that falls the same way each time.
struct Die(u64);

impl Die {
    fn throw(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).expect("a side")
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.throw(from.len())]
    }
}

struct Ground<'a> {
    stage: &'a Stage,
    random: Die,
}

impl Ground<'_> {
    fn folder(&mut self) -> PathBuf {
        self.stage.path("project/.ai/tools").join(self.random.pick(&FOLDERS))
    }

    /// Something happens. What cannot be done is not done.
    fn shake(&mut self) {
        let (folder, other) = (self.folder(), self.folder());
        let id = self.random.pick(&IDS);
        let manifest = "tool_type: script\nexecutor_id: bash_runtime\nversion: 1.0.0\n";
        let text = |id: &str| format!("tool_id: {id}\n{manifest}");
        let own = folder.file_name().and_then(|name| name.to_str()).unwrap_or("x").to_owned();
        let _ = match self.random.throw(9) {
            0..=2 => std::fs::create_dir_all(&folder)
                .and_then(|()| std::fs::write(folder.join(format!("{id}.yaml")), text(id))),
            3 => std::fs::create_dir_all(&folder)
                .and_then(|()| std::fs::write(folder.join("manifest.yaml"), text(&own))),
            4 => std::fs::remove_file(folder.join(format!("{id}.yaml"))),
            5 => std::fs::remove_file(folder.join("manifest.yaml")),
            6 => std::fs::rename(&folder, &other),
            7 => std::fs::remove_dir_all(&folder),
            _ => std::os::unix::fs::symlink(&other, folder.join(id)),
        };
    }

    /// How often each id is there, by a command with or without an index.
    fn counted(&self, cache: Option<&str>) -> BTreeMap<String, usize> {
        let mut command = self.stage.command("project");
        if let Some(cache) = cache {
            command.env("XDG_CACHE_HOME", self.stage.path(cache));
        }
        let output = command.args(["list", "tool", "--json"]).output().expect("mere runs");
        let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let mut counted = BTreeMap::new();
        for item in reply["data"]["items"].as_array().expect("items") {
            *counted.entry(item["id"].as_str().expect("an id").to_owned()).or_default() += 1;
        }
        counted
    }
}

#[test]
fn answers_are_those_of_a_fresh_scan() {
    let stage = Stage::new();
    stage.folder("project/.ai/tools");
    stage.file("beside/no-folder", "");
    let rounds = if std::env::var_os("MERE_LONG").is_some() { 3000 } else { 100 };
    let seed = 0x9e37_79b9_7f4a_7c15;
    let mut ground = Ground { stage: &stage, random: Die(seed) };
    let mut mcp = Mcp::greeted(&stage, &[]);
    for round in 0..rounds {
        for _ in 0..=ground.random.throw(3) {
            ground.shake();
        }
        let fresh = ground.counted(Some("beside/no-folder"));
        for id in IDS {
            let arguments = json!({ "item_type": "tool", "item_id": id });
            let code = mcp.tool("load", &arguments)["structuredContent"]["code"].clone();
            let expected: &[&str] = match fresh.get(id) {
                None => &["IT-ITEM-I-001"],
                Some(1) => &["IT-LOAD-S-001", "IT-ITEM-I-004"],
                Some(_) => &["IT-ITEM-I-002", "IT-ITEM-I-003"],
            };
            let code_text = code.as_str().expect("a code");
            assert!(
                expected.contains(&code_text),
                "round {round}: {id} is {code_text}, but {fresh:?}"
            );
        }
        assert_eq!(ground.counted(None), fresh, "round {round}, by the index");
    }
}
