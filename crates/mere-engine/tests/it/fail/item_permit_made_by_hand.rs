use mere_engine::policy::ItemPermit;

fn forge(other: ItemPermit) -> ItemPermit {
    ItemPermit { change: other.change, way: other.way }
}

fn main() {}
