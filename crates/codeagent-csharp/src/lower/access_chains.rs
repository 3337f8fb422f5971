//! Member access, invocation and element access: `a?.b.c<T>(x)[0]!` as one loop over its steps.
//!
//! The grammar binds `?.` too loosely: `a + b?.c()` is parsed as `(a + b)?.c()`. The steps of a
//! chain on an operator are therefore handed down to the operator's last operand.
//!
//! Limitations: a call of an expression without a name (`a[0](x)`) has no site.

use codeagent_model::facts::*;
use codeagent_model::span::Position;
use smallvec::SmallVec;
use tree_sitter::Node;

use crate::lower::lowering::Lowering;
use crate::lower::types::Sites;
use crate::syntax::rewriter::RewriteKind;
use crate::syntax::syntax_kind::{Field, Kind, in_field, kind, of_kind};

/// Steps of a chain, the last one first.
pub type Steps<'r> = SmallVec<[Node<'r>; 8]>;

/// The value of a chain after some of its steps.
struct ChainLink {
    expr: ExprId,
    /// The position of its last name, if that has no site yet.
    pending: Option<Position>,
    /// The end of the name with its type arguments.
    end: usize,
    /// The type arguments of that name.
    args: List<TypeId>,
}

impl<'t, 'r> Lowering<'t, 'r> {
    /// Splits a chain into its base and its steps, the last step first; `above` are the steps that
    /// follow it.
    pub fn chain_steps(&self, node: Node<'r>, above: &[Node<'r>]) -> (Node<'r>, Steps<'r>) {
        let mut steps: Steps<'r> = above.iter().copied().collect();
        let mut bottom = node;
        while kind(bottom).is_postfix() {
            let Some(inner) = bottom.child(0) else { break };
            steps.push(bottom);
            bottom = inner;
        }
        (bottom, steps)
    }

    /// Lowers a chain; `use_kind` is the use of its last name.
    pub fn chain(&mut self, node: Node<'r>, above: &[Node<'r>], use_kind: SiteKind) -> ExprId {
        let (bottom, steps) = self.chain_steps(node, above);
        let hangs_below = steps
            .last()
            .is_some_and(|step| kind(*step) == Kind::ConditionalAccess);
        if hangs_below && is_loose(kind(bottom)) {
            return self.operand(bottom, &steps);
        }
        self.steps(bottom, &steps, use_kind)
    }

    /// Applies steps to their base.
    pub fn steps(&mut self, bottom: Node<'r>, steps: &[Node<'r>], use_kind: SiteKind) -> ExprId {
        let (mut link, mut rest) = self.first_link(bottom, steps);
        let mut conditional = false;
        while let Some((step, above)) = rest.split_last() {
            rest = above;
            link = match kind(*step) {
                Kind::Invocation | Kind::Binary => self.call_step(link, *step),
                Kind::MemberAccess => {
                    let children = self.children(*step);
                    self.member_step(link, in_field(&children, Field::Name), inner_use(use_kind))
                }
                Kind::ConditionalAccess => {
                    conditional = true;
                    self.conditional_step(link, *step, use_kind)
                }
                Kind::ElementAccess => self.element_step(link, *step, use_kind),
                _ => self.postfix_step(link, *step),
            };
        }

        let expr = self.record_last_site(link, use_kind);
        if conditional {
            self.b.expr(Expr::Conditional(expr))
        } else {
            expr
        }
    }

    /// Returns the start of the chain and the steps that remain. A dotted name that contains type
    /// arguments is lowered as one type.
    fn first_link<'s>(
        &mut self,
        bottom: Node<'r>,
        steps: &'s [Node<'r>],
    ) -> (ChainLink, &'s [Node<'r>]) {
        if let Some((step, above)) = steps.split_last()
            && let Some(test) = self.positional_test(bottom, *step)
        {
            return (plain(test), above);
        }

        let taken = self.type_prefix(bottom, steps);
        if taken > 0 {
            let last = steps[steps.len() - taken];
            let ty = self.named_type(last, Sites::All).ty;
            let expr = self.b.expr(Expr::TypeValue(ty));
            return (plain(expr), &steps[..steps.len() - taken]);
        }

        let followed = !steps.is_empty();
        let is_generic =
            kind(bottom) == Kind::GenericName || self.blanked_type_list(bottom).is_some();
        let link = match kind(bottom) {
            Kind::Identifier if !is_generic => self.name_link(bottom),
            _ if !is_generic => plain(self.expr(bottom, Context::None)),
            _ if followed && !self.is_call(steps) => {
                let ty = self.named_type(bottom, Sites::All).ty;
                plain(self.b.expr(Expr::TypeValue(ty)))
            }
            _ => {
                let (name, args) = self.simple_name(bottom);
                let mut link = self.name_link(name);
                link.args = args.map_or(List::default(), |args| self.type_args(args));
                link.end = bottom.end_byte();
                link
            }
        };

        (link, steps)
    }

    fn name_link(&mut self, node: Node<'r>) -> ChainLink {
        let name = self.name(node);
        let at = self.b.at(node);
        let scope = self.b.scope;
        ChainLink {
            expr: self.b.expr(Expr::Name(name, scope, at.offset)),
            pending: Some(at),
            end: node.end_byte(),
            args: List::default(),
        }
    }

    fn is_call(&self, steps: &[Node<'r>]) -> bool {
        steps
            .last()
            .is_some_and(|step| matches!(kind(*step), Kind::Invocation | Kind::Binary))
    }

    /// Counts the member steps that belong to a type name: `A.B<int>.C()` has one.
    fn type_prefix(&mut self, bottom: Node<'r>, steps: &[Node<'r>]) -> usize {
        if kind(bottom) != Kind::Identifier {
            return 0;
        }

        let mut taken = 0;
        for index in (1..steps.len()).rev() {
            let (step, next) = (steps[index], steps[index - 1]);
            if kind(step) != Kind::MemberAccess || kind(next) != Kind::MemberAccess {
                break;
            }

            let name = step.child(step.child_count().saturating_sub(1));
            if name.is_some_and(|name| {
                kind(name) == Kind::GenericName || self.blanked_type_list(name).is_some()
            }) {
                taken = steps.len() - index;
            }
        }

        taken
    }

    fn member_step(
        &mut self,
        link: ChainLink,
        name: Option<Node<'r>>,
        use_kind: SiteKind,
    ) -> ChainLink {
        let receiver = self.record_last_site(link, use_kind);
        let Some(name) = name else {
            return plain(receiver);
        };

        let end = name.end_byte();
        let (name, args) = self.simple_name(name);
        let sym = self.name(name);
        let at = self.b.at(name);
        let args = args.map_or(List::default(), |args| self.type_args(args));

        ChainLink {
            expr: self.b.expr(Expr::Member(receiver, sym)),
            pending: Some(at),
            end,
            args,
        }
    }

    fn conditional_step(
        &mut self,
        link: ChainLink,
        step: Node<'r>,
        use_kind: SiteKind,
    ) -> ChainLink {
        let children = self.children(step);
        if let Some(binding) = of_kind(&children, Kind::MemberBinding) {
            let parts = self.children(binding);
            let receiver = self.record_last_site(link, inner_use(use_kind));
            let receiver = plain(self.b.expr(Expr::NonNull(receiver)));
            return self.member_step(receiver, in_field(&parts, Field::Name), inner_use(use_kind));
        }

        match of_kind(&children, Kind::ElementBinding)
            .or(of_kind(&children, Kind::BracketedArguments))
        {
            Some(arguments) => self.index(link, arguments, use_kind),
            None => link,
        }
    }

    fn element_step(&mut self, link: ChainLink, step: Node<'r>, use_kind: SiteKind) -> ChainLink {
        let children = self.children(step);
        match of_kind(&children, Kind::BracketedArguments) {
            Some(arguments) if self.edited(arguments.start_byte(), RewriteKind::CallTarget) => {
                self.call(link, arguments)
            }
            Some(arguments) => self.index(link, arguments, use_kind),
            None => link,
        }
    }

    fn index(&mut self, link: ChainLink, arguments: Node<'r>, use_kind: SiteKind) -> ChainLink {
        let receiver = self.record_last_site(link, inner_use(use_kind));
        let call = self.b.begin_call(receiver, List::default());
        let expr = self.b.fresh_expr(Expr::Index(call));
        self.arguments(call, arguments);
        let at = self.b.at(arguments);
        self.use_site(SiteKind::Index, expr, at);
        plain(expr)
    }

    /// Lowers a call, including one that the grammar parsed as two comparisons.
    fn call_step(&mut self, mut link: ChainLink, step: Node<'r>) -> ChainLink {
        let children = self.children(step);
        if kind(step) == Kind::Invocation {
            return match of_kind(&children, Kind::ArgumentList) {
                Some(arguments) => self.call(link, arguments),
                None => link,
            };
        }

        let (Some(left), Some(right)) = (
            in_field(&children, Field::Left),
            in_field(&children, Field::Right),
        ) else {
            return link;
        };
        let inner = self.children(left);
        let args = in_field(&inner, Field::Right).map(|arg| self.type_of_expression(arg));
        link.args = self.b.facts.add_list(args);
        let (arguments, _) = self.chain_steps(right, &[]);
        self.call(link, arguments)
    }

    fn call(&mut self, link: ChainLink, arguments: Node<'r>) -> ChainLink {
        if self.is_nameof(&link) {
            return self.nameof(arguments);
        }
        let call = self.b.begin_call(link.expr, link.args);
        let expr = self.b.fresh_expr(Expr::Call(call));
        if let Some(at) = link.pending {
            self.use_site(SiteKind::Call, expr, at);
        }
        self.arguments(call, arguments);
        if let Some(at) = link.pending {
            self.callback(call, arguments, at);
        }
        plain(expr)
    }

    fn is_nameof(&self, link: &ChainLink) -> bool {
        matches!(self.b.facts.expr(link.expr), Expr::Name(name, ..) if self.b.facts.text(name) == "nameof")
    }

    fn nameof(&mut self, arguments: Node<'r>) -> ChainLink {
        for argument in self.children(arguments) {
            for part in self.children(argument.node) {
                self.expr_used(part.node, &[], SiteKind::NameOf);
            }
        }
        plain(self.b.expr(Expr::Known(KnownType::String)))
    }

    /// Lowers `x!`, `x++` and `x--`.
    fn postfix_step(&mut self, link: ChainLink, step: Node<'r>) -> ChainLink {
        let children = self.children(step);
        let Some(token) = children.iter().find(|child| child.kind == Kind::Token) else {
            return link;
        };
        let operator = match self.text(token.node) {
            "++" => Operator::Increment,
            "--" => Operator::Decrement,
            _ => return link,
        };
        let operand = self.record_last_site(link, SiteKind::ReadWrite);
        plain(self.unary(operator, operand, token.node))
    }

    /// Adds the site of the chain's last name, if it is still missing.
    fn record_last_site(&mut self, link: ChainLink, use_kind: SiteKind) -> ExprId {
        let Some(at) = link.pending else {
            return link.expr;
        };
        if self.edited(link.end, RewriteKind::EmptyCall) {
            let call = self.b.begin_call(link.expr, link.args);
            let call = self.b.fresh_expr(Expr::Call(call));
            self.use_site(SiteKind::Call, call, at);
            return call;
        }

        let expr = if link.args.is_empty() {
            link.expr
        } else {
            self.b.expr(Expr::Generic(link.expr, link.args))
        };

        self.use_site(use_kind, expr, at);
        expr
    }
}

fn plain(expr: ExprId) -> ChainLink {
    ChainLink {
        expr,
        pending: None,
        end: 0,
        args: List::default(),
    }
}

/// Returns how a receiver is used when its member is used in this way.
fn inner_use(use_kind: SiteKind) -> SiteKind {
    if use_kind == SiteKind::NameOf {
        use_kind
    } else {
        SiteKind::Read
    }
}

/// Reports whether an operator binds tighter than the grammar's `?.` but looser than C#'s.
fn is_loose(kind: Kind) -> bool {
    kind.is_operator()
        || matches!(
            kind,
            Kind::Prefix | Kind::Await | Kind::Cast | Kind::RangeExpression
        )
}
