//! Whether anything has changed in some folders, as the system tells.
//!
//! It says that something happened and never what: whoever asks looks for himself. Where the system
//! cannot tell (too many folders, another system), it is never quiet.

use cap_std::fs::Dir;

#[cfg(all(target_os = "linux", not(mere_portable)))]
pub(crate) use linux::Watch;
#[cfg(any(not(target_os = "linux"), mere_portable))]
pub(crate) use nobody::Watch;

#[cfg(all(target_os = "linux", not(mere_portable)))]
mod linux {
    use std::mem::MaybeUninit;
    use std::os::fd::{AsRawFd, OwnedFd};

    use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};
    use rustix::io::Errno;

    use super::Dir;
    use crate::host::OpenFolder;

    /// Changes of the names in some folders.
    pub(crate) struct Watch(Option<OwnedFd>);

    impl Watch {
        /// A watch that is never quiet.
        pub(crate) fn none() -> Self {
            Self(None)
        }

        /// A watch of no folder yet.
        pub(crate) fn new() -> Self {
            Self(inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok())
        }

        pub(crate) fn is_on(&self) -> bool {
            self.0.is_some()
        }

        /// Watches one more folder. One that is not there needs no watch: its parent has one.
        pub(crate) fn add(&mut self, root: &Dir, path: &str) {
            let Some(watch) = &self.0 else { return };
            let Ok(folder) = OpenFolder::below(root, path) else { return };
            // By its handle: the name could lead elsewhere by now.
            let handle = folder.into_dir();
            let name = format!("/proc/self/fd/{}", handle.as_raw_fd());
            let names = WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MOVED_FROM
                | WatchFlags::MOVED_TO
                | WatchFlags::DELETE_SELF
                | WatchFlags::MOVE_SELF
                | WatchFlags::ONLYDIR;
            if let Err(error) = inotify::add_watch(watch, name, names) {
                tracing::debug!(%error, "folders are looked at instead of watched");
                self.0 = None;
            }
        }

        /// Whether nothing has happened since the last time it was asked.
        pub(crate) fn is_quiet(&mut self) -> bool {
            let Some(watch) = &self.0 else { return false };
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut events = Reader::new(watch, &mut buffer);
            let mut quiet = true;
            loop {
                match events.next() {
                    Ok(_) => quiet = false,
                    Err(Errno::AGAIN) => return quiet,
                    Err(Errno::INTR) => {}
                    Err(_) => return false,
                }
            }
        }
    }
}

#[cfg(any(not(target_os = "linux"), mere_portable))]
mod nobody {
    use super::Dir;

    /// Nobody watches: it is never quiet.
    pub(crate) struct Watch;

    impl Watch {
        pub(crate) fn none() -> Self {
            Self
        }

        pub(crate) fn new() -> Self {
            Self
        }

        pub(crate) fn is_on(&self) -> bool {
            false
        }

        pub(crate) fn add(&mut self, _root: &Dir, _path: &str) {}

        pub(crate) fn is_quiet(&mut self) -> bool {
            false
        }
    }
}
