use mere_core::gate::Cleared;
use mere_core::reply::codes;

fn main() {
    let _ = Cleared { json: "leak".into(), mirror_json: "leak".into(), code: codes::DIR_PWD.id() };
}
