use mere_core::item::ScopedPath;
use mere_engine::policy::CategoryPermit;

fn swap(permit: &mut CategoryPermit, another: ScopedPath) {
    permit.place = another;
}

fn main() {}
