//! Web pages as values, for the registry and for `mere ui`.
//!
//! An [`Html`] can only be made of elements and of text that is escaped, and a link only of an
//! [`Href`], so a text that somebody else wrote cannot become markup: that would not compile. What
//! a page shows is the caller's business.

mod asset;
mod block;
mod difference;
mod element;
mod href;
mod html;
mod markdown;
mod page;
mod policy;

pub use asset::Asset;
pub use block::{Badge, Tone, badge, command_block, definition_list, empty_note, sentence, table};
pub use difference::render_difference;
pub use element::{Attribute, Element, Tag, element, link};
pub use href::{Href, QueryPairs};
pub use html::Html;
pub use markdown::{MAX_MARKDOWN_BYTES, render_markdown};
pub use page::{Page, Site, SiteLink};
pub use policy::{insert_page_headers, insert_picture_headers};
