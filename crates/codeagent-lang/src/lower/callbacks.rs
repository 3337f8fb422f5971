//! String literals that read as names, and labels of calls that take an anonymous callback.
//!
//! Limitations: a callback is labelled only if a string precedes it in the same argument list, or
//! before the call of a bare function around it (`it("..", inject(() => { .. }))`), or if its call
//! is the value of a property outside of functions (`{ create: procedure.mutation(() => { .. }) }`).

use codeagent_model::facts::*;

use crate::lower::builder::Builder;

/// Longest string literal that is kept although it reads as no name, in bytes.
const MAX_TEXT_BYTES: usize = 64;

/// Longest string in a label, in characters.
const MAX_TITLE_CHARS: usize = 100;

/// Largest number of a callee's names in a label: `b.c.d` of `a.b.c.d`.
const MAX_CALLEE_NAMES: usize = 3;

/// Largest number of bare function calls around a callback.
const MAX_WRAPPERS: usize = 3;

impl<'t> Builder<'t> {
    /// Records a string literal if it reads as a name; `text` is without quotes.
    pub fn literal(&mut self, text: &'t str, offset: usize) {
        if reads_as_name(text) {
            let text = self.sym(text);
            let line = self.position(offset).line;
            self.facts.literals.push(StringLiteral { text, line });
        }
    }

    /// Records a string literal like [`Self::literal`], and returns its text; none if it is long and reads as no
    /// name.
    pub fn string_literal(&mut self, text: &'t str, offset: usize) -> Sym {
        self.literal(text, offset);
        if text.len() <= MAX_TEXT_BYTES || reads_as_name(text) {
            self.sym(text)
        } else {
            Sym::NONE
        }
    }

    /// Records a call if one of its arguments is an anonymous callback. `title` is its first
    /// string, the argument at `index`; `start` is the line of the called name, `end` the offset of
    /// the closing parenthesis.
    pub fn callback(
        &mut self,
        call: CallId,
        (index, title): (usize, &str),
        start: u32,
        end: usize,
    ) {
        if title.is_empty() || self.last_callback(call).is_none_or(|last| last < index) {
            return;
        }

        let mut names = Vec::new();
        self.callee_names(self.facts.calls[call.index()].callee, &mut names);
        if names.is_empty() {
            return;
        }
        names.reverse();

        let label = format!("{} \"{}\"", names.join("."), shown(title));
        let end = self.position(end).line;
        self.facts.callbacks.push(Callback { start, end, label });
    }

    /// Records a call that adds a command in an object: `command({ command: "name", handler })`.
    pub fn command(&mut self, name: &str, start: u32, end: usize) {
        let label = format!("command \"{}\"", shown(name));
        let end = self.position(end).line;
        self.facts.callbacks.push(Callback { start, end, label });
    }

    /// Records the value of a property outside of functions if it is a chain of calls with an
    /// anonymous callback. The key is the label, and found like a string.
    pub fn property_callback(&mut self, key: &'t str, value: ExprId, (start, end): (usize, usize)) {
        if self.is_in_function() || !self.chain_takes_function(value) {
            return;
        }
        self.literal(key, start);
        let (start, end) = (self.position(start).line, self.position(end).line);
        let label = shown(key);
        self.facts.callbacks.push(Callback { start, end, label });
    }

    fn is_in_function(&self) -> bool {
        let mut scope = self.scope;
        loop {
            let at = self.facts.scope(scope);
            if at.kind == ScopeKind::Function {
                return true;
            }
            match at.parent.some() {
                Some(parent) => scope = parent,
                None => return false,
            }
        }
    }

    /// Reports whether one of the calls in `a.b(..).c(..)` has an anonymous callback.
    fn chain_takes_function(&self, mut expr: ExprId) -> bool {
        loop {
            expr = match self.facts.expr(expr) {
                Expr::Call(call) if self.last_callback(call).is_some() => return true,
                Expr::Call(call) => self.facts.calls[call.index()].callee,
                Expr::Member(object, _) => object,
                Expr::Paren(inner) => inner,
                _ => return false,
            };
        }
    }

    /// Returns the index of the last argument of a call that is an anonymous callback.
    #[must_use]
    pub fn last_callback(&self, call: CallId) -> Option<usize> {
        let args = self.facts.list(self.facts.calls[call.index()].args);
        args.iter()
            .rposition(|arg| self.takes_function(arg.value, MAX_WRAPPERS))
    }

    /// Reports whether an expression is an anonymous function, or the call of a bare function with
    /// one.
    fn takes_function(&self, expr: ExprId, wrappers: usize) -> bool {
        match self.facts.expr(expr) {
            Expr::Function(_) => true,
            Expr::Paren(inner) => self.takes_function(inner, wrappers),
            Expr::Call(call) if wrappers > 0 => {
                let call = self.facts.calls[call.index()];
                let is_bare = matches!(self.facts.expr(call.callee), Expr::Name(..));
                let args = self.facts.list(call.args);
                is_bare
                    && args
                        .iter()
                        .any(|arg| self.takes_function(arg.value, wrappers - 1))
            }
            _ => false,
        }
    }

    /// Collects the last names of a callee, innermost last; calls and indices between them are left
    /// out.
    fn callee_names<'f>(&'f self, mut expr: ExprId, names: &mut Vec<&'f str>) {
        while names.len() < MAX_CALLEE_NAMES {
            expr = match self.facts.expr(expr) {
                Expr::Name(name, ..) => {
                    names.push(self.facts.text(name));
                    return;
                }
                Expr::This(_) | Expr::ThisAt(..) => {
                    names.push("this");
                    return;
                }

                Expr::Member(object, name) => {
                    names.push(self.facts.text(name));
                    object
                }
                Expr::Call(call) | Expr::New(call) | Expr::Index(call) => {
                    self.facts.calls[call.index()].callee
                }
                Expr::Paren(inner)
                | Expr::NonNull(inner)
                | Expr::Conditional(inner)
                | Expr::Await(inner)
                | Expr::Generic(inner, _) => inner,

                _ => return,
            };
        }
    }
}

/// Puts a title on one line and truncates it.
fn shown(title: &str) -> String {
    let words: Vec<&str> = title.split_whitespace().collect();
    let title = words.join(" ");
    match title.char_indices().nth(MAX_TITLE_CHARS) {
        Some((cut, _)) => format!("{}…", &title[..cut]),
        None => title,
    }
}
