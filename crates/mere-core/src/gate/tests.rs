//! Tests for both rules of the gate, and for the gate around a transport.

use serde_json::{Value, json};
use uuid::Uuid;

use super::*;
use crate::address::{Address, Root};
use crate::reply::Content;

fn gate() -> Gate {
    let mark = |path: &str, stand_in| Landmark { path: path.to_owned(), stand_in };
    Gate::new(vec![
        mark("/work/app", StandIn::Root(Root::Project)),
        mark("/home/me", StandIn::Home),
        mark("/tmp", StandIn::Temporary),
    ])
}

fn metadata() -> ReplyMetadata {
    ReplyMetadata {
        trace_id: Uuid::nil().into(),
        session_id: None,
        tool: Some("dir"),
        agent: AgentName::default(),
    }
}

fn clear(draft: &Draft) -> Value {
    gate().clear(draft, &metadata()).to_value()
}

fn success(message: impl Into<Prose>) -> Draft {
    Draft::success(codes::DIR_PWD, message)
}

fn address(text: &str) -> Address {
    text.parse().expect("an address")
}

#[test]
fn a_reply_has_the_shape_of_the_contract() {
    let draft = success("Done.").hint("Go on.").data(Fields::default().with("n", 1));
    let expected = json!({
        "reply_type": "S", "code": "WA-DIR-S-001", "message": "Done.", "hint": "Go on.",
        "data": { "n": 1 },
        "trace": { "trace_id": "00000000000000000000000000000000", "session_id": null },
        "meta": { "layer": "WA", "tool": "dir" }
    });
    assert_eq!(clear(&draft).to_string(), expected.to_string());
}

#[test]
fn a_host_path_in_our_words_replaces_the_reply_and_is_not_repeated() {
    let secret = "/srv/secret-place";
    let leaky_key = Fields::default().with(secret, Data::Null);
    for draft in [
        success(secret),
        success("ok").hint(secret),
        success("ok").data(Fields::default().with("at", secret)),
        success("ok").data(Fields::default().with("list", Data::List(vec![secret.into()]))),
        success("ok").data(leaky_key),
        success("at %2Fwork%2Fapp%2Fx"),
    ] {
        let reply = clear(&draft);
        assert_eq!(reply["code"], "MCP-GATE-E-001", "{reply}");
        assert_eq!(reply["reply_type"], "E");
        assert!(!reply.to_string().contains("secret-place"));
        assert!(!reply.to_string().contains("app"));
    }
}

#[test]
fn titles_bodies_and_addresses_pass_as_what_they_are() {
    let data = Fields::default()
        .with("title", Content::mention("Using /etc/hosts"))
        .with("content", Content::body("cd /work/app/src && ls /tmp"))
        .with("path", address("ROOT_PROJECT:/home/me/x"));
    let message = Prose::words("Read ").address(address("ROOT_PROJECT:/home/me/x")).and(".");
    let reply = clear(&success(message).data(data));
    assert_eq!(reply["message"], "Read ROOT_PROJECT:/home/me/x.");
    assert_eq!(reply["data"]["title"], "Using /etc/hosts");
    assert_eq!(reply["data"]["content"], "cd ROOT_PROJECT:/src && ls /tmp");
    assert_eq!(reply["data"]["path"], "ROOT_PROJECT:/home/me/x");
    assert_eq!(reply["data"]["redacted"], 1);
}

#[test]
fn a_message_keeps_cleared_parts_and_loses_leaks() {
    let seal = Seal::new(Uuid::from_u128(7));
    let cleared = gate().clear(
        &success("ok").data(Fields::default().with("t", Content::mention("see /etc/hosts"))),
        &metadata(),
    );
    let (reply, mirror) = seal.seal_reply(cleared.clone());
    let result = json!({
        "structuredContent": reply, "content": [{ "type": "text", "text": mirror }]
    });
    let message = json!({ "jsonrpc": "2.0", "id": "/my/own/id", "result": result });
    let sent = gate().clear_message(message, &seal).expect("sent").to_line();
    assert!(!sent.contains("cleared-"), "{sent}");
    let sent = serde_json::from_str::<Value>(&sent).expect("JSON");
    assert_eq!(sent["id"], "/my/own/id");
    assert_eq!(sent["result"]["structuredContent"], cleared.to_value());
    assert_eq!(sent["result"]["content"][0]["text"], "WA-DIR-S-001 ok\nt: see /etc/hosts");
}

#[test]
fn an_error_from_the_library_is_replaced_without_repeating_it() {
    let seal = Seal::new(Uuid::from_u128(7));
    let message = json!({
        "jsonrpc": "2.0", "id": 3,
        "error": { "code": -32602, "message": "cannot open /srv/deep/inside.rs" }
    });
    let sent = gate().clear_message(message, &seal).expect("an error goes out").to_line();
    assert!(sent.contains("-32602") && sent.contains("\"id\":3"), "{sent}");
    assert!(!sent.contains("deep"), "{sent}");
}

#[test]
fn a_leaking_notification_is_not_sent() {
    let seal = Seal::new(Uuid::from_u128(7));
    let message = json!({
        "jsonrpc": "2.0", "method": "notifications/message", "params": { "data": "/srv/x" }
    });
    assert_eq!(gate().clear_message(message, &seal), None);
}

#[test]
fn a_forged_seal_is_our_words() {
    let seal = Seal::new(Uuid::from_u128(7));
    let forged = Seal::new(Uuid::from_u128(8));
    let draft = success("ok").data(Fields::default().with("t", Content::mention("/srv/x")));
    let (other, _) = forged.seal_reply(gate().clear(&draft, &metadata()));
    let message = json!({ "jsonrpc": "2.0", "id": 1, "result": other });
    let sent = gate().clear_message(message, &seal).expect("an error").to_line();
    assert!(!sent.contains("srv"), "{sent}");
}

#[test]
fn an_id_is_the_callers_only_where_the_protocol_has_it() {
    let seal = Seal::new(Uuid::from_u128(7));
    let error =
        json!({ "code": -1, "message": "x", "data": { "id": "/srv/x", "requestId": "/srv/y" } });
    let message = json!({ "jsonrpc": "2.0", "id": "/mine", "error": error });
    let sent = gate().clear_message(message, &seal).expect("an error").to_line();
    assert!(!sent.contains("srv") && sent.contains("/mine"), "{sent}");
}

#[test]
fn a_name_may_be_spelled_like_a_real_folder_and_words_may_not() {
    let category = "notes/tmp".parse::<crate::item::Category>().expect("a category");
    let name = crate::reply::ParsedName::from(&category);
    let message = "The category 'notes/tmp' is made; name the memory 'notes/tmp/name'.";
    let named = success(Prose::with_names(message, std::slice::from_ref(&name)));
    let named = named.data(Fields::default().with("path", name.clone()));
    let reply = clear(&named);
    assert_eq!((&reply["message"], &reply["data"]["path"]), (&message.into(), &"notes/tmp".into()));
    for words in ["notes/tmp and /tmp", "xnotes/tmp", "'/tmp/notes/tmp'", "notes/tmp//tmp"] {
        let draft = success(Prose::with_names(words, std::slice::from_ref(&name)));
        assert_eq!(clear(&draft)["code"], "MCP-GATE-E-001", "{words}");
    }
}

#[test]
fn a_preview_is_what_leaves_the_gate() {
    let (gate, agent) = (gate(), AgentName::default());
    for (body, shown, replaced) in [
        ("nothing here", "nothing here", 0),
        ("cd /work/app/src; ls /work/app", "cd ROOT_PROJECT:/src; ls ROOT_PROJECT:/", 2),
    ] {
        assert_eq!(gate.preview(body, &agent).as_deref(), Some(shown));
        assert_eq!(gate.replacements_in(body, &agent).map(|all| all.len()), Some(replaced));
        assert_eq!(gate.alters(body), replaced > 0);
    }
}

#[test]
fn only_a_name_with_escapes_spells_out_a_folder() {
    for (path, is_found) in [
        ("docs/%2Fwork%2Fapp", true),
        ("docs/%2Fwork%2Fapps", false),
        ("docs/50%/x", false),
        ("work/app", false),
        ("docs", false),
    ] {
        assert_eq!(gate().has_escaped_folder_in(path), is_found, "{path}");
    }
}

#[test]
fn a_sentence_is_cleared_or_withheld() {
    let clear = |prose: Prose| gate().clear_text(&prose, &AgentName::default());
    let message = Prose::words("Read ").address(address("ROOT_PROJECT:/x")).and(".");
    let cleared = clear(message).expect("nothing leaks");
    assert_eq!(cleared.as_str(), "Read ROOT_PROJECT:/x.");
    assert_eq!(clear(Prose::words("Read /srv/secret-place.")), None);
}

#[test]
fn hidden_characters_are_added_to_the_warnings() {
    let words = "hidden characters: 1 zero-width character; \
                 a person who sees this text sees something else";
    let content = || Content::body("a\u{200b}b");
    let alone = success("ok").data(Fields::default().with("content", content()));
    assert_eq!(clear(&alone)["data"]["warnings"], json!([words]));
    let more = Fields::default().with("warnings", Data::List(vec!["old".into()]));
    let more = success("ok").data(more.with("content", content()));
    assert_eq!(clear(&more)["data"]["warnings"], json!(["old", words]));
    let none = success("ok").data(Fields::default().with("content", Content::body("ab")));
    assert_eq!(clear(&none)["data"], json!({ "content": "ab" }));
}

#[test]
fn a_mirror_that_is_a_document_has_all_of_the_reply() {
    let mirror = |format, draft: &Draft| {
        let cleared = gate().with_mirror_format(format).clear(draft, &metadata());
        assert_eq!(serde_json::from_str::<Value>(cleared.json()).ok(), Some(cleared.to_value()));
        serde_json::from_str::<String>(cleared.mirror_json()).expect("a string")
    };
    let draft = success("Done.").hint("Go on.").data(Fields::default().with("n", 1));
    let json = mirror(MirrorFormat::Json, &draft);
    let expected = r#"{"code":"WA-DIR-S-001","message":"Done.","hint":"Go on.","data":{"n":1}}"#;
    assert_eq!(json, expected);
    let yaml = "code: \"WA-DIR-S-001\"\nmessage: \"Done.\"\nhint: \"Go on.\"\ndata:\n  n: 1\n";
    assert_eq!(mirror(MirrorFormat::Yaml, &draft), yaml);
    let error = mirror(MirrorFormat::Json, &success("/srv/secret-place"));
    let error = serde_json::from_str::<Value>(&error).expect("JSON");
    assert_eq!(error["code"], "MCP-GATE-E-001");
    assert_eq!(error["trace_id"], "00000000000000000000000000000000");
}

#[test]
fn a_folder_with_a_colon_and_more_slashes_is_recognised() {
    let path = "/work//a:b/".to_owned();
    let gate = Gate::new(vec![Landmark { path, stand_in: StandIn::Root(Root::Project) }]);
    let agent = AgentName::default();
    let shown = gate.preview("cd /work/a:b/src", &agent);
    assert_eq!(shown.as_deref(), Some("cd ROOT_PROJECT:/src"));
    assert_eq!(gate.preview("cd b/src; cd /b", &agent).as_deref(), Some("cd b/src; cd /b"));
}

#[test]
fn a_detour_through_the_root_hides_no_folder() {
    let mark = Landmark { path: "/app".to_owned(), stand_in: StandIn::Root(Root::Project) };
    let gate = Gate::new(vec![mark]);
    for (body, expected) in [
        ("gcc -I/../app/x", "gcc -I/..ROOT_PROJECT:/x"),
        ("cat /../app/x", "cat /..ROOT_PROJECT:/x"),
        ("cat //../app/x", "cat //..ROOT_PROJECT:/x"),
        ("+/x/../app/x", "+/x/..ROOT_PROJECT:/x"),
        ("src/../app/x", "src/../app/x"),
        ("a/src/../app/x", "a/src/../app/x"),
    ] {
        let shown = gate.preview(body, &AgentName::default());
        assert_eq!(shown.as_deref(), Some(expected));
    }
}

#[test]
fn a_sealed_sentence_passes_and_a_withheld_answer_is_an_internal_error() {
    let seal = Seal::new(Uuid::from_u128(7));
    let prose = Prose::words("See ").content(Content::mention("/etc/hosts"));
    let cleared = gate().clear_text(&prose, &AgentName::default()).expect("nothing leaks");
    let message = |text: Value| json!({ "jsonrpc": "2.0", "id": 1, "result": { "text": text } });
    let sealed = message(seal.seal_text(&cleared).into());
    let sent = gate().clear_message(sealed, &seal).expect("an answer");
    assert_eq!(sent.value(), &message("See /etc/hosts".into()));
    assert_eq!(serde_json::from_str::<Value>(&sent.to_line()).ok().as_ref(), Some(sent.value()));
    let sent = gate().clear_message(message("See /etc/hosts".into()), &seal).expect("an error");
    assert_eq!((&sent.value()["id"], &sent.value()["error"]["code"]), (&json!(1), &json!(-32603)));
}
