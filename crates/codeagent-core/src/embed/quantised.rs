//! How is a vector kept? As 384 bytes and a factor; the cosine then differs by less than 0.01.
//!
//! **Limits.** The largest number decides the factor: a vector with one number far above all others
//! keeps little of those.

use crate::embed::{DIMENSIONS, Vector};

/// A vector in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantised {
    /// What a step of a byte is worth.
    pub scale: f32,
    /// Steps, each from -127 to 127.
    pub steps: [i8; DIMENSIONS],
}

impl Quantised {
    /// Of a vector.
    #[must_use]
    pub fn of(vector: &Vector) -> Self {
        let largest = vector
            .iter()
            .fold(0.0_f32, |largest, number| largest.max(number.abs()));
        let scale = largest.max(f32::MIN_POSITIVE) / 127.0;
        Self {
            scale,
            steps: vector.map(|number| (number / scale).round() as i8),
        }
    }

    /// The steps as they are stored.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; DIMENSIONS] {
        self.steps.map(i8::cast_unsigned)
    }

    /// From what is stored; `None` if that has another length.
    #[must_use]
    pub fn from_bytes(scale: f32, bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; DIMENSIONS] = bytes.try_into().ok()?;
        Some(Self {
            scale,
            steps: bytes.map(u8::cast_signed),
        })
    }

    /// The vector, nearly.
    #[must_use]
    pub fn vector(&self) -> Vector {
        self.steps.map(|step| f32::from(step) * self.scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::{Embedder, Lexhash, cosine};

    #[test]
    fn little_is_lost() {
        for vector in Lexhash.embed(&["http client factory", "cart", ""]).unwrap() {
            let kept = Quantised::of(&vector);
            let again = Quantised::from_bytes(kept.scale, &kept.to_bytes()).unwrap();
            assert_eq!(again, kept);
            assert!((cosine(&vector, &again.vector()) - cosine(&vector, &vector)).abs() < 0.01);
        }
        assert_eq!(Quantised::from_bytes(1.0, &[0; 383]), None);
    }
}
