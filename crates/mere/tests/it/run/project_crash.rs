//! `kill -9` while a proposal is applied: after the next command all of it is applied, or nothing.

use std::process::Stdio;
use std::time::Duration;

use super::project_changes::{project_files, propose};
use crate::support::workshop::{Who, Workshop};

/// How many files the tool changes.
const FILES: usize = 60;
/// How many times `mere` is killed at least.
const KILLS: usize = 24;

#[test]
fn killing_mere_while_it_applies_leaves_all_or_nothing() {
    let workshop = Workshop::new(Who::Ordinary);
    let write_all = || {
        for number in 0..FILES {
            let folder = number % 7;
            workshop.stage.file(&format!("project/d{folder}/f{number}.txt"), "old\n");
        }
    };
    write_all();
    let script = format!(
        "cd /project; for f in */f*.txt; do echo new > $f; done; rm d0/f0.txt; \
         mkdir -p made; for i in $(seq {FILES}); do echo made > made/n$i; done\n"
    );
    workshop.project_tool("many", ("bash_runtime", "propose"), &script);
    let (mut killed, mut outcomes, mut delay) = (0, [0, 0], Duration::from_micros(500));
    while killed < KILLS || outcomes.contains(&0) {
        let (id, _) = propose(&workshop, "many");
        let before = project_files(&workshop);
        let mut command = workshop.command();
        command.args(["review", "--accept", &id]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("mere runs");
        std::thread::sleep(delay);
        let is_over = child.try_wait().expect("a child").is_some();
        child.kill().expect("killed");
        child.wait().expect("ended");
        killed += usize::from(!is_over);
        // The next command settles it, whatever it is about.
        let output = workshop.person(&["review", "--list", "--json"]);
        let after = project_files(&workshop);
        let is_waiting = String::from_utf8_lossy(&output.stdout).contains(&id);
        if is_waiting {
            assert_eq!(after, before, "nothing is applied after {delay:?}");
            workshop.person(&["review", "--reject", &id]);
        } else {
            let new = after.values().filter(|(bytes, ..)| bytes == b"new\n").count();
            let made = after.values().filter(|(bytes, ..)| bytes == b"made\n").count();
            assert_eq!((new, made), (FILES - 1, FILES), "all is applied after {delay:?}");
            assert!(!after.contains_key("d0/f0.txt"));
        }
        assert!(after.keys().all(|path| !path.contains(".new-")), "{:?}", after.keys());
        outcomes[usize::from(is_waiting)] += 1;
        // The kills come later and later, and begin again once it was faster.
        delay = if is_over { Duration::from_micros(500) } else { delay.mul_f32(1.25) };
        std::fs::remove_dir_all(workshop.stage.path("project/made")).ok();
        write_all();
        assert!(killed < 20 * KILLS, "it never got through: {outcomes:?}");
    }
}
