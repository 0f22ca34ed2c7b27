//! What a wrong command line is answered with: what was probably meant, and how the command is used.

use crate::support::harness::Stage;

fn advice(words: &[&str]) -> String {
    let output = Stage::new().person(words);
    assert_eq!(output.status.code(), Some(2), "{words:?}: {output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_misspelt_word_is_answered_with_the_nearest_one() {
    for (words, expected) in [
        (&["serch", "x"][..], "a similar subcommand exists: 'search'"),
        (&["registry", "tokn"], "a similar subcommand exists: 'token'"),
        (&["list", "skil"], "some similar values exist: 'skill', 'skills'"),
        (&["show", "greet"], "the type comes before the name; `mere list` shows both"),
        (&["verify", "--stagd"], "a similar argument exists: '--staged'"),
    ] {
        let told = advice(words);
        assert!(told.contains(expected), "{words:?}: {told}");
    }
    assert!(!advice(&["qqqqqq"]).contains("similar"));
}

#[test]
fn whoever_leaves_out_what_a_command_needs_is_shown_examples_of_it() {
    for command in ["run", "grant", "publish", "call", "pull"] {
        let told = advice(&[command]);
        let example = format!("\nFor example:\n  mere {command} ");
        assert!(told.contains(&example), "{told}");
    }
}
