use mere_core::chain::Chain;
use mere_engine::run::Linked;

fn forge(chain: Chain) -> Linked {
    Linked { chain, links: Vec::new() }
}

fn main() {}
