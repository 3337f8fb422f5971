//! TypeScript and JavaScript text becomes facts.

use crate::extract::builder::Builder;
use crate::model::facts::Facts;
use crate::model::graph::Dialect;

/// See [`crate::extract::extract`].
pub fn extract(text: &str, dialect: Dialect) -> Facts {
    let mut facts = Builder::new(text).finish();
    facts.header.dialect = dialect;
    facts
}
