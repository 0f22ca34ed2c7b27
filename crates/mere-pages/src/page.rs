//! A whole page: its head, the parts that all pages of a site share, and its own content.

use super::asset::Asset;
use super::element::{Attribute, Tag, element, link};
use super::href::Href;
use super::html::Html;

/// What all pages of one server have in common.
#[derive(Clone, Debug)]
pub struct Site {
    /// Its name.
    pub name: &'static str,
    /// The links at the top.
    pub links: Vec<SiteLink>,
    /// Where the search form is sent.
    pub search: Href,
    /// What stands at the bottom.
    pub footer: Html,
}

/// A link at the top of every page.
#[derive(Clone, Debug)]
pub struct SiteLink {
    /// Its words.
    pub words: &'static str,
    /// Where it leads.
    pub href: Href,
}

/// One page.
#[derive(Clone, Debug)]
pub struct Page<'a> {
    /// The site.
    pub site: &'a Site,
    /// Its title.
    pub title: &'a str,
    /// Which of the links at the top it belongs to.
    pub section: Option<&'static str>,
    /// What is in the search field.
    pub query: &'a str,
    /// Its content.
    pub content: Html,
}

impl Page<'_> {
    /// Renders the page.
    pub fn render(self) -> String {
        let mut html = Html::default();
        html.push_markup(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
             <meta name=\"color-scheme\" content=\"light dark\">\
             <link rel=\"stylesheet\" href=\"/assets/mere.css\">\
             <link rel=\"icon\" href=\"/assets/icon.svg\" type=\"image/svg+xml\">\
             <script src=\"/assets/mere.js\" defer></script><title>",
        );
        html.push_text(self.title);
        html.push_text(" · ");
        html.push_text(self.site.name);
        html.push_markup("</title></head><body>");
        html.push(link(&Href::place("main"), "Skip to the content").class("skip"));
        html.push(self.header());
        let main = element(Tag::Main).set(Attribute::Id, "main").set(Attribute::TabIndex, "-1");
        html.push(main.with(self.content));
        html.push(element(Tag::Footer).class("site-footer").with(self.site.footer.clone()));
        html.push_markup("</body></html>\n");
        html.as_str().to_owned()
    }

    fn header(&self) -> Html {
        let icon = element(Tag::Img).source(&Asset::Icon.href()).set(Attribute::Alt, "");
        let icon = icon.set(Attribute::Width, "26").set(Attribute::Height, "26");
        let brand = link(&Href::page(&[]), icon).class("brand").with(self.site.name);
        let links = self.site.links.iter().map(|one| {
            let shown = link(&one.href, one.words);
            let is_current = self.section == Some(one.words);
            let shown = if is_current { shown.set(Attribute::AriaCurrent, "page") } else { shown };
            element(Tag::Li).with(shown)
        });
        let links = element(Tag::Ul).with_all(links);
        let links = element(Tag::Nav).set(Attribute::AriaLabel, "Pages").with(links);
        let header = element(Tag::Div).class("bar").with(brand).with(links);
        element(Tag::Header).class("site-header").with(header.with(self.search_form())).into()
    }

    fn search_form(&self) -> Html {
        let label = element(Tag::Label).class("unseen").set(Attribute::For, "site-search");
        let field = element(Tag::Input)
            .set(Attribute::Type, "search")
            .set(Attribute::Id, "site-search")
            .set(Attribute::Name, "q")
            .set(Attribute::Placeholder, "Search")
            .set(Attribute::Autocomplete, "off")
            .set(Attribute::Value, self.query);
        let button = element(Tag::Button).set(Attribute::Type, "submit").with("Search");
        let form = element(Tag::Form).action(&self.site.search).set(Attribute::Role, "search");
        form.with(label.with("Search")).with(field).with(button).into()
    }
}
