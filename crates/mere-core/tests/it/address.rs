//! Addresses: print and parse are inverse, and nothing host-like is ever accepted or printed.

use mere_core::address::{Address, RelPath, Root, Segment, Spoken};
use proptest::prelude::*;

fn segments() -> impl Strategy<Value = RelPath> {
    let names = prop_oneof![
        "[a-zA-Z0-9._%-]{1,12}",
        "\\PC{1,8}",
        Just("C:".to_owned()),
        Just("~".to_owned()),
        Just("home".to_owned()),
        Just("Users".to_owned()),
        Just("%2e%2e".to_owned()),
    ];
    let valid = names.prop_filter_map("a segment", |name| name.parse::<Segment>().ok());
    prop::collection::vec(valid, 0..6).prop_map(|names| names.into_iter().collect())
}

fn roots() -> impl Strategy<Value = Root> {
    let mods = "[A-Za-z0-9][A-Za-z0-9._-]{0,20}"
        .prop_map(|name| Root::Mod(name.parse().expect("the pattern is the grammar")));
    prop_oneof![
        Just(Root::Project),
        Just(Root::User),
        Just(Root::Workspace),
        Just(Root::Registry),
        mods
    ]
}

fn addresses() -> impl Strategy<Value = Address> {
    (roots(), segments(), any::<bool>()).prop_map(|(root, path, directory)| {
        if directory { Address::directory(root, path) } else { Address::file(root, path) }
    })
}

/// Texts near the grammar: pieces of addresses, paths and traps, glued together.
fn near_paths() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        Just("ROOT_PROJECT".to_owned()),
        Just("mod:".to_owned()),
        Just(":/".to_owned()),
        Just(":".to_owned()),
        Just("/".to_owned()),
        Just("..".to_owned()),
        Just(".".to_owned()),
        Just("\\".to_owned()),
        Just("~".to_owned()),
        Just("\0".to_owned()),
        Just("\u{202e}".to_owned()),
        "[a-zC]{1,3}",
        "\\PC{0,3}",
    ];
    prop::collection::vec(pieces, 0..9).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn printing_and_parsing_are_inverse(address in addresses()) {
        let printed = address.to_string();
        prop_assert_eq!(printed.parse::<Address>().expect("its own print"), address);
    }

    #[test]
    fn what_parses_prints_as_an_address_and_nothing_host_like(text in near_paths()) {
        let Ok(spoken) = text.parse::<Spoken>() else { return Ok(()) };
        let address = spoken.address(&Root::Project);
        let printed = address.to_string();
        prop_assert!(!text.starts_with(['/', '~', '\\']), "{text:?}");
        prop_assert!(printed.starts_with("ROOT_") || printed.starts_with("mod:"), "{printed:?}");
        let (_, below) = printed.split_once(":/").expect("a root");
        prop_assert!(!below.starts_with('/'), "{printed:?}");
        for segment in below.trim_end_matches('/').split('/').filter(|_| !below.is_empty()) {
            prop_assert!(!segment.is_empty() && segment != "." && segment != "..", "{printed:?}");
            prop_assert!(!segment.contains(['\\', '\0']), "{printed:?}");
        }
        prop_assert_eq!(printed.parse::<Address>().expect("canonical"), address);
    }
}
