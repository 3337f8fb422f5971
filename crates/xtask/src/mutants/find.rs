//! Finds a source's branches and makes each switchable.
//!
//! No change alters types, so all of them compile together in one build: `if a && b {` becomes `if
//! !on(7) && (on(8) || (a)) && (on(9) || (b)) {`, where `on(n)` reports whether the process runs
//! mutant `n`.
//!
//! Limitations: skips macros (`matches!`), constants, `const fn` and tests. A match arm is switched
//! off only if a later arm matches everything.

use anyhow::Context as _;
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Arm, BinOp, Block, Expr, ExprBinary, ExprIf, ExprMatch, ExprMethodCall, ExprWhile, Pat,
    ReturnType, Signature, Type,
};

/// The path of the switch in the instrumented crate.
pub const SWITCH: &str = "codeagent_lang::mutant::on";

/// Methods whose closure returns a boolean.
const TESTS: &[&str] = &[
    "all",
    "any",
    "filter",
    "find",
    "is_none_or",
    "is_some_and",
    "partition",
    "position",
    "retain",
    "rposition",
    "skip_while",
    "take_while",
];

/// A switchable branch.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Byte range to wrap; empty for an insertion.
    range: (usize, usize),
    /// 1-based.
    pub line: usize,
    /// The enclosing functions, outermost first, joined by `::`.
    pub function: String,
    pub operator: Operator,
    /// Its source text on one line.
    pub text: String,
    /// Whether it is a chain of conditions with `let`, which may not be parenthesized.
    has_let: bool,
}

/// Mutations of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// The body of an `if` or `while` is not entered.
    NeverTaken,
    /// A condition holds.
    HeldTrue,
    /// A condition does not hold.
    HeldFalse,
    /// A match arm without a guard is skipped.
    ArmNeverTaken,
    /// The alternative after `or_else` is `None`.
    NoAlternative,
    /// A function always returns this.
    Answers(&'static str),
}

impl Operator {
    /// Returns its name in reports.
    pub fn name(self) -> String {
        match self {
            Self::NeverTaken => "never taken".to_owned(),
            Self::HeldTrue => "held true".to_owned(),
            Self::HeldFalse => "held false".to_owned(),
            Self::ArmNeverTaken => "arm never taken".to_owned(),
            Self::NoAlternative => "no alternative".to_owned(),
            Self::Answers(value) => format!("answers {value}"),
        }
    }
}

impl Branch {
    /// Returns the texts to insert before and after the branch's range to make it mutant `number`.
    fn wrap(&self, number: usize) -> (String, String) {
        let on = format!("{SWITCH}({number})");
        let close = || "))".to_owned();
        match self.operator {
            Operator::NeverTaken if self.has_let => (format!("!{on} && "), String::new()),
            Operator::NeverTaken | Operator::HeldFalse => (format!("(!{on} && ("), close()),
            Operator::HeldTrue => (format!("({on} || ("), close()),
            Operator::ArmNeverTaken => (format!(" if !{on}"), String::new()),
            Operator::NoAlternative => (format!("if {on} {{ None }} else {{ "), " }".to_owned()),
            Operator::Answers(value) => (format!(" if {on} {{ return {value}; }} "), String::new()),
        }
    }
}

/// Finds the branches of a source text.
///
/// # Errors
///
/// The text is not valid Rust.
pub fn branches(text: &str) -> anyhow::Result<Vec<Branch>> {
    let file = syn::parse_file(text).context("not parsed")?;
    let mut finder = Finder {
        text,
        functions: Vec::new(),
        found: Vec::new(),
    };
    finder.visit_file(&file);
    Ok(finder.found)
}

/// Makes all branches of a text switchable; the first becomes mutant `first`.
pub fn instrumented(text: &str, branches: &[Branch], first: usize) -> String {
    // At one offset, closing texts precede opening ones; inner ones close first and outer ones open
    // first.
    let mut edits: Vec<(usize, bool, isize, String)> = Vec::new();

    for (index, branch) in branches.iter().enumerate() {
        let (before, after) = branch.wrap(first + index);
        let order = index as isize;
        edits.push((branch.range.0, true, order, before));
        if !after.is_empty() {
            edits.push((branch.range.1, false, -order, after));
        }
    }

    edits.sort();

    let mut result = String::with_capacity(text.len() * 2);
    let mut done = 0;

    for (at, _, _, insertion) in edits {
        result.push_str(&text[done..at]);
        result.push_str(&insertion);
        done = at;
    }

    result.push_str(&text[done..]);
    result
}

struct Finder<'t> {
    text: &'t str,
    functions: Vec<String>,
    found: Vec<Branch>,
}

impl Finder<'_> {
    fn add(&mut self, operator: Operator, span: Span) {
        let range = span.byte_range();
        self.add_range(operator, (range.start, range.end), span, &self.text[range]);
    }

    fn add_range(&mut self, operator: Operator, range: (usize, usize), span: Span, shown: &str) {
        let text = shorten(shown);
        // A rule that is switched off by hand is a mutant already.
        if self.functions.is_empty() || text.contains(SWITCH) {
            return;
        }
        let (line, function) = (span.start().line, self.functions.join("::"));
        self.found.push(Branch {
            range,
            line,
            function,
            operator,
            text,
            has_let: false,
        });
    }

    /// Adds the condition of an `if`, `while` or match arm.
    fn condition(&mut self, condition: &Expr, may_hold: bool) {
        let has_let = leaves(condition)
            .iter()
            .any(|leaf| matches!(leaf, Expr::Let(_)));
        let found = self.found.len();
        self.add(Operator::NeverTaken, condition.span());
        if let Some(branch) = self.found.get_mut(found) {
            branch.has_let = has_let;
        }
        if may_hold && !has_let && !is_binary(condition, BinOp::is_and) {
            self.add(Operator::HeldTrue, condition.span());
        }
    }

    /// Adds the body of a function or closure that returns a boolean.
    fn answers(&mut self, values: &[&'static str], body: &Block) {
        let after = body.brace_token.span.open().byte_range().end;
        for value in values {
            self.add_range(
                Operator::Answers(value),
                (after, after),
                body.brace_token.span.open(),
                "",
            );
        }
    }

    fn function(&mut self, signature: &Signature, body: &Block, visit: impl FnOnce(&mut Self)) {
        if signature.constness.is_some() {
            return;
        }
        self.functions.push(signature.ident.to_string());
        let values: &[&str] = match answer_of(&signature.output).as_deref() {
            Some("bool") => &["true", "false"],
            Some("Option") => &["None"],
            Some("Ty") => &["Ty::UNKNOWN"],
            Some("Vec" | "SmallVec") => &["Default::default()"],
            _ => &[],
        };
        self.answers(values, body);
        visit(self);
        self.functions.pop();
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}

    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}

    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}

    fn visit_item_mod(&mut self, node: &'ast syn::ItemMod) {
        if !node
            .attrs
            .iter()
            .any(|attribute| attribute.path().is_ident("cfg"))
        {
            visit::visit_item_mod(self, node);
        }
    }

    fn visit_item_fn(&mut self, node: &'ast syn::ItemFn) {
        self.function(&node.sig, &node.block, |finder| {
            visit::visit_item_fn(finder, node)
        });
    }

    fn visit_impl_item_fn(&mut self, node: &'ast syn::ImplItemFn) {
        self.function(&node.sig, &node.block, |finder| {
            visit::visit_impl_item_fn(finder, node)
        });
    }

    fn visit_expr_if(&mut self, node: &'ast ExprIf) {
        self.condition(&node.cond, true);
        visit::visit_expr_if(self, node);
    }

    fn visit_expr_while(&mut self, node: &'ast ExprWhile) {
        self.condition(&node.cond, false);
        visit::visit_expr_while(self, node);
    }

    fn visit_expr_binary(&mut self, node: &'ast ExprBinary) {
        let operator = match node.op {
            BinOp::And(_) => Operator::HeldTrue,
            BinOp::Or(_) => Operator::HeldFalse,
            _ => return visit::visit_expr_binary(self, node),
        };

        let mut operands = Vec::new();
        for side in [&*node.left, &*node.right] {
            collect(
                side,
                if operator == Operator::HeldTrue {
                    BinOp::is_and
                } else {
                    BinOp::is_or
                },
                &mut operands,
            );
        }

        for operand in operands {
            if !matches!(operand, Expr::Let(_)) {
                self.add(operator, operand.span());
            }
            self.visit_expr(operand);
        }
    }

    fn visit_expr_match(&mut self, node: &'ast ExprMatch) {
        let last = node.arms.iter().rposition(takes_everything).unwrap_or(0);

        for arm in &node.arms[..last] {
            if let Pat::Guard(guarded) = &arm.pat {
                self.condition(&guarded.guard, true);
            } else {
                let span = arm.pat.span();
                let end = span.byte_range().end;
                self.add_range(
                    Operator::ArmNeverTaken,
                    (end, end),
                    span,
                    &self.text[span.byte_range()],
                );
            }
        }

        visit::visit_expr_match(self, node);
    }

    fn visit_expr_method_call(&mut self, node: &'ast ExprMethodCall) {
        if let Some(Expr::Closure(closure)) = node.args.last() {
            let name = node.method.to_string();
            if TESTS.contains(&name.as_str()) {
                match &*closure.body {
                    Expr::Block(block) => self.answers(&["true", "false"], &block.block),
                    body => {
                        if !is_binary(body, BinOp::is_and) {
                            self.add(Operator::HeldTrue, body.span());
                        }
                        if !is_binary(body, BinOp::is_or) {
                            self.add(Operator::HeldFalse, body.span());
                        }
                    }
                }
            } else if name == "or_else" && closure.inputs.is_empty() {
                self.add(Operator::NoAlternative, closure.body.span());
            }
        }

        visit::visit_expr_method_call(self, node);
    }
}

/// Tests of an expression's operator.
trait Logic {
    fn is_and(&self) -> bool;
    fn is_or(&self) -> bool;
}

impl Logic for BinOp {
    fn is_and(&self) -> bool {
        matches!(self, Self::And(_))
    }

    fn is_or(&self) -> bool {
        matches!(self, Self::Or(_))
    }
}

fn is_binary(expr: &Expr, is_operator: fn(&BinOp) -> bool) -> bool {
    matches!(expr, Expr::Binary(binary) if is_operator(&binary.op))
}

/// Collects the operands of a chain of one operator, or the expression itself.
fn collect<'e>(expr: &'e Expr, is_operator: fn(&BinOp) -> bool, operands: &mut Vec<&'e Expr>) {
    match expr {
        Expr::Binary(binary) if is_operator(&binary.op) => {
            collect(&binary.left, is_operator, operands);
            collect(&binary.right, is_operator, operands);
        }
        _ => operands.push(expr),
    }
}

fn leaves(condition: &Expr) -> Vec<&Expr> {
    let mut found = Vec::new();
    collect(condition, BinOp::is_and, &mut found);
    found
}

/// Reports whether an arm is `_` or a name, without a guard.
fn takes_everything(arm: &Arm) -> bool {
    let is_name = |pat: &Pat| match pat {
        Pat::Ident(name) => {
            name.subpat.is_none() && name.ident.to_string().starts_with(char::is_lowercase)
        }
        pat => matches!(pat, Pat::Wild(_)),
    };
    is_name(&arm.pat)
}

/// Returns the last segment of a function's return type.
fn answer_of(output: &ReturnType) -> Option<String> {
    match output {
        ReturnType::Type(_, ty) => match &**ty {
            Type::Path(path) => path
                .path
                .segments
                .last()
                .map(|segment| segment.ident.to_string()),
            _ => None,
        },
        ReturnType::Default => None,
    }
}

/// Returns the text on one line, independent of its layout, and cut if long.
fn shorten(text: &str) -> String {
    const MOST: usize = 90;
    let line = on_one_line(text);
    if line.chars().count() <= MOST {
        line
    } else {
        line.chars().take(MOST).chain("..".chars()).collect()
    }
}

/// Joins lines as a formatter with enough width would: nothing inside brackets and before a dot,
/// else a space.
fn on_one_line(text: &str) -> String {
    let mut joined = String::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let closes = line.starts_with([')', ']']);
        if closes && joined.ends_with(',') {
            joined.pop();
        }

        let is_tight = joined.is_empty()
            || joined.ends_with(['(', '['])
            || closes
            || line.starts_with(['.', '?']);

        if !is_tight {
            joined.push(' ');
        }

        joined.push_str(line);
    }
    joined
}

#[cfg(test)]
mod tests;
