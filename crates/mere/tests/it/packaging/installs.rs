//! Each package is installed by the program that it is for, without a network, and used.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::built_packages::{Packages, mcpb, run};
use crate::support::harness::{Mcp, Stage};

/// Makes a space with an installed program, and runs a signed tool.
fn use_program(stage: &Stage, program: &Path) {
    let mere = |arguments: &[&str]| {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", stage.path("home")).current_dir(stage.path("project"));
        run(command.args(arguments))
    };
    assert_eq!(mere(&["--version"]), format!("mere {}\n", env!("CARGO_PKG_VERSION")));
    mere(&["init"]);
    assert!(mere(&["run", "hello_tool", "--param", "name=Ada"]).contains("Hello, Ada!"));
}

#[test]
fn npm_installs_the_binary_and_runs_nothing_else() {
    let (stage, packages) = (Stage::new(), Packages::get());
    let prefix = stage.folder("prefix");
    let mut npm = Command::new("npm");
    npm.args(["install", "--global", "--offline", "--no-audit", "--no-fund", "--prefix"]);
    npm.arg(&prefix).arg(packages.path(".tgz")).env("HOME", stage.path("home"));
    run(&mut npm);
    use_program(&stage, &prefix.join("bin/mere"));
    let installed = prefix.join("lib/node_modules/@merestone/mere");
    let manifest = std::fs::read_to_string(installed.join("package.json")).expect("a manifest");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    assert_eq!(manifest.get("scripts"), None, "nothing runs when it is installed");
    assert_eq!(manifest.get("dependencies"), None);
    assert!(installed.join("LICENSE-MIT").exists());
}

#[test]
fn pip_installs_the_binary_and_removes_it() {
    let (stage, packages) = (Stage::new(), Packages::get());
    let environment = stage.path("venv");
    run(Command::new("python3").args(["-m", "venv"]).arg(&environment));
    let pip = |arguments: &[&str]| {
        let mut command = Command::new(environment.join("bin/pip"));
        command.args(["--disable-pip-version-check", "--no-cache-dir"]).args(arguments);
        run(command.env("HOME", stage.path("home")))
    };
    let wheel = packages.path(".whl");
    pip(&["install", "--no-index", wheel.to_str().expect("UTF-8")]);
    let program = environment.join("bin/mere");
    use_program(&stage, &program);
    let shown = pip(&["show", "--files", "merestone"]);
    assert!(shown.contains(&format!("Version: {}\n", env!("CARGO_PKG_VERSION"))), "{shown}");
    assert!(shown.contains("MIT OR Apache-2.0"), "{shown}");
    pip(&["uninstall", "--yes", "merestone"]);
    assert!(!program.exists());
}

#[test]
fn a_bundle_is_what_its_own_tool_says_and_serves_a_project() {
    let (stage, packages) = (Stage::new(), Packages::get());
    let bundle = packages.path(".mcpb");
    let unpacked = stage.folder("unpacked");
    let [bundle, folder] =
        [bundle, unpacked.clone()].map(|path| path.to_str().expect("UTF-8").to_owned());
    run(&mut mcpb(&stage, &["unpack", &bundle, &folder]));
    let said = run(&mut mcpb(&stage, &["validate", &format!("{folder}/manifest.json")]));
    assert!(said.contains("Manifest schema validation passes!"), "{said}");
    let manifest = std::fs::read_to_string(unpacked.join("manifest.json")).expect("a manifest");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    // As a client starts it, anywhere.
    let project = stage.path("project");
    let fill = |text: &Value| {
        let text = text.as_str().expect("a text").replace("${__dirname}", &folder);
        text.replace("${user_config.project}", project.to_str().expect("UTF-8"))
    };
    let server = &manifest["server"]["mcp_config"];
    let mut command = Command::new(fill(&server["command"]));
    command.args(server["args"].as_array().expect("arguments").iter().map(fill));
    command.env_clear().env("HOME", stage.path("home")).current_dir("/");
    stage.file("project/src/a.rs", "");
    let mut mcp = Mcp::spawn(&stage, command);
    assert_eq!(mcp.greet()["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
    let listed = mcp.dir(&json!({ "command": "list", "path": "src" }));
    assert_eq!(listed["data"]["entries"][0]["path"], "ROOT_PROJECT:/src/a.rs", "{listed}");
}

#[test]
fn an_archive_has_the_binary_its_pages_and_the_sums() {
    let (stage, packages) = (Stage::new(), Packages::get());
    let beside = stage.path("beside");
    run(Command::new("sha256sum").args(["-c", "SHA256SUMS"]).current_dir(&packages.folder));
    run(Command::new("tar").arg("-xf").arg(packages.path(".tar.gz")).arg("-C").arg(&beside));
    let entry = std::fs::read_dir(&beside).expect("a folder").next().expect("an entry");
    let folder = entry.expect("an entry").path();
    use_program(&stage, &folder.join("bin/mere"));
    let page = std::fs::read_to_string(folder.join("man/mere.1")).expect("a page");
    assert!(page.contains(".TH mere 1"), "{page}");
    for file in ["mere.bash", "_mere", "mere.fish"] {
        assert!(folder.join("completions").join(file).exists(), "{file}");
    }
    // Nothing in it depends on when it was packed.
    let listed = run(Command::new("tar").args(["--utc", "-tvf"]).arg(packages.path(".tar.gz")));
    assert!(listed.lines().all(|line| line.contains(" 2026-01-01 00:00 ")), "{listed}");
}
