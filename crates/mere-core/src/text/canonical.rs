//! The project's one canonical JSON: the form that is hashed and signed.
//!
//! Keys are sorted by code point, there are no spaces, everything beyond ASCII is escaped as
//! `\uXXXX`, and floats are written as Python's `repr` writes them. Python's `json.dumps(value,
//! sort_keys=True, separators=(",", ":"))` therefore gives the same bytes.

use std::fmt::Write;

use serde_json::{Map, Number, Value};

/// Returns the canonical text of a value.
pub fn to_text(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => write_string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(map) => write_object(map, out),
    }
}

fn write_object(map: &Map<String, Value>, out: &mut String) {
    let mut fields = map.iter().collect::<Vec<_>>();
    fields.sort_by_key(|(key, _)| *key);
    out.push('{');
    for (index, (key, value)) in fields.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_string(key, out);
        out.push(':');
        write(value, out);
    }
    out.push('}');
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    // Most texts need no escapes, so what needs none is copied at once.
    while let Some(at) = rest.bytes().position(|byte| !is_plain(byte)) {
        let (plain, after) = rest.split_at(at);
        out.push_str(plain);
        let mut characters = after.chars();
        if let Some(c) = characters.next() {
            write_escaped(c, out);
        }
        rest = characters.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

/// Checks whether a byte stands for itself in a string.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\')
}

fn write_escaped(c: char, out: &mut String) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        _ => {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
}

fn write_number(number: &Number, out: &mut String) {
    match number.as_f64().filter(|_| number.is_f64()) {
        Some(float) => write_float(float, out),
        None => {
            let _ = write!(out, "{number}");
        }
    }
}

/// Writes the shortest digits that parse back to the same float, with an exponent below 1e-4 and
/// from 1e16 on.
fn write_float(float: f64, out: &mut String) {
    let scientific = format!("{float:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent = exponent.parse::<i32>().unwrap_or_default();
    if (-4..16).contains(&exponent) {
        let plain = format!("{float}");
        out.push_str(&plain);
        if !plain.contains('.') {
            out.push_str(".0");
        }
        return;
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    let _ = write!(out, "{mantissa}e{sign}{:02}", exponent.abs());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_printable_ascii_is_written_as_it_is() {
        for (text, expected) in [
            ("", r#""""#),
            (" a~", r#"" a~""#),
            ("a\"b\\", r#""a\"b\\""#),
            ("\n\r\t\u{8}\u{c}\0\u{7f}", r#""\n\r\t\b\f\u0000\u007f""#),
            ("a\u{fc}b\u{1f600}", r#""a\u00fcb\ud83d\ude00""#),
        ] {
            assert_eq!(to_text(&Value::from(text)), expected);
        }
    }

    #[test]
    fn floats_are_written_as_python_writes_them() {
        for (float, expected) in [
            (1.0, "1.0"),
            (-0.25, "-0.25"),
            (1e16, "1e+16"),
            (123_456_789_012_345_680.0, "1.2345678901234568e+17"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (1e-4, "0.0001"),
            (1e-5, "1e-05"),
            (1.5e-7, "1.5e-07"),
            (1e300, "1e+300"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
        ] {
            let value = Value::from(float);
            assert_eq!(to_text(&value), expected);
        }
    }
}
