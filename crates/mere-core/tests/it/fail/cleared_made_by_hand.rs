use mere_core::gate::Cleared;
use mere_core::reply::ReplyType;

fn main() {
    let _ = Cleared { value: "leak".into(), reply: ReplyType::Success };
}
