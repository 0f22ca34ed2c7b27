//! Lists of items: the results of a search, and the items of a category or namespace.

use mere_core::item::Category;
use mere_core::registry::{
    Namespace, RegistryItemName, RegistryItemPage, RegistryItemRow, RegistryQuery, RegistryType,
};
use mere_pages::{
    Attribute, Element, Html, Tag, Tone, badge, definition_list, element, empty_note, link,
};

use super::{PageRequest, site};
use crate::error::RegistryError;

impl PageRequest<'_> {
    /// Shows items by words and filters.
    pub(super) fn search(&self) -> Result<String, RegistryError> {
        let query = self.list_query()?;
        let found = self.registry.search(self.access, &query)?;
        let words = if query.text.is_empty() { "All items" } else { "Search results" };
        let content = Html::from(element(Tag::H1).with(words));
        let content = content.with(filter_form(&query)).with(cards(&found, Tag::H2));
        let content = content.with(next_link(&query, &found));
        Ok(site::render_found(words, Some(site::BROWSE), &query.text, content))
    }

    /// Shows a category: those below it, and its items.
    pub(super) fn category(&self, category: &Category) -> Result<String, RegistryError> {
        let counts = self.registry.count_items(self.access)?;
        let below = counts.categories.iter().filter(|(other, _)| is_within(other, category));
        let below = below.cloned().collect::<Vec<_>>();
        if below.is_empty() && !category.is_empty() {
            return Err(RegistryError::NotFound);
        }
        let title = if category.is_empty() { "All categories" } else { category.as_str() };
        let mut content = Html::from(element(Tag::H1).with(title));
        let tree = element(Tag::Nav).set(Attribute::AriaLabel, "Categories").class("panel");
        content.push(tree.with(category_list(&below)));
        if !category.is_empty() {
            let query =
                RegistryQuery { category: Some(category.clone()), ..RegistryQuery::default() };
            let found = self.registry.list_items(self.access, &query)?;
            let items = element(Tag::Section).with(element(Tag::H2).with("Items"));
            let items = items.with(cards(&found, Tag::H3)).with(next_link(&query, &found));
            content.push(items);
        }
        Ok(site::render(title, Some(site::CATEGORIES), content))
    }

    /// Shows a namespace: its keys and its items.
    pub(super) fn namespace(&self, namespace: &Namespace) -> Result<String, RegistryError> {
        let info = self.registry.read_namespace(self.access, namespace)?;
        let query =
            RegistryQuery { namespace: Some(info.name.clone()), ..RegistryQuery::default() };
        let found = self.registry.list_items(self.access, &query)?;
        let head = element(Tag::Header).class("title");
        let head = head.with(element(Tag::P).class("crumbs").with("Namespace"));
        let head = head.with(element(Tag::H1).with(info.name.as_str()));
        let keys = info
            .keys
            .iter()
            .map(|key| element(Tag::P).class("digest").with(key.fingerprint.to_string()));
        let note = "New versions count only if one of these keys has signed them.";
        let keys = keys.collect::<Html>().with(element(Tag::P).class("quiet small").with(note));
        let privacy = if info.private { "Private" } else { "Public" };
        let facts = definition_list([("Visibility", privacy.into()), ("Signing keys", keys)]);
        let content = Html::from(head).with(element(Tag::Section).class("panel").with(facts));
        let items = element(Tag::Section).with(element(Tag::H2).with("Items"));
        let items = items.with(cards(&found, Tag::H3)).with(next_link(&query, &found));
        Ok(site::render(info.name.as_str(), Some(site::BROWSE), content.with(items)))
    }
}

/// Tells whether a category is another one or below it.
fn is_within(category: &Category, above: &Category) -> bool {
    let rest = category.as_str().strip_prefix(above.as_str());
    above.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Renders a list of categories with the number of items in each.
pub(super) fn category_list(categories: &[(Category, u64)]) -> Html {
    let shown = categories.iter().filter(|(category, _)| !category.is_empty());
    let shown = shown.map(|(category, count)| {
        let name = link(&site::category_href(category), category.as_str());
        let count = element(Tag::Span).class("quiet small").with(format!(" {count}"));
        element(Tag::Li).with(name).with(count)
    });
    let shown = shown.collect::<Vec<_>>();
    if shown.is_empty() {
        return empty_note("No item has a category.");
    }
    element(Tag::Ul).class("tree").with_all(shown).into()
}

/// Renders items as cards. Their titles are headings of the level that fits the page.
pub(super) fn cards(found: &RegistryItemPage, heading: Tag) -> Html {
    if found.items.is_empty() {
        return empty_note("Nothing was found. Try fewer words, or no filter.");
    }
    let all = found.items.iter().map(|row| element(Tag::Li).class("card").with(card(row, heading)));
    element(Tag::Ul).class("cards").with_all(all).into()
}

fn card(row: &RegistryItemRow, heading: Tag) -> Html {
    let item = RegistryItemName {
        kind: row.item_type,
        namespace: row.namespace.clone(),
        id: row.item_id.clone(),
    };
    let title = element(heading).with(link(&site::item_href(&item), row.name.as_str()));
    let about = (!row.description.is_empty()).then(|| element(Tag::P).with(&row.description));
    let name = format!("{}/{}", row.namespace, row.item_id);
    let meta = element(Tag::P).class("meta").with(badge(Tone::Plain, row.item_type.name()));
    let meta = meta.with(element(Tag::Span).with(name));
    let meta = meta.with(element(Tag::Span).with(row.latest_version.to_string()));
    Html::from(title).with(about).with(meta)
}

/// Renders the link to the next page, if there is one.
fn next_link(query: &RegistryQuery, found: &RegistryItemPage) -> Html {
    let next = found.next.as_ref().map(|cursor| {
        let types = query.types.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(",");
        let namespace = query.namespace.as_ref().map(Namespace::as_str).unwrap_or_default();
        let category = query.category.as_ref().map(Category::as_str).unwrap_or_default();
        let href = site::search_href().with_query(&[
            ("q", &query.text),
            ("types", &types),
            ("namespace", namespace),
            ("category", category),
            ("cursor", cursor),
        ]);
        element(Tag::P).with(link(&href, "More items"))
    });
    next.into()
}

fn filter_form(query: &RegistryQuery) -> Html {
    let field = |label: &'static str, name: &'static str, value: &str| {
        let input = element(Tag::Input).set(Attribute::Name, name).set(Attribute::Value, value);
        element(Tag::Label).with(label).with(input)
    };
    let namespace = query.namespace.as_ref().map(Namespace::as_str).unwrap_or_default();
    let category = query.category.as_ref().map(Category::as_str).unwrap_or_default();
    let form = element(Tag::Form).class("filters").action(&site::search_href());
    let form = form.set(Attribute::AriaLabel, "Filters").with(field("Words", "q", &query.text));
    let form = form.with(type_field(query));
    let form = form.with(field("Namespace", "namespace", namespace));
    let form = form.with(field("Category", "category", category));
    let button = element(Tag::Button).set(Attribute::Type, "submit").with("Filter");
    form.with(button).into()
}

fn type_field(query: &RegistryQuery) -> Element {
    let mut choice = element(Tag::Select).set(Attribute::Name, "type");
    choice = choice.with(element(Tag::Option).set(Attribute::Value, "").with("all"));
    for kind in RegistryType::ALL {
        let option = element(Tag::Option).set(Attribute::Value, kind.name()).with(kind.name());
        let is_chosen = query.types == [kind];
        choice = choice.with(if is_chosen { option.set(Attribute::Selected, "") } else { option });
    }
    element(Tag::Label).with("Type").with(choice)
}
