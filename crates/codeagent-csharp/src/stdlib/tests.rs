//! Tests that the blob in the binary is intact, and that a few names lead to the units they need.

use std::collections::BTreeSet;

use codeagent_model::facts::{DeclFlags, DeclKind};

use crate::stdlib::{Library, needed as needed_of};

/// Returns the paths of the units that some names lead to.
fn needed(names: &[&str]) -> BTreeSet<String> {
    needed_of(&[Library::dotnet()], |text| names.contains(&text))
        .concat()
        .iter()
        .map(|declared| declared.path.to_string())
        .collect()
}

#[test]
fn every_unit_decodes_and_its_references_exist() {
    let library = Library::dotnet();
    let all = needed_of(&[library], |_| true).concat();
    assert!(all.len() > 6000, "{}", all.len());
    for declared in all {
        let facts = &declared.facts;
        for id in facts.decl_ids() {
            let decl = facts.decl(id);
            assert!(decl.scope.index() < facts.scopes.len(), "{}", declared.path);
            assert!(
                decl.ty.is_none() || decl.ty.index() < facts.types.len(),
                "{}",
                declared.path
            );
        }
    }
}

#[test]
fn a_type_name_loads_the_type_and_its_bases() {
    let found = needed(&["ArgumentNullException"]);
    for path in [
        "dotnet:System.ArgumentNullException",
        "dotnet:System.ArgumentException",
        "dotnet:System.Exception",
    ] {
        assert!(found.contains(path), "{path} of {found:?}");
    }
    assert!(!found.contains("dotnet:System.Xml.XmlReader"));
}

#[test]
fn signature_types_are_loaded_for_named_members_only() {
    assert!(!needed(&["File"]).contains("dotnet:System.IO.FileStream"));
    assert!(needed(&["File", "OpenRead"]).contains("dotnet:System.IO.FileStream"));
}

#[test]
fn short_attribute_names_and_extension_methods_load_their_types() {
    assert!(needed(&["Flags"]).contains("dotnet:System.FlagsAttribute"));
    assert!(needed(&["ThenByDescending"]).contains("dotnet:System.Linq.Enumerable"));
}

#[test]
fn library_facts_match_the_metadata() {
    let library = Library::dotnet();
    let all = needed_of(&[library], |text| text == "Enumerable").concat();
    let linq = all
        .iter()
        .find(|declared| &*declared.path == "dotnet:System.Linq.Enumerable")
        .expect("it is there");
    let facts = &linq.facts;
    let zips: Vec<_> = facts
        .decl_ids()
        .filter(|id| facts.decl_name(*id) == "Zip" && facts.decl(*id).kind == DeclKind::Method)
        .collect();
    assert_eq!(zips.len(), 3);
    for zip in zips {
        let decl = facts.decl(zip);
        assert!(decl.flags.has(DeclFlags::STATIC | DeclFlags::EXTENSION));
        let first = facts.list(decl.params)[0];
        assert_eq!(facts.decl_name(first), "first");
        assert!(facts.decl(first).flags.has(DeclFlags::EXTENSION));
    }
}
