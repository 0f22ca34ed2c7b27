//! The distance of a walk through the graph, from 1 to 5 links.

use std::fmt;
use std::str::FromStr;

/// The largest distance.
const MAX_DEPTH: u8 = 5;

/// A distance in links, from 1 to 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WalkDepth(u8);

/// The error that a number is not a valid depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a depth is a number from 1 to 5")]
pub struct WalkDepthError;

impl WalkDepth {
    /// The largest depth.
    pub const MAX: Self = Self(MAX_DEPTH);

    /// Returns the depth as a number.
    pub fn get(self) -> u8 {
        self.0
    }
}

/// One link, for entries that are linked directly.
impl Default for WalkDepth {
    fn default() -> Self {
        Self(1)
    }
}

impl TryFrom<u64> for WalkDepth {
    type Error = WalkDepthError;

    fn try_from(number: u64) -> Result<Self, WalkDepthError> {
        let number = u8::try_from(number).map_err(|_| WalkDepthError)?;
        if (1..=MAX_DEPTH).contains(&number) { Ok(Self(number)) } else { Err(WalkDepthError) }
    }
}

impl FromStr for WalkDepth {
    type Err = WalkDepthError;

    fn from_str(text: &str) -> Result<Self, WalkDepthError> {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
        let number = is_plain.then(|| text.parse::<u64>().ok()).flatten();
        number.ok_or(WalkDepthError)?.try_into()
    }
}

impl fmt::Display for WalkDepth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_to_five_and_nothing_else() {
        for good in 1..=5_u64 {
            assert_eq!(good.to_string().parse::<WalkDepth>(), WalkDepth::try_from(good));
        }
        for bad in ["", "0", "6", "05", "+1", "-1", "1.0", " 1", "99999999999999999999999"] {
            assert_eq!(bad.parse::<WalkDepth>(), Err(WalkDepthError), "{bad}");
        }
    }
}
