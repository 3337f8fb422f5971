//! The blob format of a library, in which each unit can be decoded alone.
//!
//! The blob is a zstd frame around the strings as one text, the names of the units with their
//! lengths, the encoded units, and an index of extension methods by name.
//!
//! Limitations: a blob is trusted: one that cannot be decoded is a defect of the build or a damaged
//! index, not input.

use std::collections::BTreeMap;
use std::io::Write;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::stdlib::assembly_model::{
    MemberDeclaration, StringId, TopLevelType, Traits, TypeDeclaration,
};

/// The compression level of the blob.
const LEVEL: i32 = 19;

/// The compression level where a user is waiting.
const QUICK_LEVEL: i32 = 1;

/// The contents before compression.
#[derive(Serialize, Deserialize)]
struct Blob<'a> {
    text: &'a str,
    text_lengths: Vec<u32>,
    units: Vec<UnitEntry>,
    extensions: Vec<(StringId, u32)>,
    #[serde(with = "serde_bytes_slice")]
    bytes: &'a [u8],
}

/// Serializes bytes as such, not as a sequence of numbers.
mod serde_bytes_slice {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'de [u8], D::Error> {
        <&[u8]>::deserialize(deserializer)
    }
}

/// The directory entry of a unit.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct UnitEntry {
    pub namespace: StringId,
    pub name: StringId,
    /// Number of type parameters.
    pub arity: u16,
    /// Length in bytes.
    length: u32,
}

/// Collects units and writes the blob.
#[derive(Default)]
pub struct BundleWriter {
    texts: Vec<String>,
    numbers: FxHashMap<String, StringId>,
    units: BTreeMap<(String, String, u16), TopLevelType>,
}

impl BundleWriter {
    /// Creates a writer without units.
    #[must_use]
    pub fn new() -> Self {
        let mut packer = Self::default();
        packer.text("");
        packer
    }

    /// Returns the number of a string, adding it if needed.
    pub fn text(&mut self, text: &str) -> StringId {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.texts.len() as StringId;
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }

    /// Adds a unit, unless one with its name and arity was added before.
    pub fn add(&mut self, namespace: &str, unit: TopLevelType) {
        let name = self.texts[unit.root.name as usize].clone();
        let key = (
            namespace.to_owned(),
            name,
            unit.root.type_params.len() as u16,
        );
        self.text(namespace);
        self.units.entry(key).or_insert(unit);
    }

    /// Returns the number of units, and of members in them.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        fn members(of: &TypeDeclaration) -> usize {
            of.members.len() + of.nested.iter().map(members).sum::<usize>()
        }
        (
            self.units.len(),
            self.units.values().map(|unit| members(&unit.root)).sum(),
        )
    }

    /// Returns the blob. The same units give the same bytes, in whatever order they were added.
    #[must_use]
    pub fn finish(&self) -> Vec<u8> {
        zstd::encode_all(&self.plain()[..], LEVEL).unwrap_or_default()
    }

    /// Returns a blob that is written quickly, is larger, and has a checksum.
    #[must_use]
    pub fn finish_quickly(&self) -> Vec<u8> {
        let encode = || {
            let mut encoder = zstd::Encoder::new(Vec::new(), QUICK_LEVEL)?;
            encoder.include_checksum(true)?;
            encoder.write_all(&self.plain())?;
            encoder.finish()
        };
        encode().unwrap_or_default()
    }

    fn plain(&self) -> Vec<u8> {
        let order = self.order();
        let renumbered = renumbering(&self.texts, &order);
        let mut blob = Blob {
            text: "",
            text_lengths: order.iter().map(|text| text.len() as u32).collect(),
            units: Vec::new(),
            extensions: Vec::new(),
            bytes: &[],
        };

        let text = order.concat();
        let mut bytes = Vec::new();
        for ((namespace, name, arity), unit) in &self.units {
            let mut unit = unit.clone();
            renumber(&mut unit, &renumbered);
            let packed = postcard::to_allocvec(&unit).unwrap_or_default();
            let mut names: Vec<StringId> = unit
                .root
                .members
                .iter()
                .filter(|m| m.traits.has(Traits::EXTENSION))
                .map(|m| m.name)
                .collect();

            names.sort_unstable();
            names.dedup();
            blob.extensions
                .extend(names.iter().map(|name| (*name, blob.units.len() as u32)));
            blob.units.push(UnitEntry {
                namespace: renumbered[self.numbers[namespace] as usize],
                name: renumbered[self.numbers[name] as usize],
                arity: *arity,
                length: packed.len() as u32,
            });
            bytes.extend(packed);
        }

        let blob = Blob {
            text: &text,
            bytes: &bytes,
            ..blob
        };

        postcard::to_allocvec(&blob).unwrap_or_default()
    }

    /// Returns the strings that units use, in order.
    fn order(&self) -> Vec<&str> {
        let mut used = vec![false; self.texts.len()];
        used[0] = true;
        for ((namespace, ..), unit) in &self.units {
            used[self.numbers[namespace] as usize] = true;
            let mut unit = unit.clone();
            each_text(&mut unit, &mut |text| used[*text as usize] = true);
        }

        let mut order: Vec<&str> = self
            .texts
            .iter()
            .zip(used)
            .filter(|(_, used)| *used)
            .map(|(text, _)| &**text)
            .collect();

        order.sort_unstable();
        order
    }
}

fn renumbering(texts: &[String], order: &[&str]) -> Vec<StringId> {
    texts
        .iter()
        .map(|text| order.binary_search(&&**text).map_or(0, |at| at as StringId))
        .collect()
}

fn renumber(unit: &mut TopLevelType, numbers: &[StringId]) {
    each_text(unit, &mut |text| *text = numbers[*text as usize]);
}

/// Calls `show` for every string of a unit.
fn each_text(unit: &mut TopLevelType, show: &mut dyn FnMut(&mut StringId)) {
    use crate::stdlib::assembly_model::TypeSig;
    for ty in &mut unit.types {
        match ty {
            TypeSig::Named(namespace, segments) => {
                show(namespace);
                segments.iter_mut().for_each(|(name, _)| show(name));
            }
            TypeSig::Tuple(elements) => elements.iter_mut().for_each(|(name, _)| show(name)),
            _ => {}
        }
    }
    texts_of_type(&mut unit.root, show);
}

fn texts_of_type(ty: &mut TypeDeclaration, show: &mut dyn FnMut(&mut StringId)) {
    show(&mut ty.name);
    ty.type_params
        .iter_mut()
        .for_each(|param| show(&mut param.name));
    ty.params.iter_mut().for_each(|param| show(&mut param.name));
    for MemberDeclaration {
        name,
        type_params,
        params,
        ..
    } in &mut ty.members
    {
        show(name);
        type_params
            .iter_mut()
            .for_each(|param| show(&mut param.name));
        params.iter_mut().for_each(|param| show(&mut param.name));
    }

    ty.nested
        .iter_mut()
        .for_each(|nested| texts_of_type(nested, show));
}

/// A decompressed blob; its units are still encoded.
#[derive(Debug)]
pub struct Packed {
    text: Box<str>,
    text_ends: Box<[u32]>,
    /// Units, by namespace, name and arity.
    pub units: Box<[UnitEntry]>,
    ends: Box<[u32]>,
    /// Names of extension methods, and the units that declare one.
    pub extensions: Box<[(StringId, u32)]>,
    bytes: Box<[u8]>,
}

impl Packed {
    /// Reads a blob.
    ///
    /// # Errors
    ///
    /// Fails if the blob is not valid.
    pub fn read(blob: &[u8]) -> Result<Self, String> {
        let plain = zstd::decode_all(blob).map_err(|error| error.to_string())?;
        let blob: Blob = postcard::from_bytes(&plain).map_err(|error| error.to_string())?;
        Ok(Self {
            text: blob.text.into(),
            text_ends: ends(blob.text_lengths.iter().copied()),
            ends: ends(blob.units.iter().map(|unit| unit.length)),
            units: blob.units.into(),
            extensions: blob.extensions.into(),
            bytes: blob.bytes.into(),
        })
    }

    #[must_use]
    pub fn text(&self, number: StringId) -> &str {
        let (start, end) = range(&self.text_ends, number);
        self.text.get(start..end).unwrap_or_default()
    }

    /// Reports whether the blob contains a string.
    #[must_use]
    pub fn has(&self, text: &str) -> bool {
        self.number(text).is_some()
    }

    /// Returns the number of a string; strings are sorted.
    #[must_use]
    pub fn number(&self, text: &str) -> Option<StringId> {
        let (mut low, mut high) = (0, self.texts() as StringId);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.text(middle).cmp(text) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// Returns the number of strings.
    #[must_use]
    pub fn texts(&self) -> usize {
        self.text_ends.len()
    }

    /// Decodes a unit.
    ///
    /// # Errors
    ///
    /// Fails if the unit is not valid.
    pub fn unit(&self, number: u32) -> Result<TopLevelType, String> {
        let (start, end) = range(&self.ends, number);
        postcard::from_bytes(self.bytes.get(start..end).unwrap_or_default())
            .map_err(|error| error.to_string())
    }
}

fn ends(lengths: impl Iterator<Item = u32>) -> Box<[u32]> {
    let mut end = 0;
    lengths
        .map(|length| {
            end += length;
            end
        })
        .collect()
}

fn range(ends: &[u32], number: u32) -> (usize, usize) {
    let at = number as usize;
    let start = if at == 0 {
        0
    } else {
        ends.get(at - 1).copied().unwrap_or(0)
    };
    (
        start as usize,
        ends.get(at).copied().unwrap_or(start) as usize,
    )
}
