//! Whatever changes in installed packages, the index is that of a fresh start when a question has
//! waited for it.

use super::{Place, dump};
use crate::model::graph::EdgeType;

/// Gives back what it was given, so that the call behind it is one of `K.hit`.
const SAME: &str = "export declare function pick<T>(value: T): T;";

/// Gives back something else.
const OTHER: &str = "export declare function pick<T>(value: T): Date;";

impl Place {
    /// A repository that calls `K.hit` by way of a package.
    fn with_call(package: &str) -> Self {
        let place = Self::new();
        place.write("goal.ts", "export class K { hit() {} }");
        place.write("use.ts", &format!("import {{ pick }} from \"{package}\";\nimport {{ K }} from \"./goal\";\npick(new K()).hit();"));
        place
    }

    /// Writes a package.
    fn install(&self, folder: &str, text: &str) {
        self.write(
            &format!("{folder}/package.json"),
            "{\"types\": \"index.d.ts\"}",
        );
        self.write(&format!("{folder}/index.d.ts"), text);
    }

    /// Whether the call is known, once everything is settled; the index is that of a fresh start.
    fn knows_call(&self) -> bool {
        self.files();
        let dump = dump(&self.service.engine().unwrap());
        let rows = |what: &str| -> Vec<Vec<&str>> {
            let lines = dump
                .iter()
                .filter_map(|line| line.strip_prefix(what)?.strip_prefix('\t'));
            lines.map(|line| line.split('\t').collect()).collect()
        };
        let goal = rows("node")
            .iter()
            .find(|node| node[3] == "hit")
            .map(|node| node[0].to_owned())
            .unwrap();
        let calls = (EdgeType::Calls as u8).to_string();
        rows("edge")
            .iter()
            .any(|edge| edge[1] == calls && edge[2] == goal)
    }
}

#[test]
fn declarations_that_are_edited_in_place_are_known() {
    let place = Place::with_call("foo");
    place.install("node_modules/foo", SAME);
    assert!(place.knows_call());
    for _ in 0..3 {
        place.write("node_modules/foo/index.d.ts", OTHER);
        assert!(!place.knows_call());
        place.write("node_modules/foo/index.d.ts", SAME);
        assert!(place.knows_call());
    }
    place.write("node_modules/foo/index.d.ts", OTHER);
    place.write(
        "node_modules/foo/package.json",
        "{\"types\": \"other.d.ts\"}",
    );
    assert!(!place.knows_call());
    place.write("node_modules/foo/other.d.ts", SAME);
    assert!(place.knows_call());
}

#[test]
fn a_package_that_is_added_to_a_scope_is_known() {
    for (package, folder, beside) in [
        ("@s/baz", "node_modules/@s/baz", "node_modules/@s/bar"),
        ("baz", "node_modules/@types/baz", "node_modules/@types/bar"),
    ] {
        let place = Place::with_call(package);
        place.install(beside, SAME);
        assert!(!place.knows_call());
        place.install(folder, SAME);
        assert!(place.knows_call(), "{folder}");
        std::fs::remove_dir_all(place.root().join(folder)).unwrap();
        assert!(!place.knows_call());
    }
}

#[cfg(unix)]
#[test]
fn an_edit_in_the_store_that_links_lead_to_is_known() {
    let place = Place::with_call("foo");
    let store = "node_modules/.pnpm/foo@1.0.0/node_modules/foo";
    place.install(store, SAME);
    std::os::unix::fs::symlink(
        ".pnpm/foo@1.0.0/node_modules/foo",
        place.root().join("node_modules/foo"),
    )
    .unwrap();
    assert!(place.knows_call());
    place.write(&format!("{store}/index.d.ts"), OTHER);
    assert!(!place.knows_call());
    place.install("node_modules/.pnpm/foo@2.0.0/node_modules/foo", SAME);
    std::os::unix::fs::symlink(
        ".pnpm/foo@2.0.0/node_modules/foo",
        place.root().join("node_modules/next"),
    )
    .unwrap();
    std::fs::rename(
        place.root().join("node_modules/next"),
        place.root().join("node_modules/foo"),
    )
    .unwrap();
    assert!(place.knows_call(), "exchanged");
}

#[test]
fn a_new_import_has_its_package_watched() {
    let place = Place::new();
    place.install("node_modules/foo", OTHER);
    place.write("goal.ts", "export class K { hit() {} }");
    assert!(!place.knows_call());
    place.write(
        "use.ts",
        "import { pick } from \"foo\";\nimport { K } from \"./goal\";\npick(new K()).hit();",
    );
    assert!(!place.knows_call());
    place.write("node_modules/foo/index.d.ts", SAME);
    assert!(place.knows_call());
}
