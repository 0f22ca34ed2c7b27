//! The model that turns texts into vectors.
//!
//! The built-in table takes almost no time, so items get their vectors while they are indexed.
//! Every other model makes them later; until then the items are found by their words.

use mere_core::embed::{
    EmbeddingText, ModelIdentity, StaticEmbeddings, UnitVector, Vector, joint_model,
    static_embeddings,
};

use super::embedding_error::EmbeddingError;
use super::endpoint::Endpoint;
use super::lazy_minilm::{LazyMiniLm, MINILM_FILE};
use crate::config::{EmbeddingsConfig, ModelChoice};
use mere_host::{Environment, available_parallelism, map_in_parallel};

/// How many texts a local model is given at once, for each thread.
const TEXTS_PER_THREAD: usize = 1;

/// The model that embeds items and queries.
pub(crate) enum Embedder {
    /// There is none: only words count.
    None,
    /// The static table that is part of the program.
    Static,
    /// The transformer that a person fetched, joined with the table.
    MiniLm(LazyMiniLm),
    /// A model behind a network endpoint.
    Endpoint(Box<Endpoint>),
}

/// What a model made of a text.
pub(crate) enum EmbedOutcome {
    Vector(Vector),
    /// The text has no words with a meaning.
    Empty,
    /// The model refused it now; it may accept it later.
    Refused,
}

/// How many threads may be used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ThreadBudget {
    /// One thread, because others work on this machine too.
    One,
    /// All cores, because a person waits.
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
    /// Returns the model that the user's config asks for; by default `MiniLM` if it was fetched, else
    /// the table.
    pub(crate) fn from_config(config: &EmbeddingsConfig, environment: &Environment) -> Self {
        let models = environment.model_folder();
        let is_fetched = models.as_ref().is_some_and(|models| models.size(MINILM_FILE).is_some());
        let default = if is_fetched { ModelChoice::MiniLm } else { ModelChoice::Static };
        match (config.model.unwrap_or(default), &config.endpoint) {
            (ModelChoice::Static, _) => Self::Static,
            (ModelChoice::MiniLm, _) => Self::MiniLm(LazyMiniLm::new(models)),
            (ModelChoice::Endpoint, Some(config)) => {
                let key = |name: &str| environment.read_secret_variable(name);
                Self::Endpoint(Box::new(Endpoint::new(config.clone(), key)))
            }
            (ModelChoice::None | ModelChoice::Endpoint, _) => Self::None,
        }
    }

    /// Returns the name that people use for it.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Static => "static",
            Self::MiniLm(_) => "minilm",
            Self::Endpoint(_) => "endpoint",
        }
    }

    /// Returns the identity under which vectors are stored; none without a model. Its dimensions
    /// are 0 as long as they are not known.
    pub(crate) fn model(&self) -> Option<ModelIdentity> {
        match self {
            Self::None => None,
            Self::Static => Some(static_embeddings::MODEL),
            Self::MiniLm(_) => Some(joint_model::MODEL),
            Self::Endpoint(endpoint) => Some(endpoint.model()),
        }
    }

    /// Returns whether items get their vectors after they were indexed.
    pub(crate) fn is_deferred(&self) -> bool {
        matches!(self, Self::MiniLm(_) | Self::Endpoint(_))
    }

    /// Returns the model if items get their vectors while they are indexed.
    pub(crate) fn immediate_model(&self) -> Option<ModelIdentity> {
        self.model().filter(|_| !self.is_deferred())
    }

    /// Embeds an item while it is indexed, if the model is fast enough for that.
    pub(crate) fn embed_immediately(&self, text: &EmbeddingText) -> Option<Vector> {
        match self {
            Self::Static => text.embed(by_table),
            Self::None | Self::MiniLm(_) | Self::Endpoint(_) => None,
        }
    }

    /// Embeds a query; none if its text has no meaning.
    pub(crate) fn embed_query(&self, text: &str) -> Result<Option<Vector>, EmbeddingError> {
        match self {
            Self::None => Err(EmbeddingError::Disabled),
            Self::Static => Ok(by_table(text).and_then(|direction| direction.to_vector())),
            Self::MiniLm(lazy_model) => {
                let direction = joint_model::embed(lazy_model.model()?, text);
                Ok(direction.and_then(|direction| direction.to_vector()))
            }
            Self::Endpoint(_) if text.trim().is_empty() => Ok(None),
            Self::Endpoint(endpoint) => endpoint.embed_query(text),
        }
    }

    /// Checks whether the model can be used now, as far as that is known.
    pub(crate) fn check_ready(&self) -> Result<(), EmbeddingError> {
        match self {
            Self::None => Err(EmbeddingError::Disabled),
            Self::Static => Ok(()),
            Self::MiniLm(lazy_model) => lazy_model.model().map(|_| ()),
            Self::Endpoint(endpoint) => endpoint.check_ready(),
        }
    }

    /// Returns how many items are best embedded together.
    pub(crate) fn batch_size(&self, threads: ThreadBudget) -> usize {
        match self {
            Self::None => 0,
            Self::Static => 256,
            Self::MiniLm(_) => TEXTS_PER_THREAD * threads.count(),
            Self::Endpoint(endpoint) => endpoint.batch_size(),
        }
    }

    /// Embeds texts and returns the outcomes in their order.
    pub(crate) fn embed_texts(
        &self,
        texts: &[&EmbeddingText],
        threads: ThreadBudget,
    ) -> Result<Vec<EmbedOutcome>, EmbeddingError> {
        let made =
            |vector: Option<Vector>| vector.map_or(EmbedOutcome::Empty, EmbedOutcome::Vector);
        match self {
            Self::None => Err(EmbeddingError::Disabled),
            Self::Static => Ok(texts.iter().map(|text| made(text.embed(by_table))).collect()),
            Self::MiniLm(lazy_model) => {
                let model = lazy_model.model()?;
                let by_both = |text: &str| joint_model::embed(model, text);
                let vectors = map_in_parallel(texts, threads.count(), |text| text.embed(by_both));
                Ok(vectors.into_iter().map(made).collect())
            }
            Self::Endpoint(endpoint) => {
                let texts = texts.iter().map(|text| text.whole.as_str()).collect::<Vec<_>>();
                let non_empty = texts.iter().copied().filter(|text| !text.trim().is_empty());
                let non_empty = non_empty.collect::<Vec<_>>();
                if non_empty.is_empty() {
                    return Ok(texts.iter().map(|_| EmbedOutcome::Empty).collect());
                }
                let mut vectors = endpoint.embed_texts(&non_empty)?.into_iter();
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

fn by_table(text: &str) -> Option<UnitVector> {
    StaticEmbeddings::built_in().embed(text)
}
