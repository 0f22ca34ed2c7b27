//! `mere model list`: the available models, and which one is in use.
//!
//! It counts the items that each model has embedded, and contacts no endpoint.

use mere_core::embed::{ModelIdentity, joint_model, static_embeddings};
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};

use crate::commands::CommandCall;
use crate::error::tool_error::ToolError;
use crate::search::{Embedder, Endpoint, IndexAnswer, MINILM_FILE};

pub(super) fn list(call: &CommandCall<'_>) -> Result<Draft, ToolError> {
    let embedder = call.search.embedder;
    let config = call.search.embedding_config.endpoint.as_ref();
    let endpoint = config.map(|config| Endpoint::new(config.clone(), |_| None).model());
    let count = |model: Option<&ModelIdentity>| {
        let counted = call.search.with_current_index(|live_index| {
            let Some(model) = model else { return Ok((0, None)) };
            let model = live_index.index.with_known_dimensions(model.clone())?;
            let dimensions = Some(model.dimensions as u64).filter(|size| *size > 0);
            Ok((live_index.index.count_vectors(&model)?, dimensions))
        });
        counted.map(|answer| answer.value)
    };
    let row = |name: &'static str, state: &'static str, model: Option<&ModelIdentity>| {
        let (items, dimensions) = count(model)?;
        Ok::<_, ToolError>(
            Fields::default()
                .with("name", name)
                .with("state", state)
                .with("in_use", name == embedder.name())
                .with("items", items)
                .with_some("dimensions", dimensions),
        )
    };
    let models = call.change.context.environment.model_folder();
    let bytes = models.as_ref().and_then(|models| models.size(MINILM_FILE));
    let fetched = if bytes.is_some() { "fetched" } else { "not fetched" };
    let configured = if config.is_some() { "configured" } else { "not configured" };
    let rows = [
        row("static", "built in", Some(&static_embeddings::MODEL))?,
        row("minilm", fetched, Some(&joint_model::MODEL))?.with_some("bytes", bytes),
        row("endpoint", configured, endpoint.as_ref())?
            .with_some("model", config.map(|config| Content::mention(config.name.as_str())))
            .with_some("url", config.map(|config| Content::mention(config.url.to_string()))),
    ];
    let IndexAnswer { value: waiting, coverage } =
        call.search.with_current_index(|live_index| live_index.count_missing_vectors(embedder))?;
    let message = match embedder {
        Embedder::None => "Search uses words only.".to_owned(),
        _ => format!("Search uses words, and meaning with the model `{}`.", embedder.name()),
    };
    let data = Fields::default()
        .with("models", rows.into_iter().map(Data::from).collect::<Data>())
        .with("waiting", waiting)
        .with_some("incomplete", coverage.incomplete_field());
    Ok(Draft::success(codes::MODEL_LIST, Prose::words(message)).data(data))
}
