//! The pages: of the registry, of `mere ui`, and in a real browser.

mod browser;
mod calls;
mod fetch;
mod registry_pages;
mod started;
mod ui_pages;
mod up;
