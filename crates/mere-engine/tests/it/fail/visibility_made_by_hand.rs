use mere_core::address::Root;
use mere_engine::world::VisibilityRef;

fn main() {
    let _ = VisibilityRef::empty(Root::Project);
}
