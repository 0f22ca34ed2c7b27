//! Telegram bot tokens: the bot's number, a colon, and 35 characters that begin with `AA`.
//!
//! The number is the bot's public id; only the part after the colon is secret.

use std::ops::Range;

use super::characters::{CharSet, is_plausibly_random};

/// The colon, and the beginning of the secret part.
pub(super) const NEEDLE: &str = ":AA";

const LENGTH: usize = 35;
const MIN_DIGITS: usize = 8;

/// Finds the secret after the colon at `colon`. The text before the number does not matter: in the
/// URLs of the API it is `bot`.
pub(super) fn find_secret(text: &str, colon: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let number = &bytes[colon.checked_sub(MIN_DIGITS)?..colon];
    let start = colon + 1;
    let rest = &bytes[start..bytes.len().min(start + LENGTH + 1)];
    let length = CharSet::Word.leading_run(rest);
    let fits = number.iter().all(u8::is_ascii_digit) && length == LENGTH;
    (fits && is_plausibly_random(&rest[..length])).then_some(start..start + length)
}

#[cfg(test)]
mod tests {
    use crate::secrets::tests::{WORD, body, check};

    #[test]
    fn the_number_of_a_bot_stays() {
        let secret = format!("{}{}", "AA", body(WORD, 33));
        check(&format!("BOT=1234567890:{secret}"), &[&secret]);
        check(&format!("TOKEN=1234567890:{secret}"), &[&format!("1234567890:{secret}")]);
        check(&format!("https://api.telegram.org/bot12345678:{secret}/getMe"), &[&secret]);
        check(&format!("1234567:{secret} 123456789:{secret}x :{secret}"), &[]);
    }
}
