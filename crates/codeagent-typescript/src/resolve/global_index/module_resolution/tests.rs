use std::collections::BTreeMap;

use codeagent_model::facts::Facts;
use codeagent_model::graph::Dialect;

use super::*;
use crate::LANGUAGES;
use crate::project::TypeScriptProjects;

fn paths(files: &[&str], texts: &[(&str, &str)]) -> (ModulePaths, Vec<String>) {
    let mut names: Vec<&str> = files.to_vec();
    names.sort_unstable();
    let world: Vec<WorldFile> = names
        .iter()
        .map(|path| WorldFile {
            path: Arc::from(*path),
            facts: Arc::new(Facts::of(Dialect::Ts)).into(),
            external: false,
            package: None,
        })
        .collect();
    let sources: BTreeMap<String, Arc<str>> = texts
        .iter()
        .map(|(path, text)| ((*path).to_owned(), Arc::from(*text)))
        .collect();
    let names_of = names
        .iter()
        .map(|name| (*name).to_owned())
        .collect::<Vec<_>>();
    let projects = ProjectModel::build(LANGUAGES, &names_of, sources);
    (
        ModulePaths::new(&world, &projects, &Arc::default()),
        names.iter().map(|name| (*name).to_owned()).collect(),
    )
}

fn check(files: &[&str], texts: &[(&str, &str)], cases: &[(&str, &str, &str)]) {
    let (mut modules, names) = paths(files, texts);
    for (from, specifier, expected) in cases {
        let found = modules
            .resolve(from, specifier)
            .map_or("-", |id| names[id.0 as usize].as_str());
        assert_eq!(found, *expected, "{specifier} in {from}");
    }
}

#[test]
fn relative_specifiers_resolve_to_files() {
    check(
        &[
            "a/b.ts",
            "a/c.tsx",
            "a/d/index.ts",
            "a/e.d.ts",
            "a/d.ts",
            "f.ts",
            "a/k.js",
        ],
        &[],
        &[
            ("a/x.ts", "./b", "a/b.ts"),
            ("a/x.ts", "./b.js", "a/b.ts"),
            ("a/x.ts", "./c", "a/c.tsx"),
            ("a/x.ts", "./d", "a/d.ts"),
            ("a/x.ts", "./d/", "a/d/index.ts"),
            ("a/d/x.ts", ".", "a/d/index.ts"),
            ("a/x.ts", "./e", "a/e.d.ts"),
            ("a/x.ts", "../f", "f.ts"),
            ("a/x.ts", "./k", "a/k.js"),
            ("a/x.ts", "../../f", "-"),
            ("a/x.ts", "./missing", "-"),
        ],
    );
}

#[test]
fn tsconfig_paths_survive_an_extends_from_a_package() {
    check(
        &["src/app/main.ts", "src/lib/util.ts", "src/deep/x.ts"],
        &[(
            "tsconfig.json",
            r#"{ "extends": "@tsconfig/node20/tsconfig.json", // comment
              "compilerOptions": { "baseUrl": ".", "paths": { "@lib/*": ["src/lib/*"] } } }"#,
        )],
        &[
            ("src/app/main.ts", "@lib/util", "src/lib/util.ts"),
            ("src/app/main.ts", "src/deep/x", "src/deep/x.ts"),
            ("src/app/main.ts", "@other/util", "-"),
            ("src/app/main.ts", "fs", "-"),
        ],
    );
}

#[test]
fn packages_of_the_repository_resolve_to_their_sources() {
    check(
        &[
            "packages/a/src/index.ts",
            "packages/a/src/sub/thing.ts",
            "packages/b/src/v4/index.ts",
            "packages/c/index.ts",
            "packages/d/source/main.ts",
        ],
        &[
            (
                "packages/a/package.json",
                r#"{"name":"@x/a","main":"dist/index.js","types":"dist/index.d.ts"}"#,
            ),
            (
                "packages/b/package.json",
                r#"{"name":"b","exports":{"./v4":{"source":"./src/v4/index.ts","import":"./v4/index.js"}}}"#,
            ),
            ("packages/c/package.json", r#"{"name":"c"}"#),
            (
                "packages/d/package.json",
                r#"{"name":"d","source":"./source/main.ts"}"#,
            ),
        ],
        &[
            ("packages/b/src/x.ts", "@x/a", "packages/a/src/index.ts"),
            (
                "packages/b/src/x.ts",
                "@x/a/dist/sub/thing",
                "packages/a/src/sub/thing.ts",
            ),
            ("packages/b/src/x.ts", "b/v4", "packages/b/src/v4/index.ts"),
            ("packages/b/src/x.ts", "c", "packages/c/index.ts"),
            ("packages/b/src/x.ts", "d", "packages/d/source/main.ts"),
            ("packages/b/src/x.ts", "unknown", "-"),
        ],
    );
}

#[test]
fn tsconfig_paths_are_inherited_along_extends() {
    check(
        &[
            "app/src/main.ts",
            "app/own/x.ts",
            "shared/lib/util.ts",
            "app/gen/y.ts",
            "flat/src/z.ts",
            "flat/deep/w.ts",
            "a/i.ts",
            "b/i.ts",
        ],
        &[
            (
                "app/tsconfig.json",
                r#"{"extends": ["../cfg/base", "../cfg/gen.json"]}"#,
            ),
            ("cfg/base.json", r#"{"extends": "./root.json"}"#),
            (
                "cfg/root.json",
                r#"{"compilerOptions": {"paths": {"@lib/*": ["../shared/lib/*"]}}}"#,
            ),
            ("cfg/gen.json", r#"{"include": ["${configDir}/**/*"]}"#),
            (
                "flat/tsconfig.json",
                r#"{"extends": "../cfg/urls.json", "compilerOptions": {"paths": {"~": ["./deep/w"]}}}"#,
            ),
            (
                "cfg/urls.json",
                r#"{"compilerOptions": {"baseUrl": "../flat"}}"#,
            ),
            // A cycle: each has its own mapping, and settings from outside the cycle are inherited.
            (
                "a/tsconfig.json",
                r#"{"extends": "../b/tsconfig.json", "compilerOptions": {"paths": {"@a": ["./i"]}}}"#,
            ),
            (
                "b/tsconfig.json",
                r#"{"extends": "../a/tsconfig.json", "compilerOptions": {"paths": {"@b": ["./i"]}}}"#,
            ),
        ],
        &[
            ("app/src/main.ts", "@lib/util", "shared/lib/util.ts"),
            ("flat/src/z.ts", "~", "flat/deep/w.ts"),
            ("flat/src/z.ts", "deep/w", "flat/deep/w.ts"),
            ("a/x.ts", "@a", "a/i.ts"),
            ("b/x.ts", "@b", "b/i.ts"),
            ("b/x.ts", "@a", "-"),
        ],
    );
}

fn configs(sources: &BTreeMap<String, Arc<str>>) -> Arc<BTreeMap<String, Arc<str>>> {
    let projects = ProjectModel::build(LANGUAGES, &[], sources.clone());
    Arc::clone(&projects.of::<TypeScriptProjects>().configs)
}

#[test]
fn path_patterns_are_found_by_their_prefix() {
    let config = r#"{"compilerOptions": {"paths": {"@app/*": ["./a/*"], "exact": ["./b"], "*-local": ["./c/*"]}}}"#;
    let sources = BTreeMap::from([("tsconfig.json".to_owned(), Arc::from(config))]);
    let begins = |specifier: &str| Prefixes::of(&configs(&sources)).begin(specifier);
    assert!(
        begins("x-local") && begins("@app/x"),
        "an asterisk at the beginning stands for anything"
    );
    let sources = BTreeMap::from([(
        "tsconfig.json".to_owned(),
        Arc::from(config.replace("*-local", "local")),
    )]);
    let begins = |specifier: &str| Prefixes::of(&configs(&sources)).begin(specifier);
    assert_eq!(
        ["@app/x", "exact", "@apple", "loc\u{e4}l", ""].map(begins),
        [true, true, false, false, false]
    );
}

#[test]
fn exports_are_selected_by_the_conditions_of_the_importing_file() {
    let exports = r#"{"name":"lib","exports":{
        "react-server": "./src/server.ts",
        "browser": "./src/browser.ts",
        "@own/source": "./src/own.ts",
        "require": "./src/require.ts",
        "import": "./src/import.ts",
        "default": "./src/default.ts"}}"#;
    check(
        &[
            "lib/src/server.ts",
            "lib/src/browser.ts",
            "lib/src/own.ts",
            "lib/src/require.ts",
            "lib/src/import.ts",
            "lib/src/default.ts",
        ],
        &[
            ("lib/package.json", exports),
            ("bundled/tsconfig.json", "{}"),
            ("custom/tsconfig.json", r#"{"extends": "./base.json"}"#),
            (
                "custom/base.json",
                r#"{"compilerOptions": {"customConditions": ["@own/source"]}}"#,
            ),
            (
                "common/tsconfig.json",
                r#"{"compilerOptions": {"module": "NodeNext"}}"#,
            ),
            ("common/modules/package.json", r#"{"type": "module"}"#),
            (
                "common/bundled/tsconfig.json",
                r#"{"compilerOptions": {"module": "nodenext", "moduleResolution": "bundler"}}"#,
            ),
        ],
        &[
            ("x.ts", "lib", "lib/src/import.ts"),
            ("bundled/x.ts", "lib", "lib/src/import.ts"),
            ("custom/deep/x.ts", "lib", "lib/src/own.ts"),
            ("common/x.ts", "lib", "lib/src/require.ts"),
            ("common/modules/x.ts", "lib", "lib/src/import.ts"),
            ("common/bundled/x.ts", "lib", "lib/src/import.ts"),
        ],
    );
}

#[test]
fn imports_of_a_package_resolve_to_its_sources() {
    let manifest = r##"{"imports": {
        "#utils": {"own": "./src/utils/index.ts", "types": "./dist/utils.d.ts"},
        "#unbuilt": "./dist/unbuilt.js",
        "#parts/*": "./src/parts/*.ts",
        "#lodash": "lodash"}}"##;
    check(
        &[
            "src/utils/index.ts",
            "src/unbuilt.ts",
            "src/parts/a.ts",
            "src/aliased.ts",
            "x.ts",
        ],
        &[
            ("package.json", manifest),
            (
                "src/tsconfig.json",
                r##"{"compilerOptions": {"customConditions": ["own"], "paths": {"#alias": ["./aliased.ts"]}}}"##,
            ),
        ],
        &[
            ("src/a.ts", "#utils", "src/utils/index.ts"),
            ("x.ts", "#utils", "src/utils/index.ts"),
            ("x.ts", "#unbuilt", "src/unbuilt.ts"),
            ("x.ts", "#parts/a", "src/parts/a.ts"),
            ("x.ts", "#parts/b", "-"),
            ("x.ts", "#lodash", "-"),
            ("src/a.ts", "#alias", "src/aliased.ts"),
        ],
    );
}

#[test]
fn an_unbuilt_target_resolves_to_its_source() {
    check(
        &[
            "a/source/main.ts",
            "a/source/parts/part.ts",
            "a/loose.js",
            "b/lib/v4/index.ts",
            "b/index.ts",
            "c/src/browser.ts",
        ],
        &[
            (
                "a/package.json",
                r#"{"name":"a","exports":{".":{"types":"./out/main.d.ts","default":"./loose.js"},"./*":"./out/types/parts/*.d.mts"}}"#,
            ),
            (
                "a/tsconfig.build.json",
                r#"{"compilerOptions": {"outDir": "out", "declarationDir": "out/types", "rootDir": "source"}}"#,
            ),
            (
                "b/package.json",
                r#"{"name":"b","exports":{"./v4":{"import":"./build/v4/index.js"}}}"#,
            ),
            (
                "b/tsconfig.json",
                r#"{"include": ["lib"], "compilerOptions": {"outDir": "build"}}"#,
            ),
            (
                "c/package.json",
                r#"{"name":"c","exports":{"default":"./bundle.js","browser":"./src/browser.ts"}}"#,
            ),
        ],
        &[
            ("x.ts", "a", "a/source/main.ts"),
            ("x.ts", "a/part", "a/source/parts/part.ts"),
            ("x.ts", "b/v4", "b/lib/v4/index.ts"),
            ("x.ts", "c", "c/src/browser.ts"),
        ],
    );
}

#[test]
fn a_private_workspace_root_does_not_hide_a_member_with_its_name() {
    let member = (
        "packages/lib/package.json",
        r#"{"name":"lib","main":"dist/index.js"}"#,
    );
    let files = ["src/index.ts", "packages/lib/src/index.ts"];
    let root = r#"{"name":"lib","private":true,"workspaces":["packages/*"]}"#;
    check(
        &files,
        &[("package.json", root), member],
        &[("packages/app/x.ts", "lib", "packages/lib/src/index.ts")],
    );
    check(
        &files,
        &[
            ("package.json", r#"{"name":"lib","private":true}"#),
            ("pnpm-workspace.yaml", "packages: ['packages/*']\n"),
            (
                "packages/app/package.json",
                r#"{"name":"app","dependencies":{"lib":"workspace:*"}}"#,
            ),
            member,
        ],
        &[("packages/app/x.ts", "lib", "packages/lib/src/index.ts")],
    );
    check(
        &files,
        &[
            (
                "package.json",
                r#"{"name":"lib","workspaces":["packages/*"]}"#,
            ),
            member,
        ],
        &[("packages/app/x.ts", "lib", "src/index.ts")],
    );
}
