//! The markers that git leaves in a text where two sides changed the same lines.

/// The lines of one conflict begin with these, in this order.
const MARKERS: [&str; 3] = ["<<<<<<< ", "=======", ">>>>>>> "];

/// Returns the number of the line, from 1, where the first conflict of a text begins. A text has a
/// conflict only if all its markers are there: a line of equals signs alone may be a heading.
pub fn find_conflict(text: &str) -> Option<usize> {
    let (mut begins_at, mut next) = (None, 0);
    for (number, line) in text.lines().enumerate() {
        if line.starts_with(MARKERS[0]) {
            (begins_at, next) = (Some(number + 1), 1);
        } else if next > 0 && line.starts_with(MARKERS[next]) {
            next += 1;
        }
        if next == MARKERS.len() {
            return begins_at;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conflict_has_all_its_markers() {
        let check = |text: &str, expected| assert_eq!(find_conflict(text), expected, "{text:?}");
        check("a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n", Some(2));
        check("<<<<<<< HEAD\r\nb\r\n||||||| base\r\n=======\r\nc\r\n>>>>>>> x\r\n", Some(1));
        check("<<<<<<< a\n<<<<<<< b\n=======\n>>>>>>> c", Some(2));
        check("Title\n=======\n", None);
        check("<<<<<<< ours\nb\n", None);
        check(">>>>>>> b\n=======\n<<<<<<< a\n", None);
        check(" <<<<<<< a\n =======\n >>>>>>> b\n", None);
    }
}
