//! The inputs of an item, checked against its schema before anything is done with them.

use mere_core::schema::{Schema, example};
use serde_json::{Map, Value};

use crate::files::masking::{mask_problems, mask_value};
use crate::items::error::WrongInputs;
use crate::items::{ItemError, LoadedItem};

/// Checks parameters against a schema. The refusal shows the schema and an example, masked.
pub(crate) fn check_inputs(
    loaded: &LoadedItem,
    schema: &Value,
    parameters: &Map<String, Value>,
) -> Result<(), ItemError> {
    let address = || loaded.address.clone();
    let compiled = Schema::compile_once(schema)
        .map_err(|error| ItemError::InvalidSchema { address: Some(address()), error })?;
    let problems = compiled.problems(&Value::Object(parameters.clone()));
    if problems.is_empty() {
        return Ok(());
    }
    let example = mask_value(&example(schema));
    let (address, schema) = (address(), mask_value(schema));
    let problems = mask_problems(problems);
    Err(ItemError::InvalidInputs(Box::new(WrongInputs { address, problems, schema, example })))
}
