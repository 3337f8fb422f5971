//! C# text becomes facts.

use crate::extract::builder::Builder;
use crate::model::facts::Facts;

/// See [`crate::extract::extract`].
pub fn extract(text: &str, _defines: &[String]) -> Facts {
    Builder::new(text).finish()
}

/// See [`crate::extract::conditions`].
pub fn conditions(_text: &str, _defines: &[String]) -> String {
    String::new()
}
