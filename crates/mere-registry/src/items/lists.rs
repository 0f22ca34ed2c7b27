//! Lists and searches over the items of all types that somebody may read.
//!
//! A cursor says where a page begins and grants nothing: every page is filtered anew.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use mere_core::registry::{RegistryItemPage, RegistryItemRow, RegistryQuery};

use crate::accounts::Access;
use crate::database::{Connection, DatabaseError, Dialect, Row, Value};
use crate::error::RegistryError;
use crate::registry::Registry;

/// The most words of a search.
const MAX_WORDS: usize = 16;
/// How many items that match are ranked: a word that is everywhere says nothing about which item is
/// meant, and must not cost more than others.
const MAX_RANKED: u64 = 2_000;
/// How far a search can be paged through.
const MAX_OFFSET: u64 = 1_000;

/// The columns of a row. The table of words has a row for each item that is not hidden, and says
/// in which table the rest is, so that no other table is read for the order.
const COLUMNS: &str = "s.item_type, s.namespace, s.item_id, \
                       COALESCE(d.name, t.name, k.title, l.name), \
                       COALESCE(d.description, t.description, k.description, l.description), \
                       COALESCE(d.category, t.category, k.category, l.category), \
                       t.executor_id, k.entry_type, \
                       COALESCE(d.latest_version, t.latest_version, k.latest_version, \
                       l.latest_version), \
                       COALESCE(d.created_at, t.created_at, k.created_at, l.created_at)";

/// The tables that [`COLUMNS`] are from, beside `search_items s`.
const JOINS: &str = "JOIN namespaces n ON n.name = s.namespace \
                     LEFT JOIN directives d ON s.item_type = 'directive' AND \
                     d.namespace = s.namespace AND d.directive_id = s.item_id \
                     LEFT JOIN tools t ON s.item_type = 'tool' AND \
                     t.namespace = s.namespace AND t.tool_id = s.item_id \
                     LEFT JOIN knowledge_entries k ON s.item_type = 'knowledge' AND \
                     k.namespace = s.namespace AND k.zettel_id = s.item_id \
                     LEFT JOIN lockfiles l ON s.item_type = 'lockfile' AND \
                     l.namespace = s.namespace AND l.lockfile_id = s.item_id";

/// Conditions of a query, with their values.
struct Conditions {
    texts: Vec<String>,
    values: Vec<Value>,
}

impl Conditions {
    /// Begins with what the caller may read and the query asks for. `first` is the number of the
    /// first value.
    fn new(access: &Access, query: &RegistryQuery, first: usize) -> Self {
        let (readable, values) = access.readable_condition("s", first);
        let mut all = Self { texts: vec![readable], values };
        if !query.types.is_empty() {
            let names = query.types.iter().map(|kind| format!("'{}'", kind.name()));
            let names = names.collect::<Vec<_>>().join(", ");
            all.texts.push(format!("s.item_type IN ({names})"));
        }
        if let Some(namespace) = &query.namespace {
            let place = all.push(namespace.key().as_str(), first);
            all.texts.push(format!("n.name_key = {place}"));
        }
        if let Some(category) = query.category.as_ref().filter(|category| !category.is_empty()) {
            let place = all.push(category.as_str(), first);
            let below = all.push(&format!("{}/", category.as_str()), first);
            all.texts.push(format!(
                "(s.category = {place} OR SUBSTR(s.category, 1, LENGTH({below})) = {below})"
            ));
        }
        all
    }

    /// Adds a value and returns its place.
    fn push(&mut self, value: &str, first: usize) -> String {
        self.values.push(value.into());
        format!("${}", first + self.values.len() - 1)
    }

    fn joined(&self) -> String {
        self.texts.join(" AND ")
    }
}

impl Registry {
    /// Lists items by type, namespace and id.
    pub(crate) fn list_items(
        &self,
        access: &Access,
        query: &RegistryQuery,
    ) -> Result<RegistryItemPage, RegistryError> {
        let mut all = Conditions::new(access, query, 1);
        if let Some(cursor) = &query.cursor {
            let parts = decode_cursor(cursor)?;
            let [kind, namespace, id] = parts.as_slice() else { return Err(wrong_cursor()) };
            let places = [kind, namespace, id].map(|part| all.push(part, 1)).join(", ");
            all.texts.push(format!("(s.item_type, s.namespace, s.item_id) > ({places})"));
        }
        let size = u64::from(query.page_size());
        let limit = format!("${}", all.values.len() + 1);
        let sql = format!(
            "SELECT {COLUMNS} FROM search_items s {JOINS} \
             WHERE {} ORDER BY s.item_type, s.namespace, s.item_id LIMIT {limit}",
            all.joined()
        );
        all.values.push((size + 1).into());
        let mut items = self.database.read(|connection| {
            let rows = connection.query(&sql, &all.values)?;
            rows.iter().map(read_row).collect::<Result<Vec<_>, DatabaseError>>()
        })?;
        let next = cut_page(&mut items, size).map(|last| {
            encode_cursor(&[last.item_type.name(), last.namespace.as_str(), last.item_id.as_str()])
        });
        Ok(RegistryItemPage { items, total: None, next })
    }

    /// Finds the items with all these words, or words that begin like them, the best first.
    pub(crate) fn search(
        &self,
        access: &Access,
        query: &RegistryQuery,
    ) -> Result<RegistryItemPage, RegistryError> {
        let words = search_words(&query.text);
        if words.is_empty() {
            return self.list_items(access, query);
        }
        let offset = match &query.cursor {
            None => 0,
            Some(cursor) => {
                let parts = decode_cursor(cursor)?;
                let [offset] = parts.as_slice() else { return Err(wrong_cursor()) };
                let offset = offset.parse::<u64>().ok();
                offset.filter(|offset| *offset <= MAX_OFFSET).ok_or_else(wrong_cursor)?
            }
        };
        let size = u64::from(query.page_size());
        let mut items = self.database.read(|connection| {
            let mut all = Conditions::new(access, query, 2);
            let text = match_text(connection.dialect(), &words);
            let sql = search_sql(connection, &all);
            all.values.insert(0, text.into());
            all.values.extend([Value::from(size + 1), offset.into()]);
            let rows = connection.query(&sql, &all.values)?;
            rows.iter().map(read_row).collect::<Result<Vec<_>, DatabaseError>>()
        })?;
        let has_more = cut_page(&mut items, size).is_some() && offset + size <= MAX_OFFSET;
        let next = has_more.then(|| encode_cursor(&[&(offset + size).to_string()]));
        Ok(RegistryItemPage { items, total: None, next })
    }
}

/// Returns the statement of a search: what matches is ranked, and only the rows of the page are read
/// from the other tables. A planner that could join first would read all of them.
fn search_sql(connection: &Connection, all: &Conditions) -> String {
    let (limit, offset) = (all.values.len() + 2, all.values.len() + 3);
    let conditions = all.joined();
    let (ranked, order) = match connection.dialect() {
        Dialect::Sqlite => (
            format!(
                "SELECT s.id AS id, s.namespace AS namespace, s.item_id AS item_id, \
                 bm25(search_text, 10.0, 8.0, 4.0, 2.0, 3.0) AS score FROM search_text w \
                 JOIN search_items s ON s.id = w.rowid JOIN namespaces n ON n.name = s.namespace \
                 WHERE search_text MATCH $1 AND {conditions} LIMIT {MAX_RANKED}"
            ),
            "score",
        ),
        #[cfg(feature = "postgres")]
        Dialect::Postgres => (
            format!(
                "SELECT s.id AS id, s.namespace AS namespace, s.item_id AS item_id, \
                 ts_rank(s.document, q) AS score \
                 FROM search_words($1) q JOIN search_items s ON s.document @@ q \
                 JOIN namespaces n ON n.name = s.namespace WHERE {conditions} LIMIT {MAX_RANKED}"
            ),
            "score DESC",
        ),
    };
    format!(
        "WITH ranked AS MATERIALIZED ({ranked}), page AS MATERIALIZED (SELECT * FROM ranked \
         ORDER BY {order}, namespace, item_id LIMIT ${limit} OFFSET ${offset}) \
         SELECT {COLUMNS} FROM page JOIN search_items s ON s.id = page.id {JOINS} \
         ORDER BY page.{order}, s.namespace, s.item_id"
    )
}

/// Splits a text into words. Only letters and digits are left, so that no query language of a
/// database is ever spoken by a caller.
fn search_words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.take(MAX_WORDS).map(str::to_lowercase).collect()
}

fn match_text(dialect: Dialect, words: &[String]) -> String {
    match dialect {
        Dialect::Sqlite => {
            words.iter().map(|word| format!("\"{word}\"*")).collect::<Vec<_>>().join(" ")
        }
        #[cfg(feature = "postgres")]
        Dialect::Postgres => words.join(" "),
    }
}

/// Cuts the row that shows that there are more, and returns the last one of the page then.
fn cut_page(items: &mut Vec<RegistryItemRow>, size: u64) -> Option<&RegistryItemRow> {
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    if items.len() <= size {
        return None;
    }
    items.truncate(size);
    items.last()
}

fn read_row(row: &Row) -> Result<RegistryItemRow, DatabaseError> {
    let wrong = |_| DatabaseError::Shape;
    let executor = row.optional_text(6)?.map(|text| text.parse()).transpose();
    Ok(RegistryItemRow {
        item_type: row.text(0)?.parse().map_err(|_| DatabaseError::Shape)?,
        namespace: row.text(1)?.parse().map_err(|_| DatabaseError::Shape)?,
        item_id: row.text(2)?.parse().map_err(wrong)?,
        name: row.text(3)?,
        description: row.text(4)?,
        category: row.text(5)?.parse().map_err(|_| DatabaseError::Shape)?,
        executor_id: executor.map_err(|_| DatabaseError::Shape)?,
        entry_type: row.optional_text(7)?,
        latest_version: row.text(8)?.parse().map_err(|_| DatabaseError::Shape)?,
        created_at: row.text(9)?.parse().map_err(|_| DatabaseError::Shape)?,
    })
}

fn encode_cursor(parts: &[&str]) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(parts.join("\n"))
}

fn decode_cursor(text: &str) -> Result<Vec<String>, RegistryError> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).map_err(|_| wrong_cursor())?;
    let plain = String::from_utf8(bytes).map_err(|_| wrong_cursor())?;
    Ok(plain.split('\n').map(str::to_owned).collect())
}

fn wrong_cursor() -> RegistryError {
    RegistryError::Malformed("the cursor was not returned by this list")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_only_words() {
        assert_eq!(search_words("a\" OR name:* --b/ß"), ["a", "or", "name", "b", "ß"]);
        assert_eq!(match_text(Dialect::Sqlite, &["a".to_owned()]), "\"a\"*");
        assert!(search_words("\" * ^ ()").is_empty());
    }

    #[test]
    fn a_cursor_comes_back_as_it_was() {
        let cursor = encode_cursor(&["tool", "ns", "id"]);
        assert_eq!(decode_cursor(&cursor).expect("a cursor"), ["tool", "ns", "id"]);
        assert!(decode_cursor("*").is_err());
    }
}
