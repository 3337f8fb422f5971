//! Syntactic forms of declarations, read from the text: a method or a property that holds a function,
//! a getter or a setter, a parameter that declares a property, a module with its quotes.
//!
//! Only the scheme of scip-typescript distinguishes these.

use rustc_hash::FxHashMap;
use scip::types::descriptor::Suffix;

use crate::model::graph::{Language, NodeFlags, NodeId, NodeKind};
use crate::query::text::source::Text;
use crate::query::{QueryError, Sources};
use crate::store::ExportSymbol;

use super::{Graph, SymbolScheme, type_literals};

/// How a declaration is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) shape: Shape,
    /// The name as written, with its quotes or brackets.
    pub(super) name: String,
    /// The type literal that contains it: the nth with members in the file, and the named forms
    /// around the literal.
    pub(super) literal: Option<(u32, Vec<(String, Suffix)>)>,
}

/// What is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A function or method.
    Callable,
    /// A variable or property, which may hold a function.
    Value,
    /// A key of an object literal: the nth of its name in the file.
    Key(u32),
    /// A parameter of a constructor that declares a property.
    Parameter,
    Getter,
    Setter,
    /// A module or namespace.
    Module,
}

/// The forms of declaration sites, by node and position of the name.
pub(super) type Forms = FxHashMap<(NodeId, u32, u32), Form>;

/// Reads the forms of all TypeScript declarations, if the scheme distinguishes them.
pub(super) fn of_declarations(
    graph: &Graph<'_>,
    scheme: SymbolScheme,
    sources: &mut Sources<'_>,
) -> Result<Forms, QueryError> {
    let mut forms = Forms::default();
    if scheme != SymbolScheme::ScipTypeScript {
        return Ok(forms);
    }

    for file in graph.files.values() {
        if file.dialect.language() != Language::TypeScript {
            continue;
        }
        let Some(text) = sources.text(&file.path)? else {
            continue;
        };
        add_file(graph, graph.sites_in(file.id), text, &mut forms);
    }

    Ok(forms)
}

fn add_file(graph: &Graph<'_>, sites: &[&ExportSymbol], text: &Text, forms: &mut Forms) {
    let mut keys: FxHashMap<String, u32> = FxHashMap::default();
    let mut literals: FxHashMap<usize, u32> = FxHashMap::default();

    for site in sites {
        let Some(mut form) = form(graph, site, text) else {
            continue;
        };

        if let Shape::Key(number) = &mut form.shape {
            let next = keys.entry(form.name.clone()).or_default();
            *number = *next;
            *next += 1;
        }

        if let Some(place) = type_literals::place(graph, site, text) {
            let next = literals.len() as u32;
            let number = *literals.entry(place.brace).or_insert(next);
            form.literal = Some((number, place.within));
        }

        forms.insert((site.id, site.name_line, site.name_column), form);
    }
}

fn form(graph: &Graph<'_>, site: &ExportSymbol, text: &Text) -> Option<Form> {
    let (before, from_name) = text.split_at(site.name_line, site.name_column);
    let last_word = before
        .trim_end()
        .rsplit(|c: char| c.is_whitespace())
        .next()
        .unwrap_or_default();
    let name = written_name(from_name, &site.name);
    let after = from_name[name.len()..]
        .trim_start()
        .trim_start_matches(['?', '!'])
        .trim_start();
    let has_parameters = after.starts_with(['(', '<']);

    let shape = match site.kind {
        NodeKind::Function if site.flags.has(NodeFlags::LOCAL) => {
            (!has_parameters).then_some(Shape::Key(0))?
        }
        NodeKind::Function if last_word.ends_with("function") || last_word.ends_with('*') => {
            Shape::Callable
        }
        NodeKind::Method if has_parameters => Shape::Callable,
        NodeKind::Accessor if last_word == "set" => Shape::Setter,
        NodeKind::Accessor if last_word == "get" => Shape::Getter,
        NodeKind::AmbientModule => Shape::Module,
        NodeKind::Property if is_in_constructor(graph, site) => Shape::Parameter,
        NodeKind::Function | NodeKind::Method | NodeKind::Accessor | NodeKind::Property => {
            Shape::Value
        }
        _ => return None,
    };
    Some(Form {
        shape,
        name: name.to_owned(),
        literal: None,
    })
}

/// Returns the name that a text begins with, with its quotes or brackets.
fn written_name<'t>(text: &'t str, name: &str) -> &'t str {
    let close = match text.chars().next() {
        Some('"') => '"',
        Some('\'') => '\'',
        Some('[') => ']',
        _ => {
            return if text.starts_with(name) {
                &text[..name.len()]
            } else {
                ""
            };
        }
    };
    let end = text[1..].find(close).map_or(0, |end| end + 2);
    &text[..end]
}

/// Reports whether a property is declared by a parameter of a constructor of its type.
fn is_in_constructor(graph: &Graph<'_>, site: &ExportSymbol) -> bool {
    graph.sites_in(site.file).iter().any(|other| {
        other.kind == NodeKind::Constructor
            && other.parent == site.parent
            && other.offsets.0 < site.offsets.0
            && site.offsets.1 < other.offsets.1
    })
}
