//! What a process sees of the machine, for two processes that rely on each other's look at it.

use std::io;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;

/// The lines of a process's status that say what it may read.
const CREDENTIALS: [&str; 4] = ["Uid:", "Gid:", "Groups:", "CapEff:"];
/// The namespaces in which paths and users mean something.
const NAMESPACES: [&str; 2] = ["mnt", "user"];

/// Describes this process. Two processes have the same description only if they are the same
/// program file, run with the same rights, and see the same mounts below the same root.
#[cfg(unix)]
pub fn describe_process_view() -> io::Result<String> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let lines = status.lines().filter(|line| CREDENTIALS.iter().any(|key| line.starts_with(key)));
    let mut parts = lines.map(str::to_owned).collect::<Vec<_>>();
    for name in NAMESPACES {
        let namespace = std::fs::read_link(format!("/proc/self/ns/{name}"))?;
        parts.push(namespace.to_string_lossy().into_owned());
    }
    // The link leads to the file that was started, even if another has its name by now.
    let (root, program) = (std::fs::metadata("/")?, std::fs::metadata("/proc/self/exe")?);
    parts.push(format!("{:?}", (root.dev(), root.ino())));
    let modified = (program.mtime(), program.mtime_nsec());
    parts.push(format!("{:?}", (program.dev(), program.ino(), program.size(), modified)));
    Ok(parts.join("\n"))
}

/// Fails, because other systems do not tell.
#[cfg(not(unix))]
pub fn describe_process_view() -> io::Result<String> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_described_the_same_each_time() {
        let one = describe_process_view().expect("described");
        assert_eq!(one, describe_process_view().expect("described"));
        assert!(one.lines().count() >= CREDENTIALS.len() + NAMESPACES.len() + 2, "{one}");
    }
}
