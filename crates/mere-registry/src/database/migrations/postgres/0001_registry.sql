-- Accounts, namespaces and what they may do.

CREATE TABLE accounts (
  name TEXT COLLATE "C" PRIMARY KEY,
  created_at TEXT NOT NULL
);

CREATE TABLE namespaces (
  name TEXT COLLATE "C" PRIMARY KEY,
  name_key TEXT COLLATE "C" NOT NULL UNIQUE,
  skeleton TEXT COLLATE "C" NOT NULL UNIQUE,
  owner TEXT NOT NULL REFERENCES accounts (name),
  private BIGINT NOT NULL,
  created_at TEXT NOT NULL
);

CREATE TABLE namespace_keys (
  namespace TEXT COLLATE "C" NOT NULL REFERENCES namespaces (name),
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
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at TEXT NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL
);

CREATE TABLE namespace_blobs (
  namespace TEXT COLLATE "C" NOT NULL REFERENCES namespaces (name),
  sha256 TEXT NOT NULL,
  size BIGINT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (namespace, sha256)
);

-- The transparency log.

CREATE TABLE log_entries (
  leaf_index BIGINT PRIMARY KEY,
  hash BYTEA NOT NULL,
  entry BYTEA NOT NULL
);

-- The hashes of full subtrees of 256, 65536, ... leaves: what tiles above the lowest level hold.
CREATE TABLE log_nodes (
  level BIGINT NOT NULL,
  node_index BIGINT NOT NULL,
  hash BYTEA NOT NULL,
  PRIMARY KEY (level, node_index)
);

-- What was sealed for a private namespace: the entry in clear, and its nonce.
CREATE TABLE sealed_entries (
  leaf_index BIGINT PRIMARY KEY REFERENCES log_entries (leaf_index),
  namespace TEXT COLLATE "C" NOT NULL REFERENCES namespaces (name),
  entry BYTEA NOT NULL,
  nonce BYTEA NOT NULL
);

CREATE TABLE log_state (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  registry_id TEXT COLLATE "C" NOT NULL,
  verifier_key TEXT NOT NULL,
  signing_key TEXT,
  size BIGINT NOT NULL,
  frontier BYTEA NOT NULL,
  checkpoint TEXT NOT NULL,
  signed_at BIGINT NOT NULL
);

CREATE TABLE cosignatures (
  witness TEXT PRIMARY KEY,
  size BIGINT NOT NULL,
  checkpoint TEXT NOT NULL,
  line TEXT NOT NULL
);

-- Items, in tables of their own for each type.

CREATE TABLE directives (
  namespace TEXT COLLATE "C" NOT NULL REFERENCES namespaces (name),
  directive_id TEXT COLLATE "C" NOT NULL,
  id_key TEXT COLLATE "C" NOT NULL,
  skeleton TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
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
  namespace TEXT COLLATE "C" NOT NULL,
  directive_id TEXT COLLATE "C" NOT NULL,
  version TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
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
  leaf_index BIGINT NOT NULL REFERENCES log_entries (leaf_index),
  yanked_at TEXT,
  yank_index BIGINT REFERENCES log_entries (leaf_index),
  PRIMARY KEY (namespace, directive_id, version),
  FOREIGN KEY (namespace, directive_id) REFERENCES directives (namespace, directive_id)
);

CREATE TABLE tools (
  namespace TEXT COLLATE "C" NOT NULL REFERENCES namespaces (name),
  tool_id TEXT COLLATE "C" NOT NULL,
  id_key TEXT COLLATE "C" NOT NULL,
  skeleton TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  description TEXT NOT NULL,
  category TEXT NOT NULL,
  executor_id TEXT COLLATE "C",
  tool_type TEXT,
  latest_version TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (namespace, tool_id),
  UNIQUE (namespace, id_key),
  UNIQUE (namespace, skeleton)
);

CREATE TABLE tool_versions (
  namespace TEXT COLLATE "C" NOT NULL,
  tool_id TEXT COLLATE "C" NOT NULL,
  version TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  description TEXT NOT NULL,
  category TEXT NOT NULL,
  tags TEXT NOT NULL,
  executor_id TEXT COLLATE "C",
  tool_type TEXT,
  content_hash TEXT NOT NULL,
  integrity TEXT NOT NULL,
  record TEXT NOT NULL,
  published_at TEXT NOT NULL,
  leaf_index BIGINT NOT NULL REFERENCES log_entries (leaf_index),
  yanked_at TEXT,
  yank_index BIGINT REFERENCES log_entries (leaf_index),
  PRIMARY KEY (namespace, tool_id, version),
  FOREIGN KEY (namespace, tool_id) REFERENCES tools (namespace, tool_id)
);

CREATE TABLE tool_version_files (
  namespace TEXT COLLATE "C" NOT NULL,
  tool_id TEXT COLLATE "C" NOT NULL,
  version TEXT COLLATE "C" NOT NULL,
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  size BIGINT NOT NULL,
  PRIMARY KEY (namespace, tool_id, version, path),
  FOREIGN KEY (namespace, tool_id, version) REFERENCES tool_versions (namespace, tool_id, version)
);

CREATE TABLE knowledge_entries (
  namespace TEXT COLLATE "C" NOT NULL REFERENCES namespaces (name),
  zettel_id TEXT COLLATE "C" NOT NULL,
  id_key TEXT COLLATE "C" NOT NULL,
  skeleton TEXT COLLATE "C" NOT NULL,
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
  namespace TEXT COLLATE "C" NOT NULL,
  zettel_id TEXT COLLATE "C" NOT NULL,
  version TEXT COLLATE "C" NOT NULL,
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
  leaf_index BIGINT NOT NULL REFERENCES log_entries (leaf_index),
  yanked_at TEXT,
  yank_index BIGINT REFERENCES log_entries (leaf_index),
  PRIMARY KEY (namespace, zettel_id, version),
  FOREIGN KEY (namespace, zettel_id) REFERENCES knowledge_entries (namespace, zettel_id)
);

CREATE TABLE knowledge_relationships (
  namespace TEXT COLLATE "C" NOT NULL,
  from_zettel_id TEXT COLLATE "C" NOT NULL,
  version TEXT COLLATE "C" NOT NULL,
  to_zettel_id TEXT COLLATE "C" NOT NULL,
  relationship_type TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (namespace, from_zettel_id, version, to_zettel_id, relationship_type),
  FOREIGN KEY (namespace, from_zettel_id, version)
    REFERENCES knowledge_versions (namespace, zettel_id, version)
);

CREATE INDEX knowledge_relationships_to ON knowledge_relationships (namespace, to_zettel_id);

CREATE TABLE lockfiles (
  namespace TEXT COLLATE "C" NOT NULL REFERENCES namespaces (name),
  lockfile_id TEXT COLLATE "C" NOT NULL,
  id_key TEXT COLLATE "C" NOT NULL,
  skeleton TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  description TEXT NOT NULL,
  category TEXT NOT NULL,
  latest_version TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (namespace, lockfile_id),
  UNIQUE (namespace, id_key),
  UNIQUE (namespace, skeleton)
);

CREATE TABLE lockfile_versions (
  namespace TEXT COLLATE "C" NOT NULL,
  lockfile_id TEXT COLLATE "C" NOT NULL,
  version TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  description TEXT NOT NULL,
  category TEXT NOT NULL,
  tags TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  integrity TEXT NOT NULL,
  record TEXT NOT NULL,
  published_at TEXT NOT NULL,
  leaf_index BIGINT NOT NULL REFERENCES log_entries (leaf_index),
  yanked_at TEXT,
  yank_index BIGINT REFERENCES log_entries (leaf_index),
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
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  item_type TEXT NOT NULL,
  namespace TEXT COLLATE "C" NOT NULL,
  item_id TEXT COLLATE "C" NOT NULL,
  category TEXT NOT NULL,
  document TSVECTOR NOT NULL,
  UNIQUE (item_type, namespace, item_id)
);

CREATE INDEX search_items_document ON search_items USING GIN (document);

-- The query for words that are separated by spaces; each may be the beginning of one.
CREATE FUNCTION search_words(p_query TEXT) RETURNS tsquery LANGUAGE sql IMMUTABLE AS $$
  SELECT COALESCE(to_tsquery('simple', string_agg(quote_literal(word) || ':*', ' & ')), ''::tsquery)
  FROM regexp_split_to_table(lower(p_query), '[[:space:]]+') AS word WHERE word <> ''
$$;

CREATE FUNCTION search_all_items(p_query TEXT, p_types TEXT[] DEFAULT NULL)
RETURNS TABLE (
  item_type TEXT, item_id TEXT, name TEXT, description TEXT, category TEXT, executor_id TEXT,
  entry_type TEXT, latest_version TEXT, created_at TEXT, namespace TEXT, rank REAL
) LANGUAGE sql STABLE AS $$
  SELECT u.item_type, u.item_id, u.name, u.description, u.category, u.executor_id, u.entry_type,
    u.latest_version, u.created_at, u.namespace, ts_rank(s.document, search_words(p_query))
  FROM search_items s
  JOIN unified_items u
    ON u.item_type = s.item_type AND u.namespace = s.namespace AND u.item_id = s.item_id
  WHERE s.document @@ search_words(p_query) AND (p_types IS NULL OR s.item_type = ANY (p_types))
$$;
