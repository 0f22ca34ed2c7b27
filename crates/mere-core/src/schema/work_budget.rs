//! Counts how much work a check will be, before it is done.
//!
//! The library collects every error of every branch, and a schema that applies itself twice to
//! each item doubles the work with each level of the instance. The check is therefore simulated
//! once with a budget; the simulation takes every branch, so its cost bounds the library's work.

use serde_json::{Map, Value};

use super::keyword::{self, AppliesTo, Subschema, SubschemaKey};
use super::schema_document::SchemaDocument;

/// The most schemas that may be applied to values.
const BUDGET: usize = 200_000;
/// The most schemas that may be active at once, because the library recurses for each.
const MAX_NESTED: usize = 256;
/// More repetitions than this do not fit into the largest pattern that is accepted.
const MAX_REPETITIONS: usize = 4_096;
/// Checks whether checking the instance against the document stays within the budget.
pub(super) fn is_within_budget(references: &SchemaDocument, instance: &Value) -> bool {
    let mut walk = WorkMeter { references, budget_left: BUDGET, depth: 0, active_branches: 0 };
    walk.apply(references.root(), instance).is_some()
}

struct WorkMeter<'a> {
    references: &'a SchemaDocument,
    budget_left: usize,
    depth: usize,
    /// The number of `anyOf` and `oneOf` that are active.
    active_branches: usize,
}

impl WorkMeter<'_> {
    /// Charges for applying a schema to a value. Returns `None` if the budget is spent.
    fn apply(&mut self, schema: &Value, instance: &Value) -> Option<()> {
        self.charge(1)?;
        let Some(map) = schema.as_object() else { return Some(()) };
        self.depth += 1;
        if self.depth > MAX_NESTED {
            return None;
        }
        self.charge(keyword_cost(map, instance))?;
        if self.active_branches > 0 {
            self.charge(error_copy_cost(map, instance))?;
        }
        let parts = keyword::subschemas(map);
        let before = self.budget_left;
        for reference in keyword::references(map) {
            let target = self.references.resolve(reference)?;
            self.apply(target, instance)?;
        }
        for part in parts.iter().filter(|part| part.applies_to == AppliesTo::SameValue) {
            let is_branch = matches!(part.keyword, "anyOf" | "oneOf");
            self.active_branches += usize::from(is_branch);
            self.apply(part.schema, instance)?;
            self.active_branches -= usize::from(is_branch);
        }
        if parts.iter().any(|part| part.keyword.starts_with("unevaluated")) {
            // The library asks every schema applied here which members it evaluated, for each
            // member.
            self.charge((before - self.budget_left).saturating_mul(member_count(instance)))?;
        }
        for part in parts.iter().filter(|part| part.applies_to == AppliesTo::InnerValues) {
            self.apply_to_inner_values(map, part, instance)?;
        }
        self.depth -= 1;
        Some(())
    }

    /// Charges for the values inside the instance that a subschema of `schema` is applied to.
    fn apply_to_inner_values(
        &mut self,
        schema: &Map<String, Value>,
        part: &Subschema<'_>,
        instance: &Value,
    ) -> Option<()> {
        match (part.keyword, part.key, instance) {
            ("properties", SubschemaKey::Name(name), Value::Object(members)) => {
                members.get(name).map_or(Some(()), |member| self.apply(part.schema, member))
            }
            ("propertyNames", _, Value::Object(members)) => members
                .keys()
                .try_for_each(|name| self.apply(part.schema, &Value::String(name.clone()))),
            ("patternProperties", SubschemaKey::Name(pattern), Value::Object(members)) => {
                let cost = pattern_cost(pattern);
                members.iter().try_for_each(|(name, member)| {
                    self.charge(name.len().saturating_mul(cost))?;
                    self.apply(part.schema, member)
                })
            }
            ("additionalProperties" | "unevaluatedProperties", _, Value::Object(members)) => {
                let named = schema.get("properties").and_then(Value::as_object);
                let is_named = |name: &str| named.is_some_and(|named| named.contains_key(name));
                let mut others = members.iter().filter(|(name, _)| !is_named(name));
                others.try_for_each(|(_, member)| self.apply(part.schema, member))
            }
            ("prefixItems", SubschemaKey::Index(index), Value::Array(items)) => {
                items.get(index).map_or(Some(()), |item| self.apply(part.schema, item))
            }
            ("items", _, Value::Array(items)) => {
                let first = schema.get("prefixItems").map_or(0, member_count);
                items.iter().skip(first).try_for_each(|item| self.apply(part.schema, item))
            }
            ("contains" | "unevaluatedItems", _, Value::Array(items)) => {
                items.iter().try_for_each(|item| self.apply(part.schema, item))
            }
            _ => Some(()),
        }
    }

    fn charge(&mut self, cost: usize) -> Option<()> {
        self.budget_left = self.budget_left.checked_sub(cost)?;
        Some(())
    }
}

/// Returns the cost of a schema's own keywords on a value, without the schemas inside it.
fn keyword_cost(schema: &Map<String, Value>, instance: &Value) -> usize {
    let options = schema.get("enum").map_or(0, member_count);
    let pattern = schema.get("pattern").and_then(Value::as_str);
    let reading = match (instance, pattern) {
        (Value::String(text), Some(pattern)) => text.len().saturating_mul(pattern_cost(pattern)),
        (Value::String(text), None) if schema.contains_key("format") => text.len() / 4,
        (Value::String(text), None) => text.len() / 1024,
        (Value::Array(items), _) if schema.contains_key("uniqueItems") => items.len(),
        _ => 0,
    };
    schema.len() + options / 8 + reading
}

/// Returns the cost of matching one byte of text against a pattern.
///
/// Linear time is also linear in the pattern's size, and counted repetition makes a short pattern
/// large. Counts are added up, or multiplied if one may be nested in another.
fn pattern_cost(pattern: &str) -> usize {
    let after_brace = pattern.split('{').skip(1);
    let largest = |text: &str| {
        let counts = text.split('}').next().unwrap_or_default().split(',');
        counts.filter_map(|count| count.trim().parse::<usize>().ok()).max().unwrap_or(1).max(1)
    };
    let is_nested = pattern.contains(')') || pattern.contains("}{");
    let counted = if is_nested {
        after_brace.map(largest).fold(1, usize::saturating_mul)
    } else {
        after_brace.map(largest).fold(1, usize::saturating_add)
    };
    2 + (pattern.len() + counted.min(MAX_REPETITIONS)) / 32
}

/// Returns the cost of a schema's errors in a branch, where each error copies the value.
fn error_copy_cost(schema: &Map<String, Value>, instance: &Value) -> usize {
    let errors = 1 + schema.len() + schema.get("required").map_or(0, member_count);
    errors.saturating_mul(memory_size(instance) / 4)
}

/// Estimates the memory that a value takes, in values.
fn memory_size(value: &Value) -> usize {
    match value {
        Value::String(text) => 1 + text.len() / 64,
        Value::Array(items) => 1 + items.iter().map(memory_size).sum::<usize>(),
        Value::Object(map) => {
            1 + map.iter().map(|(name, value)| name.len() / 64 + memory_size(value)).sum::<usize>()
        }
        _ => 1,
    }
}

/// Counts the values directly inside a value.
fn member_count(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        _ => 0,
    }
}
