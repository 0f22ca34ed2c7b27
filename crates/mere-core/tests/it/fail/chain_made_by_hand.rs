use mere_core::chain::{Chain, FilledConfig};

fn main() {
    let _ = Chain { tools: Vec::new() };
    let chain = Chain::new(Vec::new()).unwrap();
    let _ = FilledConfig { chain: &chain, value: serde_json::Map::new() };
}
