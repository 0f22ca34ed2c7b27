//! What the history of a repository says about one file.

use std::io;

use mere_core::address::RelPath;

use super::git::GitRepository;

/// The length of a commit's id where a person reads it.
const SHORT_ID: usize = 9;

/// A commit that touched a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its id, in full.
    pub id: String,
    /// When it was made, in seconds since 1970, as its committer claims.
    pub time: i64,
}

impl Commit {
    /// Returns the beginning of its id, as people write it.
    pub fn short_id(&self) -> &str {
        self.id.get(..SHORT_ID).unwrap_or(&self.id)
    }
}

/// A file as of a commit.
pub struct FileVersion {
    /// The commit.
    pub commit: Commit,
    /// The bytes of the file.
    pub bytes: Vec<u8>,
}

impl GitRepository<'_> {
    /// Returns a file as of each commit that touched it, the newest first, on all branches that led
    /// to the current one. Commits that removed it are left out.
    pub fn file_history(&self, path: &RelPath, most: usize) -> io::Result<Vec<FileVersion>> {
        let commits = self.commits_of(path, most)?;
        let names = commits.iter().map(|commit| format!("{}:./{path}\n", commit.id));
        let output = self.run_with_input(&["cat-file", "--batch"], &names.collect::<String>())?;
        let mut rest = &output[..];
        let versions = commits.into_iter().filter_map(|commit| {
            let bytes = take_object(&mut rest)?;
            Some(FileVersion { commit, bytes: bytes.to_vec() })
        });
        Ok(versions.collect())
    }

    /// Reads a file as of a commit.
    pub fn read_at(&self, commit: &Commit, path: &RelPath) -> Option<Vec<u8>> {
        self.run(&["cat-file", "blob", &format!("{}:./{path}", commit.id)]).ok()
    }

    fn commits_of(&self, path: &RelPath, most: usize) -> io::Result<Vec<Commit>> {
        let most = format!("--max-count={most}");
        let output = self.run(&[
            "--literal-pathspecs",
            "log",
            "--no-show-signature",
            "--full-history",
            "--format=%H %ct",
            &most,
            "--",
            path.as_str(),
        ])?;
        let output = String::from_utf8(output).map_err(io::Error::other)?;
        let commit = |line: &str| {
            let (id, time) = line.split_once(' ')?;
            Some(Commit { id: id.to_owned(), time: time.parse().ok()? })
        };
        Ok(output.lines().filter_map(commit).collect())
    }
}

/// Takes the next object from what `git cat-file --batch` printed. Returns `None` for one that does
/// not exist, that is no file, or that was cut off.
fn take_object<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let head = str::from_utf8(&rest[..end]).ok();
    *rest = &rest[end + 1..];
    // An object that exists has a body, whatever it is: `<id> <type> <size>`.
    let (head, size) = head?.rsplit_once(' ')?;
    let size = size.parse::<usize>().ok()?;
    let object = rest.get(..size);
    *rest = rest.get(size + 1..).unwrap_or_default();
    object.filter(|_| head.ends_with(" blob"))
}

#[cfg(test)]
mod tests {
    use super::take_object;

    #[test]
    fn each_answer_is_taken_whole_whatever_it_is() {
        let printed =
            b"aa blob 3\none\nbb:./notes/a b missing\ncc tree 9\nd blob 1\n\ndd blob 3\ntwo\n";
        let mut rest = &printed[..];
        let taken = [(); 5].map(|()| take_object(&mut rest));
        assert_eq!(taken, [Some(&b"one"[..]), None, None, Some(b"two"), None]);
    }

    #[test]
    fn what_was_cut_off_is_not_taken() {
        let mut rest = &b"aa blob 30\none\n"[..];
        assert_eq!(take_object(&mut rest), None);
        assert_eq!(take_object(&mut rest), None);
    }
}
