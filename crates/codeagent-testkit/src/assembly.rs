//! Writes small .NET assemblies (ECMA-335 II.22 to II.25) for tests.
//!
//! ```
//! use codeagent_testkit::assembly::{Assembly, Ty};
//!
//! let mut lib = Assembly::new("Lib");
//! lib.class("N", "Box`1", None).method("Get", &[], Ty::Param(0));
//! assert!(lib.image().starts_with(b"MZ"));
//! ```
//!
//! Limitations: declarations have no bodies. Row numbers, names and signatures take two bytes, so
//! an assembly has fewer than 2,000 of each. A type must be declared before a signature mentions
//! it.

pub mod damage;

use std::collections::BTreeMap;

/// A type in a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the keyword types are what they are named")]
pub enum Ty {
    Void,
    Int,
    String,
    Object,
    /// A type parameter of the type.
    Param(u8),
    /// A type parameter of the method.
    MethodParam(u8),
    /// A type of this assembly: namespace, and name with arity.
    Own(&'static str, &'static str),
    /// A type of another assembly: the assembly, the namespace, and the name with arity.
    Of(&'static str, &'static str, &'static str),
    /// A declared type with type arguments.
    Generic(Box<Ty>, Vec<Ty>),
}

impl Ty {
    /// Creates a reference to a type of this assembly.
    #[must_use]
    pub fn own(namespace: &'static str, name: &'static str) -> Self {
        Self::Own(namespace, name)
    }

    /// Applies type arguments to the type.
    #[must_use]
    pub fn with(self, args: &[Self]) -> Self {
        Self::Generic(Box::new(self), args.to_vec())
    }
}

mod table {
    pub const MODULE: u8 = 0x00;
    pub const TYPE_REF: u8 = 0x01;
    pub const TYPE_DEF: u8 = 0x02;
    pub const METHOD: u8 = 0x06;
    pub const PARAM: u8 = 0x08;
    pub const MEMBER_REF: u8 = 0x0a;
    pub const ATTRIBUTE: u8 = 0x0c;
    pub const TYPE_SPEC: u8 = 0x1b;
    pub const ASSEMBLY: u8 = 0x20;
    pub const ASSEMBLY_REF: u8 = 0x23;
    pub const NESTED: u8 = 0x29;
    pub const GENERIC_PARAM: u8 = 0x2a;
}

/// The core library, referenced by every assembly.
const CORE: &str = "System.Runtime";

/// Type flags: public class, and public static (abstract sealed) class.
const PUBLIC: u32 = 0x1;
const STATIC: u32 = 0x181;
/// Method flags: public, and public static.
const METHOD: u16 = 0x86;
const STATIC_METHOD: u16 = 0x96;

/// An assembly under construction.
#[derive(Debug)]
pub struct Assembly {
    rows: BTreeMap<u8, Vec<Vec<u8>>>,
    strings: Vec<u8>,
    blobs: Vec<u8>,
    types: BTreeMap<(String, String), u16>,
}

impl Assembly {
    /// Creates an assembly without declarations.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let mut made = Self {
            rows: BTreeMap::new(),
            strings: vec![0],
            blobs: vec![0],
            types: BTreeMap::new(),
        };
        let text = made.string(name);
        made.row(table::MODULE, &[0, text, 0, 0, 0]);
        made.row(table::ASSEMBLY, &[0, 0, 1, 0, 0, 0, 0, 0, 0, text, 0]);
        made.assembly_ref(CORE);
        made.type_def(0, "", "<Module>", 0);
        made
    }

    /// Declares a public class and returns it for declaring methods.
    pub fn class(&mut self, namespace: &str, name: &str, base: Option<Ty>) -> Class<'_> {
        let base = base.unwrap_or(Ty::Of(CORE, "System", "Object"));
        let extends = self.base(&base);
        let row = self.type_def(PUBLIC, namespace, name, extends);
        let arity = name
            .split_once('`')
            .and_then(|(_, arity)| arity.parse().ok())
            .unwrap_or(0);
        self.generic_params(row << 1, arity);
        Class { assembly: self }
    }

    /// Declares a static class with one extension method, `method<T0>(this T0 it)`.
    pub fn extension(&mut self, namespace: &str, name: &str, method: &str, result: Ty) {
        let object = self.base(&Ty::Of(CORE, "System", "Object"));
        self.type_def(STATIC, namespace, name, object);

        let row = self.add_method(
            STATIC_METHOD,
            (method, 1),
            &[("it", Ty::MethodParam(0))],
            &result,
        );
        self.generic_params(row << 1 | 1, 1);

        let attribute = self.type_ref(
            CORE,
            "System.Runtime.CompilerServices",
            "ExtensionAttribute",
        );

        let (constructor, signature) = (self.string(".ctor"), self.blob(&[0x20, 0, 1]));
        let constructor = self.row(
            table::MEMBER_REF,
            &[attribute << 3 | 1, constructor, signature],
        );

        let value = self.blob(&[1, 0, 0, 0]);
        self.row(table::ATTRIBUTE, &[row << 5, constructor << 3 | 3, value]);
    }

    /// Returns the assembly file.
    #[must_use]
    pub fn image(&self) -> Vec<u8> {
        image(&self.metadata())
    }

    fn string(&mut self, text: &str) -> u16 {
        if text.is_empty() {
            return 0;
        }
        let at = self.strings.len() as u16;
        self.strings.extend(text.bytes().chain([0]));
        at
    }

    fn blob(&mut self, bytes: &[u8]) -> u16 {
        let at = self.blobs.len() as u16;
        let length = bytes.len() as u16;
        match length {
            0..0x80 => self.blobs.push(length as u8),
            _ => self.blobs.extend((length | 0x8000).to_be_bytes()),
        }
        self.blobs.extend(bytes);
        at
    }

    /// Adds a row of two-byte columns and returns its number.
    fn row(&mut self, table: u8, columns: &[u16]) -> u16 {
        let rows = self.rows.entry(table).or_default();
        rows.push(
            columns
                .iter()
                .flat_map(|column| column.to_le_bytes())
                .collect(),
        );
        rows.len() as u16
    }

    fn count(&self, table: u8) -> u16 {
        self.rows.get(&table).map_or(0, Vec::len) as u16
    }

    fn assembly_ref(&mut self, name: &str) -> u16 {
        let text = self.string(name);
        self.row(table::ASSEMBLY_REF, &[1, 0, 0, 0, 0, 0, 0, text, 0, 0])
    }

    fn type_def(&mut self, flags: u32, namespace: &str, name: &str, extends: u16) -> u16 {
        let (text, space) = (self.string(name), self.string(namespace));
        let methods = self.count(table::METHOD) + 1;

        let row = self.row(
            table::TYPE_DEF,
            &[
                flags as u16,
                (flags >> 16) as u16,
                text,
                space,
                extends,
                1,
                methods,
            ],
        );

        self.types
            .insert((namespace.to_owned(), name.to_owned()), row);
        row
    }

    fn type_ref(&mut self, assembly: &str, namespace: &str, name: &str) -> u16 {
        let scope = if assembly == CORE {
            1
        } else {
            self.assembly_ref(assembly)
        };
        let (text, space) = (self.string(name), self.string(namespace));
        self.row(table::TYPE_REF, &[scope << 2 | 2, text, space])
    }

    fn generic_params(&mut self, owner: u16, count: u16) {
        for number in 0..count {
            let name = self.string(&format!("T{number}"));
            self.row(table::GENERIC_PARAM, &[number, 0, owner, name]);
        }
    }

    /// Encodes a type as a base class reference.
    fn base(&mut self, ty: &Ty) -> u16 {
        match ty {
            Ty::Generic(..) => {
                let mut signature = Vec::new();
                self.write(ty, &mut signature);
                let signature = self.blob(&signature);
                self.row(table::TYPE_SPEC, &[signature]) << 2 | 2
            }
            ty => self.token(ty),
        }
    }

    fn token(&mut self, ty: &Ty) -> u16 {
        match ty {
            Ty::Own(namespace, name) => {
                self.types
                    .get(&((*namespace).to_owned(), (*name).to_owned()))
                    .copied()
                    .unwrap_or_else(|| panic!("{namespace}.{name}"))
                    << 2
            }
            Ty::Of(assembly, namespace, name) => self.type_ref(assembly, namespace, name) << 2 | 1,
            other => panic!("{other:?} has no row"),
        }
    }

    fn write(&mut self, ty: &Ty, out: &mut Vec<u8>) {
        match ty {
            Ty::Void => out.push(0x01),
            Ty::Int => out.push(0x08),
            Ty::String => out.push(0x0e),
            Ty::Object => out.push(0x1c),
            Ty::Param(index) => out.extend([0x13, *index]),
            Ty::MethodParam(index) => out.extend([0x1e, *index]),

            Ty::Own(..) | Ty::Of(..) => {
                out.push(0x12);
                let token = self.token(ty);
                write_number(token, out);
            }
            Ty::Generic(of, args) => {
                out.extend([0x15, 0x12]);
                let token = self.token(of);
                write_number(token, out);
                out.push(args.len() as u8);
                args.iter().for_each(|arg| self.write(arg, out));
            }
        }
    }

    fn add_method(
        &mut self,
        flags: u16,
        (name, generics): (&str, u8),
        params: &[(&str, Ty)],
        result: &Ty,
    ) -> u16 {
        let has_this = if flags & 0x10 == 0 { 0x20 } else { 0 };
        let mut signature = if generics > 0 {
            vec![has_this | 0x10, generics]
        } else {
            vec![has_this]
        };

        signature.push(params.len() as u8);
        self.write(result, &mut signature);
        params
            .iter()
            .for_each(|(_, ty)| self.write(ty, &mut signature));

        let (text, signature) = (self.string(name), self.blob(&signature));
        let first = self.count(table::PARAM) + 1;

        for (position, (name, _)) in (1..).zip(params) {
            let name = self.string(name);
            self.row(table::PARAM, &[0, position, name]);
        }

        self.row(table::METHOD, &[0, 0, 0, flags, text, signature, first])
    }

    fn metadata(&self) -> Vec<u8> {
        let mut tables = vec![0, 0, 0, 0, 2, 0, 0, 1];

        let valid = self
            .rows
            .keys()
            .fold(0_u64, |valid, table| valid | 1 << table);
        tables.extend(valid.to_le_bytes().into_iter().chain([0; 8]));

        self.rows
            .values()
            .for_each(|rows| tables.extend((rows.len() as u32).to_le_bytes()));

        self.rows
            .values()
            .flatten()
            .for_each(|row| tables.extend(row));

        let streams = [
            ("#~\0\0", &tables),
            ("#Strings\0\0\0\0", &self.strings),
            ("#Blob\0\0\0", &self.blobs),
        ];

        let mut out = b"BSJB\x01\0\x01\0\0\0\0\0\x0c\0\0\0v4.0.30319\0\0\0\0\x03\0".to_vec();
        let mut offset = out.len()
            + streams
                .iter()
                .map(|(name, _)| 8 + name.len())
                .sum::<usize>();

        for (name, bytes) in streams {
            out.extend((offset as u32).to_le_bytes());
            out.extend((bytes.len() as u32).to_le_bytes());
            out.extend(name.bytes());
            offset += bytes.len().next_multiple_of(4);
        }

        for (_, bytes) in streams {
            out.extend(bytes);
            out.resize(out.len().next_multiple_of(4), 0);
        }

        out
    }
}

/// A class under construction.
#[derive(Debug)]
pub struct Class<'a> {
    assembly: &'a mut Assembly,
}

impl Class<'_> {
    /// Declares a public method.
    pub fn method(self, name: &str, params: &[(&str, Ty)], result: Ty) -> Self {
        self.assembly.add_method(METHOD, (name, 0), params, &result);
        self
    }

    /// Declares a public static method with type parameters.
    pub fn function(self, name: &str, generics: u8, params: &[(&str, Ty)], result: Ty) -> Self {
        let row = self
            .assembly
            .add_method(STATIC_METHOD, (name, generics), params, &result);
        self.assembly
            .generic_params(row << 1 | 1, u16::from(generics));
        self
    }
}

/// Writes a compressed number.
fn write_number(number: u16, out: &mut Vec<u8>) {
    if number < 0x80 {
        out.push(number as u8)
    } else {
        out.extend((number | 0x8000).to_be_bytes())
    }
}

/// File offset of the only section, and its virtual address.
const RAW: u32 = 0x200;
const ADDRESS: u32 = 0x2000;
const CLI: u32 = 72;

/// Wraps metadata in a portable executable file.
fn image(metadata: &[u8]) -> Vec<u8> {
    let size = CLI + metadata.len() as u32;

    let mut out = b"MZ".to_vec();
    out.resize(0x3c, 0);
    out.extend(0x80_u32.to_le_bytes());
    out.resize(0x80, 0);

    // Header, one section, and an optional header of 224 bytes with one directory.
    out.extend(b"PE\0\0\x4c\x01\x01\0");
    out.resize(out.len() + 12, 0);
    out.extend([224, 0, 0, 0]);

    let optional = out.len();
    out.extend(0x10b_u16.to_le_bytes());
    out.resize(optional + 96 + 14 * 8, 0);
    [ADDRESS, CLI]
        .iter()
        .for_each(|number| out.extend(number.to_le_bytes()));
    out.resize(optional + 224, 0);

    out.extend(b".text\0\0\0");
    [size, ADDRESS, size, RAW]
        .iter()
        .for_each(|number| out.extend(number.to_le_bytes()));

    out.resize(RAW as usize, 0);
    [CLI, 0x0005_0002, ADDRESS + CLI, metadata.len() as u32]
        .iter()
        .for_each(|number| out.extend(number.to_le_bytes()));
    out.resize((RAW + CLI) as usize, 0);

    out.extend(metadata);
    out
}
