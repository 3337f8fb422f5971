//! Parses the declarations of one text.

use std::sync::Arc;

use codeagent_lang::nodes::NodeTable;
use codeagent_lang::project::ProjectModel;
use codeagent_lang::{DeclRef, FileId, WorldFile};
use rustc_hash::FxHashMap;

use crate::languages::LANGUAGES;
use crate::model::facts::{DeclFlags, DeclId, DeclKind, Expr, Facts};
use crate::model::graph::{Dialect, Node, NodeFlags, NodeId, NodeKind, NodeSpan, NodeType};

/// Beginnings of lines that import, export again or open a namespace.
const IMPORTS: [&str; 7] = [
    "import ",
    "import{",
    "using ",
    "export *",
    "export {",
    "} from",
    "namespace ",
];

/// A declared symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredSymbol {
    /// Repo-relative path of its file.
    pub path: String,
    /// 1-based line of its name.
    pub line: u32,
    /// Bare name.
    pub name: String,
    /// Qualified name.
    pub qualified_name: String,
    /// Qualified name of the containing symbol; empty at the top of the file.
    pub container: String,
    /// The language's kind of symbol.
    pub kind: NodeKind,
    /// Whether it is visible to other projects.
    pub is_public: bool,
    /// Whether other types have to implement it.
    pub is_abstract: bool,
    /// The parameter list as written; empty if there is none.
    pub parameters: String,
    /// Declared type or return type; empty if there is none.
    pub result: String,
    /// Minimum and maximum number of arguments; `None` if it is not called or takes any number.
    pub arguments: Option<(usize, usize)>,
    /// Node id within its file.
    pub(super) id: NodeId,
    /// Text that is compared to detect a changed signature.
    pub(super) signature: String,
    /// Text without comments, layout and nested symbols.
    pub(super) body: String,
}

impl DeclaredSymbol {
    /// Returns the name with the name of the containing type, as shown to users.
    #[must_use]
    pub fn short_name(&self) -> String {
        match self.container.rsplit(['#', '.']).next() {
            Some(container) if !container.is_empty() => format!("{container}.{}", self.name),
            _ => self.name.clone(),
        }
    }

    /// Returns the name as shown to users, with parameters and result.
    #[must_use]
    pub fn shown(&self) -> String {
        let name = self.short_name();
        if self.result.is_empty() {
            format!("{name}{}", self.parameters)
        } else {
            format!("{name}{}: {}", self.parameters, self.result)
        }
    }
}

/// All declarations of a text.
#[derive(Default)]
pub struct Declarations {
    pub symbols: Vec<DeclaredSymbol>,
    /// The code outside of all symbols, without imports.
    pub module_code: String,
}

/// Parses the declarations of a text.
pub fn declarations(path: &str, text: &str, dialect: Dialect) -> Declarations {
    let facts = Arc::new(LANGUAGES.extract(text, dialect, &[]));
    let file = WorldFile {
        path: path.into(),
        facts: Arc::clone(&facts).into(),
        external: false,
        package: None,
    };
    let table = NodeTable::of_files(&[file], &ProjectModel::empty(LANGUAGES));
    let decls = decls_by_node(&facts, &table);
    let nodes: Vec<Node> = table.nodes().collect();
    let nodes: FxHashMap<NodeId, &Node> = nodes.iter().map(|node| (node.id, node)).collect();
    let nested = NestedRanges::of(&nodes);

    let symbol = |node: &&Node| {
        let parent = node.parent.and_then(|parent| nodes.get(&parent));
        let parent = parent.filter(|parent| parent.node_type != NodeType::File);
        let decls = decls.get(&node.id).map_or(&[][..], Vec::as_slice);
        declared(
            node,
            parent.copied(),
            (&facts, decls),
            nested.body(node, text),
        )
    };
    let own = nodes.values().filter(|node| is_symbol(node));
    let mut symbols: Vec<DeclaredSymbol> = own.map(symbol).collect();
    symbols.sort_by(|a, b| (a.line, &a.qualified_name).cmp(&(b.line, &b.qualified_name)));

    let module_code = match dialect {
        Dialect::CSharp => String::new(),
        _ => module_code(&without(text, (0, text.len()), &nested.top)),
    };
    Declarations {
        symbols,
        module_code,
    }
}

/// Returns the declarations of each node of a file.
fn decls_by_node(facts: &Facts, table: &NodeTable) -> FxHashMap<NodeId, Vec<DeclId>> {
    let mut decls: FxHashMap<NodeId, Vec<DeclId>> = FxHashMap::default();
    for decl in facts.decl_ids() {
        let file = FileId(0);
        if let Some(id) = table.of(DeclRef { file, decl }) {
            decls.entry(id).or_default().push(decl);
        }
    }
    decls
}

/// Ranges of symbols in a text, in bytes.
#[derive(Default)]
struct NestedRanges {
    /// Those inside of another symbol.
    inside: FxHashMap<NodeId, Vec<(usize, usize)>>,
    /// The others.
    top: Vec<(usize, usize)>,
}

impl NestedRanges {
    fn of(nodes: &FxHashMap<NodeId, &Node>) -> Self {
        let mut nested = Self::default();
        for node in nodes.values().filter(|node| is_symbol(node)) {
            let parent = node.parent.and_then(|parent| nodes.get(&parent));
            match parent.filter(|parent| is_symbol(parent)) {
                Some(parent) => nested.inside.entry(parent.id).or_default(),
                None => &mut nested.top,
            }
            .extend(node.spans.iter().map(range));
        }
        nested
    }

    /// Returns the code of a symbol's declarations without that of symbols inside.
    fn body(&self, node: &Node, text: &str) -> String {
        let inside = self.inside.get(&node.id);
        let own = node.spans.iter().map(|span| {
            let inside = inside.map_or(&[][..], Vec::as_slice);
            code_of(&without(text, range(span), inside))
        });
        let mut body: String = own.collect();
        if inside.is_some() {
            // Semicolons that end its members.
            body.retain(|c| c != ';');
        }
        body
    }
}

fn range(span: &NodeSpan) -> (usize, usize) {
    (
        span.span.start.offset as usize,
        span.span.end_offset as usize,
    )
}

/// Returns the code of a module outside of its symbols, without imports.
fn module_code(rest: &str) -> String {
    let is_import = |line: &&str| {
        let line = line.trim_start();
        IMPORTS.iter().any(|start| line.starts_with(start))
    };
    let kept: Vec<&str> = rest.lines().filter(|line| !is_import(line)).collect();
    code_of(&kept.join("\n"))
}

fn is_symbol(node: &Node) -> bool {
    !matches!(node.node_type, NodeType::File | NodeType::Module)
}

fn declared(
    node: &Node,
    parent: Option<&Node>,
    (facts, decls): (&Facts, &[DeclId]),
    body: String,
) -> DeclaredSymbol {
    let parameters = node.parameter_signature.clone().unwrap_or_default();
    let result = node.return_type.clone().unwrap_or_default();
    let has = |flag: NodeFlags| node.flags.0 & flag.0 != 0;
    let words = (
        node.access,
        has(NodeFlags::STATIC),
        has(NodeFlags::ABSTRACT),
        has(NodeFlags::ASYNC),
        has(NodeFlags::PUBLIC_API),
    );

    let header = match node.node_type {
        NodeType::Class | NodeType::Interface => {
            body.split(['{', ';']).next().unwrap_or_default().to_owned()
        }
        _ => String::new(),
    };

    let signature = format!("{words:?} {:?} {parameters}: {result} {header}", node.kind);
    DeclaredSymbol {
        path: node.spans[0].path.clone(),
        line: node.spans[0].name_line,
        name: node.name.clone(),
        qualified_name: node.qualified_name.clone(),
        container: parent.map_or_else(String::new, |parent| parent.qualified_name.clone()),
        kind: node.kind,
        is_public: has(NodeFlags::PUBLIC_API),
        is_abstract: has(NodeFlags::ABSTRACT),
        arguments: node
            .parameter_signature
            .as_ref()
            .and_then(|_| arguments(facts, decls)),
        parameters,
        result,
        id: node.id,
        signature,
        body,
    }
}

/// Returns the minimum and maximum number of arguments over several declarations.
fn arguments(facts: &Facts, decls: &[DeclId]) -> Option<(usize, usize)> {
    let mut found: Option<(usize, usize)> = None;
    for decl in decls {
        let declaration = facts.decl(*decl);
        let function = match facts.expr(codeagent_lang::nodes::value(facts, declaration.init)) {
            Expr::Function(function) => facts.decl(function),
            _ => declaration,
        };
        let parameters = facts.list(function.params).iter().map(|id| facts.decl(*id));

        // Calls do not pass the receiver of an extension method or a TypeScript `this` as an
        // argument.
        let parameters: Vec<_> = parameters
            .filter(|parameter| facts.text(parameter.name) != "this")
            .collect();
        if parameters.iter().any(|parameter| {
            parameter.flags.has(DeclFlags::REST) || parameter.flags.has(DeclFlags::EXTENSION)
        }) || declaration.flags.has(DeclFlags::EXTENSION)
            || matches!(declaration.kind, DeclKind::Getter | DeclKind::Setter)
        {
            return None;
        }

        let needed = parameters
            .iter()
            .rposition(|parameter| {
                !parameter.flags.has(DeclFlags::OPTIONAL) && parameter.init.is_none()
            })
            .map_or(0, |last| last + 1);

        let (fewest, most) = found.unwrap_or((needed, parameters.len()));
        found = Some((fewest.min(needed), most.max(parameters.len())));
    }

    found
}

/// Returns a range of a text, with some ranges inside it removed.
fn without(text: &str, (start, end): (usize, usize), inner: &[(usize, usize)]) -> String {
    let mut inner: Vec<(usize, usize)> = inner
        .iter()
        .copied()
        .filter(|range| range.0 >= start && range.1 <= end)
        .collect();
    inner.sort_unstable();

    let (mut kept, mut at) = (String::new(), start);
    for (from, to) in inner {
        if from >= at {
            kept.push_str(text.get(at..from).unwrap_or_default());
            kept.push('\n');
        }
        at = at.max(to);
    }
    kept + text.get(at..end).unwrap_or_default()
}

/// Returns a text without comments and white space. A regular expression that contains a comment
/// sign may be cut.
fn code_of(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let taken = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if matches!(next, '"' | '\'' | '`') {
            let length = quoted(rest, next);
            code.push_str(&rest[..length]);
            length
        } else {
            if !next.is_whitespace() {
                code.push(next);
            }
            next.len_utf8()
        };

        rest = &rest[taken..];
    }

    code
}

/// Returns the length of a string literal; 1 if it does not end on its line.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == '\n' && quote != '`' {
            return 1;
        }
        if c == quote && !is_escaped {
            return at + 1;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_layout_are_removed_from_code() {
        let text = "f( /* a */ \"x // y\" ) // end\n  + 'it' /* c */;";
        assert_eq!(code_of(text), "f(\"x // y\")+'it';");
    }

    #[test]
    fn the_body_of_a_class_excludes_its_members() {
        let text = "export class A extends B { x = 1; run(a: number, b?: string) { return a } }\nstart()\n";
        let found = declarations("a.ts", text, Dialect::Ts);
        let named = |name: &str| found.symbols.iter().find(|symbol| symbol.name == name);
        let (class, method) = (named("A").unwrap(), named("run").unwrap());
        assert_eq!(&*class.body, "exportclassAextendsB{}");
        assert_eq!(method.shown(), "A.run(a: number, b?: string)");
        assert_eq!(method.arguments, Some((1, 2)));
        assert_eq!(found.module_code, "start()");
    }
}
