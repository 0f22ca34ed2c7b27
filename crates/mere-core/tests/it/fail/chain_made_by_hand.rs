use mere_core::chain::{Chain, Filled};

fn main() {
    let _ = Chain { members: Vec::new() };
    let chain = Chain::new(Vec::new()).unwrap();
    let _ = Filled { chain: &chain, value: serde_json::Map::new() };
}
