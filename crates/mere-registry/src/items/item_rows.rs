//! The rows of an item and its versions.

use mere_core::item::Version;
use mere_core::registry::{
    NameKey, NameSkeleton, RegistryItemName, RegistryType, RegistryVersionName,
};

use super::item_table::ItemTable;
use super::search_rows;
use super::submission::Submission;
use crate::database::{Connection, DatabaseError, Value};
use crate::error::RegistryError;

/// A version that is stored.
pub(super) struct NewVersion<'a> {
    /// Its name.
    pub(super) name: &'a RegistryVersionName,
    /// The item.
    pub(super) submission: &'a Submission,
    /// Its record, in canonical form.
    pub(super) record: &'a str,
    /// The index of its entry in the log.
    pub(super) index: u64,
}

/// Returns the values that name an item.
pub(super) fn item_key(item: &RegistryItemName) -> [Value; 2] {
    [item.namespace.as_str().into(), item.id.as_str().into()]
}

/// Returns the values that name a version.
pub(super) fn version_key(name: &RegistryVersionName) -> [Value; 3] {
    let [namespace, id] = item_key(&name.item);
    [namespace, id, name.version.to_string().into()]
}

/// Reports whether a version was ever published.
pub(super) fn has_version(
    connection: &mut Connection,
    name: &RegistryVersionName,
) -> Result<bool, DatabaseError> {
    let ItemTable { versions, id, .. } = ItemTable::of(name.item.kind);
    let sql =
        format!("SELECT 1 FROM {versions} WHERE namespace = $1 AND {id} = $2 AND version = $3");
    Ok(connection.query_one(&sql, &version_key(name))?.is_some())
}

/// Inserts a version, and its item if it is the first.
pub(super) fn insert_version(
    connection: &mut Connection,
    version: &NewVersion<'_>,
    now: &str,
) -> Result<(), RegistryError> {
    let NewVersion { name, submission, record, index } = version;
    let ItemTable { versions, id, name: title, special, .. } = ItemTable::of(name.item.kind);
    insert_item(connection, version, now)?;
    let special_names = special.iter().flat_map(|column| [*column, ", "]).collect::<String>();
    let count = 12 + special.len();
    let places = (1..=count).map(|place| format!("${place}")).collect::<Vec<_>>().join(", ");
    let sql = format!(
        "INSERT INTO {versions} (namespace, {id}, version, {title}, description, category, tags, \
         {special_names}content_hash, integrity, record, published_at, leaf_index) VALUES ({places})"
    );
    let statement = &submission.signed.statement;
    let mut values = version_key(name).to_vec();
    values.extend([
        (&submission.name).into(),
        (&submission.description).into(),
        statement.category.as_str().into(),
        submission.tags.join(" ").into(),
    ]);
    values.extend(submission.special.iter().map(|value| Value::from(value.as_deref())));
    values.extend([
        submission.content_hash.to_string().into(),
        statement.integrity.to_string().into(),
        (*record).into(),
        now.into(),
        (*index).into(),
    ]);
    connection.execute(&sql, &values)?;
    insert_blobs(connection, version)?;
    match name.item.kind {
        RegistryType::Tool => insert_files(connection, version),
        RegistryType::Knowledge => insert_relations(connection, version, now),
        _ => Ok(()),
    }
}

/// Inserts the item of a first version, unless its name can be mistaken for another.
fn insert_item(
    connection: &mut Connection,
    version: &NewVersion<'_>,
    now: &str,
) -> Result<(), RegistryError> {
    let NewVersion { name, submission, .. } = version;
    let ItemTable { items, id, name: title, .. } = ItemTable::of(name.item.kind);
    let own_id = &name.item.id;
    let (key, skeleton) = (NameKey::of_item(own_id), NameSkeleton::of_item(own_id));
    let sql =
        format!("SELECT {id} FROM {items} WHERE namespace = $1 AND (id_key = $2 OR skeleton = $3)");
    let namespace = Value::from(name.item.namespace.as_str());
    let values = [namespace.clone(), key.as_str().into(), skeleton.as_str().into()];
    if let Some(known) = connection.query_one(&sql, &values)? {
        let is_same = known.text(0)? == own_id.as_str();
        return if is_same { Ok(()) } else { Err(RegistryError::NameTaken) };
    }
    let sql = format!(
        "INSERT INTO {items} (namespace, {id}, id_key, skeleton, {title}, description, category, \
         created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"
    );
    let category = submission.signed.statement.category.as_str();
    let values = [
        namespace,
        own_id.as_str().into(),
        key.as_str().into(),
        skeleton.as_str().into(),
        (&submission.name).into(),
        (&submission.description).into(),
        category.into(),
        now.into(),
    ];
    connection.execute(&sql, &values)?;
    Ok(())
}

/// Records that the item has these files, so that whoever may read it may read them.
fn insert_blobs(
    connection: &mut Connection,
    version: &NewVersion<'_>,
) -> Result<(), RegistryError> {
    let sql = "INSERT INTO published_blobs (namespace, sha256, item_type, item_id) \
               VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    let [namespace, id] = item_key(&version.name.item);
    let kind = version.name.item.kind.name();
    for file in &version.submission.signed.statement.files {
        let digest = file.sha256.to_string();
        let values = [namespace.clone(), digest.into(), kind.into(), id.clone()];
        connection.execute(sql, &values)?;
    }
    Ok(())
}

fn insert_files(
    connection: &mut Connection,
    version: &NewVersion<'_>,
) -> Result<(), RegistryError> {
    let sql = "INSERT INTO tool_version_files (namespace, tool_id, version, path, sha256, size) \
               VALUES ($1, $2, $3, $4, $5, $6)";
    for file in &version.submission.signed.statement.files {
        let mut values = version_key(version.name).to_vec();
        let digest = file.sha256.to_string();
        values.extend([(&file.path).into(), digest.into(), file.size.into()]);
        connection.execute(sql, &values)?;
    }
    Ok(())
}

fn insert_relations(
    connection: &mut Connection,
    version: &NewVersion<'_>,
    now: &str,
) -> Result<(), RegistryError> {
    let sql = "INSERT INTO knowledge_relationships (namespace, from_zettel_id, version, \
               to_zettel_id, relationship_type, created_at) VALUES ($1, $2, $3, $4, $5, $6)";
    for (relation, target) in &version.submission.relations {
        let mut values = version_key(version.name).to_vec();
        values.extend([target.into(), relation.name().into(), now.into()]);
        connection.execute(sql, &values)?;
    }
    Ok(())
}

/// Copies what the newest version says into the row of its item, and into the search. An item
/// whose versions are all yanked has no newest version, and is not found.
pub(super) fn update_latest(
    connection: &mut Connection,
    item: &RegistryItemName,
) -> Result<(), RegistryError> {
    let ItemTable { items, versions, id, name: title, special } = ItemTable::of(item.kind);
    let sql = format!(
        "SELECT version FROM {versions} WHERE namespace = $1 AND {id} = $2 AND yanked_at IS NULL"
    );
    let rows = connection.query(&sql, &item_key(item))?;
    let all = rows.iter().map(|row| row.text(0)?.parse().map_err(|_| DatabaseError::Shape));
    let all = all.collect::<Result<Vec<Version>, DatabaseError>>()?;
    let Some(latest) = newest(all) else {
        let sql =
            format!("UPDATE {items} SET latest_version = NULL WHERE namespace = $1 AND {id} = $2");
        connection.execute(&sql, &item_key(item))?;
        return search_rows::remove(connection, item);
    };
    let columns = ["description", "category"].iter().chain(*special).chain([title]);
    let columns = columns.copied().collect::<Vec<_>>();
    let sets = columns.iter().enumerate();
    let sets = sets.map(|(at, column)| format!("{column} = ${}", at + 2)).collect::<Vec<_>>();
    let sql = format!(
        "SELECT {}, tags FROM {versions} WHERE namespace = $1 AND {id} = $2 AND version = $3",
        columns.join(", ")
    );
    let [namespace, own_id] = item_key(item);
    let key = [namespace.clone(), own_id.clone(), latest.to_string().into()];
    let row = connection.query_one(&sql, &key)?.ok_or(DatabaseError::Shape)?;
    let mut values = vec![Value::from(latest.to_string())];
    for column in 0..columns.len() {
        values.push(row.optional_text(column)?.into());
    }
    let end = values.len();
    values.extend([namespace, own_id]);
    let sql = format!(
        "UPDATE {items} SET latest_version = $1, {} WHERE namespace = ${} AND {id} = ${}",
        sets.join(", "),
        end + 1,
        end + 2
    );
    connection.execute(&sql, &values)?;
    let words = search_rows::ItemWords {
        name: row.text(columns.len() - 1)?,
        description: row.text(0)?,
        category: row.text(1)?,
        tags: row.text(columns.len())?,
    };
    search_rows::replace(connection, item, &words)
}

/// Returns the newest version; one that is not a pre-release comes before all that are.
fn newest(versions: Vec<Version>) -> Option<Version> {
    let is_release = |version: &Version| !version.to_string().contains('-');
    let newer = |left: Version, right: Version| {
        let order = (is_release(&left), &left) >= (is_release(&right), &right);
        if order { left } else { right }
    };
    versions.into_iter().reduce(newer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_newer_than_every_pre_release() {
        for (all, expected) in [
            (vec![], None),
            (vec!["1.0.0", "1.10.0", "1.9.0"], Some("1.10.0")),
            (vec!["2.0.0-rc.1", "1.0.0"], Some("1.0.0")),
            (vec!["2.0.0-rc.1", "2.0.0-rc.2"], Some("2.0.0-rc.2")),
        ] {
            let parsed = all.iter().map(|text| text.parse().expect("a version")).collect();
            assert_eq!(newest(parsed).map(|version| version.to_string()).as_deref(), expected);
        }
    }
}
