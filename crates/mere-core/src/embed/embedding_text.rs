//! The text of an item as models embed it.

use super::{UnitVector, Vector};

/// How much the heading counts once more beside the whole text.
const HEADING_SHARE: f32 = 0.3;

/// What models embed of an item.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct EmbeddingText {
    /// The title and the description: what the item is about, in few words.
    pub heading: String,
    /// Everything that the item says, heading and all.
    pub whole: String,
}

impl EmbeddingText {
    /// Computes the vector of the item with a model: the direction of the whole text, turned a
    /// little to that of its heading.
    pub fn embed(&self, model: impl Fn(&str) -> Option<UnitVector>) -> Option<Vector> {
        let whole = model(&self.whole)?;
        let turned = match model(&self.heading) {
            Some(heading) => whole.turned_to(&heading, HEADING_SHARE),
            None => whole,
        };
        turned.to_vector()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heading_counts_a_little_more_than_the_rest() {
        let model = |text: &str| match text {
            "heading" => UnitVector::from_sums(&[1.0, 0.0]),
            "whole" => UnitVector::from_sums(&[0.0, 5.0]),
            _ => None,
        };
        let text = |heading: &str| EmbeddingText {
            heading: heading.to_owned(),
            whole: "whole".to_owned(),
        };
        let [turned, plain] =
            ["heading", "?"].map(|heading| text(heading).embed(model).expect("a vector"));
        assert_eq!(turned.as_bytes(), [38, 127]);
        assert_eq!(plain.as_bytes(), [0, 127]);
        assert_eq!(EmbeddingText::default().embed(model), None);
    }
}
