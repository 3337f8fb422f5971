//! The declarations of .NET and of a repository's packages, and the part of them that the
//! repository needs.
//!
//! The declarations of the .NET base library, ASP.NET Core and Microsoft.Extensions are in the
//! binary as one blob (`data/`), which `codeagent-externals` builds from the metadata of their
//! assemblies. A process decompresses it once, when it first builds a world with C# in it.
//!
//! **What is loaded.** A world loads the units (a top-level type with all its nested types) that a
//! name in its C# files can lead to: types with that simple name, static classes with an extension
//! method of that name, and from each unit the types in its base list and in the signatures of
//! members with such a name, in whichever library these are. A name that no file contains cannot be
//! looked up, so leaving out the rest has no effect: the result for a file depends on its own names
//! alone, not on other files or on earlier indexing. Namespaces are always complete.
//!
//! **Cost.** A unit is decoded and converted to facts once per process and then shared; a world
//! adds it to its tables. A repository pays only for the part of the library it uses.
//!
//! **Packages.** The declarations of a package's assembly are a [`Library`] like that of the
//! frameworks ([`metadata`]). A type that the frameworks also declare is taken from them; in most
//! packages it is the same one.
//!
//! Limitations: one version for all: .NET 9. A project of an older framework sees some members and
//! overloads that it does not have; its own declaration of such a type takes precedence.

pub mod assembly_model;
pub mod comment_ids;
pub mod metadata;
pub mod published_names;

mod facts;
mod pack;
mod reachable;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use crate::stdlib::assembly_model::{
    MemberDeclaration, MemberKind, StringId, TopLevelType, TypeDeclaration, TypeIndex,
    TypeParameter, TypeSig,
};
pub use crate::stdlib::pack::BundleWriter;
use crate::stdlib::pack::Packed;
pub use crate::stdlib::reachable::needed;
use codeagent_model::facts::{DeclKind, Declaration, Facts};
use codeagent_model::graph::Dialect;

/// The declarations of .NET 9, ASP.NET Core and Microsoft.Extensions.
const DOTNET: &[u8] = include_bytes!("../../data/dotnet.bin");

/// The prefix of the paths of its declarations.
pub const DOTNET_PREFIX: &str = "dotnet:";

/// Separates the path of an assembly from the name of a type in it.
pub const FILE_SEPARATOR: char = '#';

/// The declarations of a library.
#[derive(Debug)]
pub struct Library {
    /// The prefix of the paths of its declarations.
    place: Box<str>,
    packed: Packed,
    /// Units by namespace, name and arity.
    exact: FxHashMap<(StringId, StringId, u16), u32>,
    decoded: Box<[OnceLock<LoadedType>]>,
}

/// One top-level type as a file with no other declaration.
#[derive(Clone, Debug)]
pub struct LoadedType {
    /// The library's prefix, `Namespace.Name`, and the arity where there is one. A name, not a
    /// file.
    pub path: Arc<str>,
    pub namespace: Box<str>,
    /// Simple name.
    pub name: Box<str>,
    /// Number of type parameters.
    pub arity: u16,
    /// The declaration.
    pub facts: Arc<Facts>,
    /// Units that a member leads to, by the member's name (0: the type itself leads to them).
    leads_to: Arc<[(StringId, TypeLink)]>,
}

/// A type mentioned by a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TypeLink {
    /// A type of the same library.
    TopLevelType(u32),
    /// A type of another library: namespace, name and arity.
    Outside(StringId, StringId, u16),
}

impl Library {
    /// Returns the prefix of the paths of its declarations, which names its package.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Returns the library in the binary.
    #[must_use]
    pub fn dotnet() -> &'static Self {
        static LIBRARY: OnceLock<Library> = OnceLock::new();
        // The blob is intact (a test reads it), so only memory can be lacking.
        LIBRARY.get_or_init(|| {
            Self::read(DOTNET_PREFIX, DOTNET).unwrap_or_else(|error| {
                panic!("the declarations of .NET cannot be unpacked: {error}")
            })
        })
    }

    /// Reads a blob written by a [`BundleWriter`]; the paths of its declarations start with
    /// `place`.
    ///
    /// # Errors
    ///
    /// Fails if the blob is not valid.
    pub fn read(place: &str, blob: &[u8]) -> Result<Self, String> {
        let packed = Packed::read(blob)?;
        let mut exact = FxHashMap::default();
        for (number, unit) in packed.units.iter().enumerate() {
            exact.insert((unit.namespace, unit.name, unit.arity), number as u32);
        }
        let decoded = packed.units.iter().map(|_| OnceLock::new()).collect();
        Ok(Self {
            place: place.into(),
            packed,
            exact,
            decoded,
        })
    }

    /// Returns the names of all namespaces, sorted.
    pub fn namespaces(&self) -> impl Iterator<Item = &str> {
        let mut last = None;
        self.packed
            .units
            .iter()
            .map(|unit| unit.namespace)
            .filter(move |namespace| last.replace(*namespace) != Some(*namespace))
            .map(|n| self.packed.text(n))
    }

    /// Reports whether a name leads to a declaration.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.packed.has(name) || self.packed.has(&format!("{name}Attribute"))
    }

    fn declared(&self, number: u32) -> &LoadedType {
        self.decoded[number as usize].get_or_init(|| {
            let entry = self.packed.units[number as usize];
            let (namespace, name) = (
                self.packed.text(entry.namespace),
                self.packed.text(entry.name),
            );
            let dot = if namespace.is_empty() { "" } else { "." };

            let arity = if entry.arity == 0 {
                String::new()
            } else {
                format!("`{}", entry.arity)
            };

            // The blob comes from the build; a unit that cannot be decoded has no declarations.
            let (facts, leads_to) = match self.packed.unit(number) {
                Ok(unit) => (
                    facts::facts(&self.packed, entry.namespace, &unit),
                    self.leads_to(&unit),
                ),
                Err(_) => (Facts::of(Dialect::CSharp), Arc::default()),
            };

            LoadedType {
                namespace: namespace.into(),
                name: name.into(),
                arity: entry.arity,
                path: format!("{}{namespace}{dot}{name}{arity}", self.place).into(),
                facts: Arc::new(facts),
                leads_to,
            }
        })
    }

    /// Returns the unit of a type.
    fn unit_of(&self, namespace: &str, name: &str, arity: u16) -> Option<u32> {
        self.exact
            .get(&(
                self.packed.number(namespace)?,
                self.packed.number(name)?,
                arity,
            ))
            .copied()
    }

    /// Reports whether a full name, with the numbers of type parameters, is that of a struct or enum.
    #[must_use]
    pub fn has_value_type(&self, name: &str) -> bool {
        let (namespace, name) = name.rsplit_once('.').unwrap_or(("", name));
        let (name, arity) = name.split_once('`').unwrap_or((name, "0"));
        let unit = arity
            .parse()
            .ok()
            .and_then(|arity| self.unit_of(namespace, name, arity));
        let Some(unit) = unit else { return false };
        let facts = &self.declared(unit).facts;
        let is_value = |decl: &Declaration| matches!(decl.kind, DeclKind::Struct | DeclKind::Enum);
        let types = facts.decls.iter().filter(|decl| decl.kind.opens_type());
        types.take(1).any(is_value)
    }

    /// Returns all units that a unit refers to, directly or indirectly, sorted.
    fn leads_to(&self, unit: &TopLevelType) -> Arc<[(StringId, TypeLink)]> {
        // The units that each type of the table leads to; a type comes after its parts.
        let mut reached: Vec<Vec<TypeLink>> = Vec::with_capacity(unit.types.len());
        for form in &unit.types {
            let mut own: Vec<TypeLink> = Vec::new();
            let add = |own: &mut Vec<TypeLink>, ty: TypeIndex| {
                own.extend(reached.get(ty as usize).into_iter().flatten())
            };
            match form {
                TypeSig::Named(namespace, segments) => {
                    if let Some((name, args)) = segments.first() {
                        let arity = args.len() as u16;
                        let here = self.exact.get(&(*namespace, *name, arity));
                        own.push(
                            here.map_or(TypeLink::Outside(*namespace, *name, arity), |unit| {
                                TypeLink::TopLevelType(*unit)
                            }),
                        );
                    }

                    segments
                        .iter()
                        .flat_map(|(_, args)| args)
                        .for_each(|arg| add(&mut own, *arg));
                }
                TypeSig::Array(of, _)
                | TypeSig::Pointer(of)
                | TypeSig::ByRef(of)
                | TypeSig::Nullable(of) => add(&mut own, *of),
                TypeSig::Tuple(elements) => elements.iter().for_each(|(_, ty)| add(&mut own, *ty)),
                _ => {}
            }

            reached.push(own);
        }

        let mut leads = Vec::new();
        each_mention(&unit.root, &mut |name, ty| {
            leads.extend(
                reached
                    .get(ty as usize)
                    .into_iter()
                    .flatten()
                    .map(|unit| (name, *unit)),
            )
        });

        leads.sort_unstable();
        leads.dedup();
        leads.into()
    }
}

/// Calls `show` for every type that a declaration mentions, with the name that leads to it (0:
/// always).
fn each_mention(ty: &TypeDeclaration, show: &mut dyn FnMut(StringId, TypeIndex)) {
    ty.bases.iter().for_each(|base| show(0, *base));
    constraints(&ty.type_params, 0, show);
    ty.params.iter().for_each(|param| show(0, param.ty));
    ty.result.iter().for_each(|result| show(0, *result));
    for MemberDeclaration {
        name,
        kind,
        ty,
        params,
        type_params,
        ..
    } in &ty.members
    {
        // These are used without being named.
        let unnamed = matches!(
            kind,
            MemberKind::Constructor
                | MemberKind::Conversion
                | MemberKind::Operator
                | MemberKind::Indexer
        );

        let name = if unnamed { 0 } else { *name };
        ty.iter().for_each(|ty| show(name, *ty));
        params.iter().for_each(|param| show(name, param.ty));
        constraints(type_params, name, show);
    }

    ty.nested
        .iter()
        .for_each(|nested| each_mention(nested, show));
}

fn constraints(
    params: &[TypeParameter],
    name: StringId,
    show: &mut dyn FnMut(StringId, TypeIndex),
) {
    params
        .iter()
        .flat_map(|param| &param.constraints)
        .for_each(|constraint| show(name, *constraint));
}
