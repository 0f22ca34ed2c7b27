//! Logging out: the token is forgotten, and nothing else.

use super::fixture::Neighbours;

#[test]
fn who_logs_out_publishes_nothing_and_keeps_the_pinned_key() {
    let Neighbours { registry, author, .. } = Neighbours::new();
    author.publish_note("style", "1.0.0", "one");
    let logins = author.stage.path("home/.config/merestone/registries.json");
    let kept = || std::fs::read_to_string(&logins).expect("the logins");
    assert!(kept().contains("mere_"), "the token is kept");
    assert_eq!(author.code(&["logout"]), "RG-LOGIN-S-002");
    assert!(!kept().contains("mere_"), "{}", kept());
    author.write_note("tone", "1.0.0", "two");
    let refused = author.reply(&["publish", "note", "shared/tone", "--namespace", "acme"]);
    assert_eq!(refused["code"], "RG-NET-I-001", "{refused}");
    // What is public can still be read, and the log key is not asked for again.
    author.print(&["search", "--source", "registry", "style"]);
    author.print(&["login", &registry.url, "--no-token"]);
    let other = author.stage.file("beside/other", "mere_");
    let other = other.to_str().expect("text");
    let wrong = "SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let words = ["login", &registry.url, "--log-key", wrong, "--token-file", other];
    assert_ne!(author.run(&words).status.code(), Some(0));
    // Logging out twice, or without a registry, says so.
    assert_eq!(author.code(&["logout"]), "RG-LOGIN-S-002");
    let nobody = super::fixture::Person::new();
    assert_eq!(nobody.code(&["logout"]), "RG-LOGIN-I-003");
}
