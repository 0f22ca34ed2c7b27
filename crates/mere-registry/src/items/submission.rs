//! A version that somebody wants to publish, checked from the statement down to the bytes.
//!
//! The order is that of every verification: the signature first, then the files, then the item that
//! they make. Nothing of an item is parsed before its bytes are known to be those that were signed.

use mere_core::address::RelPath;
use mere_core::digest::Sha256;
use mere_core::item::integrity::FileDigest;
use mere_core::item::{
    CategoryBase, Item, ItemFault, ItemForm, ItemType, Relation, Scope, ScopedPath, decode_text,
};
use mere_core::registry::RegistryVersionName;
use mere_core::text::json;
use mere_core::trust::{Envelope, PublicKey, SignedDataError, Statement};
use serde_json::Value;

use crate::error::RegistryError;

/// The most files that an item may have, and how large they may be together.
const MAX_FILES: usize = 1_000;
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A statement whose signature counts for a namespace.
pub(crate) struct SignedStatement {
    /// What the author signed.
    pub(crate) statement: Statement,
    /// The statement with its signatures.
    pub(crate) envelope: Envelope,
}

/// An item that is exactly what its author signed.
pub(crate) struct Submission {
    /// The statement.
    pub(crate) signed: SignedStatement,
    /// The digest of the main file.
    pub(crate) content_hash: Sha256,
    /// Its title, else its id.
    pub(crate) name: String,
    /// What it does.
    pub(crate) description: String,
    /// Its tags.
    pub(crate) tags: Vec<String>,
    /// The columns that only its type has, in the order of its table.
    pub(crate) special: Vec<Option<String>>,
    /// The entries that a knowledge entry names.
    pub(crate) relations: Vec<(Relation, String)>,
}

impl SignedStatement {
    /// Parses the statement about a version, and checks that one of these keys signed it.
    pub(crate) fn check(
        envelope: Envelope,
        name: &RegistryVersionName,
        keys: &[PublicKey],
    ) -> Result<Self, RegistryError> {
        let invalid = |error: SignedDataError| RegistryError::InvalidStatement(error.0);
        check_signatures(&envelope, keys)?;
        let statement = Statement::parse(envelope.payload()).map_err(invalid)?;
        let is_about_it = statement.kind == name.item.kind.into()
            && statement.id == name.item.id
            && statement.version == name.version;
        if !is_about_it {
            return Err(RegistryError::InvalidStatement(
                "it is about another type, id or version than the request",
            ));
        }
        check_files(&statement)?;
        Ok(Self { statement, envelope })
    }

    /// Returns where the item would lie, which says how it is parsed, and its main file.
    pub(crate) fn main_file(&self) -> Result<(ScopedPath, &FileDigest), RegistryError> {
        let statement = &self.statement;
        let has = |name: &str| statement.files.iter().find(|file| file.path == name);
        let folder_file = statement.kind.folder_main_file().and_then(has);
        let place = ScopedPath {
            scope: Scope::Registry,
            kind: statement.kind,
            base: CategoryBase::Space,
            category: statement.category.clone(),
            id: statement.id.clone(),
            version: (statement.kind == ItemType::Lockfile).then(|| statement.version.clone()),
            form: if folder_file.is_some() { ItemForm::Folder } else { ItemForm::Flat },
        };
        let missing = || RegistryError::InvalidItem("its main file is missing".to_owned());
        let main = if let Some(file) = folder_file {
            file
        } else {
            let (_, name) = place.folder_and_file().ok_or_else(missing)?;
            check_siblings(&place, &name, &statement.files)?;
            has(&name).ok_or_else(missing)?
        };
        Ok((place, main))
    }

    /// Parses the item from its main file, and checks that it is what was signed.
    pub(crate) fn check_item(self, bytes: &[u8]) -> Result<Submission, RegistryError> {
        let (mut place, main) = self.main_file()?;
        let main = main.clone();
        let text = decode_text(bytes).map_err(|fault| invalid_item(&fault))?;
        if place.kind == ItemType::Lockfile {
            place.scope = lockfile_scope(text).unwrap_or(Scope::Registry);
        }
        let item = Item::parse(text, &place).map_err(|fault| invalid_item(&fault))?;
        if let Some(excess) = item.field_excesses().into_iter().next() {
            return Err(invalid_item(&excess.into_fault()));
        }
        let statement = &self.statement;
        let others = statement.files.iter().filter(|file| file.path != main.path);
        let others = others.cloned().collect::<Vec<_>>();
        let executor = match &item {
            Item::Tool(tool) => tool.executor.clone(),
            _ => None,
        };
        let agrees = item.version() == Some(&statement.version)
            && item.integrity(text, &place, &others) == Some(statement.integrity)
            && executor == statement.executor;
        if !agrees {
            let words = "its version, executor or canonical hash is not the one that was signed";
            return Err(RegistryError::InvalidItem(words.to_owned()));
        }
        Ok(Submission {
            content_hash: main.sha256,
            name: item.title(&place).to_owned(),
            description: item.description().to_owned(),
            tags: item.tags().to_vec(),
            special: special_columns(&item, text),
            relations: relations(&item),
            signed: self,
        })
    }
}

/// Checks that a registered key signed, and that no registered key is named for a signature that it
/// did not make.
pub(crate) fn check_signatures(
    envelope: &Envelope,
    keys: &[PublicKey],
) -> Result<(), RegistryError> {
    let message = envelope.message();
    let mut count = 0;
    for mark in envelope.signatures() {
        let Some(key) = keys.iter().find(|key| key.fingerprint() == mark.key) else { continue };
        if !key.is_signature_valid(&mark.signature, &message) {
            return Err(RegistryError::WrongSigner);
        }
        count += 1;
    }
    if count == 0 { Err(RegistryError::WrongSigner) } else { Ok(()) }
}

/// Checks that the files can be installed anywhere.
fn check_files(statement: &Statement) -> Result<(), RegistryError> {
    let files = &statement.files;
    let total = files.iter().map(|file| file.size).fold(0, u64::saturating_add);
    if files.len() > MAX_FILES || total > MAX_BYTES {
        return Err(RegistryError::InvalidStatement("its files are too many or too large"));
    }
    let is_plain = |path: &str| path.parse::<RelPath>().is_ok_and(|parsed| parsed.as_str() == path);
    if !files.iter().all(|file| is_plain(&file.path)) {
        return Err(RegistryError::InvalidStatement("the path of a file is not valid"));
    }
    Ok(())
}

/// Checks that an item of one file has no others, and a tool only those that bear its name.
fn check_siblings(
    place: &ScopedPath,
    main: &str,
    files: &[FileDigest],
) -> Result<(), RegistryError> {
    let prefix = format!("{}.", place.id.as_str());
    let is_own = |path: &str| {
        let is_sibling = place.kind == ItemType::Tool && path.starts_with(&prefix);
        path == main || is_sibling && !path.contains('/')
    };
    if files.iter().all(|file| is_own(&file.path)) {
        return Ok(());
    }
    Err(RegistryError::InvalidItem("it has files that do not belong to it".to_owned()))
}

fn invalid_item(fault: &ItemFault) -> RegistryError {
    let place = format!("line {}, column {}", fault.line, fault.column);
    RegistryError::InvalidItem(format!("{} ({place})", fault.what.render_for_person()))
}

/// Returns the scope that a lockfile states. The registry has no place of its own to compare.
fn lockfile_scope(text: &str) -> Option<Scope> {
    let value = json::parse(text.as_bytes()).ok()?;
    value.pointer("/metadata/scope")?.as_str()?.parse().ok()
}

fn special_columns(item: &Item, text: &str) -> Vec<Option<String>> {
    let field = |map: &serde_json::Map<String, Value>, key: &str| {
        map.get(key).and_then(Value::as_str).map(str::to_owned)
    };
    match item {
        Item::Directive(directive) => {
            let content = text.get(directive.content.clone()).unwrap_or_default();
            let tier = directive.model().and_then(|model| {
                ["tier", "@tier"].iter().find_map(|key| model.get(*key)).unwrap_or(model).as_str()
            });
            vec![
                permissions_element(content),
                tier.map(str::to_owned),
                Some("directive".to_owned()),
            ]
        }
        Item::Tool(tool) => {
            let executor = tool.executor.as_ref().map(|id| id.as_str().to_owned());
            vec![executor, Some(tool.tool_type.clone())]
        }
        Item::Knowledge(entry) => {
            let map = &entry.frontmatter;
            vec![field(map, "entry_type"), field(map, "source_type")]
        }
        Item::Skill(_) => vec![None, None, Some("skill".to_owned())],
        Item::Memory(_) | Item::Lockfile(_) => Vec::new(),
    }
}

/// Returns the first `<permissions>` element as it is written.
fn permissions_element(content: &str) -> Option<String> {
    const END: &str = "</permissions>";
    let start = content.find("<permissions")?;
    let length = content[start..].find(END)? + END.len();
    Some(content[start..start + length].to_owned())
}

fn relations(item: &Item) -> Vec<(Relation, String)> {
    let Item::Knowledge(entry) = item else { return Vec::new() };
    let mut all = Vec::<(Relation, String)>::new();
    for (relation, ids) in &entry.relations {
        for id in ids {
            if !all.iter().any(|(other, known)| other == relation && known == id) {
                all.push((*relation, id.clone()));
            }
        }
    }
    all
}
