//! What an assembly declares for others: its public top-level types become units, with what is public or protected in them.
//!
//! **Limits.** Of a base class that is not public its own base class stands in; extension methods are those marked as such, so extension
//! blocks give their static form.

use anyhow::{Context, Result};
use clrmeta::{CodedIndex, GenericParamRow, Metadata, MethodDefRow, ParamRow, PropertyRow, TableId, TypeDefRow};
use codeagent_core::library::Packer;
use codeagent_core::library::form::{
    Member, MemberKind, Parameter, Traits, TypeDeclaration, TypeForm, TypeKind, TypeNumber, TypeParameter, Unit,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::image;
use crate::rows::{Row, Rows};
use crate::signature::{Callable, Reader, Sig, Token, strings};

/// Namespace and name of a top-level type, the name with its arity as in metadata.
pub type TypeName = (String, String);

/// The metadata of an assembly.
pub struct Assembly {
    metadata: Metadata,
    rows: Rows,
}

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
    /// Reads the content of a file.
    ///
    /// # Errors
    /// It is no assembly, or a broken one.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let metadata = Metadata::parse(image::metadata(bytes).context("no metadata")?)?;
        let rows = Rows::of(&metadata);
        Ok(Self { metadata, rows })
    }

    fn string(&self, offset: u32) -> &str {
        self.metadata.strings.get(offset).unwrap_or_default()
    }

    fn blob(&self, offset: u32) -> &[u8] {
        self.metadata.blobs.get(offset).unwrap_or_default()
    }

    /// Types that it says another assembly has.
    pub fn forwards(&self) -> impl Iterator<Item = TypeName> + '_ {
        let forwarded = self.metadata.exported_types.iter().filter(|row| row.flags & FORWARDER != 0);
        forwarded.map(|row| (self.string(row.type_namespace).to_owned(), self.string(row.type_name).to_owned()))
    }

    /// Its public top-level types.
    pub fn public_types(&self) -> impl Iterator<Item = TypeName> + '_ {
        self.top_level().map(|(_, row)| (self.string(row.type_namespace).to_owned(), self.string(row.type_name).to_owned()))
    }

    fn top_level(&self) -> impl Iterator<Item = (u32, &TypeDefRow)> {
        let rows = (1..).zip(&self.metadata.type_defs);
        rows.filter(|(_, row)| row.flags & 7 == 1 && !self.string(row.type_name).contains('<'))
    }

    /// Adds the units of the types that are kept.
    pub fn units(&self, packer: &mut Packer, public: &FxHashSet<TypeName>, keep: &dyn Fn(&TypeName) -> bool) {
        for (number, row) in self.top_level() {
            let name = (self.string(row.type_namespace).to_owned(), self.string(row.type_name).to_owned());
            if !keep(&name) {
                continue;
            }
            let mut maker = Maker { assembly: self, packer, public, types: Vec::new(), numbers: FxHashMap::default() };
            let root = maker.declaration(number, row, 0);
            let types = maker.types;
            packer.add(&name.0, Unit { types, root });
        }
    }
}

/// Makes one unit.
struct Maker<'a, 'p> {
    assembly: &'a Assembly,
    packer: &'p mut Packer,
    public: &'a FxHashSet<TypeName>,
    types: Vec<TypeForm>,
    numbers: FxHashMap<TypeForm, TypeNumber>,
}

/// Namespace, and names of the types around and of the type itself as in metadata.
struct Path {
    namespace: String,
    names: Vec<String>,
}

impl Path {
    fn is(&self, namespace: &str, name: &str) -> bool {
        self.namespace == namespace && self.names.len() == 1 && self.names[0] == name
    }
}

/// Without its arity.
fn bare(name: &str) -> &str {
    name.split_once('`').map_or(name, |(bare, _)| bare)
}

fn arity(name: &str) -> usize {
    name.split_once('`').and_then(|(_, arity)| arity.parse().ok()).unwrap_or(0)
}

impl<'a> Maker<'a, '_> {
    fn text(&mut self, offset: u32) -> u32 {
        let text = self.assembly.string(offset);
        self.packer.text(text)
    }

    fn path(&self, token: Token) -> Option<Path> {
        let metadata = &self.assembly.metadata;
        let mut names = Vec::new();
        let mut at = token;
        let namespace = loop {
            let index = at.1.checked_sub(1)? as usize;
            let (name, namespace, outer) = match at.0 {
                0 => {
                    let row = metadata.type_defs.get(index)?;
                    (row.type_name, row.type_namespace, self.assembly.rows.enclosing.get(&at.1).map(|row| Token(0, *row)))
                }
                1 => {
                    let row = metadata.type_refs.get(index)?;
                    let outer = (row.resolution_scope.table == Some(TableId::TypeRef)).then_some(Token(1, row.resolution_scope.row));
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

    fn add(&mut self, form: TypeForm) -> TypeNumber {
        if let Some(&number) = self.numbers.get(&form) {
            return number;
        }
        let number = self.types.len() as TypeNumber;
        self.types.push(form.clone());
        self.numbers.insert(form, number);
        number
    }

    fn sig(&mut self, sig: &Sig, names: &mut std::vec::IntoIter<String>) -> TypeNumber {
        let form = match sig {
            Sig::Unknown => TypeForm::Unknown,
            Sig::Keyword(word) => TypeForm::Keyword(*word),
            Sig::Var(index) => TypeForm::TypeParameter(*index),
            Sig::MethodVar(index) => TypeForm::MethodParameter(*index),
            Sig::Array(of, rank) => TypeForm::Array(self.sig(of, names), *rank),
            Sig::Pointer(of) => TypeForm::Pointer(self.sig(of, names)),
            Sig::ByRef(of, _) => TypeForm::ByRef(self.sig(of, names)),
            Sig::Named(token, args) => self.named(*token, args, names),
        };
        self.add(form)
    }

    fn named(&mut self, token: Token, args: &[Sig], names: &mut std::vec::IntoIter<String>) -> TypeForm {
        if token.0 == 2 {
            let spec = token.1.checked_sub(1).and_then(|index| self.assembly.metadata.type_specs.get(index as usize));
            return match spec.and_then(|spec| Reader::new(self.assembly.blob(spec.signature)).ty(0)) {
                Some(Sig::Named(inner, _)) if inner.0 == 2 => TypeForm::Unknown,
                Some(sig) => {
                    let number = self.sig(&sig, names);
                    self.types[number as usize].clone()
                }
                None => TypeForm::Unknown,
            };
        }
        let Some(path) = self.path(token) else { return TypeForm::Unknown };
        if path.namespace == "System" && path.names.len() == 1 {
            match (path.names[0].as_str(), args) {
                ("Decimal", []) => return TypeForm::Keyword(17),
                ("Object", []) => return TypeForm::Keyword(16),
                ("Nullable`1", [of]) => return TypeForm::Nullable(self.sig(of, names)),
                (tuple, args) if tuple.starts_with("ValueTuple`") && (2..=7).contains(&args.len()) => {
                    let own: Vec<u32> = args.iter().map(|_| names.next().unwrap_or_default()).map(|name| self.packer.text(&name)).collect();
                    let types: Vec<TypeNumber> = args.iter().map(|arg| self.sig(arg, names)).collect();
                    return TypeForm::Tuple(own.into_iter().zip(types).collect());
                }
                _ => {}
            }
        }
        let mut numbers = args.iter().map(|arg| self.sig(arg, names)).collect::<Vec<_>>().into_iter();
        let segments = path.names.iter().map(|name| (self.packer.text(bare(name)), numbers.by_ref().take(arity(name)).collect())).collect();
        TypeForm::Named(self.packer.text(&path.namespace), segments)
    }

    fn token_type(&mut self, index: CodedIndex) -> Option<TypeNumber> {
        let token = Token::of(index)?;
        let form = self.named(token, &[], &mut Vec::new().into_iter());
        Some(self.add(form))
    }

    /// Whether everybody can name the type.
    fn is_public(&self, index: CodedIndex) -> bool {
        let Some(mut token) = Token::of(index) else { return false };
        if token.0 == 2 {
            let spec = token.1.checked_sub(1).and_then(|index| self.assembly.metadata.type_specs.get(index as usize));
            match spec.and_then(|spec| Reader::new(self.assembly.blob(spec.signature)).ty(0)) {
                Some(Sig::Named(inner, _)) => token = inner,
                _ => return false,
            }
        }
        let nested_is_public = |row: u32| {
            let row = row.checked_sub(1).and_then(|index| self.assembly.metadata.type_defs.get(index as usize));
            row.is_some_and(|row| matches!(row.flags & 7, 1 | 2 | 4 | 7))
        };
        self.path(token).is_some_and(|path| {
            self.public.contains(&(path.namespace, path.names[0].clone())) && (token.0 != 0 || nested_is_public(token.1))
        })
    }

    fn declaration(&mut self, number: u32, row: &TypeDefRow, outer_params: usize) -> TypeDeclaration {
        let assembly = self.assembly;
        let kind = self.kind_of(row);
        let mut traits = Traits::default();
        let (is_abstract, is_sealed) = (row.flags & 0x80 != 0, row.flags & 0x100 != 0);
        traits.set(Traits::PROTECTED, matches!(row.flags & 7, 4 | 7));
        traits.set(Traits::STATIC, kind == TypeKind::Class && is_abstract && is_sealed);
        traits.set(Traits::ABSTRACT, kind == TypeKind::Class && is_abstract && !is_sealed);
        traits.set(Traits::SEALED, kind == TypeKind::Class && is_sealed && !is_abstract);
        let generics = assembly.rows.generics.get(&(TableId::TypeDef, number)).cloned().unwrap_or_default();
        let own_generics = generics.get(outer_params..).unwrap_or_default().to_vec();
        let name = bare(assembly.string(row.type_name));
        let mut made = TypeDeclaration {
            name: self.packer.text(name),
            kind,
            traits,
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
        for nested in assembly.rows.nested.get(&number).into_iter().flatten() {
            let Some(inner) = nested.checked_sub(1).and_then(|index| assembly.metadata.type_defs.get(index as usize)) else { continue };
            if matches!(inner.flags & 7, 2 | 4 | 7) && !assembly.string(inner.type_name).contains('<') && nested != &number {
                made.nested.push(self.declaration(*nested, inner, generics.len()));
            }
        }
        made
    }

    fn kind_of(&self, row: &TypeDefRow) -> TypeKind {
        if row.flags & 0x20 != 0 {
            return TypeKind::Interface;
        }
        let base = Token::of(row.extends).and_then(|token| self.path(token));
        let own = (self.assembly.string(row.type_namespace), self.assembly.string(row.type_name));
        match base {
            Some(base) if base.is("System", "Enum") => TypeKind::Enum,
            Some(base) if base.is("System", "ValueType") && own != ("System", "Enum") => TypeKind::Struct,
            Some(base) if base.is("System", "MulticastDelegate") => TypeKind::Delegate,
            _ => TypeKind::Class,
        }
    }

    fn bases(&mut self, number: u32, row: &TypeDefRow, kind: TypeKind) -> Vec<TypeNumber> {
        let mut made = Vec::new();
        if kind == TypeKind::Class {
            let mut base = row.extends;
            // A base class nobody can name gives way to its own.
            while !base.is_null() && !self.is_public(base) && base.table == Some(TableId::TypeDef) {
                match self.assembly.metadata.type_defs.get(base.row as usize - 1) {
                    Some(next) if next.extends != base => base = next.extends,
                    _ => break,
                }
            }
            if self.is_public(base) {
                let ty = self.token_type(base);
                made.extend(ty.filter(|ty| self.types[*ty as usize] != TypeForm::Keyword(16)));
            }
        }
        for interface in self.assembly.rows.interfaces.get(&number).cloned().unwrap_or_default() {
            if self.is_public(interface) {
                made.extend(self.token_type(interface));
            }
        }
        made
    }

    fn type_params(&mut self, rows: &[u32]) -> Vec<TypeParameter> {
        let assembly = self.assembly;
        let params = rows.iter().filter_map(|row| Some((*row, assembly.metadata.generic_params.get(row.checked_sub(1)? as usize)?)));
        params
            .map(|(number, GenericParamRow { flags, name, .. })| {
                let mut traits = Traits::default();
                traits.set(Traits::OUT, flags & 3 == 1);
                traits.set(Traits::IN, flags & 3 == 2);
                traits.set(Traits::CLASS, flags & 4 != 0);
                traits.set(Traits::STRUCT, flags & 8 != 0);
                traits.set(Traits::NEW, flags & 0x18 == 0x10);
                let constraints = assembly.rows.constraints.get(&number).cloned().unwrap_or_default();
                let types = constraints.into_iter().filter(|constraint| flags & 8 == 0 || !self.is_value_type(*constraint));
                let types: Vec<CodedIndex> = types.collect();
                let constraints = types.into_iter().filter_map(|constraint| self.token_type(constraint)).collect();
                TypeParameter { name: self.text(*name), traits, constraints }
            })
            .collect()
    }

    fn is_value_type(&self, index: CodedIndex) -> bool {
        match Token::of(index) {
            Some(token) if token.0 < 2 => self.path(token).is_some_and(|path| path.is("System", "ValueType")),
            // `unmanaged` is `ValueType` with a modifier.
            Some(token) => {
                let spec = token.1.checked_sub(1).and_then(|index| self.assembly.metadata.type_specs.get(index as usize));
                match spec.and_then(|spec| Reader::new(self.assembly.blob(spec.signature)).ty(0)) {
                    Some(Sig::Named(inner, _)) => self.path(inner).is_some_and(|path| path.is("System", "ValueType")),
                    _ => false,
                }
            }
            None => false,
        }
    }

    fn range(&self, number: u32, list: impl Fn(&TypeDefRow) -> u32, all: usize) -> std::ops::Range<u32> {
        let rows = &self.assembly.metadata.type_defs;
        let start = rows.get(number as usize - 1).map_or(1, &list);
        let end = rows.get(number as usize).map_or(all as u32 + 1, list);
        start..end
    }

    fn methods_of(&self, number: u32) -> Vec<(u32, &'a MethodDefRow)> {
        let all = &self.assembly.metadata.method_defs;
        let range = self.range(number, |row| row.method_list, all.len());
        range.filter_map(|row| Some((row, all.get(row.checked_sub(1)? as usize)?))).collect()
    }

    fn delegate(&mut self, number: u32, made: &mut TypeDeclaration) {
        for (row, method) in self.methods_of(number) {
            if self.assembly.string(method.name) == "Invoke"
                && let Some(callable) = Reader::new(self.assembly.blob(method.signature)).callable()
            {
                made.result = Some(self.returned(row, method, &callable.result));
                made.params = self.params(row, method, &callable);
            }
        }
    }

    fn fields(&mut self, number: u32, kind: TypeKind, made: &mut TypeDeclaration) {
        let assembly = self.assembly;
        let all = &assembly.metadata.fields;
        for row in self.range(number, |row| row.field_list, all.len()) {
            let Some(field) = row.checked_sub(1).and_then(|index| all.get(index as usize)) else { continue };
            let Some(mut traits) = access(field.flags) else { continue };
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
                let Some(sig) = Reader::new(assembly.blob(field.signature)).field() else { continue };
                Some(self.typed(&sig, (TableId::Field, row)))
            };
            let kind = if enum_member { MemberKind::EnumMember } else { MemberKind::Field };
            let name = self.text(field.name);
            made.members.push(Member { name, kind, traits, type_params: Vec::new(), ty, params: Vec::new() });
        }
    }

    fn methods(&mut self, number: u32, type_name: &str, made: &mut TypeDeclaration) {
        let assembly = self.assembly;
        for (row, method) in self.methods_of(number) {
            let Some(mut traits) = access(method.flags) else { continue };
            let name = assembly.string(method.name);
            let is_special = method.flags & 0x800 != 0;
            let (kind, name) = match name {
                ".ctor" => (MemberKind::Constructor, type_name.to_owned()),
                ".cctor" | "Finalize" => continue,
                "op_Implicit" if is_special => (MemberKind::Conversion, "implicit operator".to_owned()),
                "op_Explicit" if is_special => (MemberKind::Conversion, "explicit operator".to_owned()),
                _ if is_special => match OPERATORS.iter().find(|(method, _)| *method == name) {
                    Some((_, operator)) => (MemberKind::Operator, format!("operator {operator}")),
                    None => continue,
                },
                _ => (MemberKind::Method, name.to_owned()),
            };
            let Some(callable) = Reader::new(assembly.blob(method.signature)).callable() else { continue };
            add_modifiers(&mut traits, method.flags);
            let is_extension = assembly.rows.attribute((TableId::MethodDef, row), "ExtensionAttribute").is_some();
            traits.set(Traits::EXTENSION, is_extension);
            let generics = assembly.rows.generics.get(&(TableId::MethodDef, row)).cloned().unwrap_or_default();
            let type_params = self.type_params(&generics);
            let ty = (kind != MemberKind::Constructor).then(|| self.returned(row, method, &callable.result));
            let mut params = self.params(row, method, &callable);
            if let Some(first) = params.first_mut().filter(|_| is_extension) {
                first.traits.set(Traits::EXTENSION, true);
            }
            made.members.push(Member { name: self.packer.text(&name), kind, traits, type_params, ty, params });
        }
    }

    fn properties(&mut self, number: u32, made: &mut TypeDeclaration) {
        let assembly = self.assembly;
        let (start, end) = assembly.rows.properties.get(&number).copied().unwrap_or_default();
        for row in start..end {
            let Some(PropertyRow { name, property_type, .. }) =
                row.checked_sub(1).and_then(|at| assembly.metadata.properties.get(at as usize))
            else {
                continue;
            };
            let Some((accessor, method, mut traits)) = self.widest_accessor((TableId::Property, row)) else { continue };
            let Some(callable) = Reader::new(assembly.blob(*property_type)).callable() else { continue };
            add_modifiers(&mut traits, method.flags);
            let is_indexer = !callable.params.is_empty();
            let name = if is_indexer { "this[]" } else { assembly.string(*name) };
            let kind = if is_indexer { MemberKind::Indexer } else { MemberKind::Property };
            let name = self.packer.text(name);
            let ty = self.typed(&callable.result, (TableId::Property, row));
            let params = self.params(accessor, method, &callable);
            made.members.push(Member { name, kind, traits, type_params: Vec::new(), ty: Some(ty), params });
        }
    }

    fn events(&mut self, number: u32, made: &mut TypeDeclaration) {
        let assembly = self.assembly;
        let (start, end) = assembly.rows.events.get(&number).copied().unwrap_or_default();
        for row in start..end {
            let Some(event) = row.checked_sub(1).and_then(|at| assembly.metadata.events.get(at as usize)) else { continue };
            let Some((_, method, mut traits)) = self.widest_accessor((TableId::Event, row)) else { continue };
            add_modifiers(&mut traits, method.flags);
            let (name, ty) = (self.text(event.name), self.token_type(event.event_type));
            made.members.push(Member { name, kind: MemberKind::Event, traits, type_params: Vec::new(), ty, params: Vec::new() });
        }
    }

    /// The accessor that most can use, if others can use any.
    fn widest_accessor(&self, of: Row) -> Option<(u32, &'a MethodDefRow, Traits)> {
        let rows = self.assembly.rows.accessors.get(&of)?;
        let methods = rows.iter().filter_map(|row| Some((*row, self.assembly.metadata.method_defs.get(row.checked_sub(1)? as usize)?)));
        let seen = methods.filter_map(|(row, method)| Some((row, method, access(method.flags)?)));
        seen.min_by_key(|(row, _, traits)| (traits.has(Traits::PROTECTED), *row))
    }

    /// A type with what attributes of its row say about it: names of tuple elements, `dynamic`.
    fn typed(&mut self, sig: &Sig, row: Row) -> TypeNumber {
        let names = self.assembly.rows.attribute(row, "TupleElementNamesAttribute").and_then(|value| strings(self.assembly.blob(value)));
        if *sig == Sig::Keyword(16) && self.assembly.rows.attribute(row, "DynamicAttribute").is_some() {
            return self.add(TypeForm::Keyword(18));
        }
        self.sig(sig, &mut names.unwrap_or_default().into_iter())
    }

    fn param_rows(&self, number: u32, method: &MethodDefRow) -> Vec<(u32, &'a ParamRow)> {
        let all = &self.assembly.metadata.params;
        let next = self.assembly.metadata.method_defs.get(number as usize);
        let end = next.map_or(all.len() as u32 + 1, |next| next.param_list);
        (method.param_list..end).filter_map(|row| Some((row, all.get(row.checked_sub(1)? as usize)?))).collect()
    }

    fn returned(&mut self, number: u32, method: &MethodDefRow, sig: &Sig) -> TypeNumber {
        let row = self.param_rows(number, method).into_iter().find(|(_, param)| param.sequence == 0);
        let row = row.map_or((TableId::Param, 0), |(row, _)| (TableId::Param, row));
        self.typed(sig, row)
    }

    fn params(&mut self, number: u32, method: &MethodDefRow, callable: &Callable) -> Vec<Parameter> {
        let rows = self.param_rows(number, method);
        let mut made = Vec::new();
        for (index, sig) in callable.params.iter().enumerate() {
            let row = rows.iter().find(|(_, param)| usize::from(param.sequence) == index + 1);
            let (at, flags, name) = row.map_or((0, 0, 0), |(row, param)| (*row, param.flags, param.name));
            let has = |attribute: &str| self.assembly.rows.attribute((TableId::Param, at), attribute).is_some();
            let mut traits = Traits::default();
            traits.set(Traits::OPTIONAL, flags & 0x10 != 0);
            traits.set(Traits::PARAMS, has("ParamArrayAttribute") || has("ParamCollectionAttribute"));
            let sig = match sig {
                Sig::ByRef(of, is_modified) => {
                    let is_in = *is_modified || has("IsReadOnlyAttribute") || has("RequiresLocationAttribute");
                    let is_out = flags & 3 == 2;
                    traits.set(Traits::IN, is_in);
                    traits.set(Traits::OUT, is_out && !is_in);
                    traits.set(Traits::REF, !is_in && !is_out);
                    &**of
                }
                sig => sig,
            };
            made.push(Parameter { name: self.text(name), ty: self.typed(sig, (TableId::Param, at)), traits });
        }
        made
    }
}

/// Public and protected members; `None` for others.
fn access(flags: u16) -> Option<Traits> {
    let mut traits = Traits::default();
    match flags & 7 {
        6 => {}
        4 | 5 => traits.set(Traits::PROTECTED, true),
        _ => return None,
    }
    Some(traits)
}

/// Modifiers of a method.
fn add_modifiers(traits: &mut Traits, flags: u16) {
    let (is_virtual, is_new) = (flags & 0x40 != 0, flags & 0x100 != 0);
    traits.set(Traits::STATIC, flags & 0x10 != 0);
    traits.set(Traits::ABSTRACT, flags & 0x400 != 0);
    traits.set(Traits::VIRTUAL, is_virtual && is_new && flags & 0x420 == 0);
    traits.set(Traits::OVERRIDE, is_virtual && !is_new);
    traits.set(Traits::SEALED, is_virtual && !is_new && flags & 0x20 != 0);
}
