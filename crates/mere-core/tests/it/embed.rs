//! The shipped table, against numbers from elsewhere: tokens as the `tokenizers` library makes
//! them, similarities as `models/compare.py` prints them.

use mere_core::embed::{
    Sketch, StaticEmbeddings, UnitVector, Vector, static_embeddings, wordpiece,
};
use proptest::prelude::*;

fn embed(text: &str) -> Option<Vector> {
    StaticEmbeddings::built_in().embed(text).as_ref().and_then(UnitVector::to_vector)
}

fn check_tokens(text: &str, expected: &[&str]) {
    let vocabulary = StaticEmbeddings::built_in().vocabulary();
    let found = wordpiece::tokenize(vocabulary, text, 100).into_iter().map(|token| {
        let bytes = vocabulary.token_bytes(token).expect("a token of the vocabulary");
        String::from_utf8_lossy(bytes).into_owned()
    });
    assert_eq!(found.collect::<Vec<_>>(), expected, "{text:?}");
}

#[test]
fn words_are_spelled_with_the_longest_tokens() {
    check_tokens("Hello, world!", &["hello", ",", "world", "!"]);
    check_tokens("unaffable tokenisation", &["una", "##ffa", "##ble", "token", "##isation"]);
    check_tokens("foo_bar::baz", &["foo", "_", "bar", ":", ":", "ba", "##z"]);
    check_tokens("don't e-mail", &["don", "'", "t", "e", "-", "mail"]);
    check_tokens("[CLS]", &["[", "cl", "##s", "]"]);
    check_tokens(" \u{a0}\u{3000}\n", &[]);
}

#[test]
fn accents_and_case_are_dropped_and_ideographs_stand_alone() {
    check_tokens("Naïve café — ÉLAN", &["naive", "cafe", "—", "el", "##an"]);
    check_tokens("東京タワー がぎ", &["東", "京", "タ", "##ワ", "##ー", "か", "##き"]);
    check_tokens("한국", &["ᄒ", "##ᅡ", "##ᆫ", "##ᄀ", "##ᅮ", "##ᆨ"]);
    check_tokens("İstanbul ǅ ß ﬁ", &["istanbul", "[UNK]", "ß", "ﬁ"]);
    check_tokens("a\u{301}\u{200b}b\0c\u{7}d", &["abc", "##d"]);
    check_tokens("\u{2028}a\u{85}b\u{b}c", &["abc"]);
    check_tokens("😀 ok ☃", &["[UNK]", "ok", "[UNK]"]);
}

#[test]
fn long_words_are_unknown_and_long_texts_are_cut() {
    check_tokens(&"x".repeat(101), &["[UNK]"]);
    let xx = ["xx"].into_iter().chain(std::iter::repeat_n("##xx", 49)).collect::<Vec<_>>();
    check_tokens(&"x".repeat(100), &xx);
    let vocabulary = StaticEmbeddings::built_in().vocabulary();
    for limit in [0, 1, 7] {
        assert_eq!(
            wordpiece::tokenize(vocabulary, "unaffable ".repeat(9).trim(), limit).len(),
            limit
        );
    }
}

#[test]
fn similarities_are_those_of_the_table() {
    for (one, other, expected) in [
        (
            "Retry failed requests with backoff",
            "what to do when a network call does not succeed",
            0.2195,
        ),
        ("Retry failed requests with backoff", "a recipe for bread", -0.0547),
        ("The cat sat on the mat.", "A kitten was lying on the rug", 0.3340),
        ("Rotate the signing keys every quarter", "how often are credentials replaced", 0.4026),
        ("PostgreSQL", "the database", 0.3534),
        ("Café Zürich 東京", "coffee house in Switzerland", 0.4814),
    ] {
        let [one, other] = [one, other].map(|text| embed(text).expect("a vector"));
        let found = one.cosine(&other);
        assert!((found - expected).abs() < 0.005, "{found} is not {expected}");
        assert_eq!(one.dimensions(), static_embeddings::MODEL.dimensions);
    }
}

#[test]
fn what_has_no_known_token_has_no_vector() {
    for text in ["", " \n", "\u{301}", "☃ 😀", &"q".repeat(500)] {
        assert_eq!(embed(text), None, "{text:?}");
    }
}

#[test]
fn near_texts_have_near_sketches() {
    let sketch = |text| Sketch::from_vector(&embed(text).expect("a vector"));
    let query = sketch("how to roll back a failed deployment");
    let near = query.hamming_distance(&sketch("Reverting a release that broke production"));
    let far = query.hamming_distance(&sketch("Grandmother's apple pie with cinnamon"));
    assert!(near < far, "{near} {far}");
}

#[test]
fn what_is_no_table_is_refused() {
    let whole: &'static [u8] = include_bytes!("../../../../models/static.bin");
    assert_eq!(StaticEmbeddings::read(whole).map(|table| table.vocabulary().len()), Ok(30_522));
    for length in [0, 7, 27, 28, 1000, whole.len() - 1] {
        assert!(StaticEmbeddings::read(&whole[..length]).is_err(), "{length}");
    }
    assert!(StaticEmbeddings::read(&whole[1..]).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_has_a_vector_or_none(text in ".{0,200}") {
        if let Some(vector) = embed(&text) {
            prop_assert_eq!(vector.dimensions(), 256);
            prop_assert!((vector.cosine(&vector) - 1.0).abs() < 1e-5);
            let stored = Vector::from_bytes(vector.as_bytes());
            prop_assert_eq!(stored, Some(vector));
        }
    }

    #[test]
    fn any_bytes_are_a_vector_or_none(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let vector = Vector::from_bytes(&bytes);
        prop_assert_eq!(vector.is_none(), bytes.iter().all(|byte| *byte == 0));
    }
}
