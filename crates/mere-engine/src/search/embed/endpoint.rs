//! An embedding model that is reached over the network, as the user's config says.
//!
//! It uses the common `/v1/embeddings` protocol. Only texts as agents see them are sent. After a
//! failure nothing is sent for a while.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use mere_core::digest::Sha256;
use mere_core::embed::{ModelIdentity, Vector};
use mere_core::request::Secret;
use serde::Deserialize;
use serde_json::json;

use super::embedding_error::EmbeddingError;
use crate::config::EndpointConfig;
use mere_host::{HttpError, PostRequest};

/// How long nothing is sent after a failure.
const FAILURE_PAUSE: Duration = Duration::from_secs(30);
/// The timeout of embedding a query.
const QUERY_TIMEOUT: Duration = Duration::from_secs(3);
/// The timeout of embedding items.
const ITEMS_TIMEOUT: Duration = Duration::from_secs(20);
/// The most texts in one request.
const MAX_TEXTS: usize = 64;
/// The most characters of a text that are sent; models read only so much at once.
const MAX_CHARACTERS: usize = 8000;
/// The most bytes of a response, for each text and once more for the rest.
const RESPONSE_BYTES_PER_TEXT: u64 = 512 * 1024;

/// The endpoint with its state.
pub(crate) struct Endpoint {
    config: EndpointConfig,
    key: Result<Option<Secret>, EmbeddingError>,
    /// The number of dimensions of its vectors; 0 as long as that is not known.
    dimensions: AtomicUsize,
    /// The number of texts in the next request.
    batch_size: AtomicUsize,
    last_failure: Mutex<Option<(Instant, EmbeddingError)>>,
}

#[derive(Deserialize)]
struct EmbeddingsResponse {
    data: Vec<EmbeddingRow>,
}

#[derive(Deserialize)]
struct EmbeddingRow {
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl Endpoint {
    /// Makes an endpoint. `key` reads the environment variable that the config names.
    pub(crate) fn new(config: EndpointConfig, key: impl FnOnce(&str) -> Option<Secret>) -> Self {
        let key = match &config.key_variable {
            None => Ok(None),
            Some(name) => {
                key(name).map(Some).ok_or_else(|| EmbeddingError::MissingKey(name.clone()))
            }
        };
        let dimensions = AtomicUsize::new(config.dimensions.unwrap_or_default());
        Self {
            config,
            key,
            dimensions,
            batch_size: AtomicUsize::new(8),
            last_failure: Mutex::default(),
        }
    }

    /// Returns the identity of its model. Another URL, or another model name there, is another
    /// model.
    pub(crate) fn model(&self) -> ModelIdentity {
        let EndpointConfig { url, name, dimensions, .. } = &self.config;
        let named = json!([url.to_string(), name, dimensions]).to_string();
        let mut digest = Sha256::digest(named.as_bytes()).to_string();
        digest.truncate(32);
        let dimensions = self.dimensions.load(Ordering::Relaxed);
        ModelIdentity { id: format!("endpoint-{digest}").into(), dimensions }
    }

    /// Returns how many texts are best sent at once.
    pub(crate) fn batch_size(&self) -> usize {
        self.batch_size.load(Ordering::Relaxed)
    }

    /// Embeds a query, with a short timeout because somebody waits.
    pub(crate) fn embed_query(&self, text: &str) -> Result<Option<Vector>, EmbeddingError> {
        self.check_ready()?;
        Ok(self.record_failure(self.request_vectors(&[text], QUERY_TIMEOUT))?.into_iter().next())
    }

    /// Embeds texts and returns the vectors in their order; none for a text that the endpoint
    /// refuses.
    pub(crate) fn embed_texts(
        &self,
        texts: &[&str],
    ) -> Result<Vec<Option<Vector>>, EmbeddingError> {
        self.check_ready()?;
        let began = Instant::now();
        let answered = self.request_vectors(texts, ITEMS_TIMEOUT);
        if is_refused(&answered) {
            // The endpoint refuses at least one of the texts, so each is sent on its own.
            return texts.iter().map(|text| self.embed_single(text)).collect();
        }
        let vectors = self.record_failure(answered)?;
        self.adapt_batch_size(texts.len(), began.elapsed());
        Ok(vectors.into_iter().map(Some).collect())
    }

    fn embed_single(&self, text: &str) -> Result<Option<Vector>, EmbeddingError> {
        let answered = self.request_vectors(&[text], ITEMS_TIMEOUT);
        if is_refused(&answered) {
            return Ok(None);
        }
        Ok(self.record_failure(answered)?.into_iter().next())
    }

    /// Logs and remembers a failure.
    fn record_failure<T>(&self, answered: Result<T, EmbeddingError>) -> Result<T, EmbeddingError> {
        if let Err(error) = &answered {
            tracing::warn!(trouble = %error, "the endpoint returned no vectors");
            *self.lock_last_failure() = Some((Instant::now(), error.clone()));
        }
        answered
    }

    /// Checks that no recent failure forbids sending.
    pub(crate) fn check_ready(&self) -> Result<(), EmbeddingError> {
        let mut failed = self.lock_last_failure();
        match &*failed {
            Some((at, error)) if at.elapsed() < FAILURE_PAUSE => return Err(error.clone()),
            _ => *failed = None,
        }
        Ok(())
    }

    fn lock_last_failure(&self) -> std::sync::MutexGuard<'_, Option<(Instant, EmbeddingError)>> {
        self.last_failure.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adapts the number of texts in a request so that a response takes about a second.
    fn adapt_batch_size(&self, sent: usize, took: Duration) {
        let size = if took < Duration::from_secs(1) { self.batch_size() * 2 } else { sent / 2 };
        self.batch_size.store(size.clamp(1, MAX_TEXTS), Ordering::Relaxed);
    }

    fn request_vectors(
        &self,
        texts: &[&str],
        timeout: Duration,
    ) -> Result<Vec<Vector>, EmbeddingError> {
        let key = self.key.as_ref().map_err(Clone::clone)?;
        let input = texts.iter().map(|text| truncate(text)).collect::<Vec<_>>();
        let mut body = json!({ "model": self.config.name, "input": input });
        if let Some(dimensions) = self.config.dimensions {
            body["dimensions"] = dimensions.into();
        }
        let body = body.to_string();
        let post = PostRequest {
            url: &self.config.url,
            key: key.as_ref(),
            body: body.as_bytes(),
            timeout,
            max_response_bytes: RESPONSE_BYTES_PER_TEXT * (1 + texts.len() as u64),
        };
        let answer = post.send()?;
        let answer = serde_json::from_slice::<EmbeddingsResponse>(&answer)
            .map_err(|_| EmbeddingError::InvalidResponse)?;
        let vectors =
            sort_vectors(answer.data, texts.len()).ok_or(EmbeddingError::InvalidResponse)?;
        let dimensions = vectors.first().map_or(0, Vector::dimensions);
        let is_expected = self.config.dimensions.is_none_or(|expected| expected == dimensions);
        if !is_expected || vectors.iter().any(|vector| vector.dimensions() != dimensions) {
            return Err(EmbeddingError::InvalidResponse);
        }
        self.dimensions.store(dimensions, Ordering::Relaxed);
        Ok(vectors)
    }
}

/// Puts the vectors into the order of the texts; none unless there is exactly one for each text.
fn sort_vectors(rows: Vec<EmbeddingRow>, count: usize) -> Option<Vec<Vector>> {
    if rows.len() != count {
        return None;
    }
    let mut vectors = vec![None; count];
    for (place, row) in rows.into_iter().enumerate() {
        let vector = vectors.get_mut(row.index.unwrap_or(place))?;
        if vector.is_some() {
            return None;
        }
        *vector = Some(Vector::from_floats(&row.embedding)?);
    }
    vectors.into_iter().collect()
}

/// Returns whether the endpoint refused the request itself, for a text that is too long or an
/// unknown model.
fn is_refused<T>(answered: &Result<T, EmbeddingError>) -> bool {
    matches!(answered, Err(EmbeddingError::Http(HttpError::Status(400 | 413 | 422))))
}

/// Returns the beginning of a text, as much as is sent.
fn truncate(text: &str) -> &str {
    text.char_indices().nth(MAX_CHARACTERS).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(index: Option<usize>, embedding: &[f32]) -> EmbeddingRow {
        EmbeddingRow { index, embedding: embedding.to_vec() }
    }

    #[test]
    fn vectors_are_in_the_order_of_the_texts() {
        let rows = vec![row(Some(1), &[0.0, 1.0]), row(Some(0), &[1.0, 0.0])];
        let vectors = sort_vectors(rows, 2).expect("vectors");
        assert_eq!(vectors[0].as_bytes(), [127, 0]);
        let unnumbered = sort_vectors(vec![row(None, &[1.0]), row(None, &[2.0])], 2);
        assert_eq!(unnumbered.map(|all| all.len()), Some(2));
        for rows in [
            vec![row(Some(0), &[1.0])],
            vec![row(Some(0), &[1.0]), row(Some(0), &[1.0])],
            vec![row(Some(0), &[1.0]), row(Some(2), &[1.0])],
            vec![row(Some(0), &[1.0]), row(Some(1), &[f32::NAN])],
            vec![row(Some(0), &[1.0]), row(Some(1), &[])],
        ] {
            assert!(sort_vectors(rows, 2).is_none());
        }
    }

    #[test]
    fn only_the_beginning_of_a_text_is_sent() {
        assert_eq!(truncate("ä"), "ä");
        assert_eq!(truncate(&"ä".repeat(MAX_CHARACTERS + 5)).chars().count(), MAX_CHARACTERS);
    }
}
