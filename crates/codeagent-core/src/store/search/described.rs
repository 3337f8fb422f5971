//! Symbols that a sentence describes: those whose names consist of its words.
//!
//! Unlike a search, which asks for source and documentation too, this looks for one symbol that the
//! sentence paraphrases: `which code collects garbage in Chromium?` describes `maybeCollectChromiumGarbage`.
//! Rare words count more, and so do names of which the sentence says every word. Synonyms, the name of the container
//! and the documentation count less, but a container whose name the sentence says as a whole (`the user resolver` for
//! `IUserResolver`) counts as much.
//!
//! Limitations: words are compared by root. Of a word in thousands of names, only the first of them are candidates.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::embed::tokenizer::{camel_words, is_stop_word, root, roots, runs, without_digits};
use crate::model::graph::{Node, NodeFlags, NodeId, NodeKind, NodeType};
use crate::store::nodes::stored_node;
use crate::store::search::SearchFilter;
use crate::store::search::candidates::Candidates;
use crate::store::search::language::{forms, rarity};
use crate::store::search::query::{any_of, quoted};
use crate::store::search::synonyms::users_synonyms;
use crate::store::search::text::{is_generated_path, is_test_path};
use crate::store::{SYMBOLS_TOTAL, Snapshot, StoreError, metadata};

/// Maximum number of names per word that are candidates.
const ROWS: usize = 300;
/// Maximum number of candidates that are compared, and of those among which tests are looked for.
const COMPARED: usize = 400;
const COMPARED_IN_TESTS: usize = 4_000;
/// Share of a name's worth that it has if the sentence says only some of its words.
const PARTLY_SAID: f64 = 0.4;
/// Worth of a word in the name of the container, and in the documentation.
const CONTAINER: f64 = 0.5;
const DOCUMENTATION: f64 = 0.35;
/// Worth of a synonym of a word.
const SYNONYM: f64 = 0.5;
/// A word in names that says nothing of what they name.
const ASYNC: &str = "async";
/// End of the paths of what designers of .NET generate.
const DESIGNED: &str = ".Designer.cs";
/// Minimum length of a word, in bytes.
const MIN_LETTERS: usize = 2;
/// Factor of what is inside a function or an object literal.
const LOCAL: f64 = 0.8;

/// A symbol that a sentence describes.
#[derive(Clone, Debug)]
pub struct DescribedSymbol {
    /// The symbol with its primary span.
    pub node: Node,
    /// From 0 to 1: the share of the sentence that it covers.
    pub score: f64,
    /// The roots of the words of the sentence that its name or that of its container has.
    pub said: Vec<String>,
}

/// A word of the sentence.
struct Term {
    root: String,
    /// Roots of its synonyms that are no words of the sentence.
    synonyms: Vec<&'static str>,
    /// Forms of the word and its synonyms in names.
    forms: Vec<String>,
    /// How much it says that a name has the word.
    rarity: f64,
}

impl Term {
    /// Reports whether a root is that of the word or of one that means the same.
    fn means(&self, root: &str) -> bool {
        self.root == root || self.synonyms.contains(&root)
    }
}

/// Which symbols a sentence may describe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DescribedAmong {
    /// Those of code outside tests and generated code, without namespaces.
    Code,
    /// Those, and namespaces.
    CodeAndNamespaces,
    /// Functions in files of tests.
    Tests,
}

/// Returns at most `limit` symbols that a sentence describes, best first.
pub fn described(
    snapshot: &Snapshot,
    sentence: &str,
    (limit, among): (usize, DescribedAmong),
) -> Result<Vec<DescribedSymbol>, StoreError> {
    let terms = terms(snapshot, sentence)?;
    let whole: f64 = terms.iter().map(|term| term.rarity).sum();
    let mut found = Vec::new();
    // Most names are those of other code than tests.
    let most = match among {
        DescribedAmong::Tests => COMPARED_IN_TESTS,
        _ => COMPARED,
    };
    for id in candidates(snapshot, &terms, most)? {
        let Some(node) = stored_node(snapshot.connection(), id)? else {
            continue;
        };
        if may_be_meant(&node, among) {
            found.extend(describe(node, &terms, whole));
        }
    }

    // Of namesakes, the one of the outer namespace or folder is rather meant.
    let length = |symbol: &DescribedSymbol| symbol.node.qualified_name.len();
    found.sort_by(|a, b| {
        let by_length = length(a).cmp(&length(b));
        let by_score = b.score.total_cmp(&a.score);
        by_score.then(by_length).then(a.node.id.cmp(&b.node.id))
    });
    found.truncate(limit);
    Ok(found)
}

/// Reports whether names have a word.
pub fn is_word_of_names(snapshot: &Snapshot, word: &str) -> Result<bool, StoreError> {
    Ok(forms(snapshot, root(word))?.1 > 0)
}

fn terms(snapshot: &Snapshot, sentence: &str) -> Result<Vec<Term>, StoreError> {
    let total = metadata(snapshot, SYMBOLS_TOTAL)?
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    let roots = roots(sentence);
    let mut terms = Vec::new();

    for (of_word, _) in &roots {
        // `e` of `e-mail` says nothing.
        if of_word.len() < MIN_LETTERS {
            continue;
        }

        let (mut own, names) = forms(snapshot, of_word)?;
        let mut others = Vec::new();
        for synonym in users_synonyms(of_word) {
            let synonym = root(synonym);
            let is_known = others.contains(&synonym);
            if !is_known && roots.iter().all(|(known, _)| known != synonym) {
                own.extend(forms(snapshot, synonym)?.0);
                others.push(synonym);
            }
        }

        terms.push(Term {
            root: of_word.clone(),
            synonyms: others,
            forms: own,
            rarity: rarity(total, names.min(total)),
        });
    }

    Ok(terms)
}

/// Returns at most `most` symbols whose names have the most of some words.
fn candidates(snapshot: &Snapshot, terms: &[Term], most: usize) -> Result<Vec<NodeId>, StoreError> {
    let filter = SearchFilter::default();
    let rows = ROWS.max(most / 4);
    let candidates = Candidates::new(snapshot, &filter, rows);
    let mut worth: FxHashMap<NodeId, f64> = FxHashMap::default();
    for term in terms.iter().filter(|term| !term.forms.is_empty()) {
        let words: Vec<String> = term.forms.iter().map(|form| quoted(form)).collect();
        let expression = format!("{{name}} : {}", any_of(&words));
        for id in candidates.rows(&expression, rows)? {
            *worth.entry(id).or_default() += term.rarity;
        }
    }

    let mut ranked: Vec<(NodeId, f64)> = worth.into_iter().collect();
    ranked.sort_unstable_by(|(a, one), (b, other)| other.total_cmp(one).then(a.cmp(b)));
    ranked.truncate(most);
    Ok(ranked.into_iter().map(|(id, _)| id).collect())
}

fn may_be_meant(node: &Node, among: DescribedAmong) -> bool {
    if among == DescribedAmong::Tests {
        // `test-utils/` is part of no test.
        let is_for_tests = |path: &str| {
            let mut segments = path.split('/');
            is_test_path(path) || segments.any(|segment| segment.starts_with("test-"))
        };
        let is_test = node.spans.iter().all(|span| is_for_tests(&span.path));
        return is_test && node.node_type == NodeType::Method;
    }

    // Settings of .NET are declared in generated code; strings of the interface, which are too, are static.
    let is_setting = |path: &str| {
        let is_value = node.kind == NodeKind::Property && !node.flags.has(NodeFlags::STATIC);
        is_value && path.ends_with(DESIGNED)
    };

    // A declaration file has no code.
    let is_written = |path: &str| {
        let is_source = !is_generated_path(path) && !path.ends_with(".d.ts");
        !is_test_path(path) && (is_source || is_setting(path))
    };

    // A constructor has the name of its type.
    let is_symbol = match node.node_type {
        NodeType::File | NodeType::Constructor => false,
        NodeType::Module => among == DescribedAmong::CodeAndNamespaces,
        _ => true,
    };

    is_symbol && node.spans.iter().all(|span| is_written(&span.path))
}

/// Returns how well words describe a symbol; `None` if its name has none of them.
fn describe(node: Node, terms: &[Term], whole: f64) -> Option<DescribedSymbol> {
    let name = telling_roots(name_without_prefix(&node.name));
    let container = name_without_prefix(container_name(&node.qualified_name));
    let behind = behind_whole_name(container, terms);
    let of_container = if behind.is_some() { 1.0 } else { CONTAINER };
    let container = word_roots(container);
    let documentation = node.doc.as_deref().map(word_roots).unwrap_or_default();

    let (mut own, mut around, mut said) = (0.0, 0.0, Vec::new());
    let mut own_words = 0;
    for Term {
        root,
        rarity,
        synonyms,
        ..
    } in terms
    {
        if name.contains(root) {
            own += rarity;
            own_words += 1;
            said.push(root.clone());
        } else if container.contains(root) {
            around += of_container * rarity;
            said.push(root.clone());
        } else if synonyms.iter().any(|synonym| name.contains(*synonym)) {
            own += SYNONYM * rarity;
            own_words += 1;
        } else if documentation.contains(root) {
            around += DOCUMENTATION * rarity;
        }
    }
    if own_words == 0 {
        return None;
    }
    // `the user resolver creates ..` is about what it creates.
    if let Some(verb) = behind.and_then(<[Term]>::first)
        && first_root(&node.name).is_some_and(|first| verb.means(&first))
    {
        own += verb.rarity;
    }

    let share_said = f64::from(own_words) / name.len().max(1) as f64;
    let mut score = own * (PARTLY_SAID + (1.0 - PARTLY_SAID) * share_said) + around;
    if node.flags.has(NodeFlags::LOCAL) {
        score *= LOCAL;
    }
    Some(DescribedSymbol {
        node,
        score: score / whole.max(f64::EPSILON),
        said,
    })
}

/// Returns the root of the first word of a name.
fn first_root(name: &str) -> Option<String> {
    let first = runs(name).flat_map(camel_words).next()?;
    Some(root(&first.to_lowercase()).to_owned())
}

/// Returns the words of a sentence behind those of a name of several words, if these follow each other.
fn behind_whole_name<'t>(name: &str, terms: &'t [Term]) -> Option<&'t [Term]> {
    let words = runs(name).flat_map(camel_words).flat_map(without_digits);
    let words: Vec<String> = words
        .map(|word| root(&word.to_lowercase()).to_owned())
        .collect();
    let is_name = |terms: &[Term]| {
        let mut pairs = terms.iter().zip(&words);
        pairs.all(|(term, word)| term.root == *word)
    };
    if words.len() < 2 {
        return None;
    }
    let at = terms.windows(words.len()).position(is_name)?;
    Some(&terms[at + words.len()..])
}

/// Returns the name of an interface without its first letter: `UserResolver` of `IUserResolver`.
fn name_without_prefix(name: &str) -> &str {
    let rest = name.strip_prefix('I');
    let is_word = |rest: &&str| {
        let mut letters = rest.chars();
        letters.next().is_some_and(char::is_uppercase)
            && letters.next().is_some_and(char::is_lowercase)
    };
    rest.filter(is_word).unwrap_or(name)
}

/// Returns the last name before that of a symbol itself: `Cart` of `Shop.Cart.Total` and `cart.ts#Cart.total`, and
/// the file of a symbol that nothing else contains: `cart` of `src/cart.ts#total`.
fn container_name(qualified_name: &str) -> &str {
    let (file, inner) = match qualified_name.rsplit_once('#') {
        Some((path, inner)) => (path.rsplit('/').next().unwrap_or(path), inner),
        None => ("", qualified_name),
    };
    match inner.rsplit_once('.') {
        Some((container, _)) => container
            .rsplit_once('.')
            .map_or(container, |(_, last)| last),
        None => file.split('.').next().unwrap_or(file),
    }
}

/// Returns the roots of the words in a text: `cart`, `tot` for `Cart.Total`.
pub fn word_roots(text: &str) -> FxHashSet<String> {
    let words = runs(text).flat_map(camel_words).flat_map(without_digits);
    words
        .map(|word| root(&word.to_lowercase()).to_owned())
        .collect()
}

/// Returns the roots of the words in a name that say something of what it names.
pub fn telling_roots(name: &str) -> FxHashSet<String> {
    let mut roots = word_roots(name);
    roots.retain(|word| !is_stop_word(word) && word != ASYNC);
    roots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_is_the_last_name_before_the_symbol() {
        for (name, expected) in [
            ("Shop.Cart.Total", "Cart"),
            ("src/cart.ts#Cart.total", "Cart"),
            ("src/cart.ts#total", "cart"),
            ("Cart", ""),
        ] {
            assert_eq!(container_name(name), expected, "{name}");
        }
    }
}
