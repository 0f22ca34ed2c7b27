//! A directory swapped for a link to outside while calls run never shows what is outside.
//!
//! One thread swaps the directory while another makes calls, and no reply may contain the secret.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mere_core::address::{AgentName, Root, Spoken};

use crate::scene::{PatientTurn, TestProject, call};

const SECRET: &str = "outside-secret";

/// Swaps `project/swap` back and forth between a folder with `inside/deep` and a link to the folder
/// beside the project that holds the secret. Returns how often.
fn swap_until(stop: &AtomicBool, base: &Path) -> u64 {
    let (swap, kept) = (base.join("project/swap"), base.join("kept"));
    let mut swaps = 0;
    while !stop.load(Ordering::Relaxed) {
        std::fs::rename(&swap, &kept).expect("put the folder away");
        symlink(base.join("outside"), &swap).expect("an absolute link");
        std::fs::remove_file(&swap).expect("remove the link");
        symlink("../outside", &swap).expect("a relative link");
        std::fs::remove_file(&swap).expect("remove the link");
        std::fs::rename(&kept, &swap).expect("put the folder back");
        // The folder stays long enough to be seen, even on a busy machine.
        std::thread::sleep(Duration::from_millis(1));
        swaps += 1;
    }
    swaps
}

#[test]
fn a_directory_swapped_for_a_link_never_leads_outside() {
    let scene = TestProject::new();
    let base = scene.base();
    std::fs::create_dir_all(base.join("project/swap/inside/deep")).expect("inside");
    std::fs::create_dir_all(base.join("outside").join(SECRET)).expect("outside");
    std::fs::create_dir_all(base.join("outside/inside").join(SECRET)).expect("outside");
    let session = scene.session();
    let stop = AtomicBool::new(false);
    let end = Instant::now() + Duration::from_secs(4);
    let (calls, seen, swaps) = std::thread::scope(|threads| {
        let swapper = threads.spawn(|| swap_until(&stop, base));
        let (mut calls, mut seen) = (0_u64, 0_u64);
        while Instant::now() < end {
            for arguments in [
                r#"{"command":"list","path":"swap"}"#,
                r#"{"command":"list","path":"swap/inside"}"#,
                r#"{"command":"list"}"#,
                r#"{"command":"tree","depth":16}"#,
            ] {
                let reply = call(&session, arguments, &mut PatientTurn).to_value().to_string();
                assert!(!reply.contains(SECRET), "{reply}");
                seen += u64::from(reply.contains("inside"));
                calls += 1;
            }
            let world = session.world(&AgentName::default()).expect("a world");
            let secret = format!("swap/{SECRET}").parse::<Spoken>().expect("a path");
            assert!(world.resolve(&secret, &Root::Project).is_err());
        }
        stop.store(true, Ordering::Relaxed);
        (calls, seen, swapper.join().expect("the swapper"))
    });
    assert!(swaps > 100 && calls > 100 && seen > 10, "{swaps} swaps, {calls} calls, {seen} seen");
}
