//! Whatever a client sends as the arguments of a tool, it is a request or a call that is refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mere_core::request::{Caller, Request, TOOLS};

fuzz_target!(|parts: (u8, &str)| {
    let (number, arguments) = parts;
    let tool = &TOOLS[usize::from(number) % TOOLS.len()];
    let request = Request::from_text(Caller::default(), tool.name, arguments);
    assert_eq!(request.tool, Some(tool.name));
});
