//! One signed item of each kind, and hands that change, move, copy and link them.
//!
//! A [`Signed`] stage is made once by the real binary; each case of the matrix works on a copy of
//! it. What an item says to its reader contains `BODY` or `SIDE`, so that a test can see whether any
//! of it was told.

use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

use crate::support::harness::Stage;

/// The space of the project.
pub(crate) const SPACE: &str = "6f2d7c1e-5d0b-4a56-9c1f-1d2a3b4c5d6e";
/// The user's own space.
pub(crate) const OWN_SPACE: &str = "0190a6c4-3b5e-7cc3-98c4-dc0c0c07398f";
/// The version of the lockfile.
pub(crate) const VERSION: &str = "1.0.0";

/// How an item lies on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Markdown,
    FlatTool,
    Lock,
    /// With the name of its main file.
    Folder(&'static str),
}

/// An item somewhere on a stage.
#[derive(Clone, Debug)]
pub(crate) struct TestItem {
    /// What it is called in `load`.
    pub(crate) kind: &'static str,
    pub(crate) shape: Shape,
    /// `project`, or `home` for the user's own space.
    pub(crate) root: String,
    /// The folder its category starts from, below the root.
    pub(crate) base: &'static str,
    pub(crate) category: &'static str,
    pub(crate) id: String,
    pub(crate) version: &'static str,
}

/// Every kind, where it was signed.
pub(crate) fn kinds() -> [TestItem; 7] {
    use Shape::{FlatTool, Folder, Lock, Markdown};
    let item = |kind, shape, base, category, id: &str| TestItem {
        kind,
        shape,
        root: "project".to_owned(),
        base,
        category,
        id: id.to_owned(),
        version: VERSION,
    };
    [
        item("directive", Markdown, ".ai/directives", "api", "deploy"),
        item("directive", Folder("SKILL.md"), ".ai/directives", "api", "review"),
        item("directive", Folder("SKILL.md"), ".claude/skills", "", "lint"),
        item("tool", FlatTool, ".ai/tools", "api", "jwt"),
        item("tool", Folder("manifest.yaml"), ".ai/tools", "api", "kit"),
        item("knowledge", Markdown, ".ai/knowledge", "api", "facts"),
        item("lockfile", Lock, ".ai/lockfiles", "api", "pin"),
    ]
}

impl TestItem {
    /// `category/id`, and the version of a lockfile.
    pub(crate) fn reference(&self) -> String {
        let version = if self.shape == Shape::Lock { self.version } else { "" };
        let version = if version.is_empty() { String::new() } else { format!("@{version}") };
        format!("{}/{}{version}", self.category, self.id)
    }

    /// The same as people are told to type it.
    pub(crate) fn name(&self) -> String {
        format!("{}/{}", self.category, self.id).trim_start_matches('/').to_owned()
    }

    pub(crate) fn id(&self, id: &str) -> Self {
        Self { id: id.to_owned(), ..self.clone() }
    }

    pub(crate) fn category(&self, category: &'static str) -> Self {
        Self { category, ..self.clone() }
    }

    pub(crate) fn root(&self, root: &str) -> Self {
        Self { root: root.to_owned(), ..self.clone() }
    }

    pub(crate) fn base(&self, base: &'static str) -> Self {
        Self { base, ..self.clone() }
    }

    pub(crate) fn kind(&self, kind: &'static str, base: &'static str) -> Self {
        Self { kind, ..self.base(base) }
    }

    pub(crate) fn version(&self, version: &'static str) -> Self {
        Self { version, ..self.clone() }
    }

    /// The same item in the user's own space.
    pub(crate) fn in_own_space(&self) -> Self {
        let base = if self.base == ".claude/skills" { ".ai/directives" } else { self.base };
        self.root("home").base(base)
    }

    pub(crate) fn is_there(&self, stage: &Stage) -> bool {
        stage.path(&self.main()).exists()
    }

    pub(crate) fn is_folder(&self) -> bool {
        matches!(self.shape, Shape::Folder(_))
    }

    /// The folder of its main file.
    pub(crate) fn folder(&self) -> String {
        let category = self.category.split('/').filter(|level| !level.is_empty());
        let levels = [self.root.as_str(), self.base].into_iter().chain(category);
        let levels = levels.chain(self.is_folder().then_some(self.id.as_str()));
        levels.collect::<Vec<_>>().join("/")
    }

    /// The name of its main file.
    pub(crate) fn main_name(&self) -> String {
        match self.shape {
            Shape::Markdown => format!("{}.md", self.id),
            Shape::FlatTool => format!("{}.yaml", self.id),
            Shape::Lock => format!("{}@{}.lock.json", self.id, self.version),
            Shape::Folder(name) => name.to_owned(),
        }
    }

    pub(crate) fn main(&self) -> String {
        format!("{}/{}", self.folder(), self.main_name())
    }

    pub(crate) fn sidecar(&self) -> String {
        let name =
            if self.is_folder() { ".sig".to_owned() } else { format!("{}.sig", self.main_name()) };
        format!("{}/{name}", self.folder())
    }

    /// A file of it besides the main one.
    pub(crate) fn side(&self) -> Option<String> {
        match self.shape {
            Shape::Markdown | Shape::Lock => None,
            Shape::FlatTool => Some(format!("{}/{}.py", self.folder(), self.id)),
            Shape::Folder(_) => Some(format!("{}/lib/run.sh", self.folder())),
        }
    }

    /// Its main file, as agents are told of it.
    pub(crate) fn address(&self) -> String {
        let main = self.main();
        match main.strip_prefix("home/.ai/") {
            Some(below) => format!("ROOT_USER:/{below}"),
            None => format!("ROOT_PROJECT:/{}", main.split_once('/').expect("a root").1),
        }
    }

    /// Its sidecar, as agents are told of it.
    pub(crate) fn sidecar_address(&self) -> String {
        let sidecar = self.sidecar();
        match sidecar.strip_prefix("home/.ai/") {
            Some(below) => format!("ROOT_USER:/{below}"),
            None => format!("ROOT_PROJECT:/{}", sidecar.split_once('/').expect("a root").1),
        }
    }

    /// Its main file's text, with `body` in every place that is told.
    pub(crate) fn text(&self, body: &str) -> String {
        let (id, version) = (&self.id, self.version);
        match (self.kind, self.shape) {
            ("directive", Shape::Markdown) => format!(
                "# Before {body}\n\n<directive name=\"{id}\" version=\"{version}\">\n\
                 <metadata><description>{body} described</description></metadata>\n\
                 <process><step name=\"one\"><action>{body}</action></step></process>\n\
                 </directive>\n\nAfter {body}\n"
            ),
            ("directive", _) => {
                format!("---\nname: {id}\ndescription: {body} described\n---\n{body}\n")
            }
            ("tool", _) => format!(
                "tool_id: {id}\ntool_type: script\nexecutor_id: subprocess\n\
                 version: \"{version}\"\ndescription: {body} described\nx_note: {body}\n\
                 config: {{command: [echo]}}\n"
            ),
            ("lockfile", _) => lockfile(self, body),
            _ => format!("---\nid: {id}\ntitle: {body} described\n---\n{body}\n"),
        }
    }

    /// Writes it, unsigned.
    pub(crate) fn write(&self, stage: &Stage, body: &str) {
        stage.file(&self.main(), &self.text(body));
        if let Some(side) = self.side() {
            stage.file(&side, &format!("SIDE of {body}\n"));
        }
    }

    /// The paths of it on a stage: its folder, or its files.
    fn parts(&self) -> Vec<String> {
        if self.is_folder() {
            return vec![self.folder()];
        }
        [Some(self.main()), Some(self.sidecar()), self.side()].into_iter().flatten().collect()
    }

    /// Takes it elsewhere by hand, signature and all, with `mv`, `cp -a` or `cp -al`.
    pub(crate) fn carry(&self, stage: &Stage, to: &Self, how: &[&str]) {
        for (from, to) in self.parts().into_iter().zip(to.parts()) {
            let to = stage.path(&to);
            std::fs::create_dir_all(to.parent().expect("a parent")).expect("folders");
            run(Command::new(how[0]).args(&how[1..]).arg("-T").arg(stage.path(&from)).arg(to));
        }
    }

    pub(crate) fn moved(&self, stage: &Stage, to: &Self) {
        self.carry(stage, to, &["mv"]);
    }

    /// Takes it elsewhere by hand, and leaves its signature where it was.
    pub(crate) fn moved_without_sidecar(&self, stage: &Stage, to: &Self) {
        self.moved(stage, to);
        let left = stage.path(&self.sidecar());
        std::fs::create_dir_all(left.parent().expect("a parent")).expect("folders");
        std::fs::rename(stage.path(&to.sidecar()), left).expect("left behind");
    }

    pub(crate) fn copied(&self, stage: &Stage, to: &Self) {
        self.carry(stage, to, &["cp", "-a"]);
    }

    /// Its sidecar as JSON.
    pub(crate) fn read_sidecar(&self, stage: &Stage) -> Value {
        serde_json::from_str(&read(stage, &self.sidecar())).expect("JSON")
    }

    /// Puts another sidecar beside it.
    pub(crate) fn write_sidecar(&self, stage: &Stage, sidecar: &Value) {
        stage.file(&self.sidecar(), &format!("{sidecar:#}"));
    }
}

fn lockfile(item: &TestItem, body: &str) -> String {
    let (id, version, category) = (&item.id, item.version, item.category);
    let is_own = item.root == "home";
    let (scope, space) = if is_own { ("user", OWN_SPACE) } else { ("project", SPACE) };
    let integrity = if body == "BODY" { "b0d7" } else { "0000" }.repeat(16);
    format!(
        r#"{{
  "lockfile_version": 1,
  "root": {{ "tool_id": "{id}", "version": "{version}", "integrity": "{integrity}" }},
  "resolved_chain": [],
  "registry": null,
  "metadata": {{
    "tool_id": "{id}", "version": "{version}", "category": "{category}", "scope": "{scope}",
    "space_id": "{space}"
  }}
}}
"#
    )
}

/// A stage where every kind of item is signed.
pub(crate) struct Signed(Stage);

impl Signed {
    /// Signs with a key that is made here.
    pub(crate) fn new() -> Self {
        Self::of(&kinds())
    }

    /// The same with other items.
    pub(crate) fn of(items: &[TestItem]) -> Self {
        let stage = Stage::new();
        prepare(&stage);
        for item in items {
            item.write(&stage, "BODY");
        }
        sign_all(&stage);
        Self(stage)
    }

    /// The stage itself, of which copies are made.
    pub(crate) fn stage(&self) -> &Stage {
        &self.0
    }

    /// A copy to work on: another folder, the same keys.
    pub(crate) fn copy(&self) -> Stage {
        let stage = Stage::new();
        copy_tree(&self.0.path("."), &stage.path("."));
        stage
    }

    /// The same items, signed by somebody else for the same places.
    pub(crate) fn by_another(&self) -> Stage {
        let stage = self.copy();
        for item in kinds() {
            std::fs::remove_file(stage.path(&item.sidecar())).expect("removed");
        }
        std::fs::remove_dir_all(stage.path("home/.config")).expect("no keys");
        prepare(&stage);
        sign_all(&stage);
        stage
    }
}

/// A key, two spaces, and a config that says nothing of what must be signed.
pub(crate) fn prepare(stage: &Stage) {
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    stage.file("project/.ai/config.yaml", "folders: {directives: [.claude/skills]}\n");
    for (space, id) in [("project", SPACE), ("home", OWN_SPACE)] {
        let text = format!("{{\"format\": 1, \"space_id\": \"{id}\", \"name\": \"{space}\"}}\n");
        stage.file(&format!("{space}/.ai/space.json"), &text);
    }
    done(stage, &["keys", "generate", "--no-passphrase"]);
}

/// Signs every item in the project and in the user's own space.
pub(crate) fn sign_all(stage: &Stage) {
    done(stage, &["sign", "--all", "--yes"]);
}

/// A person's command that must succeed.
pub(crate) fn done(stage: &Stage, arguments: &[&str]) -> String {
    let output = stage.person(arguments);
    let words = [output.stdout, output.stderr].concat();
    let words = String::from_utf8_lossy(&words).into_owned();
    assert!(output.status.success(), "{arguments:?}: {words}");
    words
}

pub(crate) fn read(stage: &Stage, below: &str) -> String {
    std::fs::read_to_string(stage.path(below)).unwrap_or_else(|error| panic!("{below}: {error}"))
}

/// Copies a folder's content, permissions and all.
pub(crate) fn copy_tree(from: &Path, to: &PathBuf) {
    run(Command::new("cp").args(["-a", "-T"]).arg(from).arg(to));
}

pub(crate) fn run(command: &mut Command) {
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// What a payload says.
pub(crate) fn decode(payload: &Value) -> String {
    let bytes = BASE64_STANDARD.decode(payload.as_str().expect("a text")).expect("base64");
    String::from_utf8(bytes).expect("UTF-8")
}

pub(crate) fn encode(payload: &str) -> String {
    BASE64_STANDARD.encode(payload)
}
