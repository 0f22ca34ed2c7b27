//! What must not compile: text as markup, and text as a link.

#[test]
fn text_is_not_markup() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/it/fail/*.rs");
}
