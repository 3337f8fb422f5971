//! Strings that a text names: literals, events and the paths of routes.

use super::prose::{FILLERS, MAX_JOINED};
use super::{EVENTS, LiteralTarget, Target, Targets, Token, kind_words, tokens};
use crate::model::graph::NodeType;
use crate::query::{QueryError, Sources, SymbolGroup, literal_files, literal_sites};
use crate::store::Snapshot;

/// Other words between the parts of a name: `a cart was closed` for `cart_closed`.
const BETWEEN: [&str; 6] = ["been", "has", "have", "was", "were", "when"];

/// Reports whether the repository has a literal that is spelled so.
pub(super) fn has_literal(snapshot: &Snapshot, text: &str) -> Result<bool, QueryError> {
    let sites = literal_sites(snapshot, text, usize::MAX)?;
    Ok(sites.iter().any(|site| site.text == text))
}

/// Replaces symbols that hold no value by the strings of their names where a sentence says that these are settings: "the
/// `Theme` app setting".
pub(super) fn prefer_settings(
    sources: &Sources<'_>,
    targets: &mut Targets,
    tokens: &[Token<'_>],
) -> Result<(), QueryError> {
    for target in &mut targets.found {
        let Target::Symbols(named) = target else {
            continue;
        };

        let at = tokens.iter().position(|token| token.text == named.asked);
        let is_value = |group: &SymbolGroup| group.first().node_type == NodeType::Property;
        if at.is_some_and(|at| kind_words::is_setting(tokens, at))
            && !named.groups.iter().any(is_value)
            && has_literal(sources.snapshot(), &named.asked)?
        {
            *target = Target::Literal(LiteralTarget::new(sources, &named.asked, None)?);
        }
    }

    Ok(())
}

/// Looks up the event with a name that is a string of the repository, if a sentence is about events.
pub(super) fn event(
    sources: &Sources<'_>,
    targets: &Targets,
    name: &str,
) -> Result<Option<Target>, QueryError> {
    if !targets.mentions(EVENTS) || !has_literal(sources.snapshot(), name)? {
        return Ok(None);
    }
    let event = LiteralTarget::new(sources, name, None)?;
    Ok(Some(Target::Literal(event)))
}

/// Returns the event that words of a sentence name together, without fillers between them: `cart_closed` for `the event
/// that a cart was closed`.
pub(super) fn joined_event(
    sources: &Sources<'_>,
    targets: &Targets,
    tokens: &[Token<'_>],
) -> Result<Option<Target>, QueryError> {
    if !targets.mentions(EVENTS) && !targets.mentions(&["event"]) {
        return Ok(None);
    }

    let words: Vec<String> = tokens
        .iter()
        .filter(|token| token.is_plain() && !FILLERS.contains(&token.text))
        .map(|token| token.text.to_lowercase())
        .filter(|word| !BETWEEN.contains(&word.as_str()))
        .collect();

    for length in (2..=MAX_JOINED).rev() {
        for words in words.windows(length) {
            for separator in ["_", "-", ".", ":", " "] {
                let name = words.join(separator);
                if has_literal(sources.snapshot(), &name)? {
                    let event = LiteralTarget::new(sources, &name, None)?;
                    return Ok(Some(Target::Literal(event)));
                }
            }
        }
    }

    Ok(None)
}

/// Reports whether something is known to listen to an event, or to emit it.
pub(super) fn is_known_event(target: &Target) -> bool {
    match target {
        Target::Literal(literal) => {
            !literal.events.listeners.is_empty() || !literal.events.emitters.is_empty()
        }
        _ => false,
    }
}

/// Looks up the path of a route, whose first slash may be missing; `None` if the text is no path. The flag
/// tells whether it is a string of the repository or the path of a registered route.
pub(super) fn route(
    sources: &Sources<'_>,
    text: &str,
    method: Option<&str>,
) -> Result<Option<(LiteralTarget, bool)>, QueryError> {
    // `/users/{id}?sort=name`, but not `/users/:id?`.
    let text = match text.split_once('?') {
        Some((path, query)) if query.contains('=') => path,
        _ => text,
    };
    let path = match text.strip_prefix('/') {
        None if text.contains('/') => format!("/{text}"),
        _ => text.to_owned(),
    };
    if !tokens::is_route(&path) {
        return Ok(None);
    }

    // `/<user>/cart`, `/blog/[slug]`
    let path = path.replace(['<', '['], "{").replace(['>', ']'], "}");
    let route = LiteralTarget::new(sources, &path, method)?;
    let is_known = !route.routes.is_empty()
        || !route.files.is_empty()
        || path == text && literal_files(sources.snapshot(), text)? > 0;
    Ok(Some((route, is_known)))
}
