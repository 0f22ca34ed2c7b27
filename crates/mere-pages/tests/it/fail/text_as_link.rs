//! A text is not a link before somebody has looked at its scheme.

use mere_pages::link;

fn main() {
    let _ = link("javascript:alert(1)", "words");
}
