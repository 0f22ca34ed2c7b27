//! Directives that are generated: every text and every value of an attribute that their author wrote
//! is in what they are read as.

use std::cell::Cell;

use mere_core::item::Directive;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::directives::{attributes_json, entry_json, parse, parts_json};

/// An element that is generated.
#[derive(Clone, Debug)]
struct Tree {
    tag: String,
    attributes: Vec<(String, String)>,
    content: Vec<Piece>,
}

#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    Data(String),
    Hidden(&'static str),
    Tree(Tree),
}

fn escape(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    text.replace('>', "&#x3e;")
}

impl Tree {
    fn write(&self, out: &mut String) {
        let attributes = self.attributes.iter();
        let attributes = attributes.map(|(name, value)| format!(" {name}=\"{}\"", escape(value)));
        let attributes = attributes.collect::<String>();
        out.extend(["<", &self.tag, &attributes, ">"]);
        for piece in &self.content {
            match piece {
                Piece::Text(text) => out.push_str(&escape(text)),
                Piece::Data(text) => out.extend(["<![CDATA[", text, "]]>"]),
                Piece::Hidden(hidden) => out.push_str(hidden),
                Piece::Tree(tree) => tree.write(out),
            }
        }
        out.extend(["</", &self.tag, ">"]);
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.attributes.retain(|(attribute, _)| attribute != name);
        self.attributes.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Names every step that needs a name.
    fn named(mut self) -> Self {
        if self.tag == "step" {
            let name =
                self.attributes.iter().find(|(name, value)| name == "name" && !value.is_empty());
            let name = name.map_or("s".to_owned(), |(_, value)| value.clone());
            self = self.with("name", &name);
        }
        self.content = self
            .content
            .into_iter()
            .map(|piece| match piece {
                Piece::Tree(tree) => Piece::Tree(tree.named()),
                other => other,
            })
            .collect();
        self
    }

    /// Changes the elements directly in this one.
    fn with_children(mut self, change: impl Fn(Tree) -> Tree) -> Self {
        self.content = self
            .content
            .into_iter()
            .map(|piece| match piece {
                Piece::Tree(tree) => Piece::Tree(change(tree)),
                other => other,
            })
            .collect();
        self
    }

    /// Gives each text and each value a number, so that none is found where another one is.
    fn number(&mut self, count: &mut usize) {
        let mut mark = |text: &mut String| {
            *count += 1;
            let end = text.trim_end().len();
            if !text.trim().is_empty() {
                text.insert_str(end, &format!("-{count}z"));
            }
        };
        self.attributes.iter_mut().for_each(|(_, value)| mark(value));
        for piece in &mut self.content {
            match piece {
                Piece::Text(text) | Piece::Data(text) => mark(text),
                Piece::Hidden(_) | Piece::Tree(_) => {}
            }
        }
        for piece in &mut self.content {
            if let Piece::Tree(tree) = piece {
                tree.number(count);
            }
        }
    }

    /// Collects each text and each value, without what is around it.
    fn said(&self, said: &mut Vec<String>) {
        said.extend(self.attributes.iter().map(|(_, value)| value.clone()));
        for piece in &self.content {
            match piece {
                // What a schema says is its values.
                Piece::Data(text) if self.tag == "schema" => {
                    let schema = serde_json::from_str(text).expect("a schema");
                    collect_value(&schema, said);
                }
                Piece::Text(text) | Piece::Data(text) => said.push(text.clone()),
                Piece::Tree(tree) => tree.said(said),
                Piece::Hidden(_) => {}
            }
        }
    }
}

fn texts() -> impl Strategy<Value = String> {
    "[ \\n\\t]{0,3}[a-zé<>&\"'{}:#-]{0,12}( [a-z]{1,5}\\n {0,4}[a-z&<]{1,6})?[ \\n]{0,3}"
}

fn trees() -> impl Strategy<Value = Tree> {
    let tags = || {
        select(vec![
            "step",
            "phase",
            "wave",
            "description",
            "action",
            "tool_call",
            "p:b",
            "_text",
            "input",
        ])
    };
    let names =
        select(vec!["name", "type", "description", "p:name", "xml:lang", "_text", "b", "xmlns:q"]);
    let attributes = prop::collection::btree_map(names, "[a-z<>&\"' \\]]{1,8}", 0..4);
    let attributes = attributes.prop_map(|found| {
        found.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Vec<_>>()
    });
    let hidden = select(vec!["<!-- <step> & -->", "<?pi <a> ?>", "<!---->"]);
    let leaf = move || {
        prop_oneof![
            4 => texts().prop_map(Piece::Text),
            2 => texts().prop_map(Piece::Data),
            1 => hidden.clone().prop_map(Piece::Hidden),
        ]
    };
    let tree = move |content: BoxedStrategy<Vec<Piece>>,
                     attributes: BoxedStrategy<Vec<(String, String)>>| {
        (tags(), attributes, content).prop_map(|(tag, attributes, content)| Tree {
            tag: tag.to_owned(),
            attributes,
            content,
        })
    };
    let attributes = attributes.boxed();
    let first = tree(prop::collection::vec(leaf(), 0..3).boxed(), attributes.clone());
    first.prop_recursive(5, 40, 5, move |inner| {
        let piece = prop_oneof![2 => leaf(), 3 => inner.prop_map(Piece::Tree)];
        tree(prop::collection::vec(piece, 0..5).boxed(), attributes.clone())
    })
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect()
}

fn collect_value(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect_value(item, found)),
        Value::Object(map) => map.values().for_each(|item| collect_value(item, found)),
        _ => {}
    }
}

/// Gives `<inputs>` a schema, and each input a name and a schema of its own.
fn with_schemas(inputs: Tree) -> Tree {
    let number = Cell::new(0);
    let schema = |of: &str| {
        number.set(number.get() + 1);
        let text = json!({ "description": format!("{of} {}x", number.get()) }).to_string();
        let content = vec![Piece::Data(text)];
        Piece::Tree(Tree { tag: "schema".to_owned(), attributes: Vec::new(), content })
    };
    let mut inputs = inputs.with_children(|mut child| {
        if child.tag != "input" {
            return child;
        }
        child.content.push(schema("one"));
        let is_named = child.attributes.iter().any(|(name, _)| name == "name");
        let name = format!("i{}", number.get());
        if is_named { child } else { child.with("name", &name) }
    });
    inputs.content.push(schema("all"));
    inputs
}

/// Every text of what was read.
fn told(read: &Directive) -> Vec<String> {
    let mut found = Vec::new();
    let values = read.outputs.iter().chain(&read.context).chain(&read.permissions);
    values.for_each(|value| collect_value(value, &mut found));
    let entries = read.process.iter().map(entry_json).collect::<Value>();
    collect_value(&entries, &mut found);
    collect_value(&parts_json(&read.input_notes), &mut found);
    for input in &read.inputs {
        found.extend([input.name.clone(), input.about.clone()]);
        found.extend(input.kind.clone());
        collect_value(&parts_json(&input.parts), &mut found);
        collect_value(&attributes_json(&input.attributes), &mut found);
    }
    let schemas = read.inputs.iter().filter_map(|input| input.schema.as_ref());
    schemas.chain(&read.input_schema).for_each(|schema| collect_value(schema, &mut found));
    found.iter().map(|text| squeeze(text)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_text_and_every_value_is_told(
        trees in prop::collection::vec(trees(), 5), reversed in any::<bool>(),
    ) {
        let (mut trees, mut count) = (trees, 0);
        for tree in &mut trees {
            tree.number(&mut count);
        }
        for (tree, tag) in trees.iter_mut().zip(["process", "inputs", "outputs", "context", "permissions"]) {
            tag.clone_into(&mut tree.tag);
            let owned = tree.clone().named();
            *tree = match tag {
                "inputs" => with_schemas(owned),
                "permissions" => owned.with_children(|child| {
                    let child = Tree { tag: "read".to_owned(), ..child };
                    child.with("resource", "tool").with("id", "t")
                }),
                _ => owned,
            };
        }
        if reversed {
            trees.reverse();
        }
        let mut parts = String::new();
        for tree in &trees {
            tree.write(&mut parts);
        }
        // A document may declare few namespaces.
        prop_assume!(parts.matches("xmlns:q").count() <= 15);
        let read = parse(&parts);
        let told = told(&read);
        let mut said = Vec::new();
        for tree in &trees {
            tree.said(&mut said);
        }
        for one in said.iter().map(|text| squeeze(text)).filter(|text| !text.is_empty()) {
            prop_assert!(told.iter().any(|text| text.contains(&one)), "{one:?} is lost of {parts}");
        }
    }
}
