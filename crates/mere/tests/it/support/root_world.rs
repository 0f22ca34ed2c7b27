//! A machine of its own: a private root with a home at `/root`, as containers have.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

const MERE: &str = env!("CARGO_BIN_EXE_mere");

/// Puts the programs of this machine into the new root, and goes there.
const ENTER: &str = r#"
set -e
cd "$1"; here=$2; setup=$3; shift 3
mkdir -p usr proc dev etc tmp
mount --bind . .
cd "$PWD"
mount --rbind /usr usr
mount --rbind /dev dev
mount --rbind /proc proc
for name in bin sbin lib lib64; do [ ! -L "/$name" ] || [ -e "$name" ] || cp -P "/$name" .; done
echo root:x:0:0:root:/home/account:/bin/sh > etc/passwd
exec chroot . /bin/sh -c 'eval "$1"; cd "$2"; shift 2; exec "$@"' sh "$setup" "$here" /mere "$@"
"#;

/// A private root.
pub(crate) struct RootWorld {
    base: tempfile::TempDir,
}

impl RootWorld {
    /// Makes a root with these folders in it.
    pub(crate) fn new(folders: &[&str]) -> Self {
        let base = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(base.path().join("root")).expect("a home");
        std::fs::copy(MERE, base.path().join("mere")).expect("a copy of the binary");
        for folder in folders {
            std::fs::create_dir_all(base.path().join(folder)).expect("a folder");
        }
        Self { base }
    }

    /// Writes a file, by its path without the leading slash.
    pub(crate) fn file(&self, path: &str, text: &str) -> PathBuf {
        let path = self.base.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// Runs `mere` in a folder of this root, and returns the JSON that it prints.
    pub(crate) fn run(&self, folder: &str, arguments: &[&str]) -> Value {
        self.run_after(":", folder, arguments)
    }

    /// The same after a script that sets up more of the machine.
    pub(crate) fn run_after(&self, script: &str, folder: &str, arguments: &[&str]) -> Value {
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", ENTER, "sh"]).arg(self.base.path());
        command.args([folder, script]).args(arguments);
        command.env_clear().env("HOME", "/root").env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
        let output = command.output().expect("it runs");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!("{error}: {output:?}");
        })
    }
}
