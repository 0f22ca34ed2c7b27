//! A machine as containers have it: the project at `/app`, the home folder at `/root`, and nothing
//! of the real one but its programs.

use std::process::Command;

use super::harness::Stage;

/// Makes the file system, enters it and becomes `mere`. The first argument is the binary, the second
/// the folder that becomes `/`; what follows are the arguments of `mere`.
const ENTER: &str = r#"
set -e
binary="$0"; top="$1"; shift
mkdir -p "$top/proc" "$top/dev" "$top/tmp" "$top/app" "$top/root"
for name in usr bin sbin lib lib32 lib64; do
    if [ -L "/$name" ]; then
        ln -sfn "$(readlink "/$name")" "$top/$name"
    elif [ -d "/$name" ]; then
        mkdir -p "$top/$name"
        mount --rbind "/$name" "$top/$name"
    fi
done
mount --rbind /proc "$top/proc"
mount --rbind /dev "$top/dev"
: > "$top/mere"
mount --bind "$binary" "$top/mere"
cd "$top"
exec chroot . /bin/sh -c 'cd /app && exec /mere "$@"' mere "$@"
"#;

/// Returns the command that runs `mere` in the folder `top` of a stage as its whole file system, in
/// namespaces of its own.
pub(crate) fn command(stage: &Stage, arguments: &[&str]) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", ENTER, env!("CARGO_BIN_EXE_mere")]);
    command.arg(stage.folder("top")).args(arguments);
    command.env_clear().env("HOME", "/root").env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
    command
}
