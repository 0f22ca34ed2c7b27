//! The packages of the binary under test, made once for all tests.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use crate::support::harness::Stage;
use crate::support::tools;
use crate::tidy::workspace;

/// What the script wrote, and what it said.
pub(super) struct Packages {
    pub(super) folder: PathBuf,
    pub(super) printed: String,
}

static PACKAGES: LazyLock<Packages> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    // A release has no symbols either; they would be most of what is packed.
    let binary = folder.join("mere");
    run(Command::new("strip").arg("-o").arg(&binary).arg(env!("CARGO_BIN_EXE_mere")));
    let mut script = Command::new("python3");
    script.arg(workspace().join("packaging/package.py")).arg("--binary").arg(&binary);
    let printed = run(script.arg("--out").arg(folder.join("dist")));
    Packages { folder: folder.join("dist"), printed }
});

impl Packages {
    pub(super) fn get() -> &'static Self {
        &PACKAGES
    }

    /// The one package whose name ends like this.
    pub(super) fn path(&self, ending: &str) -> PathBuf {
        let entries = std::fs::read_dir(&self.folder).expect("the packages");
        let names = entries.map(|entry| entry.expect("an entry").path());
        let is_it = |path: &PathBuf| path.to_str().is_some_and(|name| name.ends_with(ending));
        let found = names.filter(is_it).collect::<Vec<_>>();
        assert_eq!(found.len(), 1, "{ending}: {found:?}");
        found.into_iter().next().expect("one")
    }
}

/// Runs a command that must succeed, and returns what it prints.
pub(super) fn run(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}: {printed} {words}");
    printed
}

/// The bundle's own tool.
pub(super) fn mcpb(stage: &Stage, arguments: &[&str]) -> Command {
    let tool = workspace().join("target/package-tools/node_modules/@anthropic-ai/mcpb");
    assert!(tool.exists(), "run ./test: it installs what checks the packages");
    let mut command = tools::node(stage);
    command.arg(tool.join("dist/cli/cli.js")).args(arguments).current_dir(stage.path("beside"));
    command
}
