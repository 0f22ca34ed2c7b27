//! The stylesheet, the script and the icon, which are part of the program.

use super::href::Href;

/// A file that pages refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asset {
    /// The stylesheet.
    Stylesheet,
    /// The script. Pages work without it.
    Script,
    /// The icon.
    Icon,
}

impl Asset {
    const ALL: [Self; 3] = [Self::Stylesheet, Self::Script, Self::Icon];

    /// Finds the file at a path.
    pub fn at(path: &str) -> Option<Self> {
        let name = path.strip_prefix("/assets/")?;
        Self::ALL.into_iter().find(|asset| asset.name() == name)
    }

    /// Returns where it is.
    pub fn href(self) -> Href {
        Href::page(&["assets", self.name()])
    }

    /// Returns its media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Stylesheet => "text/css; charset=utf-8",
            Self::Script => "text/javascript; charset=utf-8",
            Self::Icon => "image/svg+xml",
        }
    }

    /// Returns its content.
    pub fn content(self) -> &'static str {
        match self {
            Self::Stylesheet => include_str!("../assets/mere.css"),
            Self::Script => include_str!("../assets/mere.js"),
            Self::Icon => include_str!("../assets/icon.svg"),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Stylesheet => "mere.css",
            Self::Script => "mere.js",
            Self::Icon => "icon.svg",
        }
    }
}
