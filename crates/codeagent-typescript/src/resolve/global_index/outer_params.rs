//! The outer type parameters that each declared function, object, mapped or conditional type of a
//! file can refer to, as the compiler determines them.
//!
//! An instantiation of such a type depends on the arguments of these type parameters and on nothing
//! else, so it carries only them (`types/instantiation`). They are found once per file, from the
//! names in its type nodes: a name of a type parameter counts for every declaration between the name
//! and the parameter's declaration. A type that depends on expressions (a function with a body, an
//! object literal, `typeof x`) may refer to every type parameter in scope.
//!
//! Limitations: a declaration that shadows a type parameter is ignored, so a set may be too large. In
//! JavaScript the sets are unknown, because comments declare type parameters outside of scopes.

use codeagent_model::facts::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// The outer type parameters of the types declared in one file.
#[derive(Default)]
pub struct OuterParams {
    /// By declaration, each list sorted. A declaration without an entry refers to none.
    decls: FxHashMap<DeclId, Vec<DeclId>>,
    /// By conditional type, each list sorted.
    conditionals: FxHashMap<TypeId, Vec<DeclId>>,
    is_unknown: bool,
}

impl OuterParams {
    /// Determines the outer type parameters of a file's types.
    pub fn new(facts: &Facts) -> Self {
        let mut finder = Finder::new(facts);
        if facts.header.dialect.is_javascript() {
            finder.found.is_unknown = true;
        } else if !finder.params.is_empty() {
            finder.add_names();
            finder.add_typed_by_expressions();
            finder.sort();
            finder.add_conditionals();
        }
        finder.found
    }

    /// The type parameters that a declaration can refer to; `None` if they are not known.
    pub fn of_decl(&self, decl: DeclId) -> Option<&[DeclId]> {
        (!self.is_unknown).then(|| self.decls.get(&decl).map_or(&[][..], Vec::as_slice))
    }

    /// The type parameters that a conditional type can refer to; `None` if they are not known.
    pub fn of_conditional(&self, ty: TypeId) -> Option<&[DeclId]> {
        (!self.is_unknown).then(|| self.conditionals.get(&ty).map_or(&[][..], Vec::as_slice))
    }
}

struct Finder<'f> {
    facts: &'f Facts,
    /// The type parameters by scope and name.
    params: FxHashMap<(ScopeId, Sym), DeclId>,
    /// The type parameters of each scope that declares some.
    of_scope: FxHashMap<ScopeId, Vec<DeclId>>,
    found: OuterParams,
}

impl<'f> Finder<'f> {
    fn new(facts: &'f Facts) -> Self {
        let mut finder = Self {
            facts,
            params: FxHashMap::default(),
            of_scope: FxHashMap::default(),
            found: OuterParams::default(),
        };
        for id in facts.decl_ids() {
            let decl = facts.decl(id);
            if decl.kind == DeclKind::TypeParam {
                finder.params.insert((decl.scope, decl.name), id);
                finder.of_scope.entry(decl.scope).or_default().push(id);
            }
        }
        finder
    }

    /// Adds what each name in a type node refers to, and all type parameters in the scope of each
    /// `typeof x`.
    fn add_names(&mut self) {
        for ty in &self.facts.types {
            match *ty {
                TypeExpr::Name(segments, scope) => {
                    if let Some(first) = self.facts.list(segments).first() {
                        self.add_name(first.name, scope);
                    }
                }
                TypeExpr::TypeOf(expr) => match self.scope_of(expr) {
                    Some(scope) => self.add_all_in(scope),
                    None => self.found.is_unknown = true,
                },
                _ => {}
            }
        }
    }

    fn add_name(&mut self, name: Sym, scope: ScopeId) {
        let Some((param, declaring)) = self.lookup(name, scope) else {
            return;
        };
        for owner in self.owners(scope, declaring) {
            self.found.decls.entry(owner).or_default().push(param);
        }
    }

    /// The type parameter that a name means, and the scope that declares it.
    fn lookup(&self, name: Sym, scope: ScopeId) -> Option<(DeclId, ScopeId)> {
        self.outward(scope).find_map(|outer| {
            let param = self.params.get(&(outer, name))?;
            Some((*param, outer))
        })
    }

    /// A scope and those around it.
    fn outward(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> + use<'f> {
        let facts = self.facts;
        std::iter::successors(scope.some(), move |scope| facts.scope(*scope).parent.some())
    }

    /// The declarations that open the scopes from one to another around it, without the last.
    fn owners(&self, from: ScopeId, to: ScopeId) -> Vec<DeclId> {
        self.outward(from)
            .take_while(|scope| *scope != to)
            .filter_map(|scope| self.facts.scope(scope).owner.some())
            .collect()
    }

    /// Adds every type parameter around a scope to all declarations inside of the parameter's own.
    fn add_all_in(&mut self, scope: ScopeId) {
        let outward: Vec<ScopeId> = self.outward(scope).collect();
        for outer in outward {
            let Some(params) = self.of_scope.get(&outer).cloned() else {
                continue;
            };
            for owner in self.owners(scope, outer) {
                self.found.decls.entry(owner).or_default().extend(&params);
            }
        }
    }

    /// The type parameters in a scope and around it.
    fn params_in(&self, scope: ScopeId) -> Vec<DeclId> {
        self.outward(scope)
            .filter_map(|outer| self.of_scope.get(&outer))
            .flatten()
            .copied()
            .collect()
    }

    /// The scope from which an expression is looked up.
    fn scope_of(&self, mut expr: ExprId) -> Option<ScopeId> {
        loop {
            match self.facts.expr(expr) {
                Expr::Name(_, scope, _) | Expr::ThisAt(_, scope, _) => return Some(scope),
                Expr::Member(inner, _) | Expr::Generic(inner, _) => {
                    expr = inner;
                }
                _ => return None,
            }
        }
    }

    /// Adds all type parameters in scope to functions with bodies and to object literals.
    fn add_typed_by_expressions(&mut self) {
        for id in self.facts.decl_ids() {
            let decl = self.facts.decl(id);
            let by_expressions = decl.flags.has(DeclFlags::HAS_BODY)
                || matches!(decl.kind, DeclKind::Lambda | DeclKind::ObjectLiteral);
            if by_expressions {
                let params = self.params_in(decl.scope);
                if !params.is_empty() {
                    self.found.decls.insert(id, params);
                }
            }
        }
    }

    fn sort(&mut self) {
        for params in self.found.decls.values_mut() {
            params.sort_unstable();
            params.dedup();
        }
    }

    fn add_conditionals(&mut self) {
        for number in 0..self.facts.types.len() as u32 {
            let ty = TypeId(number);
            if let TypeExpr::Conditional(parts) = self.facts.type_expr(ty) {
                let mut params = FxHashSet::default();
                self.add_conditional(parts, &mut params);

                let mut params: Vec<DeclId> = params.into_iter().collect();
                params.sort_unstable();
                self.found.conditionals.insert(ty, params);
            }
        }
    }

    /// Adds what a conditional type refers to, without what its own `infer`s declare.
    fn add_conditional(&mut self, parts: List<TypeId>, params: &mut FxHashSet<DeclId>) {
        let (parts, own) = self
            .facts
            .list(parts)
            .split_at_checked(4)
            .unwrap_or_default();
        let mut inner = FxHashSet::default();
        for &part in parts {
            self.add_type(part, &mut inner);
        }
        for &infer in own {
            if let TypeExpr::Infer(decl) = self.facts.type_expr(infer) {
                inner.remove(&decl);
            }
        }
        params.extend(inner);
    }

    /// Adds what a type node refers to.
    fn add_type(&mut self, ty: TypeId, params: &mut FxHashSet<DeclId>) {
        match self.facts.type_expr(ty) {
            TypeExpr::Name(segments, scope) => {
                let segments = self.facts.list(segments);
                if let Some(first) = segments.first() {
                    params.extend(self.lookup(first.name, scope).map(|found| found.0));
                }
                self.add_args(segments, params);
            }
            TypeExpr::Import(_, segments) => self.add_args(self.facts.list(segments), params),

            TypeExpr::Array(inner, _)
            | TypeExpr::Nullable(inner)
            | TypeExpr::Pointer(inner)
            | TypeExpr::ByRef(inner)
            | TypeExpr::KeyOf(inner)
            | TypeExpr::Predicate(_, inner, _) => self.add_type(inner, params),
            TypeExpr::Indexed(object, key) => {
                self.add_type(object, params);
                self.add_type(key, params);
            }
            TypeExpr::Tuple(elements) => {
                for element in self.facts.list(elements) {
                    self.add_type(element.ty, params);
                }
            }
            TypeExpr::Union(list) | TypeExpr::Intersection(list) | TypeExpr::Template(list) => {
                for &part in self.facts.list(list) {
                    self.add_type(part, params);
                }
            }

            TypeExpr::Conditional(parts) => self.add_conditional(parts, params),
            TypeExpr::Function(decl) | TypeExpr::Object(decl) | TypeExpr::Mapped(decl) => {
                params.extend(self.found.decls.get(&decl).into_iter().flatten());
            }
            TypeExpr::Infer(decl) => {
                params.insert(decl);
                for base in self.facts.list(self.facts.decl(decl).bases) {
                    self.add_type(base.ty, params);
                }
            }

            TypeExpr::TypeOf(expr) | TypeExpr::Heritage(expr, _) => match self.scope_of(expr) {
                Some(scope) => params.extend(self.params_in(scope)),
                None => self.found.is_unknown = true,
            },
            TypeExpr::Unknown | TypeExpr::Primitive(_) | TypeExpr::This | TypeExpr::Literal(..) => {
            }
        }
    }

    fn add_args(&mut self, segments: &[Segment], params: &mut FxHashSet<DeclId>) {
        for segment in segments {
            for &arg in self.facts.list(segment.args) {
                self.add_type(arg, params);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use codeagent_model::graph::Dialect;

    use super::*;
    use crate::LANGUAGES;

    /// The types of a text and the type parameters they refer to, in source order.
    fn found(dialect: Dialect, text: &str) -> Vec<String> {
        let facts = LANGUAGES.extract(text, dialect, &[]);
        let outer = OuterParams::new(&facts);
        let names = |params: Option<&[DeclId]>| match params {
            Some(params) => {
                let names: Vec<&str> = params.iter().map(|id| facts.decl_name(*id)).collect();
                names.join(" ")
            }
            None => "?".to_owned(),
        };

        let declared = facts.decl_ids().filter_map(|id| {
            let is_type = matches!(
                facts.decl(id).kind,
                DeclKind::FunctionType
                    | DeclKind::ObjectType
                    | DeclKind::ObjectLiteral
                    | DeclKind::MappedType
                    | DeclKind::Method
                    | DeclKind::Lambda
            );
            is_type.then(|| format!("{:?}: {}", facts.decl(id).kind, names(outer.of_decl(id))))
        });
        let conditionals = (0..facts.types.len() as u32).map(TypeId).filter_map(|ty| {
            let is_conditional = matches!(facts.type_expr(ty), TypeExpr::Conditional(_));
            is_conditional.then(|| format!("Conditional: {}", names(outer.of_conditional(ty))))
        });

        declared.chain(conditionals).collect()
    }

    #[test]
    fn a_type_refers_to_the_type_parameters_that_it_names() {
        let cases: &[(&str, &[&str])] = &[
            ("type A<T, U> = { a: T };", &["ObjectType: T"]),
            ("type A<T> = {};", &["ObjectType: "]),
            ("type A<T> = { a: Map<string, T[]> };", &["ObjectType: T"]),
            (
                "type A<T, U> = { a: T; f: (u: U) => void };",
                &["ObjectType: T U", "FunctionType: U"],
            ),
            ("type A<T> = <T>(value: T) => T;", &["FunctionType: "]),
            (
                "type A<T, U> = { [K in keyof T]: { k: K; u: U } };",
                &["MappedType: T U", "ObjectType: U K"],
            ),
            (
                "interface A<T> { m<U>(u: U): T; n<U>(u: U): { u: U } }",
                &["Method: T", "Method: ", "ObjectType: U"],
            ),
            (
                "type A<T, U, V> = T extends (infer E)[] ? { e: E; u: U } : V;",
                &["ObjectType: U E", "Conditional: T U V"],
            ),
            (
                "type A<T> = T extends (infer E)[] ? E extends 1 ? T : E : 0;",
                &["Conditional: T E", "Conditional: T"],
            ),
        ];

        for (text, expected) in cases {
            assert_eq!(found(Dialect::Ts, text), *expected, "{text}");
        }
    }

    #[test]
    fn types_of_expressions_may_refer_to_all_type_parameters_in_scope() {
        let cases: &[(&str, &[&str])] = &[
            (
                "function f<T, U>(t: T) { return { t }; }",
                &["ObjectLiteral: T U"],
            ),
            (
                "function f<T>() { return <U>(u: U) => ({ u }); }",
                &["Lambda: T", "ObjectLiteral: T U"],
            ),
            (
                "declare function f<T>(t: T): { a: typeof t };",
                &["ObjectType: T"],
            ),
            (
                "declare function f<T>(t: { of: T }): { a: typeof t.of };",
                &["ObjectType: T", "ObjectType: T"],
            ),
            ("class A<T> { m() { return 1; } }", &["Method: T"]),
        ];

        for (text, expected) in cases {
            assert_eq!(found(Dialect::Ts, text), *expected, "{text}");
        }
    }

    #[test]
    fn nothing_is_known_about_javascript() {
        let text = "/** @template T */ class A { /** @returns {T} */ m() { return {}; } }";
        assert_eq!(found(Dialect::Js, text), ["Method: ?", "ObjectLiteral: ?"]);
    }
}
