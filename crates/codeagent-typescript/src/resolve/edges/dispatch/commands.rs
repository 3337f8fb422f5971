//! Commands of a command line, by the form of the call that adds one.
//!
//! Yargs: `command("name [file]", "..", builder, handler)`, `command({ command: "name", handler })`;
//! bots: `command("name", handler)`; commander and cac: `command("name").action(handler)`.
//!
//! Limitations: modules that are passed whole (`command(require("./build"))`) and folders of commands
//! are not read.

use codeagent_lang::{DeclRef, Dispatch, DispatchEnd};
use codeagent_model::dispatch::DispatchKind;
use codeagent_model::facts::*;
use codeagent_model::graph::Confidence;
use codeagent_model::span::Position;

use super::frameworks::{COMMAND_HANDLERS, COMMAND_LINES, COMMAND_NAMES};
use super::{DispatchSite, MAX_WRAPPERS, last_name};
use crate::resolve::edges::FileResolver;

/// Calls that may stand between a command and its action.
const MAX_CHAIN: usize = 40;

/// The argument of `command("name", "..", builder, handler)` that runs.
const HANDLER: usize = 3;

impl FileResolver<'_> {
    /// Records `command("name", "..", builder, handler)` and `command({ command: "name", handler })`.
    pub(super) fn record_command(&self, at: DispatchSite<'_>, found: &mut Vec<Dispatch>) {
        let facts = self.own_facts();
        let args = facts.list(at.call.args);
        let Some(first) = args.first() else {
            return;
        };

        let line = at.site.at.line;
        let (name, handler, confidence) = match facts.expr(first.value) {
            Expr::Object(object) => (
                self.command_name(object, line),
                self.command_handler(at.site.owner, object),
                Confidence::Exact,
            ),
            _ => (
                self.text_of(self.first_item(first.value), line),
                self.handling_argument(at.site.owner, args),
                self.confidence_of_command(at.receiver),
            ),
        };

        if let (Some(name), Some(handler)) = (name, handler) {
            self.add_command(at, (&name, at.site.at), handler, confidence, found);
        }
    }

    /// Records `command("name").description("..").action(handler)`.
    pub(super) fn record_action(&self, at: DispatchSite<'_>, found: &mut Vec<Dispatch>) {
        let facts = self.own_facts();
        let Some(first) = facts.list(at.call.args).first() else {
            return;
        };
        let Some((name, position)) = self.command_before(at.receiver) else {
            return;
        };
        if let Some(handler) = self.handler(at.site.owner, first.value, MAX_WRAPPERS) {
            let confidence = self.confidence_of_command(at.receiver);
            let position = position.unwrap_or(at.site.at);
            self.add_command(at, (&name, position), handler, confidence, found);
        }
    }

    fn add_command(
        &self,
        at: DispatchSite<'_>,
        (name, position): (&str, Position),
        handler: DispatchEnd,
        confidence: Confidence,
        found: &mut Vec<Dispatch>,
    ) {
        if !is_command(name) {
            return;
        }
        let source = DispatchEnd::Around(at.site.owner);
        found.push(Dispatch {
            label: name.trim().to_owned(),
            ..Dispatch::new(DispatchKind::Runs, (source, handler), position, confidence)
        });
    }

    /// Returns the certainty that a call adds a command: objects of other packages may have a method
    /// of that name.
    fn confidence_of_command(&self, receiver: ExprId) -> Confidence {
        if self.origin(receiver).is_one_of(COMMAND_LINES) {
            Confidence::Exact
        } else {
            Confidence::Inferred
        }
    }

    /// Returns what runs on a command. After a description, that is the fourth argument; the third
    /// one declares options.
    fn handling_argument(&self, owner: DeclId, args: &[Arg]) -> Option<DispatchEnd> {
        let facts = self.own_facts();
        let second = args.get(1)?.value;
        let is_described = matches!(
            facts.expr(second),
            Expr::Literal(..) | Expr::Known(KnownType::Bool)
        );
        if !is_described {
            let mut handlers = args[1..].iter().rev();
            return handlers.find_map(|arg| self.handler(owner, arg.value, MAX_WRAPPERS));
        }

        let object = args.get(2).map(|arg| facts.expr(arg.value));
        match (args.get(HANDLER), object) {
            (Some(handler), _) => self.handler(owner, handler.value, MAX_WRAPPERS),
            (None, Some(Expr::Object(object))) => self.command_handler(owner, object),
            (None, _) => None,
        }
    }

    /// Returns the name in an object that declares a command.
    fn command_name(&self, object: DeclId, line: u32) -> Option<String> {
        let mut names = COMMAND_NAMES.iter();
        let name = names.find_map(|key| self.property(object, key))?;
        self.text_of(self.first_item(name), line)
    }

    /// Returns the first item of an array, such as a name with its aliases, else the value itself.
    fn first_item(&self, value: ExprId) -> ExprId {
        let facts = self.own_facts();
        match facts.expr(value) {
            Expr::Array(items, _) => facts.list(items).first().copied().unwrap_or(value),
            _ => value,
        }
    }

    /// Returns what runs on the command that an object declares.
    fn command_handler(&self, owner: DeclId, object: DeclId) -> Option<DispatchEnd> {
        let facts = self.own_facts();
        let scope = facts.decl(object).inner;
        let members = facts.decl_ids().skip(object.index());
        let mut members = members.filter(|id| {
            let decl = facts.decl(*id);
            decl.scope == scope && matches!(decl.kind, DeclKind::Property | DeclKind::Method)
        });
        let member =
            members.find(|id| COMMAND_HANDLERS.contains(&facts.text(facts.decl(*id).name)))?;

        let decl = facts.decl(member);
        let is_function =
            decl.kind == DeclKind::Method || matches!(facts.expr(decl.init), Expr::Function(_));
        let own = DeclRef {
            file: self.file,
            decl: member,
        };
        match is_function {
            true if self.is_node(own) => Some(DispatchEnd::from(own)),
            true => Some(DispatchEnd::Around(owner)),
            false => self.handler(owner, decl.init, MAX_WRAPPERS),
        }
    }

    /// Returns the name of the command that a value is, and where it is added: `program.command("x")`
    /// or `new Command("x")`, with any calls after it.
    fn command_before(&self, mut value: ExprId) -> Option<(String, Option<Position>)> {
        let facts = self.own_facts();
        for _ in 0..MAX_CHAIN {
            let (call, is_command) = match facts.expr(value) {
                Expr::Call(call) => (call, self.is_call_of_command(call)),
                Expr::New(call) => {
                    let call_facts = facts.calls[call.index()];
                    let is_class = last_name(facts, call_facts.callee) == "Command";
                    (call, is_class)
                }
                Expr::Name(..) => {
                    let variable = self
                        .symbol(value)
                        .filter(|symbol| symbol.file == self.file)?;
                    value = facts.decl(variable.decl).init.some()?;
                    continue;
                }
                _ => return None,
            };

            let call = facts.calls[call.index()];
            if is_command {
                let first = facts.list(call.args).first()?;
                let name = self.text_of(self.first_item(first.value), 0)?;
                let mut sites = facts.sites.iter();
                let site = sites.find(|site| site.subject == Subject::Expr(value));
                return Some((name, site.map(|site| site.at)));
            }
            let Expr::Member(inner, _) = facts.expr(call.callee) else {
                return None;
            };
            value = inner;
        }
        None
    }

    fn is_call_of_command(&self, call: CallId) -> bool {
        let facts = self.own_facts();
        match facts.expr(facts.calls[call.index()].callee) {
            Expr::Member(_, name) => facts.text(name) == "command",
            _ => false,
        }
    }
}

/// Reports whether a text begins with a word that may be the name of a command: `db:migrate [name]`,
/// `$0`.
fn is_command(text: &str) -> bool {
    let name = text.split_whitespace().next().unwrap_or_default();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.' | '$' | '*');
    !name.is_empty() && name.chars().all(is_part) || name.starts_with('<') || name.starts_with('[')
}
