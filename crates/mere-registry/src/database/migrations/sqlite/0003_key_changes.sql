-- Which entries of the log change the keys of a namespace, so that its readers are shown them.
CREATE TABLE key_changes (
  namespace TEXT NOT NULL REFERENCES namespaces (name),
  leaf_index INTEGER NOT NULL REFERENCES log_entries (leaf_index),
  PRIMARY KEY (namespace, leaf_index)
) WITHOUT ROWID;
