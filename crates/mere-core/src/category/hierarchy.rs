//! The categories that a configuration names: a tree, in the order of the file.
//!
//! Whatever is named is protected, and so is every ancestor, because each is a node of the tree.

use super::{Description, Policy};
use crate::item::Category;

/// The categories of one store, as configured.
#[derive(Clone, Debug, Default)]
pub struct Hierarchy {
    /// What holds for every category, and for memories without one.
    pub policy: Policy,
    /// The top categories.
    pub tops: Vec<Defined>,
}

/// A category that is configured.
#[derive(Clone, Debug)]
pub struct Defined {
    /// Its whole path.
    pub category: Category,
    /// What it is for.
    pub description: Description,
    /// What it asks of its memories.
    pub policy: Policy,
    /// The categories right below it.
    pub subcategories: Vec<Defined>,
}

impl Hierarchy {
    /// Whether no category is named.
    pub fn is_empty(&self) -> bool {
        self.tops.is_empty()
    }

    /// The category, if it is named.
    pub fn find(&self, category: &Category) -> Option<&Defined> {
        let mut among = &self.tops;
        loop {
            let next = among.iter().find(|one| one.category.contains(category))?;
            if next.category == *category {
                return Some(next);
            }
            among = &next.subcategories;
        }
    }

    /// What is asked of the memories of a category, named or not.
    pub fn policy(&self, category: &Category) -> Policy {
        let mut policy = self.policy.clone();
        let mut among = &self.tops;
        while let Some(next) = among.iter().find(|one| one.category.contains(category)) {
            policy = next.policy.below(&policy);
            among = &next.subcategories;
        }
        policy
    }

    /// The categories of both, each once: these first, in their order. What both say of a category,
    /// this one says.
    #[must_use]
    pub fn united(&self, other: &Self) -> Self {
        let tops = unite(&self.tops, &other.tops);
        Self { policy: self.policy.below(&other.policy), tops }
    }

    /// Every category that is named, parents before their children.
    pub fn all(&self) -> Vec<&Defined> {
        let mut all = Vec::new();
        collect(&self.tops, &mut all);
        all
    }
}

fn collect<'a>(among: &'a [Defined], all: &mut Vec<&'a Defined>) {
    for one in among {
        all.push(one);
        collect(&one.subcategories, all);
    }
}

fn unite(ours: &[Defined], others: &[Defined]) -> Vec<Defined> {
    let both = ours.iter().map(|one| {
        let Some(other) = others.iter().find(|other| other.category == one.category) else {
            return one.clone();
        };
        let description =
            if one.description.is_none() { &other.description } else { &one.description };
        Defined {
            category: one.category.clone(),
            description: description.clone(),
            policy: one.policy.below(&other.policy),
            subcategories: unite(&one.subcategories, &other.subcategories),
        }
    });
    let is_new = |other: &&Defined| !ours.iter().any(|one| one.category == other.category);
    both.chain(others.iter().filter(is_new).cloned()).collect()
}
