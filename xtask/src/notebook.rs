//! Generated notes like those that people keep: about a hundred words each, with titles, tags and
//! links, in folders of a few hundred. Some words are planted, so that it is known which notes have
//! them.

use std::collections::HashMap;
use std::path::Path;

use crate::random::Random;
use crate::vocabulary::{FIRST_CONTENT_RANK, Vocabulary, planted_word};

/// How many words of each kind are planted.
pub(crate) const RARE: usize = 240;
const HALF: usize = 100;
pub(crate) const HUNDREDTH: usize = 2 * HALF;
/// One note in this many has a given rare word.
const NOTES_PER_RARE_WORD: usize = 10_000;
/// How many notes one folder holds.
const NOTES_PER_FOLDER: usize = 300;
/// The number of the first planted word that no note has.
const FIRST_NEW_WORD: usize = RARE + HUNDREDTH;

/// All notes. Each is generated on demand.
pub(crate) struct Notebook {
    vocabulary: Vocabulary,
    pub(crate) size: usize,
    /// The rare words of each note that has any.
    rare: HashMap<usize, Vec<usize>>,
}

/// The form in which notes are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoteForm {
    Knowledge,
    Memory,
}

impl NoteForm {
    /// Returns their folder in a project.
    pub(crate) fn folder(self) -> &'static str {
        match self {
            Self::Knowledge => ".ai/knowledge",
            Self::Memory => ".ai/memory",
        }
    }
}

/// Returns a rare word by its number.
pub(crate) fn rare_word(number: usize) -> String {
    planted_word(number % RARE)
}

/// Returns a word that one note in a hundred has.
pub(crate) fn hundredth_word(number: usize) -> String {
    planted_word(RARE + number % HUNDREDTH)
}

/// Returns a word that no note has yet.
pub(crate) fn new_word(number: usize) -> String {
    planted_word(FIRST_NEW_WORD + number)
}

impl Notebook {
    pub(crate) fn new(size: usize) -> Self {
        let mut notebook = Self { vocabulary: Vocabulary::new(), size, rare: HashMap::new() };
        for word in 0..RARE {
            for copy in 0..notebook.count_with_rare_word() {
                let note = (notebook.first_note_with(word) + copy * 9_973) % size;
                notebook.rare.entry(note).or_default().push(word);
            }
        }
        notebook
    }

    /// Returns how many notes have each rare word.
    pub(crate) fn count_with_rare_word(&self) -> usize {
        (self.size / NOTES_PER_RARE_WORD).max(1)
    }

    /// Returns the first note that has a rare word.
    pub(crate) fn first_note_with(&self, word: usize) -> usize {
        word * 41 % self.size
    }

    /// Returns the id of a note, which is also its file name. It starts with two words.
    pub(crate) fn id(&self, number: usize) -> String {
        let mut random = random_for(number, 1);
        let words = [0, 1].map(|_| random.between(FIRST_CONTENT_RANK, 2_000));
        format!("{}-{}-{number}", self.vocabulary.word(words[0]), self.vocabulary.word(words[1]))
    }

    /// Returns the category of a note.
    pub(crate) fn category(&self, number: usize) -> String {
        let folder = number / NOTES_PER_FOLDER;
        let (area, topic) = (FIRST_CONTENT_RANK + folder / 12, 1_000 + folder);
        format!("{}/{}", self.vocabulary.word(area), self.vocabulary.word(topic))
    }

    /// Returns the path of a note's file, relative to the project.
    pub(crate) fn path(&self, number: usize, form: NoteForm) -> String {
        format!("{}/{}/{}.md", form.folder(), self.category(number), self.id(number))
    }

    /// Returns the whole text of a note's file.
    pub(crate) fn text(&self, number: usize, form: NoteForm) -> String {
        let mut random = random_for(number, 3);
        let title = sentence(&self.words(4, &mut random));
        let title = title.trim_end_matches('.');
        let about = random.chance_permille(500).then(|| sentence(&self.words(12, &mut random)));
        let about = about.map(|about| format!("description: \"{about}\"\n")).unwrap_or_default();
        let tags = [0, 1].map(|_| self.vocabulary.word(random.between(FIRST_CONTENT_RANK, 400)));
        let tags = format!("tags: [{}, {}]\n", tags[0], tags[1]);
        let body = self.body(number, &mut random);
        if form == NoteForm::Memory {
            let time = format!("2025-{:02}-{:02}T08:00:00Z", number % 12 + 1, number % 28 + 1);
            let times = format!("created_at: {time}\nupdated_at: {time}\n");
            return format!("---\n{times}{about}{tags}---\n# {title}\n\n{body}");
        }
        let id = self.id(number);
        let related = random.chance_permille(300).then(|| self.id(random.below(self.size)));
        let related = related.map(|other| format!("related: [{other}]\n")).unwrap_or_default();
        format!(
            "---\nid: {id}\ntitle: \"{title}\"\nentry_type: learning\n{about}{tags}{related}---\n\n\
             {body}"
        )
    }

    /// Returns about 120 words in sentences, with the planted words somewhere between them.
    fn body(&self, number: usize, rest: &mut Random) -> String {
        let ranks = self.ranks(number);
        let mut words =
            ranks.iter().map(|rank| self.vocabulary.word(*rank).to_owned()).collect::<Vec<_>>();
        let mut plant = vec![hundredth_word(number % HALF)];
        plant.push(hundredth_word(HALF + (number * 7 + number / HALF) % HALF));
        plant.extend(self.rare.get(&number).into_iter().flatten().map(|word| rare_word(*word)));
        for word in plant {
            words.insert(rest.below(words.len()), word);
        }
        if rest.chance_permille(200) {
            let link = format!("[[{}]]", self.id(rest.below(self.size)));
            words.insert(rest.below(words.len()), link);
        }
        let mut body = String::new();
        let mut words = &words[..];
        while !words.is_empty() {
            let (some, others) = words.split_at(rest.between(6, 16).min(words.len()));
            body += &sentence(some);
            body += if rest.chance_permille(250) { "\n\n" } else { " " };
            words = others;
        }
        body.trim_end().to_owned() + "\n"
    }

    /// Returns the ranks of the words in a note's body, without the planted ones.
    fn ranks(&self, number: usize) -> Vec<usize> {
        let mut random = random_for(number, 2);
        (0..random.between(105, 130)).map(|_| self.vocabulary.draw(&mut random)).collect()
    }

    fn words(&self, count: usize, random: &mut Random) -> Vec<String> {
        let count = random.between(count - 1, count + 2);
        let ranks = (0..count).map(|_| self.vocabulary.draw(random));
        ranks.map(|rank| self.vocabulary.word(rank).to_owned()).collect()
    }

    /// Returns some distinct words that say what a note is about.
    pub(crate) fn subjects(&self, number: usize, count: usize) -> Vec<&str> {
        let mut ranks = self.ranks(number);
        ranks.retain(|rank| *rank >= FIRST_CONTENT_RANK);
        let mut words = Vec::new();
        for word in ranks.into_iter().map(|rank| self.vocabulary.word(rank)) {
            if words.len() < count && !words.contains(&word) {
                words.push(word);
            }
        }
        words
    }

    /// Writes all notes into a project.
    pub(crate) fn write(&self, project: &Path, form: NoteForm) {
        std::fs::create_dir_all(project.join(".git")).expect("a folder");
        let mut last = String::new();
        for number in 0..self.size {
            let category = self.category(number);
            if category != last {
                let folder = project.join(form.folder()).join(&category);
                std::fs::create_dir_all(folder).expect("a folder");
                last = category;
            }
            let file = project.join(self.path(number, form));
            std::fs::write(file, self.text(number, form)).expect("a file");
        }
    }
}

/// Returns the random numbers of a note, for one of its parts.
fn random_for(number: usize, part: u64) -> Random {
    let mut seed = (number as u64 * 8 + part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    seed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    seed = (seed ^ (seed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    Random::new(seed ^ (seed >> 31))
}

/// Joins words into a sentence with a capital letter and a full stop.
fn sentence(words: &[String]) -> String {
    let text = words.join(" ");
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).chain(['.']).collect()
}
