//! Routes of a client as JSX elements: `<Route path="carts" element={<Carts />} />`.
//!
//! The label of a route has the paths of the routes around it. A route belongs to the component whose
//! element it is, in which its path may be relative to that of the component's own route. A route whose
//! component is not in the repository is recorded without one, because it precedes less specific ones.

use codeagent_lang::{Dispatch, DispatchEnd};
use codeagent_model::dispatch::DispatchKind;
use codeagent_model::facts::*;
use codeagent_model::graph::Confidence;
use rustc_hash::FxHashMap;

use super::frameworks::{CLIENT_ROUTERS, ROUTE, SHOWN_BY_ELEMENT};
use super::last_name;
use super::routes::join;
use crate::resolve::edges::FileResolver;

/// Levels of routes within routes.
const MAX_LEVELS: usize = 8;

/// Maximum number of sites behind an element among which an attribute is looked for.
const MAX_SITES: usize = 24;

/// The elements of a file, by what they need.
struct Elements {
    /// The attributes of each element with some, by its component.
    attributes: FxHashMap<ExprId, CallId>,
    /// The element around each child element.
    around: FxHashMap<ExprId, ExprId>,
}

impl FileResolver<'_> {
    /// Records the routes of the file that are elements.
    pub(super) fn record_elements(&self, found: &mut Vec<Dispatch>) {
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
            let elements = elements.get_or_insert_with(|| Elements::new(facts));
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
        elements: &Elements,
        found: &mut Vec<Dispatch>,
    ) {
        let facts = self.own_facts();
        let Some(path) = self.path_of_element((element, component), elements, site.at.line) else {
            return;
        };
        let shown = SHOWN_BY_ELEMENT
            .iter()
            .find_map(|name| elements.attribute(facts, component, name));
        let target = match shown {
            Some(value) => self.shown(value).unwrap_or(DispatchEnd::Unknown),
            None => match self.only_child(element) {
                Some(target) => target,
                None => return,
            },
        };

        let is_known = self.origin(component).is_one_of(CLIENT_ROUTERS);
        if !is_known && (target == DispatchEnd::Unknown || path.is_empty()) {
            return;
        }
        let confidence = match is_known {
            true => Confidence::Exact,
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

    /// Returns the path of a route below those around it; `None` if it is not known.
    fn path_of_element(
        &self,
        (mut element, mut component): (ExprId, ExprId),
        elements: &Elements,
        line: u32,
    ) -> Option<String> {
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
                        break;
                    }
                }
                // A wrapper without a path may be anything.
                None if level == 0 && last_name(facts, component) != ROUTE => return None,
                None => {}
            }

            let Some(around) = elements.around.get(&element) else {
                break;
            };
            let Expr::Jsx(outer) = facts.expr(*around) else {
                break;
            };
            (element, component) = (*around, outer);
        }
        Some(path)
    }

    /// Returns the component that is the only child of a route, and no route.
    fn only_child(&self, element: ExprId) -> Option<DispatchEnd> {
        let facts = self.own_facts();
        let children = &facts.child_elements;
        let mut inner = children.iter().filter(|child| child.inside == element);
        let (Some(only), None) = (inner.next(), inner.next()) else {
            return None;
        };
        match facts.expr(only.element) {
            Expr::Jsx(component) if !last_name(facts, component).ends_with(ROUTE) => {
                self.shown(only.element)
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

impl Elements {
    fn new(facts: &Facts) -> Self {
        let calls = facts.calls.iter().enumerate();
        let children = facts.child_elements.iter();
        Self {
            attributes: calls
                .map(|(index, call)| (call.callee, CallId(index as u32)))
                .collect(),
            around: children
                .map(|child| (child.element, child.inside))
                .collect(),
        }
    }

    /// Returns the value of an attribute of the element with a component.
    fn attribute(&self, facts: &Facts, component: ExprId, name: &str) -> Option<ExprId> {
        let call = self.attributes.get(&component)?;
        let args = facts.list(facts.calls[call.index()].args);
        let arg = args.iter().find(|arg| facts.text(arg.name) == name)?;
        Some(arg.value)
    }
}
