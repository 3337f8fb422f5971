//! The indexed words of a symbol: `HttpClientFactory` gives `httpclientfactory http client factory`
//! and a word for its initials.
//!
//! The words of a row are a function of the node alone, so they can be recomputed when the row is
//! removed. Words that start with a private-use character cannot be typed; they stand for initials
//! and filter values.
//!
//! Limitations: a member has the words of its direct container only. The words of outer folders and
//! namespaces are indexed at types and files.

use smallvec::SmallVec;

use crate::embed::tokenizer::{camel_words, push_lower, runs};
use crate::model::graph::{Access, Language, Node, NodeFlags, NodeId, NodeType};

/// Prefix of the word for a name's initials and the rest of its last word: `HttpClientFactory` has
/// `hcfactory`.
pub(super) const INITIALS: char = '\u{e000}';
/// Prefix of a project's hash.
const PROJECT: char = '\u{e001}';
/// Prefix of a language and a node type.
const TYPE: char = '\u{e002}';

/// Minimum number of words in a name with initials.
const MIN_INITIALS: usize = 3;

/// Number of recent runs within which a run is not repeated.
const RECENT: usize = 8;

/// The words of one name, in lower case and concatenated: `httpclientfactory`, at 0, 4, 10.
#[derive(Debug, Default)]
pub(super) struct SymbolName {
    /// All words without separators.
    pub joined: String,
    /// Start of each word in `joined`.
    pub starts: SmallVec<[usize; 8]>,
}

impl SymbolName {
    /// Splits a text into words.
    pub fn of(text: &str) -> Self {
        let mut name = Self::default();
        name.read(text);
        name
    }

    /// Like [`SymbolName::of`], reusing the buffers.
    pub fn read(&mut self, text: &str) {
        self.joined.clear();
        self.starts.clear();
        for word in runs(text).flat_map(camel_words) {
            self.starts.push(self.joined.len());
            push_lower(&mut self.joined, word);
        }
    }

    pub fn words(&self) -> impl Iterator<Item = &str> {
        let ends = self
            .starts
            .iter()
            .skip(1)
            .copied()
            .chain(std::iter::once(self.joined.len()));
        self.starts
            .iter()
            .zip(ends)
            .map(|(start, end)| &self.joined[*start..end])
    }

    /// Returns the last word and those before it.
    pub fn split_last(&self) -> (&str, Vec<&str>) {
        let mut words: Vec<&str> = self.words().collect();
        (words.pop().unwrap_or_default(), words)
    }

    /// Returns the first letters of all words but the last, followed by the last word; `None` for
    /// names of few words.
    pub fn initials(&self) -> Option<String> {
        let last = *self.starts.get(MIN_INITIALS - 1..)?.last()?;
        let first = |start: &usize| self.joined[*start..].chars().next();
        let mut out: String = self.starts[..self.starts.len() - 1]
            .iter()
            .filter_map(first)
            .collect();
        out.push_str(&self.joined[last..]);
        Some(out)
    }
}

/// The columns of `search` for one node, reused from node to node.
#[derive(Debug, Default)]
pub(super) struct SearchText {
    /// The words of the name.
    pub words: SymbolName,
    /// The joined name, then each word, then the initials.
    pub name: String,
    /// Filter values, then the container.
    pub container: String,
    /// Parameters and return type.
    pub signature: String,
    /// The last node's project, and the word for it.
    project: Option<(String, String)>,
}

impl SearchText {
    /// Fills the columns for a node.
    pub fn read(&mut self, node: &Node) {
        let (stem, extension) = match node.node_type {
            NodeType::File => node.name.rsplit_once('.').unwrap_or((&node.name, "")),
            _ => (node.name.as_str(), ""),
        };
        self.words.read(stem);
        self.write_name(extension);

        self.container.clear();
        self.container
            .push_str(&type_word(node.language, node.node_type));

        let known = self
            .project
            .take()
            .filter(|(project, _)| *project == node.project_id);
        let (_, word) = self.project.insert(
            known.unwrap_or_else(|| (node.project_id.clone(), project_word(&node.project_id))),
        );
        push_word(&mut self.container, word);

        let (outer, inner) = container(node);
        push_words(&mut self.container, &[outer, inner]);

        self.signature.clear();
        let signature = [&node.parameter_signature, &node.return_type]
            .map(|text| text.as_deref().unwrap_or_default());
        push_words(&mut self.signature, &signature);
    }

    fn write_name(&mut self, extension: &str) {
        self.name.clear();
        self.name.push_str(&self.words.joined);
        if self.words.starts.len() > 1 {
            self.words
                .words()
                .for_each(|word| push_word(&mut self.name, word));
        }
        if let Some(initials) = self.words.initials() {
            self.name.push(' ');
            self.name.push(INITIALS);
            self.name.push_str(&initials);
        }
        if !extension.is_empty() {
            push_word(&mut self.name, extension);
        }
    }
}

/// Returns the container of a node in two parts: the complete one for a type or file, the direct
/// one for a member.
fn container(node: &Node) -> (&str, &str) {
    let whole = node
        .qualified_name
        .strip_suffix(&node.name)
        .unwrap_or(&node.qualified_name);
    if !is_member(node.node_type) {
        return (whole, "");
    }
    if let Some((path, inner)) = whole.split_once('#') {
        let file = path.rsplit('/').next().unwrap_or(path);
        return (file.rsplit_once('.').map_or(file, |(stem, _)| stem), inner);
    }
    let inner = whole.trim_end_matches('.');
    let start = inner.rmatch_indices('.').nth(1).map_or(0, |(at, _)| at + 1);
    (&inner[start..], "")
}

fn is_member(node_type: NodeType) -> bool {
    matches!(
        node_type,
        NodeType::Method | NodeType::Constructor | NodeType::Property
    )
}

/// Returns the word that all nodes of a language and type share.
pub(super) fn type_word(language: Language, node_type: NodeType) -> String {
    let letter = |code: u8| char::from(b'a' + code);
    String::from_iter([TYPE, letter(language as u8), letter(node_type as u8)])
}

/// Returns the word that all nodes of a project share.
pub(super) fn project_word(project: &str) -> String {
    format!("{PROJECT}{}", NodeId::derive(&["project", project]))
}

/// Returns the row id of a node: its class in the high bits, so that rows are found best class
/// first.
pub(in crate::store) fn row_of(node: &Node) -> i64 {
    (i64::from(class_of(node)) << CLASS_SHIFT) | node.id.0 as i64
}

pub(super) fn node_of(row: i64) -> NodeId {
    NodeId((row & ((1 << CLASS_SHIFT) - 1)) as u64)
}

/// Number of bits in a node id.
const CLASS_SHIFT: u32 = 60;

/// Returns a node's class; smaller ones come first among equal matches: types, then public
/// functions, then other members; then the same in tests and generated texts; then functions in
/// functions and in object literals; then files.
fn class_of(node: &Node) -> u8 {
    let secondary = is_secondary(node);

    match node.node_type {
        NodeType::File => 7,
        NodeType::Class | NodeType::Interface | NodeType::Type | NodeType::Component => {
            4 * u8::from(secondary)
        }
        _ if node.flags.has(NodeFlags::LOCAL) => 6,
        _ if secondary => 5 + u8::from(node.node_type != NodeType::Method),
        NodeType::Method if is_public(node.access, node.flags) => 1,
        NodeType::Property | NodeType::Constructor | NodeType::Module
            if is_public(node.access, node.flags) =>
        {
            2
        }
        _ => 3,
    }
}

/// Reports whether a node is visible to other projects.
pub(super) fn is_public(access: Option<Access>, flags: NodeFlags) -> bool {
    flags.has(NodeFlags::PUBLIC_API) || access == Some(Access::Public)
}

/// Reports whether a node belongs to tests or generated code.
fn is_secondary(node: &Node) -> bool {
    is_tests_place(&node.project_id, &node.qualified_name)
        || !node.spans.is_empty() && node.spans.iter().all(|span| is_generated_path(&span.path))
}

/// Reports whether a project or a qualified name belongs to tests.
pub(super) fn is_tests_place(project: &str, qualified_name: &str) -> bool {
    if has_test_folder(project) {
        return true;
    }
    match qualified_name.split_once('#') {
        Some((path, _)) => has_test_segment(path),
        None => {
            qualified_name.ends_with("Tests") || qualified_name.rsplit('.').skip(1).any(is_tests)
        }
    }
}

/// Reports whether a file belongs to tests, judged by its path.
#[must_use]
pub fn is_test_path(path: &str) -> bool {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    // A file named so may show an A/B test, a folder does not: `src/UnitTest`.
    let has_test_folder = folder
        .split(['/', '.'])
        .any(|segment| segment.len() > 4 && segment.ends_with("Test"));
    has_test_folder || has_test_segment(path)
}

/// Reports whether a folder or the name of a file on a path is that of tests.
fn has_test_segment(path: &str) -> bool {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let mut parts = file.rsplit('.').skip(1);
    // `cart.servertest.ts`, `cart.e2e-spec.ts`
    let is_kind = parts.next().is_some_and(|part| {
        let has_name = parts.next().is_some();
        let is_word = ["latest", "contest"].contains(&part);
        has_name && !is_word && ["test", "spec"].iter().any(|kind| part.ends_with(kind))
    });
    is_kind || file.split('.').any(is_tests) || has_test_folder(folder)
}

/// Reports whether a folder on a path holds tests. Below a folder of sources, some names are also
/// those of parts of a product: `src/components/mocks`, `src/openapi/spec`.
fn has_test_folder(path: &str) -> bool {
    let mut is_below_sources = false;
    path.split('/').any(|segment| {
        let is_part = is_below_sources && is_one_of(segment, &PRODUCT_PARTS);
        is_below_sources |= is_one_of(segment, &SOURCES);
        !is_part && segment.split('.').any(is_tests)
    })
}

/// Reports whether a file is generated, judged by its path.
#[must_use]
pub fn is_generated_path(path: &str) -> bool {
    has_ending(path, ".g.cs")
        || path.starts_with(".yarn/")
        || has_ending(path, ".designer.cs")
        || path.split(['/', '.']).any(is_output)
}

const TESTS: [&str; 11] = [
    "test",
    "tests",
    "__tests__",
    "spec",
    "specs",
    "e2e",
    "mock",
    "mocks",
    "__mocks__",
    "fixtures",
    "unittests",
];

/// Names of [`TESTS`] that a part of a product may have, too.
const PRODUCT_PARTS: [&str; 4] = ["mock", "mocks", "spec", "specs"];

/// Folders that hold the sources of a product.
const SOURCES: [&str; 4] = ["app", "lib", "source", "src"];

fn is_tests(segment: &str) -> bool {
    is_one_of(segment, &TESTS) || (segment.len() > 5 && segment.ends_with("Tests"))
}

fn is_one_of(segment: &str, words: &[&str]) -> bool {
    words.iter().any(|word| segment.eq_ignore_ascii_case(word))
}

/// Reports whether a part of a path is that of generated text: of a build or a bundler, or of the
/// compilers of GraphQL and Protocol Buffers (`user_service_pb.ts`, `user.pb.ts`).
fn is_output(segment: &str) -> bool {
    ["dist", "generated", "__generated__", "min", "pb"]
        .iter()
        .any(|word| segment.eq_ignore_ascii_case(word))
        || has_ending(segment, "_pb")
}

/// Reports whether a text has an ending, in any letter case.
fn has_ending(text: &str, ending: &str) -> bool {
    let start = text.len().checked_sub(ending.len());
    let last = start.and_then(|start| text.as_bytes().get(start..));
    last.is_some_and(|last| last.eq_ignore_ascii_case(ending.as_bytes()))
}

fn push_word(out: &mut String, word: &str) {
    if !out.is_empty() {
        out.push(' ');
    }
    out.push_str(word);
}

/// Appends each run of letters in the texts, followed by its camel-case words if there are several.
/// Recently added runs are skipped.
fn push_words(out: &mut String, texts: &[&str]) {
    let mut recent = [""; RECENT];
    for (at, run) in texts.iter().flat_map(|text| runs(text)).enumerate() {
        if recent.iter().any(|before| before.eq_ignore_ascii_case(run)) {
            continue;
        }
        recent[at % RECENT] = run;
        push_word(out, run);
        if camel_words(run).nth(1).is_some() {
            camel_words(run).for_each(|word| push_word(out, word));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_split_into_camel_case_words() {
        let words = |name: &str| {
            SymbolName::of(name)
                .words()
                .map(str::to_owned)
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(words("getHTTPUrl2"), "get http url2");
        assert_eq!(words("MAX_VALUE"), "max value");
        assert_eq!(words("_logger"), "logger");
        assert_eq!(words("ÜberName"), "über name");
        assert_eq!(words("$"), "");
    }

    #[test]
    fn initials_keep_the_last_word() {
        assert_eq!(
            SymbolName::of("HttpClientFactory").initials().unwrap(),
            "hcfactory"
        );
        assert_eq!(SymbolName::of("HttpClient").initials(), None);
        assert_eq!(SymbolName::of("").initials(), None);
    }

    #[test]
    fn repeated_words_are_written_once() {
        let mut out = String::new();
        push_words(
            &mut out,
            &[
                "(CancellationToken cancellationToken)",
                "Task<CancellationToken>",
            ],
        );
        assert_eq!(out, "CancellationToken Cancellation Token Task");
    }

    #[test]
    fn tests_and_generated_files_are_recognised_by_path() {
        for (project, name) in [
            ("tests/Shop.Tests/Shop.Tests.csproj", "Shop.Cart"),
            (".", "Shop.Tests.CartTests.Add"),
            (".", "src/__tests__/a.ts#b"),
            (".", "src/a.test.ts#b"),
        ] {
            assert!(is_tests_place(project, name), "{name}");
        }

        for (path, expected) in [
            ("mocks/handlers.ts", true),
            ("src/cart.mock.ts", true),
            ("src/cart.servertest.ts", true),
            ("src/cart.e2e-spec.ts", true),
            ("src/cart.latest.ts", false),
            ("src/latest.ts", false),
            ("src/test/mocks/cart.ts", true),
            ("src/components/mocks/pane.tsx", false),
            ("spec/helpers/carts.ts", true),
            ("src/spec/cart.spec.ts", true),
            ("src/openapi/spec/cart.ts", false),
        ] {
            assert_eq!(is_test_path(path), expected, "{path}");
        }
        for path in [
            "Views/Main.Designer.cs",
            "obj/Query.g.cs",
            "api/user_service_pb.ts",
            "packages/core/dist/a.js",
            "src/__generated__/graphql.ts",
        ] {
            assert!(is_generated_path(path), "{path}");
        }
        for path in ["Views/Designer.cs", "api/user.ts", "src/pb_user.ts"] {
            assert!(!is_generated_path(path), "{path}");
        }

        for name in [
            "Shop.TestServer.Run",
            "src/latest/a.ts#testing",
            "src/a.ts#test",
            "Shop.Contest",
        ] {
            assert!(!is_tests_place(".", name), "{name}");
        }
    }

    #[test]
    fn a_row_contains_its_node() {
        assert_eq!(node_of((7 << CLASS_SHIFT) | 5), NodeId(5));
    }
}
