use mere_core::trust::Verified;

fn swap(verified: &mut Verified<String>) {
    verified.item = String::from("another");
}

fn main() {
    let _ = swap;
}
