//! Decides which plain scalars every YAML reader takes for the same value.
//!
//! Hashes are compared with what Python's YAML 1.1 reader gives, which takes `017` for 15, `on` for
//! true and `12:30` for 750, while ours follows YAML 1.2. Scalars that the two would read
//! differently are recognized here, so that they can be refused instead of being hashed one way.
//! Dates are texts to both, because the item format says so.

/// Reports whether every reader takes a plain scalar for a text.
pub(super) fn is_text(scalar: &str) -> bool {
    // In brackets, some readers take a question mark for the beginning of a key, even without a
    // space.
    !is_special_word(scalar) && !is_number(scalar) && !scalar.starts_with('?')
}

/// Reports whether every reader takes a plain scalar for the same value.
pub(super) fn is_portable(scalar: &str) -> bool {
    is_text(scalar) || is_portable_word(scalar) || is_portable_number(scalar)
}

/// Reports whether some reader takes a scalar for null, for a boolean or for a special mark.
fn is_special_word(scalar: &str) -> bool {
    const WORDS: [&str; 11] =
        ["", "~", "null", "true", "false", "yes", "no", "on", "off", "=", "<<"];
    WORDS.iter().any(|word| scalar.eq_ignore_ascii_case(word))
}

fn is_portable_word(scalar: &str) -> bool {
    let is_one_case = [str::to_ascii_lowercase, str::to_ascii_uppercase, capitalize]
        .iter()
        .any(|spelled| spelled(scalar) == scalar);
    let lower = scalar.to_ascii_lowercase();
    is_one_case && matches!(&*lower, "" | "~" | "null" | "true" | "false")
}

fn capitalize(word: &str) -> String {
    let (first, rest) = word.split_at_checked(1).unwrap_or((word, ""));
    first.to_ascii_uppercase() + &rest.to_ascii_lowercase()
}

/// Reports whether some reader takes a scalar for a number.
pub(super) fn is_number(scalar: &str) -> bool {
    let body = strip_sign(scalar);
    let is_named = [".inf", ".nan"].iter().any(|name| body.eq_ignore_ascii_case(name));
    is_named || is_radix_number(body) || is_sexagesimal(body) || is_decimal(body)
}

/// Reports whether every reader takes a scalar for the same number, which must be neither too large
/// nor too precise for any of them.
fn is_portable_number(scalar: &str) -> bool {
    let body = strip_sign(scalar);
    if is_nonempty_and_all(body, |digit| digit.is_ascii_digit()) {
        let is_plain = body == "0" || !body.starts_with('0');
        return is_plain && (scalar.parse::<i64>().is_ok() || scalar.parse::<u64>().is_ok());
    }
    if is_radix_number(body) {
        let digits = body.get(2..).unwrap_or_default();
        let base = if body.starts_with("0x") { 16 } else { 2 };
        let is_known = body.starts_with("0x") || body.starts_with("0b");
        return is_known && !digits.contains('_') && i64::from_str_radix(digits, base).is_ok();
    }
    let (mantissa, exponent) = body.split_once(['e', 'E']).unwrap_or((body, "+0"));
    let begins = mantissa.starts_with(|first: char| first.is_ascii_digit()) || body == scalar;
    let is_pointed = begins && mantissa.contains('.') && exponent.starts_with(['+', '-']);
    is_pointed && scalar.parse::<f64>().is_ok_and(f64::is_finite)
}

fn strip_sign(scalar: &str) -> &str {
    scalar.strip_prefix(['+', '-']).unwrap_or(scalar)
}

fn is_nonempty_and_all(text: &str, of: impl Fn(char) -> bool) -> bool {
    !text.is_empty() && text.chars().all(of)
}

/// Matches `0x1f`, `0o17` and `0b11`.
fn is_radix_number(body: &str) -> bool {
    let Some((prefix, digits)) = body.split_at_checked(2) else { return false };
    let base = match prefix {
        "0x" | "0X" => 16,
        "0o" | "0O" => 8,
        "0b" | "0B" => 2,
        _ => return false,
    };
    is_nonempty_and_all(digits, |digit| digit.is_digit(base) || digit == '_')
}

/// Matches `12:30`, which is 750 to some readers, and `12:30.5`.
fn is_sexagesimal(body: &str) -> bool {
    let (whole, fraction) = match body.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (body, None),
    };
    let mut groups = whole.split(':');
    let first = groups.next().unwrap_or_default();
    let begins = |from: char| first.starts_with(|digit: char| (from..='9').contains(&digit));
    let is_group = |group: &str| match group.as_bytes() {
        [digit] | [b'0'..=b'5', digit] => digit.is_ascii_digit(),
        _ => false,
    };
    let is_open = begins(if fraction.is_some() { '0' } else { '1' });
    whole.contains(':')
        && is_open
        && first.chars().all(is_digit)
        && groups.all(is_group)
        && fraction.is_none_or(|digits| digits.chars().all(is_digit))
}

/// Matches `1`, `1_000`, `017`, `1.`, `.5` and `1.5e+3`.
fn is_decimal(body: &str) -> bool {
    let (mantissa, exponent) = body.split_once(['e', 'E']).unwrap_or((body, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let first = if whole.is_empty() { fraction } else { whole };
    first.starts_with(|digit: char| digit.is_ascii_digit())
        && whole.chars().all(is_digit)
        && fraction.chars().all(is_digit)
        && is_nonempty_and_all(strip_sign(exponent), |digit| digit.is_ascii_digit())
}

fn is_digit(character: char) -> bool {
    character.is_ascii_digit() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_readers_disagree_on_is_not_shared() {
        for text in [
            "017",
            "0o17",
            "0O17",
            "09",
            "00",
            "1_000",
            "1_",
            "0x_",
            "0X1f",
            "0x1_f",
            "0B1",
            "1e3",
            "1E5",
            "1.5e3",
            "1e999",
            "1.0e+999",
            "+.5",
            "-.5",
            ".inf",
            "-.INF",
            ".nan",
            "+.NaN",
            "12:30",
            "1:30:45",
            "12:30.5",
            "0:30.5",
            "yes",
            "No",
            "ON",
            "off",
            "tRue",
            "nULL",
            "=",
            "<<",
            "18446744073709551616",
            "-9223372036854775809",
            "0xffffffffffffffff",
            "1._5",
            "0.1_0",
            "123456e7",
            "1__",
            "?a",
        ] {
            assert!(!is_portable(text) && !is_text(text), "{text}");
        }
    }

    #[test]
    fn what_they_agree_on_is() {
        for value in [
            "",
            "~",
            "null",
            "Null",
            "NULL",
            "true",
            "True",
            "FALSE",
            "0",
            "-0",
            "+1",
            "-17",
            "18446744073709551615",
            "-9223372036854775808",
            "0x1f",
            "-0x1F",
            "0b11",
            "1.",
            "-1.5",
            ".5",
            "08.5",
            "1.5e+3",
            "1.E-5",
            "-0.0",
        ] {
            assert!(is_portable(value) && !is_text(value), "{value}");
        }
        for text in [
            "a",
            "y",
            "n",
            "2026-01-24",
            "2026-01-24T09:30:00Z",
            "1.0.0",
            "09:30",
            "12:75",
            "_1",
            "0x",
            "0b2",
            "0bad",
            "+",
            "-.",
            ".",
            "._5",
            "inf",
            "nan",
            "-nan",
            "1e",
            "e3",
            "é",
            "ée",
            "3d",
            "10 apples",
            "+49 30",
            "1:2:3:x",
            "truely",
            "10:00-12:00",
        ] {
            assert!(is_portable(text), "{text}");
        }
    }
}
