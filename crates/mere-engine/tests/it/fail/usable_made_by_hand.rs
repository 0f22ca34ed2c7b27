use mere_core::trust::Checked;
use mere_engine::policy::Usable;

fn forge(item: Checked<String>) -> Usable<String> {
    Usable { item }
}

fn main() {}
