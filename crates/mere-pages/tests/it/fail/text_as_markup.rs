//! The field of a piece of a page is private.

fn main() {
    let _ = mere_pages::Html("<script>".to_owned());
}
