//! Hostile project files that import themselves, explode, or contain nonsense.

use super::Expected::{Failed, Indexed};
use super::{Row, each, nested, rows};

/// Returns the attacks; each has a source file of its language too.
pub fn table() -> Vec<Row> {
    let mut table = Vec::new();
    let mut add = |name: &str, files: Vec<(&str, String)>| {
        let mut files: Vec<(String, Vec<u8>)> = files
            .into_iter()
            .map(|(path, text)| (path.to_owned(), text.into_bytes()))
            .collect();
        files.push(("p/a.cs".to_owned(), b"class A { }\n".to_vec()));
        files.push((
            "p/a.ts".to_owned(),
            b"import { b } from 'b'; import c from '#c'; import d from '@d/e'; export const a = b(c, d);\n".to_vec(),
        ));
        table.push(rows(name, files, Indexed));
    };
    xml(&mut add);
    msbuild_imports(&mut add);
    msbuild_properties(&mut add);
    msbuild_items(&mut add);
    project_references(&mut add);
    npm(&mut add);
    table.push(rows(
        "package.json of 3 MB",
        vec![
            ("package.json".to_owned(), vec![b' '; 3 << 20]),
            ("a.ts".to_owned(), b"let a;".to_vec()),
        ],
        Failed("more than the limit"),
    ));
    table.push(rows(
        "csproj that is binary",
        vec![
            ("a.csproj".to_owned(), b"<Project\0".to_vec()),
            ("a.cs".to_owned(), b"class A { }".to_vec()),
        ],
        Failed("binary"),
    ));
    table
}

/// Receives the name of an attack and its files.
type Add<'a> = &'a mut dyn FnMut(&str, Vec<(&str, String)>);

fn project(inner: &str) -> String {
    format!("<Project Sdk=\"Microsoft.NET.Sdk\">{inner}</Project>")
}

fn imports(paths: &[&str]) -> String {
    let imports: String = paths
        .iter()
        .map(|path| format!("<Import Project=\"{path}\"/>"))
        .collect();
    format!("<Project>{imports}</Project>")
}

fn borrowed(files: &[(String, String)]) -> Vec<(&str, String)> {
    files
        .iter()
        .map(|(path, text)| (path.as_str(), text.clone()))
        .collect()
}

fn xml(add: Add<'_>) {
    let entities = each(30, |i| {
        format!("<!ENTITY a{} \"{}\">", i + 1, format!("&a{i};").repeat(10))
    });
    for (name, text) in [
        (
            "XML bomb",
            format!("<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\">{entities}]><Project>&a30;</Project>"),
        ),
        ("XML nested", nested("<a>", "", "</a>", 100_000)),
        ("XML unclosed", "<a>".repeat(100_000)),
        (
            "XML attributes",
            format!("<Project {}/>", each(50_000, |i| format!("a{i}=\"1\""))),
        ),
    ] {
        add(name, vec![("p/p.csproj", text)]);
    }
}

fn msbuild_imports(add: Add<'_>) {
    add(
        "props that import themselves",
        vec![
            (
                "Directory.Build.props",
                imports(&[
                    "Directory.Build.props",
                    "$(MSBuildThisFileDirectory)/Directory.Build.props",
                ]),
            ),
            ("p/p.csproj", imports(&["p.csproj"])),
        ],
    );
    add(
        "props that import each other",
        vec![
            ("Directory.Build.props", imports(&["a.props", "b.props"])),
            ("a.props", imports(&["b.props", "b.props"])),
            ("b.props", imports(&["a.props", "a.props"])),
            ("p/p.csproj", project("")),
        ],
    );
    let mut doubling: Vec<(String, String)> = (0..40)
        .map(|i| (format!("i{i}.props"), format!("i{}.props", i + 1)))
        .map(|(path, next)| (path, imports(&[&next, &next])))
        .collect();
    doubling.push(("p/p.csproj".to_owned(), imports(&["../i0.props"])));
    add("imports that double", borrowed(&doubling));
    let property = |i: usize| format!("<P{i}>$(P{i});a value of some length, as they are</P{i}>");
    let growing = format!(
        "<Project><PropertyGroup>{}</PropertyGroup></Project>",
        each(30_000, property)
    );
    let mut many: Vec<(String, String)> = (0..300)
        .map(|i| (format!("m{i}/m{i}.csproj"), imports(&["../all.props"])))
        .collect();
    many.push(("all.props".to_owned(), growing));
    add(
        "300 projects that import 2 MB of properties",
        borrowed(&many),
    );
    add(
        "imports out of the root",
        vec![(
            "p/p.csproj",
            imports(&["../../../../../../etc/passwd", "/dev/zero", "**"]),
        )],
    );
}

fn msbuild_properties(add: Add<'_>) {
    const N: usize = 100_000;
    for (name, properties) in [
        (
            "properties that double",
            format!(
                "<A>aaaaaaaaaa</A>{}<DefineConstants>$(A)</DefineConstants>",
                "<A>$(A)$(A)</A>".repeat(60)
            ),
        ),
        (
            "property of itself",
            "<A>$(B)</A><B>$(A)</B><A>$(A);$(B)</A>".to_owned(),
        ),
        (
            "nested properties",
            format!("<A>{}B{}</A>", "$(".repeat(N), ")".repeat(N)),
        ),
        (
            "nested functions",
            format!(
                "<A>{}1{}</A>",
                "$([MSBuild]::Add(".repeat(N / 5),
                ", 1))".repeat(N / 5)
            ),
        ),
        (
            "100,000 frameworks",
            format!(
                "<TargetFrameworks>{}</TargetFrameworks>",
                "net8.0;net99999999999.0;".repeat(N / 2)
            ),
        ),
        (
            "100,000 symbols",
            format!(
                "<DefineConstants>{}</DefineConstants>",
                each(N, |i| format!("A{i};"))
            ),
        ),
    ] {
        add(
            name,
            vec![(
                "p/p.csproj",
                project(&format!("<PropertyGroup>{properties}</PropertyGroup>")),
            )],
        );
    }
    for (name, condition) in [
        (
            "nested conditions",
            format!("{}1==1{}", "(".repeat(N), ")".repeat(N)),
        ),
        ("negated conditions", format!("{}true", "!".repeat(N))),
        (
            "long condition",
            format!("{}true", "'a'=='a' and ".repeat(N / 2)),
        ),
    ] {
        add(
            name,
            vec![(
                "p/p.csproj",
                project(&format!(
                    "<PropertyGroup Condition=\"{condition}\"><A>1</A></PropertyGroup>"
                )),
            )],
        );
    }
}

fn msbuild_items(add: Add<'_>) {
    let out = "<Compile Include=\"../../../../../../etc/**/*;/etc/passwd;C:\\x\\**\"/><Compile Remove=\"@(Compile)\"/>".to_owned();
    let (include, exclude) = ("**/*a*/".repeat(200), "**/".repeat(200));
    let globs = each(1000, |i| {
        format!("<Compile Include=\"{include}{i}.cs\" Exclude=\"{exclude}\"/>")
    });
    for (name, items) in [("hostile globs", globs), ("items out of the root", out)] {
        add(
            name,
            vec![(
                "p/p.csproj",
                project(&format!("<ItemGroup>{items}</ItemGroup>")),
            )],
        );
    }
}

fn project_references(add: Add<'_>) {
    let reference = |j: usize| format!("<ProjectReference Include=\"../r{j}/r{j}.csproj\"/>");
    let with = |i: usize, references: &str| {
        (
            format!("r{i}/r{i}.csproj"),
            project(&format!("<ItemGroup>{references}</ItemGroup>")),
        )
    };
    let ring: Vec<(String, String)> = (0..100)
        .map(|i| with(i, &(reference((i + 1) % 100) + &reference(i))))
        .collect();
    add("projects that refer in a ring", borrowed(&ring));
    let full: Vec<(String, String)> = (0..60).map(|i| with(i, &each(60, reference))).collect();
    add("projects that all refer to all", borrowed(&full));
    add(
        "solution of nonsense",
        vec![
            (
                "p.sln",
                "Project(\"{}\") = \"a\", \"..\\..\\..\\x.csproj\", \"{\"\n".repeat(20_000),
            ),
            ("p.slnx", nested("<Folder>", "", "</Folder>", 50_000)),
            ("p/p.csproj", project("")),
        ],
    );
}

fn npm(add: Add<'_>) {
    add(
        "JSON nested",
        vec![
            ("package.json", nested("{\"a\":", "1", "}", 100_000)),
            ("p/tsconfig.json", "[".repeat(100_000)),
        ],
    );
    add("JSON of nonsense", vec![
        ("package.json", "{\"name\": 1, \"main\": [], \"exports\": 7, \"workspaces\": {\"packages\": \"x\"}, \"types\": {}, \"imports\": []}".into()),
        ("p/package.json", "[1, 2".into()),
        ("p/tsconfig.json", "{\"extends\": 1, \"include\": {}, \"files\": \"a\", \"compilerOptions\": {\"paths\": [], \"baseUrl\": 1, \"rootDirs\": {}}, \"references\": 3}".into()),
    ]);
    add(
        "tsconfig that extends itself",
        vec![
            (
                "p/tsconfig.json",
                "{\"extends\": [\"./tsconfig.json\", \"./tsconfig.b.json\"]}".into(),
            ),
            (
                "p/tsconfig.b.json",
                "{\"extends\": \"./tsconfig.json\"}".into(),
            ),
        ],
    );
    let doubling: Vec<(String, String)> = (0..40)
        .map(|i| {
            (
                format!("p/tsconfig.{i}.json"),
                format!(
                    "{{\"extends\": [\"./tsconfig.{0}.json\", \"./tsconfig.{0}.json\"]}}",
                    i + 1
                ),
            )
        })
        .collect();
    let mut files = borrowed(&doubling);
    files.push((
        "p/tsconfig.json",
        "{\"extends\": \"./tsconfig.0.json\"}".into(),
    ));
    add("extends that doubles", files);
    let ring: Vec<(String, String)> = (0..100)
        .map(|i| {
            (
                format!("q{i}/tsconfig.json"),
                format!("{{\"extends\": \"../q{0}/tsconfig.json\", \"references\": [{{\"path\": \"../q{0}\"}}]}}", (i + 1) % 100),
            )
        })
        .collect();
    add("tsconfigs in a ring", borrowed(&ring));
    add("tsconfig out of the root", vec![("p/tsconfig.json", "{\"extends\": \"../../../../../../etc/passwd\", \"include\": [\"../../../../**\", \"/**\"], \"compilerOptions\": {\"paths\": {\"*\": [\"../../../../../../*\", \"/etc/*\"]}, \"baseUrl\": \"../../../..\"}}".into())]);
    add(
        "paths of 20,000",
        vec![(
            "p/tsconfig.json",
            format!(
                "{{\"compilerOptions\": {{\"paths\": {{{} \"b\": [\"b\"]}}}}}}",
                each(20_000, |i| format!("\"a{i}*/*\": [\"a{i}/*\"],"))
            ),
        )],
    );
    add(
        "exports nested",
        vec![(
            "package.json",
            "{\"name\": \"b\", \"exports\": ".to_owned()
                + &nested("{\"import\": ", "\"./x.ts\"", "}", 120)
                + "}",
        )],
    );
    add("exports in a ring", vec![
        ("package.json", "{\"name\": \"root\", \"workspaces\": [\"*\", \"../../../**\", \"**/**/**/**\"]}".into()),
        ("b/package.json", "{\"name\": \"b\", \"main\": \"../../../../etc/passwd\", \"exports\": {\".\": \"b\", \"./*\": \"./*/*/*\"}, \"imports\": {\"#c\": \"#c\"}}".into()),
        ("p/package.json", "{\"name\": \"b\", \"main\": \".\", \"types\": \"./\", \"imports\": {\"#c\": \"#d\", \"#d\": \"#c\"}}".into()),
    ]);
    add(
        "workspaces of 5,000 patterns",
        vec![(
            "package.json",
            format!(
                "{{\"name\": \"r\", \"workspaces\": [{} \"p\"]}}",
                each(5000, |i| format!("\"{}{i}\",", "**/*a*/".repeat(20)))
            ),
        )],
    );
    add(
        "pnpm of nonsense",
        vec![
            (
                "pnpm-workspace.yaml",
                "packages:\n".to_owned() + &"  - '**/**/../../x'\n".repeat(50_000),
            ),
            ("p/package.json", "{\"name\": \"\"}".into()),
        ],
    );
}
