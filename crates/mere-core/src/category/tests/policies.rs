//! What the policies of a category allow: how many memories, how long, how large, and whether
//! they may go.

use super::*;

/// Builds rules under which `todo` keeps three short memories for a week and lets none be deleted.
fn limited() -> CategoryRules {
    let permissions = MemoryPermissions { delete: Some(false), ..MemoryPermissions::default() };
    let policy = MemoryPolicy {
        default_ttl: Some(7),
        max_content_length: Some(10),
        max_memories: Some(3),
        permissions,
        schema: None,
    };
    let mut hierarchy = rules(CategoryMode::Free).hierarchy().clone();
    hierarchy.top_categories[1].policy = policy;
    CategoryRules::new(CategoryOwner::Store, CategoryMode::Free, hierarchy)
}

#[test]
fn policies_hold_for_what_arrives_changes_and_leaves() {
    let rules = limited();
    let model = Model::with(&[
        "todo",
        "todo/sub",
        "todo/sub/a.md",
        "todo/full",
        "todo/full/a.md",
        "todo/full/b.md",
        "todo/full/c.md",
        "legacy",
    ]);
    let path = |text: &str| text.parse::<MemoryPath>().expect(text);
    let memory_text = |content: &str, expires: Option<&str>| {
        let expires_at = expires.map(|at| at.parse().expect("a time"));
        let memory = NewMemory { content: content.to_owned(), expires_at, ..NewMemory::default() };
        MemoryText::compose(&"x".parse().expect("a slug"), &memory, change_context().now)
            .expect("a note")
    };
    let soon = Some("2026-02-20T00:00:00Z");
    let judge = |change| decide(&rules, change, &model);
    let create = |at: &str, note| judge(StoreChange::CreateMemory { path: path(at), memory: note });
    assert_eq!(create("todo/sub/b", memory_text("short", soon)), "S");
    assert!(
        create("todo/sub/b", memory_text("far too long", soon))
            .starts_with("D Cannot write memory at 'todo/sub/b': its content has 12 bytes")
    );
    assert!(create("todo/sub/b", memory_text("short", None)).contains("at most 7 days"));
    assert!(
        create("todo/sub/b", memory_text("short", Some("2026-02-25T00:00:00Z")))
            .contains("Set `expires_at` to 2026-02-24T10:00:00Z or earlier.")
    );
    assert!(
        create("todo/full/d", memory_text("short", soon))
            .contains("holds 3 memories already and may hold 3")
    );
    let before = crate::digest::Sha256::digest(b"");
    let leave = |from: &str, to: &str| {
        judge(StoreChange::MoveMemory {
            from: path(from),
            to: path(to),
            memory: memory_text("short", soon),
            before,
        })
    };
    assert!(leave("todo/sub/a", "legacy/a").starts_with("D Cannot delete memory at 'todo/sub/a'"));
    assert_eq!(leave("todo/sub/a", "todo/sub/renamed"), "S");
    assert!(leave("legacy/a", "todo/full/d").contains("holds 3 memories already and may hold 3"));
    assert!(
        judge(StoreChange::RemoveMemory { path: path("todo/sub/a"), before }).starts_with("D ")
    );
    assert_eq!(
        judge(delete("todo/sub")),
        "D Cannot delete category 'todo/sub': it holds 1 memory that may not be removed (`permissions.delete` in config.yaml)."
    );
    assert_eq!(judge(delete("legacy")), "S");
}

#[test]
fn only_what_has_expired_is_pruned_where_memories_may_go() {
    let rules = rules(CategoryMode::Free);
    let (path, before) =
        ("todo/sub/a".parse::<MemoryPath>().expect("a path"), crate::digest::Sha256::digest(b""));
    for (expires_at, expected) in [
        ("2026-02-17T10:00:00Z", "S"),
        ("2026-02-17T10:00:01Z", "I Cannot prune memory at 'todo/sub/a': it has not expired."),
    ] {
        let expires_at = Some(expires_at.parse().expect("a time"));
        let memory = NewMemory { expires_at, ..NewMemory::default() };
        let note = MemoryText::compose(&path.slug, &memory, change_context().now).expect("a note");
        let change = StoreChange::PruneMemory { path: path.clone(), memory: note, before };
        assert_eq!(decide(&rules, change, &store()), expected);
    }
}
