//! The rows of metadata that belong to one row of another table: members of a type, parameters of a method, attributes of anything.
//!
//! **Limits.** Rows whose owner does not exist belong to nobody.

use clrmeta::{CodedIndex, Metadata, TableId};
use rustc_hash::FxHashMap;

/// A row of some table.
pub type Row = (TableId, u32);

/// Rows by what they belong to; all numbers begin with 1.
#[derive(Debug, Default)]
pub struct Rows {
    /// The type that a type is nested in.
    pub enclosing: FxHashMap<u32, u32>,
    /// Nested types of a type.
    pub nested: FxHashMap<u32, Vec<u32>>,
    /// Rows of generic parameters of a type or method, by their number.
    pub generics: FxHashMap<Row, Vec<u32>>,
    /// Constraints of a generic parameter.
    pub constraints: FxHashMap<u32, Vec<CodedIndex>>,
    /// Interfaces of a type.
    pub interfaces: FxHashMap<u32, Vec<CodedIndex>>,
    /// The first property of a type and the one after its last; the same of events.
    pub properties: FxHashMap<u32, (u32, u32)>,
    /// See [`Self::properties`].
    pub events: FxHashMap<u32, (u32, u32)>,
    /// Accessors of a property or event.
    pub accessors: FxHashMap<Row, Vec<u32>>,
    /// Attributes: name of the type and value.
    pub attributes: FxHashMap<Row, Vec<(String, u32)>>,
}

impl Rows {
    /// Sorts the rows.
    #[must_use]
    pub fn of(metadata: &Metadata) -> Self {
        let mut rows = Self::default();
        for row in &metadata.nested_classes {
            rows.enclosing.insert(row.nested_class, row.enclosing_class);
            rows.nested.entry(row.enclosing_class).or_default().push(row.nested_class);
        }
        for (index, row) in metadata.generic_params.iter().enumerate() {
            if let Some(table) = row.owner.table {
                rows.generics.entry((table, row.owner.row)).or_default().push(index as u32 + 1);
            }
        }
        for list in rows.generics.values_mut() {
            list.sort_by_key(|row| metadata.generic_params.get(*row as usize - 1).map(|param| param.number));
        }
        for row in &metadata.generic_param_constraints {
            rows.constraints.entry(row.owner).or_default().push(row.constraint);
        }
        for row in &metadata.interface_impls {
            rows.interfaces.entry(row.class).or_default().push(row.interface);
        }
        let ends = metadata.property_maps.iter().skip(1).map(|row| row.property_list).chain([metadata.properties.len() as u32 + 1]);
        rows.properties = metadata.property_maps.iter().zip(ends).map(|(row, end)| (row.parent, (row.property_list, end))).collect();
        let ends = metadata.event_maps.iter().skip(1).map(|row| row.event_list).chain([metadata.events.len() as u32 + 1]);
        rows.events = metadata.event_maps.iter().zip(ends).map(|(row, end)| (row.parent, (row.event_list, end))).collect();
        for row in &metadata.method_semantics {
            if let Some(table) = row.association.table {
                rows.accessors.entry((table, row.association.row)).or_default().push(row.method);
            }
        }
        rows.add_attributes(metadata);
        rows
    }

    fn add_attributes(&mut self, metadata: &Metadata) {
        for row in &metadata.custom_attributes {
            let (Some(table), Some(name)) = (row.parent.table, attribute_name(metadata, row.attr_type)) else { continue };
            self.attributes.entry((table, row.parent.row)).or_default().push((name, row.value));
        }
    }

    /// The value of an attribute of a row, by the attribute's simple name.
    #[must_use]
    pub fn attribute(&self, row: Row, name: &str) -> Option<u32> {
        self.attributes.get(&row)?.iter().find(|(own, _)| own == name).map(|(_, value)| *value)
    }
}

/// The simple name of the type whose constructor an attribute calls.
fn attribute_name(metadata: &Metadata, constructor: CodedIndex) -> Option<String> {
    let name = match constructor.table? {
        TableId::MemberRef => {
            let class = metadata.member_refs.get(constructor.row.checked_sub(1)? as usize)?.class;
            match class.table? {
                TableId::TypeRef => metadata.type_refs.get(class.row.checked_sub(1)? as usize)?.type_name,
                TableId::TypeDef => metadata.type_defs.get(class.row.checked_sub(1)? as usize)?.type_name,
                _ => return None,
            }
        }
        TableId::MethodDef => {
            // The type with the last method list that does not begin after the method.
            let after = metadata.type_defs.partition_point(|ty| ty.method_list <= constructor.row);
            metadata.type_defs.get(after.checked_sub(1)?)?.type_name
        }
        _ => return None,
    };
    metadata.strings.get(name).ok().map(str::to_owned)
}
