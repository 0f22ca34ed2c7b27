use mere_core::reply::{Draft, codes};

fn main() {
    let _ = Draft::denied(codes::PATH_NOT_VISIBLE, "no");
}
