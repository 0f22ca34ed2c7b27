//! What must not compile.

#[test]
fn a_visibility_ref_is_sealed() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/it/fail/*.rs");
}
