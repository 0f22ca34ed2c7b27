//! Every text is a query, and the same one when it is parsed again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mere_core::item::{ItemRef, MemoryPath, Version};
use mere_core::search::Query;

fuzz_target!(|text: &str| {
    assert_eq!(Query::parse(text), Query::parse(text));
    if let Ok(item) = text.parse::<ItemRef>() {
        assert_eq!(item.to_string().parse(), Ok(item));
    }
    if let Ok(path) = text.parse::<MemoryPath>() {
        assert_eq!(path.to_string(), text);
    }
    if let Ok(version) = text.parse::<Version>() {
        assert_eq!(version.to_string(), text);
    }
});
