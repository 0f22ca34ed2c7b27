//! How often ordinary source files are masked or hidden as secrets: `cargo xtask secrets FOLDER...`.
//!
//! Every file below the folders is judged as `mere` would judge it in a project: by its path, and
//! if it is text, by what it contains. Published packages contain no secrets of anybody, so each
//! file that is masked because of a name is a false alarm. Keys and tokens that are recognised by
//! their shape are counted apart: packages ship real ones for their tests.

use std::fs::{self, DirEntry};
use std::path::Path;

use mere_core::secrets::{self, Evidence};
use mere_core::sensitive;

/// Larger files are data.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// What is printed besides the figures.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listing {
    FiguresOnly,
    EachSecret,
}

#[derive(Default)]
struct Figures {
    files: usize,
    hidden: usize,
    texts: usize,
    bytes: usize,
    masked_by_name: usize,
    masked_by_shape: usize,
}

/// Judges all files below the folders, and prints the figures.
pub(crate) fn run(folders: &[&str], listing: Listing) -> Result<(), String> {
    let mut total = Figures::default();
    for folder in folders {
        let mut figures = Figures::default();
        walk(Path::new(folder), "", &mut |path, file| figures.judge(path, file, listing))
            .map_err(|error| format!("{folder}: {error}"))?;
        println!("{folder}");
        figures.print();
        total.add(&figures);
    }
    println!("all");
    total.print();
    Ok(())
}

/// Visits every regular file below a folder with its path there. Links are not followed.
fn walk(
    folder: &Path,
    below: &str,
    visit: &mut dyn FnMut(&str, &Path),
) -> Result<(), std::io::Error> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<DirEntry>, _>>()?;
    entries.sort_by_key(DirEntry::file_name);
    for entry in entries {
        let path = format!("{below}/{}", entry.file_name().to_string_lossy());
        let path = path.trim_start_matches('/');
        let kind = entry.file_type()?;
        if kind.is_dir() && entry.file_name() != ".git" {
            walk(&entry.path(), path, visit)?;
        } else if kind.is_file() {
            visit(path, &entry.path());
        }
    }
    Ok(())
}

impl Figures {
    fn judge(&mut self, path: &str, file: &Path, listing: Listing) {
        self.files += 1;
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        if ends.into_iter().any(|end| sensitive::is_sensitive(&path[..end])) {
            self.hidden += 1;
            if listing == Listing::EachSecret {
                println!("hidden {path}");
            }
            return;
        }
        let is_small = fs::metadata(file).is_ok_and(|data| data.len() <= MAX_FILE_BYTES);
        let text = is_small.then(|| fs::read(file).ok()).flatten();
        let text = text.filter(|bytes| !bytes.contains(&0)).and_then(|b| String::from_utf8(b).ok());
        let Some(text) = text else { return };
        self.texts += 1;
        self.bytes += text.len();
        let found = secrets::find_with_evidence(&text);
        let has = |wanted| found.iter().any(|(_, evidence)| *evidence == wanted);
        self.masked_by_name += usize::from(has(Evidence::Name));
        self.masked_by_shape += usize::from(has(Evidence::Shape));
        if listing == Listing::EachSecret {
            for (range, evidence) in &found {
                print_secret(path, &text, (range.clone(), *evidence));
            }
        }
    }

    fn add(&mut self, other: &Self) {
        self.files += other.files;
        self.hidden += other.hidden;
        self.texts += other.texts;
        self.bytes += other.bytes;
        self.masked_by_name += other.masked_by_name;
        self.masked_by_shape += other.masked_by_shape;
    }

    fn print(&self) {
        let Self { files, hidden, texts, bytes, masked_by_name, masked_by_shape } = self;
        println!("  {files} files, {texts} of them text, {} MB", bytes / 1_000_000);
        for (what, count, of) in [
            ("hidden by their path", hidden, files),
            ("masked because of a name", masked_by_name, texts),
            ("masked because of a shape", masked_by_shape, texts),
        ] {
            let rate = *count as f64 * 1000.0 / (*of).max(1) as f64;
            println!("  {what}: {count}, {rate:.2} in 1,000");
        }
    }
}

/// Prints a secret with some of the text around it, on one line.
fn print_secret(path: &str, text: &str, (range, evidence): (std::ops::Range<usize>, Evidence)) {
    let start = text.floor_char_boundary(range.start.saturating_sub(60));
    let end = text.ceil_char_boundary((range.end + 20).min(range.start + 100));
    let around = text[start..end].replace('\n', "⏎");
    println!("{evidence:?} {path}: {around}");
}
