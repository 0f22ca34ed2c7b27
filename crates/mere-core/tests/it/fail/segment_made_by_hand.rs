use mere_core::address::Segment;

fn main() {
    let _ = Segment("..".to_owned());
}
