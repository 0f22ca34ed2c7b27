use mere_engine::policy::CategoryPermit;

fn twice(permit: CategoryPermit) -> (CategoryPermit, CategoryPermit) {
    (permit, permit)
}

fn main() {}
