//! Steps of a flow without a call in the index: requests, events and messages, their callbacks, and
//! calls with unknown targets.

use super::{DEPTH_BEHIND, FlowWalk, MAX_LATER, MAX_LINES, MAX_NAMED, Step, is_aside};
use crate::model::dispatch::{DispatchKind, verb_and_path, verbs_agree};
use crate::model::graph::{
    Access, EdgeDirection, EdgeType, Node, NodeFlags, NodeId, NodeKind, NodeType,
};
use crate::query::dispatch::file_routes::files_of_route;
use crate::query::dispatch::key_path::{KeyedValue, keyed_value, keys_of_procedure};
use crate::query::dispatch::mounted_routes::mounted_routes;
use crate::query::dispatch::steps::is_inside;
use crate::query::text::interface_texts::callee_behind;
use crate::query::uses::hierarchy::implementations_of;
use crate::query::{
    DispatchStep, QueryError, UnknownCall, dispatched_from, functions_of_name, innermost,
    is_compound,
};
use crate::store::{self, DispatchRow, FileKey};

/// Methods of SignalR's clients that call a method of a hub.
const HUB_CALLS: [&str; 5] = ["InvokeAsync", "SendAsync", "invoke", "send", "stream"];

/// Members of what a client of a typed API gives, and the hook that gives them.
const MUTATING: [&str; 3] = ["mutate", "mutateAsync", "useMutation()"];

/// Methods that a host finds by their names in the class that it is given.
const HOSTED: [&str; 6] = [
    "Configure",
    "ConfigureServices",
    "ExecuteAsync",
    "Invoke",
    "InvokeAsync",
    "StartAsync",
];

/// Maximum number of symbols of one name among which that method or a hook is looked for.
const MAX_HUB_METHODS: usize = 20;
const MAX_HOOKS: usize = 8;

impl FlowWalk<'_, '_, '_> {
    /// Writes a call without a known target, and the procedure that its keys may lead to.
    pub(super) fn write_unknown(
        &mut self,
        (file, call, at): (FileKey, &UnknownCall, &str),
        depth: usize,
    ) -> Result<(), QueryError> {
        let (indent, UnknownCall { text, .. }) = ("  ".repeat(depth), call);
        let mut procedure = None;
        if self.procedures_left > 0
            && let Some(keys) = self.procedure_keys(file, text)?
        {
            self.procedures_left -= 1;
            procedure = keyed_value(self.occurrences, &keys, true)?;
        }

        if procedure.is_none()
            && !is_host_call(call)
            && let Some(service) = call.type_argument
            && let Some(given) = self.given_for(service)?
        {
            self.lines.push(format!("{indent}{at} {text} -> {given}"));
            return Ok(());
        }

        let prefix = format!("{at} {text} -> (matched by key names) ");
        match procedure {
            Some(KeyedValue::Symbol(node)) => self.enter(&node, depth, &prefix, ""),
            Some(KeyedValue::Lines((path, lines))) => {
                self.lines
                    .push(format!("{indent}{prefix}{path}:{}", lines.start()));
                let snapshot = self.occurrences.sources.snapshot();
                match store::file_by_path(snapshot, &path)? {
                    Some(file) if depth < self.max_depth && self.lines.len() <= MAX_LINES => {
                        self.steps_on_lines(file.id, &lines, depth + 1)
                    }
                    _ => Ok(()),
                }
            }
            None if let Some(method) = self.hub_method(file, call)? => {
                let prefix = format!("{at} {text} -> (hub method of that name) ");
                self.enter(&method, depth, &prefix, "")
            }
            None if let given @ [_, ..] = self.given_to_hook(text)?.as_slice() => {
                self.lines.push(format!("{indent}{at} {text}"));
                for function in given {
                    self.enter(function, depth + 1, "possibly runs ", "")?;
                }
                Ok(())
            }
            None => {
                let target = match call.is_outside {
                    true => "outside the repository".to_owned(),
                    false => format!("unknown target{}", self.functions_named_as(text)?),
                };
                self.lines
                    .push(format!("{indent}{at} {} ({target})", call.chain()));
                match call.type_argument {
                    Some(class) if !call.is_outside || is_host_call(call) => {
                        self.run_by_type(class, depth + 1)
                    }
                    _ => Ok(()),
                }
            }
        }
    }

    /// Returns the keys of the procedure that a call runs: those in its callee, or those in the call that gives the
    /// called value: `close.mutate` with `const close = useMutation(api.cart.close.mutationOptions())`.
    fn procedure_keys(
        &mut self,
        file: FileKey,
        callee: &str,
    ) -> Result<Option<String>, QueryError> {
        if let Some(keys) = keys_of_procedure(callee) {
            return Ok(Some(keys.to_owned()));
        }

        let called = callee.split_once('.').or(callee.split_once("() from "));
        let Some((name, by)) = called else {
            return Ok(None);
        };
        if !MUTATING.contains(&by) {
            return Ok(None);
        }

        let path = self.occurrences.path(file)?;
        let text = self.occurrences.sources.text(&path)?;
        let behind = text.and_then(|text| callee_behind(text.whole(), name));
        Ok(behind.and_then(keys_of_procedure).map(str::to_owned))
    }

    /// Returns the few functions with the name of a called member as the end of a note, if the name is a rare one:
    /// `client.rpc.updateCart` may lead to the `updateCart` of a server.
    fn functions_named_as(&mut self, text: &str) -> Result<String, QueryError> {
        let name = text.rsplit_once('.').map(|(_, name)| name);
        let Some(name) = name.filter(|name| is_compound(name)) else {
            return Ok(String::new());
        };
        let snapshot = self.occurrences.sources.snapshot();
        let functions = functions_of_name(snapshot, name)?;

        let mut places = Vec::with_capacity(functions.len());
        for function in &functions {
            if let Some(span) = function.spans.first() {
                let name = self.occurrences.short_name(function)?;
                places.push(format!("{name}  {}:{}", span.path, span.name_line));
            }
        }
        Ok(match places.as_slice() {
            [] => String::new(),
            places => format!("; of that name: {}", places.join(", ")),
        })
    }

    /// Returns the method of a SignalR hub that a call of its client names: `connection.invoke("Save")`.
    fn hub_method(
        &mut self,
        file: FileKey,
        call: &UnknownCall,
    ) -> Result<Option<Node>, QueryError> {
        let path = self.occurrences.path(file)?;
        let sources = &mut self.occurrences.sources;
        let rest = sources.rest_of_line(&path, call.line, call.column)?;
        let Some(name) = rest.and_then(method_of_hub).map(str::to_owned) else {
            return Ok(None);
        };

        let snapshot = self.occurrences.sources.snapshot();
        for method in store::by_name(snapshot, &name, MAX_HUB_METHODS)? {
            let owner = method
                .parent
                .map(|id| store::node(snapshot, id))
                .transpose()?;
            let is_hub =
                |node: &Node| node.node_type == NodeType::Class && node.name.ends_with("Hub");
            let is_public = method.access == Some(Access::Public) && method.name == name;
            if is_public && owner.flatten().is_some_and(|node| is_hub(&node)) {
                return Ok(Some(method));
            }
        }
        Ok(None)
    }

    /// Returns the functions that a hook of the repository passes on, for a call of what the hook returns, or the hook
    /// itself if it makes requests: `remove() from useRemove()`.
    fn given_to_hook(&mut self, text: &str) -> Result<Vec<Node>, QueryError> {
        let giver = text.split_once("() from ").map(|(_, giver)| giver);
        let name = giver.and_then(|giver| giver.strip_suffix("()"));
        let Some(name) = name.filter(|name| name.starts_with("use")) else {
            return Ok(Vec::new());
        };
        let snapshot = self.occurrences.sources.snapshot();
        let mut hooks = store::by_name(snapshot, name, MAX_HOOKS)?;
        hooks.retain(|node| node.node_type == NodeType::Method && node.name == name);
        let [hook] = hooks.as_slice() else {
            return Ok(Vec::new());
        };

        let (passed, _) = self.occurrences.passed_and_set(&[hook.id])?;
        let mut given: Vec<Node> = Vec::new();
        for used in passed.iter().take(MAX_NAMED) {
            let node = store::node(self.occurrences.sources.snapshot(), used.other)?;
            given.extend(node.filter(|node| given.iter().all(|known| known.id != node.id)));
        }
        if given.is_empty() && !self.other_requests(&[hook.id], &[])?.is_empty() {
            given.push(hook.clone());
        }
        Ok(given)
    }

    /// Enters what a call outside the repository runs of the class that is its type argument: overrides, and methods
    /// that hosts find by their names (`UseStartup<Startup>()`).
    fn run_by_type(&mut self, class: NodeId, depth: usize) -> Result<(), QueryError> {
        let snapshot = self.occurrences.sources.snapshot();
        let Some(class) = store::node(snapshot, class)? else {
            return Ok(());
        };
        if class.node_type != NodeType::Class || !self.entered.insert(class.id) {
            return Ok(());
        }

        let mut run = self.methods(&class)?;
        run.retain(|member| {
            member.flags.has(NodeFlags::OVERRIDE) || HOSTED.contains(&member.name.as_str())
        });
        for member in run.iter().take(MAX_LATER) {
            self.enter(member, depth, "later runs ", "")?;
        }
        Ok(())
    }

    /// Names the classes that a container provides for a type or, if none is registered, those that
    /// implement it.
    fn given_for(&mut self, service: NodeId) -> Result<Option<String>, QueryError> {
        let snapshot = self.occurrences.sources.snapshot();
        let mut steps = dispatched_from(snapshot, &[service])?;
        steps.retain(|step| step.kind == DispatchKind::Provides);
        let mut given = Vec::new();
        for step in &steps {
            let class = step.to.map(|id| store::node(snapshot, id)).transpose()?;
            if let Some(class) = class.flatten() {
                let path = self.occurrences.path(step.site.0)?;
                let name = self.occurrences.short_name(&class)?;
                given.push(format!("{name} (registered at {path}:{})", step.site.1));
            }
        }
        if !given.is_empty() {
            given.truncate(MAX_NAMED);
            return Ok(Some(given.join(", ")));
        }

        let is_interface = store::node(snapshot, service)?
            .is_some_and(|node| node.node_type == NodeType::Interface);
        let mut nodes = Vec::new();
        if is_interface {
            for (id, _) in implementations_of(snapshot, &[service])? {
                nodes.extend(store::node(snapshot, id)?);
            }
        }
        nodes.retain(|node| node.node_type != NodeType::Interface && !is_aside(node));
        let named = self.named(&nodes)?;
        Ok(Some(named).filter(|named| !named.is_empty()))
    }

    /// Returns what functions lead to without a call, in order.
    pub(super) fn dispatched(&mut self, nodes: &[NodeId]) -> Result<Vec<Step>, QueryError> {
        let mut steps = dispatched_from(self.occurrences.sources.snapshot(), nodes)?;
        steps.extend(self.mounted_steps(nodes, &steps)?);
        steps.retain(|step| {
            let is_sent = matches!(
                step.kind,
                DispatchKind::Sends | DispatchKind::Emits | DispatchKind::Requests
            );
            is_sent && step.runs()
        });
        steps.extend(self.unanswered(nodes, &steps)?);
        steps.sort_by_key(|step| step.site);
        Ok(steps.into_iter().map(Step::Dispatch).collect())
    }

    /// Returns the requests for which the repository has no route.
    fn unanswered(
        &self,
        nodes: &[NodeId],
        known: &[DispatchStep],
    ) -> Result<Vec<DispatchStep>, QueryError> {
        let requests = self.other_requests(nodes, known)?.into_iter();
        let step = |row| DispatchStep {
            to: None,
            ..DispatchStep::of(row)
        };
        Ok(requests.map(step).collect())
    }

    /// Returns the requests of functions at other sites than those of known steps.
    fn other_requests(
        &self,
        nodes: &[NodeId],
        known: &[DispatchStep],
    ) -> Result<Vec<DispatchRow>, QueryError> {
        let snapshot = self.occurrences.sources.snapshot();
        let mut requests = Vec::new();
        for node in nodes {
            requests.extend(store::dispatch_at(
                snapshot,
                *node,
                EdgeDirection::Outgoing,
            )?);
        }

        requests.retain(|row| {
            let site = (row.file, row.line);
            row.kind == DispatchKind::Requests && known.iter().all(|step| step.site != site)
        });

        Ok(requests)
    }

    /// Returns the steps of requests without a route of their own path to routes of mounted routers.
    fn mounted_steps(
        &mut self,
        nodes: &[NodeId],
        known: &[DispatchStep],
    ) -> Result<Vec<DispatchStep>, QueryError> {
        let snapshot = self.occurrences.sources.snapshot();
        let mut requests = self.other_requests(nodes, known)?;
        requests.truncate(self.mounted_left);
        self.mounted_left -= requests.len();

        let mut steps = Vec::new();
        for row in &requests {
            let (verb, path) = verb_and_path(&row.label);
            let mut routes = mounted_routes(snapshot, path)?;
            routes.retain(|route| verbs_agree(verb, verb_and_path(&route.label).0));
            let routes = routes.iter().take(MAX_NAMED);
            steps.extend(routes.map(|route| DispatchStep::joined(row, route, None)));
        }
        Ok(steps)
    }

    /// Returns the subscribers of the events that functions raise, each at the place where its event is raised.
    pub(super) fn raised(&mut self, nodes: &[NodeId]) -> Result<Vec<Step>, QueryError> {
        let snapshot = self.occurrences.sources.snapshot();
        let uses = self
            .occurrences
            .outgoing(nodes, &[EdgeType::References, EdgeType::Calls])?;
        let mut steps = Vec::new();

        for used in uses {
            let Some(event) = store::node(snapshot, used.other)? else {
                continue;
            };
            if event.kind != NodeKind::Event {
                continue;
            }

            let path = self.occurrences.path(used.file)?;
            let sources = &mut self.occurrences.sources;
            let rest = sources.rest_of_line(&path, used.line, used.column)?;
            let after = rest.and_then(|rest| rest.strip_prefix(event.name.as_str()));
            if !after.is_some_and(is_raised) {
                continue;
            }

            let mut subscribers = dispatched_from(snapshot, &[event.id])?;
            subscribers.retain(|step| step.kind == DispatchKind::Subscribes);
            subscribers.truncate(MAX_NAMED);
            steps.extend(subscribers.into_iter().map(|step| {
                Step::Dispatch(DispatchStep {
                    label: event.name.clone(),
                    site: (used.file, used.line),
                    registered: Some(step.site),
                    ..step
                })
            }));
        }

        Ok(steps)
    }

    pub(super) fn dispatch(
        &mut self,
        (step, at): (&DispatchStep, &str),
        depth: usize,
    ) -> Result<(), QueryError> {
        let snapshot = self.occurrences.sources.snapshot();
        let node = |id: Option<NodeId>| id.map_or(Ok(None), |id| store::node(snapshot, id));
        let Some(target) = node(step.to)? else {
            if let Some(function) = self.served_by_file(&step.label)? {
                self.borders.push(self.lines.len());
                let prefix = format!("{at} {} {} -> (by its path) ", step.kind, step.label);
                return self.enter(&function, depth, &prefix, "");
            }
            let indent = "  ".repeat(depth);
            self.lines.push(format!(
                "{indent}{at} {} {} (no route for it is known)",
                step.kind, step.label
            ));
            return Ok(());
        };

        let what = match node(step.message)? {
            Some(message) => self.occurrences.short_name(&message)?,
            None => step.label.clone(),
        };
        let how = match step.kind {
            DispatchKind::Subscribes => "raises".to_owned(),
            kind => kind.to_string(),
        };
        let prefix = format!("{at} {how} {what} -> ");
        self.borders.push(self.lines.len());
        let before = self.max_depth;
        if step.kind == DispatchKind::Requests {
            self.max_depth = before.max(depth + DEPTH_BEHIND);
        }
        self.run(step, &target, depth, &prefix)?;
        self.max_depth = before;
        Ok(())
    }

    /// Returns the function that answers a request because of the path of its file: `POST` in
    /// `app/users/[id]/route.ts`.
    fn served_by_file(&self, request: &str) -> Result<Option<Node>, QueryError> {
        let (verb, path) = verb_and_path(request);
        let sources = &self.occurrences.sources;
        let files = files_of_route(sources, path, Some(verb))?;
        let [file] = files.as_slice() else {
            return Ok(None);
        };

        let snapshot = sources.snapshot();
        let Some(row) = store::file_by_path(snapshot, file)? else {
            return Ok(None);
        };

        let mut nodes = store::nodes_of_file(snapshot, row.id)?;
        let mut all = nodes.iter();
        let module = all.find(|node| node.node_type == NodeType::File);
        let module = module.map(|node| node.id);

        nodes.retain(|node| node.flags.has(NodeFlags::PUBLIC_API));
        if let Some(at) = nodes.iter().position(|node| node.name == verb) {
            return Ok(Some(nodes.swap_remove(at)));
        }

        // A handler of all methods is the only function that its file exports.
        nodes.retain(|node| node.node_type == NodeType::Method && node.parent == module);
        Ok(nodes.pop().filter(|_| nodes.is_empty()))
    }

    /// Writes what a step without a call runs: a function, or the callback that is registered for it.
    fn run(
        &mut self,
        step: &DispatchStep,
        target: &Node,
        depth: usize,
        prefix: &str,
    ) -> Result<(), QueryError> {
        if let Some((file, line)) = step.registered {
            let path = self.occurrences.path(file)?;
            let is_file = target.node_type == NodeType::File;
            if is_file || is_inside(target, &path, line) {
                return self.callback((file, &path), line, depth, prefix);
            }
        }

        self.enter(target, depth, prefix, "")
    }

    /// Writes the callback that is registered on a line, and what it calls.
    fn callback(
        &mut self,
        (file, path): (FileKey, &str),
        line: u32,
        depth: usize,
        prefix: &str,
    ) -> Result<(), QueryError> {
        let indent = "  ".repeat(depth);
        let callbacks = store::callbacks_of(self.occurrences.sources.snapshot(), file)?;
        let Some(callback) = innermost(&callbacks, line) else {
            self.lines.push(format!("{indent}{prefix}{path}:{line}"));
            return Ok(());
        };

        let label = &callback.label;
        self.lines
            .push(format!("{indent}{prefix}{label}  {path}:{line}"));
        if depth >= self.max_depth || self.lines.len() > MAX_LINES {
            return Ok(());
        }
        let lines = callback.start..=callback.end;
        self.steps_on_lines(file, &lines, depth + 1)
    }
}

/// Returns the name that a call passes to a hub: `Save` of `invoke("Save", cart)`.
fn method_of_hub(call: &str) -> Option<&str> {
    let (callee, arguments) = call.split_once('(')?;
    let quote = arguments.chars().next().filter(|c| "\"'`".contains(*c))?;
    let (name, _) = arguments[1..].split_once(quote)?;
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.is_empty();
    (HUB_CALLS.contains(&callee) && is_name).then_some(name)
}

/// Reports whether an event is raised by what follows its name: `Closed(this)`, `Closed?.Invoke(this)`.
#[must_use]
pub fn is_raised(after: &str) -> bool {
    let after = after.trim_start_matches(['?', '!']);
    let name = [".Invoke", ".DynamicInvoke"];
    let rest = name.iter().find_map(|name| after.strip_prefix(name));
    // `Closed?.Invoke (this)`
    rest.unwrap_or(after).trim_start().starts_with('(')
}

/// Reports whether a call outside the repository runs code of the class that it is given: `UseStartup<Startup>()`, but
/// not `GetService<IStore>()`.
fn is_host_call(call: &UnknownCall) -> bool {
    let method = call.text.split('<').next().unwrap_or_default();
    let name = method.rsplit('.').next().unwrap_or_default();
    call.is_outside && !name.starts_with("Get") && !name.starts_with("Resolve")
}
