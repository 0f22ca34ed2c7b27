//! The categories that a configuration names: a tree, in the order of the file.
//!
//! Every configured category is protected, and so is each of its ancestors, because every ancestor
//! is a node of the tree too.

use super::{Configured, Description, MemoryPolicy};
use crate::item::Category;

/// The configured categories of one store.
#[derive(Clone, Debug, Default)]
pub struct Hierarchy {
    /// The policy for every category, and for memories without one.
    pub policy: MemoryPolicy,
    /// The top categories.
    pub top_categories: Vec<ConfiguredCategory>,
}

/// A category that the configuration names.
#[derive(Clone, Debug)]
pub struct ConfiguredCategory {
    /// Its full path.
    pub category: Category,
    /// What it is for.
    pub description: Description,
    /// The policy for its memories.
    pub policy: MemoryPolicy,
    /// The categories directly below it.
    pub subcategories: Vec<ConfiguredCategory>,
}

impl Hierarchy {
    /// Reports whether the configuration names no category.
    pub fn is_empty(&self) -> bool {
        self.top_categories.is_empty()
    }

    /// Finds a category if the configuration names it.
    pub fn find(&self, category: &Category) -> Option<&ConfiguredCategory> {
        let mut among = &self.top_categories;
        loop {
            let next = among.iter().find(|one| one.category.contains(category))?;
            if next.category == *category {
                return Some(next);
            }
            among = &next.subcategories;
        }
    }

    /// Tells whether the configuration names a category.
    pub fn configured(&self, category: &Category) -> Configured {
        if self.find(category).is_some() { Configured::Yes } else { Configured::No }
    }

    /// Returns the policy for the memories of a category, configured or not. Ancestors' policies
    /// are inherited key by key.
    pub fn policy_for(&self, category: &Category) -> MemoryPolicy {
        let mut policy = self.policy.clone();
        let mut among = &self.top_categories;
        while let Some(next) = among.iter().find(|one| one.category.contains(category)) {
            policy = next.policy.inherit_from(&policy);
            among = &next.subcategories;
        }
        policy
    }

    /// Merges two hierarchies. Each category appears once, those of `self` first and in their
    /// order; where both set something for a category, `self` wins.
    #[must_use]
    pub fn merge(&self, other: &Self) -> Self {
        let tops = merge_categories(&self.top_categories, &other.top_categories);
        Self { policy: self.policy.inherit_from(&other.policy), top_categories: tops }
    }

    /// Returns every configured category, parents before their children.
    pub fn all_categories(&self) -> Vec<&ConfiguredCategory> {
        let mut all = Vec::new();
        collect(&self.top_categories, &mut all);
        all
    }
}

fn collect<'a>(among: &'a [ConfiguredCategory], all: &mut Vec<&'a ConfiguredCategory>) {
    for one in among {
        all.push(one);
        collect(&one.subcategories, all);
    }
}

fn merge_categories(
    ours: &[ConfiguredCategory],
    others: &[ConfiguredCategory],
) -> Vec<ConfiguredCategory> {
    let both = ours.iter().map(|one| {
        let Some(other) = others.iter().find(|other| other.category == one.category) else {
            return one.clone();
        };
        let description =
            if one.description.is_empty() { &other.description } else { &one.description };
        ConfiguredCategory {
            category: one.category.clone(),
            description: description.clone(),
            policy: one.policy.inherit_from(&other.policy),
            subcategories: merge_categories(&one.subcategories, &other.subcategories),
        }
    });
    let is_new =
        |other: &&ConfiguredCategory| !ours.iter().any(|one| one.category == other.category);
    both.chain(others.iter().filter(is_new).cloned()).collect()
}
