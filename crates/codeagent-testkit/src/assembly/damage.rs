//! Malformed assemblies: cyclic references, shared rows, wrong sizes.
//!
//! Limitations: bit flips are not made here; tests make their own.

use super::{Assembly, METHOD, PUBLIC, Ty, image, table};

/// Description and content of a malformed file.
pub type Damaged = (&'static str, Vec<u8>);

/// Returns assemblies whose rows refer to each other in cycles, or repeatedly to the same row.
#[must_use]
pub fn cyclic_assemblies() -> Vec<Damaged> {
    vec![
        ("types nested in each other", nested(1)),
        ("types nested in each other many times", nested(300)),
        ("base classes that derive from each other", bases()),
        ("a type that is made of itself", specified()),
        ("a type nested in itself", scoped()),
        ("methods that belong to all types", shared_methods()),
        ("a long signature that all methods have", shared_signature()),
        ("a signature that is too deep", deep()),
        ("a name without end", endless()),
    ]
}

/// Returns assemblies that claim sizes larger than the file.
#[must_use]
pub fn too_much() -> Vec<Damaged> {
    let whole = Assembly::new("Lib").metadata();
    // Offset of the tables: after the metadata root and its three stream headers.
    let tables = 32 + 12 + 20 + 16;

    let patched = |at: usize, bytes: &[u8]| {
        let mut damaged = whole.clone();
        damaged[at..at + bytes.len()].copy_from_slice(bytes);
        image(&damaged)
    };

    vec![
        (
            "more rows than bytes",
            patched(tables + 24, &u32::MAX.to_le_bytes()),
        ),
        ("many rows of a table whose rows have no size", {
            let mut damaged = whole.clone();
            damaged[tables + 8 + 4] |= 0x40;
            damaged.splice(tables + 24 + 16..tables + 24 + 16, u32::MAX.to_le_bytes());
            image(&damaged)
        }),
        (
            "tables behind the end",
            patched(32, &0xffff_fff0_u32.to_le_bytes()),
        ),
        (
            "tables longer than all",
            patched(36, &0xffff_fff0_u32.to_le_bytes()),
        ),
        ("no tables", patched(40, b"#x")),
    ]
}

fn nested(times: u16) -> Vec<u8> {
    let mut assembly = Assembly::new("Lib");
    let outer = assembly.type_def(PUBLIC, "N", "Outer", 0);
    let first = assembly.type_def(2, "", "First", 0);
    let second = assembly.type_def(2, "", "Second", 0);
    assembly.row(table::NESTED, &[first, outer]);
    for _ in 0..times {
        assembly.row(table::NESTED, &[second, first]);
        assembly.row(table::NESTED, &[first, second]);
    }
    assembly.image()
}

fn bases() -> Vec<u8> {
    let mut assembly = Assembly::new("Lib");
    let next = assembly.count(table::TYPE_DEF) + 1;
    assembly.type_def(0, "N", "First", (next + 1) << 2);
    assembly.type_def(0, "N", "Second", next << 2);
    assembly.type_def(PUBLIC, "N", "Public", next << 2);
    assembly.type_def(PUBLIC, "N", "Self", (next + 3) << 2);
    assembly.image()
}

fn specified() -> Vec<u8> {
    let mut assembly = Assembly::new("Lib");
    // A generic instance whose type and type argument are the TypeSpec itself.
    let signature = assembly.blob(&[0x15, 0x12, 1 << 2 | 2, 1, 0x12, 1 << 2 | 2]);
    let row = assembly.row(table::TYPE_SPEC, &[signature]);
    assembly.type_def(PUBLIC, "N", "Type", row << 2 | 2);
    assembly.image()
}

fn scoped() -> Vec<u8> {
    let mut assembly = Assembly::new("Lib");
    let text = assembly.string("Type");
    let row = assembly.row(table::TYPE_REF, &[1 << 2 | 3, text, 0]);
    assembly.type_def(PUBLIC, "N", "Derived", row << 2 | 1);
    assembly.image()
}

fn shared_methods() -> Vec<u8> {
    let mut assembly = Assembly::new("Lib");
    for _ in 0..1_500 {
        assembly.add_method(METHOD, ("M", 0), &[], &Ty::Object);
    }
    let text = assembly.string("Type");
    for number in 0..1_500 {
        assembly.row(
            table::TYPE_DEF,
            &[1, 0, text, 0, 0, 1, if number % 2 == 0 { 1 } else { 1_500 }],
        );
    }
    assembly.image()
}

fn shared_signature() -> Vec<u8> {
    let mut assembly = Assembly::new("Lib");
    let class = assembly.row(table::TYPE_DEF, &[1, 0, 0, 0, 0, 1, 1]);
    let mut signature = vec![0x20, 0, 0x15, 0x12, (class << 2) as u8, 0x80 | 0x1f, 0xff];
    signature.resize(signature.len() + 0x1fff, 0x1c);
    let (text, signature) = (assembly.string("M"), assembly.blob(&signature));
    assembly.type_def(PUBLIC, "N", "Type", 0);
    for _ in 0..1_900 {
        assembly.row(table::METHOD, &[0, 0, 0, METHOD, text, signature, 1]);
    }
    assembly.image()
}

fn deep() -> Vec<u8> {
    let mut assembly = Assembly::new("Lib");
    let mut signature = vec![0x20, 0];
    signature.resize(16_000, 0x0f);
    let (text, signature) = (assembly.string("M"), assembly.blob(&signature));
    assembly.type_def(PUBLIC, "N", "Type", 0);
    assembly.row(table::METHOD, &[0, 0, 0, METHOD, text, signature, 1]);
    assembly.image()
}

fn endless() -> Vec<u8> {
    let mut assembly = Assembly::new("Lib");
    assembly.type_def(PUBLIC, "N", &"x".repeat(20_000), 0);
    let last = assembly.strings.len() - 1;
    assembly.strings[last] = b'x';
    assembly.image()
}
