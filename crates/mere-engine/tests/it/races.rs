//! What changes while a call runs neither shows what is hidden nor settles what later calls find.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mere_core::address::{AgentName, Root, Spoken};
use mere_core::request::{Caller, Request};
use mere_core::turn::{Outcome, Progress, Turn};
use mere_engine::Session;

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
    // One thread swaps the directory while another makes calls.
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

/// A caller who does something else the first time that it is asked whether it still waits.
struct DistractedTurn<F: FnMut()> {
    /// Locked, because several threads of a search may ask.
    distraction: std::sync::Mutex<Option<F>>,
}

impl<F: FnMut()> Turn for DistractedTurn<F> {
    fn progress(&mut self, _note: &Progress) {}

    fn is_cancelled(&self) -> bool {
        let taken = self.distraction.lock().expect("not poisoned").take();
        if let Some(mut distraction) = taken {
            distraction();
        }
        false
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }
}

#[test]
fn a_search_by_rules_of_a_moment_ago_does_not_settle_what_later_ones_find() {
    let scene = TestProject::new();
    let space = scene.base().join("project/.ai");
    std::fs::create_dir_all(space.join("knowledge")).expect("a folder");
    for id in ["open", "hidden"] {
        let note = format!("---\nid: {id}\ntitle: About {id}\n---\nlantern\n");
        std::fs::write(space.join(format!("knowledge/{id}.md")), note).expect("a note");
    }
    let hide = |hidden: &str| {
        std::fs::write(space.join("config.yaml"), format!("sensitive: ['**/{hidden}.md']\n"))
            .expect("a config");
    };
    hide("hidden");
    let session = scene.session();
    session.watch_for_changes();
    assert_eq!(find(&session, &mut PatientTurn), ["open"]);
    let mut turn = DistractedTurn {
        distraction: std::sync::Mutex::new(Some(|| {
            hide("open");
            call(&session, r#"{"command":"list"}"#, &mut PatientTurn);
        })),
    };
    find(&session, &mut turn);
    assert!(turn.distraction.get_mut().expect("not poisoned").is_none(), "the rules changed");
    assert_eq!(find(&session, &mut PatientTurn), ["hidden"]);
}

/// Searches for all notes, and returns their ids.
fn find(session: &Session, turn: &mut dyn Turn) -> Vec<String> {
    let arguments = r#"{"query":"lantern","mode":"text","source":"local","rank":"unified"}"#;
    let request = Request::from_text(Caller::default(), "search", arguments);
    let Outcome::Done(reply) = session.handle(&request, turn) else { panic!("search asked") };
    let reply = reply.to_value();
    let hits = reply["data"]["results"].as_array().unwrap_or_else(|| panic!("{reply}"));
    hits.iter().map(|hit| hit["ref"].as_str().expect("a name").to_owned()).collect()
}
