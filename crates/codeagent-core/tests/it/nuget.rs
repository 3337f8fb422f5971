//! Assemblies of NuGet packages: they provide types for the repository's own calls, each project
//! gets the assembly it references, and changes are noticed.
//!
//! Each test creates a repository and a package folder next to it. Nothing in a package becomes a
//! node.
//!
//! Limitations: which language rule a type follows is tested by `rules.rs`.

use std::fs;

use codeagent_testkit::assembly::{Assembly, Ty, damage};

use crate::repository::Repository;

/// A source that passes one of its own types through a package and uses the result.
const USE: &str = "using Lib;\nclass Own { public void Run() { } public void Stop() { } }\nclass Uses\n{\n    void Held(Box<Own> box) => box.Get().Run();\n    \
                   void Passed(Own own) => own.Pass().Stop();\n}\n";
/// Resolved calls with the package.
const TYPED: [&str; 2] = ["5 -> Run", "6 -> Stop"];
/// Resolved calls without it.
const UNTYPED: [&str; 0] = [];

/// Returns a project file with these items.
fn project(items: &str) -> String {
    format!(
        "<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup><ItemGroup>{items}</ItemGroup></Project>"
    )
}

/// Returns a project file that references one package.
fn names(id: &str, version: &str) -> String {
    project(&format!(
        "<PackageReference Include=\"{id}\" Version=\"{version}\" />"
    ))
}

/// Returns the assembly that [`USE`] needs.
fn lib() -> Vec<u8> {
    let mut assembly = Assembly::new("Lib");
    assembly
        .class("Lib", "Box`1", None)
        .method("Get", &[], Ty::Param(0));
    assembly.extension("Lib", "Passing", "Pass", Ty::MethodParam(0));
    assembly.image()
}

/// Returns an assembly of the same name whose members return other types.
fn other_lib() -> Vec<u8> {
    let mut assembly = Assembly::new("Lib");
    assembly
        .class("Lib", "Box`1", None)
        .method("Get", &[], Ty::String);
    assembly.extension("Lib", "Passing", "Pass", Ty::Int);
    assembly.image()
}

fn nuspec(id: &str, dependencies: &str) -> String {
    format!(
        "<package><metadata><id>{id}</id><dependencies>{dependencies}</dependencies></metadata></package>"
    )
}

/// Creates a repository of [`USE`] and a project file, and files in the user's package folder.
fn repository(csproj: &str, packages: &[(&str, &[u8])]) -> Repository {
    let repository = Repository::of(&[("App.csproj", csproj), ("Use.cs", USE)]);
    packages
        .iter()
        .for_each(|(path, bytes)| repository.write_bytes(&format!("nuget/{path}"), bytes));
    repository
}

#[test]
fn an_assembly_carries_a_type_of_the_repository() {
    let mut repository = repository(&names("Lib", "1.0.0"), &[]);
    repository.index();
    assert_eq!(repository.calls(), UNTYPED);
    repository.write_bytes("nuget/lib/1.0.0/lib/netstandard2.0/Lib.dll", &lib());
    assert_eq!(repository.index().linked, 1);
    assert_eq!(repository.calls(), TYPED);
    assert!(repository.index().unchanged);
    // A restarted server
    repository.engine = None;
    assert!(repository.index().unchanged);
}

#[test]
fn a_project_uses_the_assembly_its_references_select() {
    let (lib, other, empty) = (lib(), other_lib(), Assembly::new("Empty").image());
    let needs_lib = nuspec(
        "Top",
        "<group targetFramework=\"net6.0\"><dependency id=\"Lib\" version=\"1.1\" /></group>",
    );
    let asks_lib = nuspec("Ask", "<dependency id=\"Lib\" version=\"1.0\" />");
    type Packages<'a> = &'a [(&'a str, &'a [u8])];
    let cases: &[(&str, String, Packages<'_>)] = &[
        (
            "the nearest framework",
            names("Lib", "1.0.0"),
            &[
                ("lib/1.0.0/lib/net45/Lib.dll", &other),
                ("lib/1.0.0/lib/netstandard2.0/Lib.dll", &other),
                ("lib/1.0.0/lib/net6.0/Lib.dll", &lib),
                ("lib/1.0.0/lib/net9.0/Lib.dll", &other),
            ],
        ),
        (
            "what is compiled against before what runs",
            names("Lib", "1.0.0"),
            &[
                ("lib/1.0.0/ref/net6.0/Lib.dll", &lib),
                ("lib/1.0.0/lib/net8.0/Lib.dll", &other),
            ],
        ),
        (
            "the lowest version that a range allows",
            names("Lib", "[1.1,2.0)"),
            &[
                ("lib/1.0.0/lib/net8.0/Lib.dll", &other),
                ("lib/1.2.0/lib/net8.0/Lib.dll", &lib),
                ("lib/1.3.0/lib/net8.0/Lib.dll", &other),
            ],
        ),
        (
            "what a package needs",
            names("Top", "1.0.0"),
            &[
                ("top/1.0.0/top.nuspec", needs_lib.as_bytes()),
                ("top/1.0.0/lib/net6.0/Top.dll", &empty),
                ("lib/1.0.0/lib/net8.0/Lib.dll", &other),
                ("lib/1.1.0/lib/net8.0/Lib.dll", &lib),
            ],
        ),
        (
            "the project's own word before that of a package",
            project(
                "<PackageReference Include=\"Top\" Version=\"1.0.0\" /><PackageReference Include=\"Lib\" Version=\"1.0.0\" />",
            ),
            &[
                ("top/1.0.0/top.nuspec", needs_lib.as_bytes()),
                ("lib/1.0.0/lib/net8.0/Lib.dll", &lib),
                ("lib/1.1.0/lib/net8.0/Lib.dll", &other),
            ],
        ),
        (
            "a version that is set later",
            project(
                "<PackageReference Include=\"Lib\" Version=\"9.0\" /><PackageReference Update=\"lib\" Version=\"1.0.0\" />",
            ),
            &[("lib/1.0.0/lib/net8.0/Lib.dll", &lib)],
        ),
        (
            "the same line of frameworks before .NET Standard",
            names("Lib", "1.0.0"),
            &[
                ("lib/1.0.0/lib/netstandard2.1/Lib.dll", &other),
                ("lib/1.0.0/lib/netcoreapp2.0/Lib.dll", &lib),
            ],
        ),
        (
            "an old framework where nothing else is",
            names("Lib", "1.0.0"),
            &[("lib/1.0.0/lib/net461/Lib.dll", &lib)],
        ),
        (
            "of two that need it the one that needs the newer",
            project(
                "<PackageReference Include=\"Top\" Version=\"1.0.0\" /><PackageReference Include=\"Ask\" Version=\"1.0.0\" />",
            ),
            &[
                ("ask/1.0.0/ask.nuspec", asks_lib.as_bytes()),
                ("top/1.0.0/top.nuspec", needs_lib.as_bytes()),
                ("lib/1.0.0/lib/net8.0/Lib.dll", &other),
                ("lib/1.1.0/lib/net8.0/Lib.dll", &lib),
            ],
        ),
    ];
    for (what, csproj, packages) in cases {
        let mut repository = repository(csproj, packages);
        repository.index();
        assert_eq!(repository.calls(), TYPED, "{what}");
    }
}

#[test]
fn an_incompatible_framework_provides_no_types() {
    for folder in [
        "lib/net9.0",
        "lib/net46",
        "lib/net8.0-windows7.0",
        "ref/net9.0",
    ] {
        let mut repository = repository(
            &names("Lib", "1.0.0"),
            &[(&format!("lib/1.0.0/{folder}/Lib.dll"), &lib())],
        );
        repository.index();
        assert_eq!(repository.calls(), UNTYPED, "{folder}");
    }
}

#[test]
fn packages_not_compiled_against_provide_no_types() {
    let lib = lib();
    let package: &[(&str, &[u8])] = &[("lib/1.0.0/lib/net8.0/Lib.dll", &lib)];
    for csproj in [
        project(""),
        project("<PackageReference Include=\"Lib\" />"),
        project("<PackageReference Include=\"Lib\" Version=\"1.0.0\" ExcludeAssets=\"compile\" />"),
        project(
            "<PackageReference Include=\"Lib\" Version=\"1.0.0\" /><PackageReference Remove=\"Lib\" />",
        ),
        names("Lib", "[2.0]"),
        names("../Lib", "1.0.0"),
    ] {
        let mut repository = repository(&csproj, package);
        repository.index();
        assert_eq!(repository.calls(), UNTYPED, "{csproj}");
    }
}

#[test]
fn central_package_versions_apply() {
    let mut repository = repository(
        &project("<PackageReference Include=\"Lib\" />"),
        &[("lib/1.0.0/lib/net8.0/Lib.dll", &lib())],
    );
    let central = |version: &str| {
        format!(
            "<Project><ItemGroup><PackageVersion Include=\"lib\" Version=\"{version}\" /></ItemGroup></Project>"
        )
    };
    repository.write(&[("Directory.Packages.props", &central("1.0.0"))]);
    repository.index();
    assert_eq!(repository.calls(), TYPED);
    repository.write(&[("Directory.Packages.props", &central("2.0.0"))]);
    repository.index();
    assert_eq!(repository.calls(), UNTYPED);
}

/// Returns the assets file that a restore writes for one package.
fn assets(framework: &str, path: &str) -> String {
    format!(
        "{{\"targets\": {{\"{framework}\": {{\"Lib/1.0.0\": {{\"type\": \"package\", \"compile\": {{\"{path}\": {{}}}}}}}}}}, \
         \"libraries\": {{\"Lib/1.0.0\": {{\"path\": \"lib/1.0.0\"}}}}}}"
    )
}

#[test]
fn versions_resolved_by_a_restore_apply() {
    let (lib, other) = (lib(), other_lib());
    let packages: &[(&str, &[u8])] = &[
        ("lib/1.0.0/lib/net6.0/Lib.dll", &lib),
        ("lib/1.0.0/lib/net8.0/Lib.dll", &other),
    ];
    let mut repository = repository(&names("Lib", "1.0.0"), packages);
    repository.write(&[(".gitignore", "obj/\n")]);
    repository.index();
    assert_eq!(repository.calls(), UNTYPED);
    repository.write(&[(
        "obj/project.assets.json",
        &assets("net8.0", "lib/net6.0/Lib.dll"),
    )]);
    repository.index();
    assert_eq!(repository.calls(), TYPED);
    repository.write(&[(
        "obj/project.assets.json",
        &assets("net7.0", "lib/net6.0/Lib.dll"),
    )]);
    repository.index_only("obj/project.assets.json");
    assert_eq!(
        repository.calls(),
        UNTYPED,
        "restored for another framework"
    );
    repository.write(&[("obj/project.assets.json", "{ \"targets\": ")]);
    repository.index();
    assert_eq!(repository.calls(), UNTYPED, "cut off");
}

#[test]
fn an_assembly_in_the_repository_is_named_by_its_path() {
    let hint = |path: &str| {
        project(&format!(
            "<Reference Include=\"Lib, Version=1.0.0.0\"><HintPath>{path}</HintPath></Reference>"
        ))
    };
    let mut repository = Repository::of(&[
        (
            "src/App.csproj",
            &hint(r"..\packages\Lib.1.0.0\lib\net45\Lib.dll"),
        ),
        ("src/Use.cs", USE),
    ]);
    repository.write_bytes("root/packages/Lib.1.0.0/lib/net45/Lib.dll", &lib());
    repository.index();
    assert_eq!(repository.calls(), TYPED);
    repository.write_bytes("secret/Lib.dll", &lib());
    for outside in [r"..\..\secret\Lib.dll", "/secret/Lib.dll", r"C:\Lib.dll"] {
        repository.write(&[("src/App.csproj", &hint(outside))]);
        repository.index();
        assert_eq!(repository.calls(), UNTYPED, "{outside}");
    }
}

#[test]
fn a_package_is_visible_to_its_projects_only() {
    let own = "class Own { public void Run() { } }\nclass Uses { void Held(Lib.Box<Own> box) => box.Get().Run(); }\n";
    let mut repository = Repository::of(&[
        ("With/With.csproj", &names("Lib", "1.0.0")),
        ("With/A.cs", &format!("\n{own}")),
        ("Without/Without.csproj", &names("Alt", "1.0.0")),
        ("Without/A.cs", own),
        (
            "Through/Through.csproj",
            &project("<ProjectReference Include=\"../With/With.csproj\" />"),
        ),
        ("Through/A.cs", &format!("\n\n{own}")),
    ]);
    repository.write_bytes("nuget/lib/1.0.0/lib/net8.0/Lib.dll", &lib());
    // The same type name in another assembly
    let mut alt = Assembly::new("Alt");
    alt.class("Lib", "Box`1", None)
        .method("Get", &[], Ty::String);
    repository.write_bytes("nuget/alt/1.0.0/lib/net8.0/Alt.dll", &alt.image());
    repository.index();
    assert_eq!(repository.calls(), ["3 -> Run", "4 -> Run"]);
    repository.write(&[(
        "With/With.csproj",
        &names("Lib", "1.0.0").replace("/>", "PrivateAssets=\"all\" />"),
    )]);
    repository.index();
    assert_eq!(repository.calls(), ["3 -> Run"]);
}

#[test]
fn one_of_two_requested_versions_is_read() {
    let (older, newer) = (names("Lib", "1.0.0"), names("Lib", "2.0.0"));
    let through = |version: &str| {
        names("Lib", version).replace(
            "<PackageR",
            "<ProjectReference Include=\"../A/A.csproj\" /><PackageR",
        )
    };
    // A project's own reference wins, and the newest version that any project uses is read for all.
    for (app, expected) in [
        (through("1.0.0"), &UNTYPED[..]),
        (through("2.0.0"), &TYPED),
        (newer, &TYPED),
        (older.clone(), &UNTYPED),
    ] {
        let mut repository = Repository::of(&[
            ("App/App.csproj", &app),
            ("App/Use.cs", USE),
            ("A/A.csproj", &older),
        ]);
        repository.write_bytes("nuget/lib/1.0.0/lib/net8.0/Lib.dll", &other_lib());
        repository.write_bytes("nuget/lib/2.0.0/lib/net8.0/Lib.dll", &lib());
        repository.index();
        assert_eq!(repository.calls(), expected, "{app}");
    }
}

#[test]
fn a_package_built_by_the_repository_is_its_project() {
    // By its package name, and by the name of its assembly
    for (id, file) in [("Lib", "More.dll"), ("More", "Lib.dll")] {
        let mut repository = Repository::of(&[
            ("App/App.csproj", &names(id, "1.0.0")),
            ("App/Use.cs", USE),
            ("Lib/Lib.csproj", &project("")),
            (
                "Lib/Box.cs",
                "namespace Lib;\npublic class Box<T> { public string Get() => \"\"; }\n",
            ),
        ]);
        repository.write_bytes(
            &format!("nuget/{}/1.0.0/lib/net8.0/{file}", id.to_lowercase()),
            &lib(),
        );
        repository.index();
        let calls = if id == "Lib" {
            &["5 -> Get"][..]
        } else {
            &UNTYPED
        };
        assert_eq!(repository.calls(), calls, "{id}");
    }
}

#[test]
fn assemblies_refer_to_each_other_and_to_the_framework() {
    let mut other = Assembly::new("Other");
    other
        .class("Other", "Holder`1", None)
        .method("Take", &[], Ty::Param(0));
    let mut lib = Assembly::new("Lib");
    let holder = Ty::Of("Other", "Other", "Holder`1").with(&[Ty::Param(0)]);
    let list =
        Ty::Of("System.Runtime", "System.Collections.Generic", "List`1").with(&[Ty::Param(0)]);
    lib.class("Lib", "Box`1", Some(holder))
        .method("All", &[], list);
    // The same type name in an assembly that the library does not reference
    let mut alien = Assembly::new("Alien");
    alien
        .class("Other", "Holder`1", None)
        .method("Take", &[], Ty::String);
    let both = project(
        "<PackageReference Include=\"Lib\" Version=\"1.0.0\" /><PackageReference Include=\"Alien\" Version=\"1.0.0\" />",
    );
    let mut repository = Repository::of(&[
        ("App.csproj", &both),
        (
            "Use.cs",
            "using System.Linq;\nclass Own { public void Run() { } }\nclass Uses\n{\n    void F(Lib.Box<Own> box) => box.Take().Run();\n    \
             void G(Lib.Box<Own> box) => box.All().First().Run();\n}\n",
        ),
    ]);
    repository.write_bytes("nuget/lib/1.0.0/lib/net8.0/Lib.dll", &lib.image());
    repository.write_bytes("nuget/alien/1.0.0/lib/net8.0/Alien.dll", &alien.image());
    repository.index();
    assert_eq!(
        repository.calls(),
        ["6 -> Run"],
        "the base class is not there"
    );
    repository.write_bytes(
        "nuget/lib/1.0.0/lib.nuspec",
        nuspec("Lib", "<dependency id=\"Other\" version=\"1.0\" />").as_bytes(),
    );
    repository.write_bytes("nuget/other/1.0.0/lib/net8.0/Other.dll", &other.image());
    repository.index();
    assert_eq!(repository.calls(), ["5 -> Run", "6 -> Run"]);
}

#[test]
fn changes_in_a_package_are_noticed() {
    let path = "nuget/lib/1.0.0/lib/net8.0/Lib.dll";
    let mut repository = repository(
        &names("Lib", "1.0.0"),
        &[("lib/1.0.0/lib/net8.0/Lib.dll", &other_lib())],
    );
    repository.index();
    assert_eq!(repository.calls(), UNTYPED);
    repository.write_bytes(path, &lib());
    assert!(!repository.index().unchanged);
    assert_eq!(repository.calls(), TYPED);
    // The same content, written again
    repository.write_bytes(path, &lib());
    assert!(repository.index().unchanged);
    repository.engine = None;
    fs::remove_file(repository.outer.path().join(path)).unwrap();
    assert!(!repository.index().unchanged);
    assert_eq!(repository.calls(), UNTYPED);
    repository.write_bytes("nuget/lib/1.0.0/lib/net6.0/Lib.dll", &lib());
    repository.index();
    assert_eq!(
        repository.calls(),
        UNTYPED,
        "the folder of the nearer framework is there and empty"
    );
    fs::remove_dir_all(repository.outer.path().join("nuget/lib/1.0.0/lib/net8.0")).unwrap();
    repository.index();
    assert_eq!(repository.calls(), TYPED);
    fs::remove_dir_all(repository.outer.path().join("nuget")).unwrap();
    repository.index();
    assert_eq!(repository.calls(), UNTYPED);
}

#[test]
fn an_edited_file_is_resolved_against_current_packages() {
    let mut repository = repository(
        &names("Lib", "1.0.0"),
        &[("lib/1.0.0/lib/net8.0/Lib.dll", &lib())],
    );
    let without = "class Own { public void Run() { } public void Stop() { } }\n";
    repository.write(&[("Use.cs", without)]);
    repository.index();
    for _ in 0..2 {
        repository.write(&[("Use.cs", USE)]);
        repository.index_only("Use.cs");
        assert_eq!(repository.calls(), TYPED);
        repository.write(&[("Use.cs", &USE.replace("Stop();\n", "Run();\n"))]);
        repository.index_only("Use.cs");
        assert_eq!(repository.calls(), ["5 -> Run", "6 -> Run"]);
        repository.write(&[("Use.cs", without)]);
        repository.index_only("Use.cs");
        assert_eq!(repository.calls(), UNTYPED);
    }
}

#[test]
fn a_hostile_assembly_affects_only_itself() {
    let whole = lib();
    let mut harms = damage::cyclic_assemblies();
    harms.extend(damage::too_much());
    harms.push(("truncated", whole[..whole.len() / 2].to_vec()));
    harms.push(("empty", Vec::new()));
    harms.push(("a text", b"no assembly".to_vec()));
    let is_read = [
        "types nested in each other",
        "base classes that derive from each other",
        "a type that is made of itself",
        "a type nested in itself",
        "methods that belong to all types",
        "a signature that is too deep",
        "a name without end",
    ];
    for (what, image) in harms {
        let both = project(
            "<PackageReference Include=\"Lib\" Version=\"1.0.0\" /><PackageReference Include=\"Bad\" Version=\"1.0.0\" />",
        );
        let mut repository = repository(
            &both,
            &[
                ("lib/1.0.0/lib/net8.0/Lib.dll", &whole),
                ("bad/1.0.0/lib/net8.0/Bad.dll", &image),
            ],
        );
        let summary = repository.index();
        assert_eq!(repository.calls(), TYPED, "{what}");
        assert!(
            summary.problems.is_empty(),
            "{what}: {:?}",
            summary.problems
        );
        let is_said = summary
            .notes
            .iter()
            .any(|note| note.starts_with("nuget://bad/1.0.0/lib/net8.0/Bad.dll: left out: "));
        assert_eq!(
            is_said,
            !is_read.contains(&what),
            "{what}: {:?}",
            summary.notes
        );
        assert!(repository.index().unchanged, "{what}");
    }
}

#[test]
fn an_oversized_assembly_is_not_read() {
    let mut repository = repository(
        &names("Lib", "1.0.0"),
        &[("lib/1.0.0/lib/net8.0/Lib.dll", b"")],
    );
    let file = fs::File::create(
        repository
            .outer
            .path()
            .join("nuget/lib/1.0.0/lib/net8.0/Lib.dll"),
    )
    .unwrap();
    file.set_len(65 << 20).unwrap();
    let summary = repository.index();
    assert!(
        summary
            .notes
            .iter()
            .any(|note| note.contains("more than the limit")),
        "{:?}",
        summary.notes
    );
}

#[test]
fn package_dependencies_may_be_cyclic() {
    let lib = lib();
    let (to_b, to_a) = (
        nuspec("A", "<dependency id=\"B\" version=\"1.0\" />"),
        nuspec("B", "<dependency id=\"A\" version=\"1.0\" />"),
    );
    let long: Vec<(String, String)> = (0..200)
        .map(|n| {
            (
                format!("p{n}/1.0.0/p{n}.nuspec"),
                nuspec(
                    "P",
                    &format!("<dependency id=\"p{}\" version=\"1.0\" />", n + 1),
                ),
            )
        })
        .collect();
    let items = project(
        "<PackageReference Include=\"A\" Version=\"1.0.0\" /><PackageReference Include=\"Lib\" Version=\"1.0.0\" /><PackageReference Include=\"P0\" \
         Version=\"1.0.0\" />",
    );
    let mut repository = repository(
        &items,
        &[
            ("a/1.0.0/a.nuspec", to_b.as_bytes()),
            ("b/1.0.0/b.nuspec", to_a.as_bytes()),
            ("lib/1.0.0/lib/net8.0/Lib.dll", &lib),
            ("lib/1.0.0/lib.nuspec", b"<package><metadata><dependencies>"),
        ],
    );
    long.iter()
        .for_each(|(path, text)| repository.write_bytes(&format!("nuget/{path}"), text.as_bytes()));
    repository.index();
    assert_eq!(repository.calls(), TYPED);
}

#[test]
#[cfg(unix)]
fn nothing_outside_the_package_folder_is_read() {
    let link = |repository: &Repository, at: &str, target: &str| {
        let at = repository.outer.path().join("nuget").join(at);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(repository.outer.path().join(target), at).unwrap();
    };
    let harms: &[(&str, &str)] = &[
        ("lib/1.0.0/lib/net8.0/Lib.dll", "secret/Lib.dll"),
        ("lib/1.0.0/lib/net8.0", "secret"),
        ("lib", "elsewhere"),
    ];
    for (at, target) in harms {
        let mut repository = repository(&names("Lib", "1.0.0"), &[]);
        repository.write_bytes("secret/Lib.dll", &lib());
        repository.write_bytes("elsewhere/1.0.0/lib/net8.0/Lib.dll", &lib());
        link(&repository, at, target);
        repository.index();
        assert_eq!(repository.calls(), UNTYPED, "{at}");
    }
    for path in [
        "../../../secret/Lib.dll",
        "/secret/Lib.dll",
        "lib/../../../../secret/Lib.dll",
    ] {
        let mut repository = repository(&names("Lib", "1.0.0"), &[("other/1.0.0/x", b"")]);
        repository.write_bytes("secret/Lib.dll", &lib());
        repository.write(&[("obj/project.assets.json", &assets("net8.0", path))]);
        repository.index();
        assert_eq!(repository.calls(), UNTYPED, "{path}");
    }
}
