//! Errors of calls about what is offered.

use mere_core::item::ScopedPath;

use crate::items::ItemError;

/// The reason why something is not offered.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OfferError {
    #[error(transparent)]
    Item(Box<ItemError>),
    /// The directive is not a skill, or is one that clients could not verify.
    #[error("the directive is not served as a skill: {reason}")]
    NotASkill { place: Box<ScopedPath>, reason: NotServed },
    /// No skill has this file or folder.
    #[error("no skill has this file")]
    NoFile,
}

/// The reason why a directive is not served as a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotServed {
    #[error("it is a file and has no `SKILL.md`")]
    NotAFolder,
    #[error("its name has an underscore or two hyphens in a row, or is too long")]
    Name,
    #[error("it has more than 512 files, 16 MiB, or 64 KiB of frontmatter and signatures")]
    TooLarge,
    #[error("a binary file is only served if it is a picture, a font or a sound")]
    Opaque,
    #[error("something in its files is not shown as it is, so that nobody could verify them")]
    Altered,
}

impl<E: Into<ItemError>> From<E> for OfferError {
    fn from(error: E) -> Self {
        Self::Item(Box::new(error.into()))
    }
}
