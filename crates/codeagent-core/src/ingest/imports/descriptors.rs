//! Names, containers and kinds of declarations, parsed from their SCIP symbols.

use scip::symbol::parse_symbol;
use scip::types::descriptor::Suffix;
use scip::types::symbol_information::Kind;
use scip::types::{Descriptor, SymbolInformation};

use crate::model::graph::NodeKind;

/// A symbol in parts.
pub(super) struct Parts {
    /// Everything before the descriptors.
    prefix: String,
    descriptors: Vec<Descriptor>,
}

impl Parts {
    /// Parses a symbol; `None` for local symbols, parameters and type parameters, which are no
    /// nodes, and for malformed ones.
    pub(super) fn of_symbol(symbol: &str) -> Option<Self> {
        if symbol.starts_with("local ") {
            return None;
        }

        let parsed = parse_symbol(symbol).ok()?;
        let last = parsed.descriptors.last()?;
        if matches!(
            suffix(last),
            Suffix::Parameter | Suffix::TypeParameter | Suffix::Local
        ) {
            return None;
        }

        let package = parsed.package.into_option().unwrap_or_default();
        let parts = [
            parsed.scheme,
            package.manager,
            package.name,
            package.version,
        ];
        Some(Self {
            prefix: parts
                .map(|part| {
                    if part.is_empty() {
                        ".".to_owned()
                    } else {
                        part
                    }
                })
                .join(" "),
            descriptors: parsed.descriptors,
        })
    }

    fn last(&self) -> &Descriptor {
        self.descriptors.last().expect("symbols have descriptors")
    }

    /// Returns the bare name.
    pub(super) fn name(&self) -> &str {
        match self.last().name.as_str() {
            "<constructor>" => "constructor",
            name => name,
        }
    }

    /// Reports whether the container's descriptor is a type.
    pub(super) fn is_in_type(&self) -> bool {
        let container = self.descriptors.iter().rev().nth(1);
        container.is_some_and(|each| matches!(suffix(each), Suffix::Type | Suffix::TypeParameter))
    }

    pub(super) fn is_namespace(&self) -> bool {
        suffix(self.last()) == Suffix::Namespace
    }

    /// Returns the names of all containers and of the symbol, joined by dots.
    ///
    /// A member of an `impl` block of rust-analyzer, `impl#[Type][Trait]name().`, is one of its
    /// type.
    pub(super) fn qualified_name(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        let mut is_block = false;
        for (at, each) in self.descriptors.iter().enumerate() {
            let is_parameter = suffix(each) == Suffix::TypeParameter;
            if is_parameter && is_block {
                names.push(bare_type(&each.name));
            }
            is_block = self.is_impl(at);
            if !is_block && !is_parameter {
                names.push(&each.name);
            }
        }
        names.join(".")
    }

    /// Returns the symbols of possible containers, the nearest first.
    pub(super) fn containers(&self) -> Vec<String> {
        let count = self.descriptors.len();
        let mut found = Vec::new();
        for end in (1..count).rev() {
            if self.is_impl(end - 1) {
                let type_name = &self.descriptors[end].name;
                let mut of_type = self.descriptors[..end].to_vec();
                bare_type(type_name).clone_into(&mut of_type[end - 1].name);
                found.push(self.format(&of_type));
            } else {
                found.push(self.format(&self.descriptors[..end]));
            }
        }
        found
    }

    /// Reports whether a descriptor is an `impl` block, which type parameters describe.
    fn is_impl(&self, at: usize) -> bool {
        let next = self.descriptors.get(at + 1);
        self.descriptors[at].name == "impl"
            && suffix(&self.descriptors[at]) == Suffix::Type
            && next.is_some_and(|next| suffix(next) == Suffix::TypeParameter)
    }

    fn format(&self, descriptors: &[Descriptor]) -> String {
        let symbol = scip::types::Symbol {
            scheme: "x".to_owned(),
            descriptors: descriptors.to_vec(),
            ..scip::types::Symbol::default()
        };
        let text = scip::symbol::format_symbol(symbol);
        let text = text.strip_prefix("x . . . ").unwrap_or_default();
        format!("{} {text}", self.prefix)
    }

    /// Returns the kind: as the index says, else by the descriptor. `in_type` tells whether the
    /// container is a type.
    pub(super) fn kind(&self, information: Option<&SymbolInformation>, in_type: bool) -> NodeKind {
        let said = information
            .and_then(|information| information.kind.enum_value().ok())
            .and_then(|kind| node_kind(kind, in_type));
        said.unwrap_or_else(|| self.kind_of_descriptor(in_type))
    }

    fn kind_of_descriptor(&self, in_type: bool) -> NodeKind {
        match suffix(self.last()) {
            Suffix::Type => NodeKind::Class,
            Suffix::Method if is_constructor(&self.last().name) => NodeKind::Constructor,
            Suffix::Method if in_type => NodeKind::Method,
            Suffix::Method | Suffix::Macro => NodeKind::Function,
            Suffix::Term if in_type => NodeKind::Field,
            Suffix::Term => NodeKind::Variable,
            Suffix::Meta => NodeKind::Property,
            _ => NodeKind::Namespace,
        }
    }
}

/// Returns the bare name of a written type: `Vec<T>`, `&'a Foo`.
fn bare_type(written: &str) -> &str {
    let bare = written.split(['<', '(', '[']).next().unwrap_or(written);
    let bare = bare.rsplit([' ', ':', '&', '*']).next().unwrap_or(bare);
    if bare.is_empty() { written } else { bare }
}

/// Reports whether a method's name is that of constructors in some language.
fn is_constructor(name: &str) -> bool {
    matches!(name, "<constructor>" | "<init>" | ".ctor" | "__init__")
}

fn suffix(descriptor: &Descriptor) -> Suffix {
    descriptor
        .suffix
        .enum_value()
        .unwrap_or(Suffix::UnspecifiedSuffix)
}

fn node_kind(kind: Kind, in_type: bool) -> Option<NodeKind> {
    Some(match kind {
        Kind::Class | Kind::Object | Kind::SingletonClass | Kind::Message => NodeKind::Class,
        Kind::Struct | Kind::Union => NodeKind::Struct,
        Kind::Interface | Kind::Trait | Kind::Protocol | Kind::TypeClass => NodeKind::Interface,
        Kind::Enum => NodeKind::Enum,
        Kind::Delegate => NodeKind::Delegate,
        Kind::TypeAlias | Kind::Type | Kind::AssociatedType | Kind::TypeFamily => {
            NodeKind::TypeAlias
        }

        Kind::Module | Kind::Namespace | Kind::Package | Kind::PackageObject | Kind::Library => {
            NodeKind::Namespace
        }
        Kind::Extension => NodeKind::ExtensionBlock,

        Kind::Constructor => NodeKind::Constructor,
        Kind::Function | Kind::Macro if in_type => NodeKind::Method,
        Kind::Function | Kind::Macro => NodeKind::Function,
        Kind::Method
        | Kind::StaticMethod
        | Kind::AbstractMethod
        | Kind::TraitMethod
        | Kind::ProtocolMethod
        | Kind::PureVirtualMethod
        | Kind::SingletonMethod
        | Kind::MethodSpecification
        | Kind::TypeClassMethod => NodeKind::Method,
        Kind::Operator => NodeKind::Operator,

        Kind::Field | Kind::StaticField | Kind::StaticDataMember => NodeKind::Field,
        Kind::Property | Kind::StaticProperty => NodeKind::Property,
        Kind::Accessor | Kind::Getter | Kind::Setter => NodeKind::Accessor,
        Kind::Event | Kind::StaticEvent => NodeKind::Event,
        Kind::EnumMember => NodeKind::EnumMember,
        Kind::Constant | Kind::Variable | Kind::StaticVariable if in_type => NodeKind::Field,
        Kind::Constant | Kind::Variable | Kind::StaticVariable => NodeKind::Variable,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_of_an_impl_block_is_one_of_its_type() {
        for (symbol, name, container) in [
            (
                "rust-analyzer cargo shop 0.1.0 cart/impl#[Cart]total().",
                "cart.Cart.total",
                "rust-analyzer cargo shop 0.1.0 cart/Cart#",
            ),
            (
                "rust-analyzer cargo shop 0.1.0 cart/impl#[`Cart<T>`][Display]fmt().",
                "cart.Cart.fmt",
                "rust-analyzer cargo shop 0.1.0 cart/Cart#",
            ),
            (
                "scip-java maven . . shop/Cart#total(+1).",
                "shop.Cart.total",
                "scip-java maven . . shop/Cart#",
            ),
        ] {
            let parts = Parts::of_symbol(symbol).unwrap();

            assert_eq!(parts.qualified_name(), name);
            assert!(
                parts.containers().contains(&container.to_owned()),
                "{symbol}"
            );
        }
    }

    #[test]
    fn local_and_malformed_symbols_are_no_nodes() {
        for symbol in [
            "local 3",
            "",
            "x",
            "a b c d e",
            "a . . . f().(x)",
            "a . . . C#[T]",
        ] {
            assert!(Parts::of_symbol(symbol).is_none(), "{symbol}");
        }
    }
}
