//! Words of a sentence that are hardly meant as names beside others that are: products (`in Shop`), proper
//! nouns (`Visual Studio`), abbreviations (`API`, `e2e`), and words that only a variable has as its name.

use super::external;
use super::kind_words::has_kind;
use super::module::is_own_package;
use super::tokens::{is_all_capitals, is_constant, is_route};
use super::{
    LiteralTarget, STRINGS, SUBTYPES, SymbolTarget, Target, Targets, Token, is_technical, tokens,
};
use crate::model::graph::{Node, NodeKind, NodeType};
use crate::query::{
    Note, QueryError, Sources, SymbolGroup, is_compound, is_in_place, literal_files,
};
use crate::store::{self, Snapshot};

/// Words before the name of a product.
const BEFORE_PRODUCT: [&str; 8] = ["by", "for", "from", "in", "inside", "of", "the", "within"];

/// Words before values that are examples.
const EXAMPLES: [&str; 4] = [" such as ", " like ", "for example", "for instance"];

/// Number of other words from which a sentence describes something, of which a value is an example.
const MIN_DESCRIBING: usize = 3;

/// Maximum length of an acronym.
const MAX_ACRONYM: usize = 5;

/// Maximum length of the name of a product in mixed case, in bytes.
const MAX_MIXED: usize = 10;

/// Reports whether a sentence has no name that is written like code or in quotation marks, only words of prose that
/// equal names.
pub(in crate::query) fn names_nothing_for_sure(
    snapshot: &Snapshot,
    targets: &Targets,
    text: &str,
) -> Result<bool, QueryError> {
    for target in &targets.found {
        let is_sure = match target {
            Target::Literal(LiteralTarget { text, .. }) => {
                let is_written = text.contains(' ') || is_route(text) || is_compound(text);
                is_written && literal_files(snapshot, text)? > 0
            }
            // `which classes derive from Error?`
            Target::External { asked, .. } if targets.mentions(SUBTYPES) => {
                external::extended(snapshot, asked)?.is_some()
            }
            _ => false,
        };
        if is_sure {
            return Ok(false);
        }
    }

    let tokens = tokens(text);
    let is_quoted = |name: &str| {
        tokens
            .iter()
            .any(|token| token.text == name && token.is_quoted)
    };
    let is_word = |name: &str| {
        let mut named = tokens.iter().filter(|token| token.text == name).peekable();
        named.peek().is_some() && named.all(Token::is_plain)
    };
    // `RecycleBin` for `the Recycle Bin`
    let is_joined = |name: &str| {
        let mut texts = tokens.iter().map(|token| token.text);
        !name.contains('.') && !texts.any(|text| text.contains(name))
    };
    let is_weak = |name: &str| is_word(name) || is_joined(name) || is_of_prose(&tokens, name);

    let is_plain = |target: &Target| match target {
        Target::File { .. } | Target::Folder { .. } => false,
        Target::Literal(literal) if literal.is_known() => false,
        Target::Literal(literal) if !is_constant(&literal.text) => {
            literal.text.contains(' ') || !is_quoted(&literal.text)
        }
        _ if target.is_of_tests() && !targets.mentions(&["test"]) => {
            let name = target.requested_text();
            is_weak(name) || is_all_capitals(name)
        }
        _ => !targets.has_written_name || is_weak(target.requested_text()),
    };

    // A text in quotation marks that is not found is no name.
    let is_missing_name = |name: &str| !is_weak(name) && !name.contains(' ');
    let mut missing = targets.missing.iter();
    Ok(targets.is_sentence
        && targets.found.iter().all(is_plain)
        && !missing.any(|(name, _)| is_missing_name(name)))
}

/// Reports whether a sentence names only symbols that differ in case from words of prose in it: `redis` for `the Redis
/// cache service`.
pub(super) fn differ_in_case(targets: &Targets, tokens: &[Token<'_>]) -> bool {
    let differs = |target: &Target| match target {
        Target::Symbols(symbols) => {
            matches!(symbols.note, Some(Note::MatchedIgnoringCase { .. }))
                && is_of_prose(tokens, &symbols.asked)
        }
        _ => false,
    };
    !targets.found.is_empty() && targets.missing.is_empty() && targets.found.iter().all(differs)
}

/// Removes values in quotation marks that a sentence only gives as examples (`a period such as "1h" or "7d"`), unless
/// it says nothing else or calls them strings: `where is a string like "1h" read?`
pub(super) fn drop_examples(targets: &mut Targets, text: &str) {
    if targets.mentions(STRINGS) || targets.uncommon_words().count() < MIN_DESCRIBING {
        return;
    }

    let is_example = |value: &str| {
        ['"', '\'', '`'].iter().any(|quote| {
            let quoted = format!("{quote}{value}{quote}");
            let before = text.split(quoted.as_str()).next().unwrap_or_default();
            let clause = before.rsplit(['.', ';', '?']).next().unwrap_or(before);
            before.len() < text.len() && EXAMPLES.iter().any(|words| clause.contains(words))
        })
    };

    targets.found.retain(|target| match target {
        Target::Literal(literal) => literal.is_known() || !is_example(&literal.text),
        _ => true,
    });
    targets.missing.retain(|(name, _)| !is_example(name));
}

/// Removes weak names if a sentence has others: paths, names in quotation marks or backticks, and names that
/// are no words of prose.
pub(super) fn drop_weak(
    sources: &Sources<'_>,
    targets: &mut Targets,
    tokens: &[Token<'_>],
) -> Result<(), QueryError> {
    if targets.found.len() + targets.missing.len() < 2 {
        return Ok(());
    }
    let snapshot = sources.snapshot();
    let is_strong = |target: &Target| match target {
        Target::Literal(literal) if is_package(sources, literal, tokens) => false,
        Target::Literal(literal) if is_acronym_of_prose(literal, tokens) => false,
        Target::Symbols(_) | Target::Literal(_) => !is_of_prose(tokens, target.requested_text()),
        _ => true,
    };
    let strong: Vec<bool> = targets.found.iter().map(is_strong).collect();
    let is_missing = |(name, _): &(String, QueryError)| !is_of_prose(tokens, name);
    if !strong.contains(&true) && !targets.missing.iter().any(is_missing) {
        return Ok(());
    }

    targets.missing.retain(is_missing);
    let places: Vec<String> = targets.found.iter().filter_map(place).collect();
    let mut kept = Vec::with_capacity(targets.found.len());
    for (target, is_strong) in std::mem::take(&mut targets.found).into_iter().zip(strong) {
        let is_weak = match &target {
            Target::Symbols(symbols) if is_of_prose(tokens, &symbols.asked) => {
                is_weak(snapshot, symbols, (&places, tokens))?
            }
            _ => !is_strong,
        };
        if !is_weak {
            kept.push(target);
        }
    }
    targets.found = kept;
    Ok(())
}

/// Removes symbols outside the repository that only equal a part of a proper noun: `the Shop Cart backend` is not about
/// a type `Cart` of a library.
pub(super) fn drop_products(targets: &mut Targets, tokens: &[Token<'_>]) {
    targets.found.retain(|target| match target {
        Target::External { asked, .. } => !is_proper_noun(tokens, asked),
        _ => true,
    });
}

/// Reports whether a name is written like an abbreviation in prose: `OTLP`.
#[must_use]
pub fn is_acronym(name: &str) -> bool {
    name.len() <= MAX_ACRONYM && name.chars().all(char::is_uppercase)
}

/// Reports whether a name is written like that of a product or protocol in prose: `GitHub`, `IPv4`, `WebSocket`, `2xx`.
#[must_use]
pub fn is_mixed_case(name: &str) -> bool {
    let capitals = name.chars().filter(|letter| letter.is_uppercase()).count();
    let has_more = capitals > 1 || name.contains(|letter: char| letter.is_ascii_digit());
    name.len() <= MAX_MIXED
        && has_more
        && name.chars().all(char::is_alphanumeric)
        && name.contains(char::is_lowercase)
        && !name.starts_with(char::is_lowercase)
}

/// Reports whether a string is an acronym that a sentence writes without quotation marks, and nothing serves or emits it:
/// `the IMAP engine`.
fn is_acronym_of_prose(literal: &LiteralTarget, tokens: &[Token<'_>]) -> bool {
    let text = literal.text.as_str();
    let mut named = tokens.iter().filter(|token| token.text == text);
    is_acronym(text) && !literal.is_known() && named.all(|token| !token.is_quoted && !token.is_code)
}

/// Reports whether a string is the name of a package of the repository that a sentence writes without quotation
/// marks, and nothing serves or emits it: `the next.dev editor`.
fn is_package(sources: &Sources<'_>, literal: &LiteralTarget, tokens: &[Token<'_>]) -> bool {
    let name = literal.text.as_str();
    let is_quoted = |token: &Token<'_>| token.text == name && token.is_quoted;
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !literal.is_known()
        && name.chars().all(is_word)
        && !tokens.iter().any(is_quoted)
        && is_own_package(sources, name)
}

/// Reports whether a name is a word of prose with a capital, or an abbreviation, wherever a sentence has it.
pub(super) fn is_of_prose(tokens: &[Token<'_>], name: &str) -> bool {
    let is_word =
        |token: &Token<'_>| token.is_capitalized() || is_technical(token) || is_abbreviation(token);
    let mut named = tokens.iter().filter(|token| token.text == name).peekable();
    named.peek().is_some() && named.all(is_word)
}

/// Reports whether a token abbreviates a word by a number: `e2e`, `i18n`.
fn is_abbreviation(token: &Token<'_>) -> bool {
    let has = |test: fn(&char) -> bool| token.text.chars().any(|c| test(&c));
    let is_short = token.text.chars().count() < 6 && token.text.chars().all(char::is_alphanumeric);
    let is_plain = !token.is_quoted && !token.is_code && !has(|c| c.is_uppercase());
    is_short && is_plain && has(char::is_ascii_digit) && has(|c| c.is_alphabetic())
}

fn is_weak(
    snapshot: &Snapshot,
    symbols: &SymbolTarget,
    (places, tokens): (&[String], &[Token<'_>]),
) -> Result<bool, QueryError> {
    let nodes = || {
        let groups = symbols.groups.iter().chain(&symbols.others);
        groups.map(SymbolGroup::first)
    };
    let is_here = |node: &Node| {
        let mut paths = node.spans.iter().map(|span| span.path.as_str());
        paths.any(|path| places.iter().any(|place| is_in_place(path, place)))
    };
    if has_kind(tokens, &symbols.asked) {
        return Ok(false);
    }

    let is_named_by = |node: &Node| {
        let is_value = node.node_type == NodeType::Property && node.kind != NodeKind::Event;
        !is_value && node.node_type != NodeType::Module
    };
    let differs = matches!(symbols.note, Some(Note::MatchedIgnoringCase { .. }));
    if differs || symbols.alias.is_some() || !nodes().any(is_named_by) {
        return Ok(true);
    }
    let is_of_prose = is_proper_noun(tokens, &symbols.asked);
    Ok(!nodes().any(is_here) && (is_of_prose || is_product(snapshot, symbols, tokens)?))
}

/// Reports whether another word with a capital stands beside a name.
fn is_proper_noun(tokens: &[Token<'_>], name: &str) -> bool {
    let beside = |pair: &[Token<'_>]| {
        pair.iter().all(Token::is_capitalized) && pair.iter().any(|token| token.text == name)
    };
    tokens.windows(2).any(beside)
}

/// Reports whether a name is that of a folder, and stands where a sentence says in which product.
fn is_product(
    snapshot: &Snapshot,
    symbols: &SymbolTarget,
    tokens: &[Token<'_>],
) -> Result<bool, QueryError> {
    let name = &symbols.asked;
    let mut pairs = tokens.windows(2);
    let is_place = pairs.any(|pair| {
        pair[1].text == *name && BEFORE_PRODUCT.contains(&pair[0].text.to_lowercase().as_str())
    });
    if !is_place {
        return Ok(false);
    }

    for folder in [name.clone(), name.to_lowercase()] {
        if !store::folders_named(snapshot, &folder, 1)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the path of a file or folder.
fn place(target: &Target) -> Option<String> {
    match target {
        Target::File { path, .. } | Target::Folder { path, .. } => Some(path.clone()),
        _ => None,
    }
}
