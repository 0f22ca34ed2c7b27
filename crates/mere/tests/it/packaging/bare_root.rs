//! A root with nothing but the program and the libraries that it names: what it needs of a system.

use std::path::Path;
use std::process::{Command, Output};

use super::built_packages::run;
use crate::support::harness::Stage;

/// Enters a root and becomes the program there. There is no shell, no `/etc` and no `/usr` in it.
const ENTER: &str = r#"
set -e
top="$1"; shift
mkdir -p "$top/proc" "$top/dev" "$top/tmp" "$top/home" "$top/project/.git"
mount --rbind /proc "$top/proc"
mount --rbind /dev "$top/dev"
exec chroot "$top" /mere "$@"
"#;

/// The loader and the libraries of a program, as the loader itself lists them.
fn libraries(program: &Path) -> Vec<String> {
    let listed = run(Command::new("ldd").arg(program));
    let paths = listed.lines().filter_map(|line| {
        let words = line.split_whitespace();
        words.into_iter().find(|word| word.starts_with('/')).map(str::to_owned)
    });
    paths.collect()
}

/// `mere` in a root of its own.
fn enter(stage: &Stage, arguments: &[&str]) -> Output {
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", ENTER, "sh"]);
    command.arg(stage.path("top")).args(["-C", "/project"]).args(arguments);
    command.env_clear().env("HOME", "/home").env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
    command.output().expect("it starts")
}

/// Checks what needs no other program: a space is made, signed, verified, searched and served.
fn check(stage: &Stage) {
    let done = |arguments: &[&str]| {
        let output = enter(stage, arguments);
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {words}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert_eq!(done(&["--version"]), format!("mere {}\n", env!("CARGO_PKG_VERSION")));
    done(&["init"]);
    assert!(done(&["list"]).contains("hello_tool"));
    assert!(done(&["verify", "--all"]).contains("verified"));
    assert!(done(&["search", "how items work"]).contains("how-items-work"));
    assert!(done(&["call", "dir", "{}"]).contains("\"reply_type\": \"S\""));
}

#[test]
fn the_program_needs_its_libraries_and_nothing_else_of_a_system() {
    let stage = Stage::new();
    let program = Path::new(env!("CARGO_BIN_EXE_mere"));
    for library in libraries(program) {
        let to = stage.path(&format!("top{library}"));
        run(Command::new("install").arg("-D").args([library.as_ref(), to.as_os_str()]));
    }
    run(Command::new("cp").arg(program).arg(stage.path("top/mere")));
    check(&stage);
}

/// Builds the program for musl, which takes minutes: `./test --long` does. Nothing of such a root
/// is shared with Debian, which makes it as good as Alpine's.
#[test]
#[ignore = "builds the program again"]
fn a_static_program_needs_nothing_of_a_system() {
    let stage = Stage::new();
    let target = "x86_64-unknown-linux-musl";
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--locked", "--package", "mere", "--target", target]);
    run(cargo.current_dir(crate::tidy::workspace()));
    let program = crate::tidy::workspace().join(format!("target/{target}/debug/mere"));
    stage.folder("top");
    run(Command::new("cp").arg(program).arg(stage.path("top/mere")));
    check(&stage);
}
