//! Type names for explanations: `OrdersApi`, `Array<Order>`, `A | B`, `typeof Cart`.
//!
//! Limitations: truncated at six levels of nesting. Conditional and mapped types are named, not
//! spelled out.

use codeagent_lang::DeclRef;
use codeagent_model::print;

use crate::resolve::arena::{Args, Ty, Type, TypeMapper};
use crate::resolve::edges::FileResolver;
use crate::resolve::global_index::well_known::BUILTIN_MEMBERS;

/// Deepest level of type arguments in the text.
const LEVELS: u32 = 6;

impl FileResolver<'_> {
    /// Formats a type.
    pub fn display(&self, ty: Ty) -> String {
        self.display_deep(ty, 0)
    }

    fn display_deep(&self, ty: Ty, level: u32) -> String {
        if level > LEVELS {
            return "..".to_owned();
        }

        let inner = |ty: Ty| self.display_deep(ty, level + 1);
        let list = |args: Args, between: &str| {
            self.arena
                .list(args)
                .iter()
                .map(|ty| inner(*ty))
                .collect::<Vec<_>>()
                .join(between)
        };

        let with_args = |name: &str, args: Args| {
            let args = list(args, ", ");
            if args.is_empty() {
                name.to_owned()
            } else {
                format!("{name}<{args}>")
            }
        };

        match self.get(ty) {
            Type::Simple(simple) => simple_name(simple).to_owned(),
            Type::Literal(_, name) => format!("{:?}", self.spelling(name)),
            Type::Instance(decl, args) => with_args(self.declared(decl), args),
            Type::Static(decl) => format!("typeof {}", self.declared(decl)),
            Type::Function(decl, mapper) => format!(
                "function {}{}",
                self.declared(decl),
                self.display_env(mapper, level)
            ),
            Type::Object(decl, mapper) => format!(
                "object at line {}{}",
                self.decl(decl).at.line,
                self.display_env(mapper, level)
            ),
            Type::Mapped(decl, mapper) => format!(
                "mapped type at line {}{}",
                self.decl(decl).at.line,
                self.display_env(mapper, level)
            ),
            Type::Conditional(file, ty, mapper) => {
                format!(
                    "{}{}, not inferred yet",
                    print::written_type(self.facts(file), ty),
                    self.display_env(mapper, level)
                )
            }
            Type::Indexed(of, key) => format!("{}[{}]", inner(of), inner(key)),
            Type::Deferred(utility, args) => with_args(&format!("{utility:?}"), args),
            Type::KeyOf(of) => format!("keyof {}", inner(of)),
            Type::BuiltIn(known, args) => with_args(known.name(), args),
            Type::BuiltInValue(known) => format!("typeof {}", known.name()),
            Type::BuiltInMethod(row, receiver) => {
                format!(
                    "{}.{}",
                    inner(receiver),
                    BUILTIN_MEMBERS[usize::from(row)].name
                )
            }
            Type::Selected(of, names, keep) => format!(
                "{}<{}, {}>",
                if keep { "Pick" } else { "Omit" },
                inner(of),
                inner(names)
            ),
            Type::Module(file) => format!("module {}", self.path(file)),
            Type::Ambient(decl) => format!("declare module {}", self.declared(decl)),
            Type::GlobalObject => "typeof globalThis".to_owned(),
            Type::Union(args) => list(args, " | "),
            Type::Intersection(args) => list(args, " & "),
            Type::Tuple(args) => format!("[{}]", list(args, ", ")),
            Type::Param(decl) => self.declared(decl).to_owned(),
        }
    }

    fn display_env(&self, mapper: TypeMapper, level: u32) -> String {
        let bound = self.arena.bindings(mapper);
        let bound = bound.iter().map(|(param, ty)| {
            format!(
                "{} = {}",
                self.declared(*param),
                self.display_deep(*ty, level + 1)
            )
        });
        let bound: Vec<String> = bound.collect();
        if bound.is_empty() {
            String::new()
        } else {
            format!(" where {}", bound.join(", "))
        }
    }

    /// Returns the name of a declaration. Records no dependency: an explanation needs none.
    fn declared(&self, decl: DeclRef) -> &str {
        let name = self.facts(decl.file).decl_name(decl.decl);
        if name.is_empty() {
            "without a name"
        } else {
            name
        }
    }
}

fn simple_name(simple: Ty) -> &'static str {
    match simple {
        Ty::UNKNOWN => "unknown to the resolver",
        Ty::EXTERNAL => "external",
        Ty::ANY => "any",
        Ty::NOTHING => "null or undefined",
        Ty::STRING => "string",
        Ty::NUMBER => "number",
        Ty::BOOLEAN => "boolean",
        Ty::SYMBOL => "symbol",
        Ty::BIGINT => "bigint",
        Ty::FOREIGN_GENERIC => "external, with types of the repository",
        _ => "this",
    }
}
