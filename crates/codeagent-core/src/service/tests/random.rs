//! After random edits, the next query sees the index of a fresh start.
//!
//! `CODEAGENT_RANDOM_EDITS` sets the number of queries; each compares both indexes completely.

use std::path::PathBuf;

use super::Fixture;

struct RandomNumbers(u64);

impl RandomNumbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn folder(&mut self) -> String {
        let depth = self.below(4);
        (0..depth).map(|_| format!("d{}/", self.below(3))).collect()
    }

    fn file(&mut self) -> String {
        format!("{}C{}.cs", self.folder(), self.below(8))
    }

    fn text(&mut self) -> String {
        let (own, other, version) = (self.below(8), self.below(8), self.below(1000));
        format!(
            "namespace N{}; class C{own} {{ void M{version}(C{other} c) => c.M{}(c); }}",
            self.below(2),
            self.below(1000)
        )
    }
}

/// Makes a random change; impossible ones, such as renaming nothing, are skipped.
fn edit(fixture: &Fixture, numbers: &mut RandomNumbers) {
    let at = |path: &str| fixture.root().join(path);
    let (file, text) = (numbers.file(), numbers.text());
    let folder = at(&numbers.folder());
    let parents = |path: &PathBuf| {
        path.parent()
            .is_some_and(|folder| std::fs::create_dir_all(folder).is_ok())
    };

    match numbers.below(14) {
        0 => drop(std::fs::remove_file(at(&file))),
        1 => drop(std::fs::rename(at(&file), at(&numbers.file()))),
        2 if folder != at("") => drop(std::fs::remove_dir_all(folder)),
        3 if folder != at("") => drop(std::fs::rename(
            folder,
            at(&format!("d{}", numbers.below(3))),
        )),
        4 if folder != at("") => {
            // Move the folder out of the repository, change it there, and move it back.
            let aside = fixture.folder.path().join("aside");
            if std::fs::rename(&folder, &aside).is_ok() {
                std::fs::write(aside.join("C0.cs"), text).ok();
                std::fs::rename(&aside, &folder).unwrap();
            }
        }
        5 => {
            // Replace a file as editors do.
            std::fs::write(at(".new"), text).unwrap();
            if parents(&at(&file)) {
                std::fs::rename(at(".new"), at(&file)).ok();
            }
        }
        6 => {
            for number in 0..5 {
                let path = folder.join(format!("n{number}/m/C{number}.cs"));
                if parents(&path) {
                    std::fs::write(path, numbers.text()).ok();
                }
            }
        }
        7 => std::fs::write(
            at(".gitignore"),
            ["", "d1/\n", "C3.cs\n", "d0/d2/\n"][numbers.below(4)],
        )
        .unwrap(),
        8 => {
            let text = [
                "export declare function f(): string;",
                "export declare function f(): number;",
            ][numbers.below(2)];
            fixture.write("node_modules/foo/index.d.ts", text);
        }
        9 => {
            // Replace a file by a folder, or the reverse.
            std::fs::remove_file(at(&file)).ok();
            std::fs::create_dir_all(at(&file)).ok();
        }
        10 => drop(std::fs::remove_dir_all(at(&file))),
        _ if parents(&at(&file)) => drop(std::fs::write(at(&file), text)),
        _ => {}
    }
}

#[test]
fn queries_see_random_edits() {
    let questions =
        std::env::var("CODEAGENT_RANDOM_EDITS").map_or(100, |text| text.parse().unwrap());
    let (fixture, mut numbers) = (Fixture::new(), RandomNumbers(32));
    fixture.write("use.ts", "import { f } from \"foo\"; class K { toString() { return f().toString(); } } f().toString();");
    for _ in 0..questions {
        for _ in 0..=numbers.below(6) {
            edit(&fixture, &mut numbers);
        }
        fixture.files();
    }
    println!("{questions} questions, none answered by another index than a fresh one");
}
