//! Symbol identity: two C# declarations are one symbol if they have the same `Ns.Outer.Member`,
//! arity and written parameter types. Parts of partial types and members merge, as do namespaces.
//!
//! Limitations: parameter types are compared as written: `Int32` and `int` are two signatures.

use codeagent_lang::nodes::{Container, Identity, MergeKey, qualified};
use codeagent_model::facts::{DeclFlags, DeclId, DeclKind, Facts, TypeExpr, TypeId};
use codeagent_model::graph::Language;

/// Returns the identity of a declaration inside `parent`.
pub fn identity(facts: &Facts, decl: DeclId, parent: Option<Container<'_>>) -> Identity {
    let declaration = facts.decl(decl);
    let mut name = facts.decl_name(decl).to_owned();
    let mut disambiguator = String::new();
    if !declaration.type_params.is_empty() {
        disambiguator.push_str(&format!("`{}", declaration.type_params.len()));
    }

    if has_parameters(declaration.kind) {
        disambiguator.push_str(&parameter_types(facts, decl));
    }

    if let Some(interface) = facts
        .detail(decl)
        .and_then(|detail| detail.explicit_interface.some())
    {
        let interface = type_text(facts, interface, 0);
        let bare = interface.split('<').next().unwrap_or("");
        name = format!("{bare}.{name}");
        disambiguator.push_str(&format!("explicit:{interface}"));
    }

    let part = declaration.kind == DeclKind::Namespace || declaration.flags.has(DeclFlags::PARTIAL);
    Identity {
        language: Language::CSharp,
        space: "",
        qualified_name: parent.map_or_else(
            || name.clone(),
            |parent| qualified(parent.qualified_name, &name),
        ),
        disambiguator,
        merge_key: if part {
            MergeKey::Part
        } else {
            MergeKey::Alone
        },
    }
}

/// Reports whether a declaration has no enclosing node: namespaces belong to no file.
pub fn is_outermost(facts: &Facts, decl: DeclId) -> bool {
    facts.decl(decl).kind == DeclKind::Namespace
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
            format!(
                "{}{}",
                if by_ref { "ref " } else { "" },
                type_text(facts, param.ty, 0)
            )
        })
        .collect();

    let mut text = format!("({})", types.join(","));
    if declaration.kind == DeclKind::Conversion {
        text.push_str(&type_text(facts, declaration.ty, 0));
    }

    text
}

/// Returns a C# type as written, without layout, truncated at 16 levels of nesting.
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
                    let args: Vec<String> = facts
                        .list(segment.args)
                        .iter()
                        .map(|arg| inner(*arg))
                        .collect();

                    let name = facts.text(segment.name);
                    if args.is_empty() {
                        name.to_owned()
                    } else {
                        format!("{name}<{}>", args.join(","))
                    }
                })
                .collect();

            segments.join(".")
        }
        TypeExpr::Array(of, rank) => format!(
            "{}[{}]",
            inner(of),
            ",".repeat(usize::from(rank).saturating_sub(1))
        ),
        TypeExpr::Nullable(of) => format!("{}?", inner(of)),
        TypeExpr::Pointer(of) => format!("{}*", inner(of)),
        TypeExpr::ByRef(of) => format!("ref {}", inner(of)),
        TypeExpr::Tuple(elements) => {
            let elements: Vec<String> = facts
                .list(elements)
                .iter()
                .map(|element| inner(element.ty))
                .collect();
            format!("({})", elements.join(","))
        }
        _ => String::new(),
    }
}
