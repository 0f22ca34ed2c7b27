//! What a token may do: an action on one item, or on all items of a namespace.

use std::fmt;
use std::str::FromStr;

use super::name_key::NameKey;
use super::namespace::Namespace;
use super::published_name::QualifiedId;
use crate::item::ItemId;

/// What may be done with a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TokenAction {
    /// Publish versions.
    Publish,
    /// Read what is private.
    Read,
    /// Yank versions.
    Yank,
}

/// An action, and the items on which it is permitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenScope {
    /// The action.
    pub action: TokenAction,
    /// The namespace.
    pub namespace: Namespace,
    /// The one item, or `None` for all items of the namespace.
    pub id: Option<ItemId>,
}

/// A text that is not a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a scope reads `publish:NS/*`, `read:NS/*` or `yank:NS/*`, or has an id for the `*`")]
pub struct TokenScopeError;

impl TokenAction {
    /// All actions.
    pub const ALL: [Self; 3] = [Self::Publish, Self::Read, Self::Yank];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Publish => "publish",
            Self::Read => "read",
            Self::Yank => "yank",
        }
    }
}

impl TokenScope {
    /// Reports whether it permits an action on an item. Nothing follows from another action: a token
    /// that may publish may not read.
    pub fn permits(&self, action: TokenAction, item: &QualifiedId) -> bool {
        let is_item = |id: &ItemId| NameKey::of_item(id) == NameKey::of_item(&item.id);
        self.permits_some(action, &item.namespace) && self.id.as_ref().is_none_or(is_item)
    }

    /// Reports whether it permits an action on some item of a namespace, such as sending the files
    /// of an item that is about to be published.
    pub fn permits_some(&self, action: TokenAction, namespace: &Namespace) -> bool {
        self.action == action && self.namespace.is_same_as(namespace)
    }

    /// Reports whether it permits an action on all items of a namespace.
    pub fn permits_all(&self, action: TokenAction, namespace: &Namespace) -> bool {
        self.id.is_none() && self.permits_some(action, namespace)
    }
}

impl FromStr for TokenScope {
    type Err = TokenScopeError;

    fn from_str(text: &str) -> Result<Self, TokenScopeError> {
        let (action, items) = text.split_once(':').ok_or(TokenScopeError)?;
        let action = TokenAction::ALL.into_iter().find(|known| known.name() == action);
        let (namespace, id) = items.split_once('/').ok_or(TokenScopeError)?;
        let id = Some(id).filter(|id| *id != "*").map(str::parse).transpose();
        Ok(Self {
            action: action.ok_or(TokenScopeError)?,
            namespace: namespace.parse().map_err(|_| TokenScopeError)?,
            id: id.map_err(|_| TokenScopeError)?,
        })
    }
}

impl fmt::Display for TokenScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.id.as_ref().map_or("*", ItemId::as_str);
        write!(f, "{}:{}/{id}", self.action.name(), self.namespace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TokenAction::{Publish, Read, Yank};

    #[test]
    fn a_scope_has_one_spelling() {
        for good in ["publish:acme/*", "read:acme/jwt", "yank:acme-corp/x_1"] {
            assert_eq!(good.parse::<TokenScope>().map(|one| one.to_string()), Ok(good.to_owned()));
        }
        for bad in [
            "",
            "publish",
            "publish:acme",
            "publish:acme/",
            "publish:*/*",
            "publish:*",
            "write:acme/*",
            "Read:acme/*",
            "read:acme/**",
            "read: acme/*",
            "read:acme/a/b",
            "read:Admin/*",
        ] {
            assert_eq!(bad.parse::<TokenScope>(), Err(TokenScopeError), "{bad}");
        }
    }

    #[test]
    fn a_scope_permits_exactly_what_it_says() {
        let permits = |scope: &str, action, item: &str| {
            let scope = scope.parse::<TokenScope>().expect("a scope");
            scope.permits(action, &item.parse().expect("a name"))
        };
        assert!(permits("publish:acme/*", Publish, "acme/jwt"));
        assert!(permits("publish:acme-corp/jwt_x", Publish, "acme_corp/jwt-x"));
        for (scope, action, item) in [
            ("publish:acme/*", Read, "acme/jwt"),
            ("publish:acme/*", Yank, "acme/jwt"),
            ("read:acme/*", Publish, "acme/jwt"),
            ("publish:acme/jwt", Publish, "acme/jwt2"),
            ("publish:acme/*", Publish, "acme2/jwt"),
            ("publish:acme/*", Publish, "acm/jwt"),
        ] {
            assert!(!permits(scope, action, item), "{scope} {action:?} {item}");
        }
    }

    #[test]
    fn one_item_is_not_all_of_them() {
        let (one, all) = ("read:acme/jwt", "read:acme/*");
        let [one, all] = [one, all].map(|text| text.parse::<TokenScope>().expect("a scope"));
        let namespace = "acme".parse().expect("a namespace");
        assert!(one.permits_some(Read, &namespace) && !one.permits_all(Read, &namespace));
        assert!(all.permits_some(Read, &namespace) && all.permits_all(Read, &namespace));
        assert!(!all.permits_all(Publish, &namespace));
    }
}
