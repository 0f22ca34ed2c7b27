//! Random changes to a store, the same for each seed.
//!
//! The tests of the table use them to compare it with a fresh scan.

use std::io;

use cap_std::fs::{Dir, OpenOptions};

/// A pseudo-random number generator that gives the same numbers every time.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn number_below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).expect("a side")
    }

    pub(super) fn pick<'a>(&mut self, among: &[&'a str]) -> &'a str {
        among[self.number_below(among.len())]
    }

    pub(super) fn folder_name(&mut self) -> &'static str {
        self.pick(&["a", "a-b", "b", "a0", "c", "d", "Z", ".c"])
    }

    pub(super) fn file_name(&mut self) -> &'static str {
        self.pick(&["a.md", "a-b.md", "b.md", "c.md", "d0.md", "D.md", "e.txt", ".f.md"])
    }

    pub(super) fn text(&mut self) -> String {
        match self.number_below(5) {
            0 => "---\nunclosed: yes\n".to_owned(),
            1 => "# Heading\n\nbody".to_owned(),
            2 => format!("plain {}", self.number_below(1000)),
            3 => {
                format!("---\nexpires_at: 20{}-01-01T00:00:00Z\n---\nx", 10 + self.number_below(80))
            }
            _ => format!(
                "---\ntags: [a, b{}]\n---\n# T{}\n",
                self.number_below(9),
                self.number_below(9)
            ),
        }
    }
}

/// Collects the paths of all files and folders below a folder.
fn list_below(top: &Dir, path: &str, found: &mut (Vec<String>, Vec<String>)) {
    for entry in top.read_dir(path).into_iter().flatten().flatten() {
        let below = format!("{path}/{}", entry.file_name().to_string_lossy());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            list_below(top, &below, found);
            found.1.push(below);
        } else {
            found.0.push(below);
        }
    }
}

/// Sets the times of a file to this many seconds after 1970.
#[cfg(unix)]
fn touch(top: &Dir, path: &str, seconds: usize) -> io::Result<()> {
    let time = rustix::fs::Timespec { tv_sec: i64::try_from(seconds).expect("a time"), tv_nsec: 0 };
    let times = rustix::fs::Timestamps { last_access: time, last_modification: time };
    Ok(rustix::fs::utimensat(top, path, &times, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)?)
}

/// Makes one random change to a store and describes it. A change that cannot be made is skipped.
pub(super) fn change_randomly(top: &Dir, random: &mut Random) -> String {
    let tops = ["store", "store", "outside"].map(str::to_owned);
    let mut found = (Vec::new(), tops.to_vec());
    list_below(top, "store", &mut found);
    list_below(top, "outside", &mut found);
    let pick = |among: &[String], random: &mut Random| match among.len() {
        0 => "nowhere".to_owned(),
        bound => among[random.number_below(bound)].clone(),
    };
    // One file and one folder that exist, and two paths where something may be.
    let (one, folder) = (pick(&found.0, random), pick(&found.1, random));
    let other = format!("{}/{}", pick(&found.1, random), random.file_name());
    let place = format!("{}/{}", pick(&found.1, random), random.folder_name());
    let (what, done) = match random.number_below(24) {
        0..=2 => (format!("make {place}"), top.create_dir_all(&place)),
        3..=9 => (format!("write {other}"), top.write(&other, random.text())),
        10 => {
            let text = random.text();
            let opened = top.open_with(&one, OpenOptions::new().append(true));
            let done = opened.and_then(|mut file| io::Write::write_all(&mut file, text.as_bytes()));
            (format!("append to {one}"), done)
        }
        11 => {
            let staged = format!("{folder}/.staged");
            let written = top.write(&staged, random.text());
            (format!("replace {one}"), written.and_then(|()| top.rename(&staged, top, &one)))
        }
        12..=14 => (format!("move {one} to {other}"), top.rename(&one, top, &other)),
        15 => (format!("remove {one}"), top.remove_file(&one)),
        16..=19 if folder.contains('/') => {
            (format!("move {folder} to {place}"), top.rename(&folder, top, &place))
        }
        20 if folder.contains('/') => (format!("remove {folder}"), top.remove_dir_all(&folder)),
        #[cfg(unix)]
        21 => (format!("touch {one}"), touch(top, &one, random.number_below(1_000_000))),
        #[cfg(unix)]
        22 => {
            let name = if random.number_below(2) == 0 { &other } else { &place };
            (format!("link {name}"), top.symlink("../outside", name))
        }
        _ => ("nothing".to_owned(), Ok(())),
    };
    format!("{what}: {}", if done.is_ok() { "done" } else { "not done" })
}
