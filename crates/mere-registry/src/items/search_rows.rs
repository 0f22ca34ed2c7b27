//! The words by which an item is found, in the form of each database.

use mere_core::registry::RegistryItemName;

use crate::database::{Connection, DatabaseError, Dialect, Value};
use crate::error::RegistryError;

/// The words of an item.
pub(super) struct ItemWords {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) category: String,
    /// Its tags, with spaces between them.
    pub(super) tags: String,
}

fn key(item: &RegistryItemName) -> [Value; 3] {
    [item.kind.name().into(), item.namespace.as_str().into(), item.id.as_str().into()]
}

const SELECT_ID: &str = "SELECT id FROM search_items WHERE item_type = $1 AND namespace = $2 AND \
                         item_id = $3";

/// Removes an item from the search.
pub(super) fn remove(
    connection: &mut Connection,
    item: &RegistryItemName,
) -> Result<(), RegistryError> {
    let Some(row) = connection.query_one(SELECT_ID, &key(item))? else { return Ok(()) };
    let id = row.number(0)?;
    if connection.dialect() == Dialect::Sqlite {
        connection.execute("DELETE FROM search_text WHERE rowid = $1", &[id.into()])?;
    }
    connection.execute("DELETE FROM search_items WHERE id = $1", &[id.into()])?;
    Ok(())
}

/// Puts an item into the search, in the place of what was there of it.
pub(super) fn replace(
    connection: &mut Connection,
    item: &RegistryItemName,
    words: &ItemWords,
) -> Result<(), RegistryError> {
    remove(connection, item)?;
    match connection.dialect() {
        Dialect::Sqlite => insert_sqlite(connection, item, words),
        #[cfg(feature = "postgres")]
        Dialect::Postgres => insert_postgres(connection, item, words),
    }
}

fn insert_sqlite(
    connection: &mut Connection,
    item: &RegistryItemName,
    words: &ItemWords,
) -> Result<(), RegistryError> {
    let sql = "INSERT INTO search_items (item_type, namespace, item_id, category) \
               VALUES ($1, $2, $3, $4)";
    let mut values = key(item).to_vec();
    values.push((&words.category).into());
    connection.execute(sql, &values)?;
    let row = connection.query_one(SELECT_ID, &key(item))?.ok_or(DatabaseError::Shape)?;
    let sql = "INSERT INTO search_text (rowid, item_id, name, description, category, tags) \
               VALUES ($1, $2, $3, $4, $5, $6)";
    let mut values = vec![row.number(0)?.into()];
    values.extend(word_values(item, words));
    connection.execute(sql, &values)?;
    Ok(())
}

#[cfg(feature = "postgres")]
fn insert_postgres(
    connection: &mut Connection,
    item: &RegistryItemName,
    words: &ItemWords,
) -> Result<(), RegistryError> {
    let sql = "INSERT INTO search_items (item_type, namespace, item_id, category, document) \
               VALUES ($1, $2, $3, $4, setweight(to_tsvector('simple', $5), 'A') || \
               setweight(to_tsvector('simple', $6), 'A') || \
               setweight(to_tsvector('simple', $7), 'B') || \
               setweight(to_tsvector('simple', $8), 'C') || \
               setweight(to_tsvector('simple', $9), 'B'))";
    let mut values = key(item).to_vec();
    values.push((&words.category).into());
    values.extend(word_values(item, words));
    connection.execute(sql, &values)?;
    Ok(())
}

/// Returns the columns of words. Separators in names become spaces, so that both databases find the
/// parts of a name.
fn word_values(item: &RegistryItemName, words: &ItemWords) -> [Value; 5] {
    let split = |text: &str| text.replace(['_', '-', '/', '.', '@', ':'], " ");
    [
        split(item.id.as_str()).into(),
        split(&words.name).into(),
        split(&words.description).into(),
        split(&words.category).into(),
        split(&words.tags).into(),
    ]
}
