//! String literals used on two sides: they link code that no call connects, such as a client's
//! request and the route that serves it.
//!
//! Limitations: at most [`MAX_SYMBOLS`] symbols per side are read. Literals in many files connect
//! nothing.

use rustc_hash::FxHashMap;

use crate::model::facts::literal_key;
use crate::model::graph::NodeId;
use crate::query::{QueryError, Snapshot, literal_files, literals_in};
use crate::store;

/// Maximum number of symbols per side.
const MAX_SYMBOLS: usize = 20;

/// Maximum number of files with a literal that connects code.
const MAX_FILES: u64 = 12;

/// Maximum number of literals returned.
const MAX_SHARED: usize = 10;

/// A literal used on both sides, with the path and line of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedLiteral {
    /// Text of the literal on the first side.
    pub text: String,
    /// Path and line on the first side.
    pub from: (String, u32),
    /// Path and line on the second side.
    pub to: (String, u32),
}

/// Finds the literals used by symbols of both sides.
pub fn shared_literals(
    snapshot: &Snapshot,
    from: &[NodeId],
    to: &[NodeId],
) -> Result<Vec<SharedLiteral>, QueryError> {
    let (ours, theirs) = (named(snapshot, from)?, named(snapshot, to)?);
    let mut shared = Vec::new();
    for (key, (text, from)) in ours {
        let Some((_, to)) = theirs.get(&key) else {
            continue;
        };
        if literal_files(snapshot, &text)? <= MAX_FILES {
            let to = to.clone();
            shared.push(SharedLiteral { text, from, to });
        }
    }

    shared.sort_by(|a, b| a.from.cmp(&b.from));
    shared.truncate(MAX_SHARED);
    Ok(shared)
}

/// A literal as written, with its path and line.
type LocatedLiteral = (String, (String, u32));

/// Returns the literals in these symbols by key.
fn named(
    snapshot: &Snapshot,
    symbols: &[NodeId],
) -> Result<FxHashMap<String, LocatedLiteral>, QueryError> {
    let mut found = FxHashMap::default();
    for symbol in symbols.iter().take(MAX_SYMBOLS) {
        for span in store::spans_of(snapshot, *symbol)? {
            let lines = span.span.start.line..=span.span.end_line;
            for literal in literals_in(snapshot, &span.path, &lines)? {
                let site = (span.path.clone(), literal.line);
                let key = literal_key(&literal.text);
                found.entry(key).or_insert((literal.text, site));
            }
        }
    }
    Ok(found)
}
