//! Programs that must not compile.
//!
//! Nobody but the engine can make, copy or open one of its proofs: what may be seen, what policy
//! permits, and a chain that may be run.

#[test]
fn a_visibility_ref_is_sealed() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/it/fail/*.rs");
}
