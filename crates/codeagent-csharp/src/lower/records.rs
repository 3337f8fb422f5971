//! Records: the members that follow from the declaration.
//!
//! `record Point(int X)` has a property `X`, `Equals`, `GetHashCode`, `ToString`, `==`, `!=` and
//! `Deconstruct`.
//!
//! Limitations: only the properties are nodes. A call of one of the methods leads to the record, and a
//! use of an operator has no target. The copy constructor, `PrintMembers` and `EqualityContract` are
//! not declared.

use codeagent_model::facts::*;
use codeagent_model::graph::Access;
use tree_sitter::Node;

use crate::lower::lowering::Lowering;
use crate::syntax::syntax_kind::{Kind, of_kind};

/// Reports whether a declaration of this kind is a record.
pub fn is_record(kind: DeclKind) -> bool {
    matches!(kind, DeclKind::Record | DeclKind::RecordStruct)
}

impl<'t, 'r> Lowering<'t, 'r> {
    /// Returns the names that a record passes on to its base unchanged: the base has properties of
    /// these names, so the record declares none.
    pub(super) fn forwarded(&mut self, bases: Node<'r>) -> Vec<&'t str> {
        let children = self.children(bases);
        let Some(call) = of_kind(&children, Kind::PrimaryBase) else {
            return Vec::new();
        };
        let parts = self.children(call);
        let Some(arguments) = of_kind(&parts, Kind::ArgumentList) else {
            return Vec::new();
        };
        self.children(arguments)
            .iter()
            .map(|argument| self.text(argument.node))
            .collect()
    }

    /// Declares the properties of a record's parameters.
    pub(super) fn positional_properties(
        &mut self,
        constructor: DeclId,
        params: Node<'r>,
        forwarded: &[&str],
    ) {
        let declared: Vec<DeclId> = self
            .b
            .facts
            .list(self.b.facts.decl(constructor).params)
            .to_vec();

        let nodes = self.children(params);
        let nodes = nodes.iter().filter(|child| child.kind == Kind::Parameter);
        for (param, child) in declared.into_iter().zip(nodes) {
            let parts = self.parts(child.node);
            let Some(name) = parts
                .name
                .filter(|name| !forwarded.contains(&self.text(*name)))
            else {
                continue;
            };
            let Declaration {
                name: sym, ty, at, ..
            } = *self.b.facts.decl(param);
            let flags = DeclFlags::MEMBER | DeclFlags::FROM_PARAMETER;
            let property = self.b.declare(sym, DeclKind::Property, flags, at);
            self.b.decl(property).ty = ty;
            let detail = parts.detail(name, Some(Access::Public));
            self.add_detail(property, &detail);
        }
    }

    /// Declares the members that the compiler adds to a record (C# 9). A member written with the
    /// same parameters takes the place of one of these when it is looked up.
    /// The first base of a record class may be a record, whose `Equals` is then overridden.
    pub(super) fn implied_members(&mut self, record: DeclId, constructor: Option<DeclId>) {
        let own = self.own_type(record);
        let (object, bool) = (self.b.primitive("object"), self.b.primitive("bool"));
        let (int, string) = (self.b.primitive("int"), self.b.primitive("string"));
        let value = DeclFlags::default();

        let method = DeclKind::Method;
        self.implied(record, (method, "Equals", value), bool, &[(own, value)]);
        let overrides = DeclFlags::OVERRIDE;
        self.implied(
            record,
            (method, "Equals", overrides),
            bool,
            &[(object, value)],
        );
        let Declaration { kind, bases, .. } = *self.b.facts.decl(record);
        let base = self.b.facts.list(bases).first().map(|base| base.ty);
        if let Some(base) = base.filter(|_| kind == DeclKind::Record) {
            self.implied(
                record,
                (method, "Equals", overrides),
                bool,
                &[(base, value)],
            );
        }
        self.implied(record, (method, "GetHashCode", overrides), int, &[]);
        self.implied(record, (method, "ToString", overrides), string, &[]);

        for name in ["operator ==", "operator !="] {
            let operator = (DeclKind::Operator, name, DeclFlags::STATIC);
            self.implied(record, operator, bool, &[(own, value), (own, value)]);
        }

        let outs: Vec<(TypeId, DeclFlags)> = constructor
            .map(|constructor| self.b.facts.decl(constructor).params)
            .map_or(&[][..], |params| self.b.facts.list(params))
            .iter()
            .map(|param| (self.b.facts.decl(*param).ty, DeclFlags::OUT))
            .collect();
        if !outs.is_empty() {
            let void = self.b.primitive("void");
            self.implied(record, (method, "Deconstruct", value), void, &outs);
        }
    }

    fn implied(
        &mut self,
        record: DeclId,
        (kind, name, flags): (DeclKind, &str, DeclFlags),
        ty: TypeId,
        params: &[(TypeId, DeclFlags)],
    ) {
        let at = self.b.facts.decl(record).at;
        let sym = self.b.sym_owned(name);
        let flags = flags | DeclFlags::MEMBER | DeclFlags::FROM_PARAMETER;
        let member = self.b.declare(sym, kind, flags, at);
        self.b.decl(member).ty = ty;

        let outer = self.b.scope;
        let scope = self.b.open_scope(ScopeKind::Function, member);
        self.b.decl(member).inner = scope;
        let mut declared = Vec::with_capacity(params.len());
        for (ty, flags) in params {
            let param = self.b.declare(Sym::NONE, DeclKind::Parameter, *flags, at);
            self.b.decl(param).ty = *ty;
            declared.push(param);
        }

        self.b.decl(member).params = self.b.facts.add_list(declared);
        self.b.scope = outer;
    }

    /// Returns the type of a record inside itself, with its own type parameters as arguments.
    fn own_type(&mut self, record: DeclId) -> TypeId {
        let Declaration {
            name, type_params, ..
        } = *self.b.facts.decl(record);
        let params: Vec<Sym> = self
            .b
            .facts
            .list(type_params)
            .iter()
            .map(|param| self.b.facts.decl(*param).name)
            .collect();
        if params.is_empty() {
            return self.simple_named_type(name);
        }

        let args: Vec<TypeId> = params
            .iter()
            .map(|param| self.simple_named_type(*param))
            .collect();
        let args = self.b.facts.add_list(args);
        let segments = self.b.facts.add_list([Segment { name, args }]);
        let scope = self.b.scope;
        self.b.type_expr(TypeExpr::Name(segments, scope))
    }
}
