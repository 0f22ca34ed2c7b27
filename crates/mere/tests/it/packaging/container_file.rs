//! The container file: what can be said of it where no image can be built.

use crate::tidy::workspace;

fn read(path: &str) -> String {
    std::fs::read_to_string(workspace().join(path)).expect("readable")
}

#[test]
fn it_builds_with_the_pinned_compiler_and_starts_the_program_as_nobody_special() {
    let file = read("packaging/Containerfile");
    let lines = file.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>();
    let toolchain = read("rust-toolchain.toml");
    let (_, pinned) = toolchain.split_once("channel = \"").expect("a channel");
    let pinned = pinned.split('"').next().expect("a version").trim_end_matches(".0");
    let base = format!("FROM docker.io/library/rust:{pinned}-bookworm AS build");
    assert!(lines.contains(&base.as_str()), "{file}");
    // Built where it runs: with the C library of the same Debian.
    assert!(lines.contains(&"FROM docker.io/library/debian:bookworm-slim"), "{file}");
    let user = lines.iter().position(|line| *line == "USER mere").expect("a user");
    let start = lines.iter().position(|line| *line == "ENTRYPOINT [\"mere\"]").expect("a start");
    assert!(user < start);
    assert!(file.contains("cargo build --release --locked --package mere --features postgres"));
}

#[test]
fn what_is_built_here_is_not_sent_along() {
    let ignored = read(".dockerignore");
    for name in ["target", ".git"] {
        assert!(ignored.lines().any(|line| line == name), "{name}");
    }
}
