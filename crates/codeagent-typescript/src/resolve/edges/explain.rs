//! What did the linker see at one site: what a name means, the receiver and where its type comes
//! from, each signature with its arguments?
//!
//! Asks the linker's own functions again, in a link of its own; nothing is recorded while linking.
//!
//! **Limits.** All overloads of a function are one symbol: which of them is chosen decides the type
//! of the call, not its edge.

use codeagent_lang::explain::{MAX_ORIGINS, Report};
use codeagent_lang::{DeclRef, FileId, Links};
use codeagent_model::facts::*;
use codeagent_model::print;

use crate::resolve::arena::Ty;
use crate::resolve::edges::Linker;
use crate::resolve::expressions::calls::CallSite;
use crate::resolve::symbols::at;
use crate::resolve::symbols::modules::Found;
use crate::resolve::symbols::scopes::{Decls, Place, Space};
use crate::resolve::types::members::Looked;
use crate::resolve::types::signatures::Signature;

/// Most declarations and signatures that are shown of one name.
const MAX_SHOWN: usize = 12;

/// Adds what the linker sees at a site to a report; gives what linking the site alone gives.
pub fn explain(site: Site, report: &mut Report<'_>) -> Links {
    let mut linker = Linker::new(report.file, report.world);
    let mut links = Links::default();
    linker.site(site, &mut links);
    Explanation { linker, report }.site(&site);
    links
}

struct Explanation<'r, 'w> {
    linker: Linker<'w>,
    report: &'r mut Report<'w>,
}

impl Explanation<'_, '_> {
    fn site(&mut self, site: &Site) {
        let file = self.linker.file;
        let facts = self.linker.facts(file);
        match site.subject {
            Subject::Expr(expr) | Subject::Decorator(expr) => match facts.expr(expr) {
                Expr::Call(call) | Expr::New(call) => self.call(expr, call),
                Expr::Jsx(component) => self.value(component),
                Expr::DynamicImport(sym) | Expr::Require(sym) => self.module(sym),
                _ => self.value(expr),
            },
            Subject::Type(ty, index) => {
                if let TypeExpr::Name(segments, scope) = facts.type_expr(ty) {
                    let found = self.linker.type_name(
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
                let ty = self.linker.base_type(at(file, decl), usize::from(index));
                let text = self.linker.display(ty);
                self.report.line(1, format_args!("base type: {text}"));
            }
            Subject::Key(object, sym) => {
                let expected = self.linker.context(at(file, object));
                self.key(expected, sym);
            }
            Subject::Attribute(component, sym) => {
                let component = self.linker.expr_type(file, component);
                let expected = self.linker.props_of(component);
                self.key(expected, sym);
            }
            Subject::Export(_) | Subject::Construct(..) => {}
        }
    }

    /// The member of what is expected of an object that a key names.
    fn key(&mut self, expected: Ty, key: Sym) {
        let text = self.linker.display(expected);
        self.report
            .line(1, format_args!("expected of the object: {text}"));
        let file = self.linker.file;
        let (name, facts) = (self.linker.name(file, key), self.linker.facts(file));
        let looked = self.linker.member(expected, name);
        self.looked(facts.text(key), &looked);
    }

    fn module(&mut self, specifier: Sym) {
        let file = self.linker.file;
        let found = self.linker.module(file, specifier);
        self.found("module", &found);
    }

    /// A call or `new`: its callee, the signatures, the result.
    fn call(&mut self, expr: ExprId, call: CallId) {
        let file = self.linker.file;
        let facts = self.linker.facts(file);
        let callee = facts.calls[call.index()].callee;
        self.value(callee);
        let args = facts.list(facts.calls[call.index()].args);
        for (index, arg) in args.iter().enumerate() {
            self.typed(&format!("argument {}", index + 1), (file, arg.value), 1);
        }
        let ty = self.linker.expr_type(file, callee);
        let signatures = match facts.expr(expr) {
            Expr::New(_) => self.linker.class_signatures(ty),
            _ => self.linker.signatures(ty),
        };
        let site = CallSite { file, call };
        let chosen = self.linker.choose(&signatures, site);
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
        let result = self.linker.expr_type(file, expr);
        let result = self.linker.display(result);
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
        let args = self.linker.call_args(site);
        let mismatches = self.linker.mismatches(signature, site.file, &args);
        let said = match (chosen, overloaded, mismatches) {
            (true, false, _) => "the only signature".to_owned(),
            (true, true, 0) => "chosen: the first that takes the arguments".to_owned(),
            (true, true, _) => {
                "chosen: none takes the arguments, this one has the fewest mismatches".to_owned()
            }
            (false, _, 0) => {
                "takes the arguments, but stands after the chosen one or has other type parameters"
                    .to_owned()
            }
            (false, _, mismatches) => {
                format!("{mismatches} mismatches (a wrong number of arguments counts as ten)")
            }
        };
        self.report
            .line(1, format_args!("signature {name}: {said}"));
        let params = self.linker.signature_params(signature);
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
            let takes = if self.linker.rejects(param.ty, site.file, arg.value) {
                "does not take"
            } else {
                "takes"
            };
            let given = self.linker.expr_type(site.file, arg.value);
            let (wanted, given) = (self.linker.display(param.ty), self.linker.display(given));
            self.report.line(
                2,
                format_args!("parameter {}: {wanted} {takes} {given}", index + 1),
            );
        }
    }

    /// What is called or used: a name with its declarations, or a member with its receiver.
    fn value(&mut self, expr: ExprId) {
        let file = self.linker.file;
        let facts = self.linker.facts(file);
        match facts.expr(expr) {
            Expr::Member(object, sym) | Expr::Destructured(object, sym) => {
                self.typed("receiver", (file, object), 1);
                let receiver = self.linker.expr_type(file, object);
                let name = self.linker.name(file, sym);
                let looked = self.linker.member(receiver, name);
                self.looked(facts.text(sym), &looked);
            }
            Expr::Generic(inner, _) | Expr::Same(inner) | Expr::Satisfies(inner, _) => {
                self.value(inner)
            }
            Expr::Name(sym, scope, offset) => {
                let name = self.linker.name(file, sym);
                let decls = self.linker.lookup(
                    Place {
                        file,
                        scope,
                        offset,
                    },
                    name,
                    Space::Value,
                );
                if decls.is_empty() {
                    self.report.line(
                        1,
                        format_args!(
                            "name {}: no declaration in sight, taken for a global of outside",
                            facts.text(sym)
                        ),
                    );
                    return;
                }
                self.decls(&format!("name {}", facts.text(sym)), &decls);
                let found = self.linker.resolve_decls(decls.clone());
                if found != Found::Decls(decls) {
                    self.found("which is", &found);
                }
                self.typed("its type", (file, expr), 1);
            }
            _ => self.typed("value", (file, expr), 1),
        }
    }

    fn looked(&mut self, name: &str, looked: &Looked) {
        match looked {
            Looked::Missing => self
                .report
                .line(1, format_args!("member {name}: not known there")),
            Looked::External => self
                .report
                .line(1, format_args!("member {name}: of outside")),
            Looked::Declared(member) => self.decls(&format!("member {name}"), &member.decls),
            Looked::Value(ty) => {
                let ty = self.linker.display(*ty);
                self.report.line(
                    1,
                    format_args!("member {name}: without a declaration, of type {ty}"),
                );
            }
        }
    }

    fn found(&mut self, role: &str, found: &Found) {
        match found {
            Found::Nothing => self
                .report
                .line(1, format_args!("{role}: nothing that is known")),
            Found::External => self
                .report
                .line(1, format_args!("{role}: something outside the repository")),
            Found::Decls(decls) => self.decls(role, decls),
            Found::Module(file) => {
                let path = self.linker.path(*file);
                self.report.line(1, format_args!("{role}: module {path}"));
            }
            Found::Ambient(block) => self.decls(role, &Decls::from_slice(&[*block])),
        }
    }

    fn decls(&mut self, role: &str, decls: &Decls) {
        for decl in decls.iter().take(MAX_SHOWN) {
            let text = self.report.decl(*decl);
            self.report.line(1, format_args!("{role}: {text}"));
        }
    }

    /// `receiver a.b: T`, and below it where the type comes from.
    fn typed(&mut self, role: &str, (file, expr): (FileId, ExprId), depth: usize) {
        let ty = self.linker.expr_type(file, expr);
        let (ty, text) = (
            self.linker.display(ty),
            print::expression(self.linker.facts(file), expr),
        );
        self.report.line(depth, format_args!("{role} {text}: {ty}"));
        self.origin((file, expr), depth + 1);
    }

    /// Where the type of an expression comes from.
    fn origin(&mut self, (file, expr): (FileId, ExprId), depth: usize) {
        if depth > MAX_ORIGINS {
            return;
        }
        let facts = self.linker.facts(file);
        match facts.expr(expr) {
            Expr::Name(sym, scope, offset) => {
                let name = self.linker.name(file, sym);
                let decls = self.linker.lookup(
                    Place {
                        file,
                        scope,
                        offset,
                    },
                    name,
                    Space::Narrowed,
                );
                self.origin_of(decls.first().copied(), depth);
                if decls.is_empty() {
                    self.report.line(depth, "no declaration in sight");
                }
            }
            Expr::Member(object, sym) | Expr::Destructured(object, sym) => {
                let receiver = self.linker.expr_type(file, object);
                let name = self.linker.name(file, sym);
                match self.linker.member(receiver, name) {
                    Looked::Declared(member) => {
                        self.origin_of(member.decls.first().copied(), depth)
                    }
                    Looked::Value(_) => {}
                    Looked::Missing | Looked::External => self.typed("of", (file, object), depth),
                }
            }
            Expr::Call(call) | Expr::New(call) => {
                let callee = facts.calls[call.index()].callee;
                self.origin_in_call(CallSite { file, call }, callee, depth);
            }
            Expr::Index(call) => self.typed(
                "element of",
                (file, facts.calls[call.index()].callee),
                depth,
            ),
            Expr::ContextParam(lambda, index) => {
                let context = self.linker.context(at(file, lambda));
                let text = self.linker.display(context);
                self.report.line(
                    depth,
                    format_args!("parameter {} of a lambda for {text}", index + 1),
                );
                self.origin_of_context(at(file, lambda), context, depth + 1);
            }
            Expr::Guarded(guard) => {
                if let Some(guard) = facts.guards.get(guard as usize) {
                    self.typed("narrowed from", (file, guard.subject), depth);
                }
            }
            Expr::Await(inner)
            | Expr::Iterate(inner, _)
            | Expr::Same(inner)
            | Expr::Element(inner, _)
            | Expr::RestOf(inner, _) => {
                self.typed("of", (file, inner), depth);
            }
            Expr::Or(first, second) => {
                self.typed("either", (file, first), depth);
                self.typed("or", (file, second), depth);
            }
            Expr::And(_, value) | Expr::Assign(_, value) => self.typed("of", (file, value), depth),
            _ => {}
        }
    }

    /// A lambda without a known context: the call it is passed to says why.
    fn origin_of_context(&mut self, lambda: DeclRef, context: Ty, depth: usize) {
        if let (true, Context::Argument(call, _)) =
            (context.is_opaque(), self.linker.decl(lambda).context)
        {
            let callee = self.linker.facts(lambda.file).calls[call.index()].callee;
            self.typed("passed to", (lambda.file, callee), depth);
        }
    }

    fn origin_in_call(&mut self, site: CallSite, callee: ExprId, depth: usize) {
        let ty = self.linker.expr_type(site.file, callee);
        let signatures = self.linker.signatures(ty);
        match self.linker.choose(&signatures, site) {
            Some(Signature::Declared(decl, _)) => {
                let result = self.linker.return_type(decl);
                let (name, result) = (self.report.decl(decl), self.linker.display(result));
                self.report.line(
                    depth,
                    format_args!("given by {name}, which returns {result}"),
                );
            }
            Some(_) => self
                .report
                .line(depth, "given by a function that no file declares"),
            None => self.typed("given by", (site.file, callee), depth),
        }
    }

    /// The declaration a name stands for, and how that gets its type.
    fn origin_of(&mut self, decl: Option<DeclRef>, depth: usize) {
        let Some(decl) = decl else { return };
        let facts = self.linker.facts(decl.file);
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
            self.typed("initialised by", (decl.file, declaration.init), depth + 1);
        } else if declaration.kind == DeclKind::Import {
            let found = self.linker.resolve_decls(Decls::from_slice(&[decl]));
            if let Found::Decls(decls) = &found {
                self.origin_of(
                    decls.first().copied().filter(|other| *other != decl),
                    depth + 1,
                );
            }
        }
    }
}
