//! Type references of an assembly: the type of a token or signature, and its accessibility.
//!
//! Limitations: a tuple of more than seven elements is the nested type in the metadata.

use clrmeta::tables::TypeSpecRow;
use clrmeta::{CodedIndex, TableId};

use crate::stdlib::assembly_model::{TypeIndex, TypeSig};
use crate::stdlib::metadata::assembly::{MAX_NESTING, UnitBuilder};
use crate::stdlib::metadata::rows::RowId;
use crate::stdlib::metadata::signature::{MetadataToken, Sig, strings};

/// The namespace of a type, and the names of its enclosing types and itself as in metadata.
pub(super) struct Path {
    pub namespace: String,
    pub names: Vec<String>,
}

impl Path {
    pub fn is(&self, namespace: &str, name: &str) -> bool {
        self.namespace == namespace && self.names.len() == 1 && self.names[0] == name
    }
}

/// Returns a name without its arity.
pub(super) fn bare(name: &str) -> &str {
    name.split_once('`').map_or(name, |(bare, _)| bare)
}

fn arity(name: &str) -> usize {
    name.split_once('`')
        .and_then(|(_, arity)| arity.parse().ok())
        .unwrap_or(0)
}

impl UnitBuilder<'_, '_> {
    pub(super) fn text(&mut self, offset: u32) -> u32 {
        let text = self.assembly.string(offset);
        self.packer.text(text)
    }

    pub(super) fn path(&self, token: MetadataToken) -> Option<Path> {
        let metadata = &self.assembly.metadata;
        let mut names = Vec::new();
        let mut at = token;
        let namespace = loop {
            let index = at.1.checked_sub(1)? as usize;
            let (name, namespace, outer) = match at.0 {
                0 => {
                    let row = metadata.type_defs.get(index)?;
                    (
                        row.type_name,
                        row.type_namespace,
                        self.assembly
                            .rows
                            .enclosing
                            .get(&at.1)
                            .map(|row| MetadataToken(0, *row)),
                    )
                }
                1 => {
                    let row = metadata.type_refs.get(index)?;
                    let outer = (row.resolution_scope.table == Some(TableId::TypeRef))
                        .then_some(MetadataToken(1, row.resolution_scope.row));
                    (row.type_name, row.type_namespace, outer)
                }
                _ => return None,
            };

            names.push(self.assembly.string(name).to_owned());
            match outer {
                Some(outer) if names.len() < 16 => at = outer,
                _ => break self.assembly.string(namespace).to_owned(),
            }
        };

        names.reverse();
        Some(Path { namespace, names })
    }

    pub(super) fn add(&mut self, form: TypeSig) -> TypeIndex {
        if let Some(&number) = self.numbers.get(&form) {
            return number;
        }
        let number = self.types.len() as TypeIndex;
        self.types.push(form.clone());
        self.numbers.insert(form, number);
        number
    }

    pub(super) fn sig(&mut self, sig: &Sig, names: &mut std::vec::IntoIter<String>) -> TypeIndex {
        let form = match sig {
            Sig::Unknown => TypeSig::Unknown,
            Sig::Keyword(word) => TypeSig::Keyword(*word),
            Sig::Var(index) => TypeSig::TypeParameter(*index),
            Sig::MethodVar(index) => TypeSig::MethodParameter(*index),
            Sig::Array(of, rank) => TypeSig::Array(self.sig(of, names), *rank),
            Sig::Pointer(of) => TypeSig::Pointer(self.sig(of, names)),
            Sig::ByRef(of, _) => TypeSig::ByRef(self.sig(of, names)),
            Sig::Named(token, args) => self.named(*token, args, names),
        };
        self.add(form)
    }

    pub(super) fn named(
        &mut self,
        token: MetadataToken,
        args: &[Sig],
        names: &mut std::vec::IntoIter<String>,
    ) -> TypeSig {
        if token.0 == 2 {
            return match self.specified(token) {
                Some(sig) => {
                    let number = self.sig(&sig, names);
                    self.types[number as usize].clone()
                }
                None => TypeSig::Unknown,
            };
        }

        let Some(path) = self.path(token) else {
            return TypeSig::Unknown;
        };

        if path.namespace == "System" && path.names.len() == 1 {
            match (path.names[0].as_str(), args) {
                ("Decimal", []) => return TypeSig::Keyword(17),
                ("Object", []) => return TypeSig::Keyword(16),
                ("Nullable`1", [of]) => return TypeSig::Nullable(self.sig(of, names)),
                (tuple, args)
                    if tuple.starts_with("ValueTuple`") && (2..=7).contains(&args.len()) =>
                {
                    let own: Vec<u32> = args
                        .iter()
                        .map(|_| names.next().unwrap_or_default())
                        .map(|name| self.packer.text(&name))
                        .collect();

                    let types: Vec<TypeIndex> =
                        args.iter().map(|arg| self.sig(arg, names)).collect();
                    return TypeSig::Tuple(own.into_iter().zip(types).collect());
                }
                _ => {}
            }
        }

        let mut numbers = args
            .iter()
            .map(|arg| self.sig(arg, names))
            .collect::<Vec<_>>()
            .into_iter();

        let segments = path
            .names
            .iter()
            .map(|name| {
                (
                    self.packer.text(bare(name)),
                    numbers.by_ref().take(arity(name)).collect(),
                )
            })
            .collect();

        TypeSig::Named(self.packer.text(&path.namespace), segments)
    }

    /// Returns the signature of a TypeSpec.
    fn specified(&self, token: MetadataToken) -> Option<Sig> {
        let TypeSpecRow { signature, .. } = self
            .assembly
            .metadata
            .type_specs
            .get(token.1.checked_sub(1)? as usize)?;
        self.assembly.signature(*signature).ty(0)
    }

    pub(super) fn token_type(&mut self, index: CodedIndex) -> Option<TypeIndex> {
        let token = MetadataToken::of(index)?;
        let form = self.named(token, &[], &mut Vec::new().into_iter());
        Some(self.add(form))
    }

    /// Reports whether the type is accessible from every assembly.
    pub(super) fn is_public(&self, index: CodedIndex) -> bool {
        let Some(mut token) = MetadataToken::of(index) else {
            return false;
        };

        if token.0 == 2 {
            match self.specified(token) {
                Some(Sig::Named(inner, _)) => token = inner,
                _ => return false,
            }
        }

        let own = |row: u32| {
            row.checked_sub(1)
                .and_then(|index| self.assembly.metadata.type_defs.get(index as usize))
        };

        let is_nested_public =
            |row: u32| own(row).is_some_and(|row| matches!(row.flags & 7, 1 | 2 | 4 | 7));
        match self.public {
            Some(public) => self.path(token).is_some_and(|path| {
                public.contains(&(path.namespace, path.names[0].clone()))
                    && (token.0 != 0 || is_nested_public(token.1))
            }),
            None if token.0 == 1 => true,
            None => {
                let mut row = token.1;
                let around = (0..MAX_NESTING).map_while(|_| {
                    let here = row;
                    row = *self.assembly.rows.enclosing.get(&here)?;
                    Some(here)
                });

                around.collect::<Vec<_>>().into_iter().all(is_nested_public)
                    && own(row).is_some_and(|row| row.flags & 7 == 1)
            }
        }
    }

    /// Adds a type, with the information in its row's attributes: names of tuple elements,
    /// `dynamic`.
    pub(super) fn typed(&mut self, sig: &Sig, row: RowId) -> TypeIndex {
        let names = self
            .assembly
            .rows
            .attribute(row, "TupleElementNamesAttribute")
            .and_then(|value| strings(self.assembly.blob(value), &self.assembly.budget));
        if *sig == Sig::Keyword(16)
            && self
                .assembly
                .rows
                .attribute(row, "DynamicAttribute")
                .is_some()
        {
            return self.add(TypeSig::Keyword(18));
        }
        self.sig(sig, &mut names.unwrap_or_default().into_iter())
    }

    pub(super) fn is_value_type(&self, index: CodedIndex) -> bool {
        match MetadataToken::of(index) {
            Some(token) if token.0 < 2 => self
                .path(token)
                .is_some_and(|path| path.is("System", "ValueType")),
            // `unmanaged` is encoded as `ValueType` with a modifier.
            Some(token) => match self.specified(token) {
                Some(Sig::Named(inner, _)) => self
                    .path(inner)
                    .is_some_and(|path| path.is("System", "ValueType")),
                _ => false,
            },
            None => false,
        }
    }
}
