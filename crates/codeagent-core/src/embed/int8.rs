//! Vectors quantized to 384 bytes and a scale; cosines change by less than 0.01.
//!
//! Limitations: the largest number determines the scale, so one outlier reduces the precision of
//! all others.

use crate::embed::{DIMENSIONS, Vector};

/// A vector quantized to one byte per dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct Int8Vector {
    /// Value of one step.
    pub scale: f32,
    /// Steps, each from -127 to 127.
    pub steps: [i8; DIMENSIONS],
}

impl Int8Vector {
    /// Quantizes a vector.
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

    /// Returns the bytes to store.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; DIMENSIONS] {
        self.steps.map(i8::cast_unsigned)
    }

    /// Restores a stored vector; returns `None` if the length is wrong.
    #[must_use]
    pub fn from_bytes(scale: f32, bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; DIMENSIONS] = bytes.try_into().ok()?;
        Some(Self {
            scale,
            steps: bytes.map(u8::cast_signed),
        })
    }

    /// Returns the approximate vector.
    #[must_use]
    pub fn vector(&self) -> Vector {
        self.steps.map(|step| f32::from(step) * self.scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::{Embedder, HashingEmbedder, cosine};

    #[test]
    fn quantization_changes_similarities_little() {
        for vector in HashingEmbedder
            .embed(&["http client factory", "cart", ""])
            .unwrap()
        {
            let kept = Int8Vector::of(&vector);
            let again = Int8Vector::from_bytes(kept.scale, &kept.to_bytes()).unwrap();
            assert_eq!(again, kept);
            assert!((cosine(&vector, &again.vector()) - cosine(&vector, &vector)).abs() < 0.01);
        }
        assert_eq!(Int8Vector::from_bytes(1.0, &[0; 383]), None);
    }
}
