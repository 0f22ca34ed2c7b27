use mere_engine::policy::ItemPermit;

fn forge(other: ItemPermit) -> ItemPermit {
    ItemPermit { change: other.change, route: other.route }
}

fn main() {}
