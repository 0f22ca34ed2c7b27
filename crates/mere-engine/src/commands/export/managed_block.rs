//! A block in a file that people write too. What is outside the block is never changed.

const BEGIN: &str = "<!-- mere:begin (written by `mere export`; changes in here are lost) -->";
const BEGIN_WORD: &str = "<!-- mere:begin";
const END: &str = "<!-- mere:end -->";

/// Why a block is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("its `mere:begin` and `mere:end` comments do not make exactly one block")]
pub(super) struct BrokenBlock;

/// Returns a text with the block set to some lines. A text without a block gets it at its end.
pub(super) fn set_block(text: &str, lines: &str) -> Result<String, BrokenBlock> {
    let block = format!("{BEGIN}\n{}\n{END}", lines.trim_end());
    let (begins, ends) = (text.matches(BEGIN_WORD).count(), text.matches(END).count());
    match (begins, ends) {
        (0, 0) => {
            let gap = match text {
                "" => "",
                _ if text.ends_with("\n\n") => "",
                _ if text.ends_with('\n') => "\n",
                _ => "\n\n",
            };
            Ok(format!("{text}{gap}{block}\n"))
        }
        (1, 1) => {
            let start = text.find(BEGIN_WORD).ok_or(BrokenBlock)?;
            let end = text.find(END).filter(|end| *end > start).ok_or(BrokenBlock)?;
            Ok(format!("{}{block}{}", &text[..start], &text[end + END.len()..]))
        }
        _ => Err(BrokenBlock),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_outside_the_block_stays() {
        let first = set_block("# Mine\n", "- a\n").expect("a block");
        assert_eq!(first, format!("# Mine\n\n{BEGIN}\n- a\n{END}\n"));
        let edited = first.replace("Mine", "Ours") + "after";
        let second = set_block(&edited, "- b").expect("a block");
        assert_eq!(second, format!("# Ours\n\n{BEGIN}\n- b\n{END}\nafter"));
        assert_eq!(set_block(&second, "- b"), Ok(second.clone()));
    }

    #[test]
    fn a_broken_block_is_left_alone() {
        for text in [format!("{BEGIN}\n"), format!("{END}\n{BEGIN}"), format!("{BEGIN}{END}{END}")]
        {
            assert_eq!(set_block(&text, "x"), Err(BrokenBlock));
        }
    }
}
