use mere_core::trust::Checked;
use mere_engine::policy::Usable;

fn swap(permitted: &mut Usable<String>, another: Checked<String>) {
    permitted.item = another;
}

fn main() {}
