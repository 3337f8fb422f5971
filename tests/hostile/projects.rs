//! Project files that import themselves, explode, or hold nonsense.

use crate::Expected::{Failed, Indexed};
use crate::{Row, each, nested, rows};

/// The attacks; each stands beside a source file of its language.
pub fn table() -> Vec<Row> {
    let mut table = Vec::new();
    let mut add = |name: &str, files: Vec<(&str, String)>| {
        let mut files: Vec<(String, Vec<u8>)> = files.into_iter().map(|(path, text)| (path.to_owned(), text.into_bytes())).collect();
        files.push(("p/a.cs".to_owned(), b"class A { }\n".to_vec()));
        files.push((
            "p/a.ts".to_owned(),
            b"import { b } from 'b'; import c from '#c'; import d from '@d/e'; export const a = b(c, d);\n".to_vec(),
        ));
        table.push(rows(name, files, Indexed));
    };
    msbuild(&mut add);
    npm(&mut add);
    table.push(rows(
        "package.json of 3 MB",
        vec![("package.json".to_owned(), vec![b' '; 3 << 20]), ("a.ts".to_owned(), b"let a;".to_vec())],
        Failed("more than the limit"),
    ));
    table.push(rows(
        "csproj that is binary",
        vec![("a.csproj".to_owned(), b"<Project\0".to_vec()), ("a.cs".to_owned(), b"class A { }".to_vec())],
        Failed("binary"),
    ));
    table
}

fn msbuild(add: &mut impl FnMut(&str, Vec<(&str, String)>)) {
    let project = |inner: &str| format!("<Project Sdk=\"Microsoft.NET.Sdk\">{inner}</Project>");
    let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\">".to_owned()
        + &each(30, |i| format!("<!ENTITY a{} \"&a{i};&a{i};&a{i};&a{i};&a{i};&a{i};&a{i};&a{i};&a{i};&a{i};\">", i + 1))
        + "]><Project>&a30;</Project>";
    add("XML bomb", vec![("p/p.csproj", bomb)]);
    add("XML nested", vec![("p/p.csproj", nested("<a>", "", "</a>", 100_000))]);
    add("XML unclosed", vec![("p/p.csproj", "<a>".repeat(100_000))]);
    add("XML attributes", vec![("p/p.csproj", format!("<Project {}/>", each(50_000, |i| format!("a{i}=\"1\""))))]);
    add("props that import themselves", vec![
        ("Directory.Build.props", "<Project><Import Project=\"Directory.Build.props\"/><Import Project=\"$(MSBuildThisFileDirectory)/Directory.Build.props\"/></Project>".into()),
        ("p/p.csproj", project("<Import Project=\"p.csproj\"/>")),
    ]);
    add(
        "props that import each other",
        vec![
            ("Directory.Build.props", "<Project><Import Project=\"a.props\"/><Import Project=\"b.props\"/></Project>".into()),
            ("a.props", "<Project><Import Project=\"b.props\"/><Import Project=\"b.props\"/></Project>".into()),
            ("b.props", "<Project><Import Project=\"a.props\"/><Import Project=\"a.props\"/></Project>".into()),
            ("p/p.csproj", project("")),
        ],
    );
    let doubling: Vec<(String, String)> = (0..40)
        .map(|i| {
            (format!("i{i}.props"), format!("<Project><Import Project=\"i{0}.props\"/><Import Project=\"i{0}.props\"/></Project>", i + 1))
        })
        .collect();
    let mut files: Vec<(&str, String)> = doubling.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    files.push(("p/p.csproj", project("<Import Project=\"../i0.props\"/>")));
    add("imports that double", files);
    add(
        "properties that double",
        vec![(
            "p/p.csproj",
            project(&format!(
                "<PropertyGroup><A>aaaaaaaaaa</A>{}<DefineConstants>$(A)</DefineConstants></PropertyGroup>",
                "<A>$(A)$(A)</A>".repeat(60)
            )),
        )],
    );
    add("property of itself", vec![("p/p.csproj", project("<PropertyGroup><A>$(B)</A><B>$(A)</B><A>$(A);$(B)</A></PropertyGroup>"))]);
    add(
        "nested properties",
        vec![("p/p.csproj", project(&format!("<PropertyGroup><A>{}B{}</A></PropertyGroup>", "$(".repeat(100_000), ")".repeat(100_000))))],
    );
    add(
        "nested functions",
        vec![(
            "p/p.csproj",
            project(&format!("<PropertyGroup><A>{}1{}</A></PropertyGroup>", "$([MSBuild]::Add(".repeat(20_000), ", 1))".repeat(20_000))),
        )],
    );
    add(
        "nested conditions",
        vec![(
            "p/p.csproj",
            project(&format!("<PropertyGroup Condition=\"{}1==1{}\"><A>1</A></PropertyGroup>", "(".repeat(100_000), ")".repeat(100_000))),
        )],
    );
    add(
        "negated conditions",
        vec![("p/p.csproj", project(&format!("<PropertyGroup Condition=\"{}true\"><A>1</A></PropertyGroup>", "!".repeat(100_000))))],
    );
    add(
        "long condition",
        vec![(
            "p/p.csproj",
            project(&format!("<PropertyGroup Condition=\"{}true\"><A>1</A></PropertyGroup>", "'a'=='a' and ".repeat(50_000))),
        )],
    );
    add(
        "hostile globs",
        vec![(
            "p/p.csproj",
            project(&format!(
                "<ItemGroup>{}</ItemGroup>",
                each(1000, |i| format!("<Compile Include=\"{}{i}.cs\" Exclude=\"{}\"/>", "**/*a*/".repeat(200), "**/".repeat(200)))
            )),
        )],
    );
    add(
        "items out of the root",
        vec![(
            "p/p.csproj",
            project(
                "<ItemGroup><Compile Include=\"../../../../../../etc/**/*;/etc/passwd;C:\\x\\**\"/><Compile Remove=\"@(Compile)\"/></ItemGroup>",
            ),
        )],
    );
    add(
        "imports out of the root",
        vec![(
            "p/p.csproj",
            project("<Import Project=\"../../../../../../etc/passwd\"/><Import Project=\"/dev/zero\"/><Import Project=\"**\"/>"),
        )],
    );
    let ring: Vec<(String, String)> = (0..300)
        .map(|i| {
            (
                format!("r{i}/r{i}.csproj"),
                project(&format!(
                    "<ItemGroup><ProjectReference Include=\"../r{}/r{}.csproj\"/><ProjectReference Include=\"r{i}.csproj\"/></ItemGroup>",
                    (i + 1) % 300,
                    (i + 1) % 300
                )),
            )
        })
        .collect();
    add("projects that refer in a ring", ring.iter().map(|(path, text)| (path.as_str(), text.clone())).collect());
    let full: Vec<(String, String)> = (0..100)
        .map(|i| {
            (
                format!("r{i}/r{i}.csproj"),
                project(&format!(
                    "<ItemGroup>{}</ItemGroup>",
                    each(100, |j| format!("<ProjectReference Include=\"../r{j}/r{j}.csproj\"/>"))
                )),
            )
        })
        .collect();
    add("projects that all refer to all", full.iter().map(|(path, text)| (path.as_str(), text.clone())).collect());
    add(
        "solution of nonsense",
        vec![
            ("p.sln", "Project(\"{}\") = \"a\", \"..\\..\\..\\x.csproj\", \"{\"\n".repeat(20_000)),
            ("p.slnx", nested("<Folder>", "", "</Folder>", 50_000)),
            ("p/p.csproj", project("")),
        ],
    );
    add(
        "100,000 frameworks",
        vec![(
            "p/p.csproj",
            project(&format!(
                "<PropertyGroup><TargetFrameworks>{}</TargetFrameworks></PropertyGroup>",
                "net8.0;net99999999999.0;".repeat(50_000)
            )),
        )],
    );
    add(
        "100,000 symbols",
        vec![(
            "p/p.csproj",
            project(&format!(
                "<PropertyGroup><DefineConstants>{}</DefineConstants></PropertyGroup>",
                (0..100_000).map(|i| format!("A{i};")).collect::<String>()
            )),
        )],
    );
}

fn npm(add: &mut impl FnMut(&str, Vec<(&str, String)>)) {
    add("JSON nested", vec![("package.json", nested("{\"a\":", "1", "}", 100_000)), ("p/tsconfig.json", "[".repeat(100_000))]);
    add("JSON of nonsense", vec![
        ("package.json", "{\"name\": 1, \"main\": [], \"exports\": 7, \"workspaces\": {\"packages\": \"x\"}, \"types\": {}, \"imports\": []}".into()),
        ("p/package.json", "[1, 2".into()),
        ("p/tsconfig.json", "{\"extends\": 1, \"include\": {}, \"files\": \"a\", \"compilerOptions\": {\"paths\": [], \"baseUrl\": 1, \"rootDirs\": {}}, \"references\": 3}".into()),
    ]);
    add(
        "tsconfig that extends itself",
        vec![
            ("p/tsconfig.json", "{\"extends\": [\"./tsconfig.json\", \"./tsconfig.b.json\"]}".into()),
            ("p/tsconfig.b.json", "{\"extends\": \"./tsconfig.json\"}".into()),
        ],
    );
    let doubling: Vec<(String, String)> = (0..40)
        .map(|i| (format!("p/tsconfig.{i}.json"), format!("{{\"extends\": [\"./tsconfig.{0}.json\", \"./tsconfig.{0}.json\"]}}", i + 1)))
        .collect();
    let mut files: Vec<(&str, String)> = doubling.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    files.push(("p/tsconfig.json", "{\"extends\": \"./tsconfig.0.json\"}".into()));
    add("extends that doubles", files);
    let ring: Vec<(String, String)> = (0..300)
        .map(|i| {
            (
                format!("q{i}/tsconfig.json"),
                format!("{{\"extends\": \"../q{0}/tsconfig.json\", \"references\": [{{\"path\": \"../q{0}\"}}]}}", (i + 1) % 300),
            )
        })
        .collect();
    add("tsconfigs in a ring", ring.iter().map(|(path, text)| (path.as_str(), text.clone())).collect());
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
        vec![("package.json", "{\"name\": \"b\", \"exports\": ".to_owned() + &nested("{\"import\": ", "\"./x.ts\"", "}", 120) + "}")],
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
            format!("{{\"name\": \"r\", \"workspaces\": [{} \"p\"]}}", each(5000, |i| format!("\"{}{i}\",", "**/*a*/".repeat(20)))),
        )],
    );
    add(
        "pnpm of nonsense",
        vec![
            ("pnpm-workspace.yaml", "packages:\n".to_owned() + &"  - '**/**/../../x'\n".repeat(50_000)),
            ("p/package.json", "{\"name\": \"\"}".into()),
        ],
    );
}
