//! The checks themselves: what they are for is found, in every spelling and of every kind.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};

use super::case::{Effect, Tampering, write};
use super::checks::{self, Leaks};
use super::tampering::Undo;
use super::world::World;

#[test]
fn a_leak_is_found_in_every_spelling() {
    let world = World::new();
    let leaks = Leaks::of(&world);
    let path = format!("{}/project/src", world.host());
    let hex = |text: &str| {
        text.bytes().fold(String::new(), |before, byte| before + &format!("{byte:02x}"))
    };
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    for secret in [path.as_str(), "canary7outside7a81c", "Canary7Pass7f9c7"] {
        let escaped = secret.replace('/', "%2f");
        let mut spellings = vec![
            secret.as_bytes().to_vec(),
            secret.replace('/', "\\/").into_bytes(),
            escaped.replace('%', "%25").into_bytes(),
            escaped.into_bytes(),
            secret.replace('/', "\\").into_bytes(),
            secret.replace('/', "&#47;").into_bytes(),
            hex(secret).into_bytes(),
            hex(secret).to_uppercase().into_bytes(),
            utf16(secret),
            serde_json::to_vec(&String::from_utf8(utf16(secret)).expect("ASCII")).expect("JSON"),
        ];
        for before in ["", "a", "ab", "abc"] {
            let around = format!("{before}{secret}, and more");
            spellings.push(STANDARD.encode(&around).into_bytes());
            spellings.push(URL_SAFE.encode(&around).into_bytes());
        }
        for spelling in spellings {
            let message = [b"{\"message\":\"".as_slice(), &spelling, b"\"}"].concat();
            let shown = String::from_utf8_lossy(&message).into_owned();
            assert!(leaks.in_agents_view(&message).is_some(), "not found: {shown}");
        }
    }
    assert_eq!(leaks.in_agents_view(b"{\"message\":\"ROOT_PROJECT:/src/main.rs\"}"), None);
}

#[test]
fn a_change_is_found_whatever_it_is_and_is_undone() {
    let world = World::new();
    let before = checks::disk(&world);
    let at = |path: &str| path.to_owned();
    for (change, path) in [
        (write("beside/new.txt", "x"), "beside/new.txt"),
        (write("project/README.md", "x"), "project/README.md"),
        (Tampering::Edit(at("home/notes.txt"), "canary", "other"), "home/notes.txt"),
        (Tampering::Remove(at("project/.env")), "project/.env"),
        (Tampering::Mode(at("project/README.md"), 0o600), "project/README.md"),
        (Tampering::Mode(at("beside"), 0o700), "beside"),
        (Tampering::Link(at("project/README.md"), at("src/main.rs")), "project/README.md"),
        (Tampering::Pipe(at("project/pipe")), "project/pipe"),
        (Tampering::Folder(at("project/folder")), "project/folder"),
        (Tampering::Copy(at("project/README.md"), at("project/copy")), "project/copy"),
    ] {
        let undo = Undo::after(&world.stage, &[change]);
        let found = checks::changes(&before, &checks::disk(&world), Effect::Workspace);
        assert_eq!(found, [path]);
        undo.undo();
        let left = checks::changes(&before, &checks::disk(&world), Effect::Nothing);
        assert_eq!(left, Vec::<String>::new(), "{path} was not undone");
    }
}
