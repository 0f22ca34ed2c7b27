use mere_engine::policy::CategoryPermit;

fn twice(permit: &CategoryPermit) -> CategoryPermit {
    permit.clone()
}

fn main() {}
