//! A space with everything that clients are offered besides tools.

use crate::support::harness::Stage;

pub(super) const SKILL: &str = "---\nname: deploy\ndescription: Deploys the service. Use it when a \
    release is ready.\nlicense: MIT\nmetadata:\n  version: \"1.2.0\"\n  stages: [build, ship]\n---\n\n\
    # Deploy\n\nRun `scripts/run.sh`, then tell the team.\n";

pub(super) const DIRECTIVE: &str = "# Release\n\n```xml\n<directive name=\"release\" version=\"1.0.0\">\n  \
    <metadata><description>Releases a version.</description></metadata>\n  <inputs>\n    \
    <input name=\"channel\" type=\"string\" required=\"true\">Where it goes.<schema>{\"enum\": \
    [\"stable\", \"beta\", \"staging\"]}</schema></input>\n    <input name=\"count\" type=\"integer\">How \
    many.</input>\n  </inputs>\n  <process><step name=\"go\"><description>d</description><action>Tag \
    it.</action></step></process>\n</directive>\n```\n";

/// A signed space: a skill with a script and a picture, a directive with inputs, a knowledge entry,
/// a memory and a file.
pub(super) fn space() -> Stage {
    let stage = Stage::new();
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    succeed(&stage, &["init"]);
    stage.file("project/.ai/directives/ops/deploy/SKILL.md", SKILL);
    stage.file("project/.ai/directives/ops/deploy/scripts/run.sh", "#!/bin/sh\necho deployed\n");
    stage.file("project/.ai/directives/ops/deploy/references/a b%.md", "# Ärger\n");
    let picture = stage.path("project/.ai/directives/ops/deploy/picture.bin");
    std::fs::write(picture, b"\x89PNG\r\n\x1a\n\0\xff").expect("a file");
    stage.file("project/.ai/directives/ops/release.md", DIRECTIVE);
    let note = "---\nid: jwt\ntitle: Signing keys\nversion: \"1.0.0\"\n---\n# Signing keys\n\nRotate them.\n";
    stage.file("project/.ai/knowledge/api/jwt.md", note);
    stage.file("project/src/main.rs", "fn main() {}\n");
    succeed(&stage, &["sign", "--all", "--yes"]);
    stage
}

/// Runs a command of a person that must succeed.
pub(super) fn succeed(stage: &Stage, words: &[&str]) -> String {
    let output = stage.person(words);
    let said = [output.stdout.clone(), output.stderr.clone()].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success(), "{words:?}: {said}");
    said
}
