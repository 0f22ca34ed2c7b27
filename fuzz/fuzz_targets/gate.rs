//! Whatever a file says, a real root that stands alone in it does not leave.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mere_core::gate::{Gate, Landmark, ReplyMetadata, StandIn};
use mere_core::address::{AgentName, Root};
use mere_core::reply::{Content, Draft, Fields, codes};

fuzz_target!(|parts: (&str, &str)| {
    let (before, after) = parts;
    let mark = |path: &str, stand_in| Landmark { path: path.to_owned(), stand_in };
    let gate = Gate::new(vec![
        mark("/work/app", StandIn::Root(Root::Project)),
        mark("/work/app/.ai/workspaces", StandIn::Workspaces),
        mark("/home/me", StandIn::Home),
    ]);
    let metadata = ReplyMetadata {
        trace_id: uuid::Uuid::nil().into(),
        session_id: None,
        tool: None,
        agent: AgentName::default(),
    };
    let clear = |text: String| {
        let data = Fields::default().with("c", Content::body(text));
        let draft = Draft::success(codes::DIR_PWD, "ok").data(data);
        let cleared = gate.clear(&draft, &metadata);
        cleared.to_value()["data"]["c"].as_str().unwrap().to_owned()
    };
    let once = clear(format!("{before} /work/app/x {after}"));
    assert!(!once.contains(" /work/app/x "));
    assert_eq!(clear(once.clone()), once);
});
