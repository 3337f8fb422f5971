//! Types that JavaScript writes in doc comments: `@param {A} x`, `@returns {B<C>[]}`, `@type {import("./m").D}`.
//!
//! **Limits.** Names with type arguments, arrays, unions and imports; anything else (object and function types) is left out. The names
//! are no sites.

use crate::extract::typescript::details::comment_before;
use crate::extract::typescript::walker::Walker;
use crate::model::facts::*;

const KEYWORDS: [&str; 11] = ["string", "number", "boolean", "any", "unknown", "void", "never", "object", "undefined", "null", "bigint"];
const MAX_DEPTH: u8 = 8;

impl<'t, 'tree> Walker<'t, 'tree> {
    /// Gives the parameters and the result of a function what the comment before `start` says.
    pub fn document_function(&mut self, function: DeclId, start: usize) {
        let Some(comment) = self.comment(start) else { return };
        for (tag, ty, rest) in tags(comment) {
            match tag {
                "returns" | "return" => {
                    let ty = self.documented_type(ty);
                    let decl = self.b.decl(function);
                    if decl.ty.is_none() {
                        decl.ty = ty;
                    }
                }
                "param" => self.document_parameter(function, ty, rest),
                _ => {}
            }
        }
    }

    /// The type that the comment before `start` gives a variable or property.
    pub fn documented_variable(&mut self, start: usize) -> TypeId {
        let Some(comment) = self.comment(start) else { return TypeId::NONE };
        let found = tags(comment).find(|(tag, ..)| *tag == "type");
        found.map_or(TypeId::NONE, |(_, ty, _)| self.documented_type(ty))
    }

    fn comment(&self, start: usize) -> Option<&'t str> {
        if self.javascript { comment_before(self.b.text, start) } else { None }
    }

    fn document_parameter(&mut self, function: DeclId, ty: &'t str, rest: &'t str) {
        let name = rest.trim_start().trim_start_matches('[');
        let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(name.len());
        let params = self.b.decl(function).params;
        let found = self.b.facts.list(params).iter().copied().find(|id| self.b.facts.decl_name(*id) == &name[..end]);
        if let Some(id) = found
            && self.b.decl(id).ty.is_none()
        {
            let ty = self.documented_type(ty);
            self.b.decl(id).ty = ty;
        }
    }

    fn documented_type(&mut self, text: &'t str) -> TypeId {
        let mut rest = text.trim().trim_start_matches(['?', '!', '.']).trim_end_matches('=');
        let ty = self.documented_union(&mut rest, MAX_DEPTH);
        if rest.trim().is_empty() { ty.unwrap_or(TypeId::NONE) } else { TypeId::NONE }
    }

    fn documented_union(&mut self, rest: &mut &'t str, depth: u8) -> Option<TypeId> {
        let mut parts = vec![self.documented_array(rest, depth)?];
        while let Some(after) = rest.trim_start().strip_prefix('|') {
            *rest = after;
            parts.push(self.documented_array(rest, depth)?);
        }
        if let [only] = parts[..] {
            return Some(only);
        }
        let list = self.b.facts.add_list(parts);
        Some(self.b.type_expr(TypeExpr::Union(list)))
    }

    fn documented_array(&mut self, rest: &mut &'t str, depth: u8) -> Option<TypeId> {
        let mut ty = self.documented_single(rest, depth.checked_sub(1)?)?;
        while let Some(after) = rest.strip_prefix("[]") {
            *rest = after;
            ty = self.b.type_expr(TypeExpr::Array(ty, 1));
        }
        Some(ty)
    }

    fn documented_single(&mut self, rest: &mut &'t str, depth: u8) -> Option<TypeId> {
        *rest = rest.trim_start();
        if let Some(inner) = rest.strip_prefix('(') {
            *rest = inner;
            let ty = self.documented_union(rest, depth)?;
            *rest = rest.trim_start().strip_prefix(')')?;
            return Some(ty);
        }
        let module = self.documented_import(rest);
        let mut names = Vec::new();
        while let Some(name) = identifier(rest) {
            names.push(name);
            match rest.strip_prefix('.') {
                Some(after) => *rest = after,
                None => break,
            }
        }
        let args = self.documented_arguments(rest, depth)?;
        if module.is_none()
            && let [word] = names[..]
            && KEYWORDS.contains(&word)
        {
            return Some(self.b.primitive(word));
        }
        let last = names.len().checked_sub(1)?;
        let mut segments = Vec::new();
        for (index, name) in names.into_iter().enumerate() {
            let name = self.b.sym(name);
            segments.push(Segment { name, args: if index == last { args } else { List::default() } });
        }
        let list = self.b.facts.add_list(segments);
        let scope = self.b.scope;
        Some(self.b.type_expr(module.map_or(TypeExpr::Name(list, scope), |module| TypeExpr::Import(module, list))))
    }

    fn documented_import(&mut self, rest: &mut &'t str) -> Option<Sym> {
        let inner = rest.strip_prefix("import(")?;
        let (module, after) = inner.split_once(')')?;
        *rest = after.strip_prefix('.')?;
        Some(self.b.sym(module.trim().trim_matches(['"', '\''])))
    }

    fn documented_arguments(&mut self, rest: &mut &'t str, depth: u8) -> Option<List<TypeId>> {
        let Some(inner) = rest.strip_prefix('<') else { return Some(List::default()) };
        *rest = inner;
        let mut types = vec![self.documented_union(rest, depth)?];
        while let Some(after) = rest.trim_start().strip_prefix(',') {
            *rest = after;
            types.push(self.documented_union(rest, depth)?);
        }
        *rest = rest.trim_start().strip_prefix('>')?;
        Some(self.b.facts.add_list(types))
    }
}

fn identifier<'t>(rest: &mut &'t str) -> Option<&'t str> {
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(rest.len());
    if end == 0 {
        return None;
    }
    let name = &rest[..end];
    *rest = &rest[end..];
    Some(name)
}

/// The tags that have a type, as (tag, type, what follows on the line).
fn tags(comment: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    comment.lines().filter_map(|line| {
        let line = line.trim().trim_start_matches('*').trim_start().strip_prefix('@')?;
        let (tag, rest) = line.split_once(char::is_whitespace)?;
        let inner = rest.trim_start().strip_prefix('{')?;
        let end = inner.find('}')?;
        Some((tag, &inner[..end], &inner[end + 1..]))
    })
}
