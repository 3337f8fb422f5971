//! Interface packs: uses of another repository's declarations are named, and are the edges that both
//! repositories have when they are indexed as one.

use codeagent_core::Engine;
use codeagent_core::model::graph::NodeKind;
use codeagent_core::packs::{add_pack, make_pack, packs};
use codeagent_core::store::{self, canonical_dump};

use crate::repository::Repository;

type Files<'f> = &'f [(&'f str, &'f str)];

const TYPESCRIPT: Files<'_> = &[
    (
        "package.json",
        r#"{"name": "orm", "main": "./dist/index.js", "private": true}"#,
    ),
    (
        "tsconfig.json",
        r#"{"compilerOptions": {"outDir": "dist", "rootDir": "src"}, "include": ["src"]}"#,
    ),
    (
        "src/index.ts",
        "export * from './repository';\nexport { connect } from './connect';\n",
    ),
    (
        "src/repository.ts",
        "export class Repository<T> {
    async find(id: string) { return this.made(id); }
    private async made(id: string): Promise<T> { throw id; }
    save(entity: T): Repository<T> { return this; }
}
",
    ),
    (
        "src/connect.ts",
        "import { Repository } from './repository';
export function connect() { return new Connection(); }
export class Connection { of<T>(type: new () => T) { return new Repository<T>(); } }
",
    ),
    (
        "test/repository.test.ts",
        "import { Repository } from '../src/repository';\nnew Repository().save(1);\n",
    ),
];

const TYPESCRIPT_APP: Files<'_> = &[
    (
        "package.json",
        r#"{"name": "app", "dependencies": {"orm": "^1.0.0"}}"#,
    ),
    ("tsconfig.json", r#"{"include": ["."]}"#),
    (
        "app.ts",
        "import { Repository, connect } from 'orm';
class User { name() { return 'a'; } }
export async function run(users: Repository<User>) {
    const user = await users.save(new User()).find('a');
    user.name();
    (await connect().of(User).find('b')).name();
    own(users);
}
function own(users: Repository<User>) { users.missing(); }
class Users extends Repository<User> { all() { return this.save(new User()); } }
",
    ),
];

const CSHARP: Files<'_> = &[
    (
        "src/Times/Times.csproj",
        r#"<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup></Project>"#,
    ),
    (
        "src/Times/Instant.cs",
        "using System.Collections.Generic;
namespace Times;
public readonly struct Instant
{
    public Instant(long ticks) { }
    public static Instant FromTicks(long ticks) => new(ticks);
    public static Instant operator +(Instant left, Span right) => left;
    public Instant Plus(Span span, Dictionary<string, List<Instant>> known) => this;
    public T Map<T>(T value, Box<T> box) => value;
    public int Year { get; }
}
public struct Span { }
public class Box<T> { public T Value(T[] all, ref int at, string? name) => all[0]; }
",
    ),
];

const CSHARP_APP: Files<'_> = &[
    (
        "App.csproj",
        r#"<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup>
           <ItemGroup><PackageReference Include="Times" Version="3.0.0" /></ItemGroup></Project>"#,
    ),
    (
        "App.cs",
        "using Times;
class App
{
    int Run(Instant at, Span span, int[] all)
    {
        var later = Instant.FromTicks(1).Plus(span, null) + span;
        int n = 0;
        new Box<int>().Value(all, ref n, null);
        return later.Map(1, new Box<int>()) + at.Year;
    }
}
",
    ),
];

fn engine(repository: &Repository, packs: &[Vec<u8>]) -> Engine {
    let engine = repository.open("index");
    for bytes in packs {
        add_pack(engine.data(), bytes).unwrap();
    }
    engine.index(&|_| ()).unwrap();
    engine
}

fn pack_of(name: &str, files: Files<'_>) -> Vec<u8> {
    let repository = Repository::of(files);
    let engine = engine(&repository, &[]);
    let reader = engine.reader();
    let snapshot = reader.snapshot().unwrap();
    make_pack(reader.workspace(), &snapshot, (name, "c0"))
        .unwrap()
        .0
}

/// Returns the uses of the symbols of packages below a folder: `edge_type path:line:column name`.
fn packed_uses(engine: &Engine, package: &str) -> Vec<String> {
    let snapshot = engine.reader().snapshot().unwrap();
    let mut lines = Vec::new();
    for file in store::files(&snapshot).unwrap() {
        for (used, sites) in store::external_uses_in(&snapshot, file.id).unwrap() {
            if &*used.symbol.package != package {
                continue;
            }
            lines.extend(sites.iter().map(|site| {
                let (edge_type, path, name) = (site.edge_type, &file.path, used.symbol.name());
                format!("{edge_type} {path}:{}:{} {name}", site.line, site.column)
            }));
        }
    }
    lines.sort();
    lines
}

/// Returns the edges from folder `app` into folder `lib`, in the same form.
fn joint_uses(files: (Files<'_>, Files<'_>), package: &str) -> Vec<String> {
    let repository = Repository::of(&[]);
    for (folder, files) in [("lib", files.0), ("app", files.1)] {
        for (path, text) in files {
            repository.write_bytes(&format!("root/{folder}/{path}"), text.as_bytes());
        }
    }
    let engine = engine(&repository, &[]);
    let snapshot = engine.reader().snapshot().unwrap();
    let paths: std::collections::BTreeMap<_, _> = store::files(&snapshot)
        .unwrap()
        .into_iter()
        .map(|file| (file.id, file.path))
        .collect();
    let symbols = store::export_symbols(&snapshot).unwrap();

    let mut lines = Vec::new();
    store::export_edges(&snapshot, |edge| {
        let target = symbols.iter().find(|symbol| symbol.id == edge.target);
        let Some(target) = target.filter(|target| paths[&target.file].starts_with("lib/")) else {
            return;
        };
        let owner = symbols
            .iter()
            .find(|symbol| Some(symbol.id) == target.parent)
            .map_or("", |owner| owner.name.as_str());
        let name = match target.kind {
            NodeKind::File => package,
            NodeKind::Constructor => owner,
            NodeKind::Operator => "op_Addition",
            _ => target.name.as_str(),
        };
        let Some(path) = paths[&edge.file].strip_prefix("app/") else {
            return;
        };
        let (edge_type, line, column) = (edge.edge_type, edge.line, edge.column);
        lines.push(format!("{edge_type} {path}:{line}:{column} {name}"));
    })
    .unwrap();
    lines.sort();
    lines
}

#[test]
fn uses_of_a_pack_are_the_edges_of_both_repositories_indexed_as_one() {
    for (package, library, app) in [
        ("orm", TYPESCRIPT, TYPESCRIPT_APP),
        ("Times", CSHARP, CSHARP_APP),
    ] {
        let joint = joint_uses((library, app), package);
        let repository = Repository::of(app);
        let engine = engine(&repository, &[pack_of("library", library)]);
        assert_eq!(packed_uses(&engine, package), joint);
        assert!(joint.len() >= 9, "{joint:#?}");
    }
}

#[test]
fn ids_of_csharp_declarations_are_those_of_the_assembly() {
    let repository = Repository::of(CSHARP_APP);
    let engine = engine(&repository, &[pack_of("library", CSHARP)]);
    let snapshot = engine.reader().snapshot().unwrap();
    let symbols = store::external_symbols_of(&snapshot, "Times", 100).unwrap();
    let ids: Vec<String> = symbols
        .iter()
        .map(|found| found.symbol.descriptor.to_string())
        .filter(|id| id.starts_with("M:"))
        .collect();
    assert_eq!(
        ids,
        [
            "M:Times.Box`1.Value(`0[],System.Int32@,System.String)",
            "M:Times.Instant.FromTicks(System.Int64)",
            "M:Times.Instant.Map``1(``0,Times.Box{``0})",
            "M:Times.Instant.Plus(Times.Span,System.Collections.Generic.Dictionary{System.String,\
             System.Collections.Generic.List{Times.Instant}})",
            "M:Times.Instant.op_Addition(Times.Instant,Times.Span)",
        ]
    );
}

#[test]
fn a_pack_has_no_tests_and_says_what_it_has() {
    let repository = Repository::of(TYPESCRIPT_APP);
    let engine = engine(&repository, &[pack_of("library", TYPESCRIPT)]);
    let found = packs(engine.data()).pop().unwrap().unwrap();
    assert_eq!(
        (found.name.as_str(), found.commit.as_str()),
        ("library", "c0")
    );
    assert_eq!((found.packages, found.files), (vec!["orm".to_owned()], 3));
}

#[test]
fn adding_editing_and_removing_give_what_a_fresh_index_gives() {
    let pack = pack_of("library", TYPESCRIPT);
    let dump = |engine: &Engine| canonical_dump(&engine.reader().snapshot().unwrap()).unwrap();
    let repository = Repository::of(TYPESCRIPT_APP);
    let plain = engine(&repository, &[]);
    let without = dump(&plain);

    add_pack(plain.data(), &pack).unwrap();
    plain.index(&|_| ()).unwrap();
    let other = Repository::of(TYPESCRIPT_APP);
    let fresh = engine(&other, std::slice::from_ref(&pack));
    assert_eq!(dump(&plain), dump(&fresh));

    let app = TYPESCRIPT_APP[2].1.replace("find('a')", "find('c')");
    let edits = [
        (
            "new.ts",
            "import { connect } from 'orm';\nconnect().of(Date);\n",
        ),
        ("app.ts", app.as_str()),
    ];
    let third = Repository::of(TYPESCRIPT_APP);
    for repository in [&repository, &other, &third] {
        repository.write(&edits);
    }
    plain.index(&|_| ()).unwrap();
    assert_eq!(dump(&plain), dump(&engine(&third, &[pack])));

    repository.write(TYPESCRIPT_APP);
    std::fs::remove_file(repository.path("new.ts")).unwrap();
    assert!(plain.data().remove_pack("library").unwrap());
    plain.index(&|_| ()).unwrap();
    assert_eq!(dump(&plain), without);
}

#[test]
fn a_damaged_pack_is_refused_and_one_in_the_index_is_left_out() {
    let pack = pack_of("library", TYPESCRIPT);
    let repository = Repository::of(TYPESCRIPT_APP);
    let engine = engine(&repository, &[]);
    let without = packed_uses(&engine, "orm");
    let mut damaged = pack.clone();
    *damaged.last_mut().unwrap() ^= 1;
    assert!(add_pack(engine.data(), &damaged).is_err());
    assert_eq!(packs(engine.data()).len(), 0);

    engine.data().write_pack("library", &damaged).unwrap();
    engine.index(&|_| ()).unwrap();
    assert_eq!(packed_uses(&engine, "orm"), without);
    add_pack(engine.data(), &pack).unwrap();
    engine.index(&|_| ()).unwrap();
    assert!(packed_uses(&engine, "orm").len() > without.len());
}
