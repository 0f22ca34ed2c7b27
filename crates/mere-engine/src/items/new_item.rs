//! An item that is about to be written. Its files are checked as if they already lay at their
//! destination.

use mere_core::address::{Address, RelPath};
use mere_core::digest::Sha256;
use mere_core::item::integrity::FileDigest;
use mere_core::item::{
    CategoryBase, Item, ItemForm, ItemType, SIDECAR_SUFFIX, Scope, ScopedPath, ToolTemplate,
    template_files,
};
use mere_core::reply::Content;
use mere_core::request::ItemContent;
use mere_core::schema::Schema;

use super::{ItemError, ItemSources};
use crate::files::view::View;
use crate::items::validation::{directive_schema, frontmatter_problems, item_warnings};
use crate::space::ItemChangeError;

/// The largest number of additional files for one item.
const MAX_FILES: usize = 64;
/// The largest total size of those files, in bytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// A checked item that can be written.
pub(crate) struct NewItem {
    pub(crate) place: ScopedPath,
    pub(crate) address: Address,
    /// Every file with its path relative to the folder of the main file; the main file comes last.
    pub(crate) files: Vec<(RelPath, Vec<u8>)>,
    pub(crate) integrity: Option<Sha256>,
    /// The files of the item that stay as they are.
    pub(crate) kept: Vec<FileDigest>,
    pub(crate) warnings: Vec<Content>,
}

impl NewItem {
    /// Checks the text of an item for a place.
    pub(crate) fn new(
        (sources, view): (&ItemSources<'_>, &View<'_>),
        place: ScopedPath,
        text: &ItemContent,
    ) -> Result<Self, ItemError> {
        let address = place.address().ok_or(ItemChangeError::InvalidPlace)?;
        let invalid = |fault| {
            let files = template_files(&place, ToolTemplate::default());
            let template = files.and_then(|files| Some(files.into_iter().next()?.1));
            ItemChangeError::InvalidContent {
                address: address.clone(),
                fault: Box::new(fault),
                template,
            }
        };
        let main = main_file_name(&place).ok_or(ItemChangeError::InvalidPlace)?;
        check_files(&place, text)?;
        let item = Item::parse(&text.main_file, &place).map_err(invalid)?;
        if let Some(excess) = item.field_excesses().into_iter().next() {
            return Err(invalid(excess.into_fault()).into());
        }
        check_schemas(&item)?;
        let digests = text.files.iter().map(file_digest).collect::<Vec<_>>();
        let integrity = item.integrity(&text.main_file, &place, &digests);
        let others = text.files.iter().cloned();
        let all = others.chain([(main, text.main_file.clone())]);
        let files = all.map(|(path, content)| (path, content.into_bytes())).collect();
        let warnings = item_warnings(sources, view, &item);
        Ok(Self { place, address, files, integrity, kept: Vec::new(), warnings })
    }

    /// Replaces the text with its restored form, which has the masked parts put back, and includes
    /// the files that stay. The text as the caller wrote it was already checked, so an error here
    /// must not describe what was hidden from the caller.
    pub(crate) fn with_restored_text(
        self,
        text: &ItemContent,
        kept: &[FileDigest],
    ) -> Result<Self, ItemChangeError> {
        let Self { place, address, warnings, .. } = self;
        let item = Item::parse(&text.main_file, &place);
        let item = item.map_err(|_| ItemChangeError::TouchesMasked(address.clone()))?;
        let main = main_file_name(&place).ok_or(ItemChangeError::InvalidPlace)?;
        let given = text.files.iter().map(file_digest);
        let is_given =
            |file: &&FileDigest| text.files.iter().any(|(path, _)| path.as_str() == file.path);
        let kept = kept.iter().filter(|file| !is_given(file)).cloned().collect::<Vec<_>>();
        let digests = given.chain(kept.iter().cloned()).collect::<Vec<_>>();
        let integrity = item.integrity(&text.main_file, &place, &digests);
        let all = text.files.iter().cloned().chain([(main, text.main_file.clone())]);
        let files = all.map(|(path, content)| (path, content.into_bytes())).collect();
        Ok(Self { place, address, files, integrity, kept, warnings })
    }
}

fn file_digest((path, content): &(RelPath, String)) -> FileDigest {
    let (sha256, size) = (Sha256::digest(content.as_bytes()), content.len() as u64);
    FileDigest { path: path.to_string(), sha256, size }
}

/// Chooses the form of a new item from its content: a skill, and a tool with files that are not
/// named after it, get a folder of their own.
pub(crate) fn choose_form(kind: ItemType, id: &str, text: &ItemContent) -> ItemForm {
    let stem = format!("{id}.");
    let beside = |path: &RelPath| path.names().count() == 1 && path.as_str().starts_with(&stem);
    let is_folder = match kind {
        ItemType::Directive => !text.main_file.contains("<directive"),
        ItemType::Tool => !text.files.iter().all(|(path, _)| beside(path)),
        ItemType::Knowledge | ItemType::Memory | ItemType::Lockfile => false,
    };
    if is_folder { ItemForm::Folder } else { ItemForm::Flat }
}

/// Returns the place of an item in the space of a scope.
pub(crate) fn place_in_space(
    scope: Scope,
    kind: ItemType,
    item: &mere_core::item::ItemRef,
    form: ItemForm,
) -> ScopedPath {
    ScopedPath {
        scope,
        kind,
        base: CategoryBase::Space,
        category: item.category.clone().unwrap_or_default(),
        id: item.id.clone(),
        version: item.version.clone(),
        form,
    }
}

/// Returns the name of an item's main file.
pub(crate) fn main_file_name(place: &ScopedPath) -> Option<RelPath> {
    place.folder_and_file().and_then(|(_, name)| name.parse().ok())
}

fn check_files(place: &ScopedPath, text: &ItemContent) -> Result<(), ItemChangeError> {
    let main = main_file_name(place);
    let stem = format!("{}.", place.id);
    let bytes = text.files.iter().map(|(_, content)| content.len()).sum::<usize>();
    if text.files.len() > MAX_FILES || bytes > MAX_BYTES {
        return Err(ItemChangeError::InvalidFiles("at most 64 files, of 4 MiB in total"));
    }
    for (number, (path, _)) in text.files.iter().enumerate() {
        let hidden =
            path.names().any(|name| name.starts_with('.') || name.ends_with(SIDECAR_SUFFIX));
        let is_duplicate = text.files[..number].iter().any(|(other, _)| other == path);
        if hidden || is_duplicate || Some(path) == main.as_ref() {
            return Err(ItemChangeError::InvalidFiles(
                "only files with unique names, and no hidden file, signature or main file among \
                 them",
            ));
        }
        let fits = match (place.kind, place.form) {
            (ItemType::Directive | ItemType::Tool, ItemForm::Folder) => true,
            (ItemType::Tool, ItemForm::Flat) => {
                path.names().count() == 1 && path.as_str().starts_with(&stem)
            }
            _ => false,
        };
        if !fits {
            return Err(ItemChangeError::InvalidFiles(
                "files only if it is a tool or a skill; beside a flat tool they must be named \
                 after it",
            ));
        }
    }
    Ok(())
}

/// Checks the item's own schemas. A schema that cannot check any input makes the item invalid.
fn check_schemas(item: &Item) -> Result<(), ItemError> {
    let schema = |error| ItemError::InvalidSchema { address: None, error };
    match item {
        Item::Directive(directive) => {
            Schema::compile(&directive_schema(directive)).map(|_| ()).map_err(schema)
        }
        Item::Knowledge(entry) => {
            let problems = frontmatter_problems(entry).map_err(schema)?;
            if problems.is_empty() {
                return Ok(());
            }
            Err(ItemError::InvalidFrontmatter { address: None, problems })
        }
        _ => Ok(()),
    }
}
