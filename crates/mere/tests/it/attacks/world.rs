//! The world of every case: a project, a home and a folder beside them, with a canary in each place
//! that an agent must not see.

use crate::support::harness::Stage;
use crate::support::samples::{directive, note, skill, token};
use crate::support::workshop::manifest;

/// A stage on which every secret is known.
pub(crate) struct World {
    pub(crate) stage: Stage,
    /// Texts that no agent may see in any spelling.
    pub(crate) canaries: Vec<String>,
}

/// What lies where, and must not be seen.
const HIDDEN: [(&str, &str); 7] = [
    ("beside/canary.txt", "canary7outside7a81c"),
    ("home/notes.txt", "canary7home7b92d"),
    ("home/.ssh/id_ed25519", "canary7sshkey7c03e"),
    ("home/.config/merestone/keys/spare", "canary7keys7d14f"),
    ("project/.ai/workspaces/other/theirs.txt", "canary7theirs7e250"),
    ("project/certs/server.key", "canary7pem7f361"),
    ("project-twin/canary.txt", "canary7twin7a472"),
];

/// What the server has in its environment.
const VARIABLES: [(&str, &str); 3] = [
    ("AWS_SECRET_ACCESS_KEY", "canary7aws7b583Canary7aws7b583Canary7aws"),
    ("DATABASE_URL", "postgres://app:canary7url7c694@localhost/app"),
    ("CANARY_VARIABLE", "canary7variable7d7a5"),
];

const ENV_CANARY: &str = "canary7env7e8b6";
const PASSWORD_CANARY: &str = "Canary7Pass7f9c7";

impl World {
    /// The world with an empty space in the project, and a key that signs unattended.
    pub(crate) fn new() -> Self {
        let mut stage = Stage::new();
        for (path, canary) in HIDDEN {
            stage.file(path, &format!("{canary}\n"));
        }
        for (name, canary) in VARIABLES {
            stage.setting(name, canary);
        }
        stage.file("project/.env", &format!("DB_PASSWORD={ENV_CANARY}\n"));
        let settings =
            format!("[auth]\ntoken = {}\npassword = \"{PASSWORD_CANARY}\"\n", token('7'));
        stage.file("project/settings.ini", &settings);
        stage.file("project/src/main.rs", "fn main() {}\n");
        stage.file("project/README.md", "# Readme\n\nA needle in it.\n");
        stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
        let mut canaries = HIDDEN.map(|(_, canary)| canary.to_owned()).to_vec();
        canaries.extend(
            ["canary7aws7b583", "canary7url7c694", "canary7variable7d7a5"].map(String::from),
        );
        canaries.extend([ENV_CANARY.to_owned(), PASSWORD_CANARY.to_owned(), token('7')]);
        let world = Self { stage, canaries };
        world.person("init --template blank");
        let own = r#"{"path":"ROOT_WORKSPACE:/own.txt","content":"own\n"}"#;
        assert_eq!(world.stage.call_text("write", own).code(), "WA-WRITE-S-001");
        let keys = world.stage.path("home/.config/merestone/keys/id_ed25519");
        let key = std::fs::read_to_string(keys).expect("the key of the user");
        let line = key.lines().nth(3).expect("a line of the key");
        Self { canaries: [world.canaries, vec![line.to_owned()]].concat(), ..world }
    }

    /// The same with a signed item of each kind in the category `k`.
    pub(crate) fn signed() -> Self {
        let world = Self::new();
        for (path, text) in [
            ("knowledge/k/fact.md", note("fact", "A fact.")),
            ("knowledge/k/other.md", note("other", "Another fact.")),
            ("directives/k/deploy.md", directive("deploy")),
            ("directives/k/greet/SKILL.md", skill("greet")),
            ("tools/k/hello.yaml", manifest("hello", "bash_runtime", "hello.sh")),
            ("tools/k/hello.sh", "echo hello\n".to_owned()),
        ] {
            world.stage.file(&format!("project/.ai/{path}"), &text);
        }
        world.person("sign --all --yes");
        world.person("lock k/hello");
        world
    }

    /// A command for people that must succeed.
    pub(crate) fn person(&self, words: &str) {
        let words = words.split(' ').collect::<Vec<_>>();
        let output = self.stage.person(&words);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{words:?}: {error}");
    }

    /// The same by somebody else, with a home and a key of their own.
    pub(crate) fn other_person(&self, name: &str, words: &str) {
        let mut command = self.stage.command("project");
        command.env("HOME", self.stage.path(name)).args(words.split(' '));
        let output = command.output().expect("mere runs");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{name}: {words}: {error}");
    }

    /// The real path of the stage.
    pub(crate) fn host(&self) -> String {
        let path = self.stage.path("");
        path.to_str().expect("UTF-8").trim_end_matches('/').to_owned()
    }
}
