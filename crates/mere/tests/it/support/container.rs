//! A machine as containers have it: a file system of its own, with the home folder at `/root`, and
//! nothing of the real one but its programs.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::harness::Stage;

/// Makes the file system, sets up more of it, goes to a folder and becomes `mere`. The first
/// argument is the binary, then come the folder that becomes `/`, the script that sets up more, the
/// folder to go to, and the arguments of `mere`.
const ENTER: &str = r#"
set -e
binary="$0"; top="$1"; setup="$2"; folder="$3"; shift 3
mkdir -p "$top/proc" "$top/dev" "$top/tmp" "$top/etc" "$top/root"
echo root:x:0:0:root:/home/account:/bin/sh > "$top/etc/passwd"
: > "$top/mere"
mount --bind "$top" "$top"
for name in usr bin sbin lib lib32 lib64; do
    if [ -L "/$name" ]; then
        ln -sfn "$(readlink "/$name")" "$top/$name"
    elif [ -d "/$name" ]; then
        mkdir -p "$top/$name"
        mount --rbind "/$name" "$top/$name"
    fi
done
mount --rbind /proc "$top/proc"
mount --rbind /dev "$top/dev"
mount --bind "$binary" "$top/mere"
cd "$top"
exec chroot . /bin/sh -c 'eval "$1"; cd "$2"; shift 2; exec "$@"' sh "$setup" "$folder" /mere "$@"
"#;

/// A container. Its file system is the folder `top` of a stage.
pub(crate) struct Container {
    stage: Stage,
}

impl Container {
    /// Makes a container with these folders, which are named without the leading slash.
    pub(crate) fn new(folders: &[&str]) -> Self {
        let stage = Stage::new();
        stage.folder("top");
        for folder in folders {
            stage.folder(&format!("top/{folder}"));
        }
        Self { stage }
    }

    /// The stage, whose host paths nobody in the container may be told.
    pub(crate) fn stage(&self) -> &Stage {
        &self.stage
    }

    /// Writes a file, by its path without the leading slash.
    pub(crate) fn file(&self, path: &str, text: &str) -> PathBuf {
        self.stage.file(&format!("top/{path}"), text)
    }

    /// `mere` in a folder of the container.
    pub(crate) fn command(&self, folder: &str, arguments: &[&str]) -> Command {
        self.command_after(":", folder, arguments)
    }

    /// Runs `mere` in a folder of the container, and returns the JSON that it prints.
    pub(crate) fn run(&self, folder: &str, arguments: &[&str]) -> Value {
        self.run_after(":", folder, arguments)
    }

    /// The same after a script that sets up more of the machine.
    pub(crate) fn run_after(&self, script: &str, folder: &str, arguments: &[&str]) -> Value {
        let output = self.command_after(script, folder, arguments).output().expect("it runs");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!("{error}: {output:?}");
        })
    }

    fn command_after(&self, script: &str, folder: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", ENTER]);
        command.arg(env!("CARGO_BIN_EXE_mere")).arg(self.stage.path("top"));
        command.args([script, folder]).args(arguments);
        command.env_clear().env("HOME", "/root").env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
        command
    }
}
