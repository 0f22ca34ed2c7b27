//! A real repository to measure against: the stage's project, under git.

use std::collections::BTreeSet;
use std::process::Command;

use crate::support::harness::Stage;

/// A real repository on a stage.
pub(crate) struct Repository {
    pub(crate) stage: Stage,
}

impl Repository {
    pub(crate) fn new() -> Self {
        let stage = Stage::new();
        std::fs::remove_dir(stage.path("project/.git")).expect("an empty folder");
        let repository = Self { stage };
        repository.git(&["init", "-q"]);
        repository
    }

    /// A repository with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let repository = Self::new();
        for (path, text) in files {
            repository.stage.file(&format!("project/{path}"), text);
        }
        repository
    }

    /// What git prints, without anybody's own configuration.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.env("HOME", self.stage.path("home")).env("GIT_CONFIG_NOSYSTEM", "1");
        command.env_remove("XDG_CONFIG_HOME").current_dir(self.stage.path("project"));
        let output = command.args(arguments).output().expect("git runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// The files git does not ignore.
    pub(crate) fn by_git(&self) -> BTreeSet<String> {
        let listed = self.git(&["ls-files", "-co", "--exclude-standard", "-z"]);
        listed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect()
    }

    /// Removes everything but the repository itself.
    pub(crate) fn clear(&self) {
        let project = self.stage.path("project");
        for entry in std::fs::read_dir(project).expect("the project") {
            let path = entry.expect("an entry").path();
            if path.is_file() {
                std::fs::remove_file(path).expect("a file");
            } else if !path.ends_with(".git") {
                std::fs::remove_dir_all(path).expect("a folder");
            }
        }
    }
}
