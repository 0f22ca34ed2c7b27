-- Which entries of the log change the keys of a namespace, so that its readers are shown them.
CREATE TABLE key_changes (
  namespace TEXT COLLATE "C" NOT NULL REFERENCES namespaces (name),
  leaf_index BIGINT NOT NULL REFERENCES log_entries (leaf_index),
  PRIMARY KEY (namespace, leaf_index)
);
