use mere_core::segment::Segment;

fn main() {
    let _ = Segment("..".to_owned());
}
