//! Reads a Python script: its docstring, its metadata, its functions, and whether it runs itself.

use serde_json::Value;

use super::ScriptLanguage;
use super::literal::parse_literal;
use super::metadata::{
    FunctionFacts, FunctionParameter, NotLiteral, Parameters, ScriptFacts, is_metadata,
};
use super::python_type::{allow_null, parse_type};
use super::tokens::{ScriptToken, TokenKind, split};

/// Reads what a script says at its top level.
pub(super) fn read_facts(text: &str) -> ScriptFacts {
    let tokens = split(ScriptLanguage::Python, text);
    let mut facts = ScriptFacts { is_complete: tokens.is_complete, ..ScriptFacts::default() };
    let mut is_in_definition = false;
    for (number, statement) in Statements(&tokens.list).enumerate() {
        let is_top = statement.first().is_some_and(|token| token.line_start == Some(0));
        let definition = parse_definition(statement);
        if is_top {
            is_in_definition = definition.is_some() || starts_with_name(statement, "class");
        }
        if let Some((name, signature)) = definition {
            if is_top {
                let parameters = parse_parameters(signature);
                facts.functions.push(FunctionFacts { name: name.to_owned(), parameters });
            }
            continue;
        }
        facts.runs_itself |= !is_in_definition && is_running(statement);
        match statement {
            [ScriptToken { kind: TokenKind::Text(text), .. }] if number == 0 => {
                facts.about.clone_from(text);
            }
            _ if is_top => facts.assigned.extend(parse_assignment(statement)),
            _ => {}
        }
    }
    facts
}

/// The statements of a script. The body of a block is not part of its first line.
struct Statements<'a, 't>(&'t [ScriptToken<'a>]);

impl<'a, 't> Iterator for Statements<'a, 't> {
    type Item = &'t [ScriptToken<'a>];

    fn next(&mut self) -> Option<Self::Item> {
        let is_start = |token: &ScriptToken<'_>| token.line_start.is_some() && token.depth == 0;
        let (_, others) = self.0.split_first()?;
        // A closing bracket at the start of a line still belongs to the statement.
        let closes =
            |token: &ScriptToken<'_>| matches!(token.kind, TokenKind::Sign(')' | ']' | '}'));
        let end = others.iter().position(|token| is_start(token) && !closes(token));
        let (statement, rest) = self.0.split_at(end.map_or(self.0.len(), |end| end + 1));
        self.0 = rest;
        Some(statement)
    }
}

fn starts_with_name(statement: &[ScriptToken<'_>], name: &str) -> bool {
    statement.first().is_some_and(|token| token.kind.is_name(name))
}

/// Splits `def name(…)` into the name and what follows it.
fn parse_definition<'a, 't>(
    statement: &'t [ScriptToken<'a>],
) -> Option<(&'a str, &'t [ScriptToken<'a>])> {
    let statement = match statement {
        [first, rest @ ..] if first.kind.is_name("async") => rest,
        statement => statement,
    };
    match statement {
        [first, ScriptToken { kind: TokenKind::Name(name), .. }, rest @ ..]
            if first.kind.is_name("def") =>
        {
            Some((name, rest))
        }
        _ => None,
    }
}

/// Reports whether a statement outside of functions does the work: it asks whether the script is
/// run as a program, or calls `main`.
fn is_running(statement: &[ScriptToken<'_>]) -> bool {
    let has = |wanted: &TokenKind<'_>| statement.iter().any(|token| token.kind == *wanted);
    let asks =
        has(&TokenKind::Name("__name__")) && has(&TokenKind::Text(Some("__main__".to_owned())));
    let calls =
        statement.windows(2).any(|pair| pair[0].kind.is_name("main") && pair[1].kind.is_sign('('));
    asks || calls
}

/// Parses `NAME = literal` and `NAME: type = literal` for names of metadata.
fn parse_assignment(statement: &[ScriptToken<'_>]) -> Option<(String, Result<Value, NotLiteral>)> {
    let (first, rest) = statement.split_first()?;
    let TokenKind::Name(name) = first.kind else { return None };
    let is_start = rest.first().is_some_and(|token| "=:".chars().any(|c| token.kind.is_sign(c)));
    if !is_metadata(name) || !is_start {
        return None;
    }
    let equals = rest.iter().position(|token| token.depth == 0 && token.kind.is_sign('='))?;
    let value = &rest[equals + 1..];
    if value.first().is_some_and(|token| token.kind.is_sign('=')) {
        return None;
    }
    Some((name.to_owned(), parse_literal(ScriptLanguage::Python, value).ok_or(NotLiteral)))
}

/// Parses the parameters of a function. The tokens start with the opening bracket.
fn parse_parameters(signature: &[ScriptToken<'_>]) -> Result<Parameters, &'static str> {
    let unreadable = "its signature could not be read";
    let (open, inner) = signature.split_first().ok_or(unreadable)?;
    let end = inner.iter().position(|token| token.depth == open.depth && token.kind.is_sign(')'));
    let inner = &inner[..end.filter(|_| open.kind.is_sign('(')).ok_or(unreadable)?];
    let level = open.depth + 1;
    let mut parameters = Parameters::default();
    for part in inner.split(|token| token.depth == level && token.kind.is_sign(',')) {
        match part {
            [] => {}
            [slash] if slash.kind.is_sign('/') => return Err("it has positional-only parameters"),
            [star, second, ..] if star.kind.is_sign('*') && second.kind.is_sign('*') => {
                parameters.takes_others = true;
            }
            // What is given by place is never given; what follows is given by name.
            [star, ..] if star.kind.is_sign('*') => {}
            [ScriptToken { kind: TokenKind::Name(name), .. }, rest @ ..] => {
                parameters.list.push(parse_parameter(name, rest, level));
            }
            _ => return Err(unreadable),
        }
    }
    Ok(parameters)
}

/// Parses the type and the default that follow the name of a parameter.
fn parse_parameter(name: &str, rest: &[ScriptToken<'_>], level: usize) -> FunctionParameter {
    let equals = rest.iter().position(|token| token.depth == level && token.kind.is_sign('='));
    let (before, default) = rest.split_at(equals.unwrap_or(rest.len()));
    let annotation = before.split_first().filter(|(colon, _)| colon.kind.is_sign(':'));
    let mut schema = annotation.map(|(_, tokens)| parse_type(tokens)).unwrap_or_default();
    let default = default.split_first().map(|(_, value)| value);
    match default.and_then(|value| parse_literal(ScriptLanguage::Python, value)) {
        // The function itself fills it in.
        Some(Value::Null) => allow_null(&mut schema),
        Some(value) if fits(&schema, &value) => {
            schema.insert("default".to_owned(), value);
        }
        _ => {}
    }
    FunctionParameter { name: name.to_owned(), schema, is_required: default.is_none() }
}

/// Reports whether a default is of the type that the schema says.
fn fits(schema: &serde_json::Map<String, Value>, value: &Value) -> bool {
    crate::schema::Schema::compile(&Value::Object(schema.clone()))
        .is_ok_and(|schema| schema.problems(value).is_empty())
}
