use mere_core::trust::Checked;

fn promote(unsigned: Checked<String>) -> Checked<String> {
    match unsigned {
        Checked::Unsigned(item) => Checked::Verified(item),
        other => other,
    }
}

fn main() {
    let _ = promote;
}
