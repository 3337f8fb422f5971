//! Documentation-comment ids of library declarations (ECMA-334 annex D.4.2):
//! `M:System.IO.Path.Combine(System.String,System.String)`.
//!
//! The types in a library's facts are written in full, so nothing is resolved. For sources, the full
//! names of types are passed in.
//!
//! Limitations: operators and conversions have none, and neither have members whose signature
//! mentions a type that C# cannot name (function pointers).

use codeagent_model::facts::*;

use super::facts::GLOBAL;

/// Deepest nesting of types in a signature.
const MAX_DEPTH: u32 = 16;

/// Number of elements of a tuple type; further ones are in a nested tuple.
const TUPLE_SIZE: usize = 7;

/// The type that a segment of a written name means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FullName {
    /// The name with the numbers of type parameters: ``System.Collections.Generic.List`1``.
    pub name: String,
    /// Whether it is a value type, so that `?` makes another type of it.
    pub is_value: bool,
}

/// Returns the type that the nth segment of a written name means.
pub type FullNames<'a> = &'a dyn Fn(TypeId, usize) -> Option<FullName>;

/// Returns the id of a declaration in the facts of a library type.
#[must_use]
pub fn comment_id(facts: &Facts, decl: DeclId) -> Option<String> {
    id_of(&Signature { facts, names: None }, decl)
}

/// Returns the id of a declaration in the facts of a source file; `None` if a type in its signature
/// has no full name.
#[must_use]
pub fn source_comment_id(facts: &Facts, decl: DeclId, names: FullNames<'_>) -> Option<String> {
    let names = Some(names);
    id_of(&Signature { facts, names }, decl)
}

fn id_of(signature: &Signature<'_>, decl: DeclId) -> Option<String> {
    let facts = signature.facts;
    let kind = kind_of(facts.decl(decl).kind)?;
    let mut id = format!("{kind}:");
    add_name(facts, decl, &mut id);
    if matches!(kind, 'M' | 'P') {
        signature.add_parameters(decl, &mut id)?;
    }
    Some(id)
}

/// Returns the letter before the id of a declaration.
#[must_use]
pub fn kind_of(kind: DeclKind) -> Option<char> {
    Some(match kind {
        DeclKind::Namespace => 'N',
        kind if kind.opens_type() => 'T',
        DeclKind::Method | DeclKind::Constructor | DeclKind::PrimaryConstructor => 'M',
        DeclKind::Property | DeclKind::Indexer => 'P',
        DeclKind::Field | DeclKind::EnumMember => 'F',
        DeclKind::Event => 'E',
        _ => return None,
    })
}

/// Adds the full name of a declaration, with the numbers of type parameters.
pub fn add_name(facts: &Facts, decl: DeclId, id: &mut String) {
    let declared = facts.decl(decl);
    if let Some(owner) = owner_of(facts, decl) {
        add_name(facts, owner, id);
        id.push('.');
    }

    match declared.kind {
        DeclKind::Constructor | DeclKind::PrimaryConstructor => id.push_str("#ctor"),
        DeclKind::Indexer => id.push_str("Item"),
        _ => id.push_str(facts.decl_name(decl)),
    }

    let arity = declared.type_params.len();
    if arity > 0 {
        id.push_str(if declared.kind == DeclKind::Method {
            "``"
        } else {
            "`"
        });
        id.push_str(&arity.to_string());
    }
}

/// Returns the type or namespace that encloses a declaration.
#[must_use]
pub fn owner_of(facts: &Facts, decl: DeclId) -> Option<DeclId> {
    facts.scope(facts.decl(decl).scope.some()?).owner.some()
}

/// Writes the types of parameters.
struct Signature<'a> {
    facts: &'a Facts,
    /// `None` if the facts have full names.
    names: Option<FullNames<'a>>,
}

impl Signature<'_> {
    fn add_parameters(&self, decl: DeclId, id: &mut String) -> Option<()> {
        let params = self.facts.list(self.facts.decl(decl).params);
        if params.is_empty() {
            return Some(());
        }

        let by_reference = DeclFlags::REF | DeclFlags::OUT | DeclFlags::IN;
        for (index, param) in params.iter().enumerate() {
            let param = self.facts.decl(*param);
            id.push(if index == 0 { '(' } else { ',' });
            self.add_type(param.ty, 0, id)?;
            if param.flags.0 & by_reference.0 != 0 {
                id.push('@');
            }
        }
        id.push(')');
        Some(())
    }

    fn add_type(&self, ty: TypeId, depth: u32, id: &mut String) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }

        match self.facts.type_expr(ty) {
            TypeExpr::Primitive(word) => id.push_str(full_name(self.facts.text(word))?),
            TypeExpr::Name(segments, scope) => {
                let segments = self.facts.list(segments);
                self.add_named(ty, (segments, scope), depth, id)?;
            }
            TypeExpr::Array(of, rank) => {
                self.add_type(of, depth + 1, id)?;
                let rank = usize::from(rank.max(1));
                let dimensions = if rank == 1 {
                    String::new()
                } else {
                    vec!["0:"; rank].join(",")
                };
                id.push_str(&format!("[{dimensions}]"));
            }
            TypeExpr::Pointer(of) => {
                self.add_type(of, depth + 1, id)?;
                id.push('*');
            }
            TypeExpr::ByRef(of) => {
                self.add_type(of, depth + 1, id)?;
                id.push('@');
            }
            TypeExpr::Nullable(of) if self.is_reference(of) => self.add_type(of, depth + 1, id)?,
            TypeExpr::Nullable(of) => {
                id.push_str("System.Nullable{");
                self.add_type(of, depth + 1, id)?;
                id.push('}');
            }
            TypeExpr::Tuple(elements) => self.add_tuple(self.facts.list(elements), depth, id)?,
            _ => return None,
        }
        Some(())
    }

    /// Reports whether `?` behind a type in a source says only that it may be null.
    ///
    /// Limitations: a type parameter counts as a reference.
    fn is_reference(&self, ty: TypeId) -> bool {
        let Some(names) = self.names else {
            return false;
        };
        match self.facts.type_expr(ty) {
            TypeExpr::Primitive(word) => {
                matches!(self.facts.text(word), "string" | "object" | "dynamic")
            }
            TypeExpr::Name(segments, _) => {
                let named = names(ty, segments.len().saturating_sub(1));
                named.is_none_or(|named| !named.is_value)
            }
            TypeExpr::Tuple(_) => false,
            _ => true,
        }
    }

    fn add_named(
        &self,
        ty: TypeId,
        (segments, scope): (&[Segment], ScopeId),
        depth: u32,
        id: &mut String,
    ) -> Option<()> {
        let [first, path @ ..] = segments else {
            return None;
        };
        let is_full = self.facts.text(first.name) == GLOBAL;
        match self.names {
            Some(names) => {
                if segments.len() == 1
                    && add_type_parameter(self.facts, first.name, scope, id).is_some()
                {
                    return Some(());
                }
                let full = names(ty, segments.len() - 1)?;
                let written = if is_full { path } else { segments };
                return self.add_full_name(&full.name, written, depth, id);
            }
            None if !is_full => return add_type_parameter(self.facts, first.name, scope, id),
            None => {}
        }

        for (index, segment) in path.iter().enumerate() {
            if index > 0 {
                id.push('.');
            }
            id.push_str(self.facts.text(segment.name));
            self.add_arguments(segment, depth, id)?;
        }
        Some(())
    }

    fn add_arguments(&self, segment: &Segment, depth: u32, id: &mut String) -> Option<()> {
        let args = self.facts.list(segment.args);
        for (index, arg) in args.iter().enumerate() {
            id.push(if index == 0 { '{' } else { ',' });
            self.add_type(*arg, depth + 1, id)?;
        }
        if !args.is_empty() {
            id.push('}');
        }
        Some(())
    }

    /// Adds a full name with the type arguments that are written in its last segments. A generic type
    /// around it that is not written is the one that the code is in.
    fn add_full_name(
        &self,
        full: &str,
        written: &[Segment],
        depth: u32,
        id: &mut String,
    ) -> Option<()> {
        let parts: Vec<&str> = full.split('.').collect();
        let mut position = 0;
        for (index, part) in parts.iter().enumerate() {
            let (name, arity) = part.split_once('`').unwrap_or((part, "0"));
            let arity: usize = arity.parse().ok()?;
            if index > 0 {
                id.push('.');
            }
            id.push_str(name);

            let segment = (index + written.len()).checked_sub(parts.len());
            let segment = segment.and_then(|index| written.get(index));
            match segment.filter(|segment| segment.args.len() == arity) {
                Some(segment) => self.add_arguments(segment, depth, id)?,
                None if arity > 0 => {
                    let own = (position..position + arity).map(|at| format!("`{at}"));
                    id.push_str(&format!("{{{}}}", own.collect::<Vec<_>>().join(",")));
                }
                None => {}
            }
            position += arity;
        }
        Some(())
    }

    fn add_tuple(&self, elements: &[Element], depth: u32, id: &mut String) -> Option<()> {
        let (here, rest) = elements.split_at(elements.len().min(TUPLE_SIZE));
        id.push_str("System.ValueTuple{");
        for (index, element) in here.iter().enumerate() {
            if index > 0 {
                id.push(',');
            }
            self.add_type(element.ty, depth + 1, id)?;
        }
        if !rest.is_empty() {
            id.push(',');
            self.add_tuple(rest, depth + 1, id)?;
        }
        id.push('}');
        Some(())
    }
}

/// Adds a type parameter by its position: two backquotes for a method's, one for a type's, which
/// is counted from the outermost type.
fn add_type_parameter(facts: &Facts, name: Sym, scope: ScopeId, id: &mut String) -> Option<()> {
    let mut scope = scope;
    while let Some(here) = scope.some() {
        let Scope { parent, owner, .. } = *facts.scope(here);
        scope = parent;
        let Some(owner) = owner.some() else { continue };

        let position = position_of(facts, owner, name);
        let Some(position) = position else { continue };
        if facts.decl(owner).kind == DeclKind::Method {
            id.push_str(&format!("``{position}"));
        } else {
            id.push_str(&format!("`{}", outer_arity(facts, owner) + position));
        }
        return Some(());
    }
    None
}

fn position_of(facts: &Facts, owner: DeclId, name: Sym) -> Option<usize> {
    facts
        .list(facts.decl(owner).type_params)
        .iter()
        .position(|param| facts.decl(*param).name == name)
}

/// Returns the number of type parameters of the types around a type.
fn outer_arity(facts: &Facts, decl: DeclId) -> usize {
    let mut arity = 0;
    let mut outer = owner_of(facts, decl);
    while let Some(decl) = outer {
        arity += facts.decl(decl).type_params.len();
        outer = owner_of(facts, decl);
    }
    arity
}

/// Returns the full name of the type of a keyword.
fn full_name(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "void" => "System.Void",
        "bool" => "System.Boolean",
        "char" => "System.Char",
        "sbyte" => "System.SByte",
        "byte" => "System.Byte",
        "short" => "System.Int16",
        "ushort" => "System.UInt16",
        "int" => "System.Int32",
        "uint" => "System.UInt32",
        "long" => "System.Int64",
        "ulong" => "System.UInt64",
        "float" => "System.Single",
        "double" => "System.Double",
        "string" => "System.String",
        "nint" => "System.IntPtr",
        "nuint" => "System.UIntPtr",
        "object" | "dynamic" => "System.Object",
        "decimal" => "System.Decimal",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stdlib::Library;

    /// Returns the ids of the members of a type in the library, sorted.
    fn ids(namespace: &str, name: &str, arity: u16, member: &str) -> Vec<String> {
        let library = Library::dotnet();
        let unit = library.unit_of(namespace, name, arity).expect("declared");
        let facts = &library.declared(unit).facts;
        let mut ids: Vec<String> = (0..facts.decls.len() as u32)
            .map(DeclId)
            .filter(|decl| facts.decl_name(*decl) == member)
            .filter_map(|decl| comment_id(facts, decl))
            .collect();
        ids.sort();
        ids
    }

    #[test]
    fn overloads_have_ids_of_their_own() {
        assert_eq!(
            ids("System.IO", "Path", 0, "GetRelativePath"),
            ["M:System.IO.Path.GetRelativePath(System.String,System.String)"]
        );

        assert_eq!(
            ids("System.Collections.Generic", "Dictionary", 2, "TryGetValue"),
            [
                "M:System.Collections.Generic.Dictionary`2.AlternateLookup`1.TryGetValue(`2,`0@,`1@)",
                "M:System.Collections.Generic.Dictionary`2.AlternateLookup`1.TryGetValue(`2,`1@)",
                "M:System.Collections.Generic.Dictionary`2.TryGetValue(`0,`1@)",
            ]
        );

        assert_eq!(
            ids("System.Collections.Generic", "Dictionary", 2, "Enumerator"),
            [
                "T:System.Collections.Generic.Dictionary`2.Enumerator",
                "T:System.Collections.Generic.Dictionary`2.KeyCollection.Enumerator",
                "T:System.Collections.Generic.Dictionary`2.ValueCollection.Enumerator",
            ]
        );
    }

    #[test]
    fn generic_methods_count_their_type_parameters() {
        let all = ids("System.Linq", "Enumerable", 0, "Where");
        assert!(
            all.contains(
                &"M:System.Linq.Enumerable.Where``1(System.Collections.Generic.IEnumerable{``0},System.Func{``0,System.Boolean})"
                    .to_owned()
            ),
            "{all:?}"
        );
    }

    #[test]
    fn every_member_of_the_library_has_a_distinct_id() {
        let library = Library::dotnet();
        let (mut members, mut without) = (0, 0);

        for unit in 0..library.packed.units.len() as u32 {
            let facts = &library.declared(unit).facts;
            let mut ids = Vec::new();

            for decl in (0..facts.decls.len() as u32).map(DeclId) {
                let kind = facts.decl(decl).kind;
                if matches!(
                    kind,
                    DeclKind::Method | DeclKind::Constructor | DeclKind::Property
                ) {
                    members += 1;
                    match comment_id(facts, decl) {
                        Some(id) => ids.push(id),
                        None => without += 1,
                    }
                }
            }

            let count = ids.len();
            ids.sort();
            ids.dedup();
            assert_eq!(ids.len(), count, "{}", library.declared(unit).path);
        }

        assert!(without * 500 < members, "{without} of {members}");
    }
}
