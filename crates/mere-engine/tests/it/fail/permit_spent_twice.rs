use mere_engine::policy::Permit;

fn twice<'a>(permit: Permit<'a>) -> (Permit<'a>, Permit<'a>) {
    (permit, permit)
}

fn main() {}
