//! Ownership between metadata rows: members of a type, parameters of a method, attributes of any
//! row.
//!
//! Limitations: rows whose owner does not exist are ignored.

use clrmeta::{CodedIndex, Metadata, TableId};
use rustc_hash::FxHashMap;

use crate::stdlib::metadata::MAX_NAME;

pub type RowId = (TableId, u32);

/// The attributes that are looked up, by simple name.
const ATTRIBUTES: [&str; 7] = [
    "ExtensionAttribute",
    "TupleElementNamesAttribute",
    "DynamicAttribute",
    "ParamArrayAttribute",
    "ParamCollectionAttribute",
    "IsReadOnlyAttribute",
    "RequiresLocationAttribute",
];

/// Rows by their owner; all numbers start at 1.
#[derive(Debug, Default)]
pub struct RowOwners {
    /// The enclosing type of a nested type.
    pub enclosing: FxHashMap<u32, u32>,
    pub nested: FxHashMap<u32, Vec<u32>>,
    /// Rows of generic parameters of a type or method, in order.
    pub generics: FxHashMap<RowId, Vec<u32>>,
    /// Constraints of a generic parameter.
    pub constraints: FxHashMap<u32, Vec<CodedIndex>>,
    pub interfaces: FxHashMap<u32, Vec<CodedIndex>>,
    /// The range of a type's properties: the first, and the one after the last.
    pub properties: FxHashMap<u32, (u32, u32)>,
    /// The range of a type's events, like [`Self::properties`].
    pub events: FxHashMap<u32, (u32, u32)>,
    /// Accessors of a property or event.
    pub accessors: FxHashMap<RowId, Vec<u32>>,
    /// Values of the attributes in [`ATTRIBUTES`], by their index there; the first of several equal
    /// ones.
    attributes: FxHashMap<(RowId, u8), u32>,
}

impl RowOwners {
    #[must_use]
    pub fn of(metadata: &Metadata) -> Self {
        let mut rows = Self::default();
        rows.add_types(metadata);
        rows.add_generics(metadata);
        rows.add_members(metadata);
        rows.add_attributes(metadata);
        rows
    }

    fn add_types(&mut self, metadata: &Metadata) {
        for row in &metadata.nested_classes {
            self.enclosing.insert(row.nested_class, row.enclosing_class);
            self.nested
                .entry(row.enclosing_class)
                .or_default()
                .push(row.nested_class);
        }

        for row in &metadata.interface_impls {
            self.interfaces
                .entry(row.class)
                .or_default()
                .push(row.interface);
        }
    }

    /// Adds the type parameters in order, and their constraints.
    fn add_generics(&mut self, metadata: &Metadata) {
        for (index, row) in metadata.generic_params.iter().enumerate() {
            if let Some(table) = row.owner.table {
                self.generics
                    .entry((table, row.owner.row))
                    .or_default()
                    .push(index as u32 + 1);
            }
        }

        for list in self.generics.values_mut() {
            list.sort_by_key(|row| {
                metadata
                    .generic_params
                    .get(*row as usize - 1)
                    .map(|param| param.number)
            });
        }

        for row in &metadata.generic_param_constraints {
            self.constraints
                .entry(row.owner)
                .or_default()
                .push(row.constraint);
        }
    }

    /// Adds the ranges of properties and events of each type, and their accessors.
    fn add_members(&mut self, metadata: &Metadata) {
        let ends = metadata
            .property_maps
            .iter()
            .skip(1)
            .map(|row| row.property_list)
            .chain([metadata.properties.len() as u32 + 1]);
        self.properties = metadata
            .property_maps
            .iter()
            .zip(ends)
            .map(|(row, end)| (row.parent, (row.property_list, end)))
            .collect();

        let ends = metadata
            .event_maps
            .iter()
            .skip(1)
            .map(|row| row.event_list)
            .chain([metadata.events.len() as u32 + 1]);
        self.events = metadata
            .event_maps
            .iter()
            .zip(ends)
            .map(|(row, end)| (row.parent, (row.event_list, end)))
            .collect();

        for row in &metadata.method_semantics {
            if let Some(table) = row.association.table {
                self.accessors
                    .entry((table, row.association.row))
                    .or_default()
                    .push(row.method);
            }
        }
    }

    fn add_attributes(&mut self, metadata: &Metadata) {
        for row in &metadata.custom_attributes {
            let (Some(table), Some(name)) =
                (row.parent.table, attribute_name(metadata, row.attr_type))
            else {
                continue;
            };
            self.attributes
                .entry(((table, row.parent.row), name))
                .or_insert(row.value);
        }
    }

    /// Returns the value of an attribute of a row, by the attribute's simple name.
    #[must_use]
    pub fn attribute(&self, row: RowId, name: &str) -> Option<u32> {
        let name = ATTRIBUTES.iter().position(|known| *known == name)?;
        self.attributes.get(&(row, name as u8)).copied()
    }
}

/// Returns the index in [`ATTRIBUTES`] of the type whose constructor an attribute calls.
fn attribute_name(metadata: &Metadata, constructor: CodedIndex) -> Option<u8> {
    let name = match constructor.table? {
        TableId::MemberRef => {
            let class = metadata
                .member_refs
                .get(constructor.row.checked_sub(1)? as usize)?
                .class;
            match class.table? {
                TableId::TypeRef => {
                    metadata
                        .type_refs
                        .get(class.row.checked_sub(1)? as usize)?
                        .type_name
                }
                TableId::TypeDef => {
                    metadata
                        .type_defs
                        .get(class.row.checked_sub(1)? as usize)?
                        .type_name
                }
                _ => return None,
            }
        }
        TableId::MethodDef => {
            // The declaring type is the last one whose method list starts at or before the method.
            let after = metadata
                .type_defs
                .partition_point(|ty| ty.method_list <= constructor.row);
            metadata.type_defs.get(after.checked_sub(1)?)?.type_name
        }
        _ => return None,
    };

    let name = string(metadata, name);
    ATTRIBUTES
        .iter()
        .position(|known| *known == name)
        .map(|at| at as u8)
}

/// Returns a name; empty if there is none, or if it is too long or not valid text.
pub fn string(metadata: &Metadata, offset: u32) -> &str {
    let rest = metadata
        .strings
        .data()
        .get(offset as usize..)
        .unwrap_or_default();
    let window = &rest[..rest.len().min(MAX_NAME + 1)];
    let name = window
        .iter()
        .position(|byte| *byte == 0)
        .map_or(&[][..], |end| &window[..end]);
    std::str::from_utf8(name).unwrap_or_default()
}
