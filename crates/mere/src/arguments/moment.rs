//! A time as a person writes it: a timestamp, or how long from now.
//!
//! A relative time is resolved when the command runs, not while it is parsed.

use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use mere_core::item::parse_rfc3339;

/// A point in time, absolute or relative to now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// This point in time.
    At(Timestamp),
    /// This many hours from now.
    In {
        /// The number of hours.
        hours: u32,
    },
}

/// The reasons why a text is not a time, or is one too far away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MomentError {
    #[error("expected a time such as 2027-01-31T12:00:00Z, or 12h, 30d or 2w from now")]
    Format,
    #[error("the time is too far away")]
    OutOfRange,
}

impl Moment {
    /// Returns the absolute time, relative to `now`.
    pub(crate) fn resolve(self, now: Timestamp) -> Result<Timestamp, MomentError> {
        match self {
            Self::At(time) => Ok(time),
            Self::In { hours } => {
                let later = SignedDuration::from_hours(hours.into());
                now.checked_add(later).map_err(|_| MomentError::OutOfRange)
            }
        }
    }
}

impl Moment {
    /// Returns the absolute time, of which a relative one is that long before `now`.
    pub(crate) fn resolve_before(self, now: Timestamp) -> Result<Timestamp, MomentError> {
        match self {
            Self::At(time) => Ok(time),
            Self::In { hours } => {
                let earlier = SignedDuration::from_hours(hours.into());
                now.checked_sub(earlier).map_err(|_| MomentError::OutOfRange)
            }
        }
    }
}

impl FromStr for Moment {
    type Err = MomentError;

    fn from_str(text: &str) -> Result<Self, MomentError> {
        if let Some(time) = parse_rfc3339(text) {
            return Ok(Self::At(time));
        }
        let split =
            text.split_at_checked(text.len().saturating_sub(1)).ok_or(MomentError::Format)?;
        let unit: u32 = match split.1 {
            "h" => 1,
            "d" => 24,
            "w" => 24 * 7,
            _ => return Err(MomentError::Format),
        };
        let is_number = !split.0.is_empty() && split.0.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number || split.0.bytes().all(|byte| byte == b'0') {
            return Err(MomentError::Format);
        }
        let count = split.0.parse::<u32>().map_err(|_| MomentError::OutOfRange)?;
        let hours = count.checked_mul(unit).ok_or(MomentError::OutOfRange)?;
        Ok(Self::In { hours })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        parse_rfc3339(text).expect(text)
    }

    #[test]
    fn a_person_says_when_or_how_long() {
        let now = time("2026-01-31T12:00:00Z");
        for (text, expected) in [
            ("2027-01-31T12:00:00+01:00", "2027-01-31T11:00:00Z"),
            ("12h", "2026-02-01T00:00:00Z"),
            ("30d", "2026-03-02T12:00:00Z"),
            ("2w", "2026-02-14T12:00:00Z"),
            ("007d", "2026-02-07T12:00:00Z"),
        ] {
            let moment = text.parse::<Moment>().expect(text);
            assert_eq!(moment.resolve(now), Ok(time(expected)), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for bad in [
            "",
            "d",
            "30",
            "0d",
            "-1d",
            "+1d",
            "1.5d",
            "1 d",
            "1m",
            "1y",
            "30D",
            "dd",
            "3é",
            "2027-01-31",
            "2027-01-31T12:00",
        ] {
            assert_eq!(bad.parse::<Moment>(), Err(MomentError::Format), "{bad}");
        }
        for far in ["99999999999d", "4000000000d", "4000000000w"] {
            assert_eq!(far.parse::<Moment>(), Err(MomentError::OutOfRange), "{far}");
        }
        let moment = "4000000000h".parse::<Moment>().expect("a number of hours");
        assert_eq!(moment.resolve(time("2026-01-31T12:00:00Z")), Err(MomentError::OutOfRange));
    }
}
