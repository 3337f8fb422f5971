//! Requests whose method is an option: `send("/carts", { method: "POST" })`.
//!
//! Also `send({ method: "POST", url })` and, of React Router, `submit(data, { method: "post", action:
//! "/carts" })`.
//!
//! Limitations: what is called is not looked at, so such a request is always inferred.

use codeagent_lang::Dispatch;
use codeagent_model::dispatch::VERBS;
use codeagent_model::facts::*;
use codeagent_model::graph::Confidence;
use rustc_hash::FxHashMap;

use super::DispatchSite;
use crate::resolve::edges::FileResolver;

/// The options of a request in one object literal.
#[derive(Clone, Copy, Default)]
struct RequestOptions {
    method: ExprId,
    /// The values of `url` and `action`, each with its line.
    paths: [(ExprId, u32); 2],
    /// It has a function that answers, so it is a route.
    is_route: bool,
}

/// The object literals of a file that have a key `method` and no `handler`, by their scopes.
pub(super) struct OptionObjects(FxHashMap<ScopeId, RequestOptions>);

impl OptionObjects {
    /// Collects the options of the requests in a file.
    pub(super) fn of(facts: &Facts) -> Self {
        let mut objects: FxHashMap<ScopeId, RequestOptions> = FxHashMap::default();
        let properties = facts.decls.iter().filter(|decl| {
            matches!(decl.kind, DeclKind::Property | DeclKind::Method)
                && facts.scope(decl.scope).kind == ScopeKind::Object
        });

        for decl in properties {
            match facts.text(decl.name) {
                "method" => objects.entry(decl.scope).or_default().method = decl.init,
                key @ ("url" | "action") => {
                    let options = objects.entry(decl.scope).or_default();
                    options.paths[usize::from(key == "action")] = (decl.init, decl.at.line);
                }
                "handler" => objects.entry(decl.scope).or_default().is_route = true,
                _ => {}
            }
        }

        objects.retain(|_, options| !options.method.is_none() && !options.is_route);
        Self(objects)
    }

    fn get(&self, facts: &Facts, value: ExprId) -> Option<RequestOptions> {
        let Expr::Object(object) = facts.expr(value) else {
            return None;
        };
        self.0.get(&facts.decl(object).inner).copied()
    }
}

impl FileResolver<'_> {
    /// Records a call with a path and a method of requests among its options.
    pub(super) fn record_optioned(
        &self,
        at: DispatchSite<'_>,
        objects: &OptionObjects,
        found: &mut Vec<Dispatch>,
    ) {
        let facts = self.own_facts();
        let args = facts.list(at.call.args);
        let mut options = args.iter().filter_map(|arg| objects.get(facts, arg.value));
        let Some(options) = options.next() else {
            return;
        };

        self.stack.begin_site();
        let line = at.site.at.line;
        let method = self.text_of(options.method, line).unwrap_or_default();
        let Some(verb) = VERBS.iter().find(|verb| verb.eq_ignore_ascii_case(&method)) else {
            return;
        };
        let text = |value, line| {
            let text = self.text_of(value, line);
            text.or_else(|| self.built_text(value))
        };
        let is_path = |path: &String| path.contains('/') && !path.contains(char::is_whitespace);
        let written = options.paths.iter().filter(|(path, _)| !path.is_none());
        let written: Vec<String> = written
            .filter_map(|(path, line)| text(*path, *line))
            .filter(is_path)
            .collect();
        let path = match written.as_slice() {
            [] => args
                .iter()
                .find_map(|arg| text(arg.value, line).filter(is_path)),
            // An object with the address of another host may be anything, such as test data.
            paths => paths.iter().find(|path| !path.contains("://")).cloned(),
        };
        if let Some(path) = path {
            self.add_request(at, (verb, &path), Confidence::Inferred, found);
        }
    }
}
