//! Edits of a configuration that keep what people wrote in it.

use mere_core::text::yaml::amend::{AmendError, add, remove, set};
use serde_json::{Value, json};

const CONFIG: &str = "\
settings:
  outputFormat: yaml            # yaml | json: the format of MCP's text mirror
  defaultStore: cortex
stores:
  cortex:
    path: ./memory              # relative to this config's folder, absolute, or ~
    description: Project memory store
    categoryMode: strict        # free | subcategories | strict; default free
    categories:
      standards:
        description: Architecture decisions and coding standards
        subcategories:
          architecture: { description: System architecture patterns }
      todo: {}
";

/// Sets `path`, whose keys are joined by slashes, with every kind of line end.
fn check(before: &str, path: &str, value: &Value, after: &str) {
    let path = path.split('/').collect::<Vec<_>>();
    let found = set(before, &path, value);
    assert_eq!(found.as_deref(), Ok(after), "{path:?} in {before:?}");
    if !before.contains('\r') && before.contains('\n') {
        let (before, after) = (before.replace('\n', "\r\n"), after.replace('\n', "\r\n"));
        assert_eq!(set(&before, &path, value), Ok(after), "{path:?} in {before:?}");
    }
}

fn check_remove(before: &str, path: &str, after: &str) {
    let path = path.split('/').collect::<Vec<_>>();
    assert_eq!(remove(before, &path).as_deref(), Ok(after), "{path:?} in {before:?}");
    let (before, after) = (before.replace('\n', "\r\n"), after.replace('\n', "\r\n"));
    assert_eq!(remove(&before, &path), Ok(after), "{path:?} in {before:?}");
}

/// The configuration with one piece replaced.
fn config(old: &str, new: &str) -> String {
    assert_eq!(CONFIG.matches(old).count(), 1, "{old:?}");
    CONFIG.replace(old, new)
}

#[test]
fn the_configuration_of_the_manual() {
    let base = "stores/cortex/categories";
    let decisions = json!({"description": "What was decided: and why"});
    check(
        CONFIG,
        &format!("{base}/decisions"),
        &decisions,
        &config(
            "      todo: {}\n",
            "      todo: {}\n      decisions:\n        description: \"What was decided: and why\"\n",
        ),
    );
    check(
        CONFIG,
        &format!("{base}/standards/subcategories/architecture/subcategories/rust"),
        &json!({"description": "Rust, of course"}),
        &config(
            "patterns }",
            "patterns, subcategories: { rust: { description: \"Rust, of course\" } } }",
        ),
    );
    check(
        CONFIG,
        "stores/team",
        &json!({"path": "~/team", "categoryMode": "free", "categories": {}}),
        &config(
            "      todo: {}\n",
            "      todo: {}\n  team:\n    path: ~/team\n    categoryMode: free\n    categories: {}\n",
        ),
    );
    check(
        CONFIG,
        &format!("{base}/todo/subcategories/later"),
        &json!({}),
        &config("todo: {}", "todo:\n        subcategories:\n          later: {}"),
    );
    check(
        CONFIG,
        "stores/cortex/categoryMode",
        &json!("free"),
        &config("strict        #", "free        #"),
    );
    check_remove(
        CONFIG,
        &format!("{base}/standards/subcategories/architecture"),
        &config(
            "subcategories:\n          architecture: { description: System architecture patterns }\n",
            "subcategories: {}\n",
        ),
    );
    check_remove(CONFIG, &format!("{base}/todo"), &config("      todo: {}\n", ""));
}

#[test]
fn a_file_without_keys_gets_its_first() {
    for (before, after) in [
        ("", "a:\n  b: 1\n"),
        ("\u{feff}", "\u{feff}a:\n  b: 1\n"),
        ("\n\n", "\n\na:\n  b: 1\n"),
        ("# c\n", "# c\n\na:\n  b: 1\n"),
        ("# c", "# c\n\na:\n  b: 1"),
        ("# c\n\n", "# c\n\na:\n  b: 1\n"),
        ("---\n", "---\na:\n  b: 1\n"),
        ("---", "---\na:\n  b: 1"),
        ("--- # c\n", "--- # c\na:\n  b: 1\n"),
        ("---\n# c\n...\n", "---\n# c\n\na:\n  b: 1\n...\n"),
        ("{}\n", "a:\n  b: 1\n"),
        ("# c\n{}", "# c\na:\n  b: 1"),
        ("~\n", "a:\n  b: 1\n"),
        ("{} # c\n", "{ a: { b: 1 } } # c\n"),
        ("{\n}\n", "{ a: { b: 1 }\n}\n"),
    ] {
        check(before, "a/b", &json!(1), after);
    }
}

#[test]
fn a_new_key_is_the_last_of_its_mapping() {
    for (before, after) in [
        ("a:\n    b: 1\n", "a:\n    b: 1\n    x: 0\n"),
        ("a:\n b:\n  - 1\n", "a:\n b:\n  - 1\n x: 0\n"),
        ("a:\n  b: 1", "a:\n  b: 1\n  x: 0"),
        ("a:\n  b: 1 # c\n\n# d\ne: 2\n", "a:\n  b: 1 # c\n  x: 0\n\n# d\ne: 2\n"),
        ("a:\n  b: 1\n  # c\n", "a:\n  b: 1\n  x: 0\n  # c\n"),
        ("a:\n  b: 1 # c\n       # d\n", "a:\n  b: 1 # c\n       # d\n  x: 0\n"),
        ("a:\n  b:\n\n    # c\n\nd: 1\n", "a:\n  b:\n\n    # c\n  x: 0\n\nd: 1\n"),
        ("a:\n  b: |\n    # c\n\nd: 1\n", "a:\n  b: |\n    # c\n  x: 0\n\nd: 1\n"),
        ("a:\n  b: |+\n    c\n\nd: 1\n", "a:\n  b: |+\n    c\n\n  x: 0\nd: 1\n"),
        ("a:\n  b: >-\nd: 1\n", "a:\n  b: >-\n  x: 0\nd: 1\n"),
        ("a:\n  b: 'c\n\n    d'\nd: 1\n", "a:\n  b: 'c\n\n    d'\n  x: 0\nd: 1\n"),
        ("'a' :\n  \"b\": {c: 1,\n  d: 2}\n", "'a' :\n  \"b\": {c: 1,\n  d: 2}\n  x: 0\n"),
        ("---\na:\n  b: 1\n...\n", "---\na:\n  b: 1\n  x: 0\n...\n"),
        ("  a:\n    b:\n", "  a:\n    b:\n    x: 0\n"),
        ("\u{feff}a:\n  b: 1\n", "\u{feff}a:\n  b: 1\n  x: 0\n"),
    ] {
        check(before, "a/x", &json!(0), after);
    }
    check("\u{feff}a: 1", "b", &json!("on"), "\u{feff}a: 1\nb: \"on\"");
    check("a: 1\nb:\n- 2\n", "c", &json!([1, "x"]), "a: 1\nb:\n- 2\nc: [1, x]\n");
}

#[test]
fn a_key_without_keys_becomes_a_mapping() {
    for (before, after) in [
        ("a:\n", "a:\n  x: 0\n"),
        ("a:", "a:\n  x: 0"),
        ("a: {}\nb: 1\n", "a:\n  x: 0\nb: 1\n"),
        ("a: { }   # c\n", "a:   # c\n  x: 0\n"),
        ("a: ~ # c\n     # d\n# e\n", "a: # c\n     # d\n  x: 0\n# e\n"),
        ("a: null\n  # b: 1\n", "a:\n  x: 0\n  # b: 1\n"),
        ("a:\n\n# c\nb: 1\n", "a:\n  x: 0\n\n# c\nb: 1\n"),
        ("\"a\": # c\n", "\"a\": # c\n  x: 0\n"),
        ("a:\n  {}\n", "a:\n  { x: 0 }\n"),
        ("a: {\n  # c\n}\n", "a: { x: 0\n  # c\n}\n"),
        ("{a: {}}\n", "{a: { x: 0 }}\n"),
        ("{a: , b}\n", "{a: { x: 0 } , b}\n"),
        ("{b: 1, a}\n", "{b: 1, a: { x: 0 }}\n"),
        ("{\"a\": null}", "{\"a\": { x: 0 }}"),
        ("b: 1\n", "b: 1\na:\n  x: 0\n"),
    ] {
        check(before, "a/x", &json!(0), after);
    }
}

#[test]
fn braces_keep_their_lines() {
    for (before, after) in [
        ("a: {b: 1}\n", "a: {b: 1, x: 0}\n"),
        ("a: { b: 1 } # c\n", "a: { b: 1, x: 0 } # c\n"),
        ("a: {b: 1,}\n", "a: {b: 1, x: 0}\n"),
        ("a: {b}\n", "a: {b, x: 0}\n"),
        ("a: {b: }\n", "a: {b:, x: 0 }\n"),
        ("a: {\n  b: 1\n}\n", "a: {\n  b: 1,\n  x: 0\n}\n"),
        ("a: {\n  b: 1, # c\n}\n", "a: {\n  b: 1, # c\n  x: 0,\n}\n"),
        ("a: {\n  b: '}' # c\n  # d\n}\n", "a: {\n  b: '}', # c\n  x: 0\n  # d\n}\n"),
        ("a: { b: 1,\n  c: [2] }\n", "a: { b: 1,\n  c: [2], x: 0 }\n"),
        ("a: { b: 1 # c\n  , # d\n  }\n", "a: { b: 1 # c\n  , x: 0 # d\n  }\n"),
    ] {
        check(before, "a/x", &json!(0), after);
    }
    check("{\"a\":{\"b\":1}}", "a/c", &json!({"d": "e"}), "{\"a\":{\"b\":1, c: { d: e }}}");
}

#[test]
fn a_value_is_replaced_where_it_stands() {
    for (before, value, after) in [
        ("a:   1   # c\n", json!(2), "a:   2   # c\n"),
        ("a: # c\nb: 1\n", json!("x"), "a: x # c\nb: 1\n"),
        ("a: 1 # c\nb: 1\n", json!({"x": 0}), "a: # c\n  x: 0\nb: 1\n"),
        ("a: # c\n  b: 1 # d\n  # e\n# f\n", json!(null), "a: null # c\n# f\n"),
        ("a:\n- 1\n# f\n", json!({"x": 0}), "a:\n  x: 0\n# f\n"),
        ("a: |\n  b\n\nc: 1\n", json!(2), "a: 2\n\nc: 1\n"),
        ("a: {\n  b: 1\n} # c\n", json!({}), "a: {} # c\n"),
        ("a: b\n  c\nd: 1\n", json!({"x": 0}), "a:\n  x: 0\nd: 1\n"),
        ("a:\n  b: 1", json!({"x": 0}), "a:\n  x: 0"),
        ("{a: {b: 1}, c: 2}\n", json!("x"), "{a: x, c: 2}\n"),
        ("{a, c: 2}\n", json!(1), "{a: 1, c: 2}\n"),
        ("{a: , c: 2}\n", json!("x, y"), "{a: \"x, y\" , c: 2}\n"),
    ] {
        check(before, "a", &value, after);
    }
}

#[test]
fn a_key_goes_with_what_is_about_it() {
    for (before, after) in [
        ("x: 1\n# c\na: 2\ny: 3\n", "x: 1\ny: 3\n"),
        ("x: 1\n# c\n\n# d\na: 2 # e\n\ny: 3\n", "x: 1\n# c\n\n\ny: 3\n"),
        ("# title\na: 2\ny: 3\n", "# title\ny: 3\n"),
        ("---\n# title\n\n# c\na: 2\ny: 3\n", "---\n# title\n\ny: 3\n"),
        ("x: 1\n  # of x\na:\n  b: 1\n\n  # c\n# d\n", "x: 1\n  # of x\n# d\n"),
        ("x: |\n  # no comment\na: |\n  # c\n\ny: 1\n", "x: |\n  # no comment\n\ny: 1\n"),
        ("x: 1\na: [1,\n2]\ny: 2", "x: 1\ny: 2"),
        ("x: 1\na: 2", "x: 1\n"),
        ("# c\na: 1", "# c\n{}"),
        ("a:\n- 1\n- b: 2\ny: 3\n", "y: 3\n"),
        ("\u{feff}# title\n# more\na: 1\nb: 2\n", "\u{feff}# title\n# more\nb: 2\n"),
        ("{a: 1, b: 2}\n", "{b: 2}\n"),
        ("{b: 2, a: 1}\n", "{b: 2}\n"),
        ("{b: 2, a: 1, }\n", "{b: 2, }\n"),
        ("{x, a, y}\n", "{x, y}\n"),
        ("{ a: 1 }\n", "{}\n"),
        ("{\n  a: 1, # c\n  b: 2\n}\n", "{\n  b: 2\n}\n"),
        ("{\n  b: 2, # b\n  # c\n  a: {\n  } # d\n}\n", "{\n  b: 2, # b\n}\n"),
        ("{ # c\n  a: 1 }\n", "{ # c\n   }\n"),
    ] {
        check_remove(before, "a", after);
    }
    check_remove("a: # c\n  # d\n  b: 1\n  # e\n", "a/b", "a: {} # c\n  # e\n");
    check_remove("a:\n  - 1\nb: {c: {d: 1}}\n", "b/c/d", "a:\n  - 1\nb: {c: {}}\n");
}

#[test]
fn what_is_not_understood_is_refused() {
    use AmendError::{AlreadyExists, Missing, NotAMapping, Unreadable, UnsupportedLayout};
    for (text, line) in [
        ("a: 1\nb: [\n", 2),
        ("a: 1\na: 2\n", 2),
        ("a: &x 1\n", 1),
        ("a: 1\nb: !!str 1\n", 2),
        ("a: 1\n<<: {b: 1}\n", 2),
        ("a: 1\n---\nb: 2\n", 2),
        ("a: 1\n---\n", 2),
    ] {
        for path in [&["a"][..], &["x", "y"], &["a", "b"]] {
            assert_eq!(set(text, path, &json!(1)), Err(Unreadable { line }), "{text:?}");
            assert_eq!(remove(text, path), Err(Unreadable { line }), "{text:?}");
        }
    }
    for (text, path, expected) in [
        ("a: 1\n", &["a", "b"][..], NotAMapping),
        ("a: [b]\n", &["a", "b"], NotAMapping),
        ("a: ''\n", &["a", "b"], NotAMapping),
        ("- a\n", &["a"], NotAMapping),
        ("x\n", &["a"], NotAMapping),
        ("a: 1\n", &[], Missing),
        ("? a\n: 1\n", &["b"], UnsupportedLayout),
        ("? a\n: 1\n", &["a"], UnsupportedLayout),
        ("a:\n  ~\n", &["a", "b"], UnsupportedLayout),
        ("~ # c\n", &["a"], UnsupportedLayout),
        ("a: |2\n   x\n    \n", &["b"], UnsupportedLayout),
    ] {
        assert_eq!(set(text, path, &json!(1)), Err(expected), "{text:?}");
    }
    for (text, path, expected) in [
        ("", &["a"][..], Missing),
        ("a: 1\n", &["b"], Missing),
        ("a:\n", &["a", "b"], Missing),
        ("a: 1\n", &["a", "b"], NotAMapping),
        ("a: 1\n", &[], Missing),
        ("? a\n: 1\n", &["a"], UnsupportedLayout),
        ("{? a : 1}\n", &["a"], UnsupportedLayout),
        ("a: |+\n  x\nb: 1\n\nc: 1\n", &["b"], UnsupportedLayout),
    ] {
        assert_eq!(remove(text, path), Err(expected), "{text:?}");
    }
    for text in ["a:\n  b:\n", "a: {b: 1}\n"] {
        assert_eq!(add(text, &["a", "b"], &json!(1)), Err(AlreadyExists), "{text:?}");
        assert_eq!(add(text, &["a", "c"], &json!(1)), set(text, &["a", "c"], &json!(1)));
    }
}
