//! Edits of any configuration: the value changes in one place, and no line elsewhere does.

use mere_core::text::yaml::amend::{AmendError, add, remove, set};
use mere_core::text::yaml::parse;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value, json};

use crate::amend_text::{Comment, Written, config};

/// Every path of keys that is there.
fn paths(value: &Value) -> Vec<Vec<String>> {
    let mut found = vec![Vec::new()];
    for (key, below) in value.as_object().into_iter().flatten() {
        let below = paths(below).into_iter().map(|path| [vec![key.clone()], path].concat());
        found.extend(below);
    }
    found
}

fn at<'a>(value: &'a mut Value, path: &[String]) -> &'a mut Value {
    path.iter().fold(value, |value, key| {
        if value.is_null() {
            *value = Value::Object(Map::new());
        }
        value.as_object_mut().expect("a mapping").entry(key).or_insert(Value::Null)
    })
}

fn read(text: &str) -> Value {
    parse::<Value>(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn keys(path: &[String]) -> Vec<&str> {
    path.iter().map(String::as_str).collect()
}

/// How many lines the two have in common, in order.
fn common_lines(one: &str, other: &str) -> usize {
    let other = other.lines().collect::<Vec<_>>();
    let mut row = vec![0_usize; other.len() + 1];
    for line in one.lines() {
        let mut corner = 0;
        for (index, theirs) in other.iter().enumerate() {
            let above = row[index + 1];
            row[index + 1] = if line == *theirs { corner + 1 } else { above.max(row[index]) };
            corner = above;
        }
    }
    row.last().copied().unwrap_or_default()
}

/// The comments of a text, in order.
fn comments(text: &str) -> Vec<usize> {
    let ends = |rest: &str| rest.find(|character: char| !character.is_ascii_digit());
    let number = |rest: &str| rest[..ends(rest).unwrap_or(rest.len())].parse().ok();
    text.split("# c").skip(1).filter_map(number).collect()
}

/// What is left of the comments is in order, and what is not is about `path`.
fn check_comments(written: &Written, after: &str, may_go: impl Fn(&Comment) -> bool) {
    let left = comments(after);
    assert!(left.is_sorted(), "{}\n=>\n{after}", written.text);
    for (number, comment) in written.comments.iter().enumerate() {
        let is_left = left.binary_search(&number).is_ok();
        assert!(is_left || may_go(comment), "c{number}: {}\n=>\n{after}", written.text);
    }
}

fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(json!(null)),
        Just(json!(true)),
        any::<i32>().prop_map(|number| json!(number)),
        "[ -~é\n]{0,12}".prop_map(|text| json!(text)),
        any::<String>().prop_map(|text| json!(text)),
        Just(json!([])),
        Just(json!({})),
    ];
    scalar.prop_recursive(3, 8, 3, |inner| {
        let key = prop_oneof!["[a-z ,:#'\"]{0,4}", any::<String>()];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 1..3).prop_map(Value::Array),
            proptest::collection::vec((key, inner), 1..3)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_new_key_costs_no_comment_and_no_line(
        written in config(), place in any::<Index>(), value in value(), depth in 1..3_usize,
    ) {
        let before = read(&written.text);
        let mut places = paths(&before);
        places.retain(|path| matches!(at(&mut before.clone(), path), Value::Object(_) | Value::Null));
        let parent = place.get(&places).clone();
        let new = ["new", "er"].into_iter().take(depth).map(str::to_owned);
        let path = parent.iter().cloned().chain(new).collect::<Vec<_>>();

        let after = add(&written.text, &keys(&path), &value);
        let after = after.unwrap_or_else(|error| panic!("{error}: {path:?}\n{}", written.text));
        let mut expected = before.clone();
        *at(&mut expected, &path) = value;
        prop_assert_eq!(read(&after).to_string(), expected.to_string());
        check_comments(&written, &after, |_| false);
        let old = written.text.lines().count();
        let common = common_lines(&written.text, &after);
        prop_assert!(common + 1 >= old, "{}\n=>\n{}", written.text, after);

        let back = remove(&after, &keys(&path[..=parent.len()]));
        let back = back.unwrap_or_else(|error| panic!("{error}: {path:?}\n{after}"));
        let was_mapping = !at(&mut before.clone(), &parent).is_null();
        if was_mapping {
            prop_assert_eq!(read(&back).to_string(), before.to_string());
        }
        let is_closed = written.text.ends_with('\n');
        if was_mapping && is_closed && common == old {
            prop_assert_eq!(&back, &written.text, "{}", after);
        }
    }

    #[test]
    fn a_new_value_costs_what_was_inside_the_old(
        written in config(), place in any::<Index>(), value in value(),
    ) {
        let before = read(&written.text);
        let path = place.get(&paths(&before)[1..]).clone();
        let after = set(&written.text, &keys(&path), &value);
        let after = after.unwrap_or_else(|error| panic!("{error}: {path:?}\n{}", written.text));
        let mut expected = before;
        *at(&mut expected, &path) = value;
        prop_assert_eq!(read(&after).to_string(), expected.to_string());
        check_comments(&written, &after, |comment| comment.is_inside(&path));
    }

    #[test]
    fn a_key_that_goes_costs_what_was_about_it(written in config(), place in any::<Index>()) {
        let before = read(&written.text);
        let path = place.get(&paths(&before)[1..]).clone();
        let after = remove(&written.text, &keys(&path));
        let after = after.unwrap_or_else(|error| panic!("{error}: {path:?}\n{}", written.text));
        let mut expected = before;
        let (last, parent) = path.split_last().expect("a key");
        at(&mut expected, parent).as_object_mut().expect("a mapping").shift_remove(last);
        prop_assert_eq!(read(&after).to_string(), expected.to_string());
        check_comments(&written, &after, |comment| comment.is_about(&path));
        // Nothing is new but the `{}` of a parent.
        let common = common_lines(&written.text, &after);
        prop_assert!(common + 1 >= after.lines().count(), "{}\n=>\n{after}", written.text);
    }

    #[test]
    fn any_text_is_edited_or_refused(
        text in "([a-c]: ?|[{}\\[\\],#|>~'\"?&*!-]|\n {0,3}|\r\n|---\n|\\.\\.\\.\n|\u{feff}| ){0,24}",
        path in proptest::collection::vec("[a-c]", 0..3),
    ) {
        let path = keys(&path);
        for value in [json!({"x": 1}), json!("x, y")] {
            if let Ok(after) = set(&text, &path, &value) {
                let found = read(&after);
                let found = path.iter().try_fold(&found, |found, key| found.get(*key));
                prop_assert_eq!(found, Some(&value), "{:?}", text);
            }
        }
        if let Ok(after) = remove(&text, &path) {
            prop_assert_eq!(remove(&after, &path), Err(AmendError::Missing), "{:?}", text);
        }
    }
}
