//! A skill that clients can verify: every file is served byte for byte.
//!
//! A client compares each file with a digest in the skill's entry, and the entry with what its
//! author signed. A skill in which something is masked or rewritten would fail both, so it is not
//! served; it can still be loaded.

use mere_core::digest::{Fidelity, Sha256};
use mere_core::item::{Item, ItemRef, ItemType, ScopedPath};
use mere_core::reply::{Content, Data, Fields};
use mere_core::request::ResourceUri;
use mere_core::trust::Sidecar;
use serde_json::json;

use super::OfferError;
use super::error::NotServed;
use super::offered_item::open_offered;
use crate::items::item_fidelity::ItemFidelity;
use crate::items::{ItemReader, LoadedItem, UsableItem, trust_status_fields};

/// The most files, and the most bytes, of a skill that is served: what the extension asks servers
/// not to exceed.
const MAX_FILES: usize = 512;
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// The most bytes of frontmatter and signatures, which every list repeats.
const MAX_DESCRIBED: usize = 64 * 1024;
/// The longest name of an Agent Skill.
const MAX_NAME: usize = 64;

/// A skill that is served byte for byte.
pub(super) struct ServedSkill(UsableItem);

/// A file of a skill.
pub(super) struct SkillFile {
    /// The path from the folder of the skill.
    pub(super) path: String,
    pub(super) sha256: Sha256,
    pub(super) size: u64,
}

impl ServedSkill {
    /// Finds and verifies a skill.
    pub(super) fn open(items: &ItemReader<'_>, name: &ItemRef) -> Result<Self, OfferError> {
        let skill = Self(open_offered(items, ItemType::Directive, name)?);
        match skill.check(items) {
            Ok(()) => Ok(skill),
            Err(reason) => {
                let place = Box::new(skill.loaded().place.clone());
                Err(OfferError::NotASkill { place, reason })
            }
        }
    }

    fn check(&self, items: &ItemReader<'_>) -> Result<(), NotServed> {
        let loaded = self.loaded();
        if !matches!(loaded.item, Item::Skill(_)) {
            return Err(NotServed::NotAFolder);
        }
        let name = loaded.place.id.as_str();
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let has_edge = name.starts_with('-') || name.ends_with('-') || name.contains("--");
        if !name.chars().all(is_plain) || has_edge || name.len() > MAX_NAME {
            return Err(NotServed::Name);
        }
        let described = loaded.item.metadata().to_string().len()
            + loaded.sidecar.bytes().map_or(0, <[u8]>::len);
        if described > MAX_DESCRIBED {
            return Err(NotServed::TooLarge);
        }
        let files = self.files();
        if files.len() > MAX_FILES || files.iter().map(|file| file.size).sum::<u64>() > MAX_BYTES {
            return Err(NotServed::TooLarge);
        }
        match ItemFidelity::examine(items.view, loaded).whole() {
            Fidelity::Exact => Ok(()),
            Fidelity::Altered => Err(NotServed::Altered),
        }
    }

    /// Returns the skill as it was read.
    pub(super) fn loaded(&self) -> &LoadedItem {
        self.0.item()
    }

    /// Returns every file, the main file first.
    pub(super) fn files(&self) -> Vec<SkillFile> {
        let loaded = self.loaded();
        let main = SkillFile {
            path: loaded.main_file_name().to_owned(),
            sha256: loaded.sha256,
            size: loaded.text.len() as u64,
        };
        let others = loaded.files.iter().map(|file| SkillFile {
            path: file.path.clone(),
            sha256: file.sha256,
            size: file.size,
        });
        std::iter::once(main).chain(others).collect()
    }

    /// Returns the entry of the skill: its URI, its frontmatter, its files, and what was signed
    /// about it.
    pub(super) fn fields(&self) -> Fields {
        let loaded = self.loaded();
        let files = self.files().into_iter().map(|file| {
            let fields = Fields::default()
                .with("uri", Content::mention(skill_uri(&loaded.place, &file.path)))
                .with("digest", Data::Words(format!("sha256:{}", file.sha256).into()))
                .with("size", file.size);
            Data::from(fields)
        });
        let frontmatter =
            Data::from_foreign(&loaded.item.metadata(), &mut |text| Content::mention(text));
        let trust = trust_status_fields(self.0.checked());
        Fields::default()
            .with("uri", Content::mention(skill_uri(&loaded.place, loaded.main_file_name())))
            .with("frontmatter", frontmatter)
            .with("resources", Data::List(files.collect()))
            .with("trust", trust)
            .with_some("signed", self.signatures())
    }

    /// Returns what was signed: the author's statement and the placement, each in its envelope. What
    /// else is in the sidecar nobody has signed.
    fn signatures(&self) -> Option<Data> {
        let sidecar = Sidecar::parse(self.loaded().sidecar.bytes()?).ok()?;
        let value = json!({
            "statement": sidecar.author.to_json(), "placement": sidecar.installer.to_json()
        });
        Some(Data::from_foreign(&value, &mut |text| Content::mention(text)))
    }
}

/// Returns the URI of a file of a skill.
pub(super) fn skill_uri(skill: &ScopedPath, path: &str) -> String {
    let whole = format!("{}/{path}", skill.reference());
    whole.parse().map_or(whole, |path| ResourceUri::Skill(path).to_string())
}
