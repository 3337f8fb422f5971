//! Packages: their versions and addresses are the workspace's, and each built platform has one.

use std::path::Path;

use serde_json::Value;

fn text(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn json(path: &str) -> Value {
    serde_json::from_str(&text(path)).unwrap()
}

#[test]
fn every_package_has_the_version_of_the_workspace() {
    let (npm, bundle, entry) = (
        json("packaging/npm/package.json"),
        json("packaging/mcpb/manifest.json"),
        json("packaging/server.json"),
    );
    let mut versions = vec![&npm["version"], &bundle["version"], &entry["version"]];
    versions.extend(npm["optionalDependencies"].as_object().unwrap().values());
    let packages = entry["packages"].as_array().unwrap();
    // The version of an image is part of its name.
    let (images, packages): (Vec<&Value>, Vec<&Value>) = packages
        .iter()
        .partition(|package| package["registryType"] == "oci");
    versions.extend(packages.iter().map(|package| &package["version"]));
    assert!(
        versions.len() > 5
            && versions
                .iter()
                .all(|version| *version == env!("CARGO_PKG_VERSION")),
        "{versions:?}"
    );
    for image in images {
        let name = image["identifier"].as_str().unwrap();
        assert!(
            name.ends_with(&format!(":{}", env!("CARGO_PKG_VERSION"))),
            "{name}"
        );
    }
    assert_eq!(npm["mcpName"], entry["name"]);
}

#[test]
fn addresses_are_those_of_the_workspace() {
    let (repository, homepage) = (env!("CARGO_PKG_REPOSITORY"), env!("CARGO_PKG_HOMEPAGE"));
    let entry = json("packaging/server.json");
    assert_eq!(entry["repository"]["url"], repository);
    assert_eq!(entry["websiteUrl"], homepage);

    let owner = repository.strip_prefix("https://github.com/").unwrap();
    let (owner, name) = owner.split_once('/').unwrap();
    assert_eq!(entry["name"], format!("io.github.{owner}/{name}"));
    assert_eq!(homepage, format!("https://{owner}.github.io/{name}/"));
    for (file, expected) in [
        ("packaging/Dockerfile", repository),
        ("../../docs/book.toml", repository),
        ("../../docs/llms.txt", homepage),
        ("README.md", homepage),
        ("../../.github/ISSUE_TEMPLATE/config.yml", repository),
    ] {
        assert!(text(file).contains(expected), "{file}: {expected}");
    }
}

#[test]
fn every_published_crate_has_licences_and_addresses() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut published = 0;
    for folder in std::fs::read_dir(crates).unwrap() {
        let folder = folder.unwrap().path();
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        if manifest.contains("publish = false") {
            continue;
        }

        published += 1;
        for file in ["LICENSE-APACHE", "LICENSE-MIT"] {
            assert!(folder.join(file).is_file(), "{}: {file}", folder.display());
        }
        for key in [
            "license.workspace",
            "authors.workspace",
            "repository.workspace",
        ] {
            assert!(manifest.contains(key), "{}: {key}", folder.display());
        }
    }
    assert!(published > 10, "{published}");
}

#[test]
fn issue_templates_ask_for_a_report() {
    for file in [
        "ISSUE_TEMPLATE/problem.yml",
        "ISSUE_TEMPLATE/wrong_answer.yml",
        "PULL_REQUEST_TEMPLATE.md",
    ] {
        assert!(
            text(&format!("../../.github/{file}")).contains("codeagent doctor --report"),
            "{file}"
        );
    }
}

#[test]
fn every_built_platform_has_an_npm_package() {
    let npm = json("packaging/npm/package.json");
    let mut picked: Vec<String> = npm["optionalDependencies"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    let workflow = text("../../.github/workflows/release.yml");
    let built = workflow
        .lines()
        .filter_map(|line| Some(line.split_once("platform: ")?.1.trim_end_matches(" }")));
    let mut built: Vec<String> = built
        .map(|platform| format!("codeagent-{platform}"))
        .collect();
    picked.sort();
    built.sort();
    assert_eq!(picked, built);
}
