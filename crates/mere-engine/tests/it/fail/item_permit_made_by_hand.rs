use mere_engine::enforce::ItemPermit;

fn forge(other: ItemPermit) -> ItemPermit {
    ItemPermit { change: other.change, way: other.way }
}

fn main() {}
