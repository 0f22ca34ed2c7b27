use mere_engine::enforce::Permit;

fn twice<'a>(permit: Permit<'a>) -> (Permit<'a>, Permit<'a>) {
    (permit, permit)
}

fn main() {}
