//! JSDoc: the types of parameters, results, variables and casts, and the type aliases that comments
//! declare.
//!
//! `@param {A} x`, `@returns {B}`, `@type {C}`, `@this {D}`, `@template {E} T` and `@extends
//! {F<T>}` apply to the declaration after the comment. `@typedef`, `@callback` and `@import`
//! declare type aliases for the whole file; other files can import them.
//!
//! Limitations: `@overload`, `@enum` and `@satisfies` are read by `doc_overloads`. A type declared
//! inside a function is visible in the whole file.

use codeagent_model::facts::*;

use crate::javascript::doc_tags::{Tag, Tags, is_name, skip_blank, tags};
use crate::javascript::doc_types::{take, take_name};
use crate::lower::lowering::Lowering;
use crate::lower::signature_text::comment_before;
use crate::syntax::syntax::{Child, Kind};

/// Tags that declare types.
const DECLARING: [&str; 3] = ["@typedef", "@callback", "@import"];

#[derive(Clone, Copy)]
pub struct DocumentedParameter {
    /// Its type, `NONE` if undocumented.
    pub ty: TypeId,
    pub optional: bool,
}

impl<'t, 'tree> Lowering<'t, 'tree> {
    pub fn tags_before(&self, start: usize) -> Vec<Tag<'t>> {
        if !self.javascript {
            return Vec::new();
        }
        comment_before(self.b.text, start).map_or_else(Vec::new, tags)
    }

    /// Returns the type in the comment before `start`, for a variable, a property or a
    /// parenthesized expression.
    pub fn documented_variable(&mut self, start: usize) -> TypeId {
        let found = self
            .tags_before(start)
            .into_iter()
            .find(|tag| tag.name == "type")
            .and_then(|tag| tag.ty);
        match found {
            Some(ty) if ty.trim() != "const" => self.documented_type(ty),
            _ => TypeId::NONE,
        }
    }

    /// Lowers a parenthesized expression, cast to the type in the comment before it, if any.
    pub fn uncast(&mut self, value: Child<'tree>) -> Child<'tree> {
        let is_cast = |tag: &Tag<'_>| matches!(tag.name, "type" | "satisfies");
        let mut value = value;
        while value.kind == Kind::ParenthesizedExpression
            && !self.tags_before(value.start()).iter().any(is_cast)
        {
            let Some(inner) = self.children(value).first() else {
                break;
            };
            value = inner;
        }
        value
    }

    /// Returns the tags of a function: of the first comment that precedes one of these positions
    /// (its declaration, its statement, the function itself).
    pub fn function_tags(&mut self, starts: [Option<usize>; 3]) -> Tags<'t> {
        if !self.javascript {
            return Tags::default();
        }
        let found = starts
            .into_iter()
            .flatten()
            .map(|start| self.tags_before(start))
            .find(|tags| !tags.is_empty());
        Tags::new(found.unwrap_or_default())
    }

    /// Applies the tags of a function that precede its parameters: type parameters, `this`, the
    /// whole type.
    pub fn document_head(&mut self, function: DeclId) {
        let tags = std::mem::take(&mut self.script.doc);
        self.document_type_parameters(function, tags.all());

        for tag in tags.all() {
            if matches!(tag.name, "class" | "constructor")
                && matches!(
                    self.b.decl(function).kind,
                    DeclKind::Function | DeclKind::Lambda
                )
            {
                self.b.decl(function).flags.insert(DeclFlags::CONSTRUCTS);
            }

            let Some(text) = tag.ty else { continue };

            match tag.name {
                "this" => {
                    let ty = self.documented_type(text);
                    self.this = self.b.expr(Expr::Cast(ty));
                }
                "type" if self.b.decl(function).kind == DeclKind::Getter => {
                    let ty = self.documented_type(text);
                    self.b.decl(function).ty = ty;
                }
                "type" if self.b.decl(function).context == Context::None => {
                    let ty = self.documented_type(text);
                    self.b.decl(function).context = Context::Typed(ty);
                }
                _ => {}
            }
        }

        self.script.doc = tags;
    }

    /// Applies the tags about a function's result.
    pub fn document_result(&mut self, function: DeclId) {
        let decl = self.b.decl(function);
        if !decl.ty.is_none() || matches!(decl.kind, DeclKind::Constructor | DeclKind::Setter) {
            return;
        }
        if let Some(text) = returned(self.script.doc.all()) {
            let ty = self.documented_type(text);
            self.b.decl(function).ty = ty;
        }
    }

    /// Returns the documentation of parameter `index`, which is `name` or a pattern.
    pub fn documented_parameter(
        &mut self,
        index: usize,
        name: Option<&str>,
        start: usize,
    ) -> DocumentedParameter {
        let Some(tag) = self.script.doc.parameter(index, name) else {
            return DocumentedParameter {
                ty: self.documented_variable(start),
                optional: false,
            };
        };
        let tags = std::mem::take(&mut self.script.doc);
        let verdict = self.parameter_said(tag, &tags);
        self.script.doc = tags;
        verdict
    }

    fn parameter_said(&mut self, tag: Tag<'t>, tags: &Tags<'t>) -> DocumentedParameter {
        let (name, optional) = tag.target();
        let Some(text) = tag.ty else {
            return DocumentedParameter {
                ty: TypeId::NONE,
                optional,
            };
        };
        let text = text.trim();
        let at = self.documented_at(text);
        let properties = if is_object(text) {
            self.documented_properties(tags.parts_of(name), at)
        } else {
            None
        };
        let ty = match properties {
            Some(ty) => ty,
            None => self.documented_type(text),
        };
        let ty = if text.starts_with("...") {
            self.b.type_expr(TypeExpr::Array(ty, 1))
        } else {
            ty
        };

        DocumentedParameter {
            ty,
            optional: optional || text.ends_with('='),
        }
    }

    /// Declares the type parameters of `@template {Bound} T, U` for a function, class or alias
    /// whose scope is open.
    fn document_type_parameters(&mut self, of: DeclId, tags: &[Tag<'t>]) {
        let mut params: Vec<DeclId> = self
            .b
            .facts
            .list(self.b.facts.decl(of).type_params)
            .to_vec();
        let before = params.len();
        for tag in tags.iter().filter(|tag| tag.name == "template") {
            self.documented_templates(*tag, &mut params);
        }
        if params.len() > before {
            self.b.decl(of).type_params = self.b.facts.add_list(params);
        }
    }

    fn documented_templates(&mut self, tag: Tag<'t>, params: &mut Vec<DeclId>) {
        let mut rest = skip_blank(tag.rest);
        rest = rest.strip_prefix("const ").map_or(rest, skip_blank);

        let first = params.len();

        loop {
            let bracket = take(&mut rest, "[").is_some();
            rest = skip_blank(rest);

            let at = self.documented_at(rest);

            let Some(name) = take_name(&mut rest) else {
                break;
            };

            let param = self.documented_type_parameter(name, at);
            params.push(param);

            if bracket {
                let end = rest.find(']').unwrap_or(rest.len());
                if let Some(default) = skip_blank(&rest[..end]).strip_prefix('=') {
                    let ty = self.documented_type(default);
                    self.b.decl(param).ty = ty;
                }
                rest = rest.get(end + 1..).unwrap_or("");
            }

            if take(&mut rest, ",").is_none() {
                break;
            }
        }

        if let (Some(bound), Some(param)) = (tag.ty, params.get(first).copied()) {
            let at = self.documented_at(bound);
            let bound = self.documented_type(bound);
            self.bound_documented(param, bound, at);
        }
    }

    /// Applies the comment before a class: type parameters, the arguments of its base class,
    /// implemented types.
    pub fn document_class(&mut self, class: DeclId, start: usize) {
        let tags = self.tags_before(start);
        if tags.is_empty() {
            return;
        }

        self.document_type_parameters(class, &tags);

        let mut bases: Vec<Base> = self.b.facts.list(self.b.facts.decl(class).bases).to_vec();
        for tag in &tags {
            let Some(text) = tag.ty else { continue };
            match tag.name {
                "extends" | "augments" => {
                    let ty = self.documented_type(text);
                    if let Some(base) = bases
                        .iter_mut()
                        .find(|base| base.clause == BaseClause::Extends && !ty.is_none())
                    {
                        base.ty = ty;
                    }
                }
                "implements" => {
                    let ty = self.documented_type(text);
                    let at = self.documented_at(text);
                    self.add_base(
                        Base {
                            clause: BaseClause::Implements,
                            ty,
                            at,
                        },
                        class,
                        &mut bases,
                    );
                }
                _ => {}
            }
        }

        self.b.decl(class).bases = self.b.facts.add_list(bases);
    }

    /// Declares the type aliases in the file's comments.
    pub fn declare_documented_types(&mut self) {
        let text = self.b.text;
        self.script.has_overloads = self.javascript && text.contains("@overload");

        if !self.javascript || !DECLARING.iter().any(|tag| text.contains(tag)) {
            return;
        }

        let mut from = 0;
        while let Some(found) = text[from..].find("/**") {
            let start = from + found + 3;
            let Some(length) = text[start..].find("*/") else {
                break;
            };
            let comment = &text[start..start + length];
            from = start + length + 2;
            if DECLARING.iter().any(|tag| comment.contains(tag)) {
                self.declare_types_of(&tags(comment));
            }
        }
    }

    fn declare_types_of(&mut self, tags: &[Tag<'t>]) {
        let declares = |tag: &Tag<'t>| matches!(tag.name, "typedef" | "callback" | "import");

        let mut before = 0;
        for index in 0..tags.len() {
            if !declares(&tags[index]) {
                continue;
            }

            let end = tags[index + 1..]
                .iter()
                .position(declares)
                .map_or(tags.len(), |next| index + 1 + next);

            if tags[index].name == "import" {
                self.documented_imports(tags[index]);
            } else {
                let own = if tags[before..index].iter().any(|tag| tag.name == "template") {
                    before
                } else {
                    index
                };
                self.documented_alias(tags[index], &tags[own..end]);
            }

            before = end;
        }
    }

    /// Declares `@typedef {A} Name` or `@callback Name` with the tags that belong to it.
    fn documented_alias(&mut self, tag: Tag<'t>, group: &[Tag<'t>]) {
        let (name, _) = tag.target();
        if name.is_empty() || name.contains('.') {
            return;
        }

        let at = self.documented_at(name);
        let sym = self.b.sym(name);
        let id = self
            .b
            .declare(sym, DeclKind::TypeAlias, DeclFlags::EXPORT, at);
        let scope = self.b.scope;
        let inner = self.b.open_scope(ScopeKind::TypeParams, id);

        self.b.decl(id).inner = inner;
        self.document_type_parameters(id, group);

        let ty = match tag.ty.map(str::trim) {
            None if tag.name == "callback" => self.documented_callback(group, id),
            Some(text) if !is_object(text) => self.documented_type(text),
            _ => {
                let property = |tag: &&Tag<'t>| {
                    matches!(tag.name, "property" | "prop") && !tag.target().0.contains('.')
                };
                let properties: Vec<_> = group.iter().filter(property).copied().collect();
                match self.documented_properties(&properties, at) {
                    Some(ty) => ty,
                    None => self.b.primitive("any"),
                }
            }
        };

        self.b.decl(id).ty = ty;
        self.b.scope = scope;
    }

    fn documented_callback(&mut self, group: &[Tag<'t>], alias: DeclId) -> TypeId {
        let at = self.b.decl(alias).at;
        let id = self
            .b
            .declare(Sym::NONE, DeclKind::FunctionType, DeclFlags::default(), at);
        // Its type parameters are those of the alias.
        let group: Vec<_> = group
            .iter()
            .filter(|tag| tag.name != "template")
            .copied()
            .collect();
        self.tagged_signature(id, &group);
        self.b.type_expr(TypeExpr::Function(id))
    }

    /// Sets the parameters and the result of a function type or overload as tags describe them.
    pub fn tagged_signature(&mut self, id: DeclId, group: &[Tag<'t>]) {
        let scope = self.b.scope;
        let inner = self.b.open_scope(ScopeKind::Function, id);
        self.b.decl(id).inner = inner;
        self.document_type_parameters(id, group);

        let mut params = Vec::new();
        let tags = Tags::new(group.to_vec());
        for tag in tags.parameters() {
            let (name, _) = tag.target();
            let at = self.documented_at(name);
            let DocumentedParameter { ty, optional } = self.parameter_said(*tag, &tags);
            let mut flags = if optional {
                DeclFlags::OPTIONAL
            } else {
                DeclFlags::default()
            };
            if tag.ty.is_some_and(|ty| ty.trim().starts_with("...")) {
                flags.insert(DeclFlags::REST);
            }
            let name = self.b.sym(name);
            let param = self.b.declare(name, DeclKind::Parameter, flags, at);
            self.b.decl(param).ty = ty;
            params.push(param);
        }

        self.b.decl(id).params = self.b.facts.add_list(params);

        if let Some(text) = returned(group) {
            let ty = self.documented_type(text);
            self.b.decl(id).ty = ty;
        }

        self.b.scope = scope;
    }

    /// Declares the imports of `@import A, { B, C as D } from "m"`.
    fn documented_imports(&mut self, tag: Tag<'t>) {
        let text = tag.ty.unwrap_or_default();
        let Some((head, module)) = tag.rest.split_once("from") else {
            return;
        };

        let module =
            module.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '*'));
        let module = self.b.sym(module);
        let (head, braces) = match head.split_once('{') {
            Some((head, names)) => (head, names.split('}').next().unwrap_or("")),
            None => (head, text),
        };
        let default = head.trim().trim_end_matches(',').trim();
        if !default.is_empty() && default.chars().all(is_name) {
            self.documented_import("default", default, module);
        }

        // A line of the comment begins with `*`.
        let is_blank = |c: char| c.is_whitespace() || c == '*';
        for part in braces.split(',').map(|part| part.trim_matches(is_blank)) {
            let (name, local) = part.split_once(" as ").unwrap_or((part, part));
            if !name.is_empty() {
                self.documented_import(name.trim(), local.trim(), module);
            }
        }
    }

    fn documented_import(&mut self, name: &str, local: &'t str, module: Sym) {
        let at = self.documented_at(local);
        let sym = self.b.sym(local);
        let id = self
            .b
            .declare(sym, DeclKind::TypeAlias, DeclFlags::default(), at);
        let name = self.b.sym_owned(name);
        let list = self.b.facts.add_list([Segment {
            name,
            args: List::default(),
        }]);
        let ty = self.b.type_expr(TypeExpr::Import(module, list));
        self.b.decl(id).ty = ty;
    }
}

fn returned<'t>(tags: &[Tag<'t>]) -> Option<&'t str> {
    tags.iter()
        .find(|tag| matches!(tag.name, "returns" | "return"))
        .and_then(|tag| tag.ty)
}

/// Reports whether a type only announces properties (`Object`).
fn is_object(text: &str) -> bool {
    matches!(text, "Object" | "object")
}
