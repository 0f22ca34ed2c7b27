//! What a category asks of its memories. A child says more than its parent, key by key.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::schema::Schema;

/// The most days a memory may be kept for, where that is limited.
pub const MAX_TTL_DAYS: u32 = 36_500;

/// What one category says; what it does not say, its parent decides.
#[derive(Clone, Debug, Default)]
pub struct MemoryPolicy {
    /// How many days a memory is kept: the default, and the most.
    pub default_ttl: Option<u32>,
    /// How many bytes of content a memory may have.
    pub max_content_length: Option<u64>,
    /// How many memories the category itself may hold.
    pub max_memories: Option<u64>,
    /// What may be done with its memories.
    pub permissions: MemoryPermissions,
    /// What the frontmatter of a memory must look like.
    pub schema: Option<Arc<Schema>>,
}

/// What may be done with memories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryPermissions {
    /// Whether new ones may be made.
    pub create: Option<bool>,
    /// Whether they may be changed.
    pub update: Option<bool>,
    /// Whether they may be taken away.
    pub delete: Option<bool>,
}

/// One thing that is done with a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryOperation {
    /// It is made, or moved here.
    Create,
    /// It is changed, or renamed.
    Update,
    /// It is removed, or moved away.
    Delete,
}

impl MemoryOperation {
    /// Its name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
        }
    }
}

impl MemoryPolicy {
    /// This policy where the parent's is `parent`.
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

    /// Whether something may be done.
    pub fn permits(&self, operation: MemoryOperation) -> bool {
        let said = match operation {
            MemoryOperation::Create => self.permissions.create,
            MemoryOperation::Update => self.permissions.update,
            MemoryOperation::Delete => self.permissions.delete,
        };
        said != Some(false)
    }

    /// The latest time until which a memory may be kept that is written `now`.
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
