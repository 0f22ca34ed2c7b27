//! Files and folders that belong to another user, whoever runs the tests.

use std::os::unix::fs::{MetadataExt, chown};
use std::process::Command;

use super::harness::Stage;

/// Shows `$1` at the place `$2`, and becomes `$3…`.
const COVERED: &str = r#"mount --bind "$1" "$2" && shift 2 && exec "$@""#;

/// Somebody other than whoever runs the tests.
const SOMEBODY: u32 = 12345;

/// Runs `mere` in the project while something on the stage belongs to another user, and makes it
/// one's own again.
///
/// Only root can give a file away. For anybody else, what root owns covers the place, in a file
/// system of the command's own. What `mere` reads there is not what it would have read: the owner
/// must be checked before.
pub(crate) fn with_foreign<T>(stage: &Stage, below: &str, run: impl FnOnce(Command) -> T) -> T {
    let path = stage.path(below);
    let found = path.metadata().expect("it is there");
    if rustix::process::geteuid().is_root() {
        chown(&path, Some(SOMEBODY), None).expect("given away");
        let result = run(stage.command("project"));
        chown(&path, Some(found.uid()), None).expect("taken back");
        return result;
    }
    let cover = if found.is_dir() { "/etc" } else { "/etc/passwd" };
    let plain = stage.command("project");
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", COVERED, "sh", cover]);
    command.arg(path).arg(plain.get_program()).env_clear().current_dir(stage.path("project"));
    let variables = plain.get_envs().filter_map(|(name, value)| Some((name, value?)));
    command.envs(variables).env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
    run(command)
}
