//! The page of one version of an item.

use mere_core::registry::{
    NamespaceInfo, RegistryItemInfo, RegistryItemName, RegistryVersionName, VersionInfo,
};
use mere_core::trust::Statement;
use mere_pages::{Attribute, Html, Tag, Tone, badge, command_block, element, link, table};

use super::item_content::ItemContent;
use super::{PageRequest, site};
use crate::error::RegistryError;

/// The most files of an item that are listed, and the most versions.
const MAX_FILES: usize = 100;
const MAX_VERSIONS: usize = 50;
/// How far a chain of tools is followed.
const MAX_CHAIN: usize = 8;

/// Everything that the page of a version shows.
pub(super) struct ShownVersion {
    /// The item with its versions.
    pub(super) item: RegistryItemInfo,
    /// The name of this version.
    pub(super) name: RegistryVersionName,
    /// The version.
    pub(super) info: VersionInfo,
    /// What its author signed.
    pub(super) statement: Statement,
    /// The namespace with its keys.
    pub(super) namespace: NamespaceInfo,
    /// What is in its main file.
    pub(super) content: ItemContent,
}

impl PageRequest<'_> {
    /// Shows the newest version of an item, or its newest one at all if all are yanked.
    pub(super) fn item(&self, item: &RegistryItemName) -> Result<String, RegistryError> {
        let info = self.registry.read_item(self.access, item)?;
        let newest = info.versions.first().map(|one| one.version.clone());
        let version = info.latest_version.or(newest).ok_or(RegistryError::NotFound)?;
        self.version(&item.clone().with_version(version))
    }

    /// Shows one version of an item.
    pub(super) fn version(&self, name: &RegistryVersionName) -> Result<String, RegistryError> {
        let shown = self.read_shown(name)?;
        let chain = self.chain(&shown)?;
        let main = element(Tag::Div).class("stack").with(shown.install());
        let main = main.with(shown.content.render()).with(chain).with(shown.files());
        let side =
            element(Tag::Aside).class("stack").set(Attribute::AriaLabel, "About this version");
        let side = side.with(self.facts(&shown)?).with(shown.versions());
        let columns = element(Tag::Div).class("columns").with(main).with(side);
        let content = shown.title().with(columns);
        Ok(site::render(&shown.info.record.name, Some(site::BROWSE), content))
    }

    /// Reads a version with its content.
    pub(super) fn read_shown(
        &self,
        name: &RegistryVersionName,
    ) -> Result<ShownVersion, RegistryError> {
        let item = self.registry.read_item(self.access, &name.item)?;
        let info = self.registry.read_version(self.access, name)?;
        let namespace = self.registry.read_namespace(self.access, &name.item.namespace)?;
        let statement = info.record.parse_statement();
        let statement = statement.map_err(|error| RegistryError::InvalidStatement(error.0))?;
        let content = self.read_content(&info)?;
        let name = info.record.version.clone();
        Ok(ShownVersion { item, name, info, statement, namespace, content })
    }

    /// Shows by which tools a tool is run.
    fn chain(&self, shown: &ShownVersion) -> Result<Html, RegistryError> {
        let mut links = Vec::new();
        let mut next = shown.statement.executor.clone();
        while let Some(id) = next.take().filter(|_| links.len() < MAX_CHAIN) {
            let item = RegistryItemName { id: id.clone(), ..shown.name.item.clone() };
            match self.registry.read_item(self.access, &item) {
                Ok(info) => {
                    links.push(Html::from(link(&site::item_href(&item), id.as_str())));
                    let Some(version) = info.latest_version else { break };
                    let version = item.with_version(version);
                    next = self.registry.read_version(self.access, &version)?.record.executor;
                }
                Err(RegistryError::NotFound) => {
                    links.push(element(Tag::Code).with(id.as_str()).into());
                }
                Err(error) => return Err(error),
            }
        }
        if links.is_empty() {
            return Ok(Html::default());
        }
        let own = element(Tag::Strong).with(shown.name.item.id.as_str());
        let mut path = element(Tag::P).with(own);
        for link in links {
            path = path.with(" → ").with(link);
        }
        let note = "Each tool runs the one before it. Those without a link ship with mere, or are \
                    found where the tool is installed.";
        let section = element(Tag::Section).class("panel").with(element(Tag::H2).with("Chain"));
        Ok(section.with(path).with(element(Tag::P).class("quiet small").with(note)).into())
    }
}

impl ShownVersion {
    fn title(&self) -> Html {
        let RegistryItemName { kind, namespace, .. } = &self.name.item;
        let crumbs = element(Tag::Nav).class("crumbs").set(Attribute::AriaLabel, "Where this is");
        let crumbs = crumbs.with(link(&site::namespace_href(namespace), namespace.as_str()));
        let category = (!self.item.category.is_empty()).then(|| {
            let name = self.item.category.as_str();
            Html::text("/ ").with(link(&site::category_href(&self.item.category), name))
        });
        let meta = element(Tag::P).class("meta").with(badge(Tone::Plain, kind.name()));
        let meta = meta.with(badge(Tone::Plain, self.name.version.to_string()));
        let is_newest = self.item.latest_version.as_ref() == Some(&self.name.version);
        let meta = match (&self.info.yanked, is_newest) {
            (Some(_), _) => meta.with(badge(Tone::Bad, "yanked")),
            (None, false) => meta.with(badge(Tone::Attention, "there is a newer version")),
            (None, true) => meta.with(badge(Tone::Good, "newest")),
        };
        let about = Some(&self.info.record.description).filter(|about| !about.is_empty());
        let about = about.map(|about| element(Tag::P).class("lead").with(about));
        let head = element(Tag::Header).class("title").with(crumbs.with(category));
        head.with(element(Tag::H1).with(&self.info.record.name)).with(about).with(meta).into()
    }

    fn install(&self) -> Html {
        let RegistryItemName { kind, namespace, id } = &self.name.item;
        let is_newest = self.item.latest_version.as_ref() == Some(&self.name.version);
        let version = if is_newest { String::new() } else { format!("@{}", self.name.version) };
        let command = format!("mere pull {} {namespace}/{id}{version}", kind.name());
        let section = element(Tag::Section).class("panel").with(element(Tag::H2).with("Install"));
        section.with(command_block(&command)).into()
    }

    fn files(&self) -> Html {
        let shown = self.statement.files.iter().take(MAX_FILES);
        let rows = shown.map(|file| {
            let digest = element(Tag::Span).class("digest").with(file.sha256.to_string());
            let size = format!("{} bytes", file.size);
            vec![element(Tag::Code).with(&file.path).into(), size.into(), digest.into()]
        });
        let files = table("Files", &["File", "Size", "SHA-256"], rows.collect());
        let more = self.statement.files.len().saturating_sub(MAX_FILES);
        let more =
            (more > 0).then(|| element(Tag::P).class("note").with(format!("{more} more files")));
        let section = element(Tag::Section).class("panel").with(element(Tag::H2).with("Files"));
        section.with(files).with(more).into()
    }

    fn versions(&self) -> Html {
        let item = &self.name.item;
        let all = self.item.versions.iter().take(MAX_VERSIONS).map(|one| {
            let is_this = one.version == self.name.version;
            let name = link(&site::version_href(item, &one.version), one.version.to_string());
            let name = if is_this { name.set(Attribute::AriaCurrent, "page") } else { name };
            let yanked = one.yanked.then(|| badge(Tone::Bad, "yanked"));
            let compare = (!is_this).then(|| {
                let href = site::difference_href(item, &one.version, &self.name.version);
                link(&href, format!("compare with {}", self.name.version))
            });
            let meta =
                element(Tag::Span).class("quiet small").with(day(&one.published.to_string()));
            element(Tag::Li).class("meta").with(name).with(meta).with(yanked).with(compare)
        });
        let list = element(Tag::Ul).class("tree").with_all(all);
        let section = element(Tag::Section).class("panel").with(element(Tag::H2).with("Versions"));
        section.with(list).into()
    }
}

/// Returns the day of a moment.
pub(super) fn day(moment: &str) -> String {
    moment.split('T').next().unwrap_or_default().to_owned()
}
