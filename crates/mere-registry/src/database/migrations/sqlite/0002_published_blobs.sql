-- Which items have a file, so that a token for one item reads the files of no other.
CREATE TABLE published_blobs (
  namespace TEXT NOT NULL REFERENCES namespaces (name),
  sha256 TEXT NOT NULL,
  item_type TEXT NOT NULL,
  item_id TEXT NOT NULL,
  PRIMARY KEY (namespace, sha256, item_type, item_id)
) WITHOUT ROWID;

-- Files that nobody published. As long as a file is here, its bytes may be gone.
CREATE TABLE swept_blobs (
  sha256 TEXT PRIMARY KEY,
  swept_at TEXT NOT NULL,
  removed_at TEXT
);
