//! Functions have at most four parameters, and none of them is a `bool`.
//!
//! A tuple counts as its members, so it hides nothing. `self` does not count.

use super::sources;

const MAX_PARAMETERS: usize = 4;

/// Functions whose signature a trait of another crate prescribes.
const PRESCRIBED_BOOL: [&str; 2] = ["fn from(value: bool)", "fn visit_bool"];

/// Splits a text at the commas that are in no bracket.
fn split_at_commas(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start, mut last) = (Vec::new(), 0_i32, 0, ' ');
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '>' if last != '-' && last != '=' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        last = c;
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// The type of a parameter, without references; `None` for `self`.
fn parameter_type(parameter: &str) -> Option<&str> {
    let name_end = if parameter.starts_with('(') {
        parameter.rfind("):").map(|at| at + 1)
    } else {
        parameter
            .find(':')
            .filter(|_| !parameter.starts_with("self") && !parameter.contains(" self"))
    };
    let kind = parameter[name_end? + 1..].trim();
    let kind = kind.trim_start_matches('&').trim_start();
    let kind = match kind.split_once(' ') {
        Some((lifetime, rest)) if lifetime.starts_with('\'') => rest,
        _ => kind,
    };
    Some(kind.strip_prefix("mut ").unwrap_or(kind))
}

/// How many values a type carries into a function.
fn weight(kind: &str) -> usize {
    match kind.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) => split_at_commas(inner)
            .iter()
            .map(|member| weight(member.trim_start_matches('&')))
            .sum::<usize>()
            .max(1),
        None => 1,
    }
}

/// The signatures of a source file, each from `fn` to the end of its parameters.
fn signatures(text: &str) -> Vec<(String, Vec<String>)> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = code.collect::<Vec<_>>().join(" ");
    let starts = code.match_indices("fn ").map(|(at, _)| at);
    let starts =
        starts.filter(|at| !code[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_'));
    let found = starts.filter_map(|at| {
        let rest = &code[at..];
        let name_end = rest[3..].find(|c: char| !c.is_alphanumeric() && c != '_')? + 3;
        let mut depth = 0_i32;
        // Generic parameters come before the parentheses and may have some of their own.
        let open = rest[name_end..].char_indices().find_map(|(offset, c)| {
            match c {
                '<' => depth += 1,
                '>' if !rest[..name_end + offset].ends_with('-') => depth -= 1,
                '(' if depth == 0 => return Some(name_end + offset),
                _ => {}
            }
            None
        })?;
        let mut depth = 0_i32;
        let close = rest[open..].char_indices().find_map(|(offset, c)| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            (depth == 0).then_some(open + offset)
        })?;
        let parameters = split_at_commas(&rest[open + 1..close]);
        let parameters = parameters.into_iter().map(str::to_owned).collect();
        Some((rest[..=close].to_owned(), parameters))
    });
    found.collect()
}

#[test]
fn functions_have_few_parameters_and_no_bool() {
    let mut count = 0;
    for (path, text) in sources() {
        for (signature, parameters) in signatures(&text) {
            count += 1;
            let kinds = parameters.iter().filter_map(|one| parameter_type(one));
            let kinds = kinds.collect::<Vec<_>>();
            let weight = kinds.iter().map(|kind| weight(kind)).sum::<usize>();
            assert!(weight <= MAX_PARAMETERS, "{path}: {signature} has {weight} parameters");
            let is_prescribed = PRESCRIBED_BOOL.iter().any(|one| signature.starts_with(one));
            assert!(
                is_prescribed || !kinds.contains(&"bool"),
                "{path}: {signature} has a bool: give it an enum of two telling names"
            );
        }
    }
    assert!(count > 3000, "the functions are found: {count}");
}

#[test]
fn parameters_are_counted() {
    let check = |text: &str, expected: usize| {
        let (_, parameters) = signatures(text).remove(0);
        let kinds = parameters.iter().filter_map(|one| parameter_type(one));
        assert_eq!(kinds.map(weight).sum::<usize>(), expected, "{text}");
    };
    check("fn a() {}", 0);
    check("fn a(&self, b: &str, (c, d): (u8, &u8)) {}", 3);
    check("fn a<F: Fn(u8, u8) -> bool>(b: F, c: Map<u8, (u8, u8)>) {}", 2);
    check("fn a(mut self, b: &'a (u8, (u8, u8))) {}", 3);
    check("fn a(self: &Arc<Self>, b: impl Fn(&str, u8) -> u8) {}", 1);
}
