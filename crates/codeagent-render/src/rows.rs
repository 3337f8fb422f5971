//! The rows of answers, one struct per shape of the specification. Tools send them as JSON, and the
//! command line prints them.
//!
//! Clients read the comments on fields in the schemas. Fields without a value are left out. `kind`
//! is the language's own word for what the specification calls `node_type`.
//!
//! Limitations: paths are relative to the repository, whose location is never part of a row.

use codeagent_core::model::graph::{
    Access, Confidence, Dialect, EdgeDirection, EdgeType, Language, Node, NodeFlags, NodeSpan,
};
use codeagent_core::model::graph::{NodeKind, NodeType, ParseStatus, all_parameters};
use codeagent_core::query::{
    FoundSymbol, Match, MatchedBy, Neighbor, Symbol, UseSite, VectorSource,
};
use schemars::JsonSchema;
use serde::Serialize;

/// Returns the words of one of the model's tables.
#[must_use]
pub fn words<T>(names: &[(&'static str, T)]) -> Vec<&'static str> {
    names.iter().map(|(word, _)| *word).collect()
}

/// A symbol's identity.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SymbolName {
    /// Identifies the symbol in other calls; stable across edits elsewhere.
    pub node_id: String,
    /// Bare name.
    pub name: String,
    /// Name with its containers: `Shop.Cart.Total`, `src/cart.ts#Cart.total`. Overloads share it.
    pub qualified_name: String,
    /// Type of symbol, in the same words for all languages.
    #[schemars(extend("enum" = words(NodeType::NAMES)))]
    pub node_type: &'static str,
    /// The language's word for it: `struct`, `record`, `enum`, `type_alias`, `function`, `field`,
    /// ... Lists omit it if it says the same as `node_type`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
}

impl SymbolName {
    /// Returns the most specific word for the symbol's kind.
    #[must_use]
    pub fn word(&self) -> &'static str {
        self.kind.unwrap_or(self.node_type)
    }

    /// Returns the name as people write it: `Cart.total` for a member, `Cart` for a type, `cart.ts`
    /// for a file.
    #[must_use]
    pub fn short(&self) -> String {
        let whole = self.qualified_name.as_str();
        if self.node_type == "file" {
            return whole.rsplit('/').next().unwrap_or(whole).to_owned();
        }
        let container = whole.strip_suffix(self.name.as_str()).unwrap_or_default();
        let is_member = container.ends_with('.')
            && !matches!(self.node_type, "class" | "interface" | "type" | "module");
        let container = container.trim_end_matches('.');
        match container.rsplit(['.', '#']).next() {
            Some(container) if is_member => format!("{container}.{}", self.name),
            _ => self.name.clone(),
        }
    }
}

/// The declared signature of a symbol.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Signature {
    /// Declared or default accessibility, if the language has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = words(Access::NAMES)))]
    pub access_modifier: Option<&'static str>,
    /// Names of the type parameters: `<TKey, TValue>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub type_parameters: Option<String>,
    /// Parameter list as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter_signature: Option<String>,
    /// Declared result, property or field type as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub return_type: Option<String>,
}

impl Signature {
    /// Returns the type parameters and parameters: `<TKey>(TKey key)`.
    #[must_use]
    pub fn all_parameters(&self) -> String {
        all_parameters(&self.type_parameters, &self.parameter_signature)
    }
}

impl From<&Node> for SymbolName {
    fn from(node: &Node) -> Self {
        Self {
            node_id: node.id.to_string(),
            name: node.name.clone(),
            qualified_name: node.qualified_name.clone(),
            node_type: node.node_type.as_str(),
            kind: Some(node.kind.as_str()).filter(|kind| *kind != node.node_type.as_str()),
        }
    }
}

impl From<&Node> for Signature {
    fn from(node: &Node) -> Self {
        Self {
            access_modifier: node.access.map(Access::as_str),
            type_parameters: node.type_parameters.clone(),
            // An accessor is used like a property, without parameters.
            parameter_signature: node
                .parameter_signature
                .clone()
                .filter(|_| node.kind != NodeKind::Accessor),
            return_type: node.return_type.clone(),
        }
    }
}

/// A symbol in a list.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SymbolRow {
    /// The symbol's identity.
    #[serde(flatten)]
    pub symbol: SymbolName,
    /// The language it is written in.
    #[schemars(extend("enum" = words(Language::NAMES)))]
    pub language: &'static str,
    /// Repo-relative path of its primary declaration.
    pub file_path: String,
    /// First line of the declaration, attributes included.
    pub line_start: u32,
    /// Last line of the declaration.
    pub line_end: u32,
    /// The declared signature.
    #[serde(flatten)]
    pub signature: Signature,
}

/// A hit of a search.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RankedRow {
    /// The symbol that was found.
    #[serde(flatten)]
    pub row: SymbolRow,
    /// Rank of the match; smaller is better, and only the order is meaningful.
    pub rank: f64,
    /// Score for a natural-language query, from 0 to 1; results are then ordered by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Why it matches such a query: all words are in its `name`, it shares `words`, or its vector
    /// is similar by `letters` or by `meaning`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("items" = serde_json::json!({ "type": "string", "enum": ["name", "words", "letters", "meaning"] })))]
    pub matched: Vec<&'static str>,
}

/// A similar symbol.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SimilarRow {
    /// The symbol.
    #[serde(flatten)]
    pub row: SymbolRow,
    /// Cosine similarity of the two vectors; 1 if they are equal.
    pub score: f64,
}

/// A symbol found by name.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct NamedRow {
    /// The symbol.
    #[serde(flatten)]
    pub row: SymbolRow,
    /// `suffix` if the requested name is only the end of the qualified name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["suffix"]))]
    pub r#match: Option<&'static str>,
}

impl From<&Node> for SymbolRow {
    fn from(node: &Node) -> Self {
        let (file_path, line_start, line_end) = primary_location(node);
        Self {
            symbol: node.into(),
            language: node.language.as_str(),
            file_path,
            line_start,
            line_end,
            signature: node.into(),
        }
    }
}

impl RankedRow {
    /// Makes the row of a hit.
    #[must_use]
    pub fn new(found: &FoundSymbol) -> Self {
        let score = found.score.map(|score| rounded(score.score));
        let matched = found
            .score
            .map_or_else(Vec::new, |score| reasons(score.matched));
        Self {
            row: (&found.node).into(),
            rank: rounded(found.rank),
            score,
            matched,
        }
    }
}

impl SimilarRow {
    /// Makes the row of a symbol and its similarity.
    #[must_use]
    pub fn new(node: &Node, cosine: f32) -> Self {
        Self {
            row: node.into(),
            score: rounded(f64::from(cosine)),
        }
    }
}

fn reasons(matched: MatchedBy) -> Vec<&'static str> {
    let near = matched.near.map(|source| match source {
        VectorSource::Lexical => "letters",
        VectorSource::Model => "meaning",
    });
    [
        matched.name.then_some("name"),
        matched.words.then_some("words"),
        near,
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Rounds to two decimals, so that answers are the same on every machine.
fn rounded(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

impl NamedRow {
    /// Creates the row of a symbol with how it matches the name.
    #[must_use]
    pub fn new(node: &Node, how: Match) -> Self {
        Self {
            row: node.into(),
            r#match: (how == Match::Suffix).then_some("suffix"),
        }
    }
}

/// Returns path, first and last line of the primary declaration.
fn primary_location(node: &Node) -> (String, u32, u32) {
    node.spans.first().map_or_else(Default::default, |span| {
        (span.path.clone(), span.span.start.line, span.span.end_line)
    })
}

/// Every field of a symbol.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SymbolDetail {
    /// The fields that lists show.
    #[serde(flatten)]
    pub row: SymbolRow,
    /// Dialect of its file, by extension.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = words(Dialect::NAMES)))]
    pub dialect: Option<&'static str>,
    /// Repo-relative path of the project file that owns it, or `.`.
    pub project_id: String,
    /// Reachable from outside its project.
    pub is_public_api: bool,
    /// Belongs to the type, not to its instances.
    pub is_static: bool,
    /// Has no body of its own.
    pub is_abstract: bool,
    /// Declared `async`.
    pub is_async: bool,
    /// Declared `override`.
    pub is_override: bool,
    /// Marked obsolete or deprecated.
    pub is_deprecated: bool,
    /// Has a doc comment.
    pub has_doc_comment: bool,
    /// Whether its file was parsed completely; with `partial`, symbols may be missing.
    #[schemars(extend("enum" = words(ParseStatus::NAMES)))]
    pub parse_status: &'static str,
    /// Number of parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter_count: Option<u32>,
    /// Number of uses; get_references lists them.
    pub reference_count: u64,
    /// The beginning of the doc comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    /// Number of declarations; get_source_spans lists them.
    pub declarations: usize,
}

impl From<&Symbol> for SymbolDetail {
    fn from(symbol: &Symbol) -> Self {
        let node = &symbol.node;
        let mut row = SymbolRow::from(node);
        row.symbol.kind = Some(node.kind.as_str());

        Self {
            dialect: Dialect::of_path(&row.file_path).map(Dialect::as_str),
            row,
            project_id: node.project_id.clone(),
            is_public_api: node.flags.has(NodeFlags::PUBLIC_API),
            is_static: node.flags.has(NodeFlags::STATIC),
            is_abstract: node.flags.has(NodeFlags::ABSTRACT),
            is_async: node.flags.has(NodeFlags::ASYNC),
            is_override: node.flags.has(NodeFlags::OVERRIDE),
            is_deprecated: node.flags.has(NodeFlags::DEPRECATED),
            has_doc_comment: node.flags.has(NodeFlags::DOC_COMMENT),
            parse_status: symbol.parse_status.as_str(),
            parameter_count: node.parameter_count,
            reference_count: symbol.reference_count,
            doc: node.doc.clone(),
            declarations: node.spans.len(),
        }
    }
}

/// A symbol of a file's outline.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OutlineRow {
    /// The file that declares it, in the outline of a folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
    /// The symbol's identity.
    #[serde(flatten)]
    pub symbol: SymbolName,
    /// First line in this file.
    pub line_start: u32,
    /// Last line in this file.
    pub line_end: u32,
    /// Exported from its module.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exported: bool,
    /// The declared signature.
    #[serde(flatten)]
    pub signature: Signature,
}

/// Reports whether a symbol without an access modifier is exported from its module.
fn is_exported(node: &Node) -> bool {
    let is_declared = !matches!(node.node_type, NodeType::File | NodeType::Module);
    is_declared && node.access.is_none() && node.flags.has(NodeFlags::PUBLIC_API)
}

impl From<&Node> for OutlineRow {
    fn from(node: &Node) -> Self {
        let (_, line_start, line_end) = primary_location(node);
        Self {
            file_path: None,
            symbol: node.into(),
            line_start,
            line_end,
            exported: is_exported(node),
            signature: node.into(),
        }
    }
}

/// A place of declaration.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SourceSpan {
    /// Repo-relative path.
    pub file_path: String,
    /// First line.
    pub line_start: u32,
    /// Last line.
    pub line_end: u32,
    /// Whether this is the primary declaration, which lists show.
    pub is_primary: bool,
    /// The symbol, if the name matches several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
}

impl SourceSpan {
    /// Creates the rows of a symbol's spans, primary first; `of` names the symbol.
    #[must_use]
    pub fn all(spans: &[NodeSpan], of: Option<&str>) -> Vec<Self> {
        let span = |(index, span): (usize, &NodeSpan)| Self {
            file_path: span.path.clone(),
            line_start: span.span.start.line,
            line_end: span.span.end_line,
            is_primary: index == 0,
            of: of.map(str::to_owned),
        };
        spans.iter().enumerate().map(span).collect()
    }
}

/// A related symbol where all are related in the same way.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct NeighborRow {
    /// The symbol's identity.
    #[serde(flatten)]
    pub symbol: SymbolName,
    /// Repo-relative path of its primary declaration.
    pub file_path: String,
    /// First line of the declaration.
    pub line_start: u32,
    /// `exact`: proven by receiver and arguments; `inferred`: the best of several candidates.
    #[schemars(extend("enum" = words(Confidence::NAMES)))]
    pub confidence: &'static str,
    /// Number of sites, if there are more than `call_sites` shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site_count: Option<usize>,
    /// The first sites.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub call_sites: Vec<Site>,
    /// The queried symbol, if the name matches several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
}

/// A related symbol and the type of the relation.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct UseRow {
    /// The related symbol.
    #[serde(flatten)]
    pub neighbor: NeighborRow,
    /// Type of the relation.
    #[schemars(extend("enum" = words(EdgeType::NAMES)))]
    pub edge_type: &'static str,
    /// Number of levels from the queried symbol, if more than one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
}

/// A related symbol, with the type and direction of the relation.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DependencyRow {
    /// The related symbol and the type of the relation.
    #[serde(flatten)]
    pub relation: UseRow,
    /// `outgoing`: the queried symbol *edge_type* this one (calls it, inherits it); `incoming`:
    /// this one *edge_type* the queried symbol.
    #[schemars(extend("enum" = words(EdgeDirection::NAMES)))]
    pub direction: &'static str,
    /// For `contains`: declared accessibility.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = words(Access::NAMES)))]
    pub access_modifier: Option<&'static str>,
    /// For `contains`: exported from its module.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exported: bool,
}

/// A row about a related symbol.
pub trait Row: Serialize {
    /// Makes the row of a symbol related in a direction; `of` names the symbol asked about, if
    /// there are several.
    fn new(neighbor: &Neighbor, direction: EdgeDirection, of: Option<&str>) -> Self;

    /// Returns the fields that all such rows have.
    fn neighbor(&self) -> &NeighborRow;

    /// Returns the type of the relation, unless all rows have the same.
    fn edge_type(&self) -> Option<&'static str>;

    /// Sets the number of levels from the queried symbol, for rows that have it.
    #[must_use]
    fn at_depth(self, _depth: usize) -> Self
    where
        Self: Sized,
    {
        self
    }

    /// Returns the number of levels from the queried symbol.
    fn depth(&self) -> usize {
        1
    }
}

/// A place where one symbol uses another.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Site {
    /// File of the site, if it is not the row's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
    /// Line, from 1.
    pub line: u32,
    /// UTF-16 column, from 1.
    pub column: u32,
    /// The source line without its indentation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The file changed since it was indexed: the line number may be wrong, and the text is not
    /// shown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// Other candidates of an `inferred` use: at most three, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// The anonymous callback that contains the use: the call that takes it and its first string,
    /// such as `router.post "documents.archive"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callback: Option<String>,
}

impl Row for NeighborRow {
    fn new(neighbor: &Neighbor, _: EdgeDirection, of: Option<&str>) -> Self {
        let (file_path, line_start, _) = primary_location(&neighbor.node);
        let call_sites: Vec<Site> = neighbor
            .sites
            .iter()
            .map(|site| Site::new(site, &file_path))
            .collect();

        let hidden = neighbor.edge_type != EdgeType::Contains && neighbor.count > call_sites.len();
        Self {
            symbol: (&neighbor.node).into(),
            file_path,
            line_start,
            confidence: neighbor.confidence.as_str(),
            site_count: hidden.then_some(neighbor.count),
            call_sites,
            of: of.map(str::to_owned),
        }
    }

    fn neighbor(&self) -> &NeighborRow {
        self
    }

    fn edge_type(&self) -> Option<&'static str> {
        None
    }
}

impl Row for UseRow {
    fn new(neighbor: &Neighbor, direction: EdgeDirection, of: Option<&str>) -> Self {
        Self {
            neighbor: NeighborRow::new(neighbor, direction, of),
            edge_type: neighbor.edge_type.as_str(),
            depth: None,
        }
    }

    fn neighbor(&self) -> &NeighborRow {
        &self.neighbor
    }

    fn at_depth(self, depth: usize) -> Self {
        let depth = (depth > 1).then_some(depth);
        Self { depth, ..self }
    }

    fn depth(&self) -> usize {
        self.depth.unwrap_or(1)
    }

    fn edge_type(&self) -> Option<&'static str> {
        Some(self.edge_type)
    }
}

impl Row for DependencyRow {
    fn new(neighbor: &Neighbor, direction: EdgeDirection, of: Option<&str>) -> Self {
        let node = Some(&neighbor.node).filter(|_| neighbor.edge_type == EdgeType::Contains);
        Self {
            relation: UseRow::new(neighbor, direction, of),
            direction: direction.as_str(),
            access_modifier: node.and_then(|node| node.access).map(Access::as_str),
            exported: node.is_some_and(is_exported),
        }
    }

    fn neighbor(&self) -> &NeighborRow {
        self.relation.neighbor()
    }

    fn edge_type(&self) -> Option<&'static str> {
        self.relation.edge_type()
    }
}

impl Site {
    fn new(site: &UseSite, row_path: &str) -> Self {
        let file_path = (site.path != row_path).then(|| site.path.clone());
        Self {
            file_path,
            line: site.line,
            column: site.column,
            text: site.text.clone(),
            stale: site.text.is_none(),
            candidates: site.candidates.clone(),
            callback: site.callback.clone(),
        }
    }
}
