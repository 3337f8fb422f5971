//! `codeagent packages`, and searches that name symbols of packages.

use std::path::Path;

use expect_test::expect;

use super::Shop;

/// Writes a C# project and an npm package that declare packages and use them.
fn add_projects(root: &Path) {
    for (path, text) in [
        (
            "src/Mail/Mail.csproj",
            r#"<Project Sdk="Microsoft.NET.Sdk"><ItemGroup>
                <PackageReference Include="Dapper" />
                <PackageReference Include="Serilog" Version="3.*" /></ItemGroup></Project>"#,
        ),
        (
            "src/Mail/Directory.Packages.props",
            r#"<Project><PropertyGroup><ManagePackageVersionsCentrally>true</ManagePackageVersionsCentrally></PropertyGroup>
                <ItemGroup><PackageVersion Include="Dapper" Version="2.1.35" /></ItemGroup></Project>"#,
        ),
        (
            "src/Mail/packages.lock.json",
            r#"{"version": 1, "dependencies": {"net8.0": {"Dapper": {"type": "Direct", "resolved": "2.1.35"}, "Serilog": {"type": "Direct", "resolved": "3.1.1"}}}}"#,
        ),
        (
            "src/Old/Old.csproj",
            r#"<Project ToolsVersion="15.0"></Project>"#,
        ),
        (
            "src/Old/packages.config",
            r#"<packages><package id="Moq" version="4.0.0" developmentDependency="true" /></packages>"#,
        ),
        (
            "web/packages/feed/package.json",
            r#"{"name": "@shop/feed", "dependencies": {"rxjs": "^7.0.0", "@shop/ui": "1.0.0"}, "devDependencies": {"vitest": "^1.0.0"}}"#,
        ),
        ("web/yarn.lock", "rxjs@^7.0.0:\n  version \"7.8.1\"\n"),
        (
            "web/packages/feed/src/feed.ts",
            "import { of } from \"rxjs\";\nimport { debounce } from \"lodash\";\nexport const feed = debounce(() => of(1), 10);\n",
        ),
    ] {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

#[test]
fn packages_are_listed_with_versions_and_uses() {
    let shop = Shop::new();
    add_projects(shop.root.path());
    assert!(shop.run(&["index"]).status.success());
    expect![[r#"
        src/Mail/Mail.csproj
          nuget:Dapper 2.1.35: no known uses
          nuget:Serilog 3.*, locked 3.1.1: no known uses
        src/Old/Old.csproj
          nuget:Moq 4.0.0, dev: no known uses
        web/packages/app/package.json
          npm:@shop/client 1.0.0: in this repository
          npm:@shop/ui 1.0.0: in this repository
        web/packages/feed/package.json
          npm:@shop/ui 1.0.0: in this repository
          npm:lodash, not declared: 2 uses in 1 file
          npm:rxjs ^7.0.0, locked 7.8.1: 2 uses in 1 file
          npm:vitest ^1.0.0, dev: no uses
    "#]]
    .assert_eq(&shop.stdout(&["packages"]));

    let json: serde_json::Value =
        serde_json::from_str(&shop.stdout(&["packages", "rxjs", "--json"])).unwrap();
    assert_eq!(
        json["results"],
        serde_json::json!([{
            "project": "web/packages/feed/package.json", "manager": "npm", "package": "rxjs",
            "requested": "^7.0.0", "resolved": "7.8.1", "declared": true, "uses": 2, "files": 1,
        }])
    );
}

#[test]
fn an_unknown_package_and_a_repository_without_packages_are_explained() {
    let shop = Shop::new();
    add_projects(shop.root.path());
    assert!(shop.run(&["index"]).status.success());
    for (name, expected) in [
        ("lock", "`codeagent packages` lists all"),
        ("rx", "did you mean rxjs?"),
    ] {
        let output = shop.run(&["packages", name]);
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(expected), "{name}: {text}");
    }
}

#[test]
fn a_search_names_external_symbols() {
    let shop = Shop::new();
    add_projects(shop.root.path());
    assert!(shop.run(&["index"]).status.success());
    let output = shop.run(&["search", "debounce"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.contains("not in the repository: npm:lodash#debounce; `codeagent references "),
        "{text}"
    );
}
