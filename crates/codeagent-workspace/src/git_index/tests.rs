use proptest::prelude::*;

use super::*;

/// Returns an index file as git writes it.
pub fn index(version: u32, hash_bytes: usize, names: &[&str]) -> Vec<u8> {
    let mut bytes = b"DIRC".to_vec();
    bytes.extend(version.to_be_bytes());
    bytes.extend(u32::try_from(names.len()).unwrap().to_be_bytes());

    let mut last = "";
    for name in names {
        let start = bytes.len();

        bytes.extend(vec![1; 40 + hash_bytes]);
        let extended = version == 3;
        bytes.extend(
            (if extended { 0x4000_u16 } else { 0 } | u16::try_from(name.len()).unwrap())
                .to_be_bytes(),
        );
        bytes.extend(vec![0; if extended { 2 } else { 0 }]);

        let shared = name
            .bytes()
            .zip(last.bytes())
            .take_while(|(a, b)| a == b)
            .count();

        if version == 4 {
            bytes.push(u8::try_from(last.len() - shared).unwrap());
            bytes.extend(&name.as_bytes()[shared..]);
            bytes.push(0);
        } else {
            bytes.extend(name.as_bytes());
            let filled = (bytes.len() - start + 8) & !7;
            bytes.resize(start + filled, 0);
        }

        last = name;
    }

    bytes.extend(b"TREE\0\0\0\x03abc");
    bytes.extend(vec![7; hash_bytes]);
    bytes
}

fn parsed(bytes: &[u8]) -> Option<GitIndex> {
    HASH_BYTES
        .iter()
        .find_map(|hash| GitIndex::parse(bytes, *hash))
}

#[test]
fn every_index_version_and_hash_is_parsed() {
    for (version, hash) in [(2, 20), (3, 20), (4, 20), (2, 32), (4, 32)] {
        let tracked = parsed(&index(
            version,
            hash,
            &["a.cs", "bin/Tool.cs", "bin/Tools/x.cs", "lib"],
        ))
        .unwrap();

        for (path, is_folder, expected) in [
            ("a.cs", false, true),
            ("a", true, false),
            ("bin", true, true),
            ("bin", false, false),
            ("bin/Tool.cs", false, true),
            ("bin/Tools", true, true),
            ("bin/To", true, false),
            ("lib", true, true),
        ] {
            assert_eq!(
                tracked.has(Path::new(path), is_folder),
                expected,
                "{path} in version {version}"
            );
        }
    }
}

#[test]
fn an_inconsistent_git_index_is_ignored() {
    let good = index(4, 20, &["a.cs", "b.cs"]);
    for cut in 0..good.len() {
        // A file may end after any extension.
        assert!(
            parsed(&good[..cut]).is_none_or(|found| found.ends.len() == 2),
            "{cut} bytes"
        );
    }
    let long = "x/".repeat(3000);
    assert!(parsed(&index(2, 20, &[&long])).is_none());
}

proptest! {
    #[test]
    fn any_bytes_are_parsed_without_panic(at in 0_usize..200, byte: u8, tail in prop::collection::vec(any::<u8>(), 0..40)) {
        let mut bytes = index(4, 20, &["a.cs", "bin/Tool.cs"]);
        let at = at % bytes.len();
        bytes[at] = byte;
        bytes.extend(tail);
        let tracked = parsed(&bytes).unwrap_or_default();
        tracked.has(Path::new("bin"), true);
    }
}
