//! `<permissions>`: which resources a directive may read, write and execute.

use roxmltree::Node;

use super::Reader;
use crate::item::fault::ItemFault;
use crate::item::xml;

/// What may be permitted.
const ACTIONS: [&str; 3] = ["read", "write", "execute"];
/// The attributes of which one says what of a resource is meant.
const TARGETS: [&str; 3] = ["path", "id", "action"];
/// The resources of which a part is meant. Others are meant as a whole, or are not known here and
/// permit nothing.
const DIVIDED_RESOURCES: [&str; 3] = ["filesystem", "tool", "memory"];

/// One thing that a directive may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectivePermission {
    /// What may be done.
    pub access: PermittedAccess,
    /// What it may be done with.
    pub resource: PermittedResource,
}

/// What a permission allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermittedAccess {
    /// Reading.
    Read,
    /// Writing, which includes reading.
    Write,
    /// Running.
    Execute,
}

/// What a permission is about, as its author wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PermittedResource {
    /// The files that a glob matches.
    Filesystem(String),
    /// The tool with this id.
    Tool(String),
    /// The memories of a category.
    Memory(String),
    /// The registry.
    Registry,
}

/// Returns every `<permissions>` of a directive, whether it stands in the root or in `<metadata>`.
pub(super) fn find_permissions<'a, 'i>(
    root: Node<'a, 'i>,
    metadata: Node<'a, 'i>,
) -> Vec<Node<'a, 'i>> {
    let all = root.children().chain(metadata.children());
    all.filter(|node| node.has_tag_name("permissions")).collect()
}

/// Returns what is permitted, or `None` if the directive has no `<permissions>`. What is not known
/// here permits nothing.
pub(super) fn parse_permissions(permissions: &[Node<'_, '_>]) -> Option<Vec<DirectivePermission>> {
    let entries = permissions.iter().flat_map(Node::children).filter(Node::is_element);
    (!permissions.is_empty()).then(|| entries.filter_map(parse_permission).collect())
}

fn parse_permission(entry: Node<'_, '_>) -> Option<DirectivePermission> {
    let access = match entry.tag_name().name() {
        "read" => PermittedAccess::Read,
        "write" => PermittedAccess::Write,
        "execute" => PermittedAccess::Execute,
        _ => return None,
    };
    let attribute = |name: &str| {
        let value = entry.attribute(name).map(str::trim).filter(|value| !value.is_empty());
        value.map(str::to_owned)
    };
    let resource = match attribute("resource")?.as_str() {
        "filesystem" => PermittedResource::Filesystem(attribute("path")?),
        "tool" => PermittedResource::Tool(attribute("id").or_else(|| attribute("action"))?),
        "memory" => PermittedResource::Memory(attribute("path")?),
        "registry" => PermittedResource::Registry,
        _ => return None,
    };
    Some(DirectivePermission { access, resource })
}

/// Checks the form of each permission. Those of an unknown kind are returned by name.
pub(super) fn check_permissions<'i>(
    reader: &Reader<'_>,
    permissions: &[Node<'_, 'i>],
) -> Result<Vec<&'i str>, ItemFault> {
    let mut unknown = Vec::new();
    for entry in permissions.iter().flat_map(Node::children).filter(Node::is_element) {
        let has = |name: &str| entry.attribute(name).is_some_and(|value| !value.trim().is_empty());
        let resource = entry.attribute("resource").unwrap_or_default();
        if !ACTIONS.contains(&entry.tag_name().name()) {
            unknown.push(xml::written_name(entry));
        } else if !has("resource") {
            let fix =
                "Write the resource, such as `<read resource=\"filesystem\" path=\"src/**\"/>`.";
            return Err(reader.fault(entry, "a permission has no `resource`", fix));
        } else if DIVIDED_RESOURCES.contains(&resource) && !TARGETS.iter().any(|one| has(one)) {
            let what = "a permission does not say what of its `resource` is meant";
            let fix =
                "Add `path`, `id` or `action`, such as `<execute resource=\"tool\" id=\"…\"/>`.";
            return Err(reader.fault(entry, what, fix));
        }
    }
    Ok(unknown)
}
