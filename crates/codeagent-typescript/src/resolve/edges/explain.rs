//! Explains the resolution of one site: the meaning of a name, the receiver and the origin of its
//! type, each signature with its arguments.
//!
//! Runs the resolver's own functions again in a separate resolution; nothing is recorded during
//! normal indexing.
//!
//! Limitations: all overloads of a function are one symbol: the chosen overload decides the type of
//! the call, not its edge.

use codeagent_lang::explain::{MAX_ORIGINS, Report};
use codeagent_lang::{DeclRef, ExprRef, Resolution, sites};
use codeagent_model::facts::*;
use codeagent_model::print;

use crate::resolve::arena::Ty;
use crate::resolve::edges::FileResolver;
use crate::resolve::expressions::calls::CallSite;
use crate::resolve::symbols::at;
use crate::resolve::symbols::modules::ResolvedName;
use crate::resolve::symbols::scopes::{DeclList, LookupPosition, Meaning};
use crate::resolve::types::members::MemberLookup;
use crate::resolve::types::signatures::Signature;

/// Largest number of declarations and signatures shown for one name.
const MAX_SHOWN: usize = 12;

/// Adds the resolution of a site to a report; returns the edges of this site alone.
pub fn explain(site: Site, report: &mut Report<'_>) -> Resolution {
    let resolver = FileResolver::new(report.file, report.world);
    sites::explain_site(&resolver, &site, report)
}

/// The explanation of one site.
pub(super) struct Explanation<'e, 'r> {
    pub(super) resolver: &'e FileResolver<'e>,
    pub(super) report: &'e mut Report<'r>,
}

impl Explanation<'_, '_> {
    /// Explains a site.
    pub fn site(&mut self, site: &Site) {
        let file = self.resolver.file;
        let facts = self.resolver.facts(file);

        match site.subject {
            Subject::Expr(expr) | Subject::Decorator(expr) => match facts.expr(expr) {
                Expr::Call(call) | Expr::New(call) => self.call(expr, call),
                Expr::Jsx(component) => self.value(component),
                Expr::DynamicImport(sym) | Expr::Require(sym) => self.module(sym),
                _ => self.value(expr),
            },
            Subject::Type(ty, index) => {
                if let TypeExpr::Name(segments, scope) = facts.type_expr(ty) {
                    let found = self.resolver.resolve_type_name(
                        file,
                        facts.list(segments),
                        scope,
                        usize::from(index),
                    );
                    self.found("names", &found);
                }
            }
            Subject::Import(id) => self.module(facts.imports[id.index()].module),
            Subject::Export(id) if !facts.exports[id.index()].module.is_none() => {
                self.module(facts.exports[id.index()].module)
            }
            Subject::Base(decl, index) => {
                let ty = self.resolver.base_type(at(file, decl), usize::from(index));
                let text = self.resolver.display(ty);
                self.report.line(1, format_args!("base type: {text}"));
            }
            Subject::Key(object, sym) => {
                let expected = self.resolver.infer_context(at(file, object));
                self.key(expected, sym);
            }
            Subject::Attribute(component, sym) => {
                let component = self.resolver.type_of_expr(file.expr(component));
                let expected = self.resolver.props_of(component);
                self.key(expected, sym);
            }
            Subject::Export(_) | Subject::Construct(..) => {}
        }
    }

    /// Explains a key: the member of the expected type.
    fn key(&mut self, expected: Ty, key: Sym) {
        let text = self.resolver.display(expected);
        self.report
            .line(1, format_args!("expected of the object: {text}"));
        let file = self.resolver.file;
        let (name, facts) = (self.resolver.name(file, key), self.resolver.facts(file));
        let lookup = self.resolver.lookup_member(expected, name);
        self.lookup(facts.text(key), &lookup);
    }

    fn module(&mut self, specifier: Sym) {
        let file = self.resolver.file;
        let found = self.resolver.resolve_module(file, specifier);
        self.found("module", &found);
    }

    /// Explains a call or `new`: its callee, the signatures, the result.
    fn call(&mut self, expr: ExprId, call: CallId) {
        let file = self.resolver.file;
        let facts = self.resolver.facts(file);
        let callee = facts.calls[call.index()].callee;
        self.value(callee);

        let args = facts.list(facts.calls[call.index()].args);
        for (index, arg) in args.iter().enumerate() {
            self.typed(&format!("argument {}", index + 1), file.expr(arg.value), 1);
        }

        let ty = self.resolver.type_of_expr(file.expr(callee));
        let signatures = match facts.expr(expr) {
            Expr::New(_) => self.resolver.class_signatures(ty),
            _ => self.resolver.signatures(ty),
        };
        let site = CallSite { file, call };
        let chosen = self.resolver.resolve_overload(&signatures, site);

        if signatures.is_empty() {
            self.report.line(1, "no signature is known");
        }

        for signature in signatures.iter().take(MAX_SHOWN) {
            self.signature(
                *signature,
                (chosen == Some(*signature), signatures.len() > 1),
                site,
            );
        }

        let result = self.resolver.type_of_expr(file.expr(expr));
        let result = self.resolver.display(result);
        self.report.line(1, format_args!("result: {result}"));
    }

    fn signature(
        &mut self,
        signature: Signature,
        (chosen, overloaded): (bool, bool),
        site: CallSite,
    ) {
        let name = match signature {
            Signature::Declared(decl, _) => self.report.decl(decl),
            Signature::BuiltIn(..) => "a method of a built-in type".to_owned(),
        };
        let args = self.resolver.call_args(site);
        let mismatches = self.resolver.mismatches(signature, site.file, &args);

        let verdict = match (chosen, overloaded, mismatches) {
            (true, false, _) => "the only signature".to_owned(),
            (true, true, 0) => "chosen: the first that accepts the arguments".to_owned(),
            (true, true, _) => {
                "chosen: none accepts the arguments; this one has the fewest mismatches".to_owned()
            }
            (false, _, 0) => {
                "accepts the arguments, but is declared after the chosen one or has other type \
                 parameters"
                    .to_owned()
            }
            (false, _, mismatches) => {
                format!("{mismatches} mismatches (a wrong number of arguments counts as ten)")
            }
        };

        self.report
            .line(1, format_args!("signature {name}: {verdict}"));

        let params = self.resolver.signature_params(signature);

        for (index, arg) in args
            .iter()
            .enumerate()
            .take_while(|(_, arg)| arg.mode != ArgMode::Spread)
        {
            let Some(param) = params
                .get(index)
                .or(params.last().filter(|param| param.rest))
            else {
                break;
            };

            let takes = if self.resolver.rejects(param.ty, site.file.expr(arg.value)) {
                "does not take"
            } else {
                "takes"
            };
            let given = self.resolver.type_of_expr(site.file.expr(arg.value));
            let (wanted, given) = (
                self.resolver.display(param.ty),
                self.resolver.display(given),
            );

            self.report.line(
                2,
                format_args!("parameter {}: {wanted} {takes} {given}", index + 1),
            );
        }
    }

    /// Explains the callee or used value: a name with its declarations, or a member with its
    /// receiver.
    fn value(&mut self, expr: ExprId) {
        let file = self.resolver.file;
        let facts = self.resolver.facts(file);
        match facts.expr(expr) {
            Expr::Member(object, sym) | Expr::Destructured(object, sym) => {
                self.typed("receiver", file.expr(object), 1);
                let receiver = self.resolver.type_of_expr(file.expr(object));
                let name = self.resolver.name(file, sym);
                let lookup = self.resolver.lookup_member(receiver, name);
                self.lookup(facts.text(sym), &lookup);
            }
            Expr::Generic(inner, _) | Expr::Paren(inner) | Expr::Satisfies(inner, _) => {
                self.value(inner)
            }
            Expr::Name(sym, scope, offset) => {
                let name = self.resolver.name(file, sym);
                let decls = self.resolver.lookup_name(
                    LookupPosition {
                        file,
                        scope,
                        offset,
                    },
                    name,
                    Meaning::Value,
                );

                if decls.is_empty() {
                    self.report.line(
                        1,
                        format_args!(
                            "name {}: no declaration in scope; assumed to be an external global",
                            facts.text(sym)
                        ),
                    );
                    return;
                }

                self.decls(&format!("name {}", facts.text(sym)), &decls);

                let found = self.resolver.resolve_decls(decls.clone());
                if found != ResolvedName::Decls(decls) {
                    self.found("which is", &found);
                }

                self.typed("its type", file.expr(expr), 1);
            }
            _ => self.typed("value", file.expr(expr), 1),
        }
    }

    fn lookup(&mut self, name: &str, lookup: &MemberLookup) {
        match lookup {
            MemberLookup::Missing => self
                .report
                .line(1, format_args!("member {name}: not known there")),
            MemberLookup::External => self.report.line(1, format_args!("member {name}: external")),
            MemberLookup::Declared(member) => self.decls(&format!("member {name}"), &member.decls),
            MemberLookup::Value(ty) => {
                let ty = self.resolver.display(*ty);
                self.report.line(
                    1,
                    format_args!("member {name}: without a declaration, of type {ty}"),
                );
            }
        }
    }

    fn found(&mut self, role: &str, found: &ResolvedName) {
        match found {
            ResolvedName::Nothing => self.report.line(1, format_args!("{role}: unknown")),
            ResolvedName::External => self.report.line(1, format_args!("{role}: external")),
            ResolvedName::Decls(decls) => self.decls(role, decls),
            ResolvedName::Module(file) => {
                let path = self.resolver.path(*file);
                self.report.line(1, format_args!("{role}: module {path}"));
            }
            ResolvedName::Ambient(block) => self.decls(role, &DeclList::from_slice(&[*block])),
        }
    }

    fn decls(&mut self, role: &str, decls: &DeclList) {
        for decl in decls.iter().take(MAX_SHOWN) {
            let text = self.report.decl(*decl);
            self.report.line(1, format_args!("{role}: {text}"));
        }
    }

    /// Reports the type of an expression, as `receiver a.b: T`, and its origin.
    fn typed(&mut self, role: &str, expr: ExprRef, depth: usize) {
        let ty = self.resolver.type_of_expr(expr);
        let (ty, text) = (
            self.resolver.display(ty),
            print::expression(self.resolver.facts(expr.file), expr.expr),
        );
        self.report.line(depth, format_args!("{role} {text}: {ty}"));
        self.origin(expr, depth + 1);
    }

    /// Reports the origin of the type of an expression.
    fn origin(&mut self, expr: ExprRef, depth: usize) {
        if depth > MAX_ORIGINS {
            return;
        }
        let ExprRef { file, expr } = expr;

        let facts = self.resolver.facts(file);
        match facts.expr(expr) {
            Expr::Name(sym, scope, offset) => {
                let name = self.resolver.name(file, sym);
                let decls = self.resolver.lookup_name(
                    LookupPosition {
                        file,
                        scope,
                        offset,
                    },
                    name,
                    Meaning::Narrowed,
                );
                self.origin_of(decls.first().copied(), depth);
                if decls.is_empty() {
                    self.report.line(depth, "no declaration in scope");
                }
            }
            Expr::Member(object, sym) | Expr::Destructured(object, sym) => {
                let receiver = self.resolver.type_of_expr(file.expr(object));
                let name = self.resolver.name(file, sym);
                match self.resolver.lookup_member(receiver, name) {
                    MemberLookup::Declared(member) => {
                        self.origin_of(member.decls.first().copied(), depth)
                    }
                    MemberLookup::Value(_) => {}
                    MemberLookup::Missing | MemberLookup::External => {
                        self.typed("of", file.expr(object), depth)
                    }
                }
            }
            Expr::Call(call) | Expr::New(call) => {
                let callee = facts.calls[call.index()].callee;
                self.origin_in_call(CallSite { file, call }, callee, depth);
            }
            Expr::Index(call) => self.typed(
                "element of",
                file.expr(facts.calls[call.index()].callee),
                depth,
            ),
            Expr::ContextualParam(lambda, index) => {
                let context = self.resolver.infer_context(at(file, lambda));
                let text = self.resolver.display(context);
                self.report.line(
                    depth,
                    format_args!("parameter {} of a lambda for {text}", index + 1),
                );
                self.origin_of_context(at(file, lambda), context, depth + 1);
            }
            Expr::NarrowedRef(guard) => {
                if let Some(guard) = facts.guards.get(guard as usize) {
                    self.typed("narrowed from", file.expr(guard.subject), depth);
                }
            }
            Expr::Await(inner)
            | Expr::Iterate(inner, _)
            | Expr::Delegate(inner)
            | Expr::Paren(inner)
            | Expr::Element(inner, _)
            | Expr::RestElement(inner, _) => {
                self.typed("of", file.expr(inner), depth);
            }
            Expr::Or(first, second) => {
                self.typed("either", file.expr(first), depth);
                self.typed("or", file.expr(second), depth);
            }
            Expr::And(_, value) | Expr::Assign(_, value) => {
                self.typed("of", file.expr(value), depth)
            }
            _ => {}
        }
    }

    /// Explains a lambda without a known context by the call it is passed to.
    fn origin_of_context(&mut self, lambda: DeclRef, context: Ty, depth: usize) {
        if let (true, Context::Argument(call, _)) =
            (context.is_opaque(), self.resolver.decl(lambda).context)
        {
            let callee = self.resolver.facts(lambda.file).calls[call.index()].callee;
            self.typed("passed to", lambda.file.expr(callee), depth);
        }
    }

    fn origin_in_call(&mut self, site: CallSite, callee: ExprId, depth: usize) {
        let ty = self.resolver.type_of_expr(site.file.expr(callee));
        let signatures = self.resolver.signatures(ty);

        match self.resolver.resolve_overload(&signatures, site) {
            Some(Signature::Declared(decl, _)) => {
                let result = self.resolver.type_of_return(decl);
                let (name, result) = (self.report.decl(decl), self.resolver.display(result));
                self.report.line(
                    depth,
                    format_args!("result of {name}, which returns {result}"),
                );
            }
            Some(_) => self.report.line(depth, "result of an undeclared function"),
            None => self.typed("result of", site.file.expr(callee), depth),
        }
    }

    /// Reports the declaration of a name, and the origin of its type.
    fn origin_of(&mut self, decl: Option<DeclRef>, depth: usize) {
        let Some(decl) = decl else { return };
        let facts = self.resolver.facts(decl.file);
        let declaration = facts.decl(decl.decl);
        let text = self.report.decl(decl);

        let written = if declaration.ty.is_none() {
            String::new()
        } else {
            format!(
                ", declared as {}",
                print::written_type(facts, declaration.ty)
            )
        };

        self.report.line(depth, format_args!("{text}{written}"));

        if declaration.ty.is_none() && !declaration.init.is_none() && depth < MAX_ORIGINS {
            self.typed(
                "initialised by",
                decl.file.expr(declaration.init),
                depth + 1,
            );
        } else if declaration.kind == DeclKind::Import {
            let found = self.resolver.resolve_decls(DeclList::from_slice(&[decl]));
            if let ResolvedName::Decls(decls) = &found {
                self.origin_of(
                    decls.first().copied().filter(|other| *other != decl),
                    depth + 1,
                );
            }
        }
    }
}
