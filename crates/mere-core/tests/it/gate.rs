//! The gate, on generated content.

use mere_core::address::{AgentName, Root};
use mere_core::gate::{Gate, Landmark, ReplyMetadata, StandIn};
use mere_core::reply::{Content, Draft, Fields, codes};
use proptest::prelude::*;

fn gate() -> Gate {
    let mark = |path: &str, stand_in| Landmark { path: path.to_owned(), stand_in };
    Gate::new(vec![
        mark("/work/app", StandIn::Root(Root::Project)),
        mark("/work/app/.ai/workspaces", StandIn::Workspaces),
        mark("/home/me", StandIn::Home),
        mark("/home/me/.ai", StandIn::Root(Root::User)),
    ])
}

fn clear(content: Content) -> String {
    let stamp = ReplyMetadata {
        trace_id: uuid::Uuid::nil().into(),
        session_id: None,
        tool: None,
        agent: AgentName::default(),
    };
    let draft = Draft::success(codes::DIR_PWD, "ok").data(Fields::default().with("c", content));
    let cleared = gate().clear(&draft, &stamp);
    cleared.to_value()["data"]["c"].as_str().expect("a string").to_owned()
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("/work/app".to_owned()),
        Just("/home/me".to_owned()),
        Just("/home/me/.ai".to_owned()),
        Just("\\/work\\/app".to_owned()),
        Just("%2Fwork%2Fapp".to_owned()),
        Just("/work/app/.ai/workspaces/default".to_owned()),
        Just("/".to_owned()),
        Just("\u{3000}".to_owned()),
        Just("\\n".to_owned()),
        "[ a-z./:\"=-]{0,4}",
        "\\PC{0,3}",
    ];
    prop::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_root_that_stands_alone_never_leaves(before in pieces(), after in pieces()) {
        let cleared = clear(Content::body(format!("{before} /work/app {after} /home/me/x")));
        prop_assert!(!cleared.contains(" /work/app "), "{cleared}");
        prop_assert!(!cleared.contains(" /home/me/x"), "{cleared}");
    }

    #[test]
    fn clearing_twice_changes_nothing_more(text in pieces()) {
        let once = clear(Content::body(text));
        prop_assert_eq!(clear(Content::body(once.clone())), once);
    }

    #[test]
    fn text_without_a_root_passes_whole(text in "[ a-zA-Z0-9/_.:{}#!\"-]{0,60}") {
        prop_assume!(!text.contains("work/app") && !text.contains("home/me"));
        prop_assert_eq!(clear(Content::body(text.clone())), text);
    }
}
