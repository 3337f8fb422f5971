//! Tests that damaged and hostile assemblies are rejected with an error.
//!
//! `codeagent-core/tests/it/nuget.rs` tests the declarations of intact ones.

use codeagent_testkit::assembly::{Assembly, Ty, damage};

use crate::stdlib::metadata::Compiled;
use crate::stdlib::{Library, needed};

/// Returns a library of some types.
fn whole() -> Vec<u8> {
    let mut assembly = Assembly::new("Lib");
    assembly
        .class("N", "Base", None)
        .method("Run", &[], Ty::Void);
    assembly
        .class("N", "Box`1", Some(Ty::own("N", "Base")))
        .method("Get", &[("value", Ty::Param(0))], Ty::Param(0));
    assembly.extension("N", "More", "Twice", Ty::Int);
    assembly.image()
}

/// Returns the paths of an image's declarations, or the error.
fn read(image: &[u8]) -> Result<Vec<String>, String> {
    let compiled = Compiled::read(image)?;
    assert_eq!(
        Compiled::decode(&compiled.encode()).as_ref(),
        Some(&compiled)
    );
    let library = Library::read("", &compiled.blob)?;
    Ok(needed(&[&library], |_| true)
        .concat()
        .iter()
        .map(|declared| declared.path.to_string())
        .collect())
}

#[test]
fn the_identity_and_declarations_of_an_assembly_are_read() {
    let compiled = Compiled::read(&whole()).expect("it is whole");
    assert_eq!(
        (compiled.name.as_str(), &compiled.references[..]),
        ("Lib", &["System.Runtime".to_owned()][..])
    );
    assert_eq!(
        read(&whole()),
        Ok(["N.Base", "N.Box`1", "N.More"].map(str::to_owned).to_vec())
    );
}

#[test]
fn a_truncated_or_damaged_assembly_affects_only_itself() {
    let whole = whole();
    for end in 0..whole.len() {
        let _ = read(&whole[..end]);
    }
    for at in 0..whole.len() {
        for bit in [0x01, 0x80, 0xff] {
            let mut damaged = whole.clone();
            damaged[at] ^= bit;
            let _ = read(&damaged);
        }
    }
    for image in [&b""[..], b"MZ", b"no assembly at all"] {
        assert!(read(image).is_err());
    }
}

#[test]
fn a_cyclic_assembly_is_read_in_bounded_time() {
    for (what, image) in damage::cyclic_assemblies() {
        let read = read(&image);
        assert!(
            read.is_ok()
                || read
                    .as_ref()
                    .is_err_and(|problem| problem.contains("exceeds the limit")),
            "{what}: {read:?}"
        );
    }
}

#[test]
fn an_assembly_with_oversized_claims_is_refused() {
    for (what, image) in damage::too_much() {
        assert!(read(&image).is_err(), "{what}");
    }
}
