//! The pages of `mere ui`: whoever has no token gets nothing, and nothing can be changed.

use serde_json::json;

use super::fetch::{fetch, send};
use super::started::Started;
use crate::registry_client::fixture::Person;

/// Pages about somebody's project.
pub(super) struct OpenPages {
    pub(super) person: Person,
    url: String,
    base: String,
    cookie: String,
    _server: Started,
}

impl OpenPages {
    pub(super) fn new() -> Self {
        let person = Person::with_examples();
        let mut server = Started::new(&person.stage, &["ui", "--port", "0"]);
        let url = server.wait_for("http://");
        let answer = fetch(&url, &[]);
        assert_eq!((answer.status, answer.header("location")), (303, "/"));
        let set = answer.header("set-cookie").to_owned();
        assert!(set.contains("; HttpOnly") && set.contains("; SameSite=Strict"), "{set}");
        let cookie = set.split(';').next().expect("a cookie").to_owned();
        let base = url.split("/?").next().expect("a URL").to_owned();
        Self { person, url, base, cookie, _server: server }
    }

    pub(super) fn page(&self, path: &str) -> String {
        let page = fetch(&format!("{}{path}", self.base), &[("Cookie", &self.cookie)]);
        assert_eq!(page.status, 200, "{path}");
        self.person.stage.check(&page.body);
        page.body
    }
}

#[test]
fn without_the_token_there_is_nothing_to_see() {
    let pages = OpenPages::new();
    let status = |path: &str, headers: &[(&str, &str)]| {
        let page = fetch(&format!("{}{path}", pages.base), headers);
        assert!(!page.body.contains("hello_tool"), "{path}");
        page.status
    };
    for path in ["/", "/review", "/graph.svg", "/item/tool/project/examples/hello_tool"] {
        assert_eq!(status(path, &[]), 403, "{path}");
        assert_eq!(status(path, &[("Cookie", "mere_ui=x; other=y")]), 403, "{path}");
    }
    assert_eq!(status("/?token=0", &[("Cookie", &pages.cookie)]), 403);
    let with = |name, value| status("/", &[("Cookie", &pages.cookie), (name, value)]);
    assert_eq!(with("Host", "evil.test"), 403);
    assert_eq!(with("Origin", "http://evil.test"), 403);
    assert_eq!(with("Origin", "http://127.0.0.1:1"), 403, "another port is another page");
    assert_eq!(with("Sec-Fetch-Site", "cross-site"), 403);
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        let answer = send(method, &pages.base, &[("Cookie", &pages.cookie)]);
        assert_eq!(answer.status, 405, "{method}");
    }
    let token = pages.url.split("token=").nth(1).expect("a token");
    assert!(!pages.page("/").contains(token), "the token is on no page");
}

#[test]
fn every_page_shows_and_none_changes() {
    let pages = OpenPages::new();
    let all = ["/", "/review", "/memories", "/graph", "/runs", "/clients", "/search?q=hello"];
    for path in all {
        let page = pages.page(path);
        assert!(page.contains("<h1>") && !page.contains("method="), "{path}");
        assert!(page.len() <= 100_000, "{path}: {}", page.len());
    }
    assert!(pages.page("/").contains("everything is as it was signed"));
    assert!(pages.page("/search?q=hello").contains("hello_tool"));
    assert!(pages.page("/item/tool/project/examples/hello_tool").contains("verified"));
    assert!(pages.page("/graph.svg").starts_with("<svg"));
    pages.person.print(&["run", "hello_tool", "--param", "name=Ada"]);
    assert!(pages.page("/runs").contains("exit 0"));
}

#[test]
fn what_was_changed_is_on_top_with_its_fix() {
    let pages = OpenPages::new();
    let file = pages.person.stage.path("project/.ai/knowledge/examples/how-items-work.md");
    let text = std::fs::read_to_string(&file).expect("the example");
    std::fs::write(&file, format!("{text}\n<script>alert(1)</script>\n")).expect("written");
    let page = pages.page("/");
    let finding = page.find("These need you").expect("a finding");
    assert!(finding < page.find("<table").expect("the table"));
    assert!(page[finding..].contains("mere sign --dry-run knowledge examples/how-items-work"));
    let item = pages.page("/item/knowledge/project/examples/how-items-work");
    assert!(!item.contains("alert(1)"), "what was tampered with is not shown");
}

#[test]
fn a_proposal_is_shown_with_the_command_that_accepts_it() {
    let pages = OpenPages::new();
    let file = pages.person.stage.path("project/.ai/knowledge/examples/how-items-work.md");
    let text = std::fs::read_to_string(&file).expect("the example");
    let text = format!("{text}\nA line that an agent adds.\n");
    let update = json!({
        "action": "update", "item_type": "knowledge", "item_id": "examples/how-items-work",
        "content": text,
    });
    pages.person.print(&["call", "execute", &update.to_string()]);
    let page = pages.page("/review");
    assert!(page.contains("<span class=\"added\">+ A line that an agent adds."), "{page}");
    let start = page.find("mere review --accept").expect("the command");
    let command = page[start..].split('<').next().expect("text");
    let words = command.split(' ').skip(1).collect::<Vec<_>>();
    pages.person.print(&words);
    assert!(pages.page("/review").contains("Nothing waits for you"));
}
