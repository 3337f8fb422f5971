//! Doc tags that describe a whole JavaScript function or variable: `@overload`, `@enum`,
//! `@satisfies`.
//!
//! Each `@overload` in the comments before a function becomes a signature without a body. A
//! variable with `@enum {T}` is also a type, `T`. `@satisfies {T}` gives a value its contextual
//! type, not its type.
//!
//! Limitations: only the last [`MAX_COMMENTS`] comments before a function are read. Functions that
//! are values have no overloads.

use codeagent_model::facts::*;

use crate::javascript::doc_tags::{Tag, Tags, tags};
use crate::lower::lowering::Lowering;
use crate::lower::signature_text::comment_before;

/// Largest number of comments before a function that are read for overloads.
const MAX_COMMENTS: usize = 16;

impl<'t, 'tree> Lowering<'t, 'tree> {
    /// Declares the overloads in the comments before a function or method, and removes their tags.
    pub fn document_overloads(
        &mut self,
        function: DeclId,
        start: Option<usize>,
        own: &mut Tags<'t>,
    ) {
        if let Some(first) = own.all().iter().position(|tag| tag.name == "overload") {
            *own = Tags::new(own.all()[..first].to_vec());
        }

        let text = self.b.text;
        let &mut Declaration { kind, .. } = self.b.decl(function);
        let Some(mut before) = start.filter(|_| {
            matches!(
                kind,
                DeclKind::Function | DeclKind::Method | DeclKind::Constructor
            )
        }) else {
            return;
        };

        let mut comments: Vec<&'t str> = Vec::new();
        while comments.len() < MAX_COMMENTS
            && let Some(comment) = comment_before(text, before)
        {
            if !comments.is_empty() && !comment.contains("@overload") {
                break;
            }
            comments.push(comment);
            before =
                (comment.as_ptr() as usize).saturating_sub(text.as_ptr() as usize + "/**".len());
        }

        for comment in comments
            .into_iter()
            .rev()
            .filter(|comment| comment.contains("@overload"))
        {
            let tags = tags(comment);
            let groups = tags.split(|tag| tag.name == "overload").skip(1);
            for group in groups {
                self.document_overload(function, group);
            }
        }
    }

    fn document_overload(&mut self, function: DeclId, group: &[Tag<'t>]) {
        let Declaration {
            name,
            kind,
            flags,
            scope,
            at,
            ..
        } = *self.b.decl(function);
        let around = self.b.scope;
        self.b.scope = scope;
        let id = self
            .b
            .declare(name, kind, DeclFlags(flags.0 & !DeclFlags::HAS_BODY.0), at);
        self.tagged_signature(id, group);
        self.b.scope = around;
    }

    /// Returns the contextual type that a variable's comment gives its value.
    pub fn document_held(&mut self, id: DeclId, start: usize) -> TypeId {
        let mut expected = TypeId::NONE;
        for tag in self.tags_before(start) {
            let Some(text) = tag.ty else { continue };
            match tag.name {
                "satisfies" => expected = self.documented_type(text),
                "enum" => {
                    let at = self.documented_at(text);
                    let ty = self.documented_type(text);
                    let bases = self.b.facts.add_list([Base {
                        clause: BaseClause::Constraint,
                        ty,
                        at,
                    }]);
                    let decl = self.b.decl(id);
                    decl.bases = bases;
                    decl.flags.insert(DeclFlags::CONSTRUCTS);
                }
                _ => {}
            }
        }

        expected
    }

    /// Returns the type that `/** @satisfies {T} */ (..)` expects.
    pub fn documented_expectation(&mut self, start: usize) -> TypeId {
        let found = self
            .tags_before(start)
            .into_iter()
            .find(|tag| tag.name == "satisfies")
            .and_then(|tag| tag.ty);
        found.map_or(TypeId::NONE, |text| self.documented_type(text))
    }
}
