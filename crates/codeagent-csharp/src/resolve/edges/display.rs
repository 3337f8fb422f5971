//! Display of types in explanations: `Shop.Domain.Order`, `List<Order>`, `T`, `(int, string)`.
//!
//! Limitations: truncated at six levels of nesting.

use codeagent_lang::explain::Report;
use codeagent_model::print;

use crate::resolve::edges::SiteResolver;
use crate::resolve::global_index::tables::TypeDefId;
use crate::resolve::types::{ParamOwner, Ty, TyList, Type};

/// Deepest level of type arguments in the text.
const LEVELS: u32 = 6;

impl SiteResolver<'_> {
    /// Returns a type as text.
    pub(super) fn display(&self, ty: Ty, report: &Report<'_>) -> String {
        self.display_deep(ty, report, 0)
    }

    fn display_deep(&self, ty: Ty, report: &Report<'_>, level: u32) -> String {
        if level > LEVELS {
            return "..".to_owned();
        }

        let inner = |ty: Ty| self.display_deep(ty, report, level + 1);
        match self.arena.get(ty) {
            Type::Unknown => "unknown".to_owned(),
            Type::ExternalValue => "an external value".to_owned(),
            Type::Null => "null".to_owned(),
            Type::Default => "default".to_owned(),
            Type::Dynamic => "dynamic".to_owned(),
            Type::TargetNew => "new(..) without its context".to_owned(),
            Type::Named(tid, args) => format!(
                "{}{}",
                self.display_group(tid, report),
                self.display_args(&args, report, level)
            ),
            Type::External(name, args) => {
                format!(
                    "external:{}{}",
                    self.tables.names.text(name),
                    self.display_args(&args, report, level)
                )
            }
            Type::Param(owner, index) => self.display_param(owner, index),
            Type::Array(of, rank) => {
                format!("{}[{}]", inner(of), ",".repeat(usize::from(rank) - 1))
            }
            Type::Pointer(of) => format!("{}*", inner(of)),
            Type::Nullable(of) => format!("{}?", inner(of)),
            Type::Tuple(args, _) => format!(
                "({})",
                args.iter()
                    .map(|arg| inner(*arg))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
            Type::Lambda(_) => "lambda".to_owned(),
            Type::MethodGroup(expr) => {
                format!("method group {}", print::expression(self.facts, expr))
            }
            Type::Collection(_) => "collection expression".to_owned(),
            Type::Object(_) => "anonymous object".to_owned(),
            Type::Namespace(namespace) => {
                let decl = self.tables.namespaces[namespace.0 as usize].decls.first();
                let name = decl
                    .and_then(|decl| report.node(*decl))
                    .map_or_else(|| "external".to_owned(), |node| node.qualified_name);
                format!("namespace {name}")
            }
            Type::Qualifier(of) => format!("the type {}", inner(of)),
        }
    }

    fn display_group(&self, tid: TypeDefId, report: &Report<'_>) -> String {
        let group = self.tables.type_def(tid);
        let node = group.parts.first().and_then(|part| report.node(*part));
        node.map_or_else(
            || format!("external:{}", self.tables.names.text(group.name)),
            |node| node.qualified_name,
        )
    }

    fn display_args(&self, args: &TyList, report: &Report<'_>, level: u32) -> String {
        let args: Vec<String> = args
            .iter()
            .map(|arg| self.display_deep(*arg, report, level + 1))
            .collect();
        if args.is_empty() {
            String::new()
        } else {
            format!("<{}>", args.join(", "))
        }
    }

    /// Returns the name of a type parameter in the type's first declaration.
    fn display_param(&self, owner: ParamOwner, index: u16) -> String {
        let (decl, own) = match owner {
            ParamOwner::Type(tid) => {
                let group = self.tables.type_def(tid);
                (
                    group.parts.first().copied(),
                    index.saturating_sub(group.outer_arity),
                )
            }
            ParamOwner::Decl(decl) => (Some(decl), index),
        };

        let name = decl.and_then(|decl| {
            let facts = self.facts(decl.file);
            let param = facts
                .list(facts.decl(decl.decl).type_params)
                .get(usize::from(own))?;
            Some(facts.decl_name(*param).to_owned())
        });

        name.unwrap_or_else(|| format!("type parameter {index}"))
    }
}
