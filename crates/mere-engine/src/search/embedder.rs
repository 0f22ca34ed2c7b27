//! The model that says what texts mean.
//!
//! The table that ships takes no time, so items get their vectors as they are indexed. Every other
//! model makes them later, while words find the items already.

use std::thread;

use mere_core::embed::{MiniLm, ModelIdentity, StaticEmbeddings, Vector, minilm, table};
use mere_core::search::Document;

use super::endpoint::Endpoint;
use super::fetched::{LazyMiniLm, MINILM_FILE};
use super::trouble::EmbeddingError;
use crate::config::{EmbeddingsConfig, ModelChoice};
use mere_host::{Environment, available_parallelism};

/// How many texts a model of this machine is given at once, for each hand.
const TEXTS_PER_THREAD: usize = 1;

/// What meanings are found by.
pub(crate) enum Embedder {
    /// None: words alone count.
    None,
    /// The table that is part of the program.
    Static,
    /// The transformer that a person fetched.
    MiniLm(LazyMiniLm),
    /// Somebody else's model.
    Endpoint(Box<Endpoint>),
}

/// What a model makes of an item.
pub(crate) enum EmbedOutcome {
    Vector(Vector),
    /// The item says nothing that means anything.
    Empty,
    /// It has none now; it may have one later.
    Refused,
}

/// How much of the machine may be used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ThreadBudget {
    /// Somebody else works here too.
    One,
    /// A person waits for it.
    All,
}

impl ThreadBudget {
    fn count(self) -> usize {
        match self {
            Self::One => 1,
            Self::All => available_parallelism(usize::MAX),
        }
    }
}

impl Embedder {
    /// The model that the user's config asks for; if it asks for none in particular, the best that is
    /// there.
    pub(crate) fn from_config(said: &EmbeddingsConfig, surroundings: &Environment) -> Self {
        let models = surroundings.model_folder();
        let is_fetched = models.as_ref().is_some_and(|models| models.size(MINILM_FILE).is_some());
        let usual = if is_fetched { ModelChoice::MiniLm } else { ModelChoice::Static };
        match (said.model.unwrap_or(usual), &said.endpoint) {
            (ModelChoice::Static, _) => Self::Static,
            (ModelChoice::MiniLm, _) => Self::MiniLm(LazyMiniLm::new(models)),
            (ModelChoice::Endpoint, Some(config)) => {
                let key = |name: &str| surroundings.read_secret_variable(name);
                Self::Endpoint(Box::new(Endpoint::new(config.clone(), key)))
            }
            (ModelChoice::None | ModelChoice::Endpoint, _) => Self::None,
        }
    }

    /// What people call it.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Static => "static",
            Self::MiniLm(_) => "minilm",
            Self::Endpoint(_) => "endpoint",
        }
    }

    /// What the vectors are kept under; none without a model. It has no dimensions as long as nobody
    /// knows how many there are.
    pub(crate) fn model(&self) -> Option<ModelIdentity> {
        match self {
            Self::None => None,
            Self::Static => Some(table::MODEL),
            Self::MiniLm(_) => Some(minilm::MODEL),
            Self::Endpoint(endpoint) => Some(endpoint.model()),
        }
    }

    /// Whether items get their vectors later than they are indexed.
    pub(crate) fn is_deferred(&self) -> bool {
        matches!(self, Self::MiniLm(_) | Self::Endpoint(_))
    }

    /// The model whose vectors items get as they are indexed.
    pub(crate) fn immediate_model(&self) -> Option<ModelIdentity> {
        self.model().filter(|_| !self.is_deferred())
    }

    /// The vector of an item, where it takes no time.
    pub(crate) fn embed_immediately(&self, document: &Document) -> Option<Vector> {
        match self {
            Self::Static => StaticEmbeddings::built_in().embed(&embedding_text(document)),
            Self::None | Self::MiniLm(_) | Self::Endpoint(_) => None,
        }
    }

    /// The vector of a question; none if it says nothing.
    pub(crate) fn embed_query(&self, said: &str) -> Result<Option<Vector>, EmbeddingError> {
        match self {
            Self::None => Err(EmbeddingError::Disabled),
            Self::Static => Ok(StaticEmbeddings::built_in().embed(said)),
            Self::MiniLm(fetched) => Ok(fetched.model()?.embed(said)),
            Self::Endpoint(_) if said.trim().is_empty() => Ok(None),
            Self::Endpoint(endpoint) => endpoint.embed_query(said),
        }
    }

    /// Whether it can be used now, as far as that is known.
    pub(crate) fn check_ready(&self) -> Result<(), EmbeddingError> {
        match self {
            Self::None => Err(EmbeddingError::Disabled),
            Self::Static => Ok(()),
            Self::MiniLm(fetched) => fetched.model().map(|_| ()),
            Self::Endpoint(endpoint) => endpoint.check_ready(),
        }
    }

    /// How many items are best embedded together.
    pub(crate) fn batch_size(&self, hands: ThreadBudget) -> usize {
        match self {
            Self::None => 0,
            Self::Static => 256,
            Self::MiniLm(_) => TEXTS_PER_THREAD * hands.count(),
            Self::Endpoint(endpoint) => endpoint.batch_size(),
        }
    }

    /// What it makes of some texts, each in its place.
    pub(crate) fn embed_texts(
        &self,
        texts: &[&str],
        hands: ThreadBudget,
    ) -> Result<Vec<EmbedOutcome>, EmbeddingError> {
        let made =
            |vector: Option<Vector>| vector.map_or(EmbedOutcome::Empty, EmbedOutcome::Vector);
        match self {
            Self::None => Err(EmbeddingError::Disabled),
            Self::Static => {
                let table = StaticEmbeddings::built_in();
                Ok(texts.iter().map(|text| made(table.embed(text))).collect())
            }
            Self::MiniLm(fetched) => {
                let vectors = embed_in_parallel(fetched.model()?, texts, hands);
                Ok(vectors.into_iter().map(made).collect())
            }
            Self::Endpoint(endpoint) => {
                let said = texts.iter().copied().filter(|text| !text.trim().is_empty());
                let said = said.collect::<Vec<_>>();
                if said.is_empty() {
                    return Ok(texts.iter().map(|_| EmbedOutcome::Empty).collect());
                }
                let mut vectors = endpoint.embed_texts(&said)?.into_iter();
                let made = texts.iter().map(|text| match text.trim() {
                    "" => EmbedOutcome::Empty,
                    _ => {
                        vectors.next().flatten().map_or(EmbedOutcome::Refused, EmbedOutcome::Vector)
                    }
                });
                Ok(made.collect())
            }
        }
    }
}

fn embed_in_parallel(model: &MiniLm, texts: &[&str], hands: ThreadBudget) -> Vec<Option<Vector>> {
    let embed = |texts: &[&str]| texts.iter().map(|text| model.embed(text)).collect::<Vec<_>>();
    let each = texts.len().div_ceil(hands.count()).max(1);
    if each >= texts.len() {
        return embed(texts);
    }
    thread::scope(|scope| {
        let parts = texts.chunks(each).map(|part| (part.len(), scope.spawn(move || embed(part))));
        let parts = parts.collect::<Vec<_>>().into_iter();
        // A hand that fails has made nothing, and the others keep their places.
        parts.flat_map(|(count, part)| part.join().unwrap_or_else(|_| vec![None; count])).collect()
    })
}

/// The text whose meaning is an item's.
pub(crate) fn embedding_text(document: &Document) -> String {
    let [title, id, tags, description, _, body] = &document.texts;
    let id = id.replace(['-', '_'], " ");
    [title, &id, description, tags, body].map(String::as_str).join("\n")
}
