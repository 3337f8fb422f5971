//! Documentation-comment ids of declarations in the sources of an interface pack.
//!
//! They equal the ids that the package's assembly gives (`stdlib/comment_ids.rs`), so a repository
//! that uses the pack and one that uses the assembly name a symbol alike. The types of parameters
//! are resolved, because sources do not write them in full.
//!
//! Limitations: a type that is unknown makes the parameters unknown; they are left out then.

use codeagent_lang::DeclRef;
use codeagent_lang::query::names::Name;
use codeagent_model::facts::{DeclFlags, DeclKind, Facts};

use crate::resolve::edges::SiteResolver;
use crate::resolve::global_index::tables::TypeDefId;
use crate::resolve::types::{ParamOwner, Ty, Type};
use crate::stdlib::comment_ids::{add_name, kind_of, owner_of};

/// Deepest nesting of types in a signature.
const MAX_DEPTH: u32 = 16;

/// The names of operators in metadata, by what is written and the number of operands.
const OPERATORS: [(&str, usize, &str); 27] = [
    ("+", 1, "op_UnaryPlus"),
    ("-", 1, "op_UnaryNegation"),
    ("!", 1, "op_LogicalNot"),
    ("~", 1, "op_OnesComplement"),
    ("++", 1, "op_Increment"),
    ("--", 1, "op_Decrement"),
    ("true", 1, "op_True"),
    ("false", 1, "op_False"),
    ("+", 2, "op_Addition"),
    ("-", 2, "op_Subtraction"),
    ("*", 2, "op_Multiply"),
    ("/", 2, "op_Division"),
    ("%", 2, "op_Modulus"),
    ("&", 2, "op_BitwiseAnd"),
    ("|", 2, "op_BitwiseOr"),
    ("^", 2, "op_ExclusiveOr"),
    ("<<", 2, "op_LeftShift"),
    (">>", 2, "op_RightShift"),
    (">>>", 2, "op_UnsignedRightShift"),
    ("==", 2, "op_Equality"),
    ("!=", 2, "op_Inequality"),
    ("<", 2, "op_LessThan"),
    (">", 2, "op_GreaterThan"),
    ("<=", 2, "op_LessThanOrEqual"),
    (">=", 2, "op_GreaterThanOrEqual"),
    ("implicit", 1, "op_Implicit"),
    ("explicit", 1, "op_Explicit"),
];

impl SiteResolver<'_> {
    /// Returns the id of a declaration of a pack; `None` for one that has no name outside.
    pub(super) fn packed_id(&self, decl: DeclRef) -> Option<String> {
        let facts = self.facts(decl.file);
        let declared = facts.decl(decl.decl);
        let is_operator = matches!(declared.kind, DeclKind::Operator | DeclKind::Conversion);
        let kind = match declared.kind {
            DeclKind::PrimaryConstructor | DeclKind::Operator | DeclKind::Conversion => 'M',
            _ => kind_of(declared.kind)?,
        };

        let mut id = format!("{kind}:");
        if is_operator || declared.kind == DeclKind::PrimaryConstructor {
            add_name(facts, owner_of(facts, decl.decl)?, &mut id);
            id.push('.');
            id.push_str(if is_operator {
                operator_name(facts, decl)?
            } else {
                "#ctor"
            });
        } else {
            add_name(facts, decl.decl, &mut id);
        }

        if matches!(kind, 'M' | 'P') {
            id.push_str(&self.packed_parameters(decl).unwrap_or_default());
            if declared.kind == DeclKind::Conversion
                && let Some(result) = self.packed_type(self.signature(decl).result, 0)
            {
                id.push('~');
                id.push_str(&result);
            }
        }
        Some(id)
    }

    fn packed_parameters(&self, decl: DeclRef) -> Option<String> {
        let signature = self.signature(decl);
        if signature.params.is_empty() {
            return None;
        }

        let by_reference = DeclFlags::REF | DeclFlags::OUT | DeclFlags::IN;
        let types: Option<Vec<String>> = signature
            .params
            .iter()
            .map(|param| {
                let mut text = self.packed_type(param.ty, 0)?;
                if param.flags.0 & by_reference.0 != 0 {
                    text.push('@');
                }
                Some(text)
            })
            .collect();
        Some(format!("({})", types?.join(",")))
    }

    fn packed_type(&self, ty: Ty, depth: u32) -> Option<String> {
        if depth > MAX_DEPTH {
            return None;
        }

        let inner = |ty: Ty| self.packed_type(ty, depth + 1);
        let all = |types: &[Ty]| {
            types
                .iter()
                .map(|ty| inner(*ty))
                .collect::<Option<Vec<_>>>()
        };

        Some(match self.arena.get(ty) {
            Type::Named(tid, args) => self.packed_type_name(tid, &all(&args)?)?,
            Type::External(name, args) => self.external_type_name(name, &all(&args)?),
            Type::Param(ParamOwner::Type(_), index) => format!("`{index}"),
            Type::Param(ParamOwner::Decl(_), index) => format!("``{index}"),
            Type::Array(of, rank) => {
                let dimensions = match rank {
                    0 | 1 => String::new(),
                    rank => vec!["0:"; usize::from(rank)].join(","),
                };
                format!("{}[{dimensions}]", inner(of)?)
            }
            Type::Pointer(of) => format!("{}*", inner(of)?),
            Type::Nullable(of) => format!("System.Nullable{{{}}}", inner(of)?),
            Type::Tuple(args, _) => format!("System.ValueTuple{{{}}}", all(&args)?.join(",")),
            Type::Dynamic => "System.Object".to_owned(),
            _ => return None,
        })
    }

    /// Returns the full name of a declared type; each type is followed by its own arguments.
    fn packed_type_name(&self, tid: TypeDefId, args: &[String]) -> Option<String> {
        let mut chain = vec![tid];
        while let Some(outer) = self.tables.type_def(chain[chain.len() - 1]).outer {
            chain.push(outer);
        }

        let outermost = *self.tables.type_def(*chain.last()?).parts.first()?;
        let facts = self.facts(outermost.file);
        let mut text = String::new();
        if let Some(namespace) = owner_of(facts, outermost.decl) {
            add_name(facts, namespace, &mut text);
        }

        let mut args = args;
        for tid in chain.into_iter().rev() {
            let declared = self.tables.type_def(tid);
            let (own, rest) = args.split_at_checked(usize::from(declared.arity))?;
            args = rest;
            if !text.is_empty() {
                text.push('.');
            }
            text.push_str(self.tables.names.text(declared.name));
            if !own.is_empty() {
                text.push_str(&format!("{{{}}}", own.join(",")));
            }
        }
        Some(text)
    }

    fn external_type_name(&self, name: Name, args: &[String]) -> String {
        let name = self.tables.names.text(name);
        match args {
            [] => name.to_owned(),
            args => format!("{name}{{{}}}", args.join(",")),
        }
    }
}

/// Returns the name of an operator in metadata.
fn operator_name(facts: &Facts, decl: DeclRef) -> Option<&'static str> {
    let declared = facts.decl(decl.decl);
    let written = facts.decl_name(decl.decl);
    let symbol = match declared.kind {
        DeclKind::Conversion => written.split(' ').next()?,
        _ => written
            .strip_prefix("operator ")?
            .trim_start_matches("checked "),
    };
    let found = OPERATORS
        .iter()
        .find(|(text, operands, _)| *text == symbol && *operands == declared.params.len());
    found.map(|(.., name)| *name)
}
