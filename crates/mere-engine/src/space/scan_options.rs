//! How a scan looks at the folders of a space.

/// How closely to look, and which folders to leave out.
pub(crate) struct ScanOptions<'a> {
    pub(crate) depth: ScanDepth,
    /// Tells whether the folder with this label is known already. The scan does not descend into
    /// it.
    pub(crate) is_known: &'a (dyn Fn(&str) -> bool + Sync),
}

/// How closely the scanner looks at files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScanDepth {
    /// Files are read, and their digests taken.
    Digests,
    /// Only the stamps of files are taken. A folder that may not be read is skipped.
    Stamps,
    /// Only names are read.
    Names,
    /// Only the names of folders are read. One that may not be read is skipped.
    Folders,
}

impl ScanDepth {
    /// Returns whether a folder that may not be read is skipped. Whoever can go on without it does
    /// not need the items in order either.
    pub(super) fn skips_unreadable(self) -> bool {
        matches!(self, Self::Stamps | Self::Folders)
    }
}
