//! Reads the declarations of an assembly: each public top-level type becomes a unit with its public
//! and protected members.
//!
//! Limitations: a base class that is not public is replaced by its own base class. Extension
//! methods are those marked as such, so extension blocks appear in their static form.

use clrmeta::tables::{GenericParamRow, MethodDefRow, ParamRow, PropertyRow, TypeDefRow};
use clrmeta::{CodedIndex, Metadata, TableId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::stdlib::assembly_model::{
    MemberDeclaration, MemberKind, ParameterDeclaration, TopLevelType, Traits, TypeDeclaration,
    TypeIndex, TypeKind, TypeParameter, TypeSig,
};
use crate::stdlib::metadata::rows::{RowId, RowOwners, string};
use crate::stdlib::metadata::signature::{MetadataToken, MethodSig, Sig, SignatureReader};
use crate::stdlib::metadata::types::bare;
use crate::stdlib::metadata::{DecodeBudget, image, tables};
use crate::stdlib::pack::BundleWriter;

/// Namespace and name of a top-level type, the name with its arity as in metadata.
pub type TypeName = (String, String);

/// The metadata of an assembly.
#[derive(Debug)]
pub struct Assembly {
    pub(super) metadata: Metadata,
    pub(super) rows: RowOwners,
    pub(super) budget: DecodeBudget,
}

/// Deepest nesting of types that is read.
pub(super) const MAX_NESTING: u32 = 16;

/// Largest number of inaccessible base classes above each other.
const MAX_HIDDEN_BASES: u32 = 64;

const FORWARDER: u32 = 0x0020_0000;

/// Operators by the names of their methods.
const OPERATORS: &[(&str, &str)] = &[
    ("op_Addition", "+"),
    ("op_Subtraction", "-"),
    ("op_UnaryNegation", "-"),
    ("op_UnaryPlus", "+"),
    ("op_Multiply", "*"),
    ("op_Division", "/"),
    ("op_Modulus", "%"),
    ("op_BitwiseAnd", "&"),
    ("op_BitwiseOr", "|"),
    ("op_ExclusiveOr", "^"),
    ("op_LeftShift", "<<"),
    ("op_RightShift", ">>"),
    ("op_UnsignedRightShift", ">>>"),
    ("op_Equality", "=="),
    ("op_Inequality", "!="),
    ("op_LessThan", "<"),
    ("op_GreaterThan", ">"),
    ("op_LessThanOrEqual", "<="),
    ("op_GreaterThanOrEqual", ">="),
    ("op_LogicalNot", "!"),
    ("op_OnesComplement", "~"),
    ("op_Increment", "++"),
    ("op_Decrement", "--"),
    ("op_True", "true"),
    ("op_False", "false"),
];

impl Assembly {
    /// Reads an assembly file.
    ///
    /// # Errors
    ///
    /// Fails if it is not an assembly, or not one that can be read.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let metadata = tables::read(image::metadata(bytes).ok_or("not a .NET assembly")?)?;
        let rows = RowOwners::of(&metadata);
        Ok(Self {
            metadata,
            rows,
            budget: DecodeBudget::full(),
        })
    }

    pub(super) fn string(&self, offset: u32) -> &str {
        let text = string(&self.metadata, offset);
        self.budget.pay(1 + text.len() / 16);
        text
    }

    pub(super) fn signature(&self, blob: u32) -> SignatureReader<'_> {
        SignatureReader::new(self.blob(blob), &self.budget)
    }

    pub(super) fn blob(&self, offset: u32) -> &[u8] {
        self.metadata.blobs.get(offset).unwrap_or_default()
    }

    /// Returns its simple name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.metadata
            .assemblies
            .first()
            .map_or("", |row| self.string(row.name))
    }

    /// Returns the simple names of the assemblies whose types it mentions.
    pub fn references(&self) -> impl Iterator<Item = &str> {
        self.metadata
            .assembly_refs
            .iter()
            .map(|row| self.string(row.name))
    }

    /// Returns the types that it forwards to another assembly.
    pub fn forwards(&self) -> impl Iterator<Item = TypeName> + '_ {
        let forwarded = self
            .metadata
            .exported_types
            .iter()
            .filter(|row| row.flags & FORWARDER != 0);
        forwarded.map(|row| {
            (
                self.string(row.type_namespace).to_owned(),
                self.string(row.type_name).to_owned(),
            )
        })
    }

    /// Returns its public top-level types.
    pub fn public_types(&self) -> impl Iterator<Item = TypeName> + '_ {
        self.top_level().map(|(_, row)| {
            (
                self.string(row.type_namespace).to_owned(),
                self.string(row.type_name).to_owned(),
            )
        })
    }

    fn top_level(&self) -> impl Iterator<Item = (u32, &TypeDefRow)> {
        let rows = (1..).zip(&self.metadata.type_defs);
        rows.filter(|(_, row)| row.flags & 7 == 1 && !self.string(row.type_name).contains('<'))
    }

    /// Adds the units of the types that `keep` selects. `public` are the accessible types of all
    /// assemblies; without it, every type of another assembly counts as accessible.
    ///
    /// # Errors
    ///
    /// Fails if the assembly exceeds the budget.
    pub fn units(
        &self,
        packer: &mut BundleWriter,
        public: Option<&FxHashSet<TypeName>>,
        keep: &dyn Fn(&TypeName) -> bool,
    ) -> Result<(), String> {
        for (number, row) in self.top_level() {
            let name = (
                self.string(row.type_namespace).to_owned(),
                self.string(row.type_name).to_owned(),
            );

            if name.1.is_empty() || !keep(&name) {
                continue;
            }

            let mut maker = UnitBuilder {
                assembly: self,
                packer,
                public,
                types: Vec::new(),
                numbers: FxHashMap::default(),
            };

            let root = maker.declaration(number, row, 0, 0);
            let types = maker.types;

            if self.budget.is_empty() {
                return Err("it exceeds the limit of declarations per assembly".to_owned());
            }
            packer.add(&name.0, TopLevelType { types, root });
        }

        Ok(())
    }
}

pub(super) struct UnitBuilder<'a, 'p> {
    pub(super) assembly: &'a Assembly,
    pub(super) packer: &'p mut BundleWriter,
    pub(super) public: Option<&'a FxHashSet<TypeName>>,
    pub(super) types: Vec<TypeSig>,
    pub(super) numbers: FxHashMap<TypeSig, TypeIndex>,
}

impl<'a> UnitBuilder<'a, '_> {
    fn declaration(
        &mut self,
        number: u32,
        row: &TypeDefRow,
        outer_params: usize,
        depth: u32,
    ) -> TypeDeclaration {
        let assembly = self.assembly;
        let kind = self.kind_of(row);
        let generics = assembly
            .rows
            .generics
            .get(&(TableId::TypeDef, number))
            .cloned()
            .unwrap_or_default();

        let own_generics = generics.get(outer_params..).unwrap_or_default().to_vec();
        let name = bare(assembly.string(row.type_name));
        let mut made = TypeDeclaration {
            name: self.packer.text(name),
            kind,
            traits: type_traits(row, kind),
            type_params: self.type_params(&own_generics),
            bases: Vec::new(),
            members: Vec::new(),
            nested: Vec::new(),
            params: Vec::new(),
            result: None,
        };

        match kind {
            TypeKind::Delegate => self.delegate(number, &mut made),
            TypeKind::Enum => self.fields(number, kind, &mut made),
            _ => {
                made.bases = self.bases(number, row, kind);
                self.fields(number, kind, &mut made);
                self.methods(number, name, &mut made);
                self.properties(number, &mut made);
                self.events(number, &mut made);
            }
        }

        made.nested = self.nested_types(number, generics.len(), depth);
        made
    }

    /// Returns the public and protected types nested in a type.
    fn nested_types(&mut self, number: u32, generics: usize, depth: u32) -> Vec<TypeDeclaration> {
        let assembly = self.assembly;
        let mut declared = Vec::new();
        for nested in assembly.rows.nested.get(&number).into_iter().flatten() {
            if depth >= MAX_NESTING || !assembly.budget.pay(1) {
                break;
            }

            let Some(inner) = nested
                .checked_sub(1)
                .and_then(|index| assembly.metadata.type_defs.get(index as usize))
            else {
                continue;
            };
            if matches!(inner.flags & 7, 2 | 4 | 7)
                && !assembly.string(inner.type_name).contains('<')
                && nested != &number
            {
                declared.push(self.declaration(*nested, inner, generics, depth + 1));
            }
        }
        declared
    }

    fn kind_of(&self, row: &TypeDefRow) -> TypeKind {
        if row.flags & 0x20 != 0 {
            return TypeKind::Interface;
        }

        let base = MetadataToken::of(row.extends).and_then(|token| self.path(token));
        let own = (
            self.assembly.string(row.type_namespace),
            self.assembly.string(row.type_name),
        );

        match base {
            Some(base) if base.is("System", "Enum") => TypeKind::Enum,
            Some(base) if base.is("System", "ValueType") && own != ("System", "Enum") => {
                TypeKind::Struct
            }
            Some(base) if base.is("System", "MulticastDelegate") => TypeKind::Delegate,
            _ => TypeKind::Class,
        }
    }

    fn bases(&mut self, number: u32, row: &TypeDefRow, kind: TypeKind) -> Vec<TypeIndex> {
        let mut made = Vec::new();
        if kind == TypeKind::Class {
            let mut base = row.extends;
            // An inaccessible base class is replaced by its own base class.
            for _ in 0..MAX_HIDDEN_BASES {
                if base.is_null() || self.is_public(base) || base.table != Some(TableId::TypeDef) {
                    break;
                }

                match self
                    .assembly
                    .metadata
                    .type_defs
                    .get((base.row as usize).wrapping_sub(1))
                {
                    Some(next) if next.extends != base => base = next.extends,
                    _ => break,
                }
            }

            if self.is_public(base) {
                let ty = self.token_type(base);
                made.extend(ty.filter(|ty| self.types[*ty as usize] != TypeSig::Keyword(16)));
            }
        }

        for interface in self
            .assembly
            .rows
            .interfaces
            .get(&number)
            .into_iter()
            .flatten()
            .copied()
        {
            if self.assembly.budget.pay(1) && self.is_public(interface) {
                made.extend(self.token_type(interface));
            }
        }

        made
    }

    fn type_params(&mut self, rows: &[u32]) -> Vec<TypeParameter> {
        let assembly = self.assembly;
        let params = rows
            .iter()
            .take_while(|_| assembly.budget.pay(1))
            .filter_map(|row| {
                Some((
                    *row,
                    assembly
                        .metadata
                        .generic_params
                        .get(row.checked_sub(1)? as usize)?,
                ))
            });

        params
            .map(|(number, GenericParamRow { flags, name, .. })| {
                let mut traits = Traits::default();
                traits.set(Traits::OUT, flags & 3 == 1);
                traits.set(Traits::IN, flags & 3 == 2);
                traits.set(Traits::CLASS, flags & 4 != 0);
                traits.set(Traits::STRUCT, flags & 8 != 0);
                traits.set(Traits::NEW, flags & 0x18 == 0x10);
                let constraints = assembly
                    .rows
                    .constraints
                    .get(&number)
                    .into_iter()
                    .flatten()
                    .copied();

                let types = constraints
                    .take_while(|_| assembly.budget.pay(1))
                    .filter(|constraint| flags & 8 == 0 || !self.is_value_type(*constraint));
                let types: Vec<CodedIndex> = types.collect();
                let constraints = types
                    .into_iter()
                    .filter_map(|constraint| self.token_type(constraint))
                    .collect();

                TypeParameter {
                    name: self.text(*name),
                    traits,
                    constraints,
                }
            })
            .collect()
    }

    fn range(
        &self,
        number: u32,
        list: impl Fn(&TypeDefRow) -> u32,
        all: usize,
    ) -> std::ops::Range<u32> {
        let rows = &self.assembly.metadata.type_defs;
        let start = rows.get(number as usize - 1).map_or(1, &list);
        let end = rows.get(number as usize).map_or(all as u32 + 1, list);
        start..end
    }

    fn methods_of(&self, number: u32) -> Vec<(u32, &'a MethodDefRow)> {
        let all = &self.assembly.metadata.method_defs;
        let range = self.range(number, |row| row.method_list, all.len());
        let paid = range.take_while(|_| self.assembly.budget.pay(1));
        paid.filter_map(|row| Some((row, all.get(row.checked_sub(1)? as usize)?)))
            .collect()
    }

    fn delegate(&mut self, number: u32, made: &mut TypeDeclaration) {
        for (row, method) in self.methods_of(number) {
            if self.assembly.string(method.name) == "Invoke"
                && let Some(callable) = self.assembly.signature(method.signature).callable()
            {
                made.result = Some(self.returned(row, method, &callable.result));
                made.params = self.params(row, method, &callable);
            }
        }
    }

    fn fields(&mut self, number: u32, kind: TypeKind, made: &mut TypeDeclaration) {
        let assembly = self.assembly;
        let all = &assembly.metadata.fields;
        for row in self
            .range(number, |row| row.field_list, all.len())
            .take_while(|_| assembly.budget.pay(1))
        {
            let Some(field) = row.checked_sub(1).and_then(|index| all.get(index as usize)) else {
                continue;
            };
            let Some(mut traits) = access(field.flags) else {
                continue;
            };

            let is_const = field.flags & 0x40 != 0;
            if kind == TypeKind::Enum && !is_const {
                continue;
            }

            let enum_member = kind == TypeKind::Enum;
            traits.set(Traits::CONST, is_const && !enum_member);
            traits.set(Traits::STATIC, field.flags & 0x10 != 0 && !is_const);
            let ty = if enum_member {
                None
            } else {
                let Some(sig) = assembly.signature(field.signature).field() else {
                    continue;
                };
                Some(self.typed(&sig, (TableId::Field, row)))
            };

            let kind = if enum_member {
                MemberKind::EnumMember
            } else {
                MemberKind::Field
            };

            let name = self.text(field.name);
            made.members.push(MemberDeclaration {
                name,
                kind,
                traits,
                type_params: Vec::new(),
                ty,
                params: Vec::new(),
            });
        }
    }

    fn methods(&mut self, number: u32, type_name: &str, made: &mut TypeDeclaration) {
        let assembly = self.assembly;
        for (row, method) in self.methods_of(number) {
            let Some(mut traits) = access(method.flags) else {
                continue;
            };

            let name = assembly.string(method.name);
            let is_special = method.flags & 0x800 != 0;
            let (kind, name) = match name {
                ".ctor" => (MemberKind::Constructor, type_name.to_owned()),
                ".cctor" | "Finalize" => continue,
                "op_Implicit" if is_special => {
                    (MemberKind::Conversion, "implicit operator".to_owned())
                }
                "op_Explicit" if is_special => {
                    (MemberKind::Conversion, "explicit operator".to_owned())
                }
                _ if is_special => match OPERATORS.iter().find(|(method, _)| *method == name) {
                    Some((_, operator)) => (MemberKind::Operator, format!("operator {operator}")),
                    None => continue,
                },
                _ => (MemberKind::Method, name.to_owned()),
            };

            let Some(callable) = assembly.signature(method.signature).callable() else {
                continue;
            };

            add_modifiers(&mut traits, method.flags);
            let is_extension = assembly
                .rows
                .attribute((TableId::MethodDef, row), "ExtensionAttribute")
                .is_some();

            traits.set(Traits::EXTENSION, is_extension);
            let generics = assembly
                .rows
                .generics
                .get(&(TableId::MethodDef, row))
                .cloned()
                .unwrap_or_default();

            let type_params = self.type_params(&generics);
            let ty = (kind != MemberKind::Constructor)
                .then(|| self.returned(row, method, &callable.result));
            let mut params = self.params(row, method, &callable);
            if let Some(first) = params.first_mut().filter(|_| is_extension) {
                first.traits.set(Traits::EXTENSION, true);
            }

            made.members.push(MemberDeclaration {
                name: self.packer.text(&name),
                kind,
                traits,
                type_params,
                ty,
                params,
            });
        }
    }

    fn properties(&mut self, number: u32, made: &mut TypeDeclaration) {
        let assembly = self.assembly;
        let (start, end) = assembly
            .rows
            .properties
            .get(&number)
            .copied()
            .unwrap_or_default();
        for row in (start..end).take_while(|_| assembly.budget.pay(1)) {
            let Some(PropertyRow {
                name,
                property_type,
                ..
            }) = row
                .checked_sub(1)
                .and_then(|at| assembly.metadata.properties.get(at as usize))
            else {
                continue;
            };
            let Some((accessor, method, mut traits)) =
                self.widest_accessor((TableId::Property, row))
            else {
                continue;
            };
            let Some(callable) = assembly.signature(*property_type).callable() else {
                continue;
            };

            add_modifiers(&mut traits, method.flags);
            let is_indexer = !callable.params.is_empty();
            let name = if is_indexer {
                "this[]"
            } else {
                assembly.string(*name)
            };

            let kind = if is_indexer {
                MemberKind::Indexer
            } else {
                MemberKind::Property
            };

            let name = self.packer.text(name);
            let ty = self.typed(&callable.result, (TableId::Property, row));
            let params = self.params(accessor, method, &callable);
            made.members.push(MemberDeclaration {
                name,
                kind,
                traits,
                type_params: Vec::new(),
                ty: Some(ty),
                params,
            });
        }
    }

    fn events(&mut self, number: u32, made: &mut TypeDeclaration) {
        let assembly = self.assembly;
        let (start, end) = assembly
            .rows
            .events
            .get(&number)
            .copied()
            .unwrap_or_default();
        for row in (start..end).take_while(|_| assembly.budget.pay(1)) {
            let Some(event) = row
                .checked_sub(1)
                .and_then(|at| assembly.metadata.events.get(at as usize))
            else {
                continue;
            };
            let Some((_, method, mut traits)) = self.widest_accessor((TableId::Event, row)) else {
                continue;
            };

            add_modifiers(&mut traits, method.flags);
            let (name, ty) = (self.text(event.name), self.token_type(event.event_type));
            made.members.push(MemberDeclaration {
                name,
                kind: MemberKind::Event,
                traits,
                type_params: Vec::new(),
                ty,
                params: Vec::new(),
            });
        }
    }

    /// Returns the most accessible accessor, if any is accessible outside the assembly.
    fn widest_accessor(&self, of: RowId) -> Option<(u32, &'a MethodDefRow, Traits)> {
        let rows = self.assembly.rows.accessors.get(&of)?;
        let paid = rows.iter().take_while(|_| self.assembly.budget.pay(1));
        let methods = paid.filter_map(|row| {
            Some((
                *row,
                self.assembly
                    .metadata
                    .method_defs
                    .get(row.checked_sub(1)? as usize)?,
            ))
        });
        let seen = methods.filter_map(|(row, method)| Some((row, method, access(method.flags)?)));
        seen.min_by_key(|(row, _, traits)| (traits.has(Traits::PROTECTED), *row))
    }

    /// Returns the rows of a method's parameters, by position; 0 is the return value.
    fn param_rows(
        &self,
        number: u32,
        method: &MethodDefRow,
        params: usize,
    ) -> Vec<Option<(u32, &'a ParamRow)>> {
        let all = &self.assembly.metadata.params;
        let next = self.assembly.metadata.method_defs.get(number as usize);
        let end = next.map_or(all.len() as u32 + 1, |next| next.param_list);
        let mut rows = vec![None; params + 1];
        for row in (method.param_list..end)
            .take(params + 1)
            .take_while(|_| self.assembly.budget.pay(1))
        {
            let param = row.checked_sub(1).and_then(|index| all.get(index as usize));
            if let Some(param) = param
                && let Some(place) = rows.get_mut(usize::from(param.sequence))
            {
                place.get_or_insert((row, param));
            }
        }

        rows
    }

    fn returned(&mut self, number: u32, method: &MethodDefRow, sig: &Sig) -> TypeIndex {
        let row = self
            .param_rows(number, method, 0)
            .first()
            .copied()
            .flatten();
        self.typed(sig, (TableId::Param, row.map_or(0, |(row, _)| row)))
    }

    fn params(
        &mut self,
        number: u32,
        method: &MethodDefRow,
        callable: &MethodSig,
    ) -> Vec<ParameterDeclaration> {
        let rows = self.param_rows(number, method, callable.params.len());
        let mut made = Vec::new();
        for (sig, row) in callable.params.iter().zip(rows.into_iter().skip(1)) {
            let (at, flags, name) =
                row.map_or((0, 0, 0), |(row, param)| (row, param.flags, param.name));
            let has = |attribute: &str| {
                self.assembly
                    .rows
                    .attribute((TableId::Param, at), attribute)
                    .is_some()
            };

            let mut traits = Traits::default();
            traits.set(Traits::OPTIONAL, flags & 0x10 != 0);
            traits.set(
                Traits::PARAMS,
                has("ParamArrayAttribute") || has("ParamCollectionAttribute"),
            );

            let sig = match sig {
                Sig::ByRef(of, is_modified) => {
                    let is_in = *is_modified
                        || has("IsReadOnlyAttribute")
                        || has("RequiresLocationAttribute");
                    let is_out = flags & 3 == 2;
                    traits.set(Traits::IN, is_in);
                    traits.set(Traits::OUT, is_out && !is_in);
                    traits.set(Traits::REF, !is_in && !is_out);
                    &**of
                }
                sig => sig,
            };

            made.push(ParameterDeclaration {
                name: self.text(name),
                ty: self.typed(sig, (TableId::Param, at)),
                traits,
            });
        }

        made
    }
}

/// Returns the traits of public and protected members; `None` for others.
fn access(flags: u16) -> Option<Traits> {
    let mut traits = Traits::default();
    match flags & 7 {
        6 => {}
        4 | 5 => traits.set(Traits::PROTECTED, true),
        _ => return None,
    }
    Some(traits)
}

/// Adds the modifiers of a method.
fn add_modifiers(traits: &mut Traits, flags: u16) {
    let (is_virtual, is_new) = (flags & 0x40 != 0, flags & 0x100 != 0);
    traits.set(Traits::STATIC, flags & 0x10 != 0);
    traits.set(Traits::ABSTRACT, flags & 0x400 != 0);
    traits.set(Traits::VIRTUAL, is_virtual && is_new && flags & 0x420 == 0);
    traits.set(Traits::OVERRIDE, is_virtual && !is_new);
    traits.set(Traits::SEALED, is_virtual && !is_new && flags & 0x20 != 0);
}

/// Returns the modifiers of a type.
fn type_traits(row: &TypeDefRow, kind: TypeKind) -> Traits {
    let is_class = kind == TypeKind::Class;
    let (is_abstract, is_sealed) = (row.flags & 0x80 != 0, row.flags & 0x100 != 0);

    let mut traits = Traits::default();
    traits.set(Traits::PROTECTED, matches!(row.flags & 7, 4 | 7));
    traits.set(Traits::STATIC, is_class && is_abstract && is_sealed);
    traits.set(Traits::ABSTRACT, is_class && is_abstract && !is_sealed);
    traits.set(Traits::SEALED, is_class && is_sealed && !is_abstract);
    traits
}
