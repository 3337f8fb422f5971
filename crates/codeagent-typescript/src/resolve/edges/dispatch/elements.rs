//! Routes of a client as JSX elements: `<Route path="carts" element={<Carts />} />`.
//!
//! The label of a route has the paths of the routes around it. A route belongs to the component
//! whose element it is, in which its path may be relative to that of the component's own route. A
//! route whose component is not in the repository is recorded without one, because it precedes less
//! specific ones.

use codeagent_lang::{Dispatch, DispatchEnd};
use codeagent_model::dispatch::DispatchKind;
use codeagent_model::facts::*;
use codeagent_model::graph::Confidence;
use rustc_hash::{FxHashMap, FxHashSet};

use super::frameworks::{CLIENT_ROUTERS, ROUTE, SHOWN_BY_ELEMENT};
use super::last_name;
use super::routes::join;
use super::shown::Shown;
use crate::resolve::edges::FileResolver;

/// Levels of routes within routes.
const MAX_LEVELS: usize = 8;

/// Maximum number of sites behind an element among which an attribute is looked for.
const MAX_SITES: usize = 24;

/// The elements of a file that are inside each other.
pub(super) struct NestedElements {
    /// The element around each child element.
    around: FxHashMap<ExprId, ExprId>,
    /// The only child of each element with children; `None` if there are several.
    only: FxHashMap<ExprId, Option<ExprId>>,
}

impl NestedElements {
    pub(super) fn of(facts: &Facts) -> Self {
        let mut only = FxHashMap::default();
        for child in &facts.child_elements {
            only.entry(child.inside)
                .and_modify(|only| *only = None)
                .or_insert(Some(child.element));
        }
        let children = facts.child_elements.iter();
        Self {
            around: children
                .map(|child| (child.element, child.inside))
                .collect(),
            only,
        }
    }

    /// Returns the child of an element that has only one.
    pub(super) fn only_child(&self, element: ExprId) -> Option<ExprId> {
        self.only.get(&element).copied().flatten()
    }
}

/// The elements of a file with routes.
struct Elements<'n> {
    nested: &'n NestedElements,
    /// The attributes of each element with some, by its component.
    attributes: FxHashMap<ExprId, CallId>,
    /// The elements that are arguments of functions.
    passed: FxHashSet<ExprId>,
}

impl FileResolver<'_> {
    /// Records the routes of the file that are elements.
    pub(super) fn record_elements(&self, nested: &NestedElements, found: &mut Vec<Dispatch>) {
        let facts = self.own_facts();
        let mut elements = None;
        for (index, site) in facts.sites.iter().enumerate() {
            let (SiteKind::Jsx, Subject::Expr(element)) = (site.kind, site.subject) else {
                continue;
            };
            let Expr::Jsx(component) = facts.expr(element) else {
                continue;
            };
            if !last_name(facts, component).ends_with(ROUTE) {
                continue;
            }

            self.stack.begin_site();
            let elements = elements.get_or_insert_with(|| Elements::new(facts, nested));
            // A route without a path is a layout of those in it, if it is no index.
            if elements.attribute(facts, component, "path").is_none()
                && !is_index(facts, index, component)
            {
                continue;
            }
            self.record_element(site, (element, component), elements, found);
        }
    }

    fn record_element(
        &self,
        site: &Site,
        (element, component): (ExprId, ExprId),
        elements: &Elements<'_>,
        found: &mut Vec<Dispatch>,
    ) {
        let facts = self.own_facts();
        let whole = self.path_of_element((element, component), elements, site.at.line);
        let Some((path, is_whole)) = whole else {
            return;
        };
        let shown = SHOWN_BY_ELEMENT
            .iter()
            .find_map(|name| elements.attribute(facts, component, name));
        let shown = match shown {
            Some(value) => self.shown(value, elements.nested),
            None => match self.shown_inside(element, elements.nested) {
                Some(shown) => Some(shown),
                None => return,
            },
        };
        let (target, shows) = match shown {
            Some(shown) => (shown.end, shown.confidence),
            None => (DispatchEnd::Unknown, Confidence::Exact),
        };

        let is_known = self.origin(component).is_one_of(CLIENT_ROUTERS);
        if !is_known && (target == DispatchEnd::Unknown || path.is_empty()) {
            return;
        }
        let confidence = match is_known && is_whole {
            true => shows,
            false => Confidence::Inferred,
        };
        found.push(Dispatch {
            label: path,
            ..Dispatch::new(
                DispatchKind::Shows,
                (DispatchEnd::Around(site.owner), target),
                site.at,
                confidence,
            )
        });
    }

    /// Returns the path of a route below those around it, and whether none is missing; `None` if
    /// the path is not known. What is around a route in `items.map(() => <Route />)` is not known.
    fn path_of_element(
        &self,
        (mut element, mut component): (ExprId, ExprId),
        elements: &Elements<'_>,
        line: u32,
    ) -> Option<(String, bool)> {
        let facts = self.own_facts();
        let mut path = String::new();
        for level in 0..MAX_LEVELS {
            match elements.attribute(facts, component, "path") {
                Some(value) => {
                    let own = self.text_of(value, line)?;
                    let own = match level {
                        0 => own.as_str(),
                        _ => own.trim_end_matches('*'),
                    };
                    let is_absolute = own.starts_with('/');
                    path = join(own, &path);
                    if is_absolute {
                        path = format!("/{}", path.trim_start_matches('/'));
                        return Some((path, true));
                    }
                }
                // A wrapper without a path may be anything.
                None if level == 0 && last_name(facts, component) != ROUTE => return None,
                None => {}
            }

            let Some(around) = elements.nested.around.get(&element) else {
                let is_route = last_name(facts, component).ends_with(ROUTE);
                let is_list = !component.is_none() && !is_route;
                return Some((path, is_list || elements.passed.contains(&element)));
            };
            let Expr::Jsx(outer) = facts.expr(*around) else {
                break;
            };
            (element, component) = (*around, outer);
        }
        Some((path, false))
    }

    /// Returns what the only child of a route shows, if that is no route.
    fn shown_inside(&self, element: ExprId, nested: &NestedElements) -> Option<Shown> {
        let facts = self.own_facts();
        let only = nested.only_child(element)?;
        match facts.expr(only) {
            Expr::Jsx(component) if !last_name(facts, component).ends_with(ROUTE) => {
                self.shown(only, nested)
            }
            _ => None,
        }
    }
}

/// Reports whether the element at a site has the attribute `index`, which has no value.
fn is_index(facts: &Facts, site: usize, component: ExprId) -> bool {
    let attributes = facts.sites[site + 1..].iter().take(MAX_SITES);
    attributes.map(|site| site.subject).any(|subject| {
        matches!(subject, Subject::Attribute(of, name)
            if of == component && facts.text(name) == "index")
    })
}

impl<'n> Elements<'n> {
    fn new(facts: &Facts, nested: &'n NestedElements) -> Self {
        let mut passed = FxHashSet::default();
        for call in &facts.calls {
            let args = facts.list(call.args).iter();
            let positional = args.filter(|arg| arg.name.is_none());
            passed.extend(positional.map(|arg| arg.value));
        }
        let calls = facts.calls.iter().enumerate();
        Self {
            nested,
            attributes: calls
                .map(|(index, call)| (call.callee, CallId(index as u32)))
                .collect(),
            passed,
        }
    }

    /// Returns the value of an attribute of the element with a component.
    fn attribute(&self, facts: &Facts, component: ExprId, name: &str) -> Option<ExprId> {
        let call = self.attributes.get(&component.some()?)?;
        let args = facts.list(facts.calls[call.index()].args);
        let arg = args.iter().find(|arg| facts.text(arg.name) == name)?;
        Some(arg.value)
    }
}
