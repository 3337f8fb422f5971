//! Using directives, extern aliases and attributes.
//!
//! `using static A.B;` is an import of the type expression `A.B`; `[Obsolete("x")]` is a call that
//! constructs `Obsolete`.
//!
//! **Limits.** Only the resolver can tell whether `A.B` is a namespace or a type, and whether the
//! name of an attribute lacks its suffix `Attribute`. `Name = value` arguments of attributes are
//! lowered but are not constructor arguments.

use codeagent_model::facts::*;
use codeagent_model::span::Position;
use tree_sitter::Node;

use crate::lower::types::Sites;
use crate::lower::walk::Walker;
use crate::syntax::kinds::{Field, Kid, Kind, in_field, kind, of_kind};

impl<'t, 'r> Walker<'t, 'r> {
    /// `using A.B;`, `using static A.B;`, `using X = A.B;`, each also `global`.
    pub fn using_directive(&mut self, node: Node<'r>) {
        let kids = self.kids(node);
        let alias = in_field(&kids, Field::Name).filter(|_| of_kind(&kids, Kind::Equals).is_some());
        let is_target = |kid: &&Kid<'r>| {
            !matches!(kid.kind, Kind::Token | Kind::Static | Kind::Equals)
                && Some(kid.node) != alias
        };

        let Some(target) = kids.iter().rev().find(is_target) else {
            return;
        };

        let import_kind = match alias {
            Some(_) => ImportKind::UsingAlias,
            None if of_kind(&kids, Kind::Static).is_some() => ImportKind::UsingStatic,
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

    /// `extern alias X;`
    pub fn extern_alias(&mut self, node: Node<'r>) {
        let kids = self.kids(node);
        let Some(name) = in_field(&kids, Field::Name) else {
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

    /// `[assembly: A]` belongs to nothing.
    pub fn global_attribute(&mut self, node: Node<'r>) {
        let outer = std::mem::replace(&mut self.b.owner, DeclId::NONE);
        self.attribute_list(node);
        self.b.owner = outer;
    }

    /// Attribute lists of the current owner; whether one says that it is obsolete.
    pub fn attributes(&mut self, lists: &[Node<'r>]) -> bool {
        let mut deprecated = false;
        for list in lists {
            deprecated |= self.attribute_list(*list);
        }
        deprecated
    }

    /// One attribute list.
    pub fn attribute_list(&mut self, list: Node<'r>) -> bool {
        let mut deprecated = false;
        for kid in self.kids(list) {
            if kid.kind == Kind::Attribute {
                deprecated |= self.attribute(kid.node);
            }
        }
        deprecated
    }

    fn attribute(&mut self, node: Node<'r>) -> bool {
        let kids = self.kids(node);
        let Some(name) = in_field(&kids, Field::Name) else {
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

        if let Some(arguments) = of_kind(&kids, Kind::AttributeArguments) {
            self.attribute_arguments(call, arguments);
        }

        let word = self.text(name);
        let last = word.rsplit(['.', ':']).next().unwrap_or(word);
        matches!(last, "Obsolete" | "ObsoleteAttribute")
    }

    fn attribute_arguments(&mut self, call: CallId, list: Node<'r>) {
        let mut args = Vec::new();
        for kid in self.kids(list) {
            if kid.kind != Kind::AttributeArgument {
                continue;
            }

            let parts = self.kids(kid.node);
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
