//! The transformer, by a model small enough to be made here: packed and read like the real one, and
//! computed once more in the plainest way, in 64 bits and without bytes.

use std::collections::BTreeMap;

use mere_core::embed::minilm::{MiniLmError, PackError, pack};
use mere_core::embed::{MiniLm, Vector};
use proptest::prelude::*;
use serde_json::json;

const WIDTH: usize = 64;
const INNER: usize = 50;
const LAYERS: usize = 2;
const PLACES: usize = 8;
const WORDS: [&str; 7] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "red", "green", "##ish"];

type Weights = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

/// Weights that look like any: the same each time, between -1 and 1, times a scale.
fn weights() -> Weights {
    let mut state = 1_u32;
    let mut weights = Weights::new();
    let mut add = |name: String, shape: &[usize], scale: f32, centre: f32| {
        let numbers = (0..shape.iter().product()).map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let [high, ..] = state.to_be_bytes();
            centre + scale * (f32::from(high) / 127.5 - 1.0)
        });
        weights.insert(name, (shape.to_vec(), numbers.collect()));
    };
    for (name, rows) in [("word", WORDS.len()), ("position", PLACES), ("token_type", 2)] {
        add(format!("embeddings.{name}_embeddings.weight"), &[rows, WIDTH], 1.0, 0.0);
    }
    let mut norms = vec!["embeddings.LayerNorm".to_owned()];
    for layer in (0..LAYERS).map(|layer| format!("encoder.layer.{layer}")) {
        let square = ["self.query", "self.key", "self.value", "output.dense"];
        let square = square.map(|part| (format!("{layer}.attention.{part}"), WIDTH, WIDTH));
        let steps = [
            (format!("{layer}.intermediate.dense"), INNER, WIDTH),
            (format!("{layer}.output.dense"), WIDTH, INNER),
        ];
        for (name, rows, columns) in square.into_iter().chain(steps) {
            add(format!("{name}.weight"), &[rows, columns], 0.2, 0.0);
            add(format!("{name}.bias"), &[rows], 0.1, 0.0);
        }
        norms
            .extend(["attention.output", "output"].map(|part| format!("{layer}.{part}.LayerNorm")));
    }
    for norm in norms {
        add(format!("{norm}.weight"), &[WIDTH], 0.2, 1.0);
        add(format!("{norm}.bias"), &[WIDTH], 0.1, 0.0);
    }
    weights
}

/// A safetensors file of these weights.
fn safetensors(weights: &Weights) -> Vec<u8> {
    let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
    for (name, (shape, numbers)) in weights {
        let start = data.len();
        data.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        let entry = json!({"dtype": "F32", "shape": shape, "data_offsets": [start, data.len()]});
        header.insert(name.clone(), entry);
    }
    let header = serde_json::to_vec(&header).expect("JSON");
    let length = u64::try_from(header.len()).expect("a length").to_le_bytes();
    [&length[..], &header, &data].concat()
}

fn packed() -> Vec<u8> {
    pack(&safetensors(&weights()), WORDS.join("\n").as_bytes()).expect("a model")
}

/// What the model should say, computed plainly.
struct Plain(Weights);

impl Plain {
    fn get(&self, name: &str) -> Vec<f64> {
        self.0[name].1.iter().copied().map(f64::from).collect()
    }

    fn linear(&self, name: &str, inputs: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let (weight, bias) =
            (self.get(&format!("{name}.weight")), self.get(&format!("{name}.bias")));
        let row = |input: &Vec<f64>| {
            let rows = weight.chunks(input.len()).zip(&bias);
            rows.map(|(row, bias)| dot(row, input) + bias).collect()
        };
        inputs.iter().map(row).collect()
    }

    fn norm(&self, name: &str, vectors: &mut [Vec<f64>]) {
        let (weight, bias) =
            (self.get(&format!("{name}.weight")), self.get(&format!("{name}.bias")));
        for vector in vectors {
            let mean = vector.iter().sum::<f64>() / 64.0;
            let spread = vector.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / 64.0;
            for (at, number) in vector.iter_mut().enumerate() {
                *number = (*number - mean) / spread.sqrt() * weight[at] + bias[at];
            }
        }
    }

    fn attention(&self, layer: &str, states: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let part = |name| self.linear(&format!("{layer}.attention.self.{name}"), states);
        let (queries, keys, values) = (part("query"), part("key"), part("value"));
        let mut mixed = vec![vec![0.0; WIDTH]; states.len()];
        for (mixed, query) in mixed.iter_mut().zip(&queries) {
            for range in [0..32, 32..64] {
                let score = |key: &Vec<f64>| dot(&query[range.clone()], &key[range.clone()]);
                let weights = keys.iter().map(|key| (score(key) / 32_f64.sqrt()).exp());
                let weights = weights.collect::<Vec<_>>();
                for (weight, value) in weights.iter().zip(&values) {
                    let share = weight / weights.iter().sum::<f64>();
                    range.clone().for_each(|at| mixed[at] += share * value[at]);
                }
            }
        }
        mixed
    }

    fn layer(&self, layer: &str, states: &mut [Vec<f64>]) {
        let mixed = self.attention(layer, states);
        add(states, &self.linear(&format!("{layer}.attention.output.dense"), &mixed));
        self.norm(&format!("{layer}.attention.output.LayerNorm"), states);
        let mut inner = self.linear(&format!("{layer}.intermediate.dense"), states);
        for number in inner.iter_mut().flatten() {
            let bend = (2.0 / std::f64::consts::PI).sqrt() * (*number + 0.044_715 * number.powi(3));
            *number *= 0.5 * (1.0 + bend.tanh());
        }
        add(states, &self.linear(&format!("{layer}.output.dense"), &inner));
        self.norm(&format!("{layer}.output.LayerNorm"), states);
    }

    /// The direction of some tokens, both ends included.
    fn embed(&self, tokens: &[usize]) -> Vec<f64> {
        let rows = |name| self.get(&format!("embeddings.{name}_embeddings.weight"));
        let (words, places, kinds) = (rows("word"), rows("position"), rows("token_type"));
        let state = |(place, token): (usize, &usize)| {
            let sum = |at| words[token * WIDTH + at] + places[place * WIDTH + at] + kinds[at];
            (0..WIDTH).map(sum).collect()
        };
        let mut states = tokens.iter().enumerate().map(state).collect::<Vec<Vec<f64>>>();
        self.norm("embeddings.LayerNorm", &mut states);
        for layer in 0..LAYERS {
            self.layer(&format!("encoder.layer.{layer}"), &mut states);
        }
        (0..WIDTH).map(|at| states.iter().map(|state| state[at]).sum()).collect()
    }
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

fn add(sums: &mut [Vec<f64>], numbers: &[Vec<f64>]) {
    for (sum, number) in sums.iter_mut().flatten().zip(numbers.iter().flatten()) {
        *sum += number;
    }
}

#[test]
fn a_small_model_says_what_it_should() {
    let (model, plain) = (MiniLm::read(&packed()).expect("a model"), Plain(weights()));
    assert_eq!(model.dimensions(), WIDTH);
    for (text, tokens) in [
        ("red", &[2, 4, 3][..]),
        ("Greenish red", &[2, 5, 6, 4, 3]),
        ("red blue green", &[2, 4, 1, 5, 3]),
        ("red red red green green green red red red", &[2, 4, 4, 4, 5, 5, 5, 3]),
    ] {
        let found = model.embed(text).and_then(|found| found.to_vector()).expect("a vector");
        let found = found.as_bytes().iter().map(|byte| f64::from(byte.cast_signed()));
        let (found, exact) = (found.collect::<Vec<_>>(), plain.embed(tokens));
        let lengths = dot(&found, &found).sqrt() * dot(&exact, &exact).sqrt();
        let cosine = dot(&found, &exact) / lengths;
        assert!(cosine > 0.999, "{text}: {cosine}");
    }
    assert_eq!(model.embed(" \n"), None);
}

#[test]
fn what_is_no_model_is_refused() {
    let packed = packed();
    let check = |bytes: &[u8], expected| {
        assert_eq!(MiniLm::read(bytes).map(|_| ()), Err(expected));
    };
    check(b"", MiniLmError::Header);
    check(&packed[1..], MiniLmError::Header);
    check(&packed[..packed.len() - 1], MiniLmError::Length);
    check(&[&packed[..], &[0]].concat(), MiniLmError::Length);
    let changed = |at: usize, value: [u8; 4]| {
        let mut bytes = packed.clone();
        bytes[at..at + 4].copy_from_slice(&value);
        bytes
    };
    // The version, and each number of the shape.
    for at in (8..36).step_by(4) {
        for number in [0, 33, u32::MAX] {
            assert!(MiniLm::read(&changed(at, number.to_le_bytes())).is_err(), "{number} at {at}");
        }
    }
    check(&changed(packed.len() - 4, f32::NAN.to_le_bytes()), MiniLmError::NotFinite);
}

#[test]
fn what_makes_no_model_is_not_packed() {
    let words = WORDS.join("\n");
    let check = |bytes: &[u8], expected| {
        assert_eq!(pack(bytes, words.as_bytes()), Err(expected));
    };
    check(b"", PackError::Header);
    check(&u64::MAX.to_le_bytes(), PackError::Header);
    check(&[3, 0, 0, 0, 0, 0, 0, 0, b'[', b']', b' '], PackError::Header);
    let without = |name: &str| {
        let mut weights = weights();
        weights.remove(name);
        safetensors(&weights)
    };
    for name in ["embeddings.word_embeddings.weight", "encoder.layer.1.attention.self.key.bias"] {
        check(&without(name), PackError::Tensor(name.to_owned()));
    }
    let whole = safetensors(&weights());
    assert!(pack(&whole[..whole.len() - 1], words.as_bytes()).is_err());
    assert!(pack(&whole, b"[UNK]\n[CLS]\n[SEP]").is_err(), "fewer words than weights");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_a_model_or_none(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        at in 0_usize..40,
        keep in any::<bool>(),
    ) {
        prop_assert!(MiniLm::read(&bytes).is_err());
        let mut model = packed();
        let end = if keep { model.len() } else { (at + bytes.len()).min(model.len()) };
        model.truncate(end);
        let at = at.min(end);
        for (place, byte) in model[at..].iter_mut().zip(&bytes) {
            *place = *byte;
        }
        if let Ok(model) = MiniLm::read(&model) {
            let vector = model.embed("red green").and_then(|found| found.to_vector());
            prop_assert!(vector.as_ref().is_none_or(|vector| vector.dimensions() == WIDTH));
        }
    }

    #[test]
    fn wild_weights_never_panic(wild in prop::collection::vec(any::<f32>(), WIDTH)) {
        let mut weights = weights();
        for name in ["embeddings.LayerNorm.weight", "encoder.layer.0.output.LayerNorm.bias"] {
            weights.get_mut(name).expect("a weight").1.clone_from(&wild);
        }
        if let Ok(packed) = pack(&safetensors(&weights), WORDS.join("\n").as_bytes()) {
            let model = MiniLm::read(&packed).expect("it was read before");
            let vector = model.embed("red green").and_then(|found| found.to_vector());
            let stored = vector.as_ref().and_then(|vector| Vector::from_bytes(vector.as_bytes()));
            prop_assert_eq!(vector, stored);
        }
    }
}
