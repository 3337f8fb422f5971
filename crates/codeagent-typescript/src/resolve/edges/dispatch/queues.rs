//! Queues of jobs: `@Processor("mail")` of a class, and the sites that add a job.

use codeagent_lang::{DeclRef, Dispatch, DispatchEnd};
use codeagent_model::dispatch::DispatchKind;
use codeagent_model::facts::*;
use codeagent_model::graph::Confidence;

use super::DispatchSite;
use crate::resolve::edges::FileResolver;

/// The method that a worker's class overrides to process any job.
const PROCESS: &str = "process";

/// The decorator of a method that processes jobs, where the class has no such method.
const PROCESS_DECORATOR: &str = "Process";

/// The decorator of a parameter or property that holds a queue.
const INJECTED: &str = "InjectQueue";

impl FileResolver<'_> {
    /// Records `@Processor("queue")`. Its methods hear the queue, whatever object adds the jobs.
    pub(super) fn record_processor(&self, at: DispatchSite<'_>, found: &mut Vec<Dispatch>) {
        let facts = self.own_facts();
        let class = at.site.owner;
        let Some(queue) = self.queue_argument(at) else {
            return;
        };
        if facts.decl(class).kind != DeclKind::Class {
            return;
        }

        let members = facts.decl(class).inner;
        let methods = facts.decl_ids().filter(|id| {
            let decl = facts.decl(*id);
            decl.scope == members && decl.kind == DeclKind::Method && self.processes(*id)
        });
        for decl in methods {
            let method = DispatchEnd::from(DeclRef {
                file: self.file,
                decl,
            });
            found.push(Dispatch {
                label: queue.clone(),
                ..Dispatch::new(
                    DispatchKind::Listens,
                    (method, method),
                    at.site.at,
                    Confidence::Exact,
                )
            });
        }
    }

    /// Records `queue.add("job")` on a queue whose name is known.
    pub(super) fn record_enqueued(&self, at: DispatchSite<'_>, found: &mut Vec<Dispatch>) {
        let Some(queue) = self
            .symbol(at.receiver)
            .filter(|queue| queue.file == self.file)
        else {
            return;
        };
        let facts = self.own_facts();
        let name = match facts.expr(facts.decl(queue.decl).init) {
            Expr::New(call) => {
                let call = facts.calls[call.index()];
                self.is_queue(call.callee)
                    .then(|| self.first_text(&call, at.site.at.line))
                    .flatten()
            }
            _ => self.injected_queue(queue.decl),
        };
        let Some(name) = name else { return };

        found.push(Dispatch {
            label: name,
            ..Dispatch::new(
                DispatchKind::Emits,
                (DispatchEnd::Around(at.site.owner), DispatchEnd::from(queue)),
                at.site.at,
                Confidence::Exact,
            )
        });
    }

    /// Returns the queue that a decorator names: by a text, or by `{ name: "queue" }`.
    fn queue_argument(&self, at: DispatchSite<'_>) -> Option<String> {
        let args = self.own_facts().list(at.call.args);
        let first = args.first()?.value;
        let value = self.member_value(first, "name").unwrap_or(first);
        self.text_of(value, at.site.at.line)
    }

    fn processes(&self, method: DeclId) -> bool {
        let facts = self.own_facts();
        facts.text(facts.decl(method).name) == PROCESS
            || facts.sites.iter().any(|site| {
                site.owner == method
                    && self.is_decorator(site)
                    && self.called_name(site) == Some(PROCESS_DECORATOR)
            })
    }

    /// Returns the queue that `@InjectQueue("queue")` before a property names.
    fn injected_queue(&self, property: DeclId) -> Option<String> {
        let facts = self.own_facts();
        let at = facts.decl(property).at.offset;
        let is_before =
            |site: &&Site| site.at.offset < at && self.called_name(site) == Some(INJECTED);
        let site = facts
            .sites
            .iter()
            .filter(is_before)
            .max_by_key(|site| site.at.offset)?;

        // Another property or parameter between both is the one that is decorated.
        let is_between = facts.decls.iter().any(|decl| {
            let is_holder = matches!(decl.kind, DeclKind::Parameter | DeclKind::Property);
            is_holder && site.at.offset < decl.at.offset && decl.at.offset < at
        });

        let Subject::Expr(expr) = site.subject else {
            return None;
        };

        match facts.expr(expr) {
            Expr::Call(call) if !is_between => {
                self.first_text(&facts.calls[call.index()], site.at.line)
            }
            _ => None,
        }
    }

    /// Returns the name of the function that a site calls without a receiver.
    fn called_name(&self, site: &Site) -> Option<&str> {
        let facts = self.own_facts();
        let Subject::Expr(expr) = site.subject else {
            return None;
        };
        let Expr::Call(call) = facts.expr(expr) else {
            return None;
        };
        match facts.expr(facts.calls[call.index()].callee) {
            Expr::Name(name, ..) => Some(facts.text(name)),
            _ => None,
        }
    }

    fn is_queue(&self, class: ExprId) -> bool {
        let facts = self.own_facts();
        match facts.expr(class) {
            Expr::Name(name, ..) | Expr::Member(_, name) => facts.text(name).ends_with("Queue"),
            _ => false,
        }
    }

    fn first_text(&self, call: &Call, line: u32) -> Option<String> {
        let args = self.own_facts().list(call.args);
        self.text_of(args.first()?.value, line)
    }
}
