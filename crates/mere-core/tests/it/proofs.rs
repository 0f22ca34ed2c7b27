//! What must not compile.

#[test]
fn nobody_else_can_make_the_proofs() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/it/fail/*.rs");
}
