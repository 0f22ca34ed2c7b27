//! Items of each type, generated: what is written is what is read, and a file that is restated for
//! another place and back is the same bytes.

use mere_core::address::RelPath;
use mere_core::item::{Item, Scope, ScopedPath, rewrite_location};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

const CASES: u32 = 200;

/// Where an item lies, in the parts a path is made of.
#[derive(Clone, Debug)]
struct Place {
    category: String,
    id: String,
}

impl Place {
    fn at(&self, folder: &str, end: &str) -> ScopedPath {
        let category = if self.category.is_empty() { "" } else { "/" };
        let path = format!("{folder}{category}{}/{}{end}", self.category, self.id);
        let path = path.parse::<RelPath>().expect("a path");
        ScopedPath::from_space_path(Scope::Project, &path).expect("an item")
    }
}

/// How a file is laid out, which must not matter.
#[derive(Clone, Debug)]
struct Layout {
    quote: &'static str,
    space: &'static str,
    line: &'static str,
    mark: &'static str,
    states_category: bool,
}

impl Layout {
    fn ends(&self, text: &str) -> String {
        [self.mark, &text.replace('\n', self.line)].concat()
    }

    /// A YAML scalar of plain letters.
    fn scalar(&self, text: &str) -> String {
        [self.quote, text, self.quote].concat()
    }
}

/// A letter first: an id such as `1e3` is a number to YAML, and needs quotes it does not have back.
fn places() -> impl Strategy<Value = Place> {
    let id = "item-[a-z0-9_-]{0,12}";
    let category = prop::collection::vec("k[a-z0-9_-]{0,5}", 1..4);
    (category, id).prop_map(|(levels, id)| Place { category: levels.join("/"), id })
}

fn layouts() -> impl Strategy<Value = Layout> {
    let marks = select(vec!["", "\u{feff}"]);
    let lines = select(vec!["\n", "\r\n"]);
    (select(vec!["", "'", "\""]), select(vec!["", " ", "  "]), lines, marks, any::<bool>())
        .prop_map(|(quote, space, line, mark, states_category)| Layout {
            quote,
            space,
            line,
            mark,
            states_category,
        })
}

/// A line of any script without what a format takes for its own.
fn words() -> impl Strategy<Value = String> {
    "[\\p{L}\\p{So}][\\p{L}\\p{N}\\p{So} ,.!?()]{0,30}[\\p{L}\\p{So}]"
}

fn versions() -> impl Strategy<Value = String> {
    "(0|[1-9][0-9]{0,2})\\.(0|[1-9][0-9]{0,2})\\.(0|[1-9][0-9]{0,2})(-rc\\.[1-9])?"
}

/// Reads what was written, restates it for the same place, for another, and back.
fn check(text: &str, from: &ScopedPath, to: &ScopedPath) -> Item {
    let item = Item::parse(text, from).unwrap_or_else(|fault| panic!("{fault:?}\n{text}"));
    assert_eq!(rewrite_location(text, from, from).expect("the same place"), text);
    let moved =
        rewrite_location(text, from, to).unwrap_or_else(|fault| panic!("{fault:?}\n{text}"));
    let found = Item::parse(&moved, to).expect("valid there");
    assert_eq!(found.version(), item.version());
    assert_eq!(rewrite_location(&moved, to, from).expect("back again"), text);
    item
}

fn json_text(text: &str) -> String {
    Value::from(text).to_string()
}

fn directive(place: &Place, layout: &Layout, [version, description, action]: [&str; 3]) -> String {
    let Layout { space, .. } = layout;
    let quote = if layout.quote.is_empty() { "\"" } else { layout.quote };
    let (id, category) = (&place.id, &place.category);
    let category = match (layout.states_category, layout.quote) {
        (false, _) => String::new(),
        (true, "'") => format!("<category a='>' ><![CDATA[{space}{category}]]></category>"),
        (true, _) => format!("<category>{space}{category}\n</category >"),
    };
    layout.ends(&format!(
        "# Über\n\n{space}<directive{space} odd=\">\" name{space}={space}{quote}{id}{quote}\n  \
         version={quote}{version}{quote}>\n<!-- </directive> --><metadata>\n<description>{space}\
         {description}</description>{category}<odd a=\"1\">ö</odd></metadata>\n<process><step \
         name=\"one\"><action><![CDATA[<directive> </directive>{action}]]></action></step>\
         </process><odd/></directive{space}>\nafter\n"
    ))
}

fn lockfile(place: &Place, layout: &Layout, [version, hash, id]: [&str; 3]) -> String {
    let Layout { space, .. } = layout;
    let (tool, category) = (&place.id, &place.category);
    let text = format!(
        "{{{space}\"metadata\":{{\"scope\" : \"project\",{space}\"tool_id\":\"{tool}\",\n\
         \"version\":\"{version}\",\"category\":{space}\"{category}\",\
         \"space_id\":\"0190a6c4-3b5e-7cc3-98c4-dc0c0c07398f\"}},\n\"lockfile_version\":1,\
         \"registry\":{{\"id\":{id},\"url\":\"https://example.org\"}},\"root\":{{\
         \"tool_id\"{space}:\"{tool}\",\"version\":\"{version}\",\"integrity\":\"{hash}\"}},\
         \"resolved_chain\":[{{\"tool_id\":\"{tool}\",\"version\":\"{version}\",\
         \"scope\":\"builtin\",\"category\":\"\",\"integrity\":\"{hash}\",\
         \"executor\":null}}]}}\n",
        id = json_text(id),
    );
    text.replace('\n', layout.line)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..Default::default() })]

    #[test]
    fn directives(
        (from, to) in (places(), places()), layout in layouts(), version in versions(),
        (description, action) in (words(), words()),
    ) {
        let text = directive(&from, &layout, [&version, &description, &action]);
        let item = check(&text, &from.at("directives", ".md"), &to.at("directives", ".md"));
        prop_assert_eq!(item.version().map(ToString::to_string), Some(version));
        prop_assert_eq!(item.description(), description);
        let Item::Directive(directive) = item else { panic!("a directive") };
        prop_assert_eq!(&directive.metadata["odd"], &json!({ "a": "1", "_text": "ö" }));
        let action = format!("<directive> </directive>{action}");
        prop_assert_eq!(&directive.process[0].action, &action);
    }

    #[test]
    fn skills(
        (from, to) in (places(), places()), layout in layouts(), version in versions(),
        (description, body) in (words(), words()),
    ) {
        let (name, space) = (layout.scalar(&from.id), layout.space);
        let about = json_text(&description);
        let text = layout.ends(&format!(
            "---{space}\n{space}description: {about}\n{space}odd: [ä, {{b: 1}}]\n\
             {space}name:  {name} # {}\n{space}metadata: {{version: \"{version}\"}}\n---\n{body}\n",
            from.id
        ));
        let end = "/SKILL.md";
        let item = check(&text, &from.at("directives", end), &to.at("directives", end));
        prop_assert_eq!(item.version().map(ToString::to_string), Some(version));
        prop_assert_eq!(item.description(), description);
        prop_assert_eq!(&item.metadata()["odd"], &json!(["ä", { "b": 1 }]));
        let body = layout.ends(&format!("{body}\n")).replace(layout.mark, "");
        prop_assert_eq!(item.content_range().map(|body| &text[body]), Some(&*body));
    }

    #[test]
    fn tools(
        (from, to) in (places(), places()), layout in layouts(), version in versions(),
        description in words(),
    ) {
        let (id, space) = (layout.scalar(&from.id), layout.space);
        let category = layout.scalar(&from.category);
        let category = if layout.states_category { format!("category: {category}\n") } else { String::new() };
        let text = layout.ends(&format!(
            "# {id}\nversion: \"{version}\"\n{category}tool_id: {space}{id}{space}\nodd:\n  - ü: 1.5\n\
             executor_id: python_runtime\ntool_type: script\ndescription: {}\n",
            json_text(&description)
        ));
        let item = check(&text, &from.at("tools", ".yaml"), &to.at("tools", "/manifest.yaml"));
        prop_assert_eq!(item.version().map(ToString::to_string), Some(version));
        prop_assert_eq!(item.description(), description);
        prop_assert_eq!(&item.metadata()["odd"], &json!([{ "ü": 1.5 }]));
    }

    #[test]
    fn knowledge(
        (from, to) in (places(), places()), layout in layouts(), version in versions(),
        (title, body) in (words(), words()), tags in prop::collection::vec("[a-z]{1,8}x", 0..4),
        keys in select(vec![&["id"][..], &["zettel_id"], &["id", "zettel_id"]]),
    ) {
        let mut front = format!("title: {}\nodd: ß\n", json_text(&title));
        for key in keys {
            front = format!("{key}:{} {}\n{front}", layout.space, layout.scalar(&from.id));
        }
        if layout.states_category {
            front = format!("{front}category: >-\n  {}\n", from.category);
        }
        let tags_text = tags.join(", ");
        let text = layout.ends(&format!(
            "---\n{front}tags: [{tags_text}]\nversion: '{version}'\n---\n{body}\n"
        ));
        let at = from.at("knowledge", ".md");
        let item = check(&text, &at, &to.at("knowledge", ".md"));
        prop_assert_eq!(item.version().map(ToString::to_string), Some(version));
        prop_assert_eq!(item.title(&at), title);
        prop_assert_eq!(item.tags(), tags);
        prop_assert_eq!(&item.metadata()["odd"], "ß");
        prop_assert!(item.warnings().is_empty());
    }

    #[test]
    fn memories(
        (from, to) in (places(), places()), layout in layouts(), title in words(),
        tags in prop::collection::vec("[a-z]{1,8}x", 1..4), (seconds, headed) in (0..2_000_000_000_i64, any::<bool>()),
    ) {
        let time = jiff::Timestamp::from_second(seconds).expect("a time");
        let heading = if headed { format!("## {title}\n") } else { String::new() };
        let text = layout.ends(&format!(
            "---\ncreated_at: {0}{time}{0}\nodd: å\ntags: [{1}]\n---\n\n```\n# no\n```\n{heading}",
            layout.quote, tags.join(", ")
        ));
        let at = from.at("memory", ".md");
        let item = check(&text, &at, &to.at("memory", ".md"));
        prop_assert_eq!(item.title(&at), if headed { &title } else { &from.id });
        prop_assert_eq!(item.tags(), tags);
        prop_assert_eq!(item.integrity(&text, &at, &[]), None);
        let Item::Memory(memory) = item else { panic!("a memory") };
        prop_assert_eq!((memory.created_at, memory.expires_at), (Some(time), None));
        prop_assert_eq!(&memory.frontmatter["odd"], "å");
    }

    #[test]
    fn lockfiles(
        (from, to) in (places(), places()), layout in layouts(), version in versions(),
        hash in "[0-9a-f]{64}", registry in words(),
    ) {
        let text = lockfile(&from, &layout, [&version, &hash, &registry]);
        let end = format!("@{version}.lock.json");
        let to = ScopedPath { scope: Scope::User, ..to.at("lockfiles", &end) };
        let item = check(&text, &from.at("lockfiles", &end), &to);
        prop_assert_eq!(item.version().map(ToString::to_string), Some(version));
        prop_assert_eq!(&item.metadata()["registry"]["id"], &registry);
        let Item::Lockfile(lockfile) = item else { panic!("a lockfile") };
        prop_assert_eq!(lockfile.root_integrity.to_string(), &*hash);
        prop_assert_eq!(lockfile.chain[0].integrity.to_string(), hash);
    }
}
