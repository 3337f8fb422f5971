//! Writes the SCIP document of one file.

use rustc_hash::FxHashMap;
use scip::types::symbol_information::Kind;
use scip::types::{
    Document, Occurrence, PositionEncoding, Relationship, SymbolInformation, SymbolRole, SyntaxKind,
};

use crate::model::external::ExternalSymbol;
use crate::model::graph::{Dialect, EdgeType, NodeId, NodeKind};
use crate::query::export::{is_at_a_name, is_member};
use crate::query::text::source::Text;
use crate::store::{EdgeRow, ExportSymbol, ExternalSite, FileRow};

use super::names::Names;
use super::{Graph, ScipReport};

/// Collects the occurrences of a file.
pub(super) struct DocumentWriter<'a, 'n> {
    graph: &'a Graph<'a>,
    names: &'n mut Names<'a>,
    text: &'n Text,
    file: &'a FileRow,
    document: Document,
    /// Numbers of the symbols that have no name outside their function.
    locals: FxHashMap<NodeId, usize>,
}

impl<'a, 'n> DocumentWriter<'a, 'n> {
    pub(super) fn new(
        graph: &'a Graph<'a>,
        names: &'n mut Names<'a>,
        text: &'n Text,
        file: &'a FileRow,
    ) -> Self {
        let document = Document {
            language: language(file.dialect).to_owned(),
            relative_path: file.path.clone(),
            position_encoding: PositionEncoding::UTF16CodeUnitOffsetFromLineStart.into(),
            ..Document::default()
        };

        Self {
            graph,
            names,
            text,
            file,
            document,
            locals: FxHashMap::default(),
        }
    }

    /// Adds the declarations of the file, and the file itself.
    pub(super) fn add_definitions(&mut self) {
        for site in self.graph.sites_in(self.file.id) {
            let Some(symbol) = self.definition(site) else {
                continue;
            };
            let range = if site.kind == NodeKind::File {
                vec![0, 0, 0]
            } else {
                self.range(site.name_line, site.name_column, &site.name)
            };
            let is_callable = kind(site.kind) == Kind::Method || kind(site.kind) == Kind::Function;
            let syntax = if is_callable {
                SyntaxKind::IdentifierFunctionDefinition
            } else {
                SyntaxKind::UnspecifiedSyntaxKind
            };

            self.document.occurrences.push(Occurrence {
                range,
                symbol: symbol.clone(),
                symbol_roles: SymbolRole::Definition as i32,
                syntax_kind: syntax.into(),
                enclosing_range: self.enclosing_range(site.offsets),
                ..Occurrence::default()
            });
            let information = self.information(site, symbol);
            self.document.symbols.push(information);
        }
    }

    /// Adds a use of a symbol, unless it is only the name of a symbol that implements or overrides
    /// another.
    pub(super) fn add_use(&mut self, edge: &EdgeRow) {
        let (Some(source), Some(target)) = (
            self.graph.primary(edge.source),
            self.graph.primary(edge.target),
        ) else {
            return;
        };
        if !is_at_a_name(edge.edge_type, source.kind) {
            return;
        }
        let Some(symbol) = self.used(target) else {
            return;
        };
        let range = self.range(edge.line, edge.column, &target.name);
        self.push_use(range, symbol, edge.edge_type);
    }

    /// Adds the uses of an external symbol.
    pub(super) fn add_external(&mut self, symbol: &ExternalSymbol, sites: &[ExternalSite]) {
        let Some(used) = self.names.external(symbol) else {
            return;
        };
        for site in sites {
            let range = self.range(site.line, site.column, &symbol.name());
            self.push_use(range, used.clone(), site.edge_type);
        }
    }

    /// Returns the document with its occurrences in text order, without duplicates.
    pub(super) fn finish(mut self, report: &mut ScipReport) -> Document {
        let occurrences = &mut self.document.occurrences;
        occurrences.sort_by(|a, b| {
            let key = |each: &Occurrence| (each.range[0], each.range[1], -each.symbol_roles);
            key(a)
                .cmp(&key(b))
                .then_with(|| a.symbol.cmp(&b.symbol))
                .then_with(|| b.syntax_kind.value().cmp(&a.syntax_kind.value()))
        });
        occurrences.dedup_by(|b, a| (&a.range, &a.symbol) == (&b.range, &b.symbol));
        self.document
            .symbols
            .sort_by(|a, b| a.symbol.cmp(&b.symbol));
        self.document.symbols.dedup_by(|b, a| a.symbol == b.symbol);

        let is_definition =
            |each: &&Occurrence| each.symbol_roles & SymbolRole::Definition as i32 != 0;
        let definitions = self
            .document
            .occurrences
            .iter()
            .filter(is_definition)
            .count();
        report.documents += 1;
        report.definitions += definitions;
        report.references += self.document.occurrences.len() - definitions;
        self.document
    }

    fn push_use(&mut self, range: Vec<i32>, symbol: String, edge_type: EdgeType) {
        let role = match edge_type {
            EdgeType::Imports => SymbolRole::Import,
            _ => SymbolRole::UnspecifiedSymbolRole,
        };
        let syntax = match edge_type {
            EdgeType::Calls => SyntaxKind::IdentifierFunction,
            _ => SyntaxKind::UnspecifiedSyntaxKind,
        };
        self.document.occurrences.push(Occurrence {
            range,
            symbol,
            symbol_roles: role as i32,
            syntax_kind: syntax.into(),
            ..Occurrence::default()
        });
    }

    /// Returns the symbol of a declaration site; a local one if it has no other.
    fn definition(&mut self, site: &'a ExportSymbol) -> Option<String> {
        if site.name.is_empty() {
            return None;
        }
        match self.names.symbol_at(site) {
            Some(symbol) => Some(symbol),
            None => Some(self.local(site.id)),
        }
    }

    /// Returns the symbol of a used node; `None` for a local one of another file.
    fn used(&mut self, target: &'a ExportSymbol) -> Option<String> {
        match self.names.symbol(target.id) {
            Some(symbol) => Some(symbol),
            None if target.file == self.file.id && !target.name.is_empty() => {
                Some(self.local(target.id))
            }
            None => None,
        }
    }

    fn local(&mut self, id: NodeId) -> String {
        let next = self.locals.len();
        let number = *self.locals.entry(id).or_insert(next);
        format!("local {number}")
    }

    fn information(&mut self, site: &ExportSymbol, symbol: String) -> SymbolInformation {
        let bases = self.graph.bases.get(&site.id).cloned().unwrap_or_default();
        let mut relationships: Vec<Relationship> = bases
            .into_iter()
            .filter_map(|base| self.names.symbol(base))
            .map(|symbol| Relationship {
                symbol,
                is_implementation: true,
                is_reference: is_member(site.kind),
                ..Relationship::default()
            })
            .collect();
        relationships.sort_by(|a, b| a.symbol.cmp(&b.symbol));

        SymbolInformation {
            symbol,
            relationships,
            kind: kind(site.kind).into(),
            display_name: site.name.clone(),
            ..SymbolInformation::default()
        }
    }

    /// Returns the range of a name, of which the text is `name` if it cannot be read.
    fn range(&self, line: u32, column: u32, name: &str) -> Vec<i32> {
        let written = self.text.name_at(line, column);
        let written = if written.is_empty() {
            match quoted(self.text.rest_of_line(line, column)) {
                Some(specifier) => specifier,
                None => name,
            }
        } else {
            written
        };
        let length: usize = written.chars().map(char::len_utf16).sum();
        let (line, start) = (line.saturating_sub(1), column.saturating_sub(1));
        vec![line as i32, start as i32, start as i32 + length as i32]
    }

    fn enclosing_range(&self, (start, end): (u32, u32)) -> Vec<i32> {
        let (first, from) = self.text.position(start);
        let (last, to) = self.text.position(end);
        if first == last {
            vec![first as i32, from as i32, to as i32]
        } else {
            vec![first as i32, from as i32, last as i32, to as i32]
        }
    }
}

/// Returns the string literal that a text begins with, with its quotes.
fn quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| "'\"`".contains(*c))?;
    let end = text[1..].find(quote)?;
    Some(&text[..end + 2])
}

/// Returns the name of a language as SCIP lists it.
fn language(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::CSharp => "CSharp",
        Dialect::Ts | Dialect::Mts | Dialect::Cts => "TypeScript",
        Dialect::Tsx => "TypeScriptReact",
        Dialect::Js | Dialect::Mjs | Dialect::Cjs => "JavaScript",
        Dialect::Jsx => "JavaScriptReact",
        Dialect::Imported => "",
    }
}

fn kind(kind: NodeKind) -> Kind {
    match kind {
        NodeKind::Class | NodeKind::Record => Kind::Class,
        NodeKind::Struct | NodeKind::RecordStruct => Kind::Struct,
        NodeKind::Interface => Kind::Interface,
        NodeKind::Enum => Kind::Enum,
        NodeKind::Delegate => Kind::Delegate,
        NodeKind::TypeAlias => Kind::TypeAlias,

        NodeKind::Namespace => Kind::Namespace,
        NodeKind::AmbientModule => Kind::Module,
        NodeKind::ExtensionBlock => Kind::Extension,

        NodeKind::Method | NodeKind::Finalizer => Kind::Method,
        NodeKind::Function | NodeKind::LocalFunction => Kind::Function,
        NodeKind::Operator | NodeKind::Conversion => Kind::Operator,
        NodeKind::Constructor | NodeKind::PrimaryConstructor | NodeKind::StaticConstructor => {
            Kind::Constructor
        }

        NodeKind::Property | NodeKind::Indexer => Kind::Property,
        NodeKind::Field => Kind::Field,
        NodeKind::Event => Kind::Event,
        NodeKind::EnumMember => Kind::EnumMember,
        NodeKind::Accessor => Kind::Accessor,
        NodeKind::Variable => Kind::Variable,
        NodeKind::File => Kind::File,
    }
}
