//! Pairs the declarations of the two sides of a comparison.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{ChangeKind, DeclaredSymbol, SymbolChange};

/// Minimum length of a text by which a renamed symbol is recognized.
const MIN_RENAMED: usize = 40;

/// Pairs declarations by identity, then by qualified name, then by equal text; returns the pairs
/// that differ.
pub fn pairs(old: Vec<DeclaredSymbol>, new: Vec<DeclaredSymbol>) -> Vec<SymbolChange> {
    let mut old: Vec<Option<DeclaredSymbol>> = old.into_iter().map(Some).collect();
    let mut new: Vec<Option<DeclaredSymbol>> = new.into_iter().map(Some).collect();
    let mut changed = Vec::new();

    let mut pair = |key: &dyn Fn(&DeclaredSymbol) -> Option<String>| {
        let mut waiting: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (at, declared) in old.iter().enumerate().rev() {
            if let Some(key) = declared.as_ref().and_then(key) {
                waiting.entry(key).or_default().push(at);
            }
        }
        for slot in &mut new {
            let Some(key) = slot.as_ref().and_then(key) else {
                continue;
            };
            let Some(at) = waiting.get_mut(&key).and_then(Vec::pop) else {
                continue;
            };
            changed.extend(difference(old[at].take(), slot.take()));
        }
    };
    pair(&|one| Some(format!("{} {:?}", one.path, one.id)));
    pair(&|one| {
        Some(format!(
            "{} {} {:?}",
            one.path, one.qualified_name, one.kind
        ))
    });
    pair(&|one| {
        let text = one.body.replace(&one.name, "");
        (text.len() >= MIN_RENAMED).then(|| format!("{:?} {text}", one.kind))
    });

    let gone = old
        .into_iter()
        .flatten()
        .filter_map(|old| difference(Some(old), None));
    changed.extend(gone);
    changed.extend(
        new.into_iter()
            .flatten()
            .filter_map(|new| difference(None, Some(new))),
    );
    outermost(changed)
}

fn difference(old: Option<DeclaredSymbol>, new: Option<DeclaredSymbol>) -> Option<SymbolChange> {
    let kind = match (&old, &new) {
        (None, None) => return None,
        (None, Some(_)) => ChangeKind::Added,
        (Some(_), None) => ChangeKind::Removed,
        (Some(old), Some(new)) => {
            if (&old.path, &old.qualified_name) != (&new.path, &new.qualified_name) {
                ChangeKind::Renamed
            } else if old.signature != new.signature {
                ChangeKind::Signature
            } else if old.body != new.body {
                ChangeKind::Body
            } else {
                return None;
            }
        }
    };

    Some(SymbolChange {
        kind,
        old,
        new,
        id: None,
    })
}

/// Drops the symbols inside added, removed and renamed ones; sorts by location.
fn outermost(mut changes: Vec<SymbolChange>) -> Vec<SymbolChange> {
    let key = |kind: ChangeKind, path: &str, name: &str| (kind, format!("{path} {name}"));
    let whole: FxHashSet<(ChangeKind, String)> = changes
        .iter()
        .filter(|change| !matches!(change.kind, ChangeKind::Signature | ChangeKind::Body))
        .map(|change| {
            let declared = change.declared();
            key(change.kind, &declared.path, &declared.qualified_name)
        })
        .collect();

    changes.retain(|change| {
        let declared = change.declared();
        declared.container.is_empty()
            || !whole.contains(&key(change.kind, &declared.path, &declared.container))
    });
    changes.sort_by(|a, b| {
        let place = |change: &SymbolChange| {
            let declared = change.declared();
            (
                declared.path.clone(),
                declared.line,
                declared.qualified_name.clone(),
            )
        };
        place(a).cmp(&place(b))
    });
    changes
}
