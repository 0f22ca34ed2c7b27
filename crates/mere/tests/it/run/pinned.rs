//! A tool that is pinned, and moving its files.

use crate::support::workshop::{Who, Workshop};

/// The lockfile of the tool `t/a`.
pub(super) const LOCK: &str = "project/.ai/lockfiles/t/a@1.0.0.lock.json";
/// The sidecar of the lockfile.
pub(super) const SIDECAR: &str = "project/.ai/lockfiles/t/a@1.0.0.lock.json.sig";

/// Makes a tool `t/a` that is pinned.
pub(super) fn locked() -> Workshop {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool("a", "bash_runtime", "echo ran\n");
    workshop.person(&["lock", "a"]);
    workshop
}

/// Moves a file by hand.
pub(super) fn mv(workshop: &Workshop, from: &str, to: &str) {
    let to = workshop.stage.path(to);
    std::fs::create_dir_all(to.parent().expect("a parent")).expect("folders");
    std::fs::rename(workshop.stage.path(from), to).expect("moved");
}
