//! Signed items that were moved, renamed or copied by hand.

use super::case::{AttackCase, Expectation, Tampering, case, load, write};
use super::runner::Runner;
use super::world::World;

const AREA: &str = "locations";
const ELSEWHERE: Expectation = Expectation::Code("IT-TRUST-E-001");

/// A kind of item: its type, its id, and its files in the category, the signature last.
struct Kind {
    item_type: &'static str,
    id: &'static str,
    folder: &'static str,
    files: &'static [&'static str],
}

const KINDS: [Kind; 4] = [
    Kind {
        item_type: "knowledge",
        id: "fact",
        folder: "knowledge",
        files: &["fact.md", "fact.md.sig"],
    },
    Kind {
        item_type: "directive",
        id: "deploy",
        folder: "directives",
        files: &["deploy.md", "deploy.md.sig"],
    },
    Kind {
        item_type: "directive",
        id: "greet",
        folder: "directives",
        files: &["greet/SKILL.md", "greet/.sig"],
    },
    Kind {
        item_type: "tool",
        id: "hello",
        folder: "tools",
        files: &["hello.yaml", "hello.sh", "hello.yaml.sig"],
    },
];

impl Kind {
    fn at(&self, category: &str, file: &str) -> String {
        format!("project/.ai/{}/{category}/{file}", self.folder)
    }

    fn moved(&self, to: &str) -> Vec<Tampering> {
        let files = self.files.iter();
        files.map(|file| Tampering::Rename(self.at("k", file), self.at(to, file))).collect()
    }

    fn copied(&self, to: &str) -> Vec<Tampering> {
        let files = self.files.iter();
        files.map(|file| Tampering::Copy(self.at("k", file), self.at(to, file))).collect()
    }

    /// Moved without the signature, which stays behind.
    fn stripped(&self, to: &str) -> Vec<Tampering> {
        let mut moved = self.moved(to);
        moved.pop();
        moved
    }

    /// Copied into the user's own space.
    fn to_user(&self) -> Vec<Tampering> {
        let files = self.files.iter();
        let to = |file: &str| format!("home/.ai/{}/k/{file}", self.folder);
        let copies = files.clone().map(|file| Tampering::Copy(self.at("k", file), to(file)));
        copies.chain(files.map(|file| Tampering::Remove(self.at("k", file)))).collect()
    }

    fn cases(&self) -> Vec<AttackCase> {
        let what = if self.id == "greet" { "skill" } else { self.item_type };
        let try_at = |place: &str, name: &str, tampering: Vec<Tampering>| {
            let request = load(self.item_type, &format!("{place}{}", self.id));
            case(AREA, format!("a {what} {name}"), request, ELSEWHERE).after(tampering)
        };
        let other_space = r#"{"format": 1, "id": "6f2d7c1e-5d0b-4a56-9c1f-1d2a3b4c5d6e"}"#;
        vec![
            try_at("m/", "moved to another category with its signature", self.moved("m")),
            try_at("", "moved to another category, and named without it", self.moved("m")),
            try_at("k/deep/", "moved to a category below", self.moved("k/deep")),
            try_at("/", "moved out of its category", self.moved("")),
            try_at("m/", "copied to another category with its signature", self.copied("m")),
            try_at("m/", "moved without its signature", self.stripped("m")),
            try_at("k/", "taken to the user's own space by hand", self.to_user()),
            try_at(
                "k/",
                "in a space of another id",
                vec![write("project/.ai/space.json", other_space)],
            ),
        ]
    }
}

/// Items under another name, or with the signature of another item.
fn renamed() -> Vec<AttackCase> {
    let rename = |from: &str, to: &str| {
        let at = |name: &str| format!("project/.ai/{name}");
        Tampering::Rename(at(from), at(to))
    };
    let copy = |from: &str, to: &str| {
        Tampering::Copy(format!("project/.ai/{from}"), format!("project/.ai/{to}"))
    };
    let lock = "lockfiles/k/hello@1.0.0.lock.json";
    let moved = "lockfiles/m/hello@1.0.0.lock.json";
    let newer = "lockfiles/k/hello@2.0.0.lock.json";
    let sig = |name: &str| format!("{name}.sig");
    vec![
        case(AREA, "a note under another file name", load("knowledge", "k/renamed"), ELSEWHERE)
            .after([
                rename("knowledge/k/fact.md", "knowledge/k/renamed.md"),
                rename("knowledge/k/fact.md.sig", "knowledge/k/renamed.md.sig"),
            ]),
        case(AREA, "a note with the id of another", load("knowledge", "k/renamed"), ELSEWHERE)
            .after([
                rename("knowledge/k/fact.md", "knowledge/k/renamed.md"),
                rename("knowledge/k/fact.md.sig", "knowledge/k/renamed.md.sig"),
                Tampering::Edit(
                    "project/.ai/knowledge/k/renamed.md".to_owned(),
                    "id: fact",
                    "id: renamed",
                ),
            ]),
        case(AREA, "a note with the signature of another", load("knowledge", "k/fact"), ELSEWHERE)
            .after([copy("knowledge/k/other.md.sig", "knowledge/k/fact.md.sig")]),
        case(
            AREA,
            "two notes that changed places",
            load("knowledge", "k/fact"),
            Expectation::Code("IT-TRUST-E-002"),
        )
        .after([
            copy("knowledge/k/other.md", "knowledge/k/fact.md"),
            Tampering::Edit("project/.ai/knowledge/k/fact.md".to_owned(), "id: other", "id: fact"),
        ]),
        case(AREA, "a tool with the signature of a note", load("tool", "k/hello"), ELSEWHERE)
            .after([copy("knowledge/k/fact.md.sig", "tools/k/hello.yaml.sig")]),
        case(
            AREA,
            "a directive with the signature of a skill",
            load("directive", "k/deploy"),
            ELSEWHERE,
        )
        .after([copy("directives/k/greet/.sig", "directives/k/deploy.md.sig")]),
        case(
            AREA,
            "a lockfile moved to another category",
            load("lockfile", "m/hello@1.0.0"),
            Expectation::Code("IT-TRUST-E-001"),
        )
        .after([rename(lock, moved), rename(&sig(lock), &sig(moved))]),
        case(
            AREA,
            "a lockfile under another version",
            load("lockfile", "k/hello@2.0.0"),
            Expectation::Code("IT-TRUST-E-006"),
        )
        .after([rename(lock, newer), rename(&sig(lock), &sig(newer))]),
        case(
            AREA,
            "a note taken in as a directive",
            load("directive", "k/fact"),
            Expectation::Code("IT-TRUST-E-001"),
        )
        .after([
            rename("knowledge/k/fact.md", "directives/k/fact.md"),
            rename("knowledge/k/fact.md.sig", "directives/k/fact.md.sig"),
        ]),
        case(
            AREA,
            "a skill with one file more",
            load("directive", "k/greet"),
            Expectation::Code("IT-TRUST-E-003"),
        )
        .after([write("project/.ai/directives/k/greet/more.md", "more")]),
        case(
            AREA,
            "a tool with one file more",
            load("tool", "k/hello"),
            Expectation::Code("IT-TRUST-E-003"),
        )
        .after([write("project/.ai/tools/k/hello.more.sh", "more")]),
        case(
            AREA,
            "a tool without its script",
            load("tool", "k/hello"),
            Expectation::Code("IT-TRUST-E-003"),
        )
        .after([Tampering::Remove("project/.ai/tools/k/hello.sh".to_owned())]),
    ]
}

/// The cases of this area.
pub(super) fn cases() -> Vec<AttackCase> {
    KINDS.iter().flat_map(Kind::cases).chain(renamed()).collect()
}

#[test]
fn nothing_counts_where_it_was_not_signed_for() {
    Runner::new(&World::signed()).run(&cases());
}
