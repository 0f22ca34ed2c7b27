//! Messages that are wrong, too large, too deep, or not what they say.

use serde_json::json;

use super::case::{AttackCase, Expectation, Request, case};
use super::runner::Runner;
use super::world::World;

const AREA: &str = "JSON-RPC";
const UNPARSED: Expectation = Expectation::RpcError(-32700);
const INVALID: Expectation = Expectation::RpcError(-32600);
const UNKNOWN: Expectation = Expectation::RpcError(-32601);
const WRONG: Expectation = Expectation::RpcError(-32602);

/// Lines that are no request.
#[expect(clippy::too_many_lines, reason = "a table")]
fn lines() -> Vec<(&'static str, Vec<u8>, Expectation)> {
    let text = |text: &str| text.as_bytes().to_vec();
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    vec![
        ("not JSON at all", text("hello"), UNPARSED),
        ("a message cut off", text(&ping[..ping.len() - 1]), UNPARSED),
        ("two messages on one line", text(&[ping, ping].concat()), UNPARSED),
        ("a trailing comma", text(r#"{"jsonrpc":"2.0","id":1,"method":"ping",}"#), UNPARSED),
        ("a number that is none", text(r#"{"jsonrpc":"2.0","id":NaN,"method":"ping"}"#), UNPARSED),
        ("single quotes", text("{'jsonrpc':'2.0','id':1,'method':'ping'}"), UNPARSED),
        ("a lone surrogate", text(r#"{"jsonrpc":"2.0","id":"\ud800","method":"ping"}"#), UNPARSED),
        (
            "bytes that are not UTF-8",
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}".to_vec(),
            UNPARSED,
        ),
        (
            "an overlong encoding of a slash",
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xc0\xaf\"}".to_vec(),
            UNPARSED,
        ),
        (
            "a NUL in front",
            b"\0{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}".to_vec(),
            UNPARSED,
        ),
        (
            "a raw control character in a text",
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\x01\"}".to_vec(),
            UNPARSED,
        ),
        ("UTF-16", ping.encode_utf16().flat_map(u16::to_le_bytes).collect(), UNPARSED),
        ("a bare null", text("null"), INVALID),
        ("a bare number", text("42"), INVALID),
        ("a bare text", text("\"ping\""), INVALID),
        ("an empty batch", text("[]"), INVALID),
        ("a batch of requests", text(&format!("[{ping},{ping}]")), INVALID),
        ("a batch of nothing", text("[1,2,3]"), INVALID),
        ("an object without anything", text("{}"), INVALID),
        ("an id that is an object", text(r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#), INVALID),
        ("an id that is a list", text(r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#), INVALID),
        ("an id that is true", text(r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#), INVALID),
        ("another version", text(r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#), INVALID),
        ("no version", text(r#"{"id":1,"method":"ping"}"#), INVALID),
        (
            "a protocol version that is a number",
            text(r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#),
            INVALID,
        ),
        ("a method that is a number", text(r#"{"jsonrpc":"2.0","id":1,"method":1}"#), INVALID),
        (
            "the same key twice",
            text(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#),
            UNPARSED,
        ),
        (
            "a method hidden behind another",
            text(r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}"#),
            UNPARSED,
        ),
        ("ten thousand open lists", text(&"[".repeat(10_000)), UNPARSED),
        ("ten thousand open objects", text(&"{\"a\":".repeat(10_000)), UNPARSED),
        ("a list ten thousand deep", text(&("[".repeat(10_000) + &"]".repeat(10_000))), UNPARSED),
        (
            "more values than a message may have",
            text(&format!("[{}0]", "0,".repeat(200_000))),
            UNPARSED,
        ),
        ("a line of six megabytes", vec![b'x'; 6 << 20], INVALID),
        (
            "a method of three megabytes",
            text(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "m".repeat(3 << 20))),
            UNKNOWN,
        ),
        (
            "a method that does not exist",
            text(r#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#),
            UNKNOWN,
        ),
        (
            "a method that is a path",
            text(r#"{"jsonrpc":"2.0","id":1,"method":"../../etc/passwd"}"#),
            UNKNOWN,
        ),
        (
            "a method in capitals",
            text(r#"{"jsonrpc":"2.0","id":1,"method":"TOOLS/CALL"}"#),
            UNKNOWN,
        ),
        (
            "an answer to no question",
            text(r#"{"jsonrpc":"2.0","id":99,"result":{}}"#),
            Expectation::Silence,
        ),
        (
            "an error for no request",
            text(r#"{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"x"}}"#),
            Expectation::Silence,
        ),
        (
            "a notification that nobody knows",
            text(r#"{"jsonrpc":"2.0","method":"notifications/none"}"#),
            Expectation::Silence,
        ),
        (
            "a cancellation of nothing",
            text(
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}"#,
            ),
            Expectation::Silence,
        ),
        ("an empty line", text(""), Expectation::Silence),
        (
            "a second greeting",
            text(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#),
            WRONG,
        ),
    ]
}

/// Calls of tools whose arguments are not what the schema says.
fn arguments() -> Vec<(&'static str, serde_json::Value, Expectation)> {
    const ARGUMENT: Expectation = Expectation::Code("MCP-ARG-I-001");
    vec![
        (
            "a tool that does not exist",
            json!({"name": "shell", "arguments": {}}),
            Expectation::Code("MCP-ARG-I-002"),
        ),
        (
            "a tool whose name is a path",
            json!({"name": "../dir", "arguments": {}}),
            Expectation::Code("MCP-ARG-I-002"),
        ),
        ("a tool without a name", json!({"arguments": {}}), WRONG),
        ("a tool whose name is a number", json!({"name": 1, "arguments": {}}), WRONG),
        ("arguments that are a list", json!({"name": "dir", "arguments": []}), WRONG),
        ("arguments that are a text", json!({"name": "dir", "arguments": "{}"}), WRONG),
        (
            "an argument that nobody knows",
            json!({"name": "dir", "arguments": {"shell": "id"}}),
            ARGUMENT,
        ),
        (
            "a prototype as an argument",
            json!({"name": "dir", "arguments": {"__proto__": {"a": 1}}}),
            ARGUMENT,
        ),
        ("a path that is a number", json!({"name": "read", "arguments": {"path": 1}}), ARGUMENT),
        ("a path that is a list", json!({"name": "read", "arguments": {"path": ["a"]}}), ARGUMENT),
        ("a path that is null", json!({"name": "read", "arguments": {"path": null}}), ARGUMENT),
        ("no path", json!({"name": "read", "arguments": {}}), ARGUMENT),
        (
            "a negative limit",
            json!({"name": "read", "arguments": {"path": "README.md", "limit": -1}}),
            ARGUMENT,
        ),
        (
            "a limit beyond every integer",
            json!({"name": "read", "arguments": {"path": "README.md", "limit": 1e300}}),
            ARGUMENT,
        ),
        (
            "a limit with a fraction",
            json!({"name": "read", "arguments": {"path": "README.md", "limit": 1.5}}),
            ARGUMENT,
        ),
        (
            "a command that does not exist",
            json!({"name": "dir", "arguments": {"command": "rm"}}),
            ARGUMENT,
        ),
        (
            "a cursor that was made up",
            json!({"name": "dir", "arguments": {"command": "list", "cursor": "AAAA"}}),
            Expectation::Code("WA-DIR-I-002"),
        ),
        (
            "a cursor that is a path",
            json!({"name": "glob", "arguments": {"pattern": "*", "cursor": "../../x"}}),
            Expectation::Code("WA-DIR-I-002"),
        ),
        (
            "an item type that does not exist",
            json!({"name": "load", "arguments": {"item_type": "key", "item_id": "a"}}),
            ARGUMENT,
        ),
        (
            "a query of a megabyte",
            json!({"name": "search", "arguments": {"query": "a".repeat(1 << 20)}}),
            Expectation::Says("IT-SEARCH-S-001", "/data/total", json!(0)),
        ),
        (
            "a filter that nobody knows",
            json!({"name": "search", "arguments": {"query": "a", "filters": {"path": "/etc"}}}),
            ARGUMENT,
        ),
        (
            "parameters two hundred levels deep",
            json!({
                "name": "execute",
                "arguments": {"item_type": "tool", "item_id": "none", "parameters": deep(200)}
            }),
            UNPARSED,
        ),
    ]
}

/// Objects in one another.
fn deep(levels: usize) -> serde_json::Value {
    (0..levels).fold(json!(1), |inner, _| json!({ "a": inner }))
}

/// The cases of this area.
pub(super) fn cases() -> Vec<AttackCase> {
    let lines = lines().into_iter();
    let lines = lines.map(|(name, line, expects)| case(AREA, name, Request::Line(line), expects));
    let calls = arguments().into_iter().map(|(name, params, expects)| {
        let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
        case(AREA, name, Request::Line(call.to_string().into_bytes()), expects)
    });
    lines.chain(calls).collect()
}

#[test]
fn no_message_confuses_the_server() {
    let world = World::new();
    Runner::new(&world).run(&cases());
}
