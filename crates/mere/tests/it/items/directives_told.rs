//! Directives that are generated, and run by an agent: every text and every value of an attribute is
//! in the reply, whether it stands in an element or in a schema.

use std::cell::{Cell, RefCell};

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value, json};

use crate::support::harness::Stage;
use crate::support::samples::Pair;

/// How many directives are run.
const CASES: u32 = 24;

/// The shape of one directive. The words are numbered when it is written.
#[derive(Clone, Debug)]
struct Shape {
    /// For each input: whether it has text, a schema, an attribute and an element.
    inputs: Vec<[bool; 4]>,
    /// How many inputs the schema of all names, those with an element of their own first.
    in_schema: Option<usize>,
    /// How the entries of the process are written.
    entries: Vec<u8>,
    /// The parts that have text, attributes and elements.
    parts: [bool; 3],
}

fn shapes() -> impl Strategy<Value = Shape> {
    let inputs = prop::collection::vec(any::<[bool; 4]>(), 0..4);
    let in_schema = prop::option::of(0..6_usize);
    let entries = prop::collection::vec(0..5_u8, 0..5);
    (inputs, in_schema, entries, any::<[bool; 3]>())
        .prop_map(|(inputs, in_schema, entries, parts)| Shape { inputs, in_schema, entries, parts })
}

/// Words that exist once each.
#[derive(Default)]
struct Words {
    count: Cell<usize>,
    said: RefCell<Vec<String>>,
}

impl Words {
    fn new_word(&self) -> String {
        self.count.set(self.count.get() + 1);
        let word = format!("word {}x", self.count.get());
        self.said.borrow_mut().push(word.clone());
        word
    }

    fn schema(&self) -> Value {
        json!({ "description": self.new_word(), "title": self.new_word() })
    }
}

/// Writes the directive, in words of its own.
fn write_directive(shape: &Shape, words: &Words) -> String {
    let word = || words.new_word();
    let mut inputs = String::new();
    for (number, [text, schema, attribute, element]) in shape.inputs.iter().enumerate() {
        let say =
            |is_said: bool, said: &dyn Fn() -> String| if is_said { said() } else { String::new() };
        inputs.extend(["<input name=\"i", &number.to_string(), "\""]);
        inputs += &say(*attribute, &|| format!(" example=\"{}\"", word()));
        inputs += ">";
        inputs += &say(*text, &word);
        inputs += &say(*schema, &|| format!("<schema>{}</schema>", words.schema()));
        inputs += &say(*element, &|| format!("<hint of=\"{}\">{}</hint>", word(), word()));
        inputs += "</input>";
    }
    if let Some(count) = shape.in_schema {
        let properties = (0..count).map(|number| (format!("i{number}"), words.schema()));
        let schema = json!({ "properties": properties.collect::<Map<_, _>>(), "title": word() });
        inputs.extend(["<schema>", &schema.to_string(), "</schema>", &word()]);
    }
    let entries = shape.entries.iter().map(|kind| match kind {
        0 => format!("<step name=\"{}\">{}</step>", word(), word()),
        1 => word(),
        2 => format!("<phase name=\"{}\"><step name=\"{}\"/></phase>", word(), word()),
        3 => format!("<command at=\"{}\"><![CDATA[{} < 1]]></command>", word(), word()),
        _ => format!(
            "<step name=\"{}\"><description>{}</description><tool_call>{}</tool_call></step>",
            word(),
            word(),
            word()
        ),
    });
    let entries = entries.collect::<String>();
    let parts = ["outputs", "context"].map(|tag| {
        let [text, attribute, element] = shape.parts;
        let attribute = if attribute { format!(" a=\"{}\"", word()) } else { String::new() };
        let text = if text { word() } else { String::new() };
        let element = if element { format!("<b>{}</b>", word()) } else { String::new() };
        format!("<{tag}{attribute}>{text}{element}</{tag}>")
    });
    let parts = parts.concat();
    let permissions =
        format!("<permissions><read resource=\"{}\" id=\"{}\"/></permissions>", word(), word());
    format!(
        "<directive name=\"told\" version=\"1.0.0\"><metadata/>{permissions}<inputs>{inputs}</inputs>\
         <process>{entries}</process>{parts}</directive>\n"
    )
}

#[test]
fn every_text_and_every_value_is_in_the_reply() {
    let stage = Stage::new();
    let pair = RefCell::new(Pair::new(&stage));
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let outcome = runner.run(&shapes(), |shape| {
        let words = Words::default();
        let text = write_directive(&shape, &words);
        stage.file("project/.ai/directives/told.md", &text);
        let reply = pair.borrow_mut().run("directive", "told", &json!({}));
        prop_assert_eq!(&reply["reply_type"], "S", "{}\n{}", reply, text);
        let told = reply["data"].to_string();
        for word in words.said.borrow().iter() {
            prop_assert!(told.contains(word.as_str()), "{word:?} is lost of {text}: {told}");
        }
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}
