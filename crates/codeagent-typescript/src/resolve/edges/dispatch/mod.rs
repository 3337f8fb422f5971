//! Dispatch in TypeScript and JavaScript: providers of containers, handlers of messages, listeners
//! of events, routes and requests.
//!
//! | what | recognised by |
//! |---|---|
//! | provider | `{ provide: X, useClass: Y }`; the array of a key `providers`; `bind(X).to(Y)` |
//! | handler | `@CommandHandler(M)` of a class, `@Action(M)` of a method |
//! | message | `execute(m)`, `publish(m)`, `dispatch(m)`: `m` is an instance of a class of the repository |
//! | listener, emitter | `on("name", f)`, `emit("name")` on a value of one class, or on one variable; `@OnEvent("name")` hears all emitters |
//! | worker of a queue | `@Processor("queue")` of a class; `add(..)` on a queue of that name, which `@InjectQueue` or `new Queue` names |
//! | route | `get("/a", f)` on a value from a router's package; a decorator `@Get("a")` below `@Controller("b")`; `{ path: "a", component: C }`, `{ path: "a", element: <C /> }`, `<Route path="a" element={<C />} />` ([`elements`]), `{ method: "POST", path: "/a", handler: f }`, `{ path: "a", action: f }` among routes of a client |
//! | command | `command("name", "..", builder, f)`, `command("name", f)`, `command({ command: "name", handler: f })`, `command("name").action(f)` ([`commands`]) |
//! | request | `fetch("/a")`, `get("/a")` without a function; any call with a path and `{ method: "POST" }` ([`options`]) |
//!
//! The origin of a value is followed through variables, imports and type annotations to the name of a
//! package ([`origins`]). If it is unknown, a path must begin with `/`, and the relation is inferred.
//! The names are in [`frameworks`].
//!
//! Limitations: a path is a literal, a constant with one, a call of a function that returns one, or a template
//! with placeholders, which constants fill. Prefixes from `use("/a", router)` and routes given by file names are not read.

mod commands;
mod elements;
mod events;
mod frameworks;
mod messages;
mod options;
pub mod origins;
mod providers;
mod queues;
mod routes;
mod shown;

use codeagent_lang::{DeclRef, Dispatch, DispatchEnd, Resolution, Target};
use codeagent_model::facts::*;

use self::elements::NestedElements;
use self::frameworks::{
    CallMeaning, DecoratorMeaning, decorator_meaning, function_meaning, method_meaning,
};
use self::options::OptionObjects;
use crate::resolve::edges::FileResolver;
use crate::resolve::edges::targets::Referent;

/// Calls that are looked into for the function they wrap.
const MAX_WRAPPERS: usize = 3;

/// A call site of the file.
#[derive(Clone, Copy)]
struct DispatchSite<'f> {
    site: &'f Site,
    call: Call,
    /// The value whose method is called; `NONE` without one.
    receiver: ExprId,
}

impl FileResolver<'_> {
    /// Records what the file says about code that runs without a call that names it.
    pub(super) fn record_dispatch(&self, resolution: &mut Resolution) {
        let facts = self.own_facts();
        let objects = OptionObjects::of(facts);
        let mut found = Vec::new();
        for site in &facts.sites {
            let Subject::Expr(expr) = site.subject else {
                continue;
            };
            let call = match (site.kind, facts.expr(expr)) {
                (SiteKind::Call, Expr::Call(call)) | (SiteKind::New, Expr::New(call)) => call,
                _ => continue,
            };
            let call = facts.calls[call.index()];
            let receiver = match facts.expr(call.callee) {
                Expr::Member(receiver, _) => receiver,
                _ => ExprId::NONE,
            };
            let at = DispatchSite {
                site,
                call,
                receiver,
            };
            let count = found.len();
            if site.kind == SiteKind::Call {
                self.record_named_call(at, &mut found);
            }
            if found.len() == count {
                self.record_optioned(at, &objects, &mut found);
            }
        }

        let nested = NestedElements::of(facts);
        self.record_objects(&nested, &mut found);
        self.record_elements(&nested, &mut found);
        resolution.dispatch.extend(found);
        resolution.dispatch.sort_by_key(|verdict| verdict.at.offset);
    }

    /// Records what a call of a method, function or decorator with a name of a framework says.
    fn record_named_call(&self, at: DispatchSite<'_>, found: &mut Vec<Dispatch>) {
        let facts = self.own_facts();

        match facts.expr(at.call.callee) {
            Expr::Member(_, name) => {
                if let Some(meaning) = method_meaning(facts.text(name)) {
                    self.stack.begin_site();
                    self.record_call(at, meaning, found);
                }
            }

            Expr::Name(name, ..) => {
                let name = facts.text(name);
                if let Some(meaning) = function_meaning(name) {
                    self.stack.begin_site();
                    self.record_call(at, meaning, found);
                } else if let Some(meaning) = decorator_meaning(name)
                    && self.is_decorator(at.site)
                {
                    self.stack.begin_site();
                    self.record_decorator(at, meaning, found);
                }
            }
            _ => {}
        }
    }

    fn record_call(&self, at: DispatchSite<'_>, meaning: CallMeaning, found: &mut Vec<Dispatch>) {
        match meaning {
            CallMeaning::Path(verb) => self.record_path(at, verb, found),
            CallMeaning::Fetch => self.record_fetch(at, found),
            CallMeaning::Ajax => self.record_ajax(at, found),
            CallMeaning::Open => self.record_opened(at, found),
            CallMeaning::Send => self.record_sent(at, found),
            CallMeaning::Listen => self.record_listener(at, found),
            CallMeaning::Emit => self.record_emitted(at, found),
            CallMeaning::Enqueue => self.record_enqueued(at, found),
            CallMeaning::Bind => self.record_binding(at, found),
            CallMeaning::BindSelf => self.record_self_binding(at, found),
            CallMeaning::Command => self.record_command(at, found),
            CallMeaning::Action => self.record_action(at, found),
        }
    }

    fn record_decorator(
        &self,
        at: DispatchSite<'_>,
        meaning: DecoratorMeaning,
        found: &mut Vec<Dispatch>,
    ) {
        match meaning {
            DecoratorMeaning::Route(verb) => self.record_decorated_route(at, verb, found),
            DecoratorMeaning::Handler => self.record_handler(at, found),
            DecoratorMeaning::Listener => self.record_decorated_listener(at, found),
            DecoratorMeaning::Processor => self.record_processor(at, found),
        }
    }

    /// Reports whether a call site decorates the declaration it belongs to.
    fn is_decorator(&self, site: &Site) -> bool {
        let Some(owner) = site.owner.some() else {
            return false;
        };
        let decl = self.own_facts().decl(owner);
        matches!(decl.kind, DeclKind::Class | DeclKind::Method) && site.at.offset < decl.at.offset
    }

    /// Returns the node that an expression names.
    fn symbol(&self, expr: ExprId) -> Option<DeclRef> {
        match self.resolve_value(expr) {
            Referent::Decls(decls) => self
                .canonical_declaration(&decls)
                .filter(|decl| self.is_node(*decl)),
            _ => None,
        }
    }

    /// Returns the node of a class that an expression names.
    fn class(&self, expr: ExprId) -> Option<DeclRef> {
        self.symbol(expr)
            .filter(|decl| self.decl(*decl).kind == DeclKind::Class)
    }

    /// Returns what runs when a function value is called: the function it names, or what a nameless
    /// one stands in. `None` if it is no function.
    fn handler(&self, owner: DeclId, value: ExprId, wrappers: usize) -> Option<DispatchEnd> {
        let facts = self.own_facts();
        match facts.expr(value) {
            Expr::Function(_) => Some(DispatchEnd::Around(owner)),
            Expr::Name(..) | Expr::Member(..) => {
                let named = self.symbol(value)?;
                let is_function = match self.decl(named).kind {
                    DeclKind::Function | DeclKind::Method => true,
                    DeclKind::DefaultExport | DeclKind::Property | DeclKind::Variable => {
                        self.may_be_function(named)
                    }
                    _ => false,
                };
                is_function.then_some(DispatchEnd::Target(Target::Decl(named)))
            }
            Expr::Paren(inner) | Expr::Satisfies(inner, _) => self.handler(owner, inner, wrappers),
            Expr::Array(items, _) => facts
                .list(items)
                .iter()
                .rev()
                .find_map(|item| self.handler(owner, *item, wrappers)),
            Expr::Call(call) if wrappers > 0 => {
                let call = facts.calls[call.index()];
                // `object.method.bind(object)`
                if let Expr::Member(inner, name) = facts.expr(call.callee)
                    && facts.text(name) == "bind"
                {
                    return self.handler(owner, inner, wrappers - 1);
                }

                let args = facts.list(call.args);
                args.iter()
                    .rev()
                    .find_map(|arg| self.handler(owner, arg.value, wrappers - 1))
            }
            _ => None,
        }
    }

    /// Reports whether a variable, property or default export may hold a function.
    fn may_be_function(&self, decl: DeclRef) -> bool {
        let facts = self.facts(decl.file);
        let init = facts.decl(decl.decl).init;
        !matches!(
            facts.expr(init),
            Expr::Literal(..) | Expr::Object(_) | Expr::New(_) | Expr::Array(..) | Expr::Unknown
        )
    }

    /// Returns the text that an expression writes, with its placeholders; `line` is where it stands.
    fn text_of(&self, value: ExprId, line: u32) -> Option<String> {
        let facts = self.own_facts();

        match facts.expr(value) {
            Expr::Literal(LiteralKind::String, text) if !text.is_none() => {
                literal_text(facts, value)
            }
            // The text of a template is among the literals of the file.
            Expr::Literal(LiteralKind::String, _) => {
                let first = facts
                    .literals
                    .partition_point(|literal| literal.line < line);
                let mut near = facts.literals[first..]
                    .iter()
                    .take_while(|literal| literal.line <= line + 1);
                let template = near.find(|literal| facts.text(literal.text).contains("${"))?;

                Some(self.with_constants(facts.text(template.text), template.line))
            }
            Expr::Binary(Operator::Add, left, right) => {
                let (first, second) = (self.text_of(left, line), self.text_of(right, line));
                if first.is_none() && second.is_none() {
                    return None;
                }

                let text = |part: Option<String>| part.unwrap_or_else(|| "${}".to_owned());
                Some(text(first) + &text(second))
            }
            Expr::Paren(inner) | Expr::Satisfies(inner, _) => self.text_of(inner, line),
            Expr::Name(..) | Expr::Member(..) => self.constant_text(value),
            Expr::Call(call) => self.returned_text(facts.calls[call.index()].callee),
            _ => None,
        }
    }

    /// Puts the strings of named constants in their places in a template on a line: `/carts/*` for
    /// `${Paths.CARTS}/*`. Other placeholders stay.
    fn with_constants(&self, template: &str, line: u32) -> String {
        let facts = self.own_facts();
        let first = facts.sites.partition_point(|site| site.at.line < line);
        let near = facts.sites[first..]
            .iter()
            .take_while(|site| site.at.line <= line + 1);
        let values: Vec<ExprId> = near
            .filter_map(|site| match site.subject {
                Subject::Expr(value) => Some(value),
                _ => None,
            })
            .collect();

        let (mut text, mut rest) = (String::new(), template);
        while let Some((before, after)) = rest.split_once("${")
            && let Some((name, behind)) = after.split_once('}')
        {
            text += before;
            let named = values.iter().find(|value| names(facts, **value, name));
            match named.and_then(|value| self.constant_text(*value)) {
                Some(constant) => text += &constant,
                None => text += &format!("${{{name}}}"),
            }
            rest = behind;
        }
        text + rest
    }

    /// Returns the string that a function always returns: `static getName() { return "created"; }`. A
    /// function with a declared return type has none, because changes of its body are not tracked.
    fn returned_text(&self, callee: ExprId) -> Option<String> {
        let Referent::Decls(decls) = self.resolve_value(callee) else {
            return None;
        };
        let [function] = decls.as_slice() else {
            return None;
        };

        let decl = self.decl(*function);
        let is_function = matches!(decl.kind, DeclKind::Function | DeclKind::Method);
        if !is_function || !decl.ty.is_none() {
            return None;
        }

        self.record_body(*function);
        let facts = self.facts(function.file);
        match facts.list(decl.returns) {
            [value] => literal_text(facts, *value),
            _ => None,
        }
    }

    /// Returns the string of a named constant: `const CREATED = "created"`, a member of an enum or a
    /// property of an object literal.
    fn constant_text(&self, value: ExprId) -> Option<String> {
        let Referent::Decls(decls) = self.resolve_value(value) else {
            return None;
        };

        let [named] = decls.as_slice() else {
            return None;
        };

        let decl = self.decl(*named);
        let is_constant = match decl.kind {
            DeclKind::EnumMember | DeclKind::Property => true,
            DeclKind::Variable => decl.flags.has(DeclFlags::CONST),
            _ => false,
        };

        if !is_constant {
            return None;
        }
        literal_text(self.facts(named.file), decl.init)
    }

    /// Returns the text of a call's argument.
    fn argument_text(&self, at: DispatchSite<'_>, index: usize) -> Option<String> {
        let args = self.own_facts().list(at.call.args);
        self.text_of(args.get(index)?.value, at.site.at.line)
    }

    /// Returns the value of a member of an object literal.
    fn member_value(&self, object: ExprId, key: &str) -> Option<ExprId> {
        let facts = self.own_facts();
        let Expr::Object(object) = facts.expr(object) else {
            return None;
        };
        self.property(object, key)
    }

    /// Returns the value of a property of an object literal of the file.
    fn property(&self, object: DeclId, key: &str) -> Option<ExprId> {
        property(self.own_facts(), object, key)
    }
}

/// Returns the value of a property of an object literal.
fn property(facts: &Facts, object: DeclId, key: &str) -> Option<ExprId> {
    let scope = facts.decl(object).inner;
    let after = &facts.decls[object.index()..];
    let member = after.iter().find(|decl| {
        decl.scope == scope && decl.kind == DeclKind::Property && facts.text(decl.name) == key
    })?;
    member.init.some()
}

/// Reports whether a value is written as a chain of names: `Paths.CARTS`.
fn names(facts: &Facts, value: ExprId, chain: &str) -> bool {
    match facts.expr(value) {
        Expr::Name(name, ..) => facts.text(name) == chain,
        Expr::Member(of, name) => chain
            .strip_suffix(facts.text(name))
            .and_then(|rest| rest.strip_suffix('.'))
            .is_some_and(|rest| names(facts, of, rest)),
        _ => false,
    }
}

/// Returns the last name of a callee or component.
fn last_name(facts: &Facts, callee: ExprId) -> &str {
    match facts.expr(callee) {
        Expr::Name(name, ..) | Expr::Member(_, name) => facts.text(name),
        _ => "",
    }
}

/// Returns the text of a string literal without placeholders.
fn literal_text(facts: &Facts, value: ExprId) -> Option<String> {
    match facts.expr(value) {
        Expr::Literal(LiteralKind::String, text) if !text.is_none() => {
            Some(facts.text(text).to_owned())
        }
        _ => None,
    }
}
