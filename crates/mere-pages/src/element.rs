//! Elements: the tags and attributes that pages have.
//!
//! Both are closed lists. None of the attributes holds a link, a style or a script, so their values
//! may be any text; links are set by [`Element::href`] and [`Element::source`] only.

use super::href::Href;
use super::html::Html;

macro_rules! names {
    ($(#[$doc:meta])* $kind:ident { $($variant:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $kind {
            $(#[doc = concat!("`", $name, "`.")] $variant,)*
        }

        impl $kind {
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

names! {
    /// The tags of a page's content.
    Tag {
        A = "a", Article = "article", Aside = "aside", Blockquote = "blockquote", Br = "br",
        Button = "button", Code = "code", Dd = "dd", Del = "del", Details = "details",
        Div = "div", Dl = "dl", Dt = "dt", Em = "em", Footer = "footer", Form = "form",
        H1 = "h1", H2 = "h2", H3 = "h3", H4 = "h4", H5 = "h5", H6 = "h6", Header = "header",
        Hr = "hr", Img = "img", Input = "input", Label = "label", Li = "li", Main = "main",
        Nav = "nav", Ol = "ol", Option = "option", P = "p", Pre = "pre", Search = "search",
        Section = "section", Select = "select", Small = "small", Span = "span",
        Strong = "strong", Summary = "summary", Table = "table", Tbody = "tbody", Td = "td",
        Th = "th", Thead = "thead", Time = "time", Tr = "tr", Ul = "ul",
    }
}

names! {
    /// The attributes that may hold any text.
    Attribute {
        Alt = "alt", AriaCurrent = "aria-current", AriaHidden = "aria-hidden",
        AriaLabel = "aria-label", AriaLabelledBy = "aria-labelledby", Autocomplete = "autocomplete",
        Class = "class", Copy = "data-copy", For = "for", Height = "height", Hidden = "hidden",
        Id = "id", Name = "name", Open = "open", Placeholder = "placeholder",
        Refresh = "data-refresh", Rel = "rel", Role = "role", Scope = "scope",
        Selected = "selected", TabIndex = "tabindex", Title = "title", Type = "type",
        Value = "value", Width = "width",
    }
}

impl Tag {
    /// Tells whether the element has no content and no closing tag.
    fn is_void(self) -> bool {
        matches!(self, Self::Br | Self::Hr | Self::Img | Self::Input)
    }
}

/// An element of a page.
#[derive(Clone, Debug)]
pub struct Element {
    tag: Tag,
    attributes: Html,
    content: Html,
}

/// Makes an element.
pub fn element(tag: Tag) -> Element {
    Element { tag, attributes: Html::default(), content: Html::default() }
}

/// Makes a link.
pub fn link(href: &Href, content: impl Into<Html>) -> Element {
    element(Tag::A).href(href).with(content)
}

impl Element {
    /// Sets an attribute.
    #[must_use]
    pub fn set(mut self, attribute: Attribute, value: &str) -> Self {
        write_attribute(&mut self.attributes, attribute.name(), value);
        self
    }

    /// Sets the class.
    #[must_use]
    pub fn class(self, class: &'static str) -> Self {
        self.set(Attribute::Class, class)
    }

    /// Sets where a link leads.
    #[must_use]
    pub fn href(mut self, href: &Href) -> Self {
        write_attribute(&mut self.attributes, "href", href.as_str());
        self
    }

    /// Sets where a picture is.
    #[must_use]
    pub fn source(mut self, href: &Href) -> Self {
        write_attribute(&mut self.attributes, "src", href.as_str());
        self
    }

    /// Sets where a form is sent. Forms only ask: they are never sent by any method but GET.
    #[must_use]
    pub fn action(mut self, href: &Href) -> Self {
        write_attribute(&mut self.attributes, "action", href.as_str());
        self
    }

    /// Adds something at the end of its content.
    #[must_use]
    pub fn with(mut self, content: impl Into<Html>) -> Self {
        self.content.push(content);
        self
    }

    /// Adds several things at the end of its content.
    #[must_use]
    pub fn with_all<T: Into<Html>>(mut self, all: impl IntoIterator<Item = T>) -> Self {
        all.into_iter().for_each(|one| self.content.push(one));
        self
    }
}

impl From<Element> for Html {
    fn from(element: Element) -> Self {
        let mut html = Self::default();
        write_start(&mut html, element.tag, &element.attributes);
        if !element.tag.is_void() {
            html.push(element.content);
            write_end(&mut html, element.tag);
        }
        html
    }
}

/// Writes the opening tag of an element.
pub(crate) fn write_start(html: &mut Html, tag: Tag, attributes: &Html) {
    html.push_markup("<");
    html.push_markup(tag.name());
    if !attributes.is_empty() {
        html.push(attributes.clone());
    }
    html.push_markup(">");
}

/// Writes the closing tag of an element.
pub(crate) fn write_end(html: &mut Html, tag: Tag) {
    html.push_markup("</");
    html.push_markup(tag.name());
    html.push_markup(">");
}

fn write_attribute(attributes: &mut Html, name: &'static str, value: &str) {
    attributes.push_markup(" ");
    attributes.push_markup(name);
    attributes.push_markup("=\"");
    attributes.push_text(value);
    attributes.push_markup("\"");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_cannot_leave_their_attribute() {
        let html = Html::from(
            element(Tag::P).set(Attribute::Title, "\"><script>x</script>").with("<b>").with("ok"),
        );
        assert_eq!(
            html.as_str(),
            "<p title=\"&quot;&gt;&lt;script&gt;x&lt;/script&gt;\">&lt;b&gt;ok</p>"
        );
        assert_eq!(Html::from(element(Tag::Br)).as_str(), "<br>");
    }
}
