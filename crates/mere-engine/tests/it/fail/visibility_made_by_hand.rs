use mere_core::root::Root;
use mere_engine::world::VisibilityRef;

fn main() {
    let _ = VisibilityRef::empty(Root::Project);
}
