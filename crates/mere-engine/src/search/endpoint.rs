//! Somebody else's model, asked over the network as the user's config says.
//!
//! It speaks what `/v1/embeddings` speak everywhere. What is sent are texts as agents see them. After
//! a failure nothing is sent for a while.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use mere_core::digest::Sha256;
use mere_core::embed::{ModelIdentity, Vector};
use mere_core::request::Secret;
use serde::Deserialize;
use serde_json::json;

use super::trouble::Trouble;
use crate::config::EndpointConfig;
use crate::web::{Post, WebError};

/// How long nothing is sent after a failure.
const REST: Duration = Duration::from_secs(30);
/// How long a question waits for its vector.
const QUICK: Duration = Duration::from_secs(3);
/// How long items wait for theirs.
const SLOW: Duration = Duration::from_secs(20);
/// The most texts of one request.
const MOST: usize = 64;
/// How much of a text is sent, in letters: what models read at once is bounded.
const MOST_LETTERS: usize = 8000;
/// The most bytes of an answer, for each text and besides.
const MOST_BYTES: u64 = 512 * 1024;

/// Where vectors are asked for.
pub(crate) struct Endpoint {
    config: EndpointConfig,
    key: Result<Option<Secret>, Trouble>,
    /// How many numbers vectors have; 0 as long as that is not known.
    dimensions: AtomicUsize,
    /// How many texts the next request has.
    size: AtomicUsize,
    failed: Mutex<Option<(Instant, Trouble)>>,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl Endpoint {
    /// `key` is what the variable holds that the config names.
    pub(crate) fn new(config: EndpointConfig, key: impl FnOnce(&str) -> Option<Secret>) -> Self {
        let key = match &config.key_variable {
            None => Ok(None),
            Some(name) => key(name).map(Some).ok_or_else(|| Trouble::NoKey(name.clone())),
        };
        let dimensions = AtomicUsize::new(config.dimensions.unwrap_or_default());
        Self { config, key, dimensions, size: AtomicUsize::new(8), failed: Mutex::default() }
    }

    /// What its vectors are kept under: another address, or another name there, is another model.
    pub(crate) fn model(&self) -> ModelIdentity {
        let EndpointConfig { url, name, dimensions, .. } = &self.config;
        let named = json!([url.to_string(), name, dimensions]).to_string();
        let mut digest = Sha256::digest(named.as_bytes()).to_string();
        digest.truncate(32);
        let dimensions = self.dimensions.load(Ordering::Relaxed);
        ModelIdentity { id: format!("endpoint-{digest}").into(), dimensions }
    }

    /// How many texts are best sent at once.
    pub(crate) fn size(&self) -> usize {
        self.size.load(Ordering::Relaxed)
    }

    /// The vector of a question: somebody waits.
    pub(crate) fn question(&self, text: &str) -> Result<Option<Vector>, Trouble> {
        self.ready()?;
        Ok(self.noted(self.ask(&[text], QUICK))?.into_iter().next())
    }

    /// The vectors of some texts, each in its place; none for one that it refuses.
    pub(crate) fn items(&self, texts: &[&str]) -> Result<Vec<Option<Vector>>, Trouble> {
        self.ready()?;
        let began = Instant::now();
        let answered = self.ask(texts, SLOW);
        if is_refused(&answered) {
            // It will not take one of them; the others it may.
            return texts.iter().map(|text| self.single(text)).collect();
        }
        let vectors = self.noted(answered)?;
        self.pace(texts.len(), began.elapsed());
        Ok(vectors.into_iter().map(Some).collect())
    }

    fn single(&self, text: &str) -> Result<Option<Vector>, Trouble> {
        let answered = self.ask(&[text], SLOW);
        if is_refused(&answered) {
            return Ok(None);
        }
        Ok(self.noted(answered)?.into_iter().next())
    }

    /// Remembers a failure.
    fn noted<T>(&self, answered: Result<T, Trouble>) -> Result<T, Trouble> {
        if let Err(trouble) = &answered {
            tracing::warn!(%trouble, "there are no vectors");
            *self.failed() = Some((Instant::now(), trouble.clone()));
        }
        answered
    }

    /// Whether anything is sent now.
    pub(crate) fn ready(&self) -> Result<(), Trouble> {
        let mut failed = self.failed();
        match &*failed {
            Some((at, trouble)) if at.elapsed() < REST => return Err(trouble.clone()),
            _ => *failed = None,
        }
        Ok(())
    }

    fn failed(&self) -> std::sync::MutexGuard<'_, Option<(Instant, Trouble)>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As many texts at once as it answers in about a second.
    fn pace(&self, sent: usize, took: Duration) {
        let size = if took < Duration::from_secs(1) { self.size() * 2 } else { sent / 2 };
        self.size.store(size.clamp(1, MOST), Ordering::Relaxed);
    }

    fn ask(&self, texts: &[&str], patience: Duration) -> Result<Vec<Vector>, Trouble> {
        let key = self.key.as_ref().map_err(Clone::clone)?;
        let input = texts.iter().map(|text| beginning(text)).collect::<Vec<_>>();
        let mut body = json!({ "model": self.config.name, "input": input });
        if let Some(dimensions) = self.config.dimensions {
            body["dimensions"] = dimensions.into();
        }
        let body = body.to_string();
        let post = Post {
            url: &self.config.url,
            key: key.as_ref(),
            body: body.as_bytes(),
            patience,
            most: MOST_BYTES * (1 + texts.len() as u64),
        };
        let answer = post.send()?;
        let answer = serde_json::from_slice::<Answer>(&answer).map_err(|_| Trouble::Odd)?;
        let vectors = in_order(answer.data, texts.len()).ok_or(Trouble::Odd)?;
        let dimensions = vectors.first().map_or(0, Vector::dimensions);
        let is_asked = self.config.dimensions.is_none_or(|asked| asked == dimensions);
        if !is_asked || vectors.iter().any(|vector| vector.dimensions() != dimensions) {
            return Err(Trouble::Odd);
        }
        self.dimensions.store(dimensions, Ordering::Relaxed);
        Ok(vectors)
    }
}

/// The vectors in the order of the texts, if there is one for each.
fn in_order(rows: Vec<Row>, count: usize) -> Option<Vec<Vector>> {
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

/// Whether it was asked for something that it does not do: a text that is too long, or no such model.
fn is_refused<T>(answered: &Result<T, Trouble>) -> bool {
    matches!(answered, Err(Trouble::Web(WebError::Status(400 | 413 | 422))))
}

/// As much of a text as is sent.
fn beginning(text: &str) -> &str {
    text.char_indices().nth(MOST_LETTERS).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(index: Option<usize>, embedding: &[f32]) -> Row {
        Row { index, embedding: embedding.to_vec() }
    }

    #[test]
    fn vectors_are_in_the_order_of_the_texts() {
        let rows = vec![row(Some(1), &[0.0, 1.0]), row(Some(0), &[1.0, 0.0])];
        let vectors = in_order(rows, 2).expect("vectors");
        assert_eq!(vectors[0].as_bytes(), [127, 0]);
        let unnumbered = in_order(vec![row(None, &[1.0]), row(None, &[2.0])], 2);
        assert_eq!(unnumbered.map(|all| all.len()), Some(2));
        for rows in [
            vec![row(Some(0), &[1.0])],
            vec![row(Some(0), &[1.0]), row(Some(0), &[1.0])],
            vec![row(Some(0), &[1.0]), row(Some(2), &[1.0])],
            vec![row(Some(0), &[1.0]), row(Some(1), &[f32::NAN])],
            vec![row(Some(0), &[1.0]), row(Some(1), &[])],
        ] {
            assert!(in_order(rows, 2).is_none());
        }
    }

    #[test]
    fn only_the_beginning_of_a_text_is_sent() {
        assert_eq!(beginning("ä"), "ä");
        assert_eq!(beginning(&"ä".repeat(MOST_LETTERS + 5)).chars().count(), MOST_LETTERS);
    }
}
