//! Reads a JavaScript file: its metadata, the functions that it exports, and whether it runs
//! itself.

use serde_json::{Map, Value};

use super::ScriptLanguage;
use super::literal::parse_literal;
use super::metadata::{
    FunctionFacts, FunctionParameter, NotLiteral, Parameters, ScriptFacts, is_metadata,
};
use super::tokens::{ScriptToken, TokenKind, split};

/// Reads what a file says at its top level.
pub(super) fn read_facts(text: &str) -> ScriptFacts {
    let tokens = split(ScriptLanguage::Node, text);
    let mut facts = ScriptFacts { is_complete: tokens.is_complete, ..ScriptFacts::default() };
    let mut exported = Vec::new();
    let (mut functions, mut members) = (Vec::new(), Vec::new());
    for at in 0..tokens.list.len() {
        if tokens.list[at].depth > 0 {
            continue;
        }
        let rest = &tokens.list[at..];
        facts.assigned.extend(parse_assignment(rest));
        functions.extend(parse_function(rest));
        exported.extend(parse_exports(rest));
        members.extend(parse_exported_members(rest));
        let is_named = at > 0 && is_naming(&tokens.list[at - 1].kind);
        facts.runs_itself |= !is_named && starts_with(rest, &["main", "("]);
    }
    facts.runs_itself |= (0..tokens.list.len()).any(|at| {
        let rest = &tokens.list[at..];
        starts_with(rest, &["require", ".", "main", "=", "="])
            || starts_with(rest, &["process", ".", "argv", "[", "1", "]"])
    });
    functions.retain(|function: &FunctionFacts| exported.contains(&function.name.as_str()));
    functions.extend(members);
    facts.functions = functions;
    facts
}

/// Reports whether a name after this token is declared or is a member, and not used by itself.
fn is_naming(kind: &TokenKind<'_>) -> bool {
    matches!(
        kind,
        TokenKind::Name("function" | "const" | "let" | "var") | TokenKind::Sign('.' | '*')
    )
}

/// Reports whether tokens start with these names, numbers and signs.
fn starts_with(tokens: &[ScriptToken<'_>], wanted: &[&str]) -> bool {
    let is_same = |(token, wanted): (&ScriptToken<'_>, &&str)| match &token.kind {
        TokenKind::Name(text) | TokenKind::Number(text) => text == wanted,
        TokenKind::Sign(sign) => wanted.chars().eq([*sign]),
        TokenKind::Text(_) => false,
    };
    tokens.len() >= wanted.len() && tokens.iter().zip(wanted).all(is_same)
}

/// Returns what follows a declaration or an assignment to a member of the exports.
fn split_declaration<'a, 't>(
    tokens: &'t [ScriptToken<'a>],
) -> Option<(&'a str, &'t [ScriptToken<'a>])> {
    let after = match tokens {
        [first, rest @ ..] if ["const", "let", "var"].iter().any(|one| first.kind.is_name(one)) => {
            rest
        }
        _ if starts_with(tokens, &["module", ".", "exports", "."]) => &tokens[4..],
        _ if starts_with(tokens, &["exports", "."]) => &tokens[2..],
        _ => return None,
    };
    match after {
        [ScriptToken { kind: TokenKind::Name(name), .. }, equals, rest @ ..]
            if equals.kind.is_sign('=') =>
        {
            Some((name, rest))
        }
        _ => None,
    }
}

/// Parses `const NAME = literal` for names of metadata.
fn parse_assignment(tokens: &[ScriptToken<'_>]) -> Option<(String, Result<Value, NotLiteral>)> {
    let (name, value) = split_declaration(tokens).filter(|(name, _)| is_metadata(name))?;
    let depth = value.first()?.depth;
    // The value ends with a semicolon, or where the next line starts.
    let end = value.iter().enumerate().position(|(at, token)| {
        let is_new_line = at > 0 && token.line_start.is_some();
        let closes = matches!(token.kind, TokenKind::Sign(')' | ']' | '}'));
        token.depth == depth && (token.kind.is_sign(';') || (is_new_line && !closes))
    });
    let value = &value[..end.unwrap_or(value.len())];
    Some((name.to_owned(), parse_literal(ScriptLanguage::Node, value).ok_or(NotLiteral)))
}

/// Parses a function that gets a name here.
fn parse_function(tokens: &[ScriptToken<'_>]) -> Option<FunctionFacts> {
    if let [function, ScriptToken { kind: TokenKind::Name(name), .. }, rest @ ..] = tokens
        && function.kind.is_name("function")
    {
        return Some(FunctionFacts {
            name: (*name).to_owned(),
            parameters: parse_parameters(rest),
        });
    }
    let (name, value) = split_declaration(tokens)?;
    parse_function_value(name, value)
}

/// Parses a function expression or an arrow function that gets this name.
fn parse_function_value(name: &str, value: &[ScriptToken<'_>]) -> Option<FunctionFacts> {
    let value = skip_async(value);
    let parameters = match value {
        [function, rest @ ..] if function.kind.is_name("function") => {
            let is_named = rest.first().is_some_and(|token| !token.kind.is_sign('('));
            parse_parameters(&rest[usize::from(is_named)..])
        }
        [open, ..] if open.kind.is_sign('(') && is_arrow(value) => parse_parameters(value),
        [ScriptToken { kind: TokenKind::Name(_), .. }, rest @ ..]
            if starts_with(rest, &["=", ">"]) =>
        {
            Ok(Parameters { list: Vec::new(), takes_others: true })
        }
        _ => return None,
    };
    Some(FunctionFacts { name: name.to_owned(), parameters })
}

fn skip_async<'a, 't>(tokens: &'t [ScriptToken<'a>]) -> &'t [ScriptToken<'a>] {
    &tokens[usize::from(tokens.first().is_some_and(|token| token.kind.is_name("async")))..]
}

/// Parses the functions that are written inside `module.exports = {…}`.
fn parse_exported_members(tokens: &[ScriptToken<'_>]) -> Vec<FunctionFacts> {
    if !starts_with(tokens, &["module", ".", "exports", "=", "{"]) {
        return Vec::new();
    }
    let members = split_members(&tokens[5..], tokens[4].depth).into_iter();
    members
        .filter_map(|member| match skip_async(member) {
            [ScriptToken { kind: TokenKind::Name(name), .. }, rest @ ..] => match rest {
                [colon, value @ ..] if colon.kind.is_sign(':') => parse_function_value(name, value),
                [open, ..] if open.kind.is_sign('(') => Some(FunctionFacts {
                    name: (*name).to_owned(),
                    parameters: parse_parameters(rest),
                }),
                _ => None,
            },
            _ => None,
        })
        .collect()
}

/// Reports whether a bracket is closed before an arrow.
fn is_arrow(tokens: &[ScriptToken<'_>]) -> bool {
    let depth = tokens.first().map_or(0, |token| token.depth);
    let end = tokens.iter().position(|token| token.depth == depth && token.kind.is_sign(')'));
    end.is_some_and(|end| starts_with(&tokens[end + 1..], &["=", ">"]))
}

/// Parses the first parameter of a function. The tokens start with the opening bracket.
fn parse_parameters(tokens: &[ScriptToken<'_>]) -> Result<Parameters, &'static str> {
    match tokens {
        [open, close, ..] if open.kind.is_sign('(') && close.kind.is_sign(')') => {
            Ok(Parameters::default())
        }
        [open, brace, rest @ ..] if open.kind.is_sign('(') && brace.kind.is_sign('{') => {
            Ok(parse_members(rest, brace.depth))
        }
        [open, ScriptToken { kind: TokenKind::Name(_), .. }, ..] if open.kind.is_sign('(') => {
            Ok(Parameters { list: Vec::new(), takes_others: true })
        }
        _ => Err("its signature could not be read"),
    }
}

/// Parses the members that a function takes out of its one object.
fn parse_members(tokens: &[ScriptToken<'_>], depth: usize) -> Parameters {
    let end = tokens.iter().position(|token| token.depth == depth && token.kind.is_sign('}'));
    let inner = &tokens[..end.unwrap_or(tokens.len())];
    let level = depth + 1;
    let mut parameters = Parameters::default();
    for part in inner.split(|token| token.depth == level && token.kind.is_sign(',')) {
        match part {
            [dot, ..] if dot.kind.is_sign('.') => parameters.takes_others = true,
            [ScriptToken { kind: TokenKind::Name(name), .. }, rest @ ..] => {
                let is_equals =
                    |token: &ScriptToken<'_>| token.depth == level && token.kind.is_sign('=');
                let default = rest.iter().position(is_equals).map(|at| &rest[at + 1..]);
                let value = default.and_then(|value| parse_literal(ScriptLanguage::Node, value));
                parameters.list.push(FunctionParameter {
                    name: (*name).to_owned(),
                    schema: value.map(schema_of_default).unwrap_or_default(),
                    is_required: default.is_none(),
                });
            }
            _ => {}
        }
    }
    parameters
}

/// Returns a schema for the type of a default.
fn schema_of_default(value: Value) -> Map<String, Value> {
    let kind = match &value {
        Value::Null => return Map::new(),
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    Map::from_iter([("type".to_owned(), kind.into()), ("default".to_owned(), value)])
}

/// Returns the names that are exported here.
fn parse_exports<'a>(tokens: &[ScriptToken<'a>]) -> Vec<&'a str> {
    let name_of = |token: &ScriptToken<'a>| match token.kind {
        TokenKind::Name(name) => Some(name),
        _ => None,
    };
    if let [export, rest @ ..] = tokens
        && export.kind.is_name("export")
    {
        if let Some((name, _)) = split_declaration(rest) {
            return vec![name];
        }
        if rest.first().is_some_and(|token| token.kind.is_sign('{')) {
            return first_names(&rest[1..], rest[0].depth);
        }
        let rest = &rest[usize::from(rest.first().is_some_and(|one| one.kind.is_name("async")))..];
        if rest.first().is_some_and(|token| token.kind.is_name("function")) {
            return rest.get(1).and_then(name_of).into_iter().collect();
        }
    }
    if starts_with(tokens, &["module", ".", "exports", "=", "{"]) {
        return first_names(&tokens[5..], tokens[4].depth);
    }
    let is_member = starts_with(tokens, &["exports", "."])
        || starts_with(tokens, &["module", ".", "exports", "."]);
    let member = split_declaration(tokens).filter(|_| is_member);
    member.map(|(name, _)| name).into_iter().collect()
}

/// Returns the names between braces that are exported under their own name.
fn first_names<'a>(tokens: &[ScriptToken<'a>], depth: usize) -> Vec<&'a str> {
    let parts = split_members(tokens, depth).into_iter();
    let names = parts.filter_map(|part| match part {
        [ScriptToken { kind: TokenKind::Name(name), .. }] => Some(*name),
        _ => None,
    });
    names.collect()
}

/// Splits what stands between braces at its commas. The tokens start after the opening brace.
fn split_members<'a, 't>(
    tokens: &'t [ScriptToken<'a>],
    depth: usize,
) -> Vec<&'t [ScriptToken<'a>]> {
    let end = tokens.iter().position(|token| token.depth == depth && token.kind.is_sign('}'));
    let inner = &tokens[..end.unwrap_or(tokens.len())];
    inner.split(|token| token.depth == depth + 1 && token.kind.is_sign(',')).collect()
}
