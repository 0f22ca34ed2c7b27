//! Getting the program: the packages that `packaging/package.py` makes are installed and used.

mod bare_root;
mod built_packages;
mod container_file;
mod installs;
mod metadata;
