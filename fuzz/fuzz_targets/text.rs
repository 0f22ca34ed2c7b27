//! Secrets are found in order and apart, and any text is a pattern or none.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mere_core::text::pattern::Pattern;
use mere_core::secrets;

fuzz_target!(|text: &str| {
    let mut end = 0;
    for secret in secrets::find(text) {
        assert!(secret.start >= end && secret.end > secret.start);
        assert!(text.get(secret.clone()).is_some(), "a secret ends within a character");
        end = secret.end;
    }
    if let Ok(pattern) = text.parse::<Pattern>() {
        assert!(!text.starts_with('/') && !text.split('/').any(|name| name == ".."));
        let _ = pattern.matches("src/main.rs");
    }
});
