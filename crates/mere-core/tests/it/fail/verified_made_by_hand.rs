use mere_core::trust::{Verdict, Verified, Vouched};

fn forge(item: String, vouched: Vouched) -> Verdict<String> {
    Verdict::Verified(Verified { item, vouched })
}

fn main() {
    let _ = forge;
}
