//! The page that says why there is no other page.

use mere_pages::{Href, Html, Tag, element, link};

use super::site;

/// Renders a refusal.
pub(crate) fn render_problem(detail: &str) -> String {
    let mut words = detail.chars();
    let first = words.next().map(|first| first.to_uppercase().collect::<String>());
    let sentence = format!("{}{}.", first.unwrap_or_default(), words.as_str());
    let back = element(Tag::P).with(link(&Href::page(&[]), "Back to the start"));
    let content = Html::from(element(Tag::H1).with("This page cannot be shown"));
    let content = content.with(element(Tag::P).class("lead").with(sentence)).with(back);
    site::render("No page", None, content)
}
