//! Symbols that a question describes in words: `which code collects garbage in Chromium?` is about
//! `maybeCollectChromiumGarbage`, though it names nothing, or only `Chromium`.

use crate::embed::tokenizer::root;
use crate::model::graph::{Node, NodeFlags, NodeId, NodeKind, NodeType};
use crate::query::lookup::target::{
    Target, Targets, Token, is_common, is_hook, kind_test, name_words, names_nothing_for_sure,
    tokens,
};
use crate::query::uses::hierarchy::{bases_of, implementations_of};
use crate::query::{Note, QueryError};
use crate::store::{self, DescribedAmong, DescribedSymbol, Snapshot};

/// Number of symbols that are compared, and maximum number that is returned.
const COMPARED: usize = 24;
const MAX_DESCRIBED: usize = 4;

/// Number of symbols among which a described event is; members of other kinds often share its words.
const COMPARED_EVENTS: usize = 300;

/// Share of the best score that others need.
const MIN_SHARE: f64 = 0.6;

/// Share of the score of a second symbol of a type that the type gains.
const OF_SECOND: f64 = 0.3;

/// Share of the score of its best member with which a type stands for it, and number of described members for which
/// it stands anyway.
const SCORE_OF_TYPE: f64 = 0.8;
const MANY_MEMBERS: usize = 3;

/// Words for a namespace.
const NAMESPACES: [&str; 2] = ["namespace", "namespaces"];

/// Words for an event of C#.
const EVENTS: [&str; 2] = ["event", "events"];

/// Words for a function that a question describes.
const FUNCTIONS: [&str; 3] = ["function", "helper", "method"];

/// Words for a function that tests use.
const HELPERS: [&str; 4] = ["assertion", "helper", "helpers", "utility"];

/// Words for the side that runs no components.
const SERVERS: [&str; 3] = ["backend", "server", "server-side"];

/// Words for what is set and read.
const SETTINGS: [&str; 10] = [
    "config",
    "configuration",
    "default",
    "flag",
    "option",
    "options",
    "preference",
    "preferences",
    "setting",
    "settings",
];

/// Particles of verbs.
const PARTICLES: [&str; 6] = ["down", "in", "off", "on", "out", "up"];

/// Words for types.
const TYPES: [&str; 5] = ["class", "enum", "interface", "struct", "type"];

/// Maximum number of words of a noun behind `the`.
const MAX_NOUN: usize = 4;

/// Number of words that a description must share with a name, and of those among them that must be no names
/// themselves, before it says more than these names.
const MIN_SAID: usize = 3;
const MIN_FURTHER: usize = 2;

/// Returns the symbols that a question describes, best first; only those of the kind that it asks for, if there are any:
/// values for a setting, functions and classes for `how`, events, namespaces.
pub fn described_symbols(
    snapshot: &Snapshot,
    question: &str,
) -> Result<Vec<DescribedSymbol>, QueryError> {
    let question = without_what_is_not_done(question);
    let tokens = tokens(&question);
    let words = describing_words(snapshot, &tokens)?;
    let asks_for_namespace = tokens.iter().any(|token| NAMESPACES.contains(&token.text));
    let among = match asks_for_namespace {
        true => DescribedAmong::CodeAndNamespaces,
        false => DescribedAmong::Code,
    };
    let mut found = Vec::new();
    if tokens.iter().any(|token| EVENTS.contains(&token.text)) {
        found = store::described(snapshot, &words, (COMPARED_EVENTS, among))?;
        found.retain(|symbol| symbol.node.kind == NodeKind::Event);
    }
    if found.is_empty() {
        found = store::described(snapshot, &words, (COMPARED, among))?;
    }
    if tokens.iter().any(|token| token.text.starts_with("overrid")) {
        keep_overridden(snapshot, &mut found)?;
    }
    let asks_for_value = keep_asked(&tokens, &mut found);
    let type_kind = asked_kind(&tokens).filter(|kind| TYPES.contains(&kind.word));

    let mut groups: Vec<(NodeId, Vec<DescribedSymbol>)> = Vec::new();
    for symbol in found {
        let around = match asks_for_value {
            true => None,
            false => type_or_owner(snapshot, &symbol.node)?,
        };
        let of = around.map_or(symbol.node.id, |node| node.id);
        match groups.iter_mut().find(|(known, _)| *known == of) {
            Some((_, members)) => members.push(symbol),
            None => groups.push((of, vec![symbol])),
        }
    }

    let mut described = Vec::with_capacity(groups.len());
    for (of, members) in groups {
        described.push(joined(snapshot, of, (members, type_kind.is_some()))?);
    }
    if let Some(kind) = type_kind {
        keep_any(&mut described, |symbol| (kind.is_of)(&symbol.node));
    }
    // Stable: equal ones stay in the order in which the store returns them.
    described.sort_by(|a, b| b.score.total_cmp(&a.score));
    let least = described.first().map_or(0.0, |best| MIN_SHARE * best.score);
    described.retain(|symbol| symbol.score >= least);
    described.truncate(MAX_DESCRIBED);
    Ok(described)
}

/// Returns the functions in files of tests that a question describes if it asks for a helper, best first.
pub fn described_helpers(
    snapshot: &Snapshot,
    question: &str,
) -> Result<Vec<DescribedSymbol>, QueryError> {
    let mut tokens = tokens(question);
    let all = tokens.len();
    tokens.retain(|token| !HELPERS.contains(&token.text));
    if tokens.len() == all {
        return Ok(Vec::new());
    }
    let words = describing_words(snapshot, &tokens)?;
    let limit = (COMPARED, DescribedAmong::Tests);
    Ok(store::described(snapshot, &words, limit)?)
}

/// Returns the words of a question that describe something.
fn describing_words(snapshot: &Snapshot, tokens: &[Token<'_>]) -> Result<String, QueryError> {
    let words = tokens.iter().map(|token| token.text);
    let words = words.filter(|word| !is_common(word)).map(str::to_owned);
    let mut words: Vec<String> = words.collect();
    words.extend(switching(tokens).map(str::to_owned));
    words.extend(joined_verbs(snapshot, tokens)?);
    Ok(words.join(" "))
}

/// Returns the words of two parts that names write as one: `setup` for `sets up`, `cleanup` for `clean-up`.
fn joined_verbs(snapshot: &Snapshot, tokens: &[Token<'_>]) -> Result<Vec<String>, QueryError> {
    let mut joined = Vec::new();
    for token in tokens.iter().filter(|token| token.text.contains('-')) {
        let word = token.text.to_lowercase().replace('-', "");
        if store::is_word_of_names(snapshot, &word)? {
            joined.push(word);
        }
    }

    for pair in tokens.windows(2) {
        if PARTICLES.contains(&pair[1].text) {
            let word = format!("{}{}", root(&pair[0].text.to_lowercase()), pair[1].text);
            if store::is_word_of_names(snapshot, &word)? {
                joined.push(word);
            }
        }
    }

    Ok(joined)
}

/// Returns a question without the action that it excludes: `without deleting it`.
#[must_use]
pub fn without_what_is_not_done(question: &str) -> String {
    let words: Vec<&str> = question.split(' ').collect();
    let mut kept = Vec::with_capacity(words.len());
    let mut at = 0;

    while at < words.len() {
        let excludes = match words[at] {
            "without" => 1,
            "instead" if words.get(at + 1) == Some(&"of") => 2,
            _ => 0,
        };

        let action = words.get(at + excludes).filter(|_| excludes > 0);
        if action.is_some_and(|word| word.ends_with("ing")) {
            let rest = &words[at + excludes + 1..];
            let is_end = |word: &&str| word.ends_with([',', '.', '?']) || *word == "and";
            let length = rest
                .iter()
                .position(is_end)
                .map_or(rest.len(), |end| end + 1);
            at += excludes + 1 + length;
            continue;
        }

        kept.push(words[at]);
        at += 1;
    }

    kept.join(" ")
}

/// Replaces symbols by the members that they override and others that are overridden, each once, if there are any.
fn keep_overridden(
    snapshot: &Snapshot,
    found: &mut Vec<DescribedSymbol>,
) -> Result<(), QueryError> {
    let mut overridden: Vec<DescribedSymbol> = Vec::new();
    for symbol in found.iter() {
        if let Some(node) = overridden_member(snapshot, &symbol.node)?
            && overridden.iter().all(|known| known.node.id != node.id)
        {
            overridden.push(DescribedSymbol {
                node,
                ..symbol.clone()
            });
        }
    }

    if !overridden.is_empty() {
        *found = overridden;
    }

    Ok(())
}

/// Returns the outermost member that a member overrides or implements, or itself if others override it.
pub fn overridden_member(snapshot: &Snapshot, node: &Node) -> Result<Option<Node>, QueryError> {
    if node.node_type.is_type() || node.parent.is_none() {
        return Ok(None);
    }
    if let Some((outermost, _)) = bases_of(snapshot, &[node.id])?.last() {
        return Ok(store::node(snapshot, *outermost)?);
    }
    let is_overridden = !implementations_of(snapshot, &[node.id])?.is_empty();
    Ok(is_overridden.then(|| node.clone()))
}

/// Returns the word that names have for a verb of two words: `Enable` for `is watching switched on?`
fn switching(tokens: &[Token<'_>]) -> Option<&'static str> {
    tokens.windows(2).find_map(|pair| {
        let is_verb = ["switch", "turn"]
            .iter()
            .any(|verb| pair[0].text.starts_with(verb));
        match pair[1].text {
            "on" if is_verb => Some("enable"),
            "off" if is_verb => Some("disable"),
            _ => None,
        }
    })
}

/// Keeps the symbols of the kind that a question asks for, if there are any; reports whether these are values.
fn keep_asked(tokens: &[Token<'_>], found: &mut Vec<DescribedSymbol>) -> bool {
    if !keep_any(found, is_described_namespace) {
        found.retain(|symbol| symbol.node.node_type != NodeType::Module);
    }

    let asks_what_runs = asks_what_runs(tokens);
    let asks_for_value = !asks_what_runs
        && asks_for_setting(tokens)
        && keep_any(found, |symbol| is_value(&symbol.node));
    if asks_what_runs || !asks_for_value && starts_with(tokens, "where") {
        keep_any(found, |symbol| may_run(&symbol.node));
    }
    if asks_what_runs {
        keep_any(found, |symbol| !is_value(&symbol.node));
    }
    let kind = asked_kind(tokens);
    // A type is described by its members, too.
    if let Some(kind) = kind.filter(|kind| !TYPES.contains(&kind.word)) {
        keep_any(found, |symbol| (kind.is_of)(&symbol.node));
    }
    let says = |words: &[&str]| tokens.iter().any(|token| words.contains(&token.text));
    if says(&EVENTS) {
        keep_any(found, |symbol| symbol.node.kind == NodeKind::Event);
    }
    // `which server code runs?` is not about the dialog of the client.
    if says(&SERVERS) {
        keep_any(found, |symbol| symbol.node.node_type != NodeType::Component);
    }
    // A `helper class` is no function.
    if kind.is_none() && says(&FUNCTIONS) {
        keep_any(found, |symbol| symbol.node.node_type == NodeType::Method);
    }
    if says(&["hooks"]) {
        keep_any(found, |symbol| is_hook(&symbol.node));
    }
    asks_for_value
}

/// Keeps some of the symbols, or all if these are none; reports whether there are some.
fn keep_any(found: &mut Vec<DescribedSymbol>, is_kept: impl Fn(&DescribedSymbol) -> bool) -> bool {
    let has_some = found.iter().any(&is_kept);
    if has_some {
        found.retain(is_kept);
    }
    has_some
}

/// Reports whether a symbol is a namespace of several words, all of which a question says.
fn is_described_namespace(symbol: &DescribedSymbol) -> bool {
    symbol.node.node_type == NodeType::Module && is_whole(symbol)
}

/// Reports whether a sentence says all of several words of a symbol's name.
fn is_whole(symbol: &DescribedSymbol) -> bool {
    let name = store::word_roots(&symbol.node.name);
    name.len() > 1 && name.iter().all(|word| symbol.said.contains(word))
}

/// Reports whether the name of a symbol has several words, all of which a question says.
#[must_use]
pub fn is_name_said(node: &Node, question: &str) -> bool {
    let (name, said) = (store::word_roots(&node.name), store::word_roots(question));
    name.len() > 1 && name.is_subset(&said)
}

/// Returns the symbols that a question describes in words that say more than the names in it, which only equal words of
/// prose: `Vitest` in `whether Vitest collects garbage`. `None` if it names something for sure, or describes
/// nothing else.
pub fn described_rather(
    snapshot: &Snapshot,
    question: &str,
    targets: &Targets,
) -> Result<Option<Vec<DescribedSymbol>>, QueryError> {
    if targets.found.is_empty() || !names_nothing_for_sure(snapshot, targets, question)? {
        return Ok(None);
    }

    let described = described_symbols(snapshot, question)?;
    let tokens = tokens(question);
    if targets
        .found
        .iter()
        .any(|target| has_said_kind(&tokens, target))
    {
        return Ok(None);
    }

    let asks_for_value = asks_for_setting(&tokens);
    let says_more = described
        .first()
        .is_some_and(|best| says_more(best, targets, asks_for_value));
    Ok(says_more.then_some(described))
}

/// Reports whether a sentence says the kind of a symbol behind the words of its name: `the inline strategy interface`
/// for `InlineStrategy`.
fn has_said_kind(tokens: &[Token<'_>], target: &Target) -> bool {
    let Target::Symbols(symbols) = target else {
        return false;
    };

    let words = name_words(&symbols.asked);
    let is_name = |tokens: &[Token<'_>]| {
        let mut pairs = tokens.iter().zip(&words);
        pairs.all(|(token, word)| token.text.to_lowercase() == *word)
    };
    let is_of_kind = |kind: &Token<'_>| {
        let mut groups = symbols.groups.iter();
        kind_test(&kind.text.to_lowercase())
            .is_some_and(|is_kind| groups.any(|group| is_kind(group.first())))
    };

    let mut windows = tokens.windows(words.len() + 1);
    windows.any(|window| match window.split_last() {
        Some((kind, name)) => is_name(name) && is_of_kind(kind),
        None => false,
    })
}

/// Reports whether words ask for what is set and read: `which option keeps carts?`, `is cleaning switched on?`
fn asks_for_setting(tokens: &[Token<'_>]) -> bool {
    let is_setting = |token: &Token<'_>| SETTINGS.contains(&token.text.to_lowercase().as_str());
    tokens.iter().any(is_setting) || switching(tokens).is_some()
}

/// A kind of symbols in a question.
#[derive(Clone, Copy)]
struct AskedKind<'a> {
    word: &'a str,
    is_of: fn(&Node) -> bool,
}

/// Returns the test for symbols of the kind that a question asks for or describes: `which component renders ..`, `what
/// does the static helper class declare?`
pub fn kind_of_described(question: &str) -> Option<fn(&Node) -> bool> {
    asked_kind(&tokens(question)).map(|kind| kind.is_of)
}

/// Reports whether a question asks for what is set and read.
pub fn asks_for_value(question: &str) -> bool {
    asks_for_setting(&tokens(question))
}

/// Reports whether a question asks for a type or describes one.
pub fn asks_for_type(question: &str) -> bool {
    asked_kind(&tokens(question)).is_some_and(|kind| TYPES.contains(&kind.word))
}

fn asked_kind<'a>(tokens: &[Token<'a>]) -> Option<AskedKind<'a>> {
    let kind_of = |token: &Token<'a>| {
        let word = token.text;
        kind_test(word).map(|is_of| AskedKind { word, is_of })
    };

    // What calls lead to runs.
    let leads_to = |pair: &[Token<'_>]| pair[0].text.starts_with("lead") && pair[1].text == "to";
    if tokens.windows(2).any(leads_to) {
        return Some(AskedKind {
            word: "function",
            is_of: |node| node.node_type == NodeType::Method,
        });
    }

    if let [which, noun @ ..] = tokens
        && ["Which", "which"].contains(&which.text)
    {
        // `which small class ..`, but not `which tests cover the class ..`
        let is_of_noun = |token: &&Token<'_>| token.is_plain() && !is_common(token.text);
        let adjectives = noun.iter().take_while(is_of_noun).count();
        let kind = noun.get(adjectives).filter(|_| adjectives < MAX_NOUN);
        if let Some(kind) = kind.and_then(kind_of) {
            return Some(kind);
        }
    }

    let start = tokens.iter().position(|token| token.text == "the")?;
    let noun = tokens[start + 1..].iter().take(MAX_NOUN);
    let mut noun = noun.take_while(|token| token.is_plain());
    noun.find_map(kind_of)
}

/// Reports whether a question asks for what runs: `how is a score computed?`, `what happens when a user leaves?`, `which
/// code runs then?`
fn asks_what_runs(tokens: &[Token<'_>]) -> bool {
    let runs = |pair: &[Token<'_>]| match [pair[0].text, pair[1].text] {
        [what, "happens"] => what.eq_ignore_ascii_case("what"),
        ["code", verb] => ["answers", "executes", "handles", "runs"].contains(&verb),
        _ => false,
    };
    starts_with(tokens, "how") || tokens.windows(2).any(runs)
}

fn starts_with(tokens: &[Token<'_>], word: &str) -> bool {
    let first = tokens.first();
    first.is_some_and(|first| first.text.eq_ignore_ascii_case(word))
}

/// Reports whether a symbol is a function or has some.
fn may_run(node: &Node) -> bool {
    match node.node_type {
        NodeType::Method | NodeType::Component | NodeType::Class | NodeType::Module => true,
        // A value may be a function, or an object with some.
        NodeType::Property => node.kind == NodeKind::Variable && !node.flags.has(NodeFlags::LOCAL),
        _ => false,
    }
}

/// Reports whether a symbol holds a value.
fn is_value(node: &Node) -> bool {
    node.node_type == NodeType::Property
}

/// Reports whether the best description of a question says more than its names.
fn says_more(best: &DescribedSymbol, targets: &Targets, asks_for_value: bool) -> bool {
    let is_best = |node: &Node| node.id == best.node.id || node.parent == Some(best.node.id);
    let is_named = |target: &Target| match target {
        Target::Symbols(symbols) => symbols.groups.iter().any(|group| is_best(group.first())),
        _ => false,
    };
    if targets.found.iter().any(is_named) {
        return false;
    }

    // A setting is a value, and no type or function whose name equals words.
    let names_value = |target: &Target| match target {
        Target::Symbols(symbols) => symbols.groups.iter().any(|group| is_value(group.first())),
        _ => false,
    };
    if asks_for_value && is_value(&best.node) && !targets.found.iter().any(names_value) {
        return best.said.len() >= MIN_FURTHER;
    }

    let names = targets.found.iter().map(Target::requested_text);
    let named: Vec<String> = names.flat_map(store::word_roots).collect();
    let further = best.said.iter().filter(|word| !named.contains(word));
    let (said, further) = (best.said.len(), further.count());
    // The name of a library, a string or a test says little of the product's code.
    let is_of_product = |target: &Target| match target {
        Target::Symbols(symbols) => {
            let differs = matches!(symbols.note, Some(Note::MatchedIgnoringCase { .. }));
            !differs && !target.is_of_tests()
        }
        _ => false,
    };
    // `RestoreAllRecycleBin` is more than the `Recycle Bin` in it.
    let has_names = !named.is_empty() && named.iter().all(|word| best.said.contains(word));
    match targets.found.iter().any(is_of_product) {
        true if has_names => said >= MIN_SAID && further > 0,
        true => said >= MIN_SAID && further >= MIN_FURTHER,
        false => said >= MIN_FURTHER && further > 0,
    }
}

/// Returns the best of some symbols of a type, or the type itself if a question asks for one, or if it is described as
/// well or by several members, unless it says all of a function's name; the best comes first.
fn joined(
    snapshot: &Snapshot,
    of: NodeId,
    (mut members, is_type_asked): (Vec<DescribedSymbol>, bool),
) -> Result<DescribedSymbol, QueryError> {
    let best = members[0].score;
    let second = members.get(1).map_or(0.0, |second| second.score);
    let mut itself = members.iter().filter(|symbol| symbol.node.id == of);
    let is_described = itself.any(|symbol| symbol.score >= SCORE_OF_TYPE * best);
    let is_function = members[0].node.node_type == NodeType::Method && is_whole(&members[0]);
    let is_of_type = is_described || members.len() >= MANY_MEMBERS;
    let is_type = is_type_asked || is_of_type && !is_function;
    let said: Vec<String> = members
        .iter()
        .flat_map(|member| member.said.clone())
        .collect();

    let mut joined = members.swap_remove(0);
    if is_type && let Some(node) = store::node(snapshot, of)? {
        joined.node = node;
        joined.said = said;
        joined.said.sort_unstable();
        joined.said.dedup();
    }
    joined.score += OF_SECOND * second;
    Ok(joined)
}

/// Returns the type that a symbol is or is a member of.
pub fn type_or_owner(snapshot: &Snapshot, node: &Node) -> Result<Option<Node>, QueryError> {
    if node.node_type.is_type() {
        return Ok(Some(node.clone()));
    }
    let Some(parent) = node.parent else {
        return Ok(None);
    };
    let parent = store::node(snapshot, parent)?;
    Ok(parent.filter(|parent| parent.node_type.is_type()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_question_excludes_describes_nothing() {
        for (question, expected) in [
            ("clearing a cart without deleting it?", "clearing a cart"),
            (
                "closing instead of removing a cart, and its items",
                "closing and its items",
            ),
            ("a request without a token", "a request without a token"),
        ] {
            assert_eq!(without_what_is_not_done(question), expected);
        }
    }
}
