//! Search queries. Any text is a query: everything that is not an operator is words.

use super::stem::stem;
use super::token::{fold, for_each_token};

/// The most plain words that are used, and the most clauses that must or must not match.
const MAX_CLAUSES: usize = 64;
/// The most words of a phrase that are used, because each one costs a postings list.
const MAX_PHRASE_WORDS: usize = 32;
/// The most bytes of a query that are read.
const MAX_BYTES: usize = 4096;

/// A parsed query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// The clauses in the order they were typed.
    pub clauses: Vec<Clause>,
    /// The normalised whole query, and the same without operators: an item may have exactly such a
    /// name.
    pub names: Vec<String>,
    /// The query without operators and exclusions, for the embedding model.
    pub plain_text: String,
    /// Is set if the query is not empty but has nothing that can be searched for, such as `🚀`.
    pub is_unreadable: bool,
}

/// One thing that a query asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Tells whether the term should, must or must not match.
    pub occur: Occur,
    /// The term to look for.
    pub term: QueryTerm,
}

/// The role of a clause in matching an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occur {
    /// A match improves the score.
    Should,
    /// An item without it does not match.
    Must,
    /// An item with it does not match.
    MustNot,
}

/// The term that a clause looks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryTerm {
    /// A word.
    Word(QueryWord),
    /// Any word with this prefix.
    Prefix(String),
    /// Consecutive words.
    Phrase(Vec<PhraseWord>),
    /// `tag:`, folded.
    Tag(String),
    /// `category:`, including the categories below it.
    Category(String),
    /// `type:`; an item needs only one of several.
    Type(String),
}

/// A word to look for. Two words with the same stem are equal.
#[derive(Clone, Debug)]
pub struct QueryWord {
    /// The stem.
    pub stem: String,
    /// The word as it was typed, folded.
    pub spelling: String,
}

impl PartialEq for QueryWord {
    fn eq(&self, other: &Self) -> bool {
        self.stem == other.stem
    }
}

impl Eq for QueryWord {}

/// A word of a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PhraseWord {
    /// A word.
    Word(QueryWord),
    /// Any word with this prefix.
    Prefix(String),
}

impl Query {
    /// Parses a query. Every text is valid.
    pub fn parse(text: &str) -> Self {
        let text = truncate_query(text);
        let mut query = Self::default();
        let mut rest = text;
        while let Some(piece) = RawClause::take_next(&mut rest) {
            for clause in piece.to_clauses() {
                // The limit is counted apart for required clauses, so that many words do not push
                // them out.
                let is_word = |own: &Clause| own.occur == Occur::Should;
                let alike = query.clauses.iter().filter(|own| is_word(own) == is_word(&clause));
                if alike.count() < MAX_CLAUSES && !query.clauses.contains(&clause) {
                    query.clauses.push(clause);
                }
            }
            if !piece.is_negated && !piece.is_operator() {
                query.plain_text.push_str(piece.text);
                query.plain_text.push(' ');
            }
        }
        query.names = vec![normalize_name(text), normalize_name(&query.plain_text)];
        query.names.dedup();
        query.names.retain(|name| !name.is_empty());
        let asks = |character: char| !is_space(character) && character != '*';
        query.is_unreadable = query.clauses.is_empty() && text.contains(asks);
        query
    }
}

/// Normalises a name for comparison: folded words with one space between them.
pub(super) fn normalize_name(text: &str) -> String {
    let mut words = Vec::new();
    for_each_token(text, |token| {
        if !token.is_subword {
            words.push(token.text.to_owned());
        }
    });
    words.join(" ")
}

/// Cuts a query to the length that is read, at a word boundary if possible.
fn truncate_query(text: &str) -> &str {
    let mut end = text.len().min(MAX_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let cut = &text[..end];
    let whole = cut.rfind(char::is_whitespace).filter(|_| end < text.len());
    &cut[..whole.unwrap_or(end)]
}

/// A part of a query as it was typed.
struct RawClause<'a> {
    is_negated: bool,
    operator: Option<&'a str>,
    text: &'a str,
    is_quoted: bool,
}

const OPERATORS: [&str; 3] = ["tag", "category", "type"];

impl<'a> RawClause<'a> {
    /// Takes the next clause off the rest of the query.
    fn take_next(rest: &mut &'a str) -> Option<Self> {
        let mut text = rest.trim_start_matches(|c: char| c.is_whitespace() || c.is_control());
        if text.is_empty() {
            return None;
        }
        let negative = text.starts_with('-') && text[1..].starts_with(|c: char| !is_space(c));
        if negative {
            text = &text[1..];
        }
        let colon = text.find(':').map(|at| (&text[..at], &text[at + 1..]));
        let operator = colon.filter(|(name, _)| OPERATORS.contains(name));
        if let Some((_, value)) = operator {
            text = value;
        }
        let operator = operator.map(|(name, _)| name);
        let (text, quoted, left) = if let Some(inner) = text.strip_prefix('"') {
            let (inner, left) = inner.split_once('"').unwrap_or((inner, ""));
            (inner, true, left)
        } else {
            let end = text.find(|c: char| is_space(c) || c == '"').unwrap_or(text.len());
            (&text[..end], false, &text[end..])
        };
        *rest = left;
        Some(Self { is_negated: negative, operator, text, is_quoted: quoted })
    }

    fn is_operator(&self) -> bool {
        self.operator.is_some()
    }

    fn to_clauses(&self) -> Vec<Clause> {
        let sign = |own| if self.is_negated { Occur::MustNot } else { own };
        let must = |what| vec![Clause { occur: sign(Occur::Must), term: what }];
        match self.operator {
            Some(_) if self.text.trim().is_empty() => return Vec::new(),
            Some("tag") => return must(QueryTerm::Tag(fold(self.text.trim()))),
            Some("category") => {
                return must(QueryTerm::Category(fold(self.text.trim().trim_matches('/'))));
            }
            Some(_) => return must(QueryTerm::Type(fold(self.text.trim()))),
            None => {}
        }
        let mut words = parse_words(self.text);
        words.truncate(MAX_PHRASE_WORDS);
        if self.is_quoted {
            return match words.len() {
                0 => Vec::new(),
                _ => must(QueryTerm::Phrase(words.into_iter().map(PhraseWord::Word).collect())),
            };
        }
        let prefix = self.text.strip_suffix('*').and_then(last_word);
        if prefix.is_some() {
            words.pop();
        }
        let words = words.into_iter().map(PhraseWord::Word).chain(prefix.map(PhraseWord::Prefix));
        let words = words.collect::<Vec<_>>();
        // An exclusion applies to the whole: `-back-off` does not exclude every `back`.
        if self.is_negated && words.len() > 1 {
            return must(QueryTerm::Phrase(words));
        }
        let clauses = words.into_iter().map(|word| {
            let what = match word {
                PhraseWord::Word(word) => QueryTerm::Word(word),
                PhraseWord::Prefix(beginning) => QueryTerm::Prefix(beginning),
            };
            Clause { occur: sign(Occur::Should), term: what }
        });
        clauses.collect()
    }
}

fn is_space(character: char) -> bool {
    character.is_whitespace() || character.is_control()
}

fn parse_words(text: &str) -> Vec<QueryWord> {
    let mut words = Vec::new();
    for_each_token(text, |token| {
        if !token.is_subword {
            let spelt = token.text.to_owned();
            let mut own = spelt.clone();
            stem(&mut own);
            words.push(QueryWord { stem: own, spelling: spelt });
        }
    });
    words
}

fn last_word(text: &str) -> Option<String> {
    let mut last = None;
    for_each_token(text, |token| {
        if !token.is_subword {
            last = (token.range.end == text.len()).then(|| token.text.to_owned());
        }
    });
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let clauses = Query::parse(text).clauses.into_iter().map(|clause| {
            let sign = match clause.occur {
                Occur::Should => "",
                Occur::Must => "+",
                Occur::MustNot => "-",
            };
            let what = match clause.term {
                QueryTerm::Word(word) => word.stem,
                QueryTerm::Prefix(prefix) => format!("{prefix}*"),
                QueryTerm::Phrase(parts) => {
                    let words = parts.into_iter().map(|part| match part {
                        PhraseWord::Word(word) => word.stem,
                        PhraseWord::Prefix(prefix) => format!("{prefix}*"),
                    });
                    format!("\"{}\"", words.collect::<Vec<_>>().join(" "))
                }
                QueryTerm::Tag(tag) => format!("tag:{tag}"),
                QueryTerm::Category(category) => format!("category:{category}"),
                QueryTerm::Type(kind) => format!("type:{kind}"),
            };
            format!("{sign}{what}")
        });
        assert_eq!(clauses.collect::<Vec<_>>().join(" "), expected, "{text}");
    }

    #[test]
    fn a_query_is_words_phrases_prefixes_exclusions_and_operators() {
        check("Retries with backoff", "retri with backoff");
        check("\"circuit breakers\" retry", "+\"circuit breaker\" retri");
        check("data* -draft", "data* -draft");
        check("-\"old way\" new", "-\"old wai\" new");
        check(
            "tag:Ops category:/a/b/ type:knowledge -tag:x",
            "+tag:ops +category:a/b +type:knowledge -tag:x",
        );
        check("tag:\"two words\"", "+tag:two words");
        check("-back-off", "-\"back off\"");
        check("-back-off*", "-\"back off*\"");
        check("back-off*", "back off*");
        check("https://example.org", "http exampl org");
        check("a a A", "a");
        check("retry retries \"retry it\" \"retries it\"", "retri +\"retri it\"");
    }

    #[test]
    fn a_name_may_be_all_of_it_or_all_but_operators() {
        let names = |text: &str| Query::parse(text).names;
        assert_eq!(names("Retry Budget"), ["retry budget"]);
        assert_eq!(
            names("Retry Budget type:knowledge -x"),
            ["retry budget type knowledge x", "retry budget"]
        );
        assert_eq!(names("tag: a"), ["tag a", "a"]);
        assert!(names("-").is_empty());
    }

    #[test]
    fn what_cannot_be_read_is_not_everything() {
        for text in ["🚀", "???", "\"", "-", "tag:", "- -"] {
            assert!(Query::parse(text).is_unreadable, "{text}");
        }
        for text in ["", " \n\0", "*", "a", "🚀 a", "tag:x", "-a"] {
            assert!(!Query::parse(text).is_unreadable, "{text}");
        }
    }

    #[test]
    fn any_text_is_a_query() {
        for (text, expected) in [
            ("", ""),
            ("\"", ""),
            ("\"unclosed phrase", "+\"unclos phrase\""),
            ("-", ""),
            ("- -", ""),
            ("*", ""),
            ("tag:", ""),
            ("NEAR(a b) OR col:x", "near a b or col x"),
            ("'; DROP TABLE doc; --", "drop tabl doc"),
            ("\0\u{1}\u{202e}", ""),
            ("((((", ""),
            ("a\"b\"c", "a +\"b\" c"),
        ] {
            check(text, expected);
        }
        let long = "word ".repeat(1_000_000);
        assert_eq!(Query::parse(&long).clauses.len(), 1);
        let many = (0..100_000).map(|number| format!("w{number}")).collect::<Vec<_>>().join(" ");
        assert_eq!(Query::parse(&many).clauses.len(), MAX_CLAUSES);
        let late = format!("{many} -draft tag:x");
        let late = Query::parse(&late[late.len() - 2000..]).clauses;
        assert_eq!(late.iter().filter(|clause| clause.occur != Occur::Should).count(), 2);
        let endless = format!("\"{}\"", "a b ".repeat(1000));
        let [Clause { term: QueryTerm::Phrase(words), .. }] = &Query::parse(&endless).clauses[..]
        else {
            panic!("no phrase");
        };
        assert_eq!(words.len(), MAX_PHRASE_WORDS);
    }
}
