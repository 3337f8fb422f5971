//! Components that client routes show: named, as an element, or loaded on demand.

use codeagent_lang::{DeclRef, DispatchEnd, FileId, Target};
use codeagent_model::facts::*;
use codeagent_model::graph::Confidence;

use super::elements::NestedElements;
use super::frameworks::{LOADED, ROUTE};
use super::{last_name, property};
use crate::resolve::edges::FileResolver;
use crate::resolve::symbols::modules::ResolvedName;

/// Maximum number of elements around the one that a route shows.
const MAX_AROUND: usize = 8;

/// What a route shows.
pub(super) struct Shown {
    pub end: DispatchEnd,
    /// An element inside another component is a guess.
    pub confidence: Confidence,
}

impl Shown {
    fn named(end: DispatchEnd) -> Self {
        let confidence = Confidence::Exact;
        Self { end, confidence }
    }
}

impl FileResolver<'_> {
    /// Returns the component that a route shows: named, an element of it, or loaded by
    /// `() => import("./c")`.
    pub(super) fn shown(&self, value: ExprId, elements: &NestedElements) -> Option<Shown> {
        match self.own_facts().expr(value) {
            Expr::Function(function) => {
                let rendered = self.returned_element(function, elements);
                rendered.or_else(|| self.loaded(self.file, function).map(Shown::named))
            }
            Expr::Jsx(_) => self.shown_element(value, elements),
            _ => self.component(value).map(Shown::named),
        }
    }

    /// Returns the component of an element, or of the only one inside it: `C` for `<><C /></>`, and
    /// as a guess for `<Panel><C /></Panel>`.
    fn shown_element(&self, mut element: ExprId, elements: &NestedElements) -> Option<Shown> {
        let facts = self.own_facts();
        let (mut shown, mut confidence) = (None, Confidence::Exact);
        for _ in 0..MAX_AROUND {
            let Expr::Jsx(component) = facts.expr(element) else {
                break;
            };
            if last_name(facts, component) == ROUTE {
                break;
            }
            let end = self.component(component);
            shown = end.map(|end| Shown { end, confidence }).or(shown);
            if !component.is_none() {
                confidence = Confidence::Inferred;
            }

            match elements.only_child(element) {
                Some(only) => element = only,
                None => break,
            }
        }
        shown
    }

    /// Returns the component of the element that `() => <C />` returns.
    fn returned_element(&self, function: DeclId, elements: &NestedElements) -> Option<Shown> {
        let facts = self.own_facts();
        let returned = *facts.list(facts.decl(function).returns).first()?;
        match facts.expr(returned) {
            Expr::Jsx(_) => self.shown_element(returned, elements),
            _ => None,
        }
    }

    /// Returns a named component, or what it loads: `const C = lazy(() => import("./c"))`.
    fn component(&self, named: ExprId) -> Option<DispatchEnd> {
        let component = self.symbol(named)?;
        let load = self.lazy(component);
        let loaded = load.and_then(|load| self.loaded(component.file, load));
        loaded.or(Some(DispatchEnd::from(component)))
    }

    /// Returns the function that a variable passes to a call.
    fn lazy(&self, variable: DeclRef) -> Option<DeclId> {
        let facts = self.facts(variable.file);
        let declared = facts.decl(variable.decl);
        let Expr::Call(call) = facts.expr(declared.init) else {
            return None;
        };
        let first = facts.list(facts.calls[call.index()].args).first()?;
        match facts.expr(first.value) {
            Expr::Function(function) => Some(function),
            _ => None,
        }
    }

    /// Returns what a function loads: the default export of `import("./c")` or its export `Component`,
    /// which may be those of another module; else its file; or what `.then(m => m.C)` or `.then(m => ({
    /// default: m.C }))` chooses of it.
    fn loaded(&self, file: FileId, function: DeclId) -> Option<DispatchEnd> {
        let facts = self.facts(file);
        self.record_body(DeclRef {
            file,
            decl: function,
        });
        let loaded = *facts.list(facts.decl(function).returns).first()?;
        match facts.expr(loaded) {
            Expr::DynamicImport(module) => {
                let module = self.own_module(file, module)?;
                let mut names = LOADED.iter();
                let component = names.find_map(|name| self.exported(module, name));
                component.or(Some(DispatchEnd::Target(Target::File(module))))
            }
            Expr::Call(call) => {
                let call = facts.calls[call.index()];
                let then = facts.list(call.args).first()?.value;
                let (Expr::Member(import, _), Expr::Function(choice)) =
                    (facts.expr(call.callee), facts.expr(then))
                else {
                    return None;
                };
                let Expr::DynamicImport(module) = facts.expr(import) else {
                    return None;
                };

                let mut chosen = *facts.list(facts.decl(choice).returns).first()?;
                if let Expr::Object(object) = facts.expr(chosen) {
                    let mut names = LOADED.iter();
                    chosen = names.find_map(|name| property(facts, object, name))?;
                }
                if let Expr::Member(_, name) = facts.expr(chosen)
                    && let Some(module) = self.own_module(file, module)
                    && let Some(found) = self.exported(module, facts.text(name))
                {
                    return Some(found);
                }
                (file == self.file)
                    .then(|| self.symbol(chosen))?
                    .map(DispatchEnd::from)
            }
            _ => None,
        }
    }

    /// Returns the file of the repository that a specifier means.
    fn own_module(&self, file: FileId, specifier: Sym) -> Option<FileId> {
        match self.resolve_module(file, specifier) {
            ResolvedName::Module(module) if !self.is_external_file(module) => Some(module),
            _ => None,
        }
    }

    /// Returns the node that a module exports under a name.
    fn exported(&self, module: FileId, name: &str) -> Option<DispatchEnd> {
        let name = self.tables.find(name);
        match self.lookup_export(&ResolvedName::Module(module), name) {
            ResolvedName::Decls(decls) => self
                .canonical_declaration(&decls)
                .filter(|decl| self.is_node(*decl))
                .map(DispatchEnd::from),
            _ => None,
        }
    }
}
