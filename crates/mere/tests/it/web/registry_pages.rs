//! The pages of a registry: what is hostile is inert, and what is private is not there.

use mere_core::log::{OfflineProof, VerifierKey};
use serde_json::{Value, json};

use super::fetch::{fetch, send};
use crate::registry_client::fixture::{Neighbours, Person, TestRegistry};

const HOSTILE: &str = "<script>alert(1)</script>\n\n\
    text <img src=x onerror=alert(1)> <svg onload=alert(1)> <a href='javascript:alert(1)'>x</a>\n\n\
    [a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](data:text/html,<script>) \
    [d](vbscript:x) ![e](data:image/svg+xml;base64,PHN2Zz4=) <javascript:alert(1)>\n\n\
    [f]: javascript:alert(1)\n\n[f] [g](java&#x73;cript:alert(1)) [h](java\\\nscript:x)\n\n\
    <style>body{display:none}</style> <iframe src=//evil.test></iframe> <base href=//evil.test>\n";

#[test]
fn hostile_markdown_is_inert() {
    let Neighbours { registry, author, .. } = Neighbours::new();
    author.publish_note("hostile", "1.0.0", HOSTILE);
    let page = fetch(&format!("{}/i/knowledge/acme/hostile", registry.url), &[]);
    assert_eq!(page.status, 200);
    let body = page.body.to_lowercase();
    for bad in [
        "<script>",
        "<img src=x",
        "<svg",
        "<iframe",
        "<style",
        "<base",
        "href=\"javascript",
        "href='javascript",
        "href=\"data:",
        "src=\"data:",
        "href=\"vbscript",
    ] {
        assert!(!body.contains(bad), "{bad}\n{body}");
    }
    assert!(body.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "it is shown as text");
}

#[test]
fn a_megabyte_of_brackets_makes_a_small_page() {
    let Neighbours { registry, author, .. } = Neighbours::new();
    for (id, unit) in [("brackets", "["), ("pictures", "!["), ("quotes", ">"), ("stars", "*a _b ")]
    {
        author.publish_note(id, "1.0.0", &unit.repeat(1_000_000 / unit.len()));
        let page = fetch(&format!("{}/i/knowledge/acme/{id}", registry.url), &[]);
        assert_eq!(page.status, 200, "{id}");
        assert!(page.body.len() <= 100_000, "{id}: {}", page.body.len());
    }
}

#[test]
fn a_browser_is_told_to_run_nothing_of_a_page() {
    let registry = TestRegistry::start();
    for path in ["/", "/search", "/c", "/graph", "/n/acme", "/i/tool/acme/none"] {
        let page = fetch(&format!("{}{path}", registry.url), &[]);
        let policy = page.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none';"), "{path}: {policy}");
        assert!(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"), "{path}");
        assert_eq!(page.header("x-content-type-options"), "nosniff", "{path}");
        assert!(!page.body.contains(" style=") && !page.body.contains("<style"), "{path}");
    }
    let picture = fetch(&format!("{}/graph.svg?namespace=acme", registry.url), &[]);
    assert!(picture.header("content-security-policy").ends_with("sandbox"));
}

#[test]
fn another_host_or_origin_gets_nothing_and_pages_only_show() {
    let registry = TestRegistry::start();
    let url = format!("{}/", registry.url);
    assert_eq!(fetch(&url, &[("Host", "evil.test")]).status, 403);
    assert_eq!(fetch(&url, &[("Origin", "http://evil.test")]).status, 403);
    assert_eq!(send("POST", &url, &[]).status, 405);
}

#[test]
fn a_private_namespace_is_on_no_page() {
    let (registry, author) = (TestRegistry::start(), Person::new());
    let token = registry.admit(&author);
    author.log_in(&registry.url, &registry.log_key, Some(&token));
    author.publish_note("open", "1.0.0", "Everybody may read this.");
    registry.operate(&["namespace", "create", "vault", "--owner", "ada", "--private"]);
    let key = registry.stage.path("beside/key.pub");
    registry.operate(&["key", "add", "vault", key.to_str().expect("text")]);
    let scopes = ["--scope", "publish:vault/*", "--scope", "read:vault/*"];
    let token = registry.operate(&[&["token", "create", "--user", "ada"], &scopes[..]].concat());
    author.log_in(&registry.url, &registry.log_key, Some(&token));
    author.write_note("plan", "1.0.0", "Nobody may read this.");
    author.print(&["publish", "note", "shared/plan", "--namespace", "vault"]);
    let at = |path: &str| format!("{}{path}", registry.url);
    for path in ["/", "/search", "/search?q=plan", "/c", "/c/shared", "/graph", "/n/acme"] {
        let page = fetch(&at(path), &[]).body;
        assert!(!page.contains("vault") && !page.contains("The plan"), "{path}\n{page}");
    }
    let absent = fetch(&at("/n/nobody"), &[]);
    for path in ["/n/vault", "/i/knowledge/vault/plan", "/i/knowledge/vault/plan/1.0.0"] {
        let page = fetch(&at(path), &[]);
        assert_eq!((page.status, page.body), (404, absent.body.clone()), "{path}");
    }
    let bearer = format!("Bearer {token}");
    let page = fetch(&at("/i/knowledge/vault/plan"), &[("Authorization", &bearer)]);
    assert!(page.status == 200 && page.body.contains("Nobody may read this."));
}

#[test]
fn the_inclusion_proof_on_a_page_leads_to_the_signed_root() {
    let Neighbours { registry, author, .. } = Neighbours::new();
    for version in ["1.0.0", "1.1.0", "1.2.0"] {
        author.publish_note("style", version, "Write short sentences.");
    }
    let at = |path: &str| fetch(&format!("{}{path}", registry.url), &[]).body;
    let json = |path: &str| serde_json::from_str::<Value>(&at(path)).expect("JSON");
    let key = json("/api/v1/registry")["log_key"].as_str().expect("a key").to_owned();
    let key = key.parse::<VerifierKey>().expect("a verifier key");
    for version in ["1.0.0", "1.1.0", "1.2.0"] {
        let page = at(&format!("/i/knowledge/acme/style/{version}"));
        let (_, details) = page.split_once("<summary>Inclusion proof</summary>").expect("a proof");
        let (details, _) = details.split_once("</details>").expect("its end");
        let fact = |name: &str| {
            let (_, rest) = details.split_once(&format!("<dt>{name}</dt><dd>")).expect("a fact");
            rest.split_once("</dd>").expect("its end").0
        };
        let path = fact("Audit path, from the leaf up").split("<li>").skip(1);
        let path = path.map(|hash| hash.split(['<', '>']).nth(2).expect("a hash"));
        let info = json(&format!("/api/v1/items/knowledge/acme/style/versions/{version}"));
        let proof = json!({
            "v": 1,
            "entry": info["entry"],
            "index": fact("Leaf index").parse::<u64>().expect("a number"),
            "inclusion": path.collect::<Vec<_>>(),
            "checkpoint": at("/log/checkpoint"),
        });
        let proof = OfflineProof::parse(proof.to_string().as_bytes()).expect("a proof");
        proof.verify(&key).unwrap_or_else(|error| panic!("{error}\n{details}"));
        assert!(proof.inclusion.hashes.len() > 1, "{details}");
        let head = proof.checkpoint.checkpoint().head();
        assert_eq!(fact("Tree size"), head.size.to_string());
        assert!(fact("Root of the checkpoint").contains(&head.root.to_string()));
    }
}

#[test]
fn an_item_page_has_its_versions_signature_and_proof() {
    let Neighbours { registry, author, .. } = Neighbours::new();
    author.publish_note("style", "1.0.0", "# Short\n\nWrite **short** sentences.");
    author.publish_note("style", "1.1.0", "# Short\n\nWrite short and plain sentences.");
    let at = |path: &str| fetch(&format!("{}{path}", registry.url), &[]).body;
    let page = at("/i/knowledge/acme/style");
    for part in [
        "mere pull knowledge acme/style",
        "valid signature",
        "Published</dt><dd>entry ",
        "Root of the tree",
        "/i/knowledge/acme/style/diff?from=1.0.0&amp;to=1.1.0",
        "<h3>Short</h3>",
        "style.md",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert!(at("/i/knowledge/acme/style/1.0.0").contains("<strong>short</strong>"));
    let difference = at("/i/knowledge/acme/style/diff?from=1.0.0&to=1.1.0");
    assert!(difference.contains("<span class=\"removed\">- Write **short** sentences."));
    assert!(difference.contains("<span class=\"added\">+ Write short and plain sentences."));
    assert!(at("/search?q=style&type=knowledge&namespace=&category=").contains("The style"));
}
