//! The policy of a category for its memories.
//!
//! A child overrides its parent key by key: what it does not set, it inherits.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::schema::Schema;

/// The largest number of days that a time to live may be set to.
pub const MAX_TTL_DAYS: u32 = 36_500;

/// The policy of one category. What is `None` here is inherited from the parent.
#[derive(Clone, Debug, Default)]
pub struct MemoryPolicy {
    /// The number of days a memory is kept; both the default and the maximum.
    pub default_ttl: Option<u32>,
    /// The largest content of a memory, in bytes.
    pub max_content_length: Option<u64>,
    /// The largest number of memories directly in the category.
    pub max_memories: Option<u64>,
    /// The operations allowed on its memories.
    pub permissions: MemoryPermissions,
    /// The JSON Schema for the frontmatter of its memories.
    pub schema: Option<Arc<Schema>>,
}

/// The operations allowed on memories. What is `None` is inherited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryPermissions {
    /// Whether memories may be created.
    pub create: Option<bool>,
    /// Whether memories may be changed.
    pub update: Option<bool>,
    /// Whether memories may be deleted.
    pub delete: Option<bool>,
}

/// An operation on a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryOperation {
    /// Creating a memory, or moving one here.
    Create,
    /// Changing or renaming a memory.
    Update,
    /// Deleting a memory, or moving it away.
    Delete,
}

impl MemoryOperation {
    /// Returns its name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
        }
    }
}

impl MemoryPolicy {
    /// Returns this policy with every unset key taken from `parent`.
    #[must_use]
    pub fn inherit_from(&self, parent: &Self) -> Self {
        Self {
            default_ttl: self.default_ttl.or(parent.default_ttl),
            max_content_length: self.max_content_length.or(parent.max_content_length),
            max_memories: self.max_memories.or(parent.max_memories),
            permissions: MemoryPermissions {
                create: self.permissions.create.or(parent.permissions.create),
                update: self.permissions.update.or(parent.permissions.update),
                delete: self.permissions.delete.or(parent.permissions.delete),
            },
            schema: self.schema.clone().or_else(|| parent.schema.clone()),
        }
    }

    /// Reports whether an operation is allowed. An operation is allowed unless the policy denies
    /// it.
    pub fn permits(&self, operation: MemoryOperation) -> bool {
        let permission = match operation {
            MemoryOperation::Create => self.permissions.create,
            MemoryOperation::Update => self.permissions.update,
            MemoryOperation::Delete => self.permissions.delete,
        };
        permission != Some(false)
    }

    /// Returns the latest time until which a memory written `now` may be kept, if that is limited.
    pub fn latest_expiry(&self, now: Timestamp) -> Option<Timestamp> {
        let kept = SignedDuration::from_hours(24 * i64::from(self.default_ttl?));
        Some(now.checked_add(kept).unwrap_or(Timestamp::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_says_more_than_its_parent_key_by_key() {
        let permissions =
            MemoryPermissions { create: Some(false), delete: Some(false), update: None };
        let parent = MemoryPolicy {
            default_ttl: Some(7),
            max_memories: Some(3),
            permissions,
            ..MemoryPolicy::default()
        };
        let permissions = MemoryPermissions { create: Some(true), ..MemoryPermissions::default() };
        let child = MemoryPolicy { default_ttl: Some(30), permissions, ..MemoryPolicy::default() };
        let child = child.inherit_from(&parent);
        assert_eq!((child.default_ttl, child.max_memories), (Some(30), Some(3)));
        let allowed = [MemoryOperation::Create, MemoryOperation::Update, MemoryOperation::Delete]
            .map(|one| child.permits(one));
        assert_eq!(allowed, [true, true, false]);
    }

    #[test]
    fn a_memory_is_kept_for_whole_days() {
        let now = "2026-02-17T10:00:00Z".parse::<Timestamp>().expect("a time");
        let policy = MemoryPolicy { default_ttl: Some(2), ..MemoryPolicy::default() };
        assert_eq!(
            policy.latest_expiry(now).map(|at| at.to_string()).as_deref(),
            Some("2026-02-19T10:00:00Z")
        );
        assert_eq!(MemoryPolicy::default().latest_expiry(now), None);
    }
}
