//! The builder of facts: interned strings, shared expressions and types, a stack of scopes and
//! owners, positions.
//!
//! Limitations: knows no grammar. The languages interpret the nodes and call the builder.

use std::borrow::Cow;
use std::cell::Cell;

use codeagent_model::facts::*;
use codeagent_model::graph::Dialect;
use codeagent_model::span::{Position, Span};
use memchr::memchr_iter;
use rustc_hash::FxHashMap;
use tree_sitter::Node;

use crate::lower::interface_hash::{HiddenRange, VisibleTokens, interface};
use crate::lower::member_spans::{FindMembers, interface_spans};

/// Facts under construction, over the original text (never the repaired one).
pub struct Builder<'t> {
    /// The original decoded text.
    pub text: &'t str,
    /// The facts built so far.
    pub facts: Facts,
    /// The scope that new declarations are added to.
    pub scope: ScopeId,
    /// The innermost declaration with a detail; the owner of new sites and declarations.
    pub owner: DeclId,
    names: FxHashMap<&'t str, Sym>,
    owned_names: FxHashMap<String, Sym>,
    exprs: FxHashMap<Expr, ExprId>,
    types: FxHashMap<TypeExpr, TypeId>,
    /// Byte ranges that are not part of the interface; see [`Builder::exclude_from_interface`].
    hidden: Vec<HiddenRange>,
    /// Byte offset of each line's start.
    line_starts: Vec<u32>,
    /// The line of the last lookup.
    last_line: Cell<usize>,
    /// UTF-16 length of the text before every [`BLOCK`]th byte; empty for ASCII text.
    blocks: Vec<u32>,
}

const BLOCK: usize = 256;

/// Longest name stored whole. The qualified names of all members repeat a container's name.
const MAX_NAME_BYTES: usize = 512;

/// Number of bytes that are kept of a longer name.
const HEAD_BYTES: usize = 100;

/// Counts the UTF-16 code units whose first byte is in `bytes`.
fn utf16_units(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .map(|byte| u32::from(*byte & 0xC0 != 0x80) + u32::from(*byte >= 0xF0))
        .sum()
}

fn utf16_blocks(text: &str) -> Vec<u32> {
    if text.is_ascii() {
        return Vec::new();
    }
    let mut units = 0;
    let mut blocks = vec![0];
    for block in text.as_bytes().chunks(BLOCK) {
        units += utf16_units(block);
        blocks.push(units);
    }
    blocks
}

impl<'t> Builder<'t> {
    /// Creates an empty file with its file scope open.
    #[must_use]
    pub fn new(text: &'t str, dialect: Dialect) -> Self {
        let mut line_starts = vec![0];
        line_starts.extend(memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1));
        let mut facts = Facts::of(dialect);
        facts.scopes.push(Scope {
            kind: ScopeKind::File,
            parent: ScopeId::NONE,
            owner: DeclId::NONE,
        });

        Self {
            text,
            facts,
            scope: ScopeId(0),
            owner: DeclId::NONE,
            names: FxHashMap::default(),
            owned_names: FxHashMap::default(),
            exprs: FxHashMap::default(),
            types: FxHashMap::default(),
            hidden: Vec::new(),
            line_starts,
            last_line: Cell::new(0),
            blocks: utf16_blocks(text),
        }
    }

    /// Returns the original text of a node.
    #[must_use]
    pub fn node_text(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    /// Interns a slice of the text.
    pub fn sym(&mut self, text: &'t str) -> Sym {
        if let Some(&sym) = self.names.get(text) {
            return sym;
        }
        let sym = match self.owned_names.get(text) {
            Some(&sym) => sym,
            None => self.facts.names.push(text),
        };
        self.names.insert(text, sym);
        sym
    }

    /// Interns a string that is not in the text.
    pub fn sym_owned(&mut self, text: &str) -> Sym {
        if let Some(sym) = self.names.get(text).or_else(|| self.owned_names.get(text)) {
            return *sym;
        }
        let sym = self.facts.names.push(text);
        self.owned_names.insert(text.to_owned(), sym);
        sym
    }

    /// Interns a name. One that is too long is shortened to its start and a hash of the whole.
    pub fn name_sym(&mut self, name: &'t str) -> Sym {
        if name.len() <= MAX_NAME_BYTES {
            self.sym(name)
        } else {
            self.sym_owned(&shortened(name))
        }
    }

    /// Interns the text of a name node.
    pub fn sym_of(&mut self, node: Node<'_>) -> Sym {
        self.name_sym(self.node_text(node))
    }

    /// Returns the line and UTF-16 column of a byte offset.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.line_of(offset);
        let start = self.line_starts[line] as usize;
        let column = self.utf16_before(offset) - self.utf16_before(start);
        Position {
            offset: offset as u32,
            line: line as u32 + 1,
            column: column + 1,
        }
    }

    /// Returns the 0-based line of a byte offset. Most lookups are for the last line or the next
    /// one.
    fn line_of(&self, offset: usize) -> usize {
        let starts_after = |line: usize| {
            self.line_starts
                .get(line)
                .is_none_or(|start| *start as usize > offset)
        };

        let last = self.last_line.get();
        let line = match last {
            line if starts_after(line) => {
                self.line_starts[..line].partition_point(|start| *start as usize <= offset) - 1
            }
            line if starts_after(line + 1) => line,
            line if starts_after(line + 2) => line + 1,
            line => {
                line + 1
                    + self.line_starts[line + 2..]
                        .partition_point(|start| *start as usize <= offset)
            }
        };

        self.last_line.set(line);
        line
    }

    /// Returns the UTF-16 length of the text before a byte offset.
    fn utf16_before(&self, offset: usize) -> u32 {
        match self.blocks.get(offset / BLOCK) {
            Some(units) => {
                units + utf16_units(&self.text.as_bytes()[offset / BLOCK * BLOCK..offset])
            }
            None => offset as u32,
        }
    }

    /// Returns the start position of a node.
    #[must_use]
    pub fn at(&self, node: Node<'_>) -> Position {
        self.position(node.start_byte())
    }

    /// Returns the span of a byte range.
    #[must_use]
    pub fn span(&self, start: usize, end: usize) -> Span {
        let last = self.position(end.saturating_sub(1).max(start));
        Span {
            start: self.position(start),
            end_offset: end as u32,
            end_line: last.line,
        }
    }

    /// Adds an expression, shared with equal ones. Not for calls, lambdas and literals that a
    /// context refers back to: use [`Builder::fresh_expr`].
    pub fn expr(&mut self, expr: Expr) -> ExprId {
        if let Some(&id) = self.exprs.get(&expr) {
            return id;
        }
        let id = self.fresh_expr(expr);
        self.exprs.insert(expr, id);
        id
    }

    /// Adds an expression that is never shared.
    pub fn fresh_expr(&mut self, expr: Expr) -> ExprId {
        self.facts.exprs.push(expr);
        ExprId(self.facts.exprs.len() as u32 - 1)
    }

    /// Adds a call whose arguments are not known yet (they refer back to it); complete it with
    /// [`Builder::finish_call`].
    pub fn begin_call(&mut self, callee: ExprId, type_args: List<TypeId>) -> CallId {
        self.facts.calls.push(Call {
            callee,
            args: List::default(),
            type_args,
        });
        CallId(self.facts.calls.len() as u32 - 1)
    }

    /// Sets the arguments of a call.
    pub fn finish_call(&mut self, call: CallId, args: Vec<Arg>) {
        self.facts.calls[call.index()].args = self.facts.add_list(args);
    }

    /// Adds a type expression, shared with equal ones.
    pub fn type_expr(&mut self, ty: TypeExpr) -> TypeId {
        if let Some(&id) = self.types.get(&ty) {
            return id;
        }
        self.facts.types.push(ty);
        let id = TypeId(self.facts.types.len() as u32 - 1);
        self.types.insert(ty, id);
        id
    }

    /// Adds a keyword type.
    pub fn primitive(&mut self, word: &str) -> TypeId {
        let sym = self.sym_owned(word);
        self.type_expr(TypeExpr::Primitive(sym))
    }

    /// Opens a scope inside the current one and makes it the current one; the caller restores
    /// [`Builder::scope`].
    pub fn open_scope(&mut self, kind: ScopeKind, owner: DeclId) -> ScopeId {
        self.facts.scopes.push(Scope {
            kind,
            parent: self.scope,
            owner,
        });
        self.scope = ScopeId(self.facts.scopes.len() as u32 - 1);
        self.scope
    }

    /// Adds a declaration to the current scope and owner.
    pub fn declare(&mut self, name: Sym, kind: DeclKind, flags: DeclFlags, at: Position) -> DeclId {
        let declaration = Declaration::new(kind, name, self.scope, at);
        self.facts.decls.push(Declaration {
            flags,
            parent: self.owner,
            ..declaration
        });
        DeclId(self.facts.decls.len() as u32 - 1)
    }

    /// Returns a declaration, to complete it.
    pub fn decl(&mut self, id: DeclId) -> &mut Declaration {
        &mut self.facts.decls[id.index()]
    }

    /// Sets the details of a declaration.
    pub fn set_detail(&mut self, id: DeclId, detail: Detail) {
        self.facts.details.push(detail);
        self.decl(id).detail = DetailId(self.facts.details.len() as u32 - 1);
    }

    /// Adds a site of the current owner.
    pub fn site(&mut self, kind: SiteKind, subject: Subject, at: Position) {
        self.facts.sites.push(Site {
            kind,
            subject,
            owner: self.owner,
            at,
        });
    }

    /// Marks a byte range as invisible to other files: a body whose result type is declared.
    pub fn exclude_from_interface(&mut self, start: usize, end: usize) {
        self.hide_but(start, end, VisibleTokens::Nothing);
    }

    /// Marks a body of which other files see only `seen`.
    pub fn hide_but(&mut self, start: usize, end: usize, seen: VisibleTokens) {
        self.hidden.push(HiddenRange { start, end, seen });
    }

    /// Returns the finished facts: sites in text order, without unused capacity, interface hashes computed.
    /// `root` is the tree, `None` to hash the whole text, comments included.
    #[must_use]
    pub fn finish(mut self, root: Option<(Node<'_>, FindMembers)>) -> Facts {
        let spans = interface_spans(self.text, &self.facts, root);
        let hidden = std::mem::take(&mut self.hidden);
        let interface = interface(self.text, root.map(|(root, _)| root), hidden, &spans);

        (
            self.facts.header.interface_hash,
            self.facts.header.frame_hash,
        ) = (interface.whole, interface.frame);

        (self.facts.member_hashes, self.facts.bodies) = (interface.member_hashes, interface.bodies);
        self.facts.type_hashes = interface.type_hashes;
        self.facts.header.bytes = self.text.len() as u32;
        self.facts.header.lines = self.line_starts.len() as u32
            - u32::from(self.text.is_empty() || self.text.ends_with('\n'));
        self.facts
            .sites
            .sort_by_key(|site| (site.at.offset, site.kind));

        self.facts.callbacks.sort();
        self.facts.shrink();
        self.facts
    }
}

/// Returns the name, or its start and a hash if it is longer than `MAX_NAME_BYTES`.
#[must_use]
pub fn shortened(name: &str) -> Cow<'_, str> {
    if name.len() <= MAX_NAME_BYTES {
        return Cow::Borrowed(name);
    }
    let head = &name[..name.floor_char_boundary(HEAD_BYTES)];
    Cow::Owned(format!(
        "{head}~{}",
        &blake3::hash(name.as_bytes()).to_hex()[..16]
    ))
}

/// Returns a short hash of a text, to compare it with others.
#[must_use]
pub fn short_hash(parts: &[impl AsRef<[u8]>]) -> [u8; 8] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part.as_ref());
    }
    hasher.finalize().as_bytes()[..8]
        .try_into()
        .expect("a hash has 32 bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_utf16_units_in_lines_of_any_length() {
        let line = "aé漢😀\t".repeat(200);
        let text = format!("x\n{line}\ny");
        let builder = Builder::new(&text, Dialect::Ts);
        for (at, _) in text.char_indices() {
            let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
            let expected = text[start..at].encode_utf16().count() as u32 + 1;
            assert_eq!(builder.position(at).column, expected, "at {at}");
        }
        assert_eq!(builder.position(text.len()).line, 3);
    }
}
