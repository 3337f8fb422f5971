//! Uses of symbols outside the repository, as they are stored and as names find them.
//!
//! A case is a small repository and the uses in it, one per line:
//! `edge_type manager:package descriptor file:line`, with `?` before what is inferred.

use codeagent_core::model::graph::{Confidence, EdgeType};
use codeagent_core::query::{Snapshot, external_targets, resolve_external, resolve_symbols};
use codeagent_core::store;

use crate::repository::Repository;

fn snapshot_of(files: &[(&str, &str)]) -> (Repository, Snapshot) {
    let mut repository = Repository::of(files);
    repository.index();
    let snapshot = {
        let engine = repository.engine.as_ref().unwrap();
        engine.reader().snapshot().unwrap()
    };
    (repository, snapshot)
}

fn check(files: &[(&str, &str)], expected: &[&str]) {
    let (_repository, snapshot) = snapshot_of(files);
    let mut lines = Vec::new();
    for (path, _) in files {
        let Some(file) = store::file_by_path(&snapshot, path).unwrap() else {
            continue;
        };
        for (used, sites) in store::external_uses_in(&snapshot, file.id).unwrap() {
            let symbol = &used.symbol;
            for site in sites {
                let doubt = match site.confidence {
                    Confidence::Exact => "",
                    _ => "?",
                };
                lines.push(format!(
                    "{doubt}{} {}:{} {} {path}:{}",
                    site.edge_type, symbol.manager, symbol.package, symbol.descriptor, site.line
                ));
            }
        }
    }
    lines.sort();
    assert_eq!(lines, expected, "\n{}", lines.join("\n"));
}

#[test]
fn csharp_names_are_documentation_comment_ids() {
    check(
        &[(
            "A.cs",
            "using System.Collections.Generic;
using System.IO;
class A : System.IDisposable
{
    List<int> all = new();
    string Name(string path) => Path.GetFileName(path);
    void Add(Dictionary<string, int> known) { known.TryGetValue(\"a\", out var n); all.Add(n); }
    public void Dispose() { }
    void Own() { Dispose(); Missing.Call(); }
}
",
        )],
        &[
            "accepts dotnet: T:System.Collections.Generic.Dictionary`2 A.cs:7",
            "calls dotnet: M:System.Collections.Generic.Dictionary`2.TryGetValue(`0,`1@) A.cs:7",
            "calls dotnet: M:System.Collections.Generic.List`1.#ctor A.cs:5",
            "calls dotnet: M:System.Collections.Generic.List`1.Add(`0) A.cs:7",
            "calls dotnet: M:System.IO.Path.GetFileName(System.String) A.cs:6",
            "implements dotnet: T:System.IDisposable A.cs:3",
            "references dotnet: T:System.Collections.Generic.List`1 A.cs:5",
        ],
    );
}

#[test]
fn typescript_names_are_descriptors_with_and_without_declarations() {
    check(
        &[
            (
                "node_modules/streams/index.d.ts",
                "export declare class Stream<T> { pipe(to: Stream<T>): this; }
export declare function of<T>(value: T): Stream<T>;
",
            ),
            (
                "node_modules/streams/package.json",
                r#"{"name": "streams", "version": "1.0.0", "types": "index.d.ts"}"#,
            ),
            (
                "a.ts",
                "import { of, Stream } from 'streams';
import { absent, Base } from '@scope/absent/deep';
import * as fs from 'node:fs';
const words = ['a'].map(x => x);
of(1).pipe(of(2));
absent.made.by(fs.readFileSync('x'));
class Own extends Base { run(s: Stream<number>) { return this.run(s); } }
",
            ),
        ],
        &[
            "accepts npm:streams Stream# a.ts:7",
            "calls lib: Array#map(). a.ts:4",
            "calls node: fs/readFileSync(). a.ts:6",
            "calls npm:@scope/absent absent/made/by(). a.ts:6",
            "calls npm:streams Stream#pipe(). a.ts:5",
            "calls npm:streams of(). a.ts:5",
            "calls npm:streams of(). a.ts:5",
            "imports node: fs/ a.ts:3",
            "imports npm:@scope/absent Base. a.ts:2",
            "imports npm:@scope/absent absent. a.ts:2",
            "imports npm:streams Stream# a.ts:1",
            "imports npm:streams of(). a.ts:1",
            "inherits npm:@scope/absent Base# a.ts:7",
        ],
    );
}

#[test]
fn members_of_weak_collections_are_their_own() {
    check(
        &[(
            "a.ts",
            "const known = new WeakMap<object, Set<string>>();
const seen = new WeakSet();
known.get(seen)?.has('a');
seen.add(known);
new Map([['a', 1]]).get('a');
export {};
",
        )],
        &[
            "calls lib: Map#get(). a.ts:5",
            "calls lib: Map. a.ts:5",
            "calls lib: Set#has(). a.ts:3",
            "calls lib: WeakMap#get(). a.ts:3",
            "calls lib: WeakMap. a.ts:1",
            "calls lib: WeakSet#add(). a.ts:4",
            "calls lib: WeakSet. a.ts:2",
            "references lib: Set# a.ts:1",
        ],
    );
}

#[test]
fn a_re_exported_name_of_an_absent_package_is_the_packages() {
    check(
        &[
            (
                "all.ts",
                "export * from './own';\nexport * from 'absent';\nexport { made as make } from 'other';\n",
            ),
            (
                "own.ts",
                "export const own = 1;\nexport { all } from './named';\n",
            ),
            (
                "named.ts",
                "import kept, { held } from 'third';\nexport { held, kept };\nexport * as all from 'whole';\n",
            ),
            (
                "two.ts",
                "export * from 'absent';\nexport * from 'other';\n",
            ),
            (
                "a.ts",
                r"import { starred, make, own, all } from './all';
import { held, kept } from './named';
import { either } from './two';
starred(own); make(); all.of(); held(); kept.it(); either();
",
            ),
        ],
        &[
            "calls npm:absent starred(). a.ts:4",
            "calls npm:other made(). a.ts:4",
            "calls npm:third held(). a.ts:4",
            "calls npm:third it(). a.ts:4",
            "calls npm:whole of(). a.ts:4",
            "imports npm:absent starred. a.ts:1",
            "imports npm:other made. a.ts:1",
            "imports npm:third  a.ts:2",
            "imports npm:third  named.ts:1",
            "imports npm:third held. a.ts:2",
            "imports npm:third held. named.ts:1",
            "imports npm:whole  a.ts:1",
        ],
    );
}

#[test]
fn functions_and_values_narrowed_by_typeof_have_the_members_of_their_interfaces() {
    check(
        &[(
            "a.ts",
            "export function run(work: () => void, other: Function, value: any, key: symbol) {
  work.call(null);
  work.bind(null).apply(null);
  other.call(null);
  if (typeof value === 'string') value.trim();
  if (typeof value === 'bigint') value.toString();
  key.valueOf();
  [[1]].flat();
  value.trim();
}
",
        )],
        &[
            "accepts lib: Function# a.ts:1",
            "calls lib: Array#flat(). a.ts:8",
            "calls lib: BigInt#toString(). a.ts:6",
            "calls lib: CallableFunction#apply(). a.ts:3",
            "calls lib: CallableFunction#bind(). a.ts:3",
            "calls lib: CallableFunction#call(). a.ts:2",
            "calls lib: Function#call(). a.ts:4",
            "calls lib: String#trim(). a.ts:5",
            "calls lib: Symbol#valueOf(). a.ts:7",
        ],
    );
}

#[test]
fn an_alias_without_a_file_is_no_package() {
    let uses = "import { t } from '@/locales';
import { made } from '@app/made/client';
import { one } from 'exact';
import { real } from 'real';
import { other } from '@app2/other';
t(); made(); one(); real(); other();
";
    check(
        &[
            (
                "tsconfig.json",
                r#"{"compilerOptions": {"paths": {"@app/*": ["./src/*"], "exact": ["./gone"],
                    "real": ["./node_modules/real/types"], "*": ["./types/*"]}}}"#,
            ),
            ("a.ts", uses),
        ],
        &[
            "calls npm:@app2/other other(). a.ts:6",
            "calls npm:real real(). a.ts:6",
            "imports npm:@app2/other other. a.ts:5",
            "imports npm:real real. a.ts:4",
        ],
    );
}

#[test]
fn a_name_finds_the_symbols_whose_paths_end_with_it() {
    let (_repository, snapshot) = snapshot_of(&[
        (
            "A.cs",
            "using System.IO;
class A { string Join(string a) => Path.Combine(a, Path.Combine(a, a, a)); }
",
        ),
        (
            "b.ts",
            "import { Combine } from 'tools'; Combine(); import { other } from 'tools'; other();",
        ),
    ]);
    let named = |asked: &str| -> Vec<String> {
        let found = resolve_external(&snapshot, asked).unwrap();
        let mut names: Vec<String> = found.iter().map(|each| each.symbol.to_string()).collect();
        names.sort();
        names.dedup();
        names
    };

    let combine = "dotnet:System.IO.Path.Combine";
    for (asked, expected) in [
        ("Path.Combine", vec![combine]),
        ("System.IO.Path.Combine(string)", vec![combine]),
        ("path.combine", vec![combine]),
        ("Combine", vec![combine, "npm:tools#Combine"]),
        ("npm:tools#Combine", vec!["npm:tools#Combine"]),
        ("npm:tools", vec!["npm:tools#Combine", "npm:tools#other"]),
        ("Path.*", vec![combine]),
        ("dotnet:System.IO.*", vec![combine]),
        ("dotnet:Combine", vec![combine]),
        ("nuget:Other#Combine", vec![]),
        ("ombine", vec![]),
        ("file:12", vec![]),
    ] {
        assert_eq!(named(asked), expected, "{asked}");
    }
}

#[test]
fn what_a_symbol_itself_uses_is_listed_once_in_the_order_of_uses() {
    let (_repository, snapshot) = snapshot_of(&[(
        "A.cs",
        "using System.IO;
class A : System.Exception
{
    string Read(string a)
    {
        var b = Path.GetFileName(a);
        return File.ReadAllText(Path.Combine(a, Path.Combine(a, b)));
    }
}
",
    )]);
    let used = |name: &str, edge_type: EdgeType| -> Vec<String> {
        let matches = resolve_symbols(&snapshot, name, None).unwrap();
        let nodes: Vec<_> = matches.nodes().collect();
        external_targets(&snapshot, &nodes, &[edge_type])
            .unwrap()
            .iter()
            .map(|target| format!("{} {} x{}", target.line, target.symbol, target.count))
            .collect()
    };

    assert_eq!(
        used("A.Read", EdgeType::Calls),
        [
            "6 dotnet:System.IO.Path.GetFileName x1",
            "7 dotnet:System.IO.File.ReadAllText x1",
            "7 dotnet:System.IO.Path.Combine x2",
        ]
    );
    assert_eq!(used("A", EdgeType::Calls), [""; 0]);
    assert_eq!(
        used("A", EdgeType::Inherits),
        ["2 dotnet:System.Exception x1"]
    );
}
