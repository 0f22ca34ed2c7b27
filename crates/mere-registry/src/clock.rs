//! The clock of the registry, in whole seconds.

use std::time::SystemTime;

use jiff::Timestamp;

/// Returns the current time.
pub(crate) fn now() -> Timestamp {
    from_system(SystemTime::now())
}

/// Returns a time of the system, to the second.
pub(crate) fn from_system(time: SystemTime) -> Timestamp {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or_default();
    Timestamp::from_second(seconds).unwrap_or_default()
}

/// Writes a time as the tables and the API have it.
pub(crate) fn format(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
