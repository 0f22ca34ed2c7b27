-- Accounts, namespaces and what they may do.

CREATE TABLE accounts (
  name TEXT PRIMARY KEY,
  created_at TEXT NOT NULL
);

CREATE TABLE namespaces (
  name TEXT PRIMARY KEY,
  name_key TEXT NOT NULL UNIQUE,
  skeleton TEXT NOT NULL UNIQUE,
  owner TEXT NOT NULL REFERENCES accounts (name),
  private INTEGER NOT NULL,
  created_at TEXT NOT NULL
);

CREATE TABLE namespace_keys (
  namespace TEXT NOT NULL REFERENCES namespaces (name),
  fingerprint TEXT NOT NULL,
  public_key TEXT NOT NULL,
  added_at TEXT NOT NULL,
  removed_at TEXT,
  PRIMARY KEY (namespace, fingerprint)
);

CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL REFERENCES accounts (name),
  scopes TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT,
  revoked_at TEXT
);

CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL
);

CREATE TABLE namespace_blobs (
  namespace TEXT NOT NULL REFERENCES namespaces (name),
  sha256 TEXT NOT NULL,
  size INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (namespace, sha256)
);

-- The transparency log.

CREATE TABLE log_entries (
  leaf_index INTEGER PRIMARY KEY,
  hash BLOB NOT NULL,
  entry BLOB NOT NULL
);

-- The hashes of full subtrees of 256, 65536, ... leaves: what tiles above the lowest level hold.
CREATE TABLE log_nodes (
  level INTEGER NOT NULL,
  node_index INTEGER NOT NULL,
  hash BLOB NOT NULL,
  PRIMARY KEY (level, node_index)
);

-- What was sealed for a private namespace: the entry in clear, and its nonce.
CREATE TABLE sealed_entries (
  leaf_index INTEGER PRIMARY KEY REFERENCES log_entries (leaf_index),
  namespace TEXT NOT NULL REFERENCES namespaces (name),
  entry BLOB NOT NULL,
  nonce BLOB NOT NULL
);

CREATE TABLE log_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  registry_id TEXT NOT NULL,
  verifier_key TEXT NOT NULL,
  signing_key TEXT,
  size INTEGER NOT NULL,
  frontier BLOB NOT NULL,
  checkpoint TEXT NOT NULL,
  signed_at INTEGER NOT NULL
);

CREATE TABLE cosignatures (
  witness TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  checkpoint TEXT NOT NULL,
  line TEXT NOT NULL
);

-- Items, in tables of their own for each type.

CREATE TABLE directives (
  namespace TEXT NOT NULL REFERENCES namespaces (name),
  directive_id TEXT NOT NULL,
  id_key TEXT NOT NULL,
  skeleton TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  category TEXT NOT NULL,
  permissions_xml TEXT,
  model_tier TEXT,
  form TEXT,
  latest_version TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (namespace, directive_id),
  UNIQUE (namespace, id_key),
  UNIQUE (namespace, skeleton)
);

CREATE TABLE directive_versions (
  namespace TEXT NOT NULL,
  directive_id TEXT NOT NULL,
  version TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  category TEXT NOT NULL,
  tags TEXT NOT NULL,
  permissions_xml TEXT,
  model_tier TEXT,
  form TEXT,
  content_hash TEXT NOT NULL,
  integrity TEXT NOT NULL,
  record TEXT NOT NULL,
  published_at TEXT NOT NULL,
  leaf_index INTEGER NOT NULL REFERENCES log_entries (leaf_index),
  yanked_at TEXT,
  yank_index INTEGER REFERENCES log_entries (leaf_index),
  PRIMARY KEY (namespace, directive_id, version),
  FOREIGN KEY (namespace, directive_id) REFERENCES directives (namespace, directive_id)
);

CREATE TABLE tools (
  namespace TEXT NOT NULL REFERENCES namespaces (name),
  tool_id TEXT NOT NULL,
  id_key TEXT NOT NULL,
  skeleton TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  category TEXT NOT NULL,
  executor_id TEXT,
  tool_type TEXT,
  latest_version TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (namespace, tool_id),
  UNIQUE (namespace, id_key),
  UNIQUE (namespace, skeleton)
);

CREATE TABLE tool_versions (
  namespace TEXT NOT NULL,
  tool_id TEXT NOT NULL,
  version TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  category TEXT NOT NULL,
  tags TEXT NOT NULL,
  executor_id TEXT,
  tool_type TEXT,
  content_hash TEXT NOT NULL,
  integrity TEXT NOT NULL,
  record TEXT NOT NULL,
  published_at TEXT NOT NULL,
  leaf_index INTEGER NOT NULL REFERENCES log_entries (leaf_index),
  yanked_at TEXT,
  yank_index INTEGER REFERENCES log_entries (leaf_index),
  PRIMARY KEY (namespace, tool_id, version),
  FOREIGN KEY (namespace, tool_id) REFERENCES tools (namespace, tool_id)
);

CREATE TABLE tool_version_files (
  namespace TEXT NOT NULL,
  tool_id TEXT NOT NULL,
  version TEXT NOT NULL,
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  size INTEGER NOT NULL,
  PRIMARY KEY (namespace, tool_id, version, path),
  FOREIGN KEY (namespace, tool_id, version) REFERENCES tool_versions (namespace, tool_id, version)
);

CREATE TABLE knowledge_entries (
  namespace TEXT NOT NULL REFERENCES namespaces (name),
  zettel_id TEXT NOT NULL,
  id_key TEXT NOT NULL,
  skeleton TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  category TEXT NOT NULL,
  entry_type TEXT,
  source_type TEXT,
  latest_version TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (namespace, zettel_id),
  UNIQUE (namespace, id_key),
  UNIQUE (namespace, skeleton)
);

CREATE TABLE knowledge_versions (
  namespace TEXT NOT NULL,
  zettel_id TEXT NOT NULL,
  version TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  category TEXT NOT NULL,
  tags TEXT NOT NULL,
  entry_type TEXT,
  source_type TEXT,
  content_hash TEXT NOT NULL,
  integrity TEXT NOT NULL,
  record TEXT NOT NULL,
  published_at TEXT NOT NULL,
  leaf_index INTEGER NOT NULL REFERENCES log_entries (leaf_index),
  yanked_at TEXT,
  yank_index INTEGER REFERENCES log_entries (leaf_index),
  PRIMARY KEY (namespace, zettel_id, version),
  FOREIGN KEY (namespace, zettel_id) REFERENCES knowledge_entries (namespace, zettel_id)
);

CREATE TABLE knowledge_relationships (
  namespace TEXT NOT NULL,
  from_zettel_id TEXT NOT NULL,
  version TEXT NOT NULL,
  to_zettel_id TEXT NOT NULL,
  relationship_type TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (namespace, from_zettel_id, version, to_zettel_id, relationship_type),
  FOREIGN KEY (namespace, from_zettel_id, version)
    REFERENCES knowledge_versions (namespace, zettel_id, version)
);

CREATE INDEX knowledge_relationships_to ON knowledge_relationships (namespace, to_zettel_id);

CREATE TABLE lockfiles (
  namespace TEXT NOT NULL REFERENCES namespaces (name),
  lockfile_id TEXT NOT NULL,
  id_key TEXT NOT NULL,
  skeleton TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  category TEXT NOT NULL,
  latest_version TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (namespace, lockfile_id),
  UNIQUE (namespace, id_key),
  UNIQUE (namespace, skeleton)
);

CREATE TABLE lockfile_versions (
  namespace TEXT NOT NULL,
  lockfile_id TEXT NOT NULL,
  version TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  category TEXT NOT NULL,
  tags TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  integrity TEXT NOT NULL,
  record TEXT NOT NULL,
  published_at TEXT NOT NULL,
  leaf_index INTEGER NOT NULL REFERENCES log_entries (leaf_index),
  yanked_at TEXT,
  yank_index INTEGER REFERENCES log_entries (leaf_index),
  PRIMARY KEY (namespace, lockfile_id, version),
  FOREIGN KEY (namespace, lockfile_id) REFERENCES lockfiles (namespace, lockfile_id)
);

-- What is not hidden by a yank, of all types.
CREATE VIEW unified_items AS
SELECT 'directive' AS item_type, directive_id AS item_id, name AS name, description, category, CAST(NULL AS TEXT) AS executor_id,
  CAST(NULL AS TEXT) AS entry_type, latest_version, created_at, namespace FROM directives WHERE latest_version IS NOT NULL
UNION ALL
SELECT 'tool' AS item_type, tool_id AS item_id, name AS name, description, category, executor_id AS executor_id,
  CAST(NULL AS TEXT) AS entry_type, latest_version, created_at, namespace FROM tools WHERE latest_version IS NOT NULL
UNION ALL
SELECT 'knowledge' AS item_type, zettel_id AS item_id, title AS name, description, category, CAST(NULL AS TEXT) AS executor_id,
  entry_type AS entry_type, latest_version, created_at, namespace FROM knowledge_entries WHERE latest_version IS NOT NULL
UNION ALL
SELECT 'lockfile' AS item_type, lockfile_id AS item_id, name AS name, description, category, CAST(NULL AS TEXT) AS executor_id,
  CAST(NULL AS TEXT) AS entry_type, latest_version, created_at, namespace FROM lockfiles WHERE latest_version IS NOT NULL;

-- The words of what unified_items shows.
CREATE TABLE search_items (
  id INTEGER PRIMARY KEY,
  item_type TEXT NOT NULL,
  namespace TEXT NOT NULL,
  item_id TEXT NOT NULL,
  category TEXT NOT NULL,
  UNIQUE (item_type, namespace, item_id)
);

CREATE VIRTUAL TABLE search_text USING fts5 (
  item_id, name, description, category, tags, content = '', contentless_delete = 1, prefix = '1 2',
  tokenize = "unicode61 remove_diacritics 2"
);
