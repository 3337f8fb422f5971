//! Members of what a call returns: `Ensure.That(...).IsPath` names the method `IsPath` of the type that
//! `Ensure.That` returns, or the extension method for this type.

use super::{SymbolTarget, symbols_as_written};
use crate::query::lookup::symbol_lookup::{extended_type, last_type_name};
use crate::query::{QueryError, SymbolGroup};
use crate::store::{self, Snapshot};

/// Resolves the member of a call's result; `None` if the call or the member is unknown.
pub(super) fn of_result(
    snapshot: &Snapshot,
    text: &str,
) -> Result<Option<SymbolTarget>, QueryError> {
    let Some((call, member)) = text
        .rsplit_once('.')
        .filter(|(call, _)| call.ends_with(')'))
    else {
        return Ok(None);
    };
    let called = without_arguments(call);
    let Ok(callees) = symbols_as_written(snapshot, &called)? else {
        return Ok(None);
    };
    let returned = callees.groups.iter();
    let returned = returned.filter_map(|group| group.first().return_type.as_deref());
    let returned: Vec<&str> = returned.filter_map(last_type_name).collect();
    let Ok(found) = symbols_as_written(snapshot, member)? else {
        return Ok(None);
    };

    let mut groups = Vec::new();
    for group in found.groups.into_iter().chain(found.others) {
        if is_member_of(snapshot, &group, &returned)? {
            groups.push(group);
        }
    }
    let target = SymbolTarget {
        asked: text.to_owned(),
        groups,
        others: Vec::new(),
        note: found.note,
        alias: found.alias,
    };
    Ok(Some(target).filter(|target| !target.groups.is_empty()))
}

/// Reports whether a symbol is a member of a type with one of these names, or extends it.
fn is_member_of(
    snapshot: &Snapshot,
    group: &SymbolGroup,
    names: &[&str],
) -> Result<bool, QueryError> {
    let node = group.first();
    let parent = node
        .parent
        .map_or(Ok(None), |id| store::node(snapshot, id))?;
    let is_member = parent.is_some_and(|parent| names.contains(&parent.name.as_str()));
    Ok(is_member || extended_type(node).is_some_and(|extended| names.contains(&extended)))
}

/// Removes the arguments of calls: `Ensure.That` of `Ensure.That(...)`.
fn without_arguments(text: &str) -> String {
    let mut depth = 0_usize;
    let mut kept = String::new();
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_without_arguments() {
        assert_eq!(
            without_arguments("Ensure.That(() => a).And(b)"),
            "Ensure.That.And"
        );
    }
}
