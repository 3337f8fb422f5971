//! After any change of installed packages, a query sees the index of a fresh start.

use super::{Fixture, dump};
use crate::model::graph::EdgeType;

/// Returns its argument, so that the following call is one of `K.hit`.
const SAME: &str = "export declare function pick<T>(value: T): T;";

/// Returns a different type.
const OTHER: &str = "export declare function pick<T>(value: T): Date;";

impl Fixture {
    /// Creates a repository that calls `K.hit` on the result of a package's function.
    fn with_call(package: &str) -> Self {
        let fixture = Self::new();
        fixture.write("goal.ts", "export class K { hit() {} }");
        fixture.write("use.ts", &format!("import {{ pick }} from \"{package}\";\nimport {{ K }} from \"./goal\";\npick(new K()).hit();"));
        fixture
    }

    fn install(&self, folder: &str, text: &str) {
        self.write(
            &format!("{folder}/package.json"),
            "{\"types\": \"index.d.ts\"}",
        );
        self.write(&format!("{folder}/index.d.ts"), text);
    }

    /// Reports whether the call is resolved once the index is up to date; asserts that the index
    /// equals a fresh one.
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
fn edited_package_declarations_are_noticed() {
    let fixture = Fixture::with_call("foo");
    fixture.install("node_modules/foo", SAME);
    assert!(fixture.knows_call());

    for _ in 0..3 {
        fixture.write("node_modules/foo/index.d.ts", OTHER);
        assert!(!fixture.knows_call());
        fixture.write("node_modules/foo/index.d.ts", SAME);
        assert!(fixture.knows_call());
    }

    fixture.write("node_modules/foo/index.d.ts", OTHER);
    fixture.write(
        "node_modules/foo/package.json",
        "{\"types\": \"other.d.ts\"}",
    );
    assert!(!fixture.knows_call());
    fixture.write("node_modules/foo/other.d.ts", SAME);
    assert!(fixture.knows_call());
}

#[test]
fn a_package_added_to_a_scope_is_noticed() {
    for (package, folder, beside) in [
        ("@s/baz", "node_modules/@s/baz", "node_modules/@s/bar"),
        ("baz", "node_modules/@types/baz", "node_modules/@types/bar"),
    ] {
        let fixture = Fixture::with_call(package);
        fixture.install(beside, SAME);
        assert!(!fixture.knows_call());
        fixture.install(folder, SAME);
        assert!(fixture.knows_call(), "{folder}");
        std::fs::remove_dir_all(fixture.root().join(folder)).unwrap();
        assert!(!fixture.knows_call());
    }
}

#[cfg(unix)]
#[test]
fn an_edit_in_the_linked_package_store_is_noticed() {
    let fixture = Fixture::with_call("foo");
    let store = "node_modules/.pnpm/foo@1.0.0/node_modules/foo";
    fixture.install(store, SAME);
    std::os::unix::fs::symlink(
        ".pnpm/foo@1.0.0/node_modules/foo",
        fixture.root().join("node_modules/foo"),
    )
    .unwrap();
    assert!(fixture.knows_call());
    fixture.write(&format!("{store}/index.d.ts"), OTHER);
    assert!(!fixture.knows_call());
    fixture.install("node_modules/.pnpm/foo@2.0.0/node_modules/foo", SAME);
    std::os::unix::fs::symlink(
        ".pnpm/foo@2.0.0/node_modules/foo",
        fixture.root().join("node_modules/next"),
    )
    .unwrap();
    std::fs::rename(
        fixture.root().join("node_modules/next"),
        fixture.root().join("node_modules/foo"),
    )
    .unwrap();
    assert!(fixture.knows_call(), "exchanged");
}

#[test]
fn a_new_import_adds_a_watch_on_its_package() {
    let fixture = Fixture::new();
    fixture.install("node_modules/foo", OTHER);
    fixture.write("goal.ts", "export class K { hit() {} }");
    assert!(!fixture.knows_call());
    fixture.write(
        "use.ts",
        "import { pick } from \"foo\";\nimport { K } from \"./goal\";\npick(new K()).hit();",
    );
    assert!(!fixture.knows_call());
    fixture.write("node_modules/foo/index.d.ts", SAME);
    assert!(fixture.knows_call());
}
