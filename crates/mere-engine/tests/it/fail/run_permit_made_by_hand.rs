use mere_engine::policy::RunPermit;

fn forge() -> RunPermit {
    RunPermit::unbound()
}

fn main() {}
