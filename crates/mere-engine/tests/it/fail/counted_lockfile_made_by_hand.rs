use mere_core::trust::Verified;
use mere_engine::policy::CountedLockfile;

fn forge(lockfile: Verified<String>) -> CountedLockfile<String> {
    CountedLockfile { lockfile }
}

fn main() {}
