//! The names that version control programs take for a repository.
//!
//! Such a program runs what the repository in its working directory configures: hooks, filters,
//! monitors, pagers. Shell prompts and editors start it without being asked. So nothing that an
//! agent or a tool makes in a workspace may have one of these names. This is the only place that
//! knows them.
//!
//! Git also takes a folder for a repository that has no `.git` in it but is one itself: with a file
//! or link `HEAD`, and with `objects` and `refs`, or a file `commondir` that leads to both. All of
//! these forms need `HEAD`, so that name alone decides.

use super::RelPath;
use super::characters::is_invisible;

/// What an entry of a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryForm {
    /// A folder.
    Folder,
    /// A file, a link, or anything else that is no folder.
    Leaf,
}

/// A name that means a repository to a version control program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepositoryName(&'static KnownName);

#[derive(Debug, PartialEq, Eq)]
struct KnownName {
    name: &'static str,
    /// The form that it must have, if only one form means anything.
    form: Option<EntryForm>,
    /// The same word without a meaning.
    harmless: &'static str,
}

const fn known(name: &'static str, harmless: &'static str) -> KnownName {
    KnownName { name, form: None, harmless }
}

/// Git, Mercurial, Sapling, Jujutsu, Bazaar and Breezy, Subversion, Darcs, Pijul, Fossil, Monotone,
/// and Android's `repo`, which runs the program that lies in the folder.
const KNOWN_NAMES: [KnownName; 14] = [
    known(".git", "git"),
    KnownName { name: "head", form: Some(EntryForm::Leaf), harmless: "HEAD" },
    known(".hg", "hg"),
    known(".sl", "sl"),
    known(".jj", "jj"),
    known(".bzr", "bzr"),
    known(".svn", "svn"),
    known("_darcs", "darcs"),
    known(".pijul", "pijul"),
    known(".fslckout", "fslckout"),
    known("_fossil_", "fossil"),
    known(".fos", "fos"),
    known("_mtn", "mtn"),
    known(".repo", "repo"),
];

impl RepositoryName {
    /// Recognises the name of an entry on any file system: some ignore case, invisible characters,
    /// dots and blanks at the end, or take what follows a colon for a stream of the file.
    pub fn recognize(name: &str, form: EntryForm) -> Option<Self> {
        if name.is_ascii() && !name.starts_with(['.', '_', 'h', 'H']) {
            return None;
        }
        let name = name.split(':').next().unwrap_or_default();
        let letters = name.chars().filter(|c| !is_ignored(*c));
        // Through upper case, because `ſ` and `K` have no other lower case than `s` and `k`.
        let folded = letters.flat_map(char::to_uppercase).flat_map(char::to_lowercase);
        let folded = folded.collect::<String>();
        let folded = folded.trim_end_matches(['.', ' ']);
        let is_meant = |known: &&KnownName| {
            known.name == folded && known.form.is_none_or(|needed| needed == form)
        };
        KNOWN_NAMES.iter().find(is_meant).map(Self)
    }

    /// Recognises a file that belongs to a repository, by the names on its path.
    pub fn find_in(path: &RelPath) -> Option<Self> {
        let mut names = path.names().peekable();
        std::iter::from_fn(|| {
            let name = names.next()?;
            let form = if names.peek().is_some() { EntryForm::Folder } else { EntryForm::Leaf };
            Some(Self::recognize(name, form))
        })
        .find_map(|found| found)
    }

    /// Returns the name as its program writes it.
    pub fn as_str(self) -> &'static str {
        match self.0.form {
            Some(_) => self.0.harmless,
            None => self.0.name,
        }
    }

    /// Returns a word for the start of a new name, which means nothing to any program.
    pub fn harmless_word(self) -> &'static str {
        self.0.harmless
    }
}

/// Checks whether a file system may ignore a character in a name.
fn is_ignored(c: char) -> bool {
    is_invisible(c)
        || matches!(c, '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}')
        || matches!(c, '\u{180b}'..='\u{180f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_repository(name: &str, form: EntryForm) -> bool {
        RepositoryName::recognize(name, form).is_some()
    }

    #[test]
    fn every_spelling_of_a_repository_is_recognized() {
        for name in [
            ".git",
            ".GIT",
            ".Git",
            ".git.",
            ".git ",
            ".git. .",
            ".g\u{200c}it",
            "\u{feff}.git",
            ".git::$INDEX_ALLOCATION",
            ".git:",
            ".hg",
            ".jj",
            ".SL",
            ".\u{17f}l",
            ".bzr",
            ".svn",
            "_darcs",
            "_DARC\u{17f}",
            ".pijul",
            ".fslc\u{212a}out",
            "_FOSSIL_",
            "_MTN",
            ".repo",
            ".g\u{fe0f}it",
        ] {
            assert!(is_repository(name, EntryForm::Folder), "{name:?}");
            assert!(is_repository(name, EntryForm::Leaf), "{name:?}");
        }
        for name in ["HEAD", "head", "Head", "HEAD.", "HEAD ", "HEAD::$DATA", "H\u{200d}EAD"] {
            assert!(is_repository(name, EntryForm::Leaf), "{name:?}");
            assert!(!is_repository(name, EntryForm::Folder), "{name:?}");
        }
    }

    #[test]
    fn other_names_stay_free() {
        for name in [
            "",
            ".",
            "git",
            ".gitignore",
            ".gitattributes",
            ".github",
            "x.git",
            ".git-1",
            "HEADER",
            "head.md",
            "FETCH_HEAD",
            "objects",
            "refs",
            "config",
            "hooks",
            ".hgignore",
            "repo",
            "CVs",
            "darcs",
        ] {
            assert!(!is_repository(name, EntryForm::Leaf), "{name:?}");
        }
    }

    #[test]
    fn a_harmless_word_still_tells_what_it_was() {
        for (name, word) in [(".git", "git"), (".hg", "hg"), (".sl", "sl")] {
            let found = RepositoryName::recognize(name, EntryForm::Folder).expect("a repository");
            assert_eq!(found.harmless_word(), word);
        }
    }

    #[test]
    fn a_harmless_name_is_one() {
        for known in &KNOWN_NAMES {
            let new = format!("{}-of-a-tool-1", RepositoryName(known).harmless_word());
            assert!(!is_repository(&new, EntryForm::Leaf), "{new}");
            assert!(is_repository(RepositoryName(known).as_str(), EntryForm::Leaf));
        }
    }
}
