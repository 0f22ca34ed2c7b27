//! Parses `${name}` and `${name:-default}` in a text, once and in order.
//!
//! This only splits the text. Because the parts are never joined and parsed again, nothing that is
//! put in for a name can be a template.

/// The longest name, in bytes.
const MAX_NAME: usize = 64;

/// A part of a template text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TemplatePart<'a> {
    /// Literal text.
    Text(&'a str),
    /// A name to be replaced by its value.
    Name {
        /// The name.
        name: &'a str,
        /// The text to use if the name has no value.
        default: Option<&'a str>,
    },
}

/// The reason why a text is not a valid template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TemplateError {
    /// A `${` has no `}` after it.
    Unclosed,
    /// The text between the braces is not a valid name.
    InvalidName,
    /// A default contains a template.
    Nested,
}

/// Splits a text into its parts, none of which is empty. `$${` stands for a literal `${`.
pub(super) fn parse_parts(text: &str) -> Result<Vec<TemplatePart<'_>>, TemplateError> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, opened) = rest.split_at(at);
        if let Some(before) = before.strip_suffix('$') {
            let (literal, after) = opened.split_at(2);
            pieces.extend([TemplatePart::Text(before), TemplatePart::Text(literal)]);
            rest = after;
            continue;
        }
        let (body, after) = opened[2..].split_once('}').ok_or(TemplateError::Unclosed)?;
        pieces.extend([TemplatePart::Text(before), parse_name(body)?]);
        rest = after;
    }
    pieces.push(TemplatePart::Text(rest));
    pieces.retain(|piece| *piece != TemplatePart::Text(""));
    Ok(pieces)
}

fn parse_name(body: &str) -> Result<TemplatePart<'_>, TemplateError> {
    let (name, default) = match body.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (body, None),
    };
    if !is_template_name(name) {
        return Err(TemplateError::InvalidName);
    }
    match default {
        Some(default) if default.contains("${") => Err(TemplateError::Nested),
        default => Ok(TemplatePart::Name { name, default }),
    }
}

fn is_template_name(text: &str) -> bool {
    let is_first = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    let is_next = |byte: u8| is_first(byte) || byte.is_ascii_digit() || byte == b'-';
    text.len() <= MAX_NAME && text.bytes().next().is_some_and(is_first) && text.bytes().all(is_next)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> TemplatePart<'_> {
        TemplatePart::Text(text)
    }

    fn name<'a>(name: &'a str, default: Option<&'a str>) -> TemplatePart<'a> {
        TemplatePart::Name { name, default }
    }

    #[test]
    fn a_text_is_taken_apart_once() {
        for (whole, expected) in [
            ("", vec![]),
            ("plain $x {y} $", vec![text("plain $x {y} $")]),
            ("${a}", vec![name("a", None)]),
            ("${a:-b c}", vec![name("a", Some("b c"))]),
            ("${a:-}", vec![name("a", Some(""))]),
            ("${a:-b:-c}", vec![name("a", Some("b:-c"))]),
            ("${dry-run}", vec![name("dry-run", None)]),
            ("-${a}${_b}-", vec![text("-"), name("a", None), name("_b", None), text("-")]),
            ("$${a}", vec![text("${"), text("a}")]),
            ("$$${a}", vec![text("$"), text("${"), text("a}")]),
            ("$${${a}", vec![text("${"), name("a", None)]),
            ("${a}}", vec![name("a", None), text("}")]),
            ("é${a}é", vec![text("é"), name("a", None), text("é")]),
        ] {
            assert_eq!(parse_parts(whole), Ok(expected), "{whole}");
        }
    }

    #[test]
    fn what_is_half_a_template_is_none() {
        let long = format!("${{{}}}", "a".repeat(65));
        for (whole, expected) in [
            ("${", TemplateError::Unclosed),
            ("x ${a", TemplateError::Unclosed),
            ("$${a} ${", TemplateError::Unclosed),
            ("${}", TemplateError::InvalidName),
            ("${ a }", TemplateError::InvalidName),
            ("${1a}", TemplateError::InvalidName),
            ("${a.b}", TemplateError::InvalidName),
            ("${a:b}", TemplateError::InvalidName),
            ("${:-x}", TemplateError::InvalidName),
            ("${a${b}}", TemplateError::InvalidName),
            ("${é}", TemplateError::InvalidName),
            (&long, TemplateError::InvalidName),
            ("${a:-${b}}", TemplateError::Nested),
        ] {
            assert_eq!(parse_parts(whole), Err(expected), "{whole}");
        }
    }
}
