//! Namespaces, types and their headers.
//!
//! `class A<T>(int x) : B(x), I where T : C` becomes a class with a type parameter, a primary
//! constructor, two bases and a base call.
//!
//! Limitations: a dotted namespace is one scope. Misplaced code in broken regions is read as long
//! as it looks like declarations.

use codeagent_lang::lower::builder::shortened;
use codeagent_model::facts::*;
use codeagent_model::graph::Access;
use tree_sitter::Node;

use crate::lower::declaration_syntax::DeclSyntax;
use crate::lower::doc_and_signature;
use crate::lower::lowering::Lowering;
use crate::lower::records::is_record;
use crate::lower::types::Sites;
use crate::syntax::rewriter::RewriteKind;
use crate::syntax::syntax_kind::{Child, Children, Field, Kind, kind, of_kind};

impl<'t, 'r> Lowering<'t, 'r> {
    pub fn file(&mut self, root: Node<'r>) {
        self.items(root);
        self.finish_top_level(root);
    }

    /// Lowers everything declared directly in a node.
    pub fn items(&mut self, node: Node<'r>) {
        for child in self.children(node) {
            self.with_depth_limit(|lowering| lowering.item(child));
        }
    }

    fn item(&mut self, child: Child<'r>) {
        let node = child.node;
        match child.kind {
            Kind::UsingDirective => self.using_directive(node),
            Kind::ExternAliasDirective => self.extern_alias(node),
            Kind::GlobalAttribute => self.global_attribute(node),

            Kind::NamespaceDeclaration => self.namespace(node),
            Kind::FileScopedNamespace => self.file_scoped_namespace(node),

            Kind::ClassDeclaration if self.is_extension_block(node) => self.extension_block(node),
            Kind::ClassDeclaration
            | Kind::StructDeclaration
            | Kind::InterfaceDeclaration
            | Kind::RecordDeclaration
            | Kind::EnumDeclaration => self.type_declaration(node),
            Kind::EnumMember => self.enum_member(node),
            Kind::DelegateDeclaration => self.delegate(node),

            Kind::GlobalStatement => self.top_level(node),
            Kind::DeclarationList
            | Kind::EnumMembers
            | Kind::PreprocIf
            | Kind::PreprocElse
            | Kind::PreprocElif
            | Kind::Error => {
                self.items(node);
            }
            _ if child.kind.is_statement() => self.top_level(node),
            _ => self.member(child),
        }
    }

    /// Reports whether the `class` keyword before the name of a class comes from a repair.
    fn is_extension_block(&mut self, node: Node<'r>) -> bool {
        if self.rewrites.is_empty() {
            return false;
        }
        let children = self.children(node);
        let name = children
            .iter()
            .position(|child| child.field == Field::Name)
            .unwrap_or(0);
        children
            .get(name.wrapping_sub(1))
            .is_some_and(|word| self.edited(word.node.start_byte(), RewriteKind::Extension))
    }

    fn namespace_name(&mut self, node: Node<'r>) -> (Option<Node<'r>>, Option<Node<'r>>) {
        let parts = self.parts(node);
        (parts.name, parts.body)
    }

    fn declare_namespace(&mut self, node: Node<'r>, name: Node<'r>, end: usize) {
        let dotted: String = self.text(name).split_whitespace().collect();
        let sym = self.b.sym_owned(&shortened(&dotted));
        let at = self.b.at(name);
        let decl = self
            .b
            .declare(sym, DeclKind::Namespace, DeclFlags::default(), at);
        let parts = self.parts(node);
        let mut detail = parts.detail(name, None);
        detail.range.1 = end;
        self.add_detail(decl, &detail);
        let scope = self.b.open_scope(ScopeKind::Namespace, decl);
        self.b.decl(decl).inner = scope;
        self.b.owner = decl;
    }

    fn namespace(&mut self, node: Node<'r>) {
        let (Some(name), body) = self.namespace_name(node) else {
            return;
        };
        let saved = self.save();
        self.declare_namespace(node, name, node.end_byte());
        if let Some(body) = body {
            self.items(body);
        }
        self.restore(saved);
    }

    /// Lowers `namespace A;`, which extends to the end of the file. Only one is allowed (ECMA-334,
    /// 14.3); a second one is not nested in the first.
    fn file_scoped_namespace(&mut self, node: Node<'r>) {
        let is_first = self.b.owner.is_none();
        let file = ScopeId(0);
        (self.b.scope, self.b.owner) = (file, DeclId::NONE);
        if let (Some(name), _) = self.namespace_name(node) {
            let end = if is_first {
                self.b.text.trim_end().len().max(node.end_byte())
            } else {
                node.end_byte()
            };
            self.declare_namespace(node, name, end);
        }
    }

    fn type_kind(&mut self, node: Node<'r>) -> DeclKind {
        match kind(node) {
            Kind::StructDeclaration => DeclKind::Struct,
            Kind::InterfaceDeclaration => DeclKind::Interface,
            Kind::EnumDeclaration => DeclKind::Enum,
            Kind::RecordDeclaration if self.count_tokens(node, "struct") > 0 => {
                DeclKind::RecordStruct
            }
            Kind::RecordDeclaration => DeclKind::Record,
            _ => DeclKind::Class,
        }
    }

    fn type_declaration(&mut self, node: Node<'r>) {
        let parts = self.parts(node);
        let Some(name) = parts.name else { return };

        let decl_kind = self.type_kind(node);
        let saved = self.save();
        let sym = self.name(name);
        let at = self.b.at(name);

        let member = if self.ty_decl.is_none() {
            DeclFlags::default()
        } else {
            DeclFlags::MEMBER
        };

        let decl = self.b.declare(sym, decl_kind, parts.flags | member, at);
        let access = self.member_access(&parts);
        self.b.owner = decl;
        let mut detail = parts.detail(name, access);
        detail.params = None;
        detail.deprecated = self.attributes(&parts.attributes);
        self.add_detail(decl, &detail);
        let scope = self.b.open_scope(
            if decl_kind == DeclKind::Enum {
                ScopeKind::Enum
            } else {
                ScopeKind::Type
            },
            decl,
        );

        self.b.decl(decl).inner = scope;
        self.ty_decl = decl;
        self.type_params(decl, &parts);
        let primary = parts
            .params
            .map(|params| self.primary_constructor(decl, (name, params), parts.bases));
        self.header(decl, &parts, primary.unwrap_or(decl));
        if is_record(decl_kind) {
            self.implied_members(decl, primary);
        }
        if let Some(body) = parts.body {
            self.items(body);
        }

        self.restore(saved);
    }

    /// Lowers the base list and the constraints. Members are in scope in the body only (ECMA-334,
    /// 7.7.1), so both have a scope that only knows the type parameters.
    fn header(&mut self, decl: DeclId, parts: &DeclSyntax<'r>, caller: DeclId) {
        if parts.bases.is_none() && parts.constraints.is_empty() {
            return;
        }

        let body = self.b.scope;
        self.b.scope = self.b.facts.scope(body).parent;
        self.b.open_scope(ScopeKind::TypeParams, decl);
        self.base_list(decl, parts.bases, (caller, body));
        self.constraints(decl, parts);
        self.b.scope = body;
    }

    /// Lowers `extension<T>(R receiver) { }`, which the repair turned into a class with a primary
    /// constructor, or with a base if the receiver has no name.
    fn extension_block(&mut self, node: Node<'r>) {
        let parts = self.parts(node);
        let Some(name) = parts.name else { return };

        let saved = self.save();
        let sym = self.b.sym_owned("extension");
        let at = self.b.position(node.start_byte());
        let decl = self.b.declare(
            sym,
            DeclKind::ExtensionBlock,
            DeclFlags::MEMBER | DeclFlags::STATIC,
            at,
        );

        self.b.owner = decl;
        let detail = parts.detail(name, Some(Access::Public));
        self.add_detail(decl, &detail);
        let scope = self.b.open_scope(ScopeKind::Type, decl);
        self.b.decl(decl).inner = scope;
        self.ty_decl = decl;
        self.type_params(decl, &parts);
        if let Some(params) = parts.params {
            self.params(decl, params);
        } else if let Some(bases) = parts.bases {
            self.nameless_receiver(decl, bases);
        }

        self.constraints(decl, &parts);
        if let Some(body) = parts.body {
            self.items(body);
        }

        self.restore(saved);
    }

    fn nameless_receiver(&mut self, decl: DeclId, bases: Node<'r>) {
        let Some(receiver) = self
            .children(bases)
            .iter()
            .find(|child| child.kind != Kind::Colon)
            .copied()
        else {
            return;
        };
        let ty = self.base_type(receiver.node, Sites::All).0;
        let at = self.b.at(receiver.node);
        let param = self
            .b
            .declare(Sym::NONE, DeclKind::Parameter, DeclFlags::default(), at);
        self.b.decl(param).ty = ty;
        self.b.decl(decl).params = self.b.facts.add_list([param]);
    }

    /// Declares type parameters in the current scope.
    pub fn type_params(&mut self, decl: DeclId, parts: &DeclSyntax<'r>) {
        let Some(list) = parts.type_params else {
            return;
        };

        let mut declared = Vec::new();
        for child in self.children(list) {
            if child.kind != Kind::TypeParameter {
                continue;
            }

            let param = self.parts(child.node);
            self.attributes(&param.attributes);
            if let Some(name) = param.name {
                let sym = self.name(name);
                let at = self.b.at(name);
                let mut flags = DeclFlags::default();
                for word in self.children(child.node) {
                    match word.kind {
                        Kind::In => flags.insert(DeclFlags::IN),
                        Kind::Out => flags.insert(DeclFlags::OUT),
                        _ => {}
                    }
                }
                declared.push(self.b.declare(sym, DeclKind::TypeParam, flags, at));
            }
        }

        self.b.decl(decl).type_params = self.b.facts.add_list(declared);
    }

    /// Adds the constraints of `where T : A, new()` as bases of the type parameter.
    pub fn constraints(&mut self, decl: DeclId, parts: &DeclSyntax<'r>) {
        let params: Vec<DeclId> = self
            .b
            .facts
            .list(self.b.facts.decl(decl).type_params)
            .to_vec();
        for clause in &parts.constraints {
            let children = self.children(*clause);
            let Some(name) = of_kind(&children, Kind::Identifier) else {
                continue;
            };

            let sym = self.name(name);
            let bases = self.constraint_bases(&children);
            if let Some(param) = params
                .iter()
                .find(|param| self.b.facts.decl(**param).name == sym)
            {
                self.b.decl(*param).bases = self.b.facts.add_list(bases);
            }
        }
    }

    fn constraint_bases(&mut self, children: &Children<'r>) -> Vec<Base> {
        let mut bases = Vec::new();
        for child in children
            .iter()
            .filter(|child| child.kind == Kind::Constraint)
        {
            let parts = self.children(child.node);
            match parts.iter().find(|part| part.field == Field::Type) {
                Some(ty) if !matches!(self.text(ty.node), "notnull" | "unmanaged" | "default") => {
                    let named = self.base_type(ty.node, Sites::All);
                    bases.push(Base {
                        clause: BaseClause::Constraint,
                        ty: named.0,
                        at: named.1,
                    });
                }
                _ => {
                    let word: String = self.text(child.node).split_whitespace().collect();
                    let ty = self.b.primitive(word.trim_end_matches('?'));
                    bases.push(Base {
                        clause: BaseClause::ConstraintWord,
                        ty,
                        at: self.b.at(child.node),
                    });
                }
            }
        }

        bases
    }

    fn base_type(
        &mut self,
        node: Node<'r>,
        sites: Sites,
    ) -> (TypeId, codeagent_model::span::Position) {
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

    fn base_list(
        &mut self,
        decl: DeclId,
        list: Option<Node<'r>>,
        (caller, body): (DeclId, ScopeId),
    ) {
        let Some(list) = list else { return };

        let mut bases: Vec<Base> = Vec::new();
        for child in self.children(list) {
            match child.kind {
                Kind::ArgumentList => {
                    self.base_call(bases.last().copied(), child.node, (caller, body))
                }
                Kind::PrimaryBase => {
                    let parts = self.children(child.node);
                    if let Some(ty) = parts.first() {
                        self.add_base(decl, &mut bases, ty.node);
                    }
                    if let Some(arguments) = of_kind(&parts, Kind::ArgumentList) {
                        self.base_call(bases.last().copied(), arguments, (caller, body));
                    }
                }
                Kind::Colon => {}
                _ => self.add_base(decl, &mut bases, child.node),
            }
        }

        self.b.decl(decl).bases = self.b.facts.add_list(bases);
    }

    fn add_base(&mut self, decl: DeclId, bases: &mut Vec<Base>, node: Node<'r>) {
        let (ty, at) = self.base_type(node, Sites::Qualifiers);
        if matches!(self.b.facts.type_expr(ty), TypeExpr::Name(..)) {
            self.b
                .site(SiteKind::Base, Subject::Base(decl, bases.len() as u16), at);
        }
        bases.push(Base {
            clause: BaseClause::Base,
            ty,
            at,
        });
    }

    /// Lowers the arguments of `: B(x)` on a primary constructor, whose parameters are in the scope
    /// of the body.
    fn base_call(
        &mut self,
        base: Option<Base>,
        arguments: Node<'r>,
        (caller, body): (DeclId, ScopeId),
    ) {
        let Some(base) = base else { return };
        let call = self.b.begin_call(ExprId::NONE, List::default());
        let outer = std::mem::replace(&mut self.b.owner, caller);
        let header = std::mem::replace(&mut self.b.scope, body);

        self.in_block(|lowering| lowering.arguments(call, arguments));
        self.b.scope = header;
        self.b.site(
            SiteKind::BaseInit,
            Subject::Construct(base.ty, call),
            base.at,
        );
        self.b.owner = outer;
    }

    /// Declares a primary constructor. Its parameters are in the type's scope; those of a record
    /// are properties too.
    fn primary_constructor(
        &mut self,
        ty: DeclId,
        (name, params): (Node<'r>, Node<'r>),
        bases: Option<Node<'r>>,
    ) -> DeclId {
        let sym = self.name(name);
        let at = self.b.at(name);
        let decl = self.b.declare(
            sym,
            DeclKind::PrimaryConstructor,
            DeclFlags::MEMBER | DeclFlags::HAS_BODY,
            at,
        );

        let mut detail = self.parts(params).detail(name, Some(Access::Public));
        detail.range = (name.start_byte(), params.end_byte());
        detail.params = Some(params);
        self.add_detail(decl, &detail);
        let outer = std::mem::replace(&mut self.b.owner, decl);
        self.params(decl, params);
        self.b.owner = outer;
        if is_record(self.b.facts.decl(ty).kind) {
            let forwarded = bases.map_or_else(Vec::new, |bases| self.forwarded(bases));
            self.positional_properties(decl, params, &forwarded);
        }

        decl
    }

    fn enum_member(&mut self, node: Node<'r>) {
        let parts = self.parts(node);
        let Some(name) = parts.name else { return };
        let sym = self.name(name);
        let at = self.b.at(name);
        let flags = DeclFlags::MEMBER | DeclFlags::STATIC | DeclFlags::CONST;
        let decl = self.b.declare(sym, DeclKind::EnumMember, flags, at);
        let outer = std::mem::replace(&mut self.b.owner, decl);
        let mut detail = parts.detail(name, Some(Access::Public));
        detail.deprecated = self.attributes(&parts.attributes);
        if let Some(value) = parts.value {
            let init = self.expr(value, Context::None);
            self.b.decl(decl).init = init;
        }
        self.add_detail(decl, &detail);
        self.b.owner = outer;
    }

    /// Lowers a statement outside any type: part of the synthetic main method, whose scope is the
    /// file.
    fn top_level(&mut self, node: Node<'r>) {
        let saved = self.save();

        let main = match self.main.some() {
            Some(main) => main,
            None => {
                let sym = self.b.sym_owned("<Main>$");
                let at = self.b.at(node);
                let main = self.b.declare(
                    sym,
                    DeclKind::TopLevel,
                    DeclFlags::STATIC | DeclFlags::HAS_BODY,
                    at,
                );

                self.b.decl(main).inner = self.b.scope;
                let detail = self.parts(node).detail(node, Some(Access::Private));
                self.add_detail(main, &detail);
                self.main = main;
                main
            }
        };

        self.b.owner = main;
        self.b
            .exclude_from_interface(node.start_byte(), node.end_byte());
        let func = self.in_function(main, |lowering| lowering.statement(node));
        self.main_returns.extend(func.returns);
        self.restore(saved);
    }

    /// Ends the main method, which spans from its first to its last statement.
    fn finish_top_level(&mut self, root: Node<'r>) {
        let Some(main) = self.main.some() else { return };

        let returns = std::mem::take(&mut self.main_returns);
        self.b.decl(main).returns = self.b.facts.add_list(returns);
        let start = self.b.facts.decl(main).at.offset as usize;
        let children = self.children(root);
        let last = children
            .iter()
            .rev()
            .find(|child| child.kind == Kind::GlobalStatement || child.kind.is_statement());

        let end = last.map_or(start, |child| child.node.end_byte());
        let span = self.b.span(start, end);
        let detail = self.b.facts.decl(main).detail;
        let text = self.b.text;
        let hash = self.stripped.hash(text, (start, end), (end, end));
        let detail = &mut self.b.facts.details[detail.index()];
        detail.span = span;
        detail.body_hash = hash;
    }

    /// Returns the dotted name of a node without white space.
    pub fn dotted(&mut self, node: Node<'r>) -> Sym {
        let text = self.text(node);
        let dotted: String = doc_and_signature::fold(text).split(' ').collect();
        self.b.sym_owned(&dotted)
    }
}
