//! Embeds texts with `all-MiniLM-L6-v2`: 384 numbers, normalized to length 1.
//!
//! Texts of similar length share a batch, because a batch is padded to its longest text. A
//! quantized model gets one text at a time, because its value ranges depend on the whole batch.
//!
//! Limitations: only the first 256 tokens of a text count. Calls run one at a time; each waits for
//! at most one batch of another.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use codeagent_core::embed::{DIMENSIONS, EmbedError, Embedder, Vector, cosine};
use fastembed::{
    InitOptionsUserDefined, Pooling, TextEmbedding, TokenizerFiles, UserDefinedEmbeddingModel,
};

use crate::error::ModelError;
use crate::locations::{MODEL_NAME, ModelFiles};
use crate::runtime;

/// Maximum number of tokens per text, from the model card.
const LONGEST: usize = 256;

const BATCH: usize = 16;

/// Maximum size of a model file, in bytes.
const LARGEST: u64 = 1 << 30;

/// An operator that occurs only in models whose results depend on the batch.
const DYNAMIC: &[u8] = b"DynamicQuantizeLinear";

/// The loaded model.
pub struct MiniLm {
    /// Held while waiting for the session, so that a caller with many texts lets others in between
    /// its batches.
    turn: Mutex<()>,
    session: Mutex<TextEmbedding>,
    batch: usize,
    name: String,
}

impl MiniLm {
    /// Opens the model and verifies it with a text of known vector.
    pub fn open(found: &ModelFiles) -> Result<Self, ModelError> {
        let folder = &found.folder;
        let onnx = read(&found.model)?;
        let file = |name: &str| read(&folder.join(name));

        let tokenizer = TokenizerFiles {
            tokenizer_file: file("tokenizer.json")?,
            config_file: file("config.json")?,
            special_tokens_map_file: file("special_tokens_map.json")?,
            tokenizer_config_file: file("tokenizer_config.json")?,
        };

        let digest = blake3::Hasher::new()
            .update(&onnx)
            .update(&tokenizer.tokenizer_file)
            .finalize()
            .to_hex();

        let batch = if contains(&onnx, DYNAMIC) { 1 } else { BATCH };
        let environment = runtime::load(&found.runtime)?;

        let model = UserDefinedEmbeddingModel::new(onnx, tokenizer).with_pooling(Pooling::Mean);
        let options = InitOptionsUserDefined::new()
            .with_environment(environment)
            .with_max_length(LONGEST)
            .with_intra_threads(1)
            // Spinning threads would take processor time from others.
            .with_session_config("session.intra_op.allow_spinning", "0");
        // The threads of a pool would not inherit the caller's priority.
        tokenizers::parallelism::set_parallelism(false);

        let session = TextEmbedding::try_new_from_user_defined(model, options);
        let session = Mutex::new(session.map_err(|error| ModelError::bad_model(folder, error))?);

        let mut opened = Self {
            turn: Mutex::new(()),
            session,
            batch,
            name: MODEL_NAME.to_owned(),
        };

        let likeness = opened.tried().map_err(|error| match error {
            ModelError::Run(problem) => ModelError::bad_model(folder, problem),
            other => other,
        })?;

        if likeness < LEAST {
            return Err(ModelError::OtherModel {
                folder: folder.clone(),
                likeness,
            });
        }

        if likeness < SAME {
            opened.name = format!("{MODEL_NAME}-{}", &digest[..8]);
        }

        Ok(opened)
    }

    /// Returns the number of texts per batch.
    #[must_use]
    pub fn batch(&self) -> usize {
        self.batch
    }

    fn vectors(&self, texts: &[&str]) -> Result<Vec<Vector>, ModelError> {
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|at| texts[*at].len());
        let mut vectors = vec![[0.0; DIMENSIONS]; texts.len()];

        for batch in order.chunks(self.batch) {
            let together: Vec<&str> = batch.iter().map(|at| texts[*at]).collect();

            let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
            let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
            drop(turn);

            let embedded = session
                .embed(&together, None)
                .map_err(|error| ModelError::Run(error.to_string()))?;
            drop(session);

            for (at, vector) in batch.iter().zip(embedded) {
                let odd = |vector: Vec<f32>| {
                    ModelError::Run(format!(
                        "a vector has {} numbers, expected {DIMENSIONS}",
                        vector.len()
                    ))
                };
                vectors[*at] = Vector::try_from(vector).map_err(odd)?;
            }
        }

        let is_odd = |vector: &Vector| (cosine(vector, vector) - 1.0).abs() > 1e-3;
        if vectors.iter().any(is_odd) {
            return Err(ModelError::Run(
                "a vector does not have length 1".to_owned(),
            ));
        }

        Ok(vectors)
    }

    /// Returns the cosine of the known text's vector with its expected value.
    fn tried(&self) -> Result<f32, ModelError> {
        Ok(self.vectors(&[KNOWN_TEXT])?.first().map_or(0.0, likeness))
    }
}

impl Embedder for MiniLm {
    /// Returns the plain model name if the vectors match those of the published weights, otherwise
    /// the name with a suffix that identifies the file.
    fn name(&self) -> &str {
        &self.name
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        self.vectors(texts)
            .map_err(|error| EmbedError::Failed(error.to_string()))
    }
}

/// The text for verification.
const KNOWN_TEXT: &str = "read the lines of a text file";

/// The largest numbers of its vector with their indices, computed from the published weights
/// without this runtime.
const KNOWN: &[(usize, f32)] = &[
    (2, -0.09738),
    (7, 0.08926),
    (16, -0.15669),
    (25, 0.11748),
    (28, -0.14263),
    (44, 0.12206),
    (56, 0.09453),
    (67, 0.09365),
    (70, -0.09491),
    (76, -0.09635),
    (82, 0.10072),
    (95, 0.12782),
    (111, -0.11667),
    (115, -0.10819),
    (123, 0.09995),
    (139, -0.11492),
    (170, 0.11319),
    (182, 0.10823),
    (192, 0.09765),
    (198, -0.11982),
    (215, -0.10896),
    (216, 0.11188),
    (233, 0.09698),
    (238, 0.15217),
    (252, -0.09459),
    (265, 0.12158),
    (267, -0.13492),
    (271, 0.08944),
    (302, -0.09247),
    (321, -0.10743),
    (336, 0.11523),
    (374, -0.13254),
];

/// Below this cosine it is another model: quantized weights reach at least 0.97.
const LEAST: f32 = 0.9;

/// From this cosine on, vectors are comparable with those of the published weights.
const SAME: f32 = 0.9999;

/// Returns the cosine with the known numbers, at their indices.
fn likeness(vector: &Vector) -> f32 {
    let pairs = KNOWN.iter().map(|(at, known)| (vector[*at], *known));
    let (mut product, mut ours, mut theirs) = (0.0, 0.0, 0.0);
    for (a, b) in pairs {
        product += a * b;
        ours += a * a;
        theirs += b * b;
    }
    product / f32::sqrt(ours * theirs).max(f32::MIN_POSITIVE)
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    memchr::memmem::find(haystack, needle).is_some()
}

fn read(path: &Path) -> Result<Vec<u8>, ModelError> {
    let size = std::fs::metadata(path)
        .map_err(ModelError::unreadable(path))?
        .len();
    if size > LARGEST {
        return Err(ModelError::bad_model(
            path,
            format!("it is larger than {LARGEST} bytes"),
        ));
    }
    std::fs::read(path).map_err(ModelError::unreadable(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_known_vector_is_accepted() {
        let mut vector = [0.0; DIMENSIONS];
        for (at, known) in KNOWN {
            vector[*at] = *known;
        }
        assert!(KNOWN.len() >= 24 && likeness(&vector) >= SAME);
        let shifted: Vector = std::array::from_fn(|at| vector[(at + 1) % DIMENSIONS]);
        assert!(likeness(&shifted) < LEAST);
        assert!(likeness(&[0.0; DIMENSIONS]) < LEAST);
    }
}
