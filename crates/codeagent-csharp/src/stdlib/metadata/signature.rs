//! Types in signatures (ECMA-335 II.23.2).
//!
//! Limitations: at most 32 levels deep; of custom modifiers, only `in` (`InAttribute`) is read.

use clrmeta::{CodedIndex, TableId};

use crate::stdlib::metadata::{DecodeBudget, MAX_NAME};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sig {
    /// A type that C# cannot name.
    Unknown,
    /// An entry of `assembly_model::KEYWORDS`.
    Keyword(u8),
    /// A type parameter of a type.
    Var(u16),
    /// A type parameter of a method.
    MethodVar(u16),
    /// A declared type with its type arguments.
    Named(MetadataToken, Vec<Sig>),
    Array(Box<Sig>, u8),
    Pointer(Box<Sig>),
    /// A reference; `true` if a modifier makes it read-only.
    ByRef(Box<Sig>, bool),
}

/// A row of TypeDef, TypeRef or TypeSpec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MetadataToken(pub u8, pub u32);

impl MetadataToken {
    /// Decodes a coded index.
    #[must_use]
    pub fn of(index: CodedIndex) -> Option<Self> {
        let table = match index.table? {
            TableId::TypeDef => 0,
            TableId::TypeRef => 1,
            TableId::TypeSpec => 2,
            _ => return None,
        };
        (index.row > 0).then_some(Self(table, index.row))
    }
}

/// The signature of a method or property.
#[derive(Clone, Debug)]
pub struct MethodSig {
    pub result: Sig,
    pub params: Vec<Sig>,
}

pub struct SignatureReader<'b> {
    rest: &'b [u8],
    budget: &'b DecodeBudget,
}

const MAX_DEPTH: u32 = 32;

impl<'b> SignatureReader<'b> {
    /// Starts reading a blob; each type in it is charged to the budget.
    #[must_use]
    pub fn new(blob: &'b [u8], budget: &'b DecodeBudget) -> Self {
        Self { rest: blob, budget }
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    /// Reads a compressed unsigned number.
    fn number(&mut self) -> Option<u32> {
        let first = self.byte()?;
        if first & 0x80 == 0 {
            return Some(u32::from(first));
        }
        let second = self.byte()?;
        if first & 0x40 == 0 {
            return Some(u32::from(first & 0x3f) << 8 | u32::from(second));
        }
        let (third, fourth) = (self.byte()?, self.byte()?);
        Some(
            u32::from(first & 0x1f) << 24
                | u32::from(second) << 16
                | u32::from(third) << 8
                | u32::from(fourth),
        )
    }

    fn token(&mut self) -> Option<MetadataToken> {
        let coded = self.number()?;
        // A signature in a signature could contain itself; no compiler writes that.
        (coded & 3 < 2).then_some(MetadataToken((coded & 3) as u8, coded >> 2))
    }

    /// Reads a method's or property's signature.
    pub fn callable(&mut self) -> Option<MethodSig> {
        let convention = self.byte()?;
        if convention & 0x10 != 0 {
            self.number()?;
        }
        let count = self.number()?;
        let result = self.ty(0)?;
        let mut params = Vec::new();
        for _ in 0..count {
            params.push(self.ty(0)?);
        }
        Some(MethodSig { result, params })
    }

    pub fn field(&mut self) -> Option<Sig> {
        (self.byte()? == 6).then(|| self.ty(0))?
    }

    pub fn ty(&mut self, depth: u32) -> Option<Sig> {
        let mut is_modified = false;
        loop {
            if depth > MAX_DEPTH || !self.budget.pay(1) {
                return None;
            }

            let element = self.byte()?;
            return Some(match element {
                0x01..=0x0e => Sig::Keyword(element - 1),
                0x18 | 0x19 => Sig::Keyword(element - 0x18 + 14),
                0x1c => Sig::Keyword(16),
                0x0f => Sig::Pointer(Box::new(self.ty(depth + 1)?)),
                0x10 => Sig::ByRef(Box::new(self.ty(depth + 1)?), is_modified),
                0x11 | 0x12 => Sig::Named(self.token()?, Vec::new()),
                0x13 => Sig::Var(self.number()? as u16),
                0x1e => Sig::MethodVar(self.number()? as u16),
                0x14 => self.array(depth)?,
                0x15 => self.generic(depth)?,
                0x1d => Sig::Array(Box::new(self.ty(depth + 1)?), 1),
                0x1b => {
                    self.callable_at(depth + 1)?;
                    Sig::Unknown
                }
                0x1f | 0x20 => {
                    self.number()?;
                    is_modified = true;
                    continue;
                }
                0x41 | 0x45 => continue,
                _ => Sig::Unknown,
            });
        }
    }

    fn callable_at(&mut self, depth: u32) -> Option<()> {
        let convention = self.byte()?;
        if convention & 0x10 != 0 {
            self.number()?;
        }
        for _ in 0..=self.number()? {
            self.ty(depth)?;
        }
        Some(())
    }

    fn array(&mut self, depth: u32) -> Option<Sig> {
        let of = self.ty(depth + 1)?;
        let rank = self.number()?;
        for _ in 0..2 {
            for _ in 0..self.number()? {
                self.number()?;
                self.budget.pay(1).then_some(())?;
            }
        }
        Some(Sig::Array(Box::new(of), u8::try_from(rank).ok()?))
    }

    fn generic(&mut self, depth: u32) -> Option<Sig> {
        self.byte()?;
        let token = self.token()?;
        let mut args = Vec::new();
        for _ in 0..self.number()? {
            args.push(self.ty(depth + 1)?);
        }
        Some(Sig::Named(token, args))
    }
}

/// Returns the strings of an attribute whose one argument is an array of strings; a null string is
/// empty.
#[must_use]
pub fn strings(value: &[u8], budget: &DecodeBudget) -> Option<Vec<String>> {
    let count = u32::from_le_bytes(value.get(2..6)?.try_into().ok()?);
    let mut reader = SignatureReader::new(value.get(6..)?, budget);
    let mut texts = Vec::new();
    for _ in 0..count {
        if reader.rest.first() == Some(&0xff) {
            reader.byte()?;
            texts.push(String::new());
        } else {
            let length = reader.number()? as usize;
            let text = reader
                .rest
                .get(..length)
                .filter(|text| text.len() <= MAX_NAME)?;
            texts.push(String::from_utf8_lossy(text).into_owned());
            reader.rest = &reader.rest[length..];
        }

        if !budget.pay(1 + texts.last().map_or(0, String::len) / 16) {
            return None;
        }
    }

    Some(texts)
}
