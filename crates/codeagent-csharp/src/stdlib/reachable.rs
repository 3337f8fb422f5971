//! Reachable units: those that the names of a world lead to, across libraries that mention each
//! other's types.
//!
//! Limitations: a type that several libraries declare is taken from each of them, but if the
//! frameworks declare it, from them alone.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::stdlib::assembly_model::StringId;
use crate::stdlib::{Library, LoadedType, TypeLink};

/// A unit of one of the libraries.
type UnitId = (u32, u32);

/// Returns all units that the names of a world lead to, by library, in the order of their paths.
/// The first library is that of the frameworks.
pub fn needed<'l>(
    libraries: &[&'l Library],
    is_name: impl Fn(&str) -> bool,
) -> Vec<Vec<&'l LoadedType>> {
    let mut search = ReachableTypes {
        libraries,
        named: libraries
            .iter()
            .map(|library| named(library, &is_name))
            .collect(),
        units: units(libraries),
        taken: libraries
            .iter()
            .map(|library| vec![false; library.decoded.len()])
            .collect(),
        open: Vec::new(),
    };

    for (at, library) in (0..).zip(libraries) {
        for (unit, entry) in (0..).zip(library.packed.units.iter()) {
            if search.is_named(at, entry.name) {
                search.take((at, unit));
            }
        }

        for (name, unit) in &library.packed.extensions {
            if search.is_named(at, *name) {
                search.take((at, *unit));
            }
        }
    }

    while let Some((at, unit)) = search.open.pop() {
        let library = libraries[at as usize];
        for &(name, lead) in library.declared(unit).leads_to.iter() {
            match lead {
                _ if !search.is_named(at, name) => {}
                TypeLink::TopLevelType(unit) => search.take((at, unit)),
                TypeLink::Outside(namespace, name, arity) => {
                    search.take_outside((
                        library.packed.text(namespace),
                        library.packed.text(name),
                        arity,
                    ));
                }
            }
        }
    }

    let of = |(library, taken): (&&'l Library, &Vec<bool>)| {
        let library: &'l Library = library;
        let taken = (0..).zip(taken).filter(|(_, taken)| **taken);
        let mut needed: Vec<&'l LoadedType> =
            taken.map(|(unit, _)| library.declared(unit)).collect();
        needed.sort_by(|a, b| a.path.cmp(&b.path));
        needed
    };

    libraries.iter().zip(&search.taken).map(of).collect()
}

/// Returns, for each string of a library, whether a file can look it up: the file contains it, or
/// contains it as an attribute without its suffix.
fn named(library: &Library, is_name: &impl Fn(&str) -> bool) -> Vec<bool> {
    let is_asked =
        |text: &str| is_name(text) || text.strip_suffix("Attribute").is_some_and(is_name);
    (0..library.packed.texts() as StringId)
        .map(|text| text == 0 || is_asked(library.packed.text(text)))
        .collect()
}

type Units<'l> = FxHashMap<(&'l str, &'l str, u16), SmallVec<[UnitId; 1]>>;

/// Returns the units of all libraries except the first, which is searched separately.
fn units<'l>(libraries: &[&'l Library]) -> Units<'l> {
    let mut units = Units::default();
    for (at, library) in (0..).zip(libraries).skip(1) {
        for (unit, entry) in (0..).zip(library.packed.units.iter()) {
            let key = (
                library.packed.text(entry.namespace),
                library.packed.text(entry.name),
                entry.arity,
            );
            units.entry(key).or_default().push((at, unit));
        }
    }
    units
}

struct ReachableTypes<'s, 'l> {
    libraries: &'s [&'l Library],
    named: Vec<Vec<bool>>,
    units: Units<'l>,
    taken: Vec<Vec<bool>>,
    open: Vec<UnitId>,
}

impl ReachableTypes<'_, '_> {
    fn is_named(&self, library: u32, text: StringId) -> bool {
        self.named[library as usize][text as usize]
    }

    fn take(&mut self, (library, unit): UnitId) {
        let (library, unit) = self
            .of_frameworks((library, unit))
            .unwrap_or((library, unit));
        if !std::mem::replace(&mut self.taken[library as usize][unit as usize], true) {
            self.open.push((library, unit));
        }
    }

    /// Returns the framework unit that declares the same type as a package's unit.
    fn of_frameworks(&self, (library, unit): UnitId) -> Option<UnitId> {
        if library == 0 {
            return None;
        }
        let packed = &self.libraries[library as usize].packed;
        let entry = packed.units[unit as usize];
        let first = self.libraries.first()?.unit_of(
            packed.text(entry.namespace),
            packed.text(entry.name),
            entry.arity,
        )?;
        Some((0, first))
    }

    /// Takes a type that the library which mentions it does not declare.
    fn take_outside(&mut self, (namespace, name, arity): (&str, &str, u16)) {
        if let Some(unit) = self
            .libraries
            .first()
            .and_then(|first| first.unit_of(namespace, name, arity))
        {
            self.take((0, unit));
        } else {
            let all = self
                .units
                .get(&(namespace, name, arity))
                .cloned()
                .unwrap_or_default();
            all.into_iter().for_each(|at| self.take(at));
        }
    }
}
