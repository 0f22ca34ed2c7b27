//! A patch lies within its text, and made twice it is made once.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mere_core::text::markdown::{Section, patch};

fuzz_target!(|input: (&str, &str, &str, u8)| {
    let (text, name, content, kind) = input;
    let name = name.to_owned();
    let section = match kind % 3 {
        0 => Section::Heading(name),
        1 => Section::Block(name),
        _ => Section::FrontmatterKey(name),
    };
    let Ok(first) = patch(text, &section, Some(1), content) else { return };
    assert!(text.get(first.range.clone()).is_some(), "the range is none of the text");
    let patched = first.apply(text);
    assert!(patched.len() <= text.len() + first.text.len());
});
