use mere_core::trust::Checked;
use mere_engine::policy::Runnable;

fn swap(permitted: &mut Runnable<String>, another: Checked<String>) {
    permitted.item = another;
}

fn main() {}
