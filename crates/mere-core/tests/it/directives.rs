//! Directives of any shape: what each form is read as, and which are refused where.

use mere_core::address::RelPath;
use mere_core::item::{Directive, Part, ProcessEntry, Scope, ScopedPath, StepGroup, XmlAttributes};
use mere_core::reply::Content;
use serde_json::{Value, json};

fn place() -> ScopedPath {
    let path = "directives/x.md".parse::<RelPath>().expect("a path");
    ScopedPath::from_space_path(Scope::Project, &path).expect("an item")
}

pub(crate) fn parse(parts: &str) -> Directive {
    let text = format!(
        "<directive name='x' version='1.0.0' xmlns:p='urn:p'><metadata/>{parts}</directive>"
    );
    Directive::parse(&text, &place()).unwrap_or_else(|fault| panic!("{fault:?}\n{text}"))
}

fn fault(text: &str) -> String {
    let fault = Directive::parse(text, &place()).expect_err(text);
    format!("{}:{} {}", fault.line, fault.column, fault.what.render_for_person())
}

fn wrong(parts: &str) -> String {
    fault(&format!("<directive name='x' version='1.0.0'><metadata/>\n{parts}</directive>"))
}

fn process(inner: &str) -> Vec<ProcessEntry> {
    parse(&format!("<process>{inner}</process>")).process
}

/// A part in the form in which it is told.
fn part_json(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "text": text }),
        Part::Element(element) => {
            let mut told = json!({ "tag": element.tag });
            if !element.attributes.is_empty() {
                told["attributes"] = attributes_json(&element.attributes);
            }
            if !element.parts.is_empty() {
                told["parts"] = parts_json(&element.parts);
            }
            told
        }
    }
}

pub(crate) fn parts_json(parts: &[Part]) -> Value {
    parts.iter().map(part_json).collect()
}

pub(crate) fn attributes_json(attributes: &XmlAttributes) -> Value {
    attributes.iter().map(|(name, value)| (name.clone(), json!(value))).collect::<Value>()
}

fn group_json(group: &StepGroup) -> Value {
    let mut told = json!({ "tag": group.tag });
    if let Some(name) = &group.name {
        told["name"] = json!(name);
    }
    if !group.attributes.is_empty() {
        told["attributes"] = attributes_json(&group.attributes);
    }
    if let Some(outer) = &group.group {
        told["group"] = group_json(outer);
    }
    told
}

/// An entry in the form in which it is told.
pub(crate) fn entry_json(entry: &ProcessEntry) -> Value {
    let (name, action) = (&entry.name, &entry.action);
    let mut told = json!({ "name": name, "description": entry.description, "action": action });
    if !entry.attributes.is_empty() {
        told["attributes"] = attributes_json(&entry.attributes);
    }
    if !entry.parts.is_empty() {
        told["parts"] = parts_json(&entry.parts);
    }
    if let Some(group) = &entry.group {
        told["group"] = group_json(group);
    }
    told
}

fn process_json(inner: &str) -> Value {
    process(inner).iter().map(entry_json).collect()
}

#[test]
fn a_plain_step_is_its_name_description_and_action() {
    for (step, description, action) in [
        ("<description>D</description><action>A</action>", "D", "A"),
        ("<action>A</action>\n<description>D</description>", "D", "A"),
        ("Find three sources", "", "Find three sources"),
        ("\n  Find three\n  sources\n", "", "Find three\nsources"),
        ("<![CDATA[a < b]]>", "", "a < b"),
        ("a<!-- not said -->b<?x y?>", "", "ab"),
        ("<description>D</description>Do it", "D", "Do it"),
        ("", "", ""),
        ("<action/>", "", ""),
    ] {
        let told = process_json(&format!("<step name='s'>{step}</step>"));
        let plain = json!([{ "name": "s", "description": description, "action": action }]);
        assert_eq!(told, plain, "{step}");
    }
}

#[test]
fn whatever_else_a_step_says_is_in_its_parts() {
    let told = |step: &str| process_json(step)[0].clone();
    assert_eq!(
        told(
            "<step name='s' id='7' p:k='v'>Use <tool_call name='search'><q n='3'/>now</tool_call> well</step>"
        ),
        json!({
            "name": "s", "description": "", "action": "Use\nwell",
            "attributes": { "id": "7", "p:k": "v" },
            "parts": [
                { "text": "Use" },
                { "tag": "tool_call", "attributes": { "name": "search" },
                  "parts": [{ "tag": "q", "attributes": { "n": "3" } }, { "text": "now" }] },
                { "text": "well" }
            ]
        })
    );
    assert_eq!(
        told("<step name='s'><action tool='x'>A <b>b</b></action><action>C</action>more</step>"),
        json!({
            "name": "s", "description": "", "action": "A b\nC",
            "parts": [
                { "tag": "action", "attributes": { "tool": "x" },
                  "parts": [{ "text": "A" }, { "tag": "b", "parts": [{ "text": "b" }] }] },
                { "tag": "action", "parts": [{ "text": "C" }] },
                { "text": "more" }
            ]
        })
    );
    let nested = told("<step name='s'><step>inner</step></step>");
    assert_eq!(nested["parts"], json!([{ "tag": "step", "parts": [{ "text": "inner" }] }]));
}

#[test]
fn a_template_keeps_its_indentation() {
    let step =
        "<step name='s'>\n  <template>\n    a:\n      b: 1\n\n    c: 2\n  </template>\n</step>";
    let text = &process_json(step)[0]["parts"][0]["parts"][0]["text"];
    assert_eq!(text, "a:\n  b: 1\n\nc: 2");
}

#[test]
fn elements_around_steps_are_their_groups() {
    let inner = "First this.\n<phase name='one' goal='g'>\n<note>n</note><wave>\
                 <step name='a'>A</step></wave>then<step name='b'>B</step></phase>\
                 <command>ls</command><step name='c'>C</step>";
    let phase = json!({ "tag": "phase", "name": "one", "attributes": { "goal": "g" } });
    let plain =
        |name: &str, action: &str| json!({ "name": name, "description": "", "action": action });
    let with = |mut entry: Value, key: &str, value: Value| {
        entry[key] = value;
        entry
    };
    let element = |tag: &str, text: &str| json!([{ "tag": tag, "parts": [{ "text": text }] }]);
    let wave = json!({ "tag": "wave", "group": phase });
    let expected = json!([
        plain("", "First this."),
        with(with(plain("", ""), "parts", element("note", "n")), "group", phase.clone()),
        with(plain("a", "A"), "group", wave),
        with(plain("", "then"), "group", phase.clone()),
        with(plain("b", "B"), "group", phase.clone()),
        with(plain("", ""), "parts", element("command", "ls")),
        plain("c", "C"),
    ]);
    assert_eq!(process_json(inner), expected);
    assert!(wrong("<process><phase><step>x</step></phase></process>").contains("no name"));
    let own = parse("<process mode='strict'><step name='a'/></process>").process;
    let group = json!({ "tag": "process", "attributes": { "mode": "strict" } });
    assert_eq!(entry_json(&own[0])["group"], group);
    let empty = parse("<process mode='strict'/>").process;
    assert_eq!(empty.iter().map(entry_json).collect::<Value>()[0]["group"], group);
}

#[test]
fn groups_do_not_multiply_a_file() {
    let around = format!("<phase goal='{}'>{}</phase>", "g".repeat(400_000), "{}");
    let steps = |count: usize| {
        format!("<process>{}</process>", around.replace("{}", &"<step name='s'/>".repeat(count)))
    };
    assert_eq!(parse(&steps(2)).process.len(), 2);
    assert!(wrong(&steps(3)).contains("around steps are too long"));
    let nested = |count: usize| {
        let (open, close) = ("<a>".repeat(28), "</a>".repeat(28));
        format!("<process>{open}{}{close}</process>", "<step name='s'/>".repeat(count))
    };
    assert_eq!(parse(&nested(1_000)).process.len(), 1_000);
    assert!(wrong(&nested(1_200)).contains("around steps are too long"));
}

#[test]
fn inputs_keep_what_is_said_beside_them() {
    let read = parse(
        "<inputs order='any'>All of them:<input name='a' type='string' required='true' default='3' \
         p:x='y'>About <b>a</b><schema lang='json'>{\"minLength\": 2}</schema></input>\
         <note>n</note><input name='b'>plain</input></inputs><process/>",
    );
    let notes = json!([
        { "tag": "inputs", "attributes": { "order": "any" } },
        { "text": "All of them:" },
        { "tag": "note", "parts": [{ "text": "n" }] }
    ]);
    assert_eq!(parts_json(&read.input_notes), notes);
    let [a, b] = &*read.inputs else { panic!("two inputs") };
    assert_eq!((&*a.about, a.required, a.kind.as_deref()), ("About", true, Some("string")));
    assert_eq!(attributes_json(&a.attributes), json!({ "default": "3", "p:x": "y" }));
    let parts = json!([
        { "text": "About" },
        { "tag": "b", "parts": [{ "text": "a" }] },
        { "tag": "schema", "attributes": { "lang": "json" } }
    ]);
    assert_eq!(parts_json(&a.parts), parts);
    assert_eq!(a.schema, Some(json!({ "minLength": 2 })));
    assert_eq!((&*b.about, b.parts.len(), b.attributes.len()), ("plain", 0, 0));
}

#[test]
fn inputs_may_be_in_the_schema_alone() {
    let schema = json!({
        "type": "object",
        "properties": {
            "topic": { "type": "string", "minLength": 3, "description": "What." },
            "depth": { "type": ["integer", "null"] },
            "any": {}
        },
        "required": ["topic"]
    });
    let yaml = "type: object\nproperties:\n  topic:\n    type: string\n    minLength: 3\n    \
                description: What.\n  depth: {type: [integer, 'null']}\n  any: {}\nrequired: [topic]\n";
    let indented = yaml.replace('\n', "\n  ");
    for text in [
        schema.to_string(),
        json!({ "input_schema": schema }).to_string(),
        yaml.to_owned(),
        format!("\n  {indented}"),
        format!("\r\ninput_schema:\r\n  {}", indented.replace('\n', "\r\n")),
        format!("# manifest\ndirective: x\nversion: 1.0.0\ninput_schema:\n  {indented}"),
    ] {
        let parts = format!("<inputs><schema><![CDATA[{text}]]></schema></inputs><process/>");
        let read = parse(&parts);
        assert_eq!(read.input_schema, Some(schema.clone()), "{text}");
        let inputs = read.inputs.iter();
        let inputs = inputs.map(|one| (&*one.name, one.kind.as_deref(), one.required, &*one.about));
        let expected = [
            ("topic", Some("string"), true, "What."),
            ("depth", Some("integer|null"), false, ""),
            ("any", None, false, ""),
        ];
        assert_eq!(inputs.collect::<Vec<_>>(), expected, "{text}");
    }
    let both = "<inputs><input name='topic' type='text'>Mine.</input><schema>{\"properties\": \
                {\"topic\": {}, \"more\": {}}}</schema></inputs><process/>";
    let names = parse(both).inputs.into_iter().map(|one| (one.name, one.about));
    let expected = [("topic".to_owned(), "Mine.".to_owned()), ("more".to_owned(), String::new())];
    assert_eq!(names.collect::<Vec<_>>(), expected);
}

#[test]
fn a_schema_that_cannot_be_read_is_refused() {
    for (schema, says) in [
        ("<schema>{</schema>", "`<schema>` is not JSON"),
        ("<schema>just words</schema>", "not JSON and not one plain YAML mapping"),
        ("<schema>- a</schema>", "not JSON and not one plain YAML mapping"),
        ("<schema>a: 1\na: 2</schema>", "not JSON and not one plain YAML mapping"),
        ("<schema>a: &amp;x 1</schema>", "not JSON and not one plain YAML mapping"),
        ("<schema>a: !!str 1</schema>", "not JSON and not one plain YAML mapping"),
        ("<schema/>", "not JSON and not one plain YAML mapping"),
        ("<schema>{}</schema><schema>{}</schema>", "appears twice"),
        ("<schema>{}<b/></schema>", "contains an element"),
        ("<schema>input_schema: {}\ntype: object</schema>", "other keys beside `input_schema`"),
        ("<schema>directive: y\ninput_schema: {}</schema>", "names another directive"),
        ("<schema>version: 2.0.0\ninput_schema: {}</schema>", "another directive or version"),
        ("<input name='a'/><input name='a'/>", "two inputs have the same name"),
    ] {
        let found = wrong(&format!("<inputs>{schema}</inputs><process/>"));
        assert!(found.starts_with("2:") && found.contains(says), "{schema}: {found}");
    }
}

#[test]
fn nothing_is_lost_where_names_collide() {
    for (element, expected) in [
        ("<outputs><o n='1'>t</o></outputs>", json!({ "o": { "n": "1", "_text": "t" } })),
        ("<outputs>plain</outputs>", json!("plain")),
        ("<outputs/>", json!("")),
        ("<outputs><o/><q/><o>2</o></outputs>", json!({ "o": ["", "2"], "q": "" })),
        (
            "<outputs n='1'><n>2</n></outputs>",
            json!({ "attributes": { "n": "1" }, "parts": [{ "tag": "n", "parts": [{ "text": "2" }] }] }),
        ),
        ("<outputs n='1' p:n='2'/>", json!({ "n": "1", "p:n": "2" })),
        (
            "<outputs _text='1'>2</outputs>",
            json!({ "attributes": { "_text": "1" }, "parts": [{ "text": "2" }] }),
        ),
        (
            "<outputs>a<o/>b</outputs>",
            json!({ "parts": [{ "text": "a" }, { "tag": "o" }, { "text": "b" }] }),
        ),
    ] {
        let context = element.replace("outputs", "context");
        let read = parse(&format!("{element}{context}<process/>"));
        assert_eq!(read.outputs.as_ref(), Some(&expected), "{element}");
        assert_eq!(read.context, Some(expected), "{element}");
    }
    let text = "<directive name='x' version='1.0.0' odd='o'><metadata><model_class tier='fast'/>\
                <permissions><read resource='filesystem' path='a'/></permissions></metadata>Prose.\
                <permissions><execute resource='registry'/></permissions><goal>g</goal><process/>\
                </directive>";
    let read = Directive::parse(text, &place()).expect("a directive");
    let expected = [
        json!({ "execute": { "resource": "registry" } }),
        json!({ "read": { "resource": "filesystem", "path": "a" } }),
    ];
    assert_eq!(read.permissions, expected);
    assert_eq!(read.model(), Some(&json!({ "tier": "fast" })));
    let other = json!([
        { "tag": "directive", "attributes": { "odd": "o" } },
        { "text": "Prose." },
        { "tag": "goal", "parts": [{ "text": "g" }] }
    ]);
    assert_eq!(parts_json(&read.other), other);
    let warnings = read.warnings.iter().map(Content::text).collect::<Vec<_>>();
    assert_eq!(warnings, ["`<goal>` is not a known element of a directive"]);
}

#[test]
fn faults_say_which_part_and_where() {
    let whole =
        |inner: &str| fault(&format!("<directive name='x' version='1.0.0'>{inner}</directive>"));
    assert_eq!(whole("<process/>"), "1:1 `<metadata>` is missing");
    assert_eq!(whole("<metadata/>"), "1:1 `<process>` is missing");
    assert_eq!(whole(""), "1:1 `<metadata>` and `<process>` are missing");
    let lines = "<process>\n<step name='a'>\n  if a < b && c\n</step></process>";
    assert_eq!(wrong(lines), "4:8 this `<` is not escaped");
    let ampersand = lines.replace("a < b", "a");
    assert_eq!(wrong(&ampersand), "4:8 this `&` is not escaped");
    for (entry, says) in [
        ("<read/>", "a permission has no `resource`"),
        ("<read resource=' ' path='a'/>", "a permission has no `resource`"),
        ("<execute><tool>x</tool></execute>", "a permission has no `resource`"),
        ("<write resource='filesystem'/>", "does not say what of its `resource` is meant"),
        ("<write resource='filesystem' path=''/>", "does not say what of its `resource` is meant"),
    ] {
        for parts in [
            format!("<permissions>\n  {entry}</permissions><process/>"),
            format!("<process/><permissions>\n  {entry}</permissions>"),
        ] {
            let found = wrong(&parts);
            assert!(found.starts_with("3:3 ") && found.contains(says), "{entry}: {found}");
        }
    }
    let fine = "<permissions>x<read resource='tool' id='a'/><odd/><execute resource='tool' \
                action='b'/><write resource='registry'/></permissions><process/>";
    let warnings = parse(fine).warnings;
    let warnings = warnings.iter().map(Content::text).collect::<Vec<_>>();
    assert_eq!(warnings, ["`<odd>` is not `<read>`, `<write>` or `<execute>`"]);
}

#[test]
fn an_old_signature_before_the_element_is_told_and_not_hashed() {
    let element = "<directive name='x' version='1.0.0'><metadata/><process/></directive>\n";
    let plain = Directive::parse(element, &place()).expect("a directive");
    let hash = plain.integrity(element, &place());
    assert!(plain.warnings.is_empty());
    let line = "<!-- kiwi-mcp:validated:2026-01-24T09:30:00Z:abc123 -->\n";
    for before in [
        line.to_owned(),
        format!("\u{feff}{}", line.replace('\n', "\r\n")),
        format!("# Title\n\n{line}\n```xml\n"),
        line.repeat(5_000),
        format!("# a:validated:{}\n", "b".repeat(500_000)),
    ] {
        let text = format!("{before}{element}");
        let read = Directive::parse(&text, &place()).expect("a directive");
        assert_eq!(read.integrity(&text, &place()), hash);
        let warnings = read.warnings.iter().map(Content::text).collect::<Vec<_>>();
        assert_eq!(warnings, ["an old in-file signature, read as unsigned"]);
    }
    let inside = element.replace("<process/>", &format!("{line}<process/>"));
    let read = Directive::parse(&inside, &place()).expect("a directive");
    assert!(read.warnings.is_empty());
    assert_ne!(read.integrity(&inside, &place()), hash, "it is content");
}
