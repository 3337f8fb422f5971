//! Using directives, extern aliases and attributes.
//!
//! `using static A.B;` is an import of the type expression `A.B`; `[Obsolete("x")]` is a call that
//! constructs `Obsolete`.
//!
//! Limitations: only the resolver can tell whether `A.B` is a namespace or a type, and whether the
//! name of an attribute lacks its suffix `Attribute`. `Name = value` arguments of attributes are
//! lowered but are not constructor arguments.

use codeagent_model::facts::*;
use codeagent_model::span::Position;
use tree_sitter::Node;

use crate::lower::lowering::Lowering;
use crate::lower::types::Sites;
use crate::syntax::syntax_kind::{Child, Field, Kind, in_field, kind, of_kind};

impl<'t, 'r> Lowering<'t, 'r> {
    /// Lowers `using A.B;`, `using static A.B;` and `using X = A.B;`, each also `global`.
    pub fn using_directive(&mut self, node: Node<'r>) {
        let children = self.children(node);
        let alias =
            in_field(&children, Field::Name).filter(|_| of_kind(&children, Kind::Equals).is_some());
        let is_target = |child: &&Child<'r>| {
            !matches!(child.kind, Kind::Token | Kind::Static | Kind::Equals)
                && Some(child.node) != alias
        };

        let Some(target) = children.iter().rev().find(is_target) else {
            return;
        };

        let import_kind = match alias {
            Some(_) => ImportKind::UsingAlias,
            None if of_kind(&children, Kind::Static).is_some() => ImportKind::UsingStatic,
            None => ImportKind::UsingNamespace,
        };

        let name = alias.map_or(Sym::NONE, |alias| self.name(alias));
        let module = self.dotted(target.node);

        let sites = if import_kind == ImportKind::UsingNamespace {
            Sites::None
        } else {
            Sites::Qualifiers
        };

        let (ty, at) = self.using_target(target.node, sites);
        let global = self.count_tokens(node, "global") > 0;
        let scope = self.b.scope;
        let import = Import {
            kind: import_kind,
            module,
            name,
            decl: DeclId::NONE,
            ty,
            scope,
            global,
            type_only: false,
            at,
        };

        self.b.facts.imports.push(import);
        let import = ImportId(self.b.facts.imports.len() as u32 - 1);
        self.b.site(SiteKind::Import, Subject::Import(import), at);
    }

    fn using_target(&mut self, node: Node<'r>, sites: Sites) -> (TypeId, Position) {
        match kind(node) {
            Kind::Identifier
            | Kind::GenericName
            | Kind::QualifiedName
            | Kind::AliasQualifiedName => {
                let named = self.named_type(node, sites);
                (named.ty, named.at)
            }
            _ => (self.ty(node), self.b.at(node)),
        }
    }

    /// Lowers `extern alias X;`.
    pub fn extern_alias(&mut self, node: Node<'r>) {
        let children = self.children(node);
        let Some(name) = in_field(&children, Field::Name) else {
            return;
        };

        let sym = self.name(name);
        let at = self.b.at(name);
        let scope = self.b.scope;
        self.b.facts.imports.push(Import {
            kind: ImportKind::ExternAlias,
            module: sym,
            name: sym,
            decl: DeclId::NONE,
            ty: TypeId::NONE,
            scope,
            global: false,
            type_only: false,
            at,
        });
    }

    /// Lowers `[assembly: A]`, which has no owner.
    pub fn global_attribute(&mut self, node: Node<'r>) {
        let outer = std::mem::replace(&mut self.b.owner, DeclId::NONE);
        self.attribute_list(node);
        self.b.owner = outer;
    }

    /// Lowers the attribute lists of the current owner; reports whether one marks it obsolete.
    pub fn attributes(&mut self, lists: &[Node<'r>]) -> bool {
        let mut deprecated = false;
        for list in lists {
            deprecated |= self.attribute_list(*list);
        }
        deprecated
    }

    /// Lowers one attribute list; reports whether it marks the owner obsolete.
    pub fn attribute_list(&mut self, list: Node<'r>) -> bool {
        let mut deprecated = false;
        for child in self.children(list) {
            if child.kind == Kind::Attribute {
                deprecated |= self.attribute(child.node);
            }
        }
        deprecated
    }

    fn attribute(&mut self, node: Node<'r>) -> bool {
        let children = self.children(node);
        let Some(name) = in_field(&children, Field::Name) else {
            return false;
        };

        let outer = std::mem::replace(&mut self.type_site, SiteKind::TypeRef);
        let named = self.named_type(name, Sites::All);
        self.type_site = outer;
        let call = self.b.begin_call(ExprId::NONE, List::default());
        self.b.site(
            SiteKind::Attribute,
            Subject::Construct(named.ty, call),
            named.at,
        );

        if let Some(arguments) = of_kind(&children, Kind::AttributeArguments) {
            self.attribute_arguments(call, arguments);
        }

        let word = self.text(name);
        let last = word.rsplit(['.', ':']).next().unwrap_or(word);
        if last.trim_end_matches("Attribute") == "OverloadResolutionPriority" {
            self.prioritize(call);
        }
        matches!(last, "Obsolete" | "ObsoleteAttribute")
    }

    /// Records the argument of `[OverloadResolutionPriority(1)]` as the value of its method.
    fn prioritize(&mut self, call: CallId) {
        let args = self.b.facts.calls[call.index()].args;
        let priority = self.b.facts.list(args).first().map(|arg| arg.value);
        let owner = self.b.owner;
        if let (Some(priority), Some(owner)) = (priority, owner.some()) {
            let method = self.b.decl(owner);
            if matches!(method.kind, DeclKind::Method | DeclKind::Constructor) {
                method.init = priority;
            }
        }
    }

    fn attribute_arguments(&mut self, call: CallId, list: Node<'r>) {
        let mut args = Vec::new();
        for child in self.children(list) {
            if child.kind != Kind::AttributeArgument {
                continue;
            }

            let parts = self.children(child.node);
            let name = in_field(&parts, Field::Name);
            let is_property = of_kind(&parts, Kind::Equals).is_some();
            let value = parts.iter().rev().find(|part| Some(part.node) != name);

            let context = if is_property {
                Context::None
            } else {
                Context::Argument(call, args.len() as u16)
            };

            let value = value.map_or(ExprId::NONE, |value| self.expr(value.node, context));
            if !is_property {
                let name = name.map_or(Sym::NONE, |name| self.name(name));
                args.push(Arg {
                    name,
                    mode: ArgMode::Value,
                    value,
                });
            }
        }

        self.b.finish_call(call, args);
    }
}
