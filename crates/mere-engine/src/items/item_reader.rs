//! Items as one caller may see them.

use mere_core::request::Reader;

use super::authority::choose;
use super::find::{NamedItem, ResolvedItem, find, visible_candidates, with_suggestions};
use super::{ItemError, ItemSources};
use crate::files::view::View;
use crate::trust::TrustPolicy;

/// Reads items as one caller may see them.
#[derive(Clone, Copy)]
pub(crate) struct ItemReader<'a> {
    pub(crate) view: &'a View<'a>,
    pub(crate) sources: &'a ItemSources<'a>,
    pub(crate) trust_policy: &'a TrustPolicy,
    pub(crate) reader: Reader,
}

impl<'a> ItemReader<'a> {
    /// Finds the item that a name means for somebody who relies on it: what nobody vouches for does
    /// not hide what somebody does.
    pub(crate) fn find_for_use(&self, named: NamedItem<'_>) -> Result<ResolvedItem, ItemError> {
        let candidates = visible_candidates(self.sources, self.view, named);
        let found = candidates.and_then(|candidates| choose(self, named, candidates));
        with_suggestions(self.sources, self.view, named, found)
    }

    /// Finds the item that a name means by precedence alone, for somebody who changes it.
    pub(crate) fn find(&self, named: NamedItem<'_>) -> Result<ResolvedItem, ItemError> {
        find(self.sources, self.view, named)
    }

    /// Returns the same reader under another trust policy.
    pub(crate) fn with_policy<'b>(&self, trust_policy: &'b TrustPolicy) -> ItemReader<'b>
    where
        'a: 'b,
    {
        ItemReader { trust_policy, ..*self }
    }
}
