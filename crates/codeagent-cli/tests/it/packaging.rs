//! Packages: their version is the workspace's, and each built platform has one.

use std::path::Path;

use serde_json::Value;

fn text(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

#[test]
fn every_package_has_the_version_of_the_workspace() {
    let json = |path: &str| serde_json::from_str::<Value>(&text(path)).unwrap();
    let (npm, bundle, entry) = (
        json("packaging/npm/package.json"),
        json("packaging/mcpb/manifest.json"),
        json("packaging/server.json"),
    );
    let mut versions = vec![&npm["version"], &bundle["version"], &entry["version"]];
    versions.extend(npm["optionalDependencies"].as_object().unwrap().values());
    versions.extend(
        entry["packages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|package| &package["version"]),
    );
    assert!(
        versions.len() > 5
            && versions
                .iter()
                .all(|version| *version == env!("CARGO_PKG_VERSION")),
        "{versions:?}"
    );
    assert_eq!(npm["mcpName"], entry["name"]);
}

#[test]
fn every_built_platform_has_an_npm_package() {
    let npm: Value = serde_json::from_str(&text("packaging/npm/package.json")).unwrap();
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
