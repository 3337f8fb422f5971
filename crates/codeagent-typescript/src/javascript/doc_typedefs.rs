//! Function and object types in doc comments, including those assembled from several tags:
//! `@callback`, `@property {A} b`.
//!
//! Limitations: the members of these types are not nodes. For a destructured parameter only its
//! type is used.

use codeagent_model::facts::*;
use codeagent_model::span::Position;

use crate::javascript::doc_tags::{Tag, skip_blank};
use crate::javascript::doc_types::{closing, labelled, take, take_name, take_word};
use crate::lower::lowering::Lowering;

impl<'t, 'tree> Lowering<'t, 'tree> {
    /// Parses `(a: A, b?: B) => C`, `<T>(a: T) => T`, or after `function` `(A, B): C`.
    pub fn documented_function(
        &mut self,
        rest: &mut &'t str,
        depth: u8,
        construct: bool,
    ) -> Option<TypeId> {
        let at = self.documented_at(rest);
        let name = if construct {
            self.b.sym_owned("new")
        } else {
            Sym::NONE
        };
        let id = self
            .b
            .declare(name, DeclKind::FunctionType, DeclFlags::default(), at);
        self.documented_signature(rest, id, depth)?;

        Some(self.b.type_expr(TypeExpr::Function(id)))
    }

    /// Parses `<T>(a: A): B` into a declaration.
    fn documented_signature(&mut self, rest: &mut &'t str, id: DeclId, depth: u8) -> Option<()> {
        let scope = self.b.scope;
        let inner = self.b.open_scope(ScopeKind::Function, id);
        self.b.decl(id).inner = inner;

        let parts = self.documented_parts(rest, id, depth);
        self.b.scope = scope;
        parts
    }

    fn documented_parts(&mut self, rest: &mut &'t str, id: DeclId, depth: u8) -> Option<()> {
        let depth = depth.checked_sub(1)?;

        if take(rest, "<").is_some() {
            let mut params = Vec::new();
            while take(rest, ">").is_none() {
                *rest = skip_blank(rest);
                let at = self.documented_at(rest);
                let name = take_name(rest)?;
                let param = self.documented_type_parameter(name, at);
                if take_word(rest, "extends") {
                    let bound = self.documented_whole(rest, depth)?;
                    self.bound_documented(param, bound, at);
                }
                if take(rest, "=").is_some() {
                    let default = self.documented_whole(rest, depth)?;
                    self.b.decl(param).ty = default;
                }
                params.push(param);
                let _ = take(rest, ",");
            }

            self.b.decl(id).type_params = self.b.facts.add_list(params);
        }

        take(rest, "(")?;

        let mut params = Vec::new();
        while take(rest, ")").is_none() {
            let param = self.documented_parameter_type(rest, depth)?;
            params.extend(param);
            if take(rest, ",").is_none() && !skip_blank(rest).starts_with(')') {
                return None;
            }
        }

        self.b.decl(id).params = self.b.facts.add_list(params);

        if take(rest, "=>").is_some() || take(rest, ":").is_some() {
            let ty = self.documented_whole(rest, depth)?;
            self.b.decl(id).ty = ty;
        }

        Some(())
    }

    /// Parses one parameter of a function type; `this` is not a parameter.
    fn documented_parameter_type(
        &mut self,
        rest: &mut &'t str,
        depth: u8,
    ) -> Option<Option<DeclId>> {
        *rest = skip_blank(rest);
        let at = self.documented_at(rest);

        let mut flags = DeclFlags::default();
        if rest.starts_with("...") {
            flags.insert(DeclFlags::REST);
        }

        let mut name = Sym::NONE;
        if let Some((label, after)) = labelled(rest) {
            if rest[..rest.len() - after.len()].contains('?') {
                flags.insert(DeclFlags::OPTIONAL);
            }
            *rest = after;
            if matches!(label, "this" | "new") {
                self.documented_whole(rest, depth)?;
                return Some(None);
            }
            name = self.b.sym(label);
        } else if rest.starts_with(['{', '['])
            && let Some(end) = closing(rest)
            && let Some(after) = skip_blank(&rest[end..]).strip_prefix(':')
        {
            *rest = after;
        }

        let id = self.b.declare(name, DeclKind::Parameter, flags, at);
        let ty = self.documented_whole(rest, depth)?;
        let decl = self.b.decl(id);
        decl.ty = ty;

        Some(Some(id))
    }

    /// Parses `{ a: A, b?: B, c(d: D): E, [key: string]: F }` or `{ [K in Keys]: V }`.
    pub fn documented_object(&mut self, rest: &mut &'t str, depth: u8) -> Option<TypeId> {
        let depth = depth.checked_sub(1)?;
        let at = self.documented_at(rest);
        take(rest, "{")?;

        let inner = skip_blank(rest);
        let inner = skip_blank(inner.strip_prefix("readonly ").unwrap_or(inner));
        if let Some(mut key) = inner.strip_prefix('[')
            && let Some(name) = take_name(&mut key)
            && take_word(&mut key, "in")
        {
            *rest = key;
            return self.documented_mapped(rest, depth, name, at);
        }

        let scope = self.b.scope;
        let id = self.open_documented_object(at);
        let members = self.documented_members(rest, depth);
        self.b.scope = scope;
        members?;

        Some(self.b.type_expr(TypeExpr::Object(id)))
    }

    fn open_documented_object(&mut self, at: Position) -> DeclId {
        let id = self
            .b
            .declare(Sym::NONE, DeclKind::ObjectType, DeclFlags::default(), at);
        let inner = self.b.open_scope(ScopeKind::Object, id);
        self.b.decl(id).inner = inner;
        id
    }

    fn documented_members(&mut self, rest: &mut &'t str, depth: u8) -> Option<()> {
        while take(rest, "}").is_none() {
            *rest = skip_blank(rest);
            let at = self.documented_at(rest);

            if rest.starts_with('[') {
                let end = closing(rest)?;
                *rest = &rest[end..];
                take(rest, ":")?;
                let id = self
                    .b
                    .declare(Sym::NONE, DeclKind::IndexSignature, DeclFlags::MEMBER, at);
                let ty = self.documented_whole(rest, depth)?;
                self.b.decl(id).ty = ty;
            } else if let Some((kind, signature)) = nameless_signature(rest) {
                *rest = signature;
                let id = self.b.declare(Sym::NONE, kind, DeclFlags::MEMBER, at);
                self.documented_signature(rest, id, depth)?;
            } else {
                self.documented_member(rest, depth, at)?;
            }

            if take(rest, ",").is_none()
                && take(rest, ";").is_none()
                && !skip_blank(rest).starts_with('}')
            {
                return None;
            }
        }

        Some(())
    }

    fn documented_member(&mut self, rest: &mut &'t str, depth: u8, at: Position) -> Option<()> {
        if rest.starts_with("readonly ") {
            take_word(rest, "readonly");
            *rest = skip_blank(rest);
        }

        let name = match rest
            .chars()
            .next()
            .filter(|first| matches!(first, '"' | '\''))
        {
            Some(quote) => {
                let length = rest[1..].find(quote)?;
                let name = &rest[1..=length];
                *rest = &rest[length + 2..];
                name
            }
            None => take_name(rest)?,
        };

        let name = self.b.name_sym(name);

        let mut flags = DeclFlags::MEMBER;
        if take(rest, "?").is_some() {
            flags.insert(DeclFlags::OPTIONAL);
        }

        let id = self.b.declare(name, DeclKind::Property, flags, at);
        let next = skip_blank(rest);

        let ty = if next.starts_with(['(', '<']) {
            self.documented_function(rest, depth, false)?
        } else if take(rest, ":").is_some() {
            self.documented_whole(rest, depth)?
        } else {
            TypeId::NONE
        };

        self.b.decl(id).ty = ty;

        Some(())
    }

    fn documented_mapped(
        &mut self,
        rest: &mut &'t str,
        depth: u8,
        name: &'t str,
        at: Position,
    ) -> Option<TypeId> {
        let id = self
            .b
            .declare(Sym::NONE, DeclKind::MappedType, DeclFlags::default(), at);
        let scope = self.b.scope;
        let inner = self.b.open_scope(ScopeKind::TypeParams, id);

        self.b.decl(id).inner = inner;

        let key = self.documented_type_parameter(name, at);
        self.b.decl(id).type_params = self.b.facts.add_list([key]);

        let ty = self.documented_mapped_parts(rest, depth, key, at);
        self.b.scope = scope;
        self.b.decl(id).ty = ty?;

        Some(self.b.type_expr(TypeExpr::Mapped(id)))
    }

    fn documented_mapped_parts(
        &mut self,
        rest: &mut &'t str,
        depth: u8,
        key: DeclId,
        at: Position,
    ) -> Option<TypeId> {
        let keys = self.documented_whole(rest, depth)?;
        self.bound_documented(key, keys, at);
        take(rest, "]")?;
        *rest = skip_blank(rest).trim_start_matches(['-', '+', '?']);
        take(rest, ":")?;
        let ty = self.documented_whole(rest, depth)?;
        let _ = take(rest, ";").or_else(|| take(rest, ","));
        take(rest, "}")?;
        Some(ty)
    }

    /// Declares a type parameter in the current scope.
    pub fn documented_type_parameter(&mut self, name: &'t str, at: Position) -> DeclId {
        let name = self.b.sym(name);
        self.b
            .declare(name, DeclKind::TypeParam, DeclFlags::default(), at)
    }

    /// Sets the constraint of a type parameter.
    pub fn bound_documented(&mut self, param: DeclId, bound: TypeId, at: Position) {
        if !bound.is_none() {
            let base = Base {
                clause: BaseClause::Constraint,
                ty: bound,
                at,
            };
            self.b.decl(param).bases = self.b.facts.add_list([base]);
        }
    }

    /// Returns the object type assembled from tags (`@property {A} b`, or `@param {A} options.b`);
    /// `NONE` if they name no property.
    pub fn documented_properties(&mut self, tags: &[Tag<'t>], at: Position) -> Option<TypeId> {
        let named = |tag: &Tag<'t>| {
            let (path, optional) = tag.target();
            let name = path.rsplit('.').next().unwrap_or(path);
            (name, optional)
        };
        if tags.iter().all(|tag| named(tag).0.is_empty()) {
            return None;
        }

        let scope = self.b.scope;
        let id = self.open_documented_object(at);

        for tag in tags {
            let (name, optional) = named(tag);
            if name.is_empty() {
                continue;
            }
            let at = self.documented_at(name);
            let name = self.b.name_sym(name);
            let flags = if optional {
                DeclFlags::MEMBER | DeclFlags::OPTIONAL
            } else {
                DeclFlags::MEMBER
            };
            let property = self.b.declare(name, DeclKind::Property, flags, at);
            let ty = tag.ty.map_or(TypeId::NONE, |ty| self.documented_type(ty));
            self.b.decl(property).ty = ty;
        }

        self.b.scope = scope;

        Some(self.b.type_expr(TypeExpr::Object(id)))
    }
}

/// Returns the kind of a member without a name, and its text from the parameters on.
fn nameless_signature(text: &str) -> Option<(DeclKind, &str)> {
    let is_signature = |text: &str| text.starts_with(['(', '<']);
    if is_signature(text) {
        return Some((DeclKind::CallSignature, text));
    }
    let constructed = skip_blank(text.strip_prefix("new")?);
    is_signature(constructed).then_some((DeclKind::ConstructSignature, constructed))
}
