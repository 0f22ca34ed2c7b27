use mere_engine::policy::ItemPermit;

fn twice(permit: ItemPermit) -> (ItemPermit, ItemPermit) {
    (permit, permit)
}

fn main() {}
