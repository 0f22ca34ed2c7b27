use mere_core::item::ScopedPath;
use mere_engine::policy::CategoryPermit;

fn forge(place: ScopedPath) -> CategoryPermit {
    CategoryPermit { place }
}

fn main() {}
