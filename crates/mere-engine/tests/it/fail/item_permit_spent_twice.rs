use mere_engine::enforce::ItemPermit;

fn twice(permit: ItemPermit) -> (ItemPermit, ItemPermit) {
    (permit, permit)
}

fn main() {}
