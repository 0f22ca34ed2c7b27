//! The questions to a notebook: a rare word, a word that one note in a hundred has, and questions
//! as people ask them; and the check whether an answer is right.

use std::collections::HashSet;
use std::path::Path;

use mere_core::search::{for_each_token, stem};
use serde_json::{Value, json};

use crate::notebook::{NoteForm, Notebook, hundredth_word, rare_word};
use crate::peer::Call;

/// How many questions there are of each class. The hundredth words repeat after 200.
pub(crate) const QUESTIONS_PER_CLASS: usize = 240;

/// The search modes.
pub(crate) const MODES: [&str; 3] = ["text", "hybrid", "vector"];

/// The class of a question.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuestionClass {
    Rare,
    Hundredth,
    Question,
}

impl QuestionClass {
    pub(crate) const ALL: [Self; 3] = [Self::Rare, Self::Hundredth, Self::Question];

    /// Returns its name in a table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Rare => "a rare word",
            Self::Hundredth => "a word in 1 % of notes",
            Self::Question => "a question of 5 to 9 words",
        }
    }
}

/// A question.
pub(crate) struct Question {
    pub(crate) text: String,
    /// The best hit must contain one of these.
    subjects: Vec<String>,
    class: QuestionClass,
}

/// The forms in which people ask, by the number of subject words.
const TEMPLATES: [&[&str]; 3] = [
    &["how do we _ the _", "what is the _ about _", "why is there no _ in _"],
    &["why does the _ not _ _", "how can i _ _ and _ before it", "which _ should be used for _ _"],
    &["when should we _ the _ with _ _", "where is the _ for _ _ _", "what if _ _ or _ _"],
];

impl Question {
    /// Returns a question of a class, each time another.
    pub(crate) fn new(class: QuestionClass, notebook: &Notebook, number: usize) -> Self {
        let text = match class {
            QuestionClass::Rare => rare_word(number),
            QuestionClass::Hundredth => hundredth_word(number),
            QuestionClass::Question => return Self::from_template(notebook, number),
        };
        Self { subjects: vec![text.clone()], text, class }
    }

    fn from_template(notebook: &Notebook, number: usize) -> Self {
        let note = number * 7_919 % notebook.size;
        let forms = TEMPLATES[number % TEMPLATES.len()];
        let form = forms[number / TEMPLATES.len() % forms.len()];
        let subjects = notebook.subjects(note, number % TEMPLATES.len() + 2);
        let mut words = subjects.iter();
        let text = form.split(' ').map(|word| match word {
            "_" => words.next().copied().unwrap_or("the"),
            word => word,
        });
        let text = text.collect::<Vec<_>>().join(" ");
        let subjects = subjects.into_iter().map(stem_word).collect();
        Self { text, subjects, class: QuestionClass::Question }
    }

    /// Returns how many notes have the word, if the question is a single word.
    pub(crate) fn expected_count(&self, notebook: &Notebook) -> Option<u64> {
        match self.class {
            QuestionClass::Rare => Some(notebook.count_with_rare_word() as u64),
            QuestionClass::Hundredth => Some(notebook.size as u64 / 100),
            QuestionClass::Question => None,
        }
    }

    /// Returns the call that asks it.
    pub(crate) fn call(&self, mode: &str) -> Call {
        let arguments = json!({ "query": self.text, "mode": mode, "source": "local" });
        Call { tool: "search", arguments }
    }

    /// Checks an answer: the best hit must contain one of the words.
    pub(crate) fn check_best_hit(&self, project: &Path, answer: &Value) -> Result<(), String> {
        let Some(best) = hits(answer).next() else {
            return Err(format!("`{}`: nothing is found", self.text));
        };
        // The name of an item counts as well.
        let file = std::fs::read_to_string(project.join(&best)).unwrap_or_default() + &best;
        let mut has = false;
        for_each_token(&file, |token| has |= self.subjects.contains(&stem_word(token.text)));
        if has { Ok(()) } else { Err(format!("`{}`: the first hit is {best}", self.text)) }
    }
}

fn stem_word(word: &str) -> String {
    let mut word = word.to_owned();
    stem(&mut word);
    word
}

/// Returns the files on a page, best first.
pub(crate) fn hits(answer: &Value) -> impl Iterator<Item = String> {
    let data = reply_data(answer);
    let forms = [("knowledge", NoteForm::Knowledge), ("memories", NoteForm::Memory)];
    forms.into_iter().flat_map(|(list, form)| {
        let names = data[list].as_array().into_iter().flatten();
        let names = names.filter_map(|hit| hit["ref"].as_str());
        names.map(move |name| format!("{}/{name}.md", form.folder()))
    })
}

/// Returns the data of a reply.
pub(crate) fn reply_data(answer: &Value) -> &Value {
    &answer["result"]["structuredContent"]["data"]
}

/// Describes the difference between all hits for a word and the files that contain it.
pub(crate) fn describe_difference(
    word: &str,
    ours: &[String],
    theirs: &HashSet<String>,
) -> Option<String> {
    let own = ours.iter().cloned().collect::<HashSet<_>>();
    if own == *theirs && ours.len() == own.len() {
        return None;
    }
    Some(format!(
        "`{word}`: {} hits ({} of them different), {} files; not hit: {:?}; not there: {:?}",
        ours.len(),
        own.len(),
        theirs.len(),
        theirs.difference(&own).take(3).collect::<Vec<_>>(),
        own.difference(theirs).take(3).collect::<Vec<_>>(),
    ))
}
