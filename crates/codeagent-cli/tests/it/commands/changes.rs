//! `codeagent changes`: uses that no longer match, in an index that the command updates.

use std::process::Command;

use expect_test::{Expect, expect};

use super::Shop;

/// Commits and indexes a file, replaces it, and checks what `changes` says about the new text.
fn check(path: &str, old: &str, new: &str, expected: &Expect) {
    let shop = Shop::new();
    let file = shop.root.path().join(path);
    std::fs::write(&file, old).unwrap();
    for arguments in [
        &["init", "-q"][..],
        &["add", "."],
        &[
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "commit",
            "-qm",
            "first",
        ],
    ] {
        let mut git = Command::new("git");
        assert!(
            git.args(arguments)
                .current_dir(shop.root.path())
                .status()
                .unwrap()
                .success()
        );
    }
    assert_eq!(shop.run(&["index"]).status.code(), Some(0));
    std::fs::write(&file, new).unwrap();

    let answer = loop {
        let answer = shop.stdout(&["changes"]);
        // A busy machine may not have time to check for changes.
        if !answer.contains("could not check") {
            break answer;
        }
    };
    let parts = answer
        .lines()
        .skip(1)
        .filter(|line| !line.starts_with("tests to run"));
    let shown: String = parts.flat_map(|line| [line, "\n"]).collect();
    expected.assert_eq(&shown);
}

#[test]
fn calls_that_no_longer_fit_are_listed() {
    let shelf = |parameters| {
        format!(
            "class Shelf\n{{\n    public static void Put({parameters}) {{ }}\n}}\nclass Clerk\n{{\n    void Keep()\n    {{\n        Shelf.Put(1);\n        Shelf.Put(1, 2);\n    }}\n}}\n"
        )
    };
    check(
        "src/Shelf.cs",
        &shelf("int count, int size = 0"),
        &shelf("int count, int size"),
        &expect![[r#"
            changed in signature (1):
            src/Shelf.cs
             3 method Shelf.Put(int count, int size): void, was Shelf.Put(int count, int size = 0): void
            may no longer match (1):
            src/Shelf.cs
             9 Shelf.Put(1);  (passes 1, Shelf.Put takes 2)
        "#]],
    );
}

#[test]
fn uses_of_removed_symbols_are_listed() {
    let user = "class Clerk : IKeep\n{\n    void Keep(Shelf shelf)\n    {\n        shelf.Put();\n        shelf.Count = 1;\n        new Shelf { Size = 2 };\n    }\n}\n";
    let old = "interface IKeep { }\nclass Shelf\n{\n    public int Count;\n    public int Size { get; set; }\n    public void Put() { }\n}\n";
    check(
        "src/Shelf.cs",
        &format!("{user}{old}"),
        &format!("{user}class Shelf {{ }}\n"),
        &expect![[r#"
            may no longer match (4):
            src/Shelf.cs
             1 class Clerk : IKeep  (uses IKeep, which was removed)
             5 shelf.Put();  (uses Shelf.Put, which was removed)
             6 shelf.Count = 1;  (uses Shelf.Count, which was removed)
             7 new Shelf { Size = 2 };  (uses Shelf.Size, which was removed)
            removed (4):
            src/Shelf.cs
             10 interface IKeep
             13 field Shelf.Count: int
             14 property Shelf.Size: int
             15 method Shelf.Put(): void
        "#]],
    );
}

#[test]
fn types_that_lack_an_implementation_are_listed() {
    let shelves = |parameters| {
        format!(
            "interface IShelf {{ void Put({parameters}); }}\nclass Base {{ public void Put() {{ }} }}\nclass Inherits : Base, IShelf {{ }}\nclass Both : IShelf {{ public void Put() {{ }} public void Put(int count) {{ }} }}\nabstract class Open {{ public abstract int Size({parameters}); }}\nclass Closed : Open {{ public override int Size() => 1; }}\n"
        )
    };
    check(
        "src/Shelf.cs",
        &shelves(""),
        &shelves("int count"),
        &expect![[r#"
            changed in signature (2):
            src/Shelf.cs
             1 method IShelf.Put(int count): void, was IShelf.Put(): void
             5 method Open.Size(int count): int, was Open.Size(): int
            no longer matches (2):
            src/Shelf.cs
             3 class Inherits : Base, IShelf { }  (lacks IShelf.Put(int count): void)
             6 class Closed : Open { public override int Size() => 1; }  (lacks Open.Size(int count): int)
        "#]],
    );
}

#[test]
fn in_typescript_an_implementation_may_take_fewer_parameters() {
    let shelves = |members| {
        format!(
            "export interface Shelf {{ {members} }}\nclass Wide implements Shelf {{\n  put() {{}}\n}}\nexport function keep(shelf: Shelf) {{\n  shelf.put();\n}}\n"
        )
    };
    check(
        "web/shelf.ts",
        &shelves("put(): void"),
        &shelves("put(count: number): void; take(): void"),
        &expect![[r#"
            changed in signature (1):
            web/shelf.ts
             1 public method Shelf.put(count: number): void, was Shelf.put(): void
            no longer matches (2):
            web/shelf.ts
             2 class Wide implements Shelf {  (lacks Shelf.take(): void)
             6 shelf.put();  (passes 0, Shelf.put takes 1)
            added (1):
            web/shelf.ts
             1 public method Shelf.take(): void
        "#]],
    );
}
