use mere_core::trust::Checked;
use mere_engine::policy::Runnable;

fn forge(item: Checked<String>) -> Runnable<String> {
    Runnable { item }
}

fn main() {}
