//! The bill of materials: a CycloneDX document of the crates that are linked into the binary.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::release::project::{Crate, Project};

pub fn text(project: &Project) -> anyhow::Result<String> {
    let checksums = checksums(&project.text("Cargo.lock")?);
    let is_program = |one: &&Crate| one.name == "codeagent";
    let component = |one: &Crate| component(project, one, &checksums);

    let program = project.crates.iter().find(is_program).map(component);
    let libraries: Vec<Value> = project
        .crates
        .iter()
        .filter(|one| !is_program(one))
        .map(component)
        .collect();
    let reference: BTreeMap<&str, String> = project
        .crates
        .iter()
        .map(|one| (one.id.as_str(), purl(one)))
        .collect();
    let dependencies: Vec<Value> = project
        .links
        .iter()
        .map(|(id, ids)| {
            let ids: Vec<_> = ids.iter().map(|id| &reference[id.as_str()]).collect();
            json!({ "ref": reference[id.as_str()], "dependsOn": ids })
        })
        .collect();

    let document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": program },
        "components": libraries,
        "dependencies": dependencies,
    });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn component(project: &Project, one: &Crate, checksums: &BTreeMap<String, String>) -> Value {
    let kind = if one.name == "codeagent" {
        "application"
    } else {
        "library"
    };

    let mut component = json!({
        "type": kind,
        "bom-ref": purl(one),
        "name": one.name,
        "version": one.version,
        "licenses": [{ "expression": one.license }],
        "purl": purl(one),
    });

    if let Some(checksum) = checksums.get(&format!("{} {}", one.name, one.version)) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }

    let repository = if one.is_own {
        Some(&project.repository)
    } else {
        one.repository.as_ref()
    };
    if let Some(repository) = repository {
        component["externalReferences"] = json!([{ "type": "vcs", "url": repository }]);
    }

    component
}

fn purl(one: &Crate) -> String {
    format!("pkg:cargo/{}@{}", one.name, one.version.replace('+', "%2B"))
}

/// Returns the checksums of `Cargo.lock` by name and version.
fn checksums(lock: &str) -> BTreeMap<String, String> {
    let value = |block: &str, key: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(key))?;
        Some(line.trim_start_matches(" = ").trim_matches('"').to_owned())
    };
    let row = |block: &str| {
        let name = format!("{} {}", value(block, "name")?, value(block, "version")?);
        Some((name, value(block, "checksum")?))
    };
    lock.split("[[package]]\n").filter_map(row).collect()
}
