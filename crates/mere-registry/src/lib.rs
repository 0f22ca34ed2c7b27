//! The registry server. Nothing is served yet: the registry comes after items and their signatures.
