//! `clean`: removes one repository's index or those of missing repositories, and nothing else.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::Shop;

#[test]
fn clean_removes_an_index_unless_it_is_being_written() {
    let shop = Shop::indexed();
    let size = shop.data().index_bytes();
    let listed = shop.stdout(&["clean", "--dry-run"]);
    assert!(
        listed.starts_with("would remove ") && listed.contains(" kB), the index of "),
        "{listed}"
    );
    assert!(size > 0 && shop.data().index_bytes() == size);

    let lock = shop.data().lock_writer().unwrap();
    let (code, said) = shop.failure(&["clean"]);
    assert!(
        code == 4 && said.contains(&format!("(process {})", std::process::id())),
        "{code} {said}"
    );
    assert_eq!(shop.data().index_bytes(), size);
    drop(lock);

    let json: serde_json::Value = serde_json::from_str(&shop.stdout(&["clean", "--json"])).unwrap();
    assert_eq!(
        (&json["results"][0]["bytes"], &json["results"][0]["removed"]),
        (&size.into(), &true.into()),
        "{json}"
    );
    assert_eq!(shop.stdout(&["clean"]), "nothing to remove\n");
    assert_eq!(shop.failure(&["status"]).0, 3);
    assert!(shop.stdout(&["index"]).starts_with("46 files, "));
}

/// One-file repositories whose indexes share a data root.
struct IndexedRepositories {
    outer: tempfile::TempDir,
}

impl IndexedRepositories {
    fn run(&self, arguments: &[&str], root: &Path) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_codeagent"));
        command
            .args(arguments)
            .arg("--root")
            .arg(root)
            .env("CODEAGENT_DATA_DIR", self.outer.path().join("home"));
        command.current_dir(self.outer.path()).output().unwrap()
    }

    fn indexed(&self, name: &str) -> PathBuf {
        let root = self.outer.path().join(name);
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join("a.cs"), "class A { }").unwrap();
        assert!(self.run(&["index"], &root).status.success());
        root
    }

    fn folders(&self) -> usize {
        std::fs::read_dir(self.outer.path().join("home"))
            .unwrap()
            .count()
    }
}

#[test]
fn clean_removes_indexes_of_missing_repositories() {
    let place = IndexedRepositories {
        outer: tempfile::tempdir().unwrap(),
    };
    let (gone, stays) = (place.indexed("gone"), place.indexed("stays"));
    std::fs::create_dir(place.outer.path().join("home/notes")).unwrap();
    let said = |arguments: &[&str]| {
        let output = place.run(arguments, &stays);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(said(&["clean", "--all"]), "nothing to remove\n");
    std::fs::remove_dir_all(&gone).unwrap();
    let listed = said(&["clean", "--all", "--dry-run"]);
    assert!(
        listed.starts_with("would remove ")
            && listed.contains("gone-")
            && listed.lines().count() == 1,
        "{listed}"
    );
    assert_eq!(place.folders(), 3);
    let removed = said(&["clean", "--all"]);
    assert!(
        removed.starts_with("removed ")
            && removed.contains("gone-")
            && removed.lines().count() == 1,
        "{removed}"
    );
    assert_eq!(place.folders(), 2);
    assert!(
        place.run(&["symbol", "A"], &stays).status.success(),
        "the other one is still there"
    );
}
