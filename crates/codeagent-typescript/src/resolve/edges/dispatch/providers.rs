//! Providers: the class that a container provides for a token; the component that a client route shows;
//! the function that answers a route of a server. They are recognised by the keys of an object literal.

use codeagent_lang::{DeclRef, Dispatch, DispatchEnd};
use codeagent_model::dispatch::{ANY_VERB, DispatchKind, VERBS};
use codeagent_model::facts::*;
use codeagent_model::graph::Confidence;
use codeagent_model::span::Position;
use rustc_hash::FxHashMap;

use super::elements::NestedElements;
use super::frameworks::{PROVIDED, SHOWN};
use super::routes::join;
use super::{DispatchSite, MAX_WRAPPERS};
use crate::resolve::edges::FileResolver;

/// Declarations before and after a member among which the others of its object are looked for.
const NEAR: usize = 16;

/// Levels of routes within routes.
const MAX_LEVELS: usize = 16;

/// The keys of objects that are looked for.
enum Key {
    Provide,
    Providers,
    Path,
    Index,
}

impl FileResolver<'_> {
    /// Records the object literals of the file that provide or show something.
    pub(super) fn record_objects(&self, nested: &NestedElements, found: &mut Vec<Dispatch>) {
        let facts = self.own_facts();
        let mut parents = None;
        for (index, decl) in facts.decls.iter().enumerate() {
            if decl.kind != DeclKind::Property || decl.init.is_none() {
                continue;
            }

            let key = match facts.text(decl.name) {
                "provide" => Key::Provide,
                "providers" => Key::Providers,
                "path" | "url" => Key::Path,
                "index" => Key::Index,
                _ => continue,
            };
            if facts.scope(decl.scope).kind != ScopeKind::Object {
                continue;
            }

            self.stack.begin_site();
            match key {
                Key::Provide => self.record_provider(index, decl, found),
                Key::Providers => self.record_provided_classes(decl, found),
                Key::Path => {
                    let parents = parents.get_or_insert_with(|| self.parent_routes());
                    if let Some(path) = self.text_of(decl.init, decl.at.line) {
                        let path = self.path_below(decl, path, parents);
                        self.record_shown((index, &path), nested, found);
                        self.record_data(index, &path, parents, found);
                    }
                    self.record_served(index, found);
                }
                // `{ index: true, element: <C /> }` has the path of the route around it.
                Key::Index => {
                    let parents = parents.get_or_insert_with(|| self.parent_routes());
                    if parents.contains_key(&facts.scope(decl.scope).owner) {
                        let path = self.path_below(decl, String::new(), parents);
                        self.record_shown((index, &path), nested, found);
                        self.record_data(index, &path, parents, found);
                    }
                }
            }
        }
    }

    /// Returns the value of the first of some keys in a member's object, and which key that is.
    fn beside(&self, index: usize, keys: &[&'static str]) -> Option<(&'static str, ExprId)> {
        let facts = self.own_facts();
        let scope = facts.decls[index].scope;
        let near = index.saturating_sub(NEAR)..(index + NEAR).min(facts.decls.len());
        facts.decls[near].iter().find_map(|other| {
            let name = facts.text(other.name);
            let key = keys.iter().find(|key| **key == name)?;
            let is_beside = other.scope == scope && other.kind == DeclKind::Property;
            is_beside.then_some((*key, other.init))
        })
    }

    /// Records `{ provide: X, useClass: Y }`.
    fn record_provider(&self, index: usize, decl: &Declaration, found: &mut Vec<Dispatch>) {
        let Some((key, given)) = self.beside(index, PROVIDED) else {
            return;
        };
        let (target, confidence) = match key {
            "useFactory" => match self.made_by(decl.parent, given) {
                Some(made) => made,
                None => return,
            },
            _ => match self.symbol(given) {
                Some(class) => (DispatchEnd::from(class), Confidence::Exact),
                None => return,
            },
        };
        self.add_provider(decl.init, target, decl.at, confidence, found);
    }

    fn add_provider(
        &self,
        token: ExprId,
        target: DispatchEnd,
        at: Position,
        confidence: Confidence,
        found: &mut Vec<Dispatch>,
    ) {
        let facts = self.own_facts();
        let (source, label) = match self.symbol(token) {
            Some(token) => (DispatchEnd::from(token), String::new()),
            None => match facts.expr(token) {
                Expr::Name(name, ..) | Expr::Member(_, name) => {
                    (DispatchEnd::Unknown, facts.text(name).to_owned())
                }
                _ => match self.text_of(token, at.line) {
                    Some(text) => (DispatchEnd::Unknown, text),
                    None => return,
                },
            },
        };

        found.push(Dispatch {
            label,
            ..Dispatch::new(DispatchKind::Provides, (source, target), at, confidence)
        });
    }

    /// Returns the class that a factory makes, else the function that is the factory.
    fn made_by(&self, owner: DeclId, factory: ExprId) -> Option<(DispatchEnd, Confidence)> {
        let facts = self.own_facts();
        let Expr::Function(function) = facts.expr(factory) else {
            let named = self.handler(owner, factory, 1)?;
            return matches!(named, DispatchEnd::Target(_)).then_some((named, Confidence::Exact));
        };
        let returned = facts.list(facts.decl(function).returns);
        returned.iter().find_map(|value| match facts.expr(*value) {
            Expr::New(call) => {
                let class = self.class(facts.calls[call.index()].callee)?;
                Some((DispatchEnd::from(class), Confidence::Exact))
            }
            _ => None,
        })
    }

    /// Records the classes in `providers: [A, B]`, which are given for themselves.
    fn record_provided_classes(&self, decl: &Declaration, found: &mut Vec<Dispatch>) {
        let facts = self.own_facts();
        let Expr::Array(items, _) = facts.expr(decl.init) else {
            return;
        };

        for item in facts.list(items) {
            if !matches!(facts.expr(*item), Expr::Name(..)) {
                continue;
            }
            let Some(class) = self.class(*item) else {
                continue;
            };

            let first = facts
                .sites
                .partition_point(|site| site.at.offset < decl.at.offset);
            let site = facts.sites[first..]
                .iter()
                .find(|site| site.subject == Subject::Expr(*item));
            let at = site.map_or(decl.at, |site| site.at);

            found.push(Dispatch::new(
                DispatchKind::Provides,
                (DispatchEnd::from(class), DispatchEnd::from(class)),
                at,
                Confidence::Exact,
            ));
        }
    }

    /// Returns the object around each object in an array `children`.
    fn parent_routes(&self) -> FxHashMap<DeclId, DeclId> {
        let facts = self.own_facts();
        let mut parents = FxHashMap::default();
        for decl in &facts.decls {
            if decl.kind != DeclKind::Property || facts.text(decl.name) != "children" {
                continue;
            }
            if let Expr::Array(items, _) = facts.expr(decl.init) {
                let parent = facts.scope(decl.scope).owner;
                for item in facts.list(items) {
                    if let Expr::Object(child) = facts.expr(*item) {
                        parents.insert(child, parent);
                    }
                }
            }
        }

        parents
    }

    /// Returns the path of a route below those of the objects around it.
    fn path_below(
        &self,
        decl: &Declaration,
        mut path: String,
        parents: &FxHashMap<DeclId, DeclId>,
    ) -> String {
        let mut object = self.own_facts().scope(decl.scope).owner;

        for _ in 0..MAX_LEVELS {
            let Some(parent) = parents.get(&object).copied() else {
                break;
            };

            let prefix = self.property(parent, "path");
            let prefix = prefix.and_then(|prefix| self.text_of(prefix, decl.at.line));
            let prefix = prefix.unwrap_or_default();

            path = match (prefix.trim_end_matches('*'), path.as_str()) {
                ("/", "") => "/".to_owned(),
                (prefix, path) => join(prefix, path),
            };
            object = parent;
        }

        path
    }

    /// Records `{ path: "a", component: C }`.
    fn record_shown(
        &self,
        (index, path): (usize, &str),
        nested: &NestedElements,
        found: &mut Vec<Dispatch>,
    ) {
        let decl = &self.own_facts().decls[index];
        let Some((_, shown)) = self.beside(index, SHOWN) else {
            return;
        };
        let Some(shown) = self.shown(shown, nested) else {
            return;
        };

        found.push(Dispatch {
            label: path.to_owned(),
            ..Dispatch::new(
                DispatchKind::Shows,
                (DispatchEnd::Around(decl.parent), shown.end),
                decl.at,
                shown.confidence,
            )
        });
    }

    /// Records `{ path: "a", loader: f, action: g }` among the routes of a client: `f` answers
    /// `GET`, and `g` the other methods.
    fn record_data(
        &self,
        index: usize,
        path: &str,
        parents: &FxHashMap<DeclId, DeclId>,
        found: &mut Vec<Dispatch>,
    ) {
        let facts = self.own_facts();
        let decl = &facts.decls[index];
        let is_route = parents.contains_key(&facts.scope(decl.scope).owner)
            || self.beside(index, &["children"]).is_some()
            || self.beside(index, SHOWN).is_some();
        if !is_route {
            return;
        }

        for (key, verb) in [("loader", "GET"), ("action", ANY_VERB)] {
            let Some((_, function)) = self.beside(index, &[key]) else {
                continue;
            };
            let forwarded = self.forwarded(function);
            let target = forwarded.or_else(|| self.handler(decl.parent, function, MAX_WRAPPERS));
            if let Some(target) = target {
                found.push(Dispatch {
                    label: format!("{verb} /{}", path.trim_start_matches('/')),
                    ..Dispatch::new(
                        DispatchKind::Serves,
                        (DispatchEnd::Around(decl.parent), target),
                        decl.at,
                        Confidence::Inferred,
                    )
                });
            }
        }
    }

    /// Returns the function that `async (...args) => (await import("./a")).f(...args)` calls.
    fn forwarded(&self, function: ExprId) -> Option<DispatchEnd> {
        let facts = self.own_facts();
        let Expr::Function(function) = facts.expr(function) else {
            return None;
        };
        let [returned] = facts.list(facts.decl(function).returns) else {
            return None;
        };

        let returned = match facts.expr(*returned) {
            Expr::Await(inner) => inner,
            _ => *returned,
        };
        let Expr::Call(call) = facts.expr(returned) else {
            return None;
        };

        let callee = facts.calls[call.index()].callee;
        let named = self.symbol(callee)?;
        let is_function = matches!(
            self.decl(named).kind,
            DeclKind::Function | DeclKind::Method | DeclKind::Variable
        );

        is_function.then(|| DispatchEnd::from(named))
    }

    /// Records `{ method: "POST", path: "/a", handler: f }`, which tells nothing of who reads it.
    fn record_served(&self, index: usize, found: &mut Vec<Dispatch>) {
        let facts = self.own_facts();
        let decl = &facts.decls[index];
        let text = |value| self.text_of(value, decl.at.line);
        let (Some((_, method)), Some((_, handler))) = (
            self.beside(index, &["method"]),
            self.beside(index, &["handler"]),
        ) else {
            return;
        };
        let (Some(path), Some(method)) = (text(decl.init), text(method)) else {
            return;
        };

        let method = method.to_ascii_uppercase();
        let target = self.handler(decl.parent, handler, MAX_WRAPPERS);
        if let Some(target) = target
            && VERBS.contains(&method.as_str())
        {
            found.push(Dispatch {
                label: format!("{method} {path}"),
                ..Dispatch::new(
                    DispatchKind::Serves,
                    (DispatchEnd::Around(decl.parent), target),
                    decl.at,
                    Confidence::Inferred,
                )
            });
        }
    }

    /// Records `container.bind(X).to(Y)`.
    pub(super) fn record_binding(&self, at: DispatchSite<'_>, found: &mut Vec<Dispatch>) {
        let facts = self.own_facts();
        let Some(bound) = self.bound(at.receiver) else {
            return;
        };
        let [given] = facts.list(at.call.args) else {
            return;
        };
        let Some(class) = self.class(given.value) else {
            return;
        };

        let service = facts.list(bound.type_args).first();
        let service = service.and_then(|ty| self.declared_type(*ty));
        match (service, facts.list(bound.args).first()) {
            (Some(service), _) => found.push(Dispatch::new(
                DispatchKind::Provides,
                (DispatchEnd::from(service), DispatchEnd::from(class)),
                at.site.at,
                Confidence::Exact,
            )),
            (None, Some(token)) => self.add_provider(
                token.value,
                DispatchEnd::from(class),
                at.site.at,
                Confidence::Exact,
                found,
            ),
            (None, None) => {}
        }
    }

    /// Records `container.bind(X).toSelf()`.
    pub(super) fn record_self_binding(&self, at: DispatchSite<'_>, found: &mut Vec<Dispatch>) {
        let bound = self.bound(at.receiver);
        let token = bound.and_then(|bound| self.own_facts().list(bound.args).first().copied());
        if let Some(class) = token.and_then(|token| self.class(token.value)) {
            found.push(Dispatch::new(
                DispatchKind::Provides,
                (DispatchEnd::from(class), DispatchEnd::from(class)),
                at.site.at,
                Confidence::Exact,
            ));
        }
    }

    /// Returns the call of `bind` that a value is the result of.
    fn bound(&self, value: ExprId) -> Option<Call> {
        let facts = self.own_facts();
        let Expr::Call(call) = facts.expr(value) else {
            return None;
        };
        let call = facts.calls[call.index()];
        match facts.expr(call.callee) {
            Expr::Member(_, name) | Expr::Name(name, ..)
                if matches!(facts.text(name), "bind" | "rebind") =>
            {
                Some(call)
            }
            _ => None,
        }
    }

    /// Returns the node of a written type.
    fn declared_type(&self, ty: TypeId) -> Option<DeclRef> {
        use crate::resolve::arena::Type;
        let ty = self.type_of(self.file, ty);
        match self.get(ty) {
            Type::Instance(decl, _) if self.is_node(decl) => Some(decl),
            _ => None,
        }
    }
}
