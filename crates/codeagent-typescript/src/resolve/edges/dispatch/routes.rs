//! Routes: the functions that answer a path, and the requests for the path.

use codeagent_lang::{DeclRef, Dispatch, DispatchEnd};
use codeagent_model::dispatch::{ANY_VERB, DispatchKind};
use codeagent_model::facts::*;
use codeagent_model::graph::Confidence;

use super::frameworks::{CLIENTS, CONTROLLERS, ROUTERS, SCRIPT_CLIENTS};
use super::origins::Origin;
use super::{DispatchSite, MAX_WRAPPERS};
use crate::resolve::edges::FileResolver;
use crate::resolve::edges::targets::Referent;

/// Calls of `route(..)` that may stand between a path and its verb.
const MAX_CHAIN: usize = 8;

impl FileResolver<'_> {
    /// Records `router.get("/a", handler)`, or `client.get("/a")`.
    pub(super) fn record_path(
        &self,
        at: DispatchSite<'_>,
        verb: &'static str,
        found: &mut Vec<Dispatch>,
    ) {
        let facts = self.own_facts();
        let args = facts.list(at.call.args);
        let path = self.argument_text(at, 0);
        let path = path.or_else(|| self.chained_path(at.receiver));
        let Some(path) = path.or_else(|| self.built_text(args.first()?.value)) else {
            return;
        };

        if self.is_script_client(at.receiver) {
            // A function is called with the answer.
            if path.contains('/') {
                self.add_request(at, (verb, &path), Confidence::Inferred, found);
            }
            return;
        }

        let functions = args
            .iter()
            .filter(|arg| !matches!(facts.expr(arg.value), Expr::Literal(..)));
        let handler = functions
            .rev()
            .find_map(|arg| self.handler(at.site.owner, arg.value, MAX_WRAPPERS));
        let origin = self.origin(at.receiver);
        if origin.is_one_of(ROUTERS) {
            if args.len() > 1 || handler.is_some() {
                let target = handler.unwrap_or(DispatchEnd::Unknown);
                let path = self.with_prefix(at.receiver, &path);
                self.add_route(at, (verb, &path), target, Confidence::Exact, found);
            }
            return;
        }

        let is_client = origin.is_one_of(CLIENTS);
        if !is_client && !is_path(&path) {
            return;
        }
        match handler {
            // A package that is not listed may be a router, too.
            Some(target) if origin != Origin::Own && !is_client && args.len() > 1 => {
                self.add_route(at, (verb, &path), target, Confidence::Inferred, found);
            }
            Some(_) => {}
            None if origin == Origin::Unknown || origin == Origin::Own || is_client => {
                let confidence = if is_client {
                    Confidence::Exact
                } else {
                    Confidence::Inferred
                };
                self.add_request(at, (verb, &path), confidence, found);
            }
            None => {}
        }
    }

    fn add_route(
        &self,
        at: DispatchSite<'_>,
        (verb, path): (&str, &str),
        target: DispatchEnd,
        confidence: Confidence,
        found: &mut Vec<Dispatch>,
    ) {
        let source = DispatchEnd::Around(at.site.owner);

        found.push(Dispatch {
            label: format!("{verb} {path}"),
            ..Dispatch::new(
                DispatchKind::Serves,
                (source, target),
                at.site.at,
                confidence,
            )
        });
    }

    pub(super) fn add_request(
        &self,
        at: DispatchSite<'_>,
        (verb, path): (&str, &str),
        confidence: Confidence,
        found: &mut Vec<Dispatch>,
    ) {
        let source = DispatchEnd::Around(at.site.owner);

        found.push(Dispatch {
            label: format!("{verb} {path}"),
            ..Dispatch::new(
                DispatchKind::Requests,
                (source, DispatchEnd::Unknown),
                at.site.at,
                confidence,
            )
        });
    }

    /// Returns the path of `router.route("/a").get(f).post(g)`.
    fn chained_path(&self, mut receiver: ExprId) -> Option<String> {
        let facts = self.own_facts();
        for _ in 0..MAX_CHAIN {
            let Expr::Call(call) = facts.expr(receiver) else {
                return None;
            };
            let call = facts.calls[call.index()];
            let Expr::Member(inner, name) = facts.expr(call.callee) else {
                return None;
            };
            if facts.text(name) == "route" {
                let first = facts.list(call.args).first()?;
                return self.text_of(first.value, 0);
            }
            receiver = inner;
        }

        None
    }

    /// Returns a path below the prefix of `new Router({ prefix: "/a" })`.
    fn with_prefix(&self, receiver: ExprId, path: &str) -> String {
        let prefix = self.router_prefix(receiver).unwrap_or_default();
        if prefix.is_empty() {
            path.to_owned()
        } else {
            join(&prefix, path)
        }
    }

    fn router_prefix(&self, receiver: ExprId) -> Option<String> {
        let facts = self.own_facts();
        let router = self
            .symbol(receiver)
            .filter(|router| router.file == self.file)?;
        let (Expr::New(call) | Expr::Call(call)) = facts.expr(facts.decl(router.decl).init) else {
            return None;
        };
        let options = facts.list(facts.calls[call.index()].args).first()?.value;
        let prefix = self.member_value(options, "prefix")?;
        self.text_of(prefix, 0)
    }

    /// Returns the text of a path that a constant of the file holds: a template, or the text with a slash from
    /// which a call builds it, as in `const url = build("api/carts")`.
    pub(super) fn built_text(&self, value: ExprId) -> Option<String> {
        let facts = self.own_facts();
        let Referent::Decls(decls) = self.resolve_value(value) else {
            return None;
        };
        let [constant] = decls.as_slice() else {
            return None;
        };

        let decl = facts.decl(constant.decl);
        if constant.file != self.file || !decl.flags.has(DeclFlags::CONST) {
            return None;
        }
        let (text, is_built) = match facts.expr(decl.init) {
            Expr::Call(call) => {
                let args = facts.list(facts.calls[call.index()].args);
                (args.first()?.value, true)
            }
            _ => (decl.init, false),
        };
        if !matches!(facts.expr(text), Expr::Literal(LiteralKind::String, _)) {
            return None;
        }
        let text = self.text_of(text, decl.at.line)?;
        (!is_built || text.contains('/')).then_some(text)
    }

    /// Records `fetch("/a", { method: "POST" })`.
    pub(super) fn record_fetch(&self, at: DispatchSite<'_>, found: &mut Vec<Dispatch>) {
        let facts = self.own_facts();
        let as_written = self.argument_text(at, 0).filter(|path| is_path(path));
        let confidence = match as_written {
            Some(_) => Confidence::Exact,
            None => Confidence::Inferred,
        };
        let Some(path) = as_written.or_else(|| self.path_in_call(at)) else {
            return;
        };

        let options = facts.list(at.call.args).get(1);
        let verb = match options {
            None => Some("GET".to_owned()),
            Some(options) => match self.member_value(options.value, "method") {
                Some(method) => self.text_of(method, 0),
                None if matches!(facts.expr(options.value), Expr::Object(_)) => {
                    Some("GET".to_owned())
                }
                None => None,
            },
        };

        let verb = verb.map_or(ANY_VERB.to_owned(), |verb| verb.to_uppercase());
        self.add_request(at, (&verb, &path), confidence, found);
    }

    /// Records `$.ajax({ url: "/a", type: "POST" })`.
    pub(super) fn record_ajax(&self, at: DispatchSite<'_>, found: &mut Vec<Dispatch>) {
        let facts = self.own_facts();
        let args = facts.list(at.call.args);
        let is_options = |arg: &&Arg| matches!(facts.expr(arg.value), Expr::Object(_));
        let options = args.iter().find(is_options).map(|arg| arg.value);
        let option = |key| self.member_value(options?, key);
        let line = at.site.at.line;
        let path = match option("url") {
            Some(url) => self.text_of(url, line),
            None => self.argument_text(at, 0),
        };
        let Some(path) = path.filter(|path| path.contains('/')) else {
            return;
        };
        if !self.is_script_client(at.receiver) {
            return;
        }

        let method = option("type").or_else(|| option("method"));
        let verb = match method {
            None => Some("GET".to_owned()),
            Some(method) => self.text_of(method, line),
        };
        let verb = verb.map_or(ANY_VERB.to_owned(), |verb| verb.to_uppercase());
        self.add_request(at, (&verb, &path), Confidence::Inferred, found);
    }

    /// Reports whether a receiver has the name of a client of jQuery or AngularJS, and the repository declares no such
    /// symbol.
    fn is_script_client(&self, receiver: ExprId) -> bool {
        let facts = self.own_facts();
        let Expr::Name(name, ..) = facts.expr(receiver) else {
            return false;
        };
        SCRIPT_CLIENTS.contains(&facts.text(name)) && self.symbol(receiver).is_none()
    }

    /// Returns the path from which the first argument is built: `fetch(url("/a"))`, `fetch(new URL("/a", base))`.
    fn path_in_call(&self, at: DispatchSite<'_>) -> Option<String> {
        let facts = self.own_facts();
        let first = facts.list(at.call.args).first()?;
        let (Expr::Call(call) | Expr::New(call)) = facts.expr(first.value) else {
            return None;
        };
        let args = facts.list(facts.calls[call.index()].args);
        let path = self.text_of(args.first()?.value, at.site.at.line)?;
        path.starts_with('/').then_some(path)
    }

    /// Records `router.navigateByUrl("/a")`.
    pub(super) fn record_opened(&self, at: DispatchSite<'_>, found: &mut Vec<Dispatch>) {
        let facts = self.own_facts();
        let Some(first) = facts.list(at.call.args).first() else {
            return;
        };

        let value = match facts.expr(first.value) {
            Expr::Array(items, _) => match facts.list(items).first() {
                Some(first) => *first,
                None => return,
            },
            _ => first.value,
        };

        let path = self.text_of(value, at.site.at.line);
        let Some(path) = path.filter(|path| path.starts_with('/')) else {
            return;
        };

        let source = DispatchEnd::Around(at.site.owner);
        found.push(Dispatch {
            label: path,
            ..Dispatch::new(
                DispatchKind::Opens,
                (source, DispatchEnd::Unknown),
                at.site.at,
                Confidence::Inferred,
            )
        });
    }

    /// Records a method with `@Get("a")` in a class with `@Controller("b")`.
    pub(super) fn record_decorated_route(
        &self,
        at: DispatchSite<'_>,
        verb: &'static str,
        found: &mut Vec<Dispatch>,
    ) {
        let facts = self.own_facts();
        let method = facts.decl(at.site.owner);
        let Some(class) = facts.scope(method.scope).owner.some() else {
            return;
        };

        if method.kind != DeclKind::Method {
            return;
        }
        // Own decorators of these names do what those of the frameworks do, but that is not known.
        let confidence = match self.origin(at.call.callee) {
            Origin::Package(_) => Confidence::Exact,
            _ => Confidence::Inferred,
        };

        let Some(prefix) = self.controller_path(class) else {
            return;
        };
        let path = match facts.list(at.call.args) {
            [] => String::new(),
            _ => match self.argument_text(at, 0) {
                Some(path) => path,
                None => return,
            },
        };
        let own = |decl| {
            DispatchEnd::from(DeclRef {
                file: self.file,
                decl,
            })
        };

        found.push(Dispatch {
            label: format!("{verb} /{}", join(&prefix, &path).trim_start_matches('/')),
            ..Dispatch::new(
                DispatchKind::Serves,
                (own(class), own(at.site.owner)),
                at.site.at,
                confidence,
            )
        });
    }

    /// Returns the path of a controller; `None` if the class is none.
    fn controller_path(&self, class: DeclId) -> Option<String> {
        let facts = self.own_facts();
        let end = facts.decl(class).at.offset;
        let last = facts.sites.partition_point(|site| site.at.offset < end);
        let decorators = facts.sites[..last]
            .iter()
            .rev()
            .take_while(|site| site.owner == class);

        for site in decorators {
            let (SiteKind::Call, Subject::Expr(expr)) = (site.kind, site.subject) else {
                continue;
            };
            let Expr::Call(call) = facts.expr(expr) else {
                continue;
            };

            let call = facts.calls[call.index()];
            let Expr::Name(name, ..) = facts.expr(call.callee) else {
                continue;
            };
            if !CONTROLLERS.contains(&facts.text(name)) {
                continue;
            }
            let Some(first) = facts.list(call.args).first() else {
                return Some(String::new());
            };

            let path = self
                .member_value(first.value, "path")
                .unwrap_or(first.value);
            return Some(self.text_of(path, site.at.line).unwrap_or_default());
        }

        None
    }
}

/// Reports whether a text is a path for sure, where nothing else says so.
fn is_path(text: &str) -> bool {
    text.starts_with('/')
        || text.starts_with("http://")
        || text.starts_with("https://")
        || text.starts_with("${") && text.contains("}/")
}

pub(super) fn join(prefix: &str, path: &str) -> String {
    match (prefix.trim_end_matches('/'), path.trim_start_matches('/')) {
        ("", path) => path.to_owned(),
        (prefix, "") => prefix.to_owned(),
        (prefix, path) => format!("{prefix}/{path}"),
    }
}
