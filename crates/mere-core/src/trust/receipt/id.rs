//! The id of a receipt: 32 lower-case hexadecimal digits that sort by time.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

/// The id of a receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReceiptId(Uuid);

/// A text that is not the id of a receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the id of a receipt has 32 lower-case hexadecimal digits, as `mere runs` prints it")]
pub struct ReceiptIdError;

impl From<Uuid> for ReceiptId {
    fn from(id: Uuid) -> Self {
        Self(id)
    }
}

impl FromStr for ReceiptId {
    type Err = ReceiptIdError;

    fn from_str(text: &str) -> Result<Self, ReceiptIdError> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != 32 || !text.bytes().all(is_digit) {
            return Err(ReceiptIdError);
        }
        Uuid::try_parse(text).map(Self).map_err(|_| ReceiptIdError)
    }
}

impl fmt::Display for ReceiptId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.simple())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_one_spelling() {
        let text = "019a94e0aaaa7bbb8ccc0123456789ab";
        assert_eq!(text.parse::<ReceiptId>().map(|id| id.to_string()), Ok(text.to_owned()));
        let hyphens = "019a94e0-aaaa-7bbb-8ccc-0123456789ab";
        for bad in
            ["", &text[1..], &text.to_uppercase(), hyphens, "../../../../../../etc/passwd/../"]
        {
            assert_eq!(bad.parse::<ReceiptId>(), Err(ReceiptIdError), "{bad}");
        }
    }
}
