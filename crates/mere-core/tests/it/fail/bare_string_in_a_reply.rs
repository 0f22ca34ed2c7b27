use mere_core::reply::Fields;

fn main() {
    let from_somewhere = String::from("unknown origin");
    let _ = Fields::default().with("text", from_somewhere);
}
