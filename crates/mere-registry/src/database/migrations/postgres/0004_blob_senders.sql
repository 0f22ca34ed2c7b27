-- Which token sent a file, so that a publish names no file whose bytes its sender may not have had.
CREATE TABLE blob_senders (
  namespace TEXT COLLATE "C" NOT NULL REFERENCES namespaces (name),
  sha256 TEXT COLLATE "C" NOT NULL,
  token_id TEXT NOT NULL REFERENCES tokens (id),
  sent_at TEXT NOT NULL,
  PRIMARY KEY (namespace, sha256, token_id)
);
