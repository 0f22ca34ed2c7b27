//! Function tools: a tool whose `config.call` names a function of its script.
//!
//! A runtime that calls functions has a second command for that, `call_command`, beside `command`.
//! It counts only in the manifest whose `command` counts, so a tool that may not bring a command of
//! its own cannot bring a `call_command` either.

use serde_json::{Map, Value};

use super::ChainTool;
use super::config::{ChainConfigFault, config_of};

/// The key that names the function.
const CALL: &str = "call";
/// The key of the command that calls it.
const CALL_COMMAND: &str = "call_command";
/// The element of that command that stands for the name of the function.
const CALL_TEMPLATE: &str = "${call}";
/// The longest name of a function.
const MAX_FUNCTION_NAME: usize = 64;

/// Reports whether a text is the plain name of a function: ASCII letters, digits and `_`, not
/// starting with a digit.
pub fn is_function_name(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (1..=MAX_FUNCTION_NAME).contains(&text.len())
        && text.bytes().all(is_word)
        && !text.starts_with(|first: char| first.is_ascii_digit())
}

/// Replaces the command of a merged configuration by the one that calls a function, if it names
/// one, and takes both keys out. `tools` starts with the requested tool.
pub(super) fn select_command(
    tools: &[ChainTool],
    merged: &mut Map<String, Value>,
) -> Result<(), ChainConfigFault> {
    merged.shift_remove(CALL_COMMAND);
    let mut calling = None;
    let mut named = None;
    let mut has_command = false;
    for member in tools {
        let Some(config) = config_of(member)? else { continue };
        if let Some(command) = config.get(CALL_COMMAND) {
            let command = command.as_array().filter(|_| config.contains_key("command"));
            let link = || member.pin.id.clone();
            let command = command.ok_or_else(|| ChainConfigFault::CallCommand { link: link() })?;
            calling = calling.or(Some(command).filter(|_| !has_command));
        }
        has_command |= config.contains_key("command");
        named = named.or_else(|| config.get(CALL).map(|call| (member, call)));
    }
    let Some((member, call)) = named else { return Ok(()) };
    merged.shift_remove(CALL);
    let link = member.pin.id.clone();
    let Some(name) = call.as_str().filter(|name| is_function_name(name)) else {
        return Err(ChainConfigFault::FunctionName { link });
    };
    let Some(command) = calling else { return Err(ChainConfigFault::NothingCalls { link }) };
    if merged.get("stdin").is_some_and(|stdin| stdin != "json") {
        return Err(ChainConfigFault::CallWithoutInput { link });
    }
    let fill = |element: &Value| {
        if element == CALL_TEMPLATE { Value::from(name) } else { element.clone() }
    };
    merged.insert("command".to_owned(), command.iter().map(fill).collect());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::is_function_name;

    #[test]
    fn a_function_has_a_plain_name() {
        for good in ["main", "_", "a1", "Main_2", &"x".repeat(64)] {
            assert!(is_function_name(good), "{good}");
        }
        for bad in [
            "",
            "1a",
            "a.b",
            "a-b",
            "a b",
            "a'",
            "a\"",
            "main()",
            "main\n",
            "${x}",
            "é",
            "$",
            &"x".repeat(65),
        ] {
            assert!(!is_function_name(bad), "{bad:?}");
        }
    }
}
