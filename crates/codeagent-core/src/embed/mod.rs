//! How near are two texts? Vectors of symbols and questions: who makes them, and of which text.
//!
//! An [`Embedder`] turns texts into vectors of [`DIMENSIONS`] numbers and of length 1, whose scalar
//! product is the similarity of the texts. [`Lexhash`] is always there and knows letters only; one
//! that knows meanings may be given to the engine.
//!
//! **Limits.** Knows texts, not where vectors lie (`store`) and what is done with them (`query`).

mod lexhash;
mod quantised;
mod signs;
mod source;
mod text;
pub(crate) mod words;

pub use lexhash::{Hasher, Lexhash, NAME as LEXHASH};
pub use quantised::Quantised;
pub use signs::{Block, LANES, MAX_DIFFERENCE, Probe, SIGN_BYTES, Signs};
pub use source::{Opened, Source};
pub use text::{question_text, symbol_text, text_hash, text_of_parts};

/// How many numbers a vector has.
pub const DIMENSIONS: usize = 384;

/// A vector of length 1, or of zeros for a text that says nothing.
pub type Vector = [f32; DIMENSIONS];

/// Why there are no vectors.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EmbedError {
    /// It cannot be used: something is missing, too old or broken. The text says what to do.
    #[error("{0}")]
    Unavailable(String),
    /// It failed on these texts.
    #[error("the texts could not be embedded: {0}")]
    Failed(String),
}

/// What makes vectors of texts.
pub trait Embedder: Send + Sync {
    /// Its name, with all that vectors depend on: vectors of two names are never compared.
    fn name(&self) -> &str;

    /// A vector for each text, in the same order. A text is a question, one line, or a symbol's
    /// ([`symbol_text`]), several lines.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, EmbedError>;
}

/// The scalar product: of two vectors of length 1 their cosine.
#[must_use]
pub fn cosine(a: &Vector, b: &Vector) -> f32 {
    // Sums of their own for eight lanes, so that the compiler may add them side by side.
    let mut lanes = [0.0_f32; 8];
    for (a, b) in a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0) {
        for lane in 0..8 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    lanes.iter().sum()
}
