//! Any schema is refused or understood, and any instance then checked, in bounded time.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mere_core::text::json;
use mere_core::schema::{MAX_PROBLEMS, Schema, example};

fuzz_target!(|input: &[u8]| {
    let mut halves = input.splitn(2, |byte| *byte == b'\n');
    let (Some(schema), Some(instance)) = (halves.next(), halves.next()) else { return };
    let (Ok(schema), Ok(instance)) = (json::parse(schema), json::parse(instance)) else { return };
    let _ = example(&schema);
    let Ok(compiled) = Schema::compile(&schema) else { return };
    assert!(compiled.problems(&instance).len() <= MAX_PROBLEMS);
});
