//! Incremental equals full: after any edits, the updated index equals a fresh one.
//!
//! Two copies of a repository get the same random edits (bodies, signatures, types, imports, added,
//! moved and removed files, project files, installed packages). One index is updated, the other is built
//! from scratch with another number of threads; their canonical dumps must be equal.
//!
//! `CODEAGENT_LAW_ROOTS` (folders, separated by `:`), `CODEAGENT_LAW_STEPS`, `CODEAGENT_LAW_EVERY`
//! (compare after every n-th edit) and `CODEAGENT_LAW_SEED` run it on more than `tests/shop`.
//! `CODEAGENT_LAW_ONLY=trivia` edits only comments, newlines and directives; `members` edits only
//! members and declarations; `types` adds and removes only types, in files old and new; `imports`
//! edits only imports and adds files, which may be imported already.

use std::path::{Path, PathBuf};
use std::{env, fs};

use codeagent_testkit::assembly::{Assembly, Ty};

use crate::index_pair::{IndexPair, USER_PACKAGES};

/// A random number generator: the same seed gives the same edits everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        if from.is_empty() {
            None
        } else {
            from.get(self.below(from.len()))
        }
    }
}

/// An installed package and its uses, which are edited like everything else.
const PACKAGE: &[(&str, &str)] = &[
    (
        "node_modules/gadgets/package.json",
        "{\n  \"name\": \"gadgets\",\n  \"types\": \"main.d.ts\",\n  \"version\": \"1.0.0\"\n}\n",
    ),
    (
        "node_modules/gadgets/main.d.ts",
        "export * from './parts';\nimport { Part } from './parts';\nexport declare class Gadget<T> extends Part {\n    constructor(of: T);\n    \
         take(): T;\n    each(what: (one: T) => void): this;\n}\ndeclare global {\n    function everywhere<T>(value: T): T;\n}\n",
    ),
    (
        "node_modules/gadgets/parts.d.ts",
        "export declare class Part {\n    name: string;\n}\nexport declare function pass<T>(value: T): T;\nexport declare function made(value: \
         unknown): Part;\n",
    ),
    (
        "gadgetry.ts",
        "import { Gadget, pass } from 'gadgets';\nexport class Owned {\n    run(): Owned {\n        return this;\n    }\n}\nexport function use() {\n    \
         const gadget = new Gadget(new Owned());\n    gadget.take().run();\n    gadget.each((one) => one.run());\n    pass(new Owned()).run();\n    \
         everywhere(new Owned()).run();\n}\ndeclare module 'gadgets' {\n    interface Part { owned: Owned; }\n}\n",
    ),
    (
        "gadget-reader.ts",
        "import { use } from './gadgetry';\nimport { made } from 'gadgets';\nuse();\nmade(1).owned.run();\n",
    ),
    (
        "gadget-events.ts",
        "import { use } from './gadgetry';\nimport { made } from 'gadgets';\ndeclare const router: any;\nrouter.post('gadgets.use', (ctx: any) => {\n    \
         use();\n    ctx.emit('gadgets.used');\n});\nexport function listen() {\n    router.on('gadgets.used', () => made(1).owned.run());\n}\n",
    ),
    (
        "gears/Gears.csproj",
        "<Project Sdk=\"Microsoft.NET.Sdk\">\n  <PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup>\n  <ItemGroup>\n    <PackageReference \
         Include=\"Gear\" Version=\"1.0.0\" />\n    <PackageReference Include=\"Cog\" Version=\"1.0.0\" />\n  </ItemGroup>\n</Project>\n",
    ),
    (
        "gears/Gears.cs",
        "using Gear;\nnamespace Gears;\npublic class Tooth\n{\n    public Tooth Turn() => this;\n}\npublic class Wheel : Cog.Toothed<Tooth>\n{\n    public void \
         Spin(Box<Tooth> box)\n    {\n        box.Get().Turn();\n        new Tooth().Pass().Turn();\n        Take().Turn();\n        Spare().Turn();\n    }\n}\n",
    ),
    (
        "gears/Reader.cs",
        "namespace Gears;\npublic class Reader\n{\n    public void Read(Wheel wheel) => wheel.Take().Turn().Turn();\n}\n",
    ),
];

/// Returns the path of a package's assembly and a random version of it.
fn assembly(random: &mut Random) -> (String, Vec<u8>) {
    let gear = |result: Ty| {
        let mut made = Assembly::new("Gear");
        let spare = Ty::Of("Cog", "Cog", "Toothed`1").with(&[Ty::Param(0)]);
        made.class("Gear", "Box`1", Some(spare))
            .method("Get", &[], result);
        made.extension("Gear", "Passing", "Pass", Ty::MethodParam(0));
        made
    };
    let cog = |name: &'static str| {
        let mut made = Assembly::new("Cog");
        made.class("Cog", "Toothed`1", None)
            .method(name, &[], Ty::Param(0))
            .method("Get", &[], Ty::Param(0));
        made
    };
    let mut image = match random.below(7) {
        0 => gear(Ty::Param(0)).image(),
        1 => gear(Ty::String).image(),
        2 => Assembly::new("Gear").image(),
        3 => cog("Take").image(),
        4 => cog("Spare").image(),
        5 => cog("Get").image(),
        _ => Vec::new(),
    };
    if random.below(8) == 0 {
        image.truncate(image.len() / 2);
    }
    let name = if random.below(2) == 0 { "Gear" } else { "Cog" };
    let framework = if random.below(4) == 0 {
        "net6.0"
    } else {
        "netstandard2.0"
    };
    (
        format!(
            "{USER_PACKAGES}/{}/1.0.0/lib/{framework}/{name}.dll",
            name.to_lowercase()
        ),
        image,
    )
}

/// One edit: files to write, or to remove if there is no text.
#[derive(Debug)]
struct Edit {
    what: &'static str,
    files: Vec<(String, Option<Vec<u8>>)>,
}

#[test]
fn an_updated_index_equals_a_fresh_one() {
    let steps = number("CODEAGENT_LAW_STEPS", 40);
    let every = number("CODEAGENT_LAW_EVERY", 1);
    let seed = number("CODEAGENT_LAW_SEED", 1);
    let shop = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/shop");
    let roots = env::var("CODEAGENT_LAW_ROOTS").map_or_else(
        |_| vec![shop],
        |roots| roots.split(':').map(PathBuf::from).collect(),
    );
    for root in roots {
        let relinked = run(&root, steps, every, seed as u64);
        println!(
            "{}: {steps} edits, no difference; files linked again per edit: {relinked:.1}",
            root.display()
        );
    }
}

fn number(name: &str, default: usize) -> usize {
    env::var(name)
        .ok()
        .and_then(|value| value.parse().ok())
        .unwrap_or(default)
}

fn run(source: &Path, steps: usize, every: usize, seed: u64) -> f64 {
    let twice = IndexPair::new(seed.is_multiple_of(2));
    let mut files = Vec::new();
    copy(source, source, &twice, &mut files);
    for (path, text) in PACKAGE {
        twice.apply(path, Some(text.as_bytes()));
        files.push((*path).to_owned());
    }
    files.sort();
    assert!(
        !files.is_empty(),
        "{} has no files to edit",
        source.display()
    );
    twice.index();
    let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ (seed.max(1) * 0x2545_F491));
    let (mut linked, mut log) = (0, Vec::new());
    for step in 0..steps {
        let Some(edit) = edit(&mut random, (source, &twice.root()), &files, step) else {
            continue;
        };
        for (path, text) in &edit.files {
            twice.apply(path, text.as_deref());
            files.retain(|known| known != path);
            if text.is_some() {
                files.push(path.clone());
                files.sort();
            }
        }
        log.push(format!(
            "{step}: {} {:?}",
            edit.what,
            edit.files.iter().map(|(path, _)| path).collect::<Vec<_>>()
        ));
        // Most batches name the changed files, as a watcher does; every fifth is a full scan.
        linked += if step % 5 == 4 {
            twice.index()
        } else {
            twice.index_only(edit.files.iter().map(|(path, _)| path))
        }
        .linked;
        if step % every == every - 1 || step + 1 == steps {
            let difference = twice.difference(1 + step % 3);
            assert!(
                difference.is_empty(),
                "the updated index (-) differs from a fresh one (+) after\n{}\n{}",
                log.join("\n"),
                difference.join("\n")
            );
        }
    }
    linked as f64 / steps.max(1) as f64
}

/// Copies source and project files, and lists the copied source files.
fn copy(root: &Path, folder: &Path, to: &IndexPair, files: &mut Vec<String>) {
    for entry in fs::read_dir(folder)
        .expect("a folder of the source")
        .flatten()
    {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type().expect("a kind");
        if kind.is_dir()
            && !matches!(
                name.as_str(),
                ".git" | "node_modules" | ".codeagent" | "target"
            )
        {
            copy(root, &path, to, files);
        } else if kind.is_file() && is_of_interest(&name) {
            let relative = path
                .strip_prefix(root)
                .expect("a path below the root")
                .to_string_lossy()
                .replace('\\', "/");
            let bytes = fs::read(&path).expect("a readable file");
            to.apply(&relative, Some(&bytes));
            files.push(relative);
        }
    }
}

fn is_of_interest(name: &str) -> bool {
    is_source(name) || is_project(name) || name == ".gitignore"
}

fn is_source(name: &str) -> bool {
    [
        ".cs", ".ts", ".tsx", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs",
    ]
    .iter()
    .any(|end| name.ends_with(end))
}

fn is_project(name: &str) -> bool {
    [".csproj", ".props", ".targets", ".sln", ".slnx", ".json"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// Returns a random edit of the folder `root`, a copy of `source`.
fn edit(
    random: &mut Random,
    (source, root): (&Path, &Path),
    files: &[String],
    step: usize,
) -> Option<Edit> {
    // A batch does not name changes of assemblies: only a full scan finds them.
    if step % 5 == 4 && random.below(2) == 0 {
        let (path, image) = assembly(random);
        return Some(Edit {
            what: "assembly",
            files: vec![(path, Some(image))],
        });
    }
    let sources: Vec<&String> = files.iter().filter(|path| is_source(path)).collect();
    let path = (*random.pick(&sources)?).clone();
    let text = fs::read(root.join(&path)).ok()?;
    let one = |what, text: Vec<u8>| {
        Some(Edit {
            what,
            files: vec![(path.clone(), Some(text))],
        })
    };
    let only_trivia = env::var("CODEAGENT_LAW_ONLY").is_ok_and(|only| only == "trivia");
    let only_members = env::var("CODEAGENT_LAW_ONLY").is_ok_and(|only| only == "members");
    let only_types = env::var("CODEAGENT_LAW_ONLY").is_ok_and(|only| only == "types");
    let only_imports = env::var("CODEAGENT_LAW_ONLY").is_ok_and(|only| only == "imports");
    match random.below(40) {
        // Restore files now and then, because permanently broken ones stop being a useful test.
        28..32 => one("restored", fs::read(source.join(&path)).unwrap_or(text)),
        _ if only_trivia => one("trivia", trivia(random, &text)),
        _ if only_members => one("member", member(random, &text, files, root)),
        _ if only_types && random.below(3) == 0 => {
            one("member", member(random, &text, files, root))
        }
        _ if only_types && random.below(3) == 0 => Some(new_file(random, &path, &text, step)),
        _ if only_types => one("types", declare(random, &text)),
        _ if only_imports && random.below(3) == 0 => Some(new_file(random, &path, &text, step)),
        _ if only_imports && random.below(3) == 0 => one("import", drop_import(random, &text)),
        _ if only_imports => one("import", import(random, &path, &text, files)),
        32..36 => one("types", declare(random, &text)),
        36..38 => Some(new_file(random, &path, &text, step)),
        38.. => one("import", import(random, &path, &text, files)),
        23..28 => one("member", member(random, &text, files, root)),
        20..23 => one("trivia", trivia(random, &text)),
        0..5 => one(
            "body",
            swap_lines(random, &text, |line| {
                line.trim_end().ends_with(';') && line.starts_with("    ")
            }),
        ),
        5..9 => one("signature", rename(random, &text, files, root)),
        9..12 => one("import", drop_import(random, &text)),
        12..14 => one("type", retype(random, &text)),
        14 => one("line", drop_line(random, &text, |_| true)),
        15 => one("layout", [b"\n".as_slice(), &text].concat()),
        16 => Some(Edit {
            what: "added",
            files: vec![(renamed(&path, step), Some(text))],
        }),
        17 => Some(Edit {
            what: "removed",
            files: vec![(path, None)],
        }),
        18 => Some(Edit {
            what: "moved",
            files: vec![(renamed(&path, step), Some(text)), (path, None)],
        }),
        _ => project_edit(random, root, files),
    }
}

/// Types to add: `N` is their name, `T` a type of the file.
const CSHARP_TYPES: &[&str] = &[
    "public class N { public T Fresh(T other) => other; public class Inner : T { } }",
    "public partial class N : T { public void Part() { } }",
    "partial class N { T field; }",
    "public static class N { public static T Widen(this T one, int by) => one; }",
    "public interface N : T { T Run(); }",
    "namespace Fresh.Parts { public class N { } }",
    "namespace Fresh { public struct N { public static implicit operator T(N one) => null; } }",
    "enum N { One, Two }",
    "public class N<K> where K : T { public K Of(T one) => null; }",
    "file class N : T { }",
    "public delegate T N(T one);",
];

const TYPESCRIPT_TYPES: &[&str] = &[
    "export class N { fresh(other: T): T { return other; } }",
    "export interface N extends T { run(): T }",
    "class N { one?: T }",
    "interface T { fresh(): N }",
    "export enum N { One, Two }",
    "export type N = T;",
    "export namespace N { export class Inner { } }",
];

/// Adds a type to a file, or removes one.
fn declare(random: &mut Random, text: &[u8]) -> Vec<u8> {
    let mut lines = lines(text);
    let head = |line: &String| {
        let words = ["class ", "interface ", "struct ", "enum "];
        words.iter().any(|word| line.contains(word)) && !line.contains("//")
    };
    let heads: Vec<usize> = (0..lines.len()).filter(|at| head(&lines[*at])).collect();
    let choice = random.below(5);
    if let Some(&at) = random.pick(&heads).filter(|_| choice < 2) {
        // A type ends at the next line that is indented like its head.
        let indent = |line: &str| line.len() - line.trim_start().len();
        let is_end =
            |end: &usize| lines[*end].trim() == "}" && indent(&lines[*end]) == indent(&lines[at]);
        if choice == 0 {
            let end = (at..lines.len()).find(is_end).unwrap_or(at);
            lines.drain(at..=end);
        } else {
            let fresh = type_text(random, text);
            lines.insert(at, fresh);
        }
    } else {
        let fresh = type_text(random, text);
        lines.push(fresh);
    }
    lines.concat().into_bytes()
}

fn type_text(random: &mut Random, text: &[u8]) -> String {
    let whole = String::from_utf8_lossy(text).into_owned();
    let is_csharp = whole.contains("namespace ") || whole.contains("using ");
    let templates = if is_csharp {
        CSHARP_TYPES
    } else {
        TYPESCRIPT_TYPES
    };
    let template = random.pick(templates).copied().unwrap_or_default();
    let types: Vec<&str> = words(&whole)
        .into_iter()
        .filter(|word| word.starts_with(char::is_uppercase))
        .collect();
    let ty = *random.pick(&types).unwrap_or(&"Missing");
    let number = random.below(6);
    let name = match number {
        0..2 => (*random.pick(&types).unwrap_or(&"Fresh")).to_owned(),
        _ => format!("Fresh{number}"),
    };
    let is_word = |c: char| c.is_alphanumeric();
    let spelled = template.split_inclusive(|c: char| !is_word(c)).map(|part| {
        let (word, rest) = part.split_at(part.trim_end_matches(|c: char| !is_word(c)).len());
        let word = match word {
            "N" => &name,
            "T" => ty,
            word => word,
        };
        format!("{word}{rest}")
    });
    format!("\n{}\n", spelled.collect::<String>())
}

/// Adds an import of a file in the same folder, which may be one that is added later.
fn import(random: &mut Random, path: &str, text: &[u8], files: &[String]) -> Vec<u8> {
    let Some(extension) = script_extension(path) else {
        return text.to_vec();
    };
    let prefix = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let is_beside = |file: &&String| {
        let (folder, _) = file.rsplit_once('/').unwrap_or(("", file));
        folder == prefix && script_extension(file) == Some(extension)
    };
    let beside: Vec<&String> = files.iter().filter(is_beside).collect();
    let stem = match random.below(3) {
        0 => format!("later{}", random.below(3)),
        _ => {
            let picked = random.pick(&beside).map_or("later0", |file| file.as_str());
            let name = picked.rsplit('/').next().unwrap_or(picked);
            name.trim_end_matches(extension).to_owned()
        }
    };
    let whole = String::from_utf8_lossy(text).into_owned();
    let words = words(&whole);
    let name = *random.pick(&words).unwrap_or(&"Fresh2");
    let line = match random.below(4) {
        0 => format!("export * from './{stem}';\n"),
        1 => format!("import './{stem}';\n"),
        2 => format!("export {{ {name} }} from './{stem}';\n"),
        _ => format!("import {{ {name}, Fresh2 }} from './{stem}';\n"),
    };
    format!("{line}{whole}").into_bytes()
}

fn drop_import(random: &mut Random, text: &[u8]) -> Vec<u8> {
    let words = ["import ", "using ", "export "];
    drop_line(random, text, |line| {
        words.iter().any(|word| line.starts_with(word))
    })
}

/// Returns the extension of a TypeScript file.
fn script_extension(path: &str) -> Option<&'static str> {
    [".ts", ".tsx", ".mts", ".cts"]
        .into_iter()
        .find(|end| path.ends_with(end))
}

/// Returns a new file with a type, beside another one and in its namespace.
fn new_file(random: &mut Random, path: &str, text: &[u8], step: usize) -> Edit {
    let whole = String::from_utf8_lossy(text).into_owned();
    let namespace = whole
        .lines()
        .find(|line| line.starts_with("namespace ") && line.trim_end().ends_with(';'))
        .unwrap_or_default();
    let imports = whole.lines().filter(|line| line.starts_with("import "));
    let imports: String = imports.map(|line| format!("{line}\n")).collect();
    let fresh = match random.below(4) {
        0 => String::new(),
        1 => format!("{imports}{}", type_text(random, text)),
        _ => format!("{namespace}\n{}", type_text(random, text)),
    };
    let named = match (script_extension(path), random.below(2)) {
        (Some(extension), 0) => {
            let folder = path
                .rsplit_once('/')
                .map(|(folder, _)| format!("{folder}/"));
            let number = random.below(3);
            format!("{}later{number}{extension}", folder.unwrap_or_default())
        }
        _ => renamed(path, 1000 + step),
    };
    Edit {
        what: "new",
        files: vec![(named, Some(fresh.into_bytes()))],
    }
}

fn renamed(path: &str, step: usize) -> String {
    let (stem, extension) = path.rsplit_once('.').unwrap_or((path, "ts"));
    format!("{stem}_{step}.{extension}")
}

fn lines(text: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(text)
        .split_inclusive('\n')
        .map(str::to_owned)
        .collect()
}

fn drop_line(random: &mut Random, text: &[u8], which: impl Fn(&str) -> bool) -> Vec<u8> {
    let mut lines = lines(text);
    let candidates: Vec<usize> = (0..lines.len()).filter(|at| which(&lines[*at])).collect();
    if let Some(at) = random.pick(&candidates) {
        lines.remove(*at);
    }
    lines.concat().into_bytes()
}

fn swap_lines(random: &mut Random, text: &[u8], which: impl Fn(&str) -> bool) -> Vec<u8> {
    let mut lines = lines(text);
    let candidates: Vec<usize> = (0..lines.len()).filter(|at| which(&lines[*at])).collect();
    if let (Some(a), Some(b)) = (random.pick(&candidates), random.pick(&candidates)) {
        lines.swap(*a, *b);
    }
    lines.concat().into_bytes()
}

/// Lines that mean nothing to a compiler, or only to some.
const TRIVIA: &[&str] = &[
    "// a note\n",
    "/* a note */\n",
    "/** @param {string} name @returns {number} */\n",
    "/// <summary>a note</summary>\n",
    "/// <reference path=\"./other.ts\" />\n",
    "#region a note\n",
    "#endregion\n",
    "#if DEBUG\n",
    "#else\n",
    "#endif\n",
    "#nullable enable\n",
    "'use strict'\n",
    "\r\n",
    "\n\n",
];

/// Adds a line, adds a comment or newline at white space, or removes a newline.
fn trivia(random: &mut Random, text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text).into_owned();
    let sign = if random.below(2) == 0 { '\n' } else { ' ' };
    let places: Vec<usize> = text.match_indices(sign).map(|(at, _)| at).collect();
    let Some(at) = random.pick(&places) else {
        return text.into_bytes();
    };
    let (before, after) = (&text[..*at], &text[*at + 1..]);
    let between = match (sign, random.below(4)) {
        ('\n', 0) => " ".to_owned(),
        ('\n', _) => format!("\n{}", random.pick(TRIVIA).copied().unwrap_or_default()),
        (_, 0) => "\n".to_owned(),
        (_, 1) => " // a note\n".to_owned(),
        _ => " /* a note */ ".to_owned(),
    };
    [before, &between, after].concat().into_bytes()
}

fn words(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.len() > 3 && word.starts_with(char::is_alphabetic))
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Renames the first occurrence of a word, often a declaration, to a new name or to one from
/// another file.
fn rename(random: &mut Random, text: &[u8], files: &[String], root: &Path) -> Vec<u8> {
    let text = String::from_utf8_lossy(text).into_owned();
    let other = random
        .pick(files)
        .and_then(|path| fs::read_to_string(root.join(path)).ok())
        .unwrap_or_default();
    let own = words(&text);
    let Some(word) = random.pick(&own) else {
        return text.into_bytes();
    };
    let theirs = words(&other);
    let new = if random.below(2) == 0 {
        format!("{word}Renamed")
    } else {
        (*random.pick(&theirs).unwrap_or(word)).to_owned()
    };
    text.replacen(*word, &new, 1).into_bytes()
}

/// Typical members and declarations; `N` is a name that is used somewhere, `T` and `U` are types.
const CSHARP_MEMBERS: &[&str] = &[
    "public T N(U value) => default;",
    "public T N(U value, int more = 0) { return default; }",
    "public static T N<TValue>(TValue value, T other) => other;",
    "internal T N { get; set; }",
    "public override string N() => null;",
    "protected virtual T N(T value) { int Local() => 1; return value; }",
    "private readonly T N;",
    "public const int N = 1;",
    "public event System.Action<T> N;",
    "T N(U value);",
    "public static U operator +(U left, T right) => left;",
    "public static implicit operator U(T value) => default;",
    "public static T N(this U value) => default;",
    "public T this[U index] => default;",
    "public void Deconstruct(out T first, out U second) { first = default; second = default; }",
    "public System.Collections.Generic.IEnumerator<T> GetEnumerator() => null;",
    "T U.N(U value) => default;",
    "public T(U value) { }",
    "public class N : U { }",
    "N,",
];
const TYPESCRIPT_MEMBERS: &[&str] = &[
    "N(value: U): T { return value as any; }",
    "static N(value: U) { return value; }",
    "N?: T;",
    "N: T;",
    "readonly N = 1;",
    "N = (value: U) => value;",
    "get N(): T { return this as any; }",
    "export function N(value: U): T { return value as any; }",
    "export const N = (value: T) => value;",
    "export const N = new T();",
    "export interface N extends T { value: U }",
    "export type N = T | U;",
    "export class N extends T { }",
    "export default N;",
    "export { N };",
    "constructor(readonly N: T) { }",
    "[Symbol.iterator]() { return [] as T[]; }",
    "[key: string]: T;",
    "N: N,",
    "declare global { interface N { value: T } }",
];

/// Adds, duplicates, renames or removes a member, or changes a parameter.
fn member(random: &mut Random, text: &[u8], files: &[String], root: &Path) -> Vec<u8> {
    let mut lines = lines(text);
    let whole = String::from_utf8_lossy(text).into_owned();
    let other = random
        .pick(files)
        .and_then(|path| fs::read_to_string(root.join(path)).ok())
        .unwrap_or_default();
    let is_csharp =
        whole.contains("namespace ") && (whole.contains("using ") || whole.contains("class "));
    let is_type = |word: &&&str| word.starts_with(char::is_uppercase);
    let (own, theirs) = (words(&whole), words(&other));
    let names = if random.below(2) == 0 { &own } else { &theirs };
    let name = *random.pick(names).unwrap_or(&"Fresh");
    let types: Vec<&str> = own.iter().chain(&theirs).filter(is_type).copied().collect();
    let ty = *random.pick(&types).unwrap_or(&"object");
    let other_ty = *random.pick(&types).unwrap_or(&"object");
    let is_declaration = |line: &&String| {
        line.contains('(') && (line.trim_end().ends_with(['{', ')', ';']) || line.contains("=>"))
    };
    let declarations: Vec<usize> = (0..lines.len())
        .filter(|at| is_declaration(&&lines[*at]))
        .collect();
    let choice = random.below(6);
    let Some(&at) = random.pick(&declarations).filter(|_| choice > 2) else {
        let opens = |line: &String| {
            ["class ", "interface ", "struct ", "enum ", "namespace "]
                .iter()
                .any(|word| line.contains(word))
        };
        let heads: Vec<usize> = (0..lines.len()).filter(|at| opens(&lines[*at])).collect();
        let head = random.pick(&heads).copied().unwrap_or(0);
        let brace = (head..lines.len())
            .find(|at| lines[*at].trim_end().ends_with('{'))
            .unwrap_or(head);
        let templates = if is_csharp {
            CSHARP_MEMBERS
        } else {
            TYPESCRIPT_MEMBERS
        };
        let template = random.pick(templates).copied().unwrap_or_default();
        let spelled = template
            .split_inclusive(|c: char| !c.is_alphanumeric())
            .map(|part| {
                let (word, rest) =
                    part.split_at(part.trim_end_matches(|c: char| !c.is_alphanumeric()).len());
                let word = if word == "N" {
                    name
                } else if word == "T" {
                    ty
                } else if word == "U" {
                    other_ty
                } else {
                    word
                };
                format!("{word}{rest}")
            });
        let added = spelled.collect::<String>() + "\n";
        let place = if lines.is_empty() { 0 } else { brace + 1 };
        lines.insert(place, added);
        return lines.concat().into_bytes();
    };
    let line = lines[at].clone();
    match choice {
        3 => {
            let parameter = if is_csharp {
                format!("({ty} {name}, ")
            } else {
                format!("({name}: {ty}, ")
            };
            lines[at] = line.replacen('(', &parameter, 1).replacen(", )", ")", 1);
        }
        4 => {
            let end = line.find('(').unwrap_or(line.len());
            let start = line[..end]
                .rfind(|c: char| !c.is_alphanumeric())
                .map_or(0, |before| before + 1);
            if line.is_char_boundary(start) {
                lines[at].replace_range(start..end, name);
            }
        }
        _ if line.trim_end().ends_with('{') => {}
        _ if random.below(2) == 0 => {
            lines.insert(at, line.replacen('(', &format!("({other_ty} "), 1))
        }
        _ => {
            lines.remove(at);
        }
    }
    lines.concat().into_bytes()
}

/// Replaces the type after a colon or at the start of a member by another type name of the file.
fn retype(random: &mut Random, text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text).into_owned();
    let types: Vec<&str> = words(&text)
        .into_iter()
        .filter(|word| word.starts_with(char::is_uppercase))
        .collect();
    let (Some(from), Some(to)) = (random.pick(&types), random.pick(&types)) else {
        return text.into_bytes();
    };
    text.replacen(*from, to, 1 + random.below(3)).into_bytes()
}

fn project_edit(random: &mut Random, root: &Path, files: &[String]) -> Option<Edit> {
    let projects: Vec<&String> = files
        .iter()
        .filter(|path| is_project(path) && !path.ends_with(".sln"))
        .collect();
    let path = (*random.pick(&projects)?).clone();
    let text = fs::read_to_string(root.join(&path)).ok()?;
    let new = if path.ends_with(".json") {
        drop_line(random, text.as_bytes(), |line| {
            line.trim_end().ends_with(',')
        })
    } else if random.below(2) == 0 {
        text.replacen(
            "<PropertyGroup>",
            "<PropertyGroup><DefineConstants>$(DefineConstants);EDITED</DefineConstants>",
            1,
        )
        .into_bytes()
    } else {
        drop_line(random, text.as_bytes(), |line| {
            line.contains("Reference Include")
                || line.contains("Using Include")
                || line.contains("ImplicitUsings")
        })
    };
    Some(Edit {
        what: "project",
        files: vec![(path, Some(new))],
    })
}
