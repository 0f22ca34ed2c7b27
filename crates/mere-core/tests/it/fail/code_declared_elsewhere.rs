use mere_core::reply::{Code, Success, World};

fn main() {
    let _ = Code::<Success>::declare::<World>("DIR", 99);
}
