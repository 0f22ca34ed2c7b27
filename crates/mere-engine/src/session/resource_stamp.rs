//! The stamps by which an edge notices that a resource has changed, without reading it.

use std::time::{Duration, SystemTime};

use cap_std::fs::{Metadata, MetadataExt as _};
use mere_core::address::{Address, AgentName, RelPath, Root, Spoken};
use mere_core::item::{Category, ItemRef, ItemType};
use mere_core::request::ResourceUri;

use super::Session;

/// The state of a resource. Two that are equal mean that nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceStamp {
    address: Address,
    size: u64,
    inode: u64,
    /// When its content, its name or its rights were last changed, which nobody can set back.
    changed_at: SystemTime,
}

impl ResourceStamp {
    /// Returns whether the resource may have changed at this moment or later. The clock of a file
    /// system is coarse, so that what is a little older counts too.
    pub fn is_newer_than(&self, moment: SystemTime) -> bool {
        self.changed_at + CLOCK_GRAIN >= moment
    }
}

/// How far the clock of a file system may be behind.
const CLOCK_GRAIN: Duration = Duration::from_millis(100);

impl Session {
    /// Returns the stamp of a resource, or `None` while the agent sees no such file.
    pub fn resource_stamp(&self, agent: &AgentName, uri: &ResourceUri) -> Option<ResourceStamp> {
        let address = match uri {
            ResourceUri::File(address) => address.clone(),
            ResourceUri::Note(kind, item) => self.locate(*kind, item)?,
            ResourceUri::Skill(path) => self.locate_skill_file(path)?,
        };
        let target = self.world(agent)?.resolve(&Spoken::Rooted(address), &Root::Project).ok()?;
        let metadata = target.open_file().ok()??.metadata().ok()?;
        Some(ResourceStamp {
            address: target.address().clone(),
            size: metadata.len(),
            inode: metadata.ino(),
            changed_at: changed_at(&metadata),
        })
    }

    /// Returns the address of a file of a skill. Nothing inside the folder of an item is an item of
    /// its own, so the first directive on the way is the skill.
    fn locate_skill_file(&self, path: &RelPath) -> Option<Address> {
        let levels = path.as_str().split('/').collect::<Vec<_>>();
        let skill = |end: usize| {
            let name = levels[..end].join("/").parse::<ItemRef>().ok()?;
            let category = name.category.clone().or_else(|| Some(Category::default()));
            self.locate(ItemType::Directive, &ItemRef { category, ..name })
        };
        let (end, main) = (1..levels.len()).find_map(|end| Some((end, skill(end)?)))?;
        let (folder, _) = main.path().split_last()?;
        let rest = levels[end..].join("/").parse::<RelPath>().ok()?;
        Some(Address::file(main.root().clone(), folder.join_path(&rest)))
    }
}

fn changed_at(metadata: &Metadata) -> SystemTime {
    let seconds = u64::try_from(metadata.ctime()).unwrap_or_default();
    let nanoseconds = u32::try_from(metadata.ctime_nsec()).unwrap_or_default();
    SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds)
}
