//! Bytes as lower-case hexadecimal digits.

use std::fmt::Write;

/// Writes bytes as digits.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}
