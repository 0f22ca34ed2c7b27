//! Panics that a test asks for, to see what becomes of a call when one of its threads breaks down.
//!
//! A release build has none: there, [`fault_point`] is an empty function.

/// Marks a place where a test can ask for a panic.
///
/// # Panics
///
/// If the environment variable `MERE_PANIC_AT` names this step and this item, which is given by its
/// id or its path, as in `verify:note-7`; or this step with `*` for every item.
#[cfg(debug_assertions)]
pub fn fault_point(step: &str, item: &str) {
    use std::sync::LazyLock;
    static CHOSEN: LazyLock<Option<String>> = LazyLock::new(|| std::env::var("MERE_PANIC_AT").ok());
    let chosen = CHOSEN.as_deref().and_then(|chosen| chosen.split_once(':'));
    let is_chosen = chosen.is_some_and(|(at, one)| at == step && (one == item || one == "*"));
    assert!(!is_chosen, "a test asked for a panic at `{step}:{item}`");
}

/// Does nothing in a release build.
#[cfg(not(debug_assertions))]
#[inline]
pub const fn fault_point(_step: &str, _item: &str) {}
