//! The large corpus that is walked and searched: a project of 20,000 files, the same in every run.
//!
//! About one file in twenty is ignored, by the patterns at the top or by those of a folder, which
//! also re-include some. `.git` and `node_modules` come on top and are left out by name. There are
//! no names and no texts that `mere` would hide as secrets, because no other program hides them.

use std::path::{Path, PathBuf};

use crate::random::Random;
use crate::text::{self, Language};

const FOLDERS: usize = 1700;
const DEPTH: usize = 8;
/// Files that the patterns at the top do not ignore.
const FILES: usize = 19_000;
/// How many folders are ignored, and how many files each holds.
const IGNORED_FOLDERS: usize = 50;
const IGNORED_IN_EACH: usize = 14;
/// Ignored files among the others.
const IGNORED_FILES: usize = 300;

const TOP: [&str; 8] = ["src", "crates", "docs", "tests", "tools", "web", "services", ".config"];

const TOP_PATTERNS: &str = "\
# What builds leave behind
target/
dist/
/build/
__pycache__/
*.pyc
coverage/
# What editors and systems leave behind
*.log
*.tmp
*.bak
*.swp
.idea/
.DS_Store
";

/// A folder of the corpus, with its depth.
type Folder = (PathBuf, usize);

/// Fills an empty folder.
pub(crate) fn fill(base: &Path) {
    let mut random = Random::new(20_000);
    write_file(&base.join(".gitignore"), TOP_PATTERNS);
    write_repository(base);
    write_packages(base, &mut random);
    let folders = create_folders(base, &mut random);
    write_files(&folders, &mut random);
    write_ignored(&folders, &mut random);
    write_nested(&folders[TOP.len()].0, "generated_*\n!generated_keep_*\n", &mut random);
    write_nested(
        &folders[TOP.len() + 1].0,
        "*.json\n!generated_keep_*\n!release.log\n",
        &mut random,
    );
}

/// Creates the folders. Older ones get more children, so that most are at middle depths.
fn create_folders(base: &Path, random: &mut Random) -> Vec<Folder> {
    let mut folders = TOP.map(|name| (base.join(name), 1)).to_vec();
    while folders.len() < FOLDERS {
        let older = random.below(folders.len()).min(random.below(folders.len()));
        let (parent, depth) = &folders[older];
        if *depth < DEPTH {
            let name = format!("{}_{}", text::noun(random), folders.len());
            folders.push((parent.join(name), depth + 1));
        }
    }
    for (folder, _) in &folders {
        std::fs::create_dir(folder).expect("a folder");
    }
    folders
}

fn write_files(folders: &[Folder], random: &mut Random) {
    for number in 0..FILES {
        // The first files make sure that no folder is empty.
        let folder = folders.get(number).unwrap_or_else(|| &folders[random.below(folders.len())]);
        let language = language(random);
        let name = format!("{}_{number}.{}", text::noun(random), language.extension());
        let text = text::generate(language, size(random), random);
        write_file(&folder.0.join(name), &text);
    }
}

fn language(random: &mut Random) -> Language {
    match random.below(100) {
        0..40 => Language::Rust,
        40..70 => Language::TypeScript,
        70..85 => Language::Markdown,
        _ => Language::Json,
    }
}

/// Returns a size of 0.2 to 30 KB; most are small.
fn size(random: &mut Random) -> usize {
    match random.below(100) {
        0..45 => random.between(200, 1500),
        45..85 => random.between(1500, 5000),
        85..97 => random.between(5000, 12_000),
        _ => random.between(12_000, 29_500),
    }
}

/// Writes the files that the patterns at the top ignore.
fn write_ignored(folders: &[Folder], random: &mut Random) {
    for number in 0..IGNORED_FOLDERS {
        let name = random.pick(&["target", "dist", "coverage", "__pycache__"]);
        let folder = folders[number * 29].0.join(name).join("inner");
        std::fs::create_dir_all(&folder).expect("a folder");
        for number in 0..IGNORED_IN_EACH {
            let text = text::generate(Language::Rust, size(random), random);
            write_file(&folder.join(format!("{}_{number}.rs", text::noun(random))), &text);
        }
    }
    for number in 0..IGNORED_FILES {
        let ending = random.pick(&["log", "tmp", "bak", "swp"]);
        let text = text::generate(Language::Markdown, size(random), random);
        let folder = &folders[random.below(folders.len())].0;
        write_file(&folder.join(format!("{}_{number}.{ending}", text::noun(random))), &text);
    }
}

/// Writes a folder with patterns of its own, some of which re-include what others ignore.
fn write_nested(folder: &Path, patterns: &str, random: &mut Random) {
    write_file(&folder.join(".gitignore"), patterns);
    write_file(&folder.join("release.log"), &text::generate(Language::Markdown, 2000, random));
    for number in 0..20 {
        for language in [Language::Rust, Language::Json] {
            let kind = random.pick(&["all", "keep"]);
            let name = format!("generated_{kind}_{number}.{}", language.extension());
            write_file(&folder.join(name), &text::generate(language, size(random), random));
        }
    }
}

/// Writes a git repository, as far as directory walks are concerned.
fn write_repository(base: &Path) {
    let git = base.join(".git");
    for (file, text) in [
        ("HEAD", "ref: refs/heads/main\n"),
        ("config", "[core]\n\tbare = false\n"),
        ("info/exclude", "# nothing\n"),
        ("refs/heads/main", "0000000000000000000000000000000000000000\n"),
    ] {
        std::fs::create_dir_all(git.join(file).parent().expect("a folder")).expect("a folder");
        write_file(&git.join(file), text);
    }
    for number in 0..256 {
        let folder = git.join(format!("objects/{number:02x}"));
        std::fs::create_dir_all(&folder).expect("a folder");
        write_file(&folder.join(format!("{number:038x}")), text::RARE);
    }
}

/// Writes 40 packages of 10 files.
fn write_packages(base: &Path, random: &mut Random) {
    for number in 0..40 {
        let folder = base.join(format!("node_modules/{}-{number}/lib", text::noun(random)));
        std::fs::create_dir_all(&folder).expect("a folder");
        for number in 0..10 {
            let text = text::generate(Language::TypeScript, size(random), random);
            write_file(&folder.join(format!("{}_{number}.ts", text::noun(random))), &text);
        }
    }
}

fn write_file(path: &Path, text: &str) {
    std::fs::write(path, text).expect("a file");
}
