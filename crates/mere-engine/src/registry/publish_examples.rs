//! Publishing the examples of a new space, which gives a new registry something to show.
//!
//! The login is used once and never saved: the registry that the user logged in to stays what it is.
//! Nothing of the user is published, only examples that nobody has changed.

use mere_core::item::{ItemRef, ItemType};
use mere_core::registry::VersionInfo;
use mere_core::reply::{Draft, Fields, Prose, codes};
use mere_core::request::{Login, LookupScope, PublishItem, PublishMode};

use super::login::open_with_login;
use super::publish::OutgoingItem;
use super::{OpenRegistry, PublishCall, RegistryError};
use crate::policy;
use crate::space::ItemChangeError;

/// An example with its files as they were made.
pub(crate) struct ExampleItem {
    pub(crate) kind: ItemType,
    pub(crate) item: ItemRef,
    /// The names and the texts of all files.
    pub(crate) files: Vec<(&'static str, &'static str)>,
}

/// Publishes the examples in a scope that are as they were made, and that the registry does not have.
pub(crate) fn publish_examples(
    call: &PublishCall<'_>,
    (examples, source): (&[ExampleItem], LookupScope),
    login: &Login,
) -> Result<Draft, RegistryError> {
    let registry = open_with_login(call.choice, login)?;
    let namespace = login.namespace.clone().ok_or(RegistryError::NoNamespace)?;
    let mut published = 0_u64;
    for example in examples {
        let permit = policy::permit_publish(call.items.items.reader, call.items.agents)
            .map_err(ItemChangeError::from)?;
        let request = PublishItem {
            kind: example.kind,
            item: example.item.clone(),
            source,
            namespace: None,
            mode: PublishMode::Send,
        };
        let outgoing = match OutgoingItem::read(call, &request, namespace.clone()) {
            Ok(outgoing) => outgoing,
            Err(error) => {
                tracing::warn!(%error, "an example is not published");
                continue;
            }
        };
        if example.is_made_of(&outgoing.files) && !outgoing.is_published(&registry)? {
            outgoing.send(&registry, permit)?;
            published += 1;
        }
    }
    let words = format!("{published} examples are published.");
    let data = Fields::default().with("published", published);
    Ok(Draft::success(codes::EXAMPLES_PUBLISHED, Prose::words(words)).data(data))
}

impl ExampleItem {
    /// Returns whether an item has exactly the files of the example.
    fn is_made_of(&self, files: &[(String, Vec<u8>)]) -> bool {
        let is_file = |(path, bytes): &(String, Vec<u8>)| {
            self.files.iter().any(|(name, text)| name == path && text.as_bytes() == bytes)
        };
        files.len() == self.files.len() && files.iter().all(is_file)
    }
}

impl OutgoingItem {
    /// Returns whether the registry has this version, whoever published it.
    fn is_published(&self, registry: &OpenRegistry) -> Result<bool, RegistryError> {
        let info = registry.connection.get_body::<VersionInfo>(&self.version_path()?)?;
        Ok(info.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exactly_the_files_of_an_example_make_it() {
        let item = ItemRef { category: None, id: "a".parse().expect("an id"), version: None };
        let files = vec![("a.yaml", "one"), ("a.py", "two")];
        let example = ExampleItem { kind: ItemType::Tool, item, files };
        let is_made_of = |files: &[(&str, &str)]| {
            let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).into()));
            example.is_made_of(&files.collect::<Vec<_>>())
        };
        assert!(is_made_of(&[("a.py", "two"), ("a.yaml", "one")]));
        assert!(!is_made_of(&[("a.py", "one"), ("a.yaml", "two")]), "each has its own text");
        assert!(!is_made_of(&[("a.py", "two"), ("a.yaml", "changed")]));
        assert!(!is_made_of(&[("a.py", "two"), ("b.yaml", "one")]));
        assert!(!is_made_of(&[("a.py", "two")]), "a file is missing");
        assert!(!is_made_of(&[("a.py", "two"), ("a.yaml", "one"), ("a.sh", "more")]));
    }
}
