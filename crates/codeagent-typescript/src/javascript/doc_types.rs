//! Parser for the types in doc comments: TypeScript's syntax and the older Closure forms
//! `function(A, B=): C`, `Array.<T>`, `?T`, `*`.
//!
//! Limitations: the names in these types are not sites. A part that cannot be parsed makes the
//! whole type unknown.

use codeagent_model::facts::*;
use codeagent_model::span::Position;

use crate::javascript::doc_tags::{is_name, skip_blank};
use crate::lower::lowering::Lowering;

const KEYWORDS: [&str; 12] = [
    "string",
    "number",
    "boolean",
    "any",
    "unknown",
    "void",
    "never",
    "object",
    "undefined",
    "null",
    "bigint",
    "symbol",
];
const MAX_DEPTH: u8 = 24;

/// The text of a type that has not been parsed yet.
type Rest<'r, 't> = &'r mut &'t str;

impl<'t, 'tree> Lowering<'t, 'tree> {
    /// Parses a type in braces; `NONE` if it cannot be parsed.
    pub fn documented_type(&mut self, text: &'t str) -> TypeId {
        let mut rest = text.trim_end().trim_end_matches(['=', '?']);
        let ty = self.documented_whole(&mut rest, MAX_DEPTH);
        if skip_blank(rest).is_empty() {
            ty.unwrap_or(TypeId::NONE)
        } else {
            TypeId::NONE
        }
    }

    /// Returns the position of the rest in the file.
    pub fn documented_at(&self, rest: &str) -> Position {
        let offset = (rest.as_ptr() as usize).saturating_sub(self.b.text.as_ptr() as usize);
        self.b.position(offset)
    }

    /// Parses a type with its unions and intersections; `None` if there is none, or if it is nested
    /// deeper than `depth`.
    pub fn documented_whole(&mut self, rest: Rest<'_, 't>, depth: u8) -> Option<TypeId> {
        let depth = depth.checked_sub(1)?;
        let scope = self.b.scope;
        let checked = self.documented_list(rest, depth, '|')?;
        if !take_word(rest, "extends") {
            return Some(checked);
        }
        self.b.open_scope(ScopeKind::TypeParams, DeclId::NONE);
        let ty = self.documented_condition(rest, depth, checked);
        self.b.scope = scope;
        ty
    }

    /// Parses `A extends B ? C : D` after `extends`.
    fn documented_condition(
        &mut self,
        rest: Rest<'_, 't>,
        depth: u8,
        checked: TypeId,
    ) -> Option<TypeId> {
        let (scope, first) = (self.b.scope, self.b.facts.decls.len());
        let bound = self.documented_list(rest, depth, '|')?;
        take(rest, "?")?;

        let yes = self.documented_whole(rest, depth)?;
        take(rest, ":")?;

        let no = self.documented_whole(rest, depth)?;
        let mut parts = vec![checked, bound, yes, no];
        let inferred =
            (first..self.b.facts.decls.len()).filter(|id| self.b.facts.decls[*id].scope == scope);
        let inferred: Vec<_> = inferred
            .filter(|id| self.b.facts.decls[*id].kind == DeclKind::TypeParam)
            .collect();

        parts.extend(
            inferred
                .into_iter()
                .map(|id| self.b.type_expr(TypeExpr::Infer(DeclId(id as u32)))),
        );

        let list = self.b.facts.add_list(parts);
        Some(self.b.type_expr(TypeExpr::Conditional(list)))
    }

    /// Parses `A | B` with `A & B` inside.
    fn documented_list(
        &mut self,
        rest: Rest<'_, 't>,
        depth: u8,
        separator: char,
    ) -> Option<TypeId> {
        let mut parts = Vec::new();
        *rest = skip_blank(rest);
        *rest = rest.strip_prefix(separator).unwrap_or(rest);

        loop {
            parts.push(if separator == '|' {
                self.documented_list(rest, depth, '&')?
            } else {
                self.documented_prefixed(rest, depth)?
            });
            match skip_blank(rest).strip_prefix(separator) {
                Some(after) => *rest = after,
                None => break,
            }
        }

        if let [only] = parts[..] {
            return Some(only);
        }

        let list = self.b.facts.add_list(parts);
        Some(self.b.type_expr(if separator == '|' {
            TypeExpr::Union(list)
        } else {
            TypeExpr::Intersection(list)
        }))
    }

    fn documented_prefixed(&mut self, rest: Rest<'_, 't>, depth: u8) -> Option<TypeId> {
        let depth = depth.checked_sub(1)?;
        *rest = skip_blank(rest);

        if let Some(after) = rest.strip_prefix("...") {
            *rest = after;
            return self.documented_prefixed(rest, depth);
        }

        if let Some(after) = rest.strip_prefix(['?', '!'])
            && !skip_blank(after).is_empty()
        {
            *rest = after;
            return self.documented_prefixed(rest, depth);
        }

        if take_word(rest, "keyof") {
            let inner = self.documented_prefixed(rest, depth)?;
            return Some(self.b.type_expr(TypeExpr::KeyOf(inner)));
        }

        if take_word(rest, "readonly") {
            return self.documented_prefixed(rest, depth);
        }

        if take_word(rest, "infer") {
            *rest = skip_blank(rest);
            let at = self.documented_at(rest);
            let name = take_name(rest)?;
            let name = self.b.sym(name);
            let id = self
                .b
                .declare(name, DeclKind::TypeParam, DeclFlags::default(), at);
            return Some(self.b.type_expr(TypeExpr::Infer(id)));
        }

        self.documented_postfixed(rest, depth)
    }

    fn documented_postfixed(&mut self, rest: Rest<'_, 't>, depth: u8) -> Option<TypeId> {
        let mut ty = self.documented_single(rest, depth)?;

        loop {
            if let Some(after) = rest.strip_prefix("[]") {
                *rest = after;
                ty = self.b.type_expr(TypeExpr::Array(ty, 1));
            } else if let Some(after) = rest.strip_prefix('[') {
                *rest = after;
                let key = self.documented_whole(rest, depth)?;
                take(rest, "]")?;
                ty = self.b.type_expr(TypeExpr::Indexed(ty, key));
            } else if let Some(after) = rest
                .strip_prefix(['=', '!'])
                .filter(|after| !after.starts_with('>'))
            {
                *rest = after;
            } else {
                return Some(ty);
            }
        }
    }

    fn documented_single(&mut self, rest: Rest<'_, 't>, depth: u8) -> Option<TypeId> {
        *rest = skip_blank(rest);

        match rest.chars().next()? {
            '(' if is_arrow(rest) => self.documented_function(rest, depth, false),
            '(' => {
                *rest = &rest[1..];
                let ty = self.documented_whole(rest, depth)?;
                take(rest, ")")?;
                Some(ty)
            }
            '<' => self.documented_function(rest, depth, false),
            '{' => self.documented_object(rest, depth),
            '[' => self.documented_tuple(rest, depth),
            '*' => {
                *rest = &rest[1..];
                Some(self.b.primitive("any"))
            }
            quote @ ('"' | '\'' | '`') => {
                let length = rest[1..].find(quote)?;
                let text = &rest[1..=length];
                *rest = &rest[length + 2..];
                if quote == '`' && text.contains("${") {
                    return Some(self.b.primitive("string"));
                }
                let text = self.b.name_sym(text);
                Some(
                    self.b
                        .type_expr(TypeExpr::Literal(LiteralKind::String, text)),
                )
            }
            first if first.is_ascii_digit() || first == '-' => {
                let end = rest
                    .find(|c: char| !(is_name(c) || c == '.' || c == '-'))
                    .unwrap_or(rest.len());
                let number = self.b.sym(&rest[..end]);
                *rest = &rest[end..];
                Some(
                    self.b
                        .type_expr(TypeExpr::Literal(LiteralKind::Number, number)),
                )
            }
            _ => self.documented_word(rest, depth),
        }
    }

    /// Parses a type that starts with a word: keywords, names, `typeof x`, `import("m").A`,
    /// `function(A): B`, `new (a: A) => B`, `x is T`.
    fn documented_word(&mut self, rest: Rest<'_, 't>, depth: u8) -> Option<TypeId> {
        if let Some(module) = documented_module(rest) {
            let module = self.b.sym(module);
            return self.documented_name(rest, depth, Some(module));
        }

        if rest.starts_with("function") && skip_blank(&rest["function".len()..]).starts_with('(') {
            *rest = &rest["function".len()..];
            return self.documented_function(rest, depth, false);
        }

        if take_word(rest, "typeof") {
            return self.documented_query(rest);
        }
        if take_word(rest, "new") {
            return self.documented_function(rest, depth, true);
        }

        let asserts = take_word(rest, "asserts");
        let before = *rest;
        *rest = skip_blank(rest);

        let word = take_name(rest)?;

        if take_word(rest, "is") {
            let ty = self.documented_whole(rest, depth)?;
            let name = self.b.sym(word);
            return Some(self.b.type_expr(TypeExpr::Predicate(name, ty, asserts)));
        }

        if asserts {
            let name = self.b.sym(word);
            return Some(
                self.b
                    .type_expr(TypeExpr::Predicate(name, TypeId::NONE, true)),
            );
        }

        if word == "this" {
            return Some(self.b.type_expr(TypeExpr::This));
        }

        if matches!(word, "true" | "false") {
            let word = self.b.sym(word);
            return Some(self.b.type_expr(TypeExpr::Literal(LiteralKind::Bool, word)));
        }

        if KEYWORDS.contains(&word) {
            return Some(self.b.primitive(word));
        }

        *rest = before;
        self.documented_name(rest, depth, None)
    }

    /// Parses `A.B<T>`, in a module if one is given.
    fn documented_name(
        &mut self,
        rest: Rest<'_, 't>,
        depth: u8,
        module: Option<Sym>,
    ) -> Option<TypeId> {
        let mut names = Vec::new();
        *rest = skip_blank(rest);

        if module.is_some() {
            match rest.strip_prefix('.') {
                Some(after) => *rest = after,
                // The value that the module exports as a whole.
                None => names.push("export="),
            }
        }

        while names.first() != Some(&"export=") {
            names.push(take_name(rest)?);
            match rest
                .strip_prefix('.')
                .filter(|after| after.starts_with(is_name))
            {
                Some(after) => *rest = after,
                None => break,
            }
        }

        let args = self.documented_arguments(rest, depth)?;

        if let ([name], None) = (&names[..], module)
            && let Some(ty) = self.older_name(name, args)
        {
            return Some(ty);
        }

        let last = names.len().checked_sub(1)?;

        let mut segments = Vec::new();
        for (index, name) in names.into_iter().enumerate() {
            let name = self.b.sym_owned(name);
            segments.push(Segment {
                name,
                args: if index == last { args } else { List::default() },
            });
        }

        let list = self.b.facts.add_list(segments);
        let scope = self.b.scope;
        Some(
            self.b
                .type_expr(module.map_or(TypeExpr::Name(list, scope), |module| {
                    TypeExpr::Import(module, list)
                })),
        )
    }

    /// Returns the type of a name with another meaning in JSDoc: `Object<K, V>` is a record;
    /// `Array` and `Promise` without arguments hold anything.
    fn older_name(&mut self, name: &str, args: List<TypeId>) -> Option<TypeId> {
        match (name, args.len()) {
            ("Object", 0) => Some(self.b.primitive("any")),
            ("Array", 0) => {
                let element = self.b.primitive("any");
                Some(self.b.type_expr(TypeExpr::Array(element, 1)))
            }
            ("Object" | "object", 2) => {
                let name = self.b.sym_owned("Record");
                let list = self.b.facts.add_list([Segment { name, args }]);
                let scope = self.b.scope;
                Some(self.b.type_expr(TypeExpr::Name(list, scope)))
            }
            _ => None,
        }
    }

    fn documented_arguments(&mut self, rest: Rest<'_, 't>, depth: u8) -> Option<List<TypeId>> {
        let Some(inner) = rest.strip_prefix('<').or_else(|| rest.strip_prefix(".<")) else {
            return Some(List::default());
        };
        *rest = inner;
        let mut types = vec![self.documented_whole(rest, depth)?];
        while take(rest, ",").is_some() {
            types.push(self.documented_whole(rest, depth)?);
        }
        take(rest, ">")?;
        Some(self.b.facts.add_list(types))
    }

    /// Parses the operand of `typeof`.
    fn documented_query(&mut self, rest: Rest<'_, 't>) -> Option<TypeId> {
        *rest = skip_blank(rest);

        let scope = self.b.scope;
        let mut value = match documented_module(rest) {
            Some(module) => {
                let module = self.b.sym(module);
                if !rest.starts_with('.') {
                    return Some(self.b.type_expr(TypeExpr::Import(module, List::default())));
                }
                self.b.expr(Expr::Require(module))
            }
            None => {
                let name = take_name(rest)?;
                let name = self.b.sym(name);
                self.b.expr(Expr::Name(name, scope, u32::MAX))
            }
        };

        while let Some(after) = rest.strip_prefix('.') {
            *rest = after;
            let name = take_name(rest)?;
            let name = self.b.sym(name);
            value = self.b.expr(Expr::Member(value, name));
        }

        Some(self.b.type_expr(TypeExpr::TypeOf(value)))
    }

    fn documented_tuple(&mut self, rest: Rest<'_, 't>, depth: u8) -> Option<TypeId> {
        take(rest, "[")?;

        let mut elements = Vec::new();
        while take(rest, "]").is_none() {
            let is_rest = skip_blank(rest).starts_with("...");

            let mut name = Sym::NONE;
            if let Some((label, after)) = labelled(rest) {
                name = self.b.sym(label);
                *rest = after;
            }

            let ty = self.documented_whole(rest, depth)?;
            *rest = skip_blank(rest);
            *rest = rest.strip_prefix('?').unwrap_or(rest);
            elements.push(Element {
                name,
                ty,
                rest: is_rest,
            });

            if take(rest, ",").is_none() && !skip_blank(rest).starts_with(']') {
                return None;
            }
        }

        let elements = self.b.facts.add_list(elements);
        Some(self.b.type_expr(TypeExpr::Tuple(elements)))
    }
}

/// Parses the module of `import("m")`.
fn documented_module<'t>(rest: Rest<'_, 't>) -> Option<&'t str> {
    let inner = skip_blank(rest.strip_prefix("import")?).strip_prefix('(')?;
    let (module, after) = inner.split_once(')')?;
    *rest = after;
    Some(module.trim().trim_matches(['"', '\'']))
}

/// Reports whether the parentheses at the start are followed by `=>`.
fn is_arrow(text: &str) -> bool {
    closing(text).is_some_and(|end| skip_blank(&text[end..]).starts_with("=>"))
}

/// Returns the index past the bracket that closes the one at the start.
pub fn closing(text: &str) -> Option<usize> {
    let mut depth = 0u32;

    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) => quote = Some(open).filter(|open| *open != byte),
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')' | b']' | b'}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }

    None
}

/// Parses `name:` or `name?:` at the start, without `...` before it; returns the name and the rest.
pub fn labelled(text: &str) -> Option<(&str, &str)> {
    let text = skip_blank(text);
    let mut rest = skip_blank(text.strip_prefix("...").unwrap_or(text));
    let name = take_name(&mut rest)?;
    let rest = skip_blank(rest);
    let rest = skip_blank(rest.strip_prefix('?').unwrap_or(rest)).strip_prefix(':')?;
    Some((name, rest))
}

pub fn take(rest: Rest<'_, '_>, token: &str) -> Option<()> {
    *rest = skip_blank(rest).strip_prefix(token)?;
    Some(())
}

/// Consumes a word if something follows it.
pub fn take_word(rest: Rest<'_, '_>, word: &str) -> bool {
    let Some(after) = skip_blank(rest).strip_prefix(word) else {
        return false;
    };
    let goes_on =
        after.starts_with(|c: char| c.is_whitespace() || c == '(') && !skip_blank(after).is_empty();
    if goes_on {
        *rest = after;
    }
    goes_on
}

pub fn take_name<'t>(rest: Rest<'_, 't>) -> Option<&'t str> {
    let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
    if end == 0 {
        return None;
    }
    let name = &rest[..end];
    *rest = &rest[end..];
    Some(name)
}
