//! Converts a library type to `Facts`, as if lowered from its C# declaration, without bodies.
//!
//! A named type is written from the global namespace (`global::`, the whole namespace as one
//! segment, the types), so usings do not matter. A type parameter is looked up from the scope that
//! declares it.
//!
//! Limitations: nothing has a position: such a file is never resolved and has no nodes.

use codeagent_model::facts::*;
use codeagent_model::graph::{Access, Dialect};
use codeagent_model::span::{Position, Span};
use rustc_hash::FxHashMap;

use crate::stdlib::assembly_model::{
    KEYWORDS, MemberDeclaration, MemberKind, ParameterDeclaration, StringId, TopLevelType, Traits,
    TypeDeclaration, TypeIndex, TypeKind, TypeParameter, TypeSig,
};
use crate::stdlib::pack::Packed;

/// The first segment of a named type: the global namespace.
pub(super) const GLOBAL: &str = "global::";

#[must_use]
pub fn facts(packed: &Packed, namespace: StringId, unit: &TopLevelType) -> Facts {
    let mut builder = Builder {
        packed,
        forms: &unit.types,
        facts: Facts::of(Dialect::CSharp),
        names: FxHashMap::default(),
        types: FxHashMap::default(),
        around: Vec::new(),
    };
    builder.file(namespace, &unit.root);
    builder.facts
}

/// An enclosing type: its declaration and its scope.
#[derive(Clone, Copy)]
struct EnclosingType {
    decl: DeclId,
    scope: ScopeId,
}

struct Builder<'u> {
    packed: &'u Packed,
    forms: &'u [TypeSig],
    facts: Facts,
    names: FxHashMap<String, Sym>,
    /// Types already added, by the method whose type parameters they mention.
    types: FxHashMap<(TypeIndex, ScopeId), TypeId>,
    around: Vec<EnclosingType>,
}

const PUBLIC: DetailId = DetailId(0);
const PROTECTED: DetailId = DetailId(1);

impl Builder<'_> {
    fn file(&mut self, namespace: StringId, root: &TypeDeclaration) {
        self.facts.details = [Access::Public, Access::Protected].map(detail).into();
        let mut scope = self.scope(ScopeKind::File, ScopeId::NONE, DeclId::NONE);
        if namespace != 0 {
            let name = self.text(namespace);
            let decl = self.declare(DeclKind::Namespace, name, scope);
            scope = self.scope(ScopeKind::Namespace, scope, decl);
            self.facts.decls[decl.index()].inner = scope;
        }
        self.ty(root, scope, DeclFlags::default());
    }

    fn scope(&mut self, kind: ScopeKind, parent: ScopeId, owner: DeclId) -> ScopeId {
        self.facts.scopes.push(Scope {
            kind,
            parent,
            owner,
        });
        ScopeId(self.facts.scopes.len() as u32 - 1)
    }

    fn declare(&mut self, kind: DeclKind, name: Sym, scope: ScopeId) -> DeclId {
        self.facts
            .decls
            .push(Declaration::new(kind, name, scope, Position::default()));
        DeclId(self.facts.decls.len() as u32 - 1)
    }

    fn decl(&mut self, id: DeclId) -> &mut Declaration {
        &mut self.facts.decls[id.index()]
    }

    fn text(&mut self, number: StringId) -> Sym {
        let text = self.packed.text(number);
        self.name(text)
    }

    fn name(&mut self, text: &str) -> Sym {
        if text.is_empty() {
            return Sym::NONE;
        }
        if let Some(&sym) = self.names.get(text) {
            return sym;
        }
        let sym = self.facts.names.push(text);
        self.names.insert(text.to_owned(), sym);
        sym
    }

    fn ty(&mut self, ty: &TypeDeclaration, scope: ScopeId, more: DeclFlags) {
        let kind = match ty.kind {
            TypeKind::Class => DeclKind::Class,
            TypeKind::Struct => DeclKind::Struct,
            TypeKind::Interface => DeclKind::Interface,
            TypeKind::Enum => DeclKind::Enum,
            TypeKind::Delegate => DeclKind::Delegate,
        };

        let name = self.text(ty.name);
        let decl = self.declare(kind, name, scope);

        let scope_kind = match ty.kind {
            TypeKind::Enum => ScopeKind::Enum,
            TypeKind::Delegate => ScopeKind::Function,
            _ => ScopeKind::Type,
        };

        let inner = self.scope(scope_kind, scope, decl);
        self.decl(decl).inner = inner;
        self.decl(decl).flags = flags(ty.traits) | more;
        self.decl(decl).detail = detail_of(ty.traits);
        self.around.push(EnclosingType { decl, scope: inner });
        self.type_params(decl, inner, &ty.type_params);
        let bases = ty
            .bases
            .iter()
            .map(|base| self.base(BaseClause::Base, *base, ScopeId::NONE))
            .collect::<Vec<_>>();

        let bases = self.facts.add_list(bases);
        self.decl(decl).bases = bases;
        if ty.kind == TypeKind::Delegate {
            let result = ty
                .result
                .map_or(TypeId::NONE, |result| self.type_expr(result, ScopeId::NONE));
            self.decl(decl).ty = result;
            self.params(decl, inner, &ty.params, ScopeId::NONE);
        }

        for member in &ty.members {
            self.member(member, inner);
        }

        for nested in &ty.nested {
            self.ty(nested, inner, DeclFlags::MEMBER);
        }

        self.around.pop();
    }

    fn member(&mut self, member: &MemberDeclaration, scope: ScopeId) {
        let kind = match member.kind {
            MemberKind::Method => DeclKind::Method,
            MemberKind::Constructor => DeclKind::Constructor,
            MemberKind::Operator => DeclKind::Operator,
            MemberKind::Conversion => DeclKind::Conversion,
            MemberKind::Property => DeclKind::Property,
            MemberKind::Field => DeclKind::Field,
            MemberKind::Event => DeclKind::Event,
            MemberKind::Indexer => DeclKind::Indexer,
            MemberKind::EnumMember => DeclKind::EnumMember,
        };

        let name = self.text(member.name);
        let decl = self.declare(kind, name, scope);
        let callable = !member.params.is_empty() || !member.type_params.is_empty();
        let inner = if callable {
            self.scope(ScopeKind::Function, scope, decl)
        } else {
            scope
        };

        if callable {
            self.decl(decl).inner = inner;
        }

        let of_type = match kind {
            DeclKind::EnumMember => DeclFlags::MEMBER | DeclFlags::STATIC,
            _ => DeclFlags::MEMBER,
        };
        self.decl(decl).flags = flags(member.traits) | of_type;
        self.decl(decl).detail = detail_of(member.traits);
        self.type_params(decl, inner, &member.type_params);
        let ty = member
            .ty
            .map_or(TypeId::NONE, |ty| self.type_expr(ty, inner));
        self.decl(decl).ty = ty;
        self.params(decl, inner, &member.params, inner);
    }

    fn params(
        &mut self,
        owner: DeclId,
        scope: ScopeId,
        params: &[ParameterDeclaration],
        method: ScopeId,
    ) {
        let made: Vec<DeclId> = params
            .iter()
            .map(|param| {
                let name = self.text(param.name);
                let decl = self.declare(DeclKind::Parameter, name, scope);
                let ty = self.type_expr(param.ty, method);
                self.decl(decl).ty = ty;
                self.decl(decl).flags = flags(param.traits);
                decl
            })
            .collect();

        let made = self.facts.add_list(made);
        self.decl(owner).params = made;
    }

    fn type_params(&mut self, owner: DeclId, scope: ScopeId, params: &[TypeParameter]) {
        let made: Vec<DeclId> = params
            .iter()
            .map(|param| {
                let name = self.text(param.name);
                let decl = self.declare(DeclKind::TypeParam, name, scope);
                self.decl(decl).flags = flags(param.traits);
                decl
            })
            .collect();

        let list = self.facts.add_list(made.iter().copied());
        self.decl(owner).type_params = list;
        for (param, decl) in params.iter().zip(made) {
            let mut bases = Vec::new();
            for (word, has) in [
                ("class", Traits::CLASS),
                ("struct", Traits::STRUCT),
                ("new()", Traits::NEW),
            ] {
                if param.traits.has(has) {
                    let word = self.name(word);
                    let ty = self.add_type(TypeExpr::Primitive(word));
                    bases.push(Base {
                        clause: BaseClause::ConstraintWord,
                        ty,
                        at: Position::default(),
                    });
                }
            }

            for constraint in &param.constraints {
                bases.push(self.base(BaseClause::Constraint, *constraint, scope));
            }

            let bases = self.facts.add_list(bases);
            self.decl(decl).bases = bases;
        }
    }

    fn base(&mut self, clause: BaseClause, ty: TypeIndex, method: ScopeId) -> Base {
        Base {
            clause,
            ty: self.type_expr(ty, method),
            at: Position::default(),
        }
    }

    fn add_type(&mut self, ty: TypeExpr) -> TypeId {
        self.facts.types.push(ty);
        TypeId(self.facts.types.len() as u32 - 1)
    }

    /// Adds a type; `method` is the scope of the method whose type parameters it may mention.
    fn type_expr(&mut self, number: TypeIndex, method: ScopeId) -> TypeId {
        // Only a type that mentions a type parameter depends on its scope.
        let place = if self.is_open(number) {
            method
                .some()
                .unwrap_or(self.around.last().map_or(ScopeId(0), |around| around.scope))
        } else {
            ScopeId(0)
        };

        if let Some(&made) = self.types.get(&(number, place)) {
            return made;
        }

        let forms = self.forms;
        let expr = match forms.get(number as usize) {
            None | Some(TypeSig::Unknown) => TypeExpr::Unknown,
            Some(TypeSig::Keyword(word)) => TypeExpr::Primitive(
                self.name(
                    KEYWORDS
                        .get(usize::from(*word))
                        .copied()
                        .unwrap_or_default(),
                ),
            ),
            Some(TypeSig::TypeParameter(index)) => self.type_parameter(*index),
            Some(TypeSig::MethodParameter(index)) => self.method_parameter(*index, method),
            Some(TypeSig::Named(namespace, segments)) => self.named(*namespace, segments, method),
            Some(TypeSig::Array(of, rank)) => TypeExpr::Array(self.type_expr(*of, method), *rank),
            Some(TypeSig::Pointer(of)) => TypeExpr::Pointer(self.type_expr(*of, method)),
            Some(TypeSig::ByRef(of)) => TypeExpr::ByRef(self.type_expr(*of, method)),
            Some(TypeSig::Nullable(of)) => TypeExpr::Nullable(self.type_expr(*of, method)),
            Some(TypeSig::Tuple(elements)) => {
                let made: Vec<Element> = elements
                    .iter()
                    .map(|(name, ty)| Element {
                        name: self.text(*name),
                        ty: self.type_expr(*ty, method),
                        rest: false,
                    })
                    .collect();

                TypeExpr::Tuple(self.facts.add_list(made))
            }
        };

        let made = self.add_type(expr);
        self.types.insert((number, place), made);
        made
    }

    /// Reports whether a type mentions a type parameter.
    fn is_open(&self, number: TypeIndex) -> bool {
        match self.forms.get(number as usize) {
            Some(TypeSig::TypeParameter(_) | TypeSig::MethodParameter(_)) => true,
            Some(TypeSig::Named(_, segments)) => segments
                .iter()
                .any(|(_, args)| args.iter().any(|arg| self.is_open(*arg))),
            Some(
                TypeSig::Array(of, _)
                | TypeSig::Pointer(of)
                | TypeSig::ByRef(of)
                | TypeSig::Nullable(of),
            ) => self.is_open(*of),
            Some(TypeSig::Tuple(elements)) => elements.iter().any(|(_, ty)| self.is_open(*ty)),
            _ => false,
        }
    }

    fn named(
        &mut self,
        namespace: StringId,
        segments: &[(StringId, Vec<TypeIndex>)],
        method: ScopeId,
    ) -> TypeExpr {
        let mut made = vec![Segment {
            name: self.name(GLOBAL),
            args: List::default(),
        }];

        if namespace != 0 {
            made.push(Segment {
                name: self.text(namespace),
                args: List::default(),
            });
        }

        for (name, args) in segments {
            let args: Vec<TypeId> = args
                .iter()
                .map(|arg| self.type_expr(*arg, method))
                .collect();

            let args = self.facts.add_list(args);
            made.push(Segment {
                name: self.text(*name),
                args,
            });
        }

        TypeExpr::Name(self.facts.add_list(made), ScopeId(0))
    }

    /// Returns type parameter `index` of the enclosing types, counted from the outermost.
    fn type_parameter(&mut self, index: u16) -> TypeExpr {
        let mut index = usize::from(index);
        for around in self.around.clone() {
            let params = self.facts.decl(around.decl).type_params;
            if let Some(param) = self.facts.list(params).get(index) {
                let name = self.facts.decl(*param).name;
                return self.parameter_name(name, around.scope);
            }
            index -= params.len();
        }
        TypeExpr::Unknown
    }

    fn method_parameter(&mut self, index: u16, scope: ScopeId) -> TypeExpr {
        let owner = self.facts.scope(scope).owner;
        let params = self.facts.decl(owner).type_params;
        match self.facts.list(params).get(usize::from(index)) {
            Some(param) => {
                let name = self.facts.decl(*param).name;
                self.parameter_name(name, scope)
            }
            None => TypeExpr::Unknown,
        }
    }

    fn parameter_name(&mut self, name: Sym, scope: ScopeId) -> TypeExpr {
        TypeExpr::Name(
            self.facts.add_list([Segment {
                name,
                args: List::default(),
            }]),
            scope,
        )
    }
}

fn detail(access: Access) -> Detail {
    Detail {
        span: Span::default(),
        access: Some(access),
        parameters: Sym::NONE,
        type_text: Sym::NONE,
        doc: Sym::NONE,
        deprecated: false,
        accessors: Accessors::default(),
        explicit_interface: TypeId::NONE,
        body_hash: [0; 8],
    }
}

fn detail_of(traits: Traits) -> DetailId {
    if traits.has(Traits::PROTECTED) {
        PROTECTED
    } else {
        PUBLIC
    }
}

fn flags(traits: Traits) -> DeclFlags {
    let pairs = [
        (Traits::STATIC, DeclFlags::STATIC),
        (Traits::ABSTRACT, DeclFlags::ABSTRACT),
        (Traits::VIRTUAL, DeclFlags::VIRTUAL),
        (Traits::OVERRIDE, DeclFlags::OVERRIDE),
        (Traits::SEALED, DeclFlags::SEALED),
        (Traits::CONST, DeclFlags::CONST | DeclFlags::STATIC),
        (Traits::EXTENSION, DeclFlags::EXTENSION),
        (Traits::OPTIONAL, DeclFlags::OPTIONAL),
        (Traits::PARAMS, DeclFlags::REST),
        (Traits::REF, DeclFlags::REF),
        (Traits::OUT, DeclFlags::OUT),
        (Traits::IN, DeclFlags::IN),
    ];

    let set = pairs.iter().filter(|(own, _)| traits.has(*own));
    set.fold(DeclFlags::default(), |flags, (_, flag)| flags | *flag)
}
