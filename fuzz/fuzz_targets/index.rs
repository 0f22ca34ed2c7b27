//! The files of an index that somebody has changed are read as far as they make sense, and no
//! further.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| mere_engine::read_index_bytes(bytes));
