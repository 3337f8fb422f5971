//! Access chains: members, calls and indices such as `a.b<T>(c)![d].e()`; also `new` and tagged
//! templates.
//!
//! Chains are lowered in a loop that skips `!`. The grammar reads `await f<T>(x).g()` as `(await
//! f)<T>(x).g()` and `a + f<T>(x)` as `(a + f)<T>(x)`; here the operator is moved back on top of
//! its chain.
//!
//! Limitations: `new` without parentheses has no arguments. `import(x)` of a computed module is
//! `Unknown`.

use codeagent_model::facts::*;
use codeagent_model::span::Position;

use crate::lower::lowering::Lowering;
use crate::lower::state::{ChainLink, Test, Value};
use crate::syntax::syntax::{Child, Field, Kind};

/// Keys of an object that name a command.
const COMMAND_NAMES: [&str; 2] = ["command", "name"];

/// The base of a chain link.
#[derive(Clone, Copy)]
struct Callee<'tree> {
    child: Child<'tree>,
    /// Its last name token, if known.
    name: Option<Child<'tree>>,
}

impl<'t, 'tree> Lowering<'t, 'tree> {
    /// Lowers a chain: descends to its head, then applies link by link.
    pub fn chain(&mut self, top: Child<'tree>, context: Context, usage: Option<SiteKind>) -> Value {
        let base = self.links.len();
        let head = self.descend(top, base);
        let called = self.next_is_call(base);
        let head_usage = if self.links.len() == base {
            usage
        } else {
            Some(SiteKind::Read)
        };
        let mut value = self.chain_head(head, if called { None } else { head_usage });
        let mut callee = Callee {
            child: head,
            name: None,
        };

        while self.links.len() > base {
            let Some(link) = self.links.pop() else { break };
            let usage = match () {
                () if self.next_is_call(base) => None,
                () if self.links.len() == base => usage,
                () => Some(SiteKind::Read),
            };
            let context = if self.links.len() == base {
                context
            } else {
                Context::None
            };

            value = self.link(&link, value, callee, (usage, context));
            callee = Callee {
                child: link.child,
                name: Some(link.name()),
            };
        }

        value
    }

    /// Pushes the links from the outermost inwards and returns the head.
    fn descend(&mut self, top: Child<'tree>, base: usize) -> Child<'tree> {
        let mut current = top;
        loop {
            let below = match current.kind {
                Kind::MemberExpression | Kind::SubscriptExpression => Field::Receiver,
                Kind::CallExpression => Field::Function,
                Kind::NonNullExpression => match self.children(current).first() {
                    Some(inner) => {
                        current = inner;
                        continue;
                    }
                    None => return current,
                },
                _ => return current,
            };

            let children = self.children(current);
            let Some(mut next) = children.get(below) else {
                return current;
            };

            let generic = current.kind == Kind::CallExpression
                && children.get(Field::TypeArguments).is_some();
            self.links.push(ChainLink {
                child: current,
                children,
                hoisted: false,
            });

            while generic
                && matches!(
                    next.kind,
                    Kind::AwaitExpression | Kind::UnaryExpression | Kind::BinaryExpression
                )
            {
                let children = self.children(next);
                let inner = if next.kind == Kind::BinaryExpression {
                    children.get(Field::Right)
                } else {
                    children.get(Field::Argument).or_else(|| children.first())
                };
                let Some(inner) = inner else { break };
                let hoists = self.links[base..]
                    .iter()
                    .take_while(|link| link.hoisted)
                    .count();

                self.links.insert(
                    base + hoists,
                    ChainLink {
                        child: next,
                        children,
                        hoisted: true,
                    },
                );

                next = inner;
            }

            current = next;
        }
    }

    /// Reports whether the next link up is a call of the current value.
    fn next_is_call(&self, base: usize) -> bool {
        self.links[base..]
            .last()
            .is_some_and(|link| link.child.kind == Kind::CallExpression)
    }

    fn chain_head(&mut self, head: Child<'tree>, usage: Option<SiteKind>) -> Value {
        match head.kind {
            Kind::Identifier => self.name(head, usage),
            // A chain link without its base.
            Kind::MemberExpression
            | Kind::SubscriptExpression
            | Kind::CallExpression
            | Kind::NonNullExpression
            | Kind::Import => Value::of(self.b.expr(Expr::Unknown)),
            _ => self.used(head, Context::None, usage),
        }
    }

    fn link(
        &mut self,
        link: &ChainLink<'tree>,
        value: Value,
        callee: Callee<'tree>,
        usage: (Option<SiteKind>, Context),
    ) -> Value {
        match link.child.kind {
            Kind::MemberExpression => self.member_access(link, value, usage.0),
            Kind::SubscriptExpression => self.subscript(link, value, usage.0),
            Kind::CallExpression => self.call(link, value, callee),
            Kind::AwaitExpression => Value::of(self.b.expr(Expr::Await(value.expr))),
            Kind::UnaryExpression => self.unary_of(&link.children, value),
            Kind::BinaryExpression => self.binary_of(&link.children, value),
            _ => value,
        }
    }

    fn member_access(
        &mut self,
        link: &ChainLink<'tree>,
        value: Value,
        usage: Option<SiteKind>,
    ) -> Value {
        let Some(property) = link.children.get(Field::Property) else {
            return value;
        };

        let sym = self.sym(property);
        let expr = self.b.expr(Expr::Member(value.expr, sym));
        if self.is_environment(value.expr) {
            let text = self.text(property);
            self.b.literal(text, property.start());
        }

        if let Some(kind) = usage {
            let at = self.at(property);
            self.b.site(kind, Subject::Expr(expr), at);
        }

        Value {
            expr,
            test: Test::Truthy(expr),
        }
    }

    /// Reports whether an object is `process.env` or `import.meta.env`, whose members are named by
    /// the environment.
    fn is_environment(&self, object: ExprId) -> bool {
        let facts = &self.b.facts;
        let Expr::Member(holder, env) = facts.expr(object) else {
            return false;
        };
        facts.text(env) == "env"
            && match facts.expr(holder) {
                Expr::Name(name, ..) => facts.text(name) == "process",
                Expr::Member(_, meta) => facts.text(meta) == "meta",
                _ => false,
            }
    }

    fn subscript(
        &mut self,
        link: &ChainLink<'tree>,
        value: Value,
        usage: Option<SiteKind>,
    ) -> Value {
        let Some(index) = link.children.get(Field::Index) else {
            return value;
        };

        if index.kind == Kind::String {
            let sym = self.string(index);
            let text = self.unquoted(index);
            self.b.literal(text, index.start());
            let expr = self.b.expr(Expr::Member(value.expr, sym));
            if let Some(kind) = usage {
                let at = self.at(index);
                self.b.site(kind, Subject::Expr(expr), at);
            }
            return Value {
                expr,
                test: Test::Truthy(expr),
            };
        }

        let call = self.b.begin_call(value.expr, List::default());
        let expr = self.b.fresh_expr(Expr::Index(call));
        let index = self.expr(index, Context::None);
        self.b
            .finish_call(call, vec![argument(index, ArgMode::Value)]);
        Value::of(expr)
    }

    fn call(
        &mut self,
        link: &ChainLink<'tree>,
        callee: Value,
        Callee {
            child: callee_node,
            name,
        }: Callee<'tree>,
    ) -> Value {
        let arguments = link.children.get(Field::Arguments);
        if let Some(module) = self.called_module(callee_node, arguments) {
            return Value::of(module);
        }

        let type_args = self.type_arguments(link.children.get(Field::TypeArguments));
        let call = self.b.begin_call(callee.expr, type_args);
        let expr = self.b.fresh_expr(Expr::Call(call));
        let tagged = arguments.is_some_and(|arguments| arguments.kind == Kind::TemplateString);
        let at = match name {
            Some(name) => self.at(name),
            None => self.name_position(callee_node),
        };

        let kind = match () {
            () if callee_node.kind == Kind::Import => None,
            () if tagged => Some(SiteKind::Tag),
            () if callee_node.kind == Kind::Super => Some(SiteKind::BaseInit),
            () => Some(SiteKind::Call),
        };

        let asserted = self.asserted_callee(callee.expr, at);
        if let Some(kind) = kind {
            self.b.site(kind, Subject::Expr(expr), at);
        }

        let args = match arguments {
            Some(template) if tagged => self.tag_arguments(template),
            Some(list) => self.arguments(list, call),
            None => Vec::new(),
        };

        self.b.finish_call(call, args);
        if let Some(asserted) = asserted {
            self.b.facts.calls[asserted.index()].args = self.b.facts.calls[call.index()].args;
        }
        if let Some(list) = arguments.filter(|_| !tagged) {
            self.callback(call, list, at.line);
        }
        Value {
            expr,
            test: Test::Call(call),
        }
    }

    /// Turns the read of `f` in `(f as T)()` into a call of its own, because an assertion has no
    /// effect at run time.
    fn asserted_callee(&mut self, callee: ExprId, at: Position) -> Option<CallId> {
        let last = self.b.facts.sites.last()?;
        let (SiteKind::Read, Subject::Expr(value), true) = (last.kind, last.subject, last.at == at)
        else {
            return None;
        };
        if !matches!(self.b.facts.expr(callee), Expr::Cast(_)) {
            return None;
        }

        let call = self.b.begin_call(value, List::default());
        let subject = Subject::Expr(self.b.fresh_expr(Expr::Call(call)));
        let last = self.b.facts.sites.last_mut()?;
        (last.kind, last.subject) = (SiteKind::Call, subject);
        Some(call)
    }

    /// Lowers `import("m")` and, in JavaScript, `require("m")`.
    fn called_module(
        &mut self,
        callee: Child<'tree>,
        arguments: Option<Child<'tree>>,
    ) -> Option<ExprId> {
        let dynamic = callee.kind == Kind::Import;
        let require =
            self.javascript && callee.kind == Kind::Identifier && self.text(callee) == "require";
        if !dynamic && !require {
            return None;
        }

        let specifier = self
            .children(arguments?)
            .first()
            .filter(|first| first.kind == Kind::String)?;
        let module = self.string(specifier);

        if dynamic {
            return Some(self.module_expression(module, specifier));
        }

        self.b.facts.header.is_module = true;

        let expr = self.b.fresh_expr(Expr::Require(module));
        let at = self.at(specifier);
        self.b.site(SiteKind::Import, Subject::Expr(expr), at);

        Some(expr)
    }

    /// Lowers the arguments of a call, each with the call as its context.
    pub fn arguments(&mut self, list: Child<'tree>, call: CallId) -> Vec<Arg> {
        let mut args = Vec::new();
        let mut first = Test::None;

        for child in self.children(list).named() {
            let context = Context::Argument(call, args.len().min(usize::from(u16::MAX)) as u16);
            let (mode, inner) = if child.kind == Kind::SpreadElement {
                (ArgMode::Spread, self.children(child).first())
            } else {
                (ArgMode::Value, Some(child))
            };

            let value = inner.map(|inner| self.value(inner, context));
            if let (Some(value), true) = (value, args.is_empty()) {
                first = value.test;
            }
            args.push(argument(
                value.map_or(ExprId::NONE, |value| value.expr),
                mode,
            ));
        }

        self.narrowing.argument_test = first;
        args
    }

    /// Labels a call that takes a callback with its first string, and one that adds a command with the
    /// name of the command.
    fn callback(&mut self, call: CallId, list: Child<'tree>, line: u32) {
        if let Some(name) = self.name_of_added_command(call, list) {
            self.b.command(name, line, list.end().saturating_sub(1));
            return;
        }

        if self.b.last_callback(call).is_none() {
            return;
        }

        let title = self
            .children(list)
            .named()
            .enumerate()
            .find(|(_, child)| matches!(child.kind, Kind::String | Kind::TemplateString));

        if let Some((index, title)) = title {
            let title = self.unquoted(title);
            self.b
                .callback(call, (index, title), line, list.end().saturating_sub(1));
        }
    }

    /// Returns the name in `command({ command: "name", handler })`.
    fn name_of_added_command(&mut self, call: CallId, list: Child<'tree>) -> Option<&'t str> {
        let callee = self.b.facts.calls[call.index()].callee;
        let Expr::Member(_, method) = self.b.facts.expr(callee) else {
            return None;
        };
        if self.b.facts.text(method) != "command" {
            return None;
        }

        let object = self.children(list).named().next()?;
        if object.kind != Kind::Object {
            return None;
        }
        let pairs: Vec<Child<'tree>> = self
            .children(object)
            .named()
            .filter(|child| child.kind == Kind::Pair)
            .collect();
        pairs.into_iter().find_map(|pair| {
            let pair = self.children(pair);
            let (key, value) = (pair.get(Field::Key)?, pair.get(Field::Value)?);
            let is_name = COMMAND_NAMES.contains(&self.unquoted(key));
            let is_text = matches!(value.kind, Kind::String | Kind::TemplateString);
            (is_name && is_text).then(|| self.unquoted(value))
        })
    }

    /// Lowers the arguments of a tagged template: the strings, then the values.
    fn tag_arguments(&mut self, template: Child<'tree>) -> Vec<Arg> {
        let strings = self.b.expr(Expr::Unknown);
        let values = self.substitutions(template);
        std::iter::once(strings)
            .chain(values)
            .map(|value| argument(value, ArgMode::Value))
            .collect()
    }

    /// Lowers `new C<T>(x)`.
    pub fn new_expression(&mut self, child: Child<'tree>) -> ExprId {
        let children = self.children(child);
        let Some(class) = children.get(Field::Constructor) else {
            return self.b.expr(Expr::Unknown);
        };
        let callee = self.used(class, Context::None, None).expr;
        let type_args = self.type_arguments(children.get(Field::TypeArguments));
        let call = self.b.begin_call(callee, type_args);
        let expr = self.b.fresh_expr(Expr::New(call));
        let at = self.name_position(class);
        self.b.site(SiteKind::New, Subject::Expr(expr), at);
        let args = children
            .get(Field::Arguments)
            .map_or_else(Vec::new, |list| self.arguments(list, call));
        self.b.finish_call(call, args);
        expr
    }
}

fn argument(value: ExprId, mode: ArgMode) -> Arg {
    Arg {
        name: Sym::NONE,
        mode,
        value,
    }
}
