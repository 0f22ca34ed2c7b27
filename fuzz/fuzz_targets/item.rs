//! Any file of any kind is refused or understood; what is understood is hashed, and restated where
//! it lies it stays as it is.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mere_core::address::RelPath;
use mere_core::item::{
    BareLinks, EntryName, EntryRename, Item, RelinkedNote, Scope, ScopedPath, decode_text, relink,
    rewrite_location,
};

const PLACES: [&str; 7] = [
    "directives/c/a.md",
    "directives/c/a/SKILL.md",
    "tools/c/a.yaml",
    "tools/c/a/manifest.yaml",
    "knowledge/c/a.md",
    "memory/c/a.md",
    "lockfiles/c/a@1.0.0.lock.json",
];

fn place(path: &str) -> ScopedPath {
    let path = path.parse::<RelPath>().expect("a path");
    ScopedPath::from_space_path(Scope::Project, &path).expect("an item")
}

fuzz_target!(|input: &[u8]| {
    let Some((first, bytes)) = input.split_first() else { return };
    let at = place(PLACES[usize::from(*first) % PLACES.len()]);
    let Ok(text) = decode_text(bytes) else { return };
    let Ok(item) = Item::parse(text, &at) else { return };
    let body = item.content_range().unwrap_or_default();
    assert!(text.get(body).is_some(), "the body is none of the text");
    let hash = item.integrity(text, &at, &[]);
    let same = rewrite_location(text, &at, &at).expect("valid where it lies");
    assert_eq!(same, text);
    assert_eq!(Item::parse(&same, &at).expect("understood").integrity(&same, &at, &[]), hash);
    if let Item::Knowledge(entry) = &item {
        let (from, to) = (EntryName::from(&place(PLACES[4])), EntryName::from(&place(PLACES[0])));
        let same = EntryRename { from, to, bare_links: BareLinks::UseId };
        let relinked = relink(text, &at, &same).ok().and_then(|relinked| relinked.text);
        assert_eq!(relinked, None, "nothing is renamed");
        for bare_links in [BareLinks::UseId, BareLinks::UseQualifiedName, BareLinks::Keep] {
            let to = EntryName { id: "b-2".parse().expect("an id"), ..same.to.clone() };
            let renaming = EntryRename { from: same.from.clone(), to, bare_links };
            let Ok(RelinkedNote { text: Some(new), .. }) = relink(text, &at, &renaming) else { continue };
            let Ok(Item::Knowledge(after)) = Item::parse(&new, &at) else { panic!("a note") };
            assert_eq!(after.title, entry.title);
            assert_eq!(after.tags, entry.tags);
        }
    }
});
