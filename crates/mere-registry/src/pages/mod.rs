//! The pages of a registry, for people with a browser.
//!
//! They show what the same caller could read through the interface, and change nothing.

mod difference;
mod graph;
mod home;
mod inclusion;
mod item;
mod item_content;
mod item_facts;
mod item_list;
mod problem_page;
mod route;
mod site;

use mere_core::registry::RegistryQuery;
use mere_pages::Asset;

use crate::accounts::Access;
use crate::error::RegistryError;
use crate::registry::Registry;

pub(crate) use problem_page::render_problem;
pub(crate) use route::PageRoute;

/// Something that a browser shows.
pub(crate) enum PageAnswer {
    /// A page.
    Page(String),
    /// A drawing, as SVG.
    Picture(String),
    /// A file that pages refer to.
    Asset(Asset),
}

/// A request for a page: who asks, and for what.
pub(crate) struct PageRequest<'a> {
    /// The registry.
    pub(crate) registry: &'a Registry,
    /// What the caller may see.
    pub(crate) access: &'a Access,
    /// The part of the URL after `?`.
    pub(crate) query: &'a str,
}

impl PageRequest<'_> {
    /// Renders what a route shows.
    pub(crate) fn answer(&self, route: &PageRoute) -> Result<PageAnswer, RegistryError> {
        Ok(PageAnswer::Page(match route {
            PageRoute::Asset(asset) => return Ok(PageAnswer::Asset(*asset)),
            PageRoute::GraphPicture => return self.graph_picture().map(PageAnswer::Picture),
            PageRoute::Home => self.home()?,
            PageRoute::Search => self.search()?,
            PageRoute::Category(category) => self.category(category)?,
            PageRoute::Namespace(namespace) => self.namespace(namespace)?,
            PageRoute::Item(item) => self.item(item)?,
            PageRoute::Version(version) => self.version(version)?,
            PageRoute::Difference(item) => self.difference(item)?,
            PageRoute::Graph => self.graph()?,
        }))
    }

    /// Parses the query of a list. Browsers send the empty fields of a form too.
    fn list_query(&self) -> Result<RegistryQuery, RegistryError> {
        let filled = self.query.split('&').filter(|pair| !pair.ends_with('='));
        let filled = filled.collect::<Vec<_>>().join("&");
        filled.parse().map_err(|_| RegistryError::Malformed("the query is malformed"))
    }
}
