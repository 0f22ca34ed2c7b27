//! What `mere memory` accepts, and what it refuses.
//!
//! These tests parse command lines and run nothing.

use clap::Parser;
use clap::error::ErrorKind;
use mere_core::address::ModName;

use super::super::memory::SortArgument;
use super::super::{
    Arguments, Command, ContentSource, CreateMemoryArguments, ListMemoriesArguments,
    MemoryArguments, MemoryCommandArguments, MemorySubcommand,
};

fn parse(words: &[&str]) -> Result<MemoryArguments, ErrorKind> {
    let words = ["mere", "memory"].iter().chain(words);
    match Arguments::try_parse_from(words).map(|arguments| arguments.command) {
        Ok(Command::Memory(MemorySubcommand::Memory(arguments))) => Ok(*arguments),
        Ok(_) => panic!("another command"),
        Err(error) => Err(error.kind()),
    }
}

fn parse_create(words: &[&str]) -> CreateMemoryArguments {
    match parse(words).expect("a command").what {
        MemoryCommandArguments::Create(arguments) => arguments,
        _ => panic!("another command"),
    }
}

#[test]
fn a_memory_is_created_from_a_text_or_a_file() {
    let arguments = parse_create(&[
        "create",
        "api/auth/tokens",
        "They are short.",
        "--tag",
        "auth",
        "--tag",
        "api",
        "--expires-at",
        "30d",
        "--citation",
        "ADR 3",
        "--source",
        "a review",
    ]);
    assert_eq!(arguments.path.to_string(), "api/auth/tokens");
    assert_eq!(arguments.content.text.as_deref(), Some("They are short."));
    assert_eq!(arguments.tag, ["auth", "api"]);
    assert_eq!(arguments.expires_at, "30d".parse().ok());
    assert_eq!(
        (arguments.citation, arguments.source.as_deref()),
        (vec!["ADR 3".to_owned()], Some("a review"))
    );
    let file = parse_create(&["create", "a", "--file", "-"]).content.file;
    assert!(matches!(file, Some(ContentSource::StandardInput)));
    let file = parse_create(&["create", "a", "--file", "./-"]).content.file;
    assert!(matches!(file, Some(ContentSource::File(_))));
    assert!(parse_create(&["create", "a"]).content.text.is_none(), "it may be piped in");
}

#[test]
fn words_that_contradict_each_other_are_refused() {
    for words in [
        &["create", "a", "text", "--file", "b"][..],
        &["update", "a", "--tag", "b", "--no-tags"],
        &["update", "a", "--expires-at", "1d", "--never-expires"],
        &["update", "a", "--citation", "b", "--no-citations"],
        &["prune", "--dry-run", "--yes"],
    ] {
        assert_eq!(parse(words).err(), Some(ErrorKind::ArgumentConflict), "{words:?}");
    }
}

#[test]
fn an_update_changes_something() {
    let nothing = Some(ErrorKind::MissingRequiredArgument);
    assert_eq!(parse(&["update", "a"]).err(), nothing);
    let digest = "0".repeat(64);
    assert_eq!(parse(&["update", "a", "--expect-sha256", &digest]).err(), nothing);
    for change in [
        &["text"][..],
        &["--file", "b"],
        &["--tag", "b"],
        &["--no-tags"],
        &["--expires-at", "2w"],
        &["--never-expires"],
        &["--citation", "b"],
        &["--no-citations"],
        &["text", "--tag", "b", "--never-expires"],
    ] {
        let words = [&["update", "a"], change].concat();
        assert!(parse(&words).is_ok(), "{words:?}");
    }
}

#[test]
fn what_is_no_path_time_or_number_is_refused() {
    for words in [
        &["get", "../a"][..],
        &["get", "A"],
        &["move", "a", "b/"],
        &["create", "a", "text", "--expires-at", "tomorrow"],
        &["update", "a", "text", "--expect-sha256", "00"],
        &["list", "--limit", "0"],
        &["list", "--limit", "10001"],
        &["list", "a//b"],
        &["list", "--store", "a/b"],
    ] {
        assert_eq!(parse(words).err(), Some(ErrorKind::ValueValidation), "{words:?}");
    }
    assert_eq!(parse(&["list", "--sort", "size"]).err(), Some(ErrorKind::InvalidValue));
}

#[test]
fn a_store_is_named_before_or_after_the_command() {
    for words in [["--store", "notes", "list"], ["list", "--store", "notes"]] {
        let store = parse(&words).expect("a command").store;
        assert_eq!(store.as_ref().map(ModName::as_str), Some("notes"));
    }
}

#[test]
fn recent_is_a_list_of_the_whole_store() {
    let MemoryCommandArguments::Recent(arguments) = parse(&["recent"]).expect("a command").what
    else {
        panic!("another command")
    };
    let list = ListMemoriesArguments::from(arguments);
    assert_eq!((list.category, list.limit), (None, Some(10)));
    assert_eq!((list.sort, list.include_expired), (SortArgument::Recent, false));
}

#[test]
fn what_is_not_said_stays() {
    let check = |words: &[&str], expected: (Option<&[&str]>, Option<&[&str]>)| {
        let words = [&["update", "a", "text"], words].concat();
        let MemoryCommandArguments::Update(arguments) = parse(&words).expect("a command").what
        else {
            panic!("another command")
        };
        let owned = |texts: Option<&[&str]>| {
            texts.map(|texts| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(arguments.tags(), owned(expected.0), "{words:?}");
        assert_eq!(arguments.citations(), owned(expected.1), "{words:?}");
    };
    check(&[], (None, None));
    check(&["--no-tags"], (Some(&[]), None));
    check(&["--no-citations"], (None, Some(&[])));
    check(&["--tag", "a", "--citation", "b"], (Some(&["a"]), Some(&["b"])));
}
