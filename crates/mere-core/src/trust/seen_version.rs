//! What one machine remembers of an item: the newest version that it has seen signed by trusted
//! keys, and the older statements that a person has accepted since.
//!
//! A signature does not age, so an older version verifies wherever its signature still fits. Only
//! this memory tells that there was a newer one.

use super::verification::Checked;
use crate::digest::Sha256;
use crate::item::Version;

/// The most accepted statements of one item. Of more, those that were accepted last stay.
pub const MAX_ACCEPTED_STATEMENTS: usize = 8;

/// What was seen of one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenVersion {
    /// The newest version.
    pub newest: Version,
    /// The digests of older statements that a person accepts.
    pub accepted: Vec<Sha256>,
}

/// How the version of an item compares with what was seen of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VersionAge {
    /// Nothing newer was seen.
    Newest,
    /// A newer version was seen.
    Older {
        /// That version.
        newest: Version,
        /// Whether a person has accepted exactly this statement all the same.
        is_accepted: bool,
    },
    /// What was seen cannot be read, so nobody knows.
    Unknown,
}

impl VersionAge {
    /// Returns whether nothing speaks against relying on the version.
    pub fn is_settled(&self) -> bool {
        matches!(self, Self::Newest | Self::Older { is_accepted: true, .. })
    }

    /// Returns the newer version that was seen.
    pub fn newest_seen(&self) -> Option<&Version> {
        match self {
            Self::Older { newest, .. } => Some(newest),
            Self::Newest | Self::Unknown => None,
        }
    }
}

impl SeenVersion {
    /// Remembers a version that was seen for the first time.
    pub fn new(newest: Version) -> Self {
        Self { newest, accepted: Vec::new() }
    }

    /// Compares a version with what was seen. Build metadata does not make a version newer.
    pub fn compare(&self, version: &Version, statement: Option<Sha256>) -> VersionAge {
        if !version.is_older_than(&self.newest) {
            return VersionAge::Newest;
        }
        let is_accepted = statement.is_some_and(|digest| self.accepted.contains(&digest));
        VersionAge::Older { newest: self.newest.clone(), is_accepted }
    }

    /// Remembers a version if it is newer. Returns whether that changed anything.
    pub fn raise(&mut self, version: &Version) -> bool {
        let is_newer = self.newest.is_older_than(version);
        if is_newer {
            self.newest = version.clone();
        }
        is_newer
    }

    /// Remembers that a person accepts a statement.
    pub fn accept(&mut self, statement: Sha256) {
        self.accepted.retain(|one| *one != statement);
        self.accepted.push(statement);
        let surplus = self.accepted.len().saturating_sub(MAX_ACCEPTED_STATEMENTS);
        self.accepted.drain(..surplus);
    }
}

impl<T> Checked<T> {
    /// Returns whether the item counts as seen: only what trusted keys signed does, so that nobody
    /// else can make a version look old.
    pub fn counts_as_seen(&self) -> bool {
        matches!(self, Self::Verified(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().expect("a version")
    }

    #[test]
    fn a_version_is_older_by_the_precedence_of_semver() {
        let seen = SeenVersion::new(version("2.0.0-rc.2+build.7"));
        for (text, is_older) in [
            ("1.99.99", true),
            ("2.0.0-rc.1", true),
            ("2.0.0-rc.2", false),
            ("2.0.0-rc.2+build.1", false),
            ("2.0.0-rc.10", false),
            ("2.0.0", false),
        ] {
            let age = seen.compare(&version(text), None);
            assert_eq!(age != VersionAge::Newest, is_older, "{text}");
        }
    }

    #[test]
    fn only_a_newer_version_raises_what_was_seen() {
        let mut seen = SeenVersion::new(version("1.0.0"));
        assert!(!seen.raise(&version("1.0.0+other")) && !seen.raise(&version("0.9.0")));
        assert!(seen.raise(&version("1.0.1")));
        assert_eq!(seen.newest, version("1.0.1"));
    }

    #[test]
    fn a_person_accepts_one_statement_and_no_other() {
        let (mine, other) = (Sha256::digest(b"mine"), Sha256::digest(b"other"));
        let mut seen = SeenVersion::new(version("2.0.0"));
        seen.accept(mine);
        let age = |seen: &SeenVersion, statement| seen.compare(&version("1.0.0"), statement);
        assert!(age(&seen, Some(mine)).is_settled());
        assert_eq!(age(&seen, None).newest_seen(), Some(&version("2.0.0")));
        assert_eq!(VersionAge::Newest.newest_seen(), None);
        assert!(!age(&seen, Some(other)).is_settled() && !age(&seen, None).is_settled());
        for number in 0..MAX_ACCEPTED_STATEMENTS {
            seen.accept(Sha256::digest(&number.to_be_bytes()));
        }
        assert_eq!(seen.accepted.len(), MAX_ACCEPTED_STATEMENTS);
        assert!(!age(&seen, Some(mine)).is_settled());
    }
}
