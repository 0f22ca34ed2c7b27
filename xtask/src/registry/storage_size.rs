//! What the items of a registry take: rows, bytes, and tiles of the log.

use std::path::Path;

use super::host::{Backend, RegistryHost};

/// The tables that grow with what is published.
const TABLES: [&str; 14] = [
    "namespace_blobs",
    "published_blobs",
    "log_entries",
    "log_nodes",
    "knowledge_entries",
    "knowledge_versions",
    "knowledge_relationships",
    "tools",
    "tool_versions",
    "tool_version_files",
    "directives",
    "directive_versions",
    "search_items",
    "audit_log",
];
/// How many hashes a tile has, and how many entries a bundle.
const TILE: u64 = 256;

/// What a registry takes.
pub(super) struct StorageSize {
    rows: u64,
    database_bytes: u64,
    blob_bytes: u64,
    entries: u64,
}

impl StorageSize {
    /// Measures a registry.
    pub(super) fn measure(host: &RegistryHost) -> Result<Self, String> {
        let mut rows = 0;
        for table in TABLES {
            rows += count(host, table)?;
        }
        let database_bytes = match host.backend {
            Backend::Sqlite => {
                // What is in the write-ahead log goes to its place.
                query_sqlite(host, "PRAGMA wal_checkpoint(TRUNCATE)")?;
                file_bytes(&host.path("registry.db"))
            }
            Backend::Postgres => {
                let size = host.run_psql("registry", "SELECT pg_database_size('registry')")?;
                size.parse().map_err(|_| "no size")?
            }
        };
        let (blob_bytes, entries) =
            (folder_bytes(&host.path("blobs")), count(host, "log_entries")?);
        Ok(Self { rows, database_bytes, blob_bytes, entries })
    }

    pub(super) fn rows_per(&self, items: usize) -> f64 {
        self.rows as f64 / items as f64
    }

    /// Returns the bytes of the database and of the blobs for an item.
    pub(super) fn bytes_per(&self, items: usize) -> [f64; 2] {
        [self.database_bytes, self.blob_bytes].map(|bytes| bytes as f64 / items as f64)
    }

    /// Returns how many tiles and bundles the log has for an item.
    pub(super) fn tiles_per(&self, items: usize) -> f64 {
        let bundles = self.entries.div_ceil(TILE);
        let (mut tiles, mut level) = (0, self.entries);
        while level > 1 {
            level = level.div_ceil(TILE);
            tiles += level;
        }
        (tiles + bundles) as f64 / items as f64
    }
}

fn count(host: &RegistryHost, table: &str) -> Result<u64, String> {
    let sql = format!("SELECT COUNT(*) FROM {table}");
    if host.backend == Backend::Postgres {
        return host.run_psql("registry", &sql)?.parse().map_err(|_| "no count".to_owned());
    }
    Ok(u64::try_from(query_sqlite(host, &sql)?).unwrap_or_default())
}

fn query_sqlite(host: &RegistryHost, sql: &str) -> Result<i64, String> {
    let connection = rusqlite::Connection::open(host.path("registry.db"));
    let connection = connection.map_err(|error| error.to_string())?;
    connection.query_row(sql, [], |row| row.get(0)).map_err(|error| error.to_string())
}

fn file_bytes(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |found| found.len())
}

fn folder_bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => folder_bytes(&entry.path()),
        _ => file_bytes(&entry.path()),
    });
    bytes.sum()
}
