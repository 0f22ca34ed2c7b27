//! Times in the log: whole seconds since 1970, written as a decimal number.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;

/// A time in whole seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogTime(u64);

/// A text or a number that is not a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a time is a number of seconds since 1970")]
pub struct LogTimeError;

impl LogTime {
    /// Takes a number of seconds, which must be less than 2^63.
    pub fn from_seconds(seconds: u64) -> Result<Self, LogTimeError> {
        if i64::try_from(seconds).is_ok() { Ok(Self(seconds)) } else { Err(LogTimeError) }
    }

    /// Cuts a timestamp to the second. A time before 1970 becomes the beginning of 1970.
    pub fn from_timestamp(moment: Timestamp) -> Self {
        Self(u64::try_from(moment.as_second()).unwrap_or(0))
    }

    /// Returns the number of seconds.
    pub fn seconds(self) -> u64 {
        self.0
    }

    /// Returns how many seconds have passed since an earlier time, and 0 if it is not earlier.
    pub fn seconds_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl FromStr for LogTime {
    type Err = LogTimeError;

    fn from_str(text: &str) -> Result<Self, LogTimeError> {
        parse_decimal(text).ok_or(LogTimeError).and_then(Self::from_seconds)
    }
}

impl fmt::Display for LogTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Parses a decimal number that has no sign and no leading zeros.
pub(super) fn parse_decimal(text: &str) -> Option<u64> {
    let number = text.parse::<u64>().ok()?;
    (number.to_string() == text).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_one_spelling() {
        for good in ["0", "1679315147", "9223372036854775807"] {
            assert_eq!(good.parse::<LogTime>().map(|time| time.to_string()), Ok(good.to_owned()));
        }
        for bad in ["", "-1", "+1", "01", "1.0", " 1", "9223372036854775808"] {
            assert_eq!(bad.parse::<LogTime>(), Err(LogTimeError), "{bad}");
        }
        assert_eq!(LogTime::from_timestamp(Timestamp::MIN).seconds(), 0);
    }
}
