//! Changes of the disk, and how each is undone.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::attacks::case::Tampering;
use crate::support::harness::Stage;

/// What was at a path before.
enum Before {
    Absent,
    File(Vec<u8>, u32),
    Link(PathBuf),
    /// A folder, whose permissions alone were changed.
    Folder(u32),
    /// Something that was renamed to this path.
    Renamed(PathBuf),
}

/// How changes are undone, the last one first.
pub(crate) struct Undo {
    /// The folders of records, which get no file that they did not have.
    records: Vec<PathBuf>,
    steps: Vec<(PathBuf, Before)>,
}

/// Records that `mere` itself writes when it sees a tampered project; they are put back too.
const RECORDS: [&str; 2] = ["home/.local/state/merestone", "home/.config/merestone"];

impl Undo {
    /// Makes the changes, in their order.
    pub(crate) fn after(stage: &Stage, changes: &[Tampering]) -> Self {
        let mut undo = Self { records: Vec::new(), steps: Vec::new() };
        if changes.is_empty() {
            return undo;
        }
        undo.records.extend(RECORDS.map(|folder| stage.path(folder)));
        let files = undo.records.iter().flat_map(|folder| files_in(folder));
        undo.steps = files.map(|path| (path.clone(), before(&path))).collect();
        for change in changes {
            undo.make(stage, change);
        }
        undo
    }

    fn make(&mut self, stage: &Stage, change: &Tampering) {
        match change {
            Tampering::Write(path, bytes) => {
                let real = stage.path("").to_str().expect("UTF-8").to_owned();
                let bytes = match std::str::from_utf8(bytes) {
                    Ok(text) => text.replace("{stage}/", &real).into_bytes(),
                    Err(_) => bytes.clone(),
                };
                std::fs::write(self.cleared(stage, path), bytes).expect("a file");
            }
            Tampering::Edit(path, from, to) => {
                let text = read(stage, path);
                assert!(text.contains(from), "{path} has no {from:?}: {text}");
                std::fs::write(self.cleared(stage, path), text.replace(from, to)).expect("a file");
            }
            Tampering::Payload(path, envelope, (from, to)) => {
                let text = payload_changed(&read(stage, path), envelope, (from, to));
                std::fs::write(self.cleared(stage, path), text).expect("a file");
            }
            Tampering::Remove(path) => drop(self.cleared(stage, path)),
            Tampering::Rename(from, to) => {
                let (from, to) = (stage.path(from), stage.path(to));
                std::fs::create_dir_all(to.parent().expect("a parent")).expect("folders");
                std::fs::rename(&from, &to).expect("renamed");
                self.steps.push((from, Before::Renamed(to)));
            }
            Tampering::Copy(from, to) => {
                let bytes = std::fs::read(stage.path(from)).expect("a file");
                std::fs::write(self.cleared(stage, to), bytes).expect("a copy");
            }
            Tampering::Link(path, target) => {
                let target = target.replace("{stage}/", stage.path("").to_str().expect("UTF-8"));
                std::os::unix::fs::symlink(target, self.cleared(stage, path)).expect("a link");
            }
            Tampering::Pipe(path) => {
                let path = self.cleared(stage, path);
                assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
            }
            Tampering::Folder(path) => {
                std::fs::create_dir(self.cleared(stage, path)).expect("a folder");
            }
            Tampering::Mode(path, mode) => {
                let path = stage.path(path);
                self.steps.push((path.clone(), before(&path)));
                set_mode(&path, *mode);
            }
        }
    }

    /// Remembers what is at a path, and takes it away.
    fn cleared(&mut self, stage: &Stage, path: &str) -> PathBuf {
        let path = resolve(stage, path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        let mut found = before(&path);
        match found {
            Before::Absent => {}
            Before::Folder(_) => {
                let aside = stage.path(&format!("aside-{}", self.steps.len()));
                std::fs::rename(&path, &aside).expect("the folder steps aside");
                found = Before::Renamed(aside);
            }
            _ => std::fs::remove_file(&path).expect("a file"),
        }
        self.steps.push((path.clone(), found));
        path
    }

    /// Puts everything back.
    pub(crate) fn undo(self) {
        let is_new = |path: &PathBuf| !self.steps.iter().any(|(known, _)| known == path);
        let files = self.records.iter().flat_map(|folder| files_in(folder));
        files.filter(is_new).for_each(|path| remove(&path));
        for (path, before) in self.steps.into_iter().rev() {
            if !matches!(before, Before::Folder(_)) {
                remove(&path);
            }
            match before {
                Before::Absent => {}
                Before::File(bytes, mode) => {
                    std::fs::write(&path, bytes).expect("a file");
                    set_mode(&path, mode);
                }
                Before::Link(target) => {
                    std::os::unix::fs::symlink(target, &path).expect("a link");
                }
                Before::Folder(mode) => set_mode(&path, mode),
                Before::Renamed(now) => std::fs::rename(now, path).expect("renamed back"),
            }
        }
    }
}

/// A path on the stage; a final `*` stands for the rest of a name that is there.
fn resolve(stage: &Stage, path: &str) -> PathBuf {
    let path = stage.path(path);
    let name = path.file_name().expect("a name").to_str().expect("UTF-8");
    let Some(start) = name.strip_suffix('*') else { return path };
    let is_it =
        |one: &PathBuf| one.file_name().is_some_and(|n| n.to_string_lossy().starts_with(start));
    let found = files_in(path.parent().expect("a parent")).into_iter().find(is_it);
    found.unwrap_or_else(|| panic!("nothing is called {}", path.display()))
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect()
}

fn before(path: &Path) -> Before {
    let Ok(found) = path.symlink_metadata() else { return Before::Absent };
    let mode = found.permissions().mode();
    if found.is_symlink() {
        Before::Link(std::fs::read_link(path).expect("a link"))
    } else if found.is_dir() {
        Before::Folder(mode)
    } else {
        Before::File(std::fs::read(path).expect("a file"), mode)
    }
}

fn remove(path: &Path) {
    match path.symlink_metadata() {
        Err(_) => {}
        Ok(found) if found.is_dir() => std::fs::remove_dir_all(path).expect("a folder"),
        Ok(_) => std::fs::remove_file(path).expect("a file"),
    }
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("permissions");
}

fn read(stage: &Stage, path: &str) -> String {
    std::fs::read_to_string(stage.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A sidecar in which the payload of an envelope was changed, and the signature left as it was.
fn payload_changed(text: &str, envelope: &str, (from, to): (&str, &str)) -> String {
    let mut sidecar: Value = serde_json::from_str(text).expect("a sidecar");
    let payload = sidecar[envelope]["payload"].as_str().expect("a payload");
    let payload = String::from_utf8(STANDARD.decode(payload).expect("base64")).expect("UTF-8");
    assert!(payload.contains(from), "no {from:?} in {payload}");
    sidecar[envelope]["payload"] = STANDARD.encode(payload.replace(from, to)).into();
    sidecar.to_string()
}
