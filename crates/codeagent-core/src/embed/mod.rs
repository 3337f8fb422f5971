//! Embedding vectors of symbols and queries.
//!
//! An [`Embedder`] turns texts into vectors of [`DIMENSIONS`] numbers and length 1, whose scalar
//! product is the similarity of the texts. [`HashingEmbedder`] is built in and compares letters
//! only. The engine also accepts a model that compares meanings.
//!
//! Limitations: this module neither stores vectors (see `store`) nor searches them (see `query`).

mod hashing;
mod int8;
mod model_handle;
mod sign_bits;
mod text;
pub(crate) mod tokenizer;

pub use hashing::{Hasher, HashingEmbedder, NAME as LEXHASH};
pub use int8::Int8Vector;
pub use model_handle::{ModelHandle, Opened};
pub use sign_bits::{Block, LANES, MAX_DIFFERENCE, QuerySignature, SIGN_BYTES, SignBits};
pub use text::{model_text, question_text, symbol_text, text_hash, text_of_parts};

/// The number of dimensions of a vector.
pub const DIMENSIONS: usize = 384;

/// A vector of length 1, or zero for a text without words.
pub type Vector = [f32; DIMENSIONS];

/// Why texts could not be embedded.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EmbedError {
    /// The embedder cannot be used: something is missing, too old or broken. The text includes what
    /// to do.
    #[error("{0}")]
    Unavailable(String),
    /// The embedder failed on these texts.
    #[error("the texts could not be embedded: {0}")]
    Failed(String),
}

/// Computes vectors of texts.
pub trait Embedder: Send + Sync {
    /// Returns the embedder's name. It must change with everything that affects the vectors: only
    /// vectors with equal names are compared.
    fn name(&self) -> &str;

    /// Returns a vector for each text, in the same order. A text is a query (one line) or describes
    /// a symbol (several lines, see [`symbol_text`] and [`model_text`]).
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, EmbedError>;
}

/// Returns the scalar product, which is the cosine of two vectors of length 1.
#[must_use]
pub fn cosine(a: &Vector, b: &Vector) -> f32 {
    // Eight separate sums let the compiler vectorize the loop.
    let mut lanes = [0.0_f32; 8];
    for (a, b) in a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0) {
        for lane in 0..8 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    lanes.iter().sum()
}
