use mere_core::trust::Verified;
use mere_engine::policy::CountedLockfile;

fn swap(permitted: &mut CountedLockfile<String>, another: Verified<String>) {
    permitted.lockfile = another;
}

fn main() {}
