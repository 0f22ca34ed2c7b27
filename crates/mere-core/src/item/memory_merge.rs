//! Two versions of a memory, prepared so that git can merge their texts.
//!
//! Every change of a memory changes a time in its frontmatter, so two changes always conflict
//! there, and a frontmatter with conflict markers in it is none. Therefore the frontmatters are
//! merged here, key by key. What both sides changed in a way that nobody can merge is put at the top
//! of the two bodies, so that both values are read there, and git reports the conflict.

use serde_json::{Map, Value};

use super::fault::ItemFault;
use super::id::ItemId;
use super::memory::{Memory, parse_rfc3339};
use super::memory_text::{MemoryText, with_key};

/// Three versions of a memory that differ in their bodies only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeableMemory {
    /// The version that both come from.
    pub base: String,
    /// Our version.
    pub ours: String,
    /// Their version.
    pub theirs: String,
}

impl MergeableMemory {
    /// Prepares three versions. A version that is not a valid memory is a fault.
    pub fn new(base: &str, ours: &str, theirs: &str) -> Result<Self, ItemFault> {
        let slug = slug()?;
        let parse = |text: &str| Memory::parse(text, &slug).map(|memory| memory.frontmatter);
        let (base_keys, our_keys, their_keys) = (parse(base)?, parse(ours)?, parse(theirs)?);
        let merged = MergedKeys::merge(&base_keys, &our_keys, &their_keys);
        let mut head = head_of(ours)?.to_owned();
        for (key, value) in &merged.changed {
            head = with_key(&head, key, value.as_ref().map(Value::to_string))?;
        }
        MemoryText::parse(head.clone(), &slug)?;
        let with_body = |text: &str, keys: &Map<String, Value>| {
            let lines = merged
                .conflicts
                .iter()
                .filter_map(|key| keys.get(key).map(|value| format!("{key}: {value}\n")));
            Ok::<_, ItemFault>(head.clone() + &lines.collect::<String>() + body_of(text)?)
        };
        Ok(Self {
            base: head.clone() + body_of(base)?,
            ours: with_body(ours, &our_keys)?,
            theirs: with_body(theirs, &their_keys)?,
        })
    }
}

/// The keys of two frontmatters, merged.
#[derive(Default)]
struct MergedKeys {
    /// The keys that differ from ours, with their values; `None` removes the key.
    changed: Vec<(String, Option<Value>)>,
    /// The keys that both sides changed, and that cannot be merged.
    conflicts: Vec<String>,
}

impl MergedKeys {
    fn merge(
        base: &Map<String, Value>,
        ours: &Map<String, Value>,
        theirs: &Map<String, Value>,
    ) -> Self {
        let mut merged = Self::default();
        let more = theirs.keys().filter(|key| !ours.contains_key(*key));
        for key in ours.keys().chain(more) {
            let (old, our, their) = (base.get(key), ours.get(key), theirs.get(key));
            if our == their || their == old {
                continue;
            }
            if our == old {
                merged.changed.push((key.clone(), their.cloned()));
                continue;
            }
            match merge_value(key, old, [our, their]) {
                MergedValue::Value(value) if Some(&value) == our => {}
                MergedValue::Value(value) => merged.changed.push((key.clone(), Some(value))),
                MergedValue::Removed => merged.changed.push((key.clone(), None)),
                MergedValue::Conflict => merged.conflicts.push(key.clone()),
            }
        }
        merged
    }
}

/// What becomes of a key that both sides changed.
enum MergedValue {
    Value(Value),
    Removed,
    Conflict,
}

/// Merges the values of a key that both sides changed.
fn merge_value(key: &str, base: Option<&Value>, sides: [Option<&Value>; 2]) -> MergedValue {
    let chosen = |value: Option<&Value>| {
        value.map_or(MergedValue::Conflict, |value| MergedValue::Value(value.clone()))
    };
    match (key, sides) {
        // Nothing is hidden that one side still wants to see.
        ("updated_at" | "expires_at", [Some(ours), Some(theirs)]) => chosen(later(ours, theirs)),
        ("expires_at", _) => MergedValue::Removed,
        ("created_at", [Some(ours), Some(theirs)]) => {
            let later = later(ours, theirs);
            chosen(later.map(|later| if later == ours { theirs } else { ours }))
        }
        (_, [Some(Value::Array(ours)), Some(Value::Array(theirs))]) => {
            let old = base.and_then(Value::as_array).cloned().unwrap_or_default();
            let is_kept =
                |one: &&Value| !old.contains(one) || ours.contains(one) && theirs.contains(one);
            let more = theirs.iter().filter(|one| !ours.contains(one));
            MergedValue::Value(ours.iter().chain(more).filter(is_kept).cloned().collect())
        }
        _ => MergedValue::Conflict,
    }
}

fn later<'a>(one: &'a Value, other: &'a Value) -> Option<&'a Value> {
    let time = |value: &Value| value.as_str().and_then(parse_rfc3339);
    Some(if time(one)? >= time(other)? { one } else { other })
}

fn head_of(text: &str) -> Result<&str, ItemFault> {
    Ok(&text[..Memory::parse(text, &slug()?)?.content.start])
}

fn body_of(text: &str) -> Result<&str, ItemFault> {
    Ok(&text[Memory::parse(text, &slug()?)?.content.start..])
}

/// Returns the name under which a memory is parsed where only its text matters.
fn slug() -> Result<ItemId, ItemFault> {
    let unnamed = |_| ItemFault::whole_file("it has no name", "Give it one.");
    "memory".parse().map_err(unnamed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(keys: &str, body: &str) -> String {
        format!("---\n{keys}---\n{body}")
    }

    #[test]
    fn frontmatters_are_merged_key_by_key() {
        let base = memory("updated_at: 2026-01-01T00:00:00Z\ntags: [a, b]\nmood: good\n", "x\n");
        let ours = memory("updated_at: 2026-01-03T00:00:00Z\ntags: [a, c]\nmood: good\n", "ours\n");
        let theirs =
            memory("updated_at: 2026-01-02T00:00:00Z\ntags: [a, b, d]\nmood: bad\n", "theirs\n");
        let head = "updated_at: 2026-01-03T00:00:00Z\ntags: [\"a\",\"c\",\"d\"]\nmood: \"bad\"\n";
        let merged = MergeableMemory::new(&base, &ours, &theirs).expect("memories");
        let expected = MergeableMemory {
            base: memory(head, "x\n"),
            ours: memory(head, "ours\n"),
            theirs: memory(head, "theirs\n"),
        };
        assert_eq!(merged, expected);
    }

    #[test]
    fn what_cannot_be_merged_is_put_into_both_bodies() {
        let base = memory("source: a\n", "x\n");
        let (ours, theirs) = (memory("source: b\n", "x\n"), memory("source: c\n", "x\n"));
        let merged = MergeableMemory::new(&base, &ours, &theirs).expect("memories");
        assert_eq!(merged.ours, memory("source: b\n", "source: \"b\"\nx\n"));
        assert_eq!(merged.theirs, memory("source: b\n", "source: \"c\"\nx\n"));
        assert_eq!(merged.base, memory("source: b\n", "x\n"));
    }

    #[test]
    fn notes_without_frontmatter_stay_without() {
        let merged = MergeableMemory::new("", "a\n", "b\n").expect("memories");
        let expected = MergeableMemory {
            base: String::new(),
            ours: "a\n".to_owned(),
            theirs: "b\n".to_owned(),
        };
        assert_eq!(merged, expected);
        let merged = MergeableMemory::new("a\n", "a\n", "---\ntags: [x]\n---\nb\n");
        let merged = merged.expect("memories");
        assert_eq!(merged.ours, memory("tags: [\"x\"]\n", "a\n"));
        assert_eq!(merged.theirs, memory("tags: [\"x\"]\n", "b\n"));
    }

    #[test]
    fn what_expires_on_one_side_only_stays() {
        let at = |time: &str| memory(&format!("expires_at: {time}\n"), "x\n");
        let base = at("2026-01-01T00:00:00Z");
        let check = |ours: &str, theirs: &str, expected: &str| {
            let merged = MergeableMemory::new(&base, ours, theirs).expect("memories");
            assert_eq!(merged.base, expected);
        };
        let (early, late) = (at("2026-02-01T00:00:00Z"), at("2026-03-01T00:00:00Z"));
        let quoted = memory("expires_at: \"2026-03-01T00:00:00Z\"\n", "x\n");
        check(&early, &late, &quoted);
        check(&late, &early, &late);
        check(&early, &memory("", "x\n"), &memory("", "x\n"));
    }
}
