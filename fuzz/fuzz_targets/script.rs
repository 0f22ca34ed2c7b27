//! Any script has metadata or none, in every language.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mere_core::item::{ScriptLanguage, read_script};

fuzz_target!(|text: &str| {
    for language in [ScriptLanguage::Python, ScriptLanguage::Node, ScriptLanguage::Bash] {
        let _ = read_script(language, text);
    }
});
