//! What makes two declarations the same symbol, and the id that symbol has.
//!
//! C#: `Ns.Outer.Member` plus arity and written parameter types; the parts of partial types and members merge, as do namespaces.
//! TypeScript: `path#Container.member`; declarations of one name in one scope and one space merge (overloads, interfaces, class and
//! namespace), which is what the language does.
//!
//! **Limits.** Parameter types are compared as written: `Int32` and `int` are two signatures.

use crate::model::facts::{DeclFlags, DeclId, DeclKind, Declaration, Facts, ScopeId, ScopeKind, TypeExpr, TypeId};
use crate::model::graph::{Language, Node, NodeId};
use crate::resolve::nodes::Context;

/// Longest qualified name that is kept whole: no compiler writes longer ones to its metadata than twice this.
const MAX_QUALIFIED_BYTES: usize = 512;

/// How much of a longer container's name is kept.
const HEAD_BYTES: usize = 100;

/// Who a declaration is.
pub struct Identity {
    language: Language,
    space: &'static str,
    /// The node's qualified name.
    pub qualified_name: String,
    disambiguator: String,
    /// With which declarations of the same id it is one symbol.
    pub merge_key: MergeKey,
}

/// With which declarations of the same id a declaration is one symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeKey(Option<Merge>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Merge {
    /// C#: with any other part.
    Part,
    /// TypeScript: with declarations in the same function or block scope (`NONE`: not local) of the same container.
    Within(Option<NodeId>, ScopeId),
    /// JavaScript: with what a CommonJS module gives out by the same name, not with what it declares.
    GivenOut,
}

impl MergeKey {
    /// Of a symbol that is declared once.
    pub fn never() -> Self {
        Self(None)
    }

    /// Whether two declarations with equal ids are one symbol.
    pub fn merges_with(&self, other: &Self) -> bool {
        self.0.is_some() && self == other
    }
}

impl Identity {
    /// The identity of a declaration inside `parent`.
    pub fn of(context: &Context<'_>, decl: DeclId, parent: Option<&Node>) -> Self {
        match context.file.facts.header.dialect.language() {
            Language::CSharp => Self::csharp(&context.file.facts, decl, parent),
            Language::TypeScript => Self::typescript(context, decl, parent),
        }
    }

    /// The id, with an ordinal for the second and later symbols of one identity.
    pub fn id(&self, project: &str, ordinal: Option<usize>) -> NodeId {
        let ordinal = ordinal.map_or(String::new(), |ordinal| format!("#{ordinal}"));
        NodeId::derive(&[project, self.language.as_str(), self.space, &self.qualified_name, &self.disambiguator, &ordinal])
    }

    fn csharp(facts: &Facts, decl: DeclId, parent: Option<&Node>) -> Self {
        let declaration = facts.decl(decl);
        let mut name = facts.decl_name(decl).to_owned();
        let mut disambiguator = String::new();
        if !declaration.type_params.is_empty() {
            disambiguator.push_str(&format!("`{}", declaration.type_params.len()));
        }
        if has_parameters(declaration.kind) {
            disambiguator.push_str(&parameter_types(facts, decl));
        }
        if let Some(interface) = facts.detail(decl).and_then(|detail| detail.explicit_interface.some()) {
            let interface = type_text(facts, interface, 0);
            let bare = interface.split('<').next().unwrap_or("");
            name = format!("{bare}.{name}");
            disambiguator.push_str(&format!("explicit:{interface}"));
        }
        let part = declaration.kind == DeclKind::Namespace || declaration.flags.has(DeclFlags::PARTIAL);
        Self {
            language: Language::CSharp,
            space: "",
            qualified_name: parent.map_or_else(|| name.clone(), |parent| qualified(&parent.qualified_name, &name)),
            disambiguator,
            merge_key: MergeKey(part.then_some(Merge::Part)),
        }
    }

    fn typescript(context: &Context<'_>, decl: DeclId, parent: Option<&Node>) -> Self {
        let facts = &*context.file.facts;
        let declaration = facts.decl(decl);
        let name = facts.decl_name(decl);
        let is_static = declaration.flags.has(DeclFlags::STATIC)
            && declaration.flags.has(DeclFlags::MEMBER)
            && declaration.kind != DeclKind::EnumMember;
        let scope = facts.scope(declaration.scope);
        let lexical = !declaration.flags.has(DeclFlags::MEMBER) && declaration.kind != DeclKind::EnumMember;
        let nested = lexical && declaration.scope != ScopeId(0) && scope.owner != declaration.parent;
        // The members of a class or object type without a node stand under what is around it, where others may have their names. What an
        // alias names is one type, however many object types make it up.
        let nodeless = !lexical
            && scope.owner != declaration.parent
            && match scope.kind {
                ScopeKind::Type => true,
                ScopeKind::Object => !scope.owner.some().is_some_and(|owner| facts.decl(owner).flags.has(DeclFlags::PARTIAL)),
                _ => false,
            };
        let local = nodeless || lexical && (nested || matches!(scope.kind, ScopeKind::Function | ScopeKind::Block));
        Self {
            language: Language::TypeScript,
            space: space(facts, decl),
            qualified_name: match parent {
                Some(parent) => qualified(&parent.qualified_name, name),
                None => format!("{}#{name}", context.file.path),
            },
            disambiguator: if is_static { "static".to_owned() } else { String::new() },
            merge_key: MergeKey(Some(if is_only_given_out(facts, decl) {
                Merge::GivenOut
            } else {
                Merge::Within(parent.map(|parent| parent.id), if local { declaration.scope } else { ScopeId::NONE })
            })),
        }
    }
}

/// Whether a declaration is `exports.a = e`, and not `var a = exports.a = e`, which gives out what it declares.
fn is_only_given_out(facts: &Facts, decl: DeclId) -> bool {
    let declaration = facts.decl(decl);
    let is_given_out = declaration.kind == DeclKind::Property
        && declaration.flags.has(DeclFlags::MEMBER | DeclFlags::EXPORT)
        && declaration.scope == ScopeId(0)
        && declaration.parent.is_none();
    let holder = decl.0.checked_sub(1).map(|before| facts.decl(DeclId(before)));
    let is_held =
        |holder: &Declaration| holder.name == declaration.name && holder.scope == declaration.scope && holder.init == declaration.init;
    is_given_out && !holder.is_some_and(is_held)
}

/// `container.name`. Where that is too long for every member to repeat it, the container becomes its beginning and a hash.
fn qualified(container: &str, name: &str) -> String {
    if container.len() + name.len() <= MAX_QUALIFIED_BYTES {
        return format!("{container}.{name}");
    }
    let head = &container[..container.floor_char_boundary(HEAD_BYTES)];
    format!("{head}~{}.{name}", &blake3::hash(container.as_bytes()).to_hex()[..16])
}

/// The TypeScript space a declaration lives in; a namespace joins the class, enum or function it is merged with.
fn space(facts: &Facts, decl: DeclId) -> &'static str {
    let declaration = facts.decl(decl);
    match declaration.kind {
        DeclKind::Class | DeclKind::Interface | DeclKind::Enum | DeclKind::TypeAlias => "type",
        DeclKind::Namespace => facts
            .decls
            .iter()
            .filter(|other| other.name == declaration.name && other.scope == declaration.scope)
            .find_map(|other| match other.kind {
                DeclKind::Class | DeclKind::Enum => Some("type"),
                DeclKind::Function => Some("value"),
                _ => None,
            })
            .unwrap_or("namespace"),
        DeclKind::AmbientModule => "namespace",
        _ => "value",
    }
}

fn has_parameters(kind: DeclKind) -> bool {
    matches!(
        kind,
        DeclKind::Method
            | DeclKind::LocalFunction
            | DeclKind::Constructor
            | DeclKind::PrimaryConstructor
            | DeclKind::Operator
            | DeclKind::Conversion
            | DeclKind::Indexer
            | DeclKind::Delegate
            | DeclKind::ExtensionBlock
    )
}

fn parameter_types(facts: &Facts, decl: DeclId) -> String {
    let declaration = facts.decl(decl);
    let types: Vec<String> = facts
        .list(declaration.params)
        .iter()
        .map(|param| {
            let param = facts.decl(*param);
            let by_ref = param.flags.0 & (DeclFlags::REF | DeclFlags::OUT | DeclFlags::IN).0 != 0;
            format!("{}{}", if by_ref { "ref " } else { "" }, type_text(facts, param.ty, 0))
        })
        .collect();
    let mut text = format!("({})", types.join(","));
    if declaration.kind == DeclKind::Conversion {
        text.push_str(&type_text(facts, declaration.ty, 0));
    }
    text
}

/// A C# type as written, without layout. Deeper than 16 levels it is cut.
fn type_text(facts: &Facts, ty: TypeId, depth: u32) -> String {
    if depth > 16 {
        return "..".to_owned();
    }
    let inner = |ty| type_text(facts, ty, depth + 1);
    match facts.type_expr(ty) {
        TypeExpr::Primitive(name) => facts.text(name).to_owned(),
        TypeExpr::Name(segments, _) => {
            let segments: Vec<String> = facts
                .list(segments)
                .iter()
                .map(|segment| {
                    let args: Vec<String> = facts.list(segment.args).iter().map(|arg| inner(*arg)).collect();
                    let name = facts.text(segment.name);
                    if args.is_empty() { name.to_owned() } else { format!("{name}<{}>", args.join(",")) }
                })
                .collect();
            segments.join(".")
        }
        TypeExpr::Array(of, rank) => format!("{}[{}]", inner(of), ",".repeat(usize::from(rank).saturating_sub(1))),
        TypeExpr::Nullable(of) => format!("{}?", inner(of)),
        TypeExpr::Pointer(of) => format!("{}*", inner(of)),
        TypeExpr::ByRef(of) => format!("ref {}", inner(of)),
        TypeExpr::Tuple(elements) => {
            let elements: Vec<String> = facts.list(elements).iter().map(|element| inner(element.ty)).collect();
            format!("({})", elements.join(","))
        }
        _ => String::new(),
    }
}
