//! Small repositories of project files and their models.

use std::collections::BTreeMap;
use std::sync::Arc;

use codeagent_lang::project::ProjectModel;
use expect_test::{Expect, expect};
use proptest::prelude::*;

use crate::LANGUAGES;
use crate::project::TypeScriptProjects;

/// Builds the model of some project files with their texts and of other files without.
fn model(texts: &[(&str, &str)], others: &[&str]) -> ProjectModel {
    let mut paths: Vec<String> = texts
        .iter()
        .map(|(path, _)| *path)
        .chain(others.iter().copied())
        .map(str::to_owned)
        .collect();
    paths.sort_unstable();
    let texts: BTreeMap<String, Arc<str>> = texts
        .iter()
        .map(|(path, text)| ((*path).to_owned(), Arc::from(*text)))
        .collect();
    ProjectModel::build(LANGUAGES, &paths, texts)
}

fn check_owners(texts: &[(&str, &str)], others: &[&str], expected: &Expect) {
    let model = model(texts, others);
    let lines: Vec<String> = others
        .iter()
        .map(|path| format!("{path} -> {}", model.project_id(path)))
        .chain(model.warnings.iter().cloned())
        .collect();
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn exclude_removes_folders_and_their_files() {
    check_owners(
        &[
            (
                "tsconfig.json",
                r#"{"exclude": ["lib", "gen/*/**", "**/*.test.ts", "**/node_modules/**"]}"#,
            ),
            ("tsconfig.rest.json", "{}"),
            ("jsconfig.dots.json", r#"{"include": [".config/**/*"]}"#),
        ],
        &[
            "lib/a/b.ts",
            "library/a.ts",
            "gen/a.ts",
            "gen/a/b/c.ts",
            "general/a.ts",
            "src/a.Test.ts",
            "src/node_modules/p/index.ts",
            ".config/x/y.js",
            ".config/x/.y/z.js",
            "src/.z.ts",
        ],
        &expect![[r#"
            lib/a/b.ts -> tsconfig.rest.json
            library/a.ts -> tsconfig.json
            gen/a.ts -> tsconfig.rest.json
            gen/a/b/c.ts -> tsconfig.rest.json
            general/a.ts -> tsconfig.json
            src/a.Test.ts -> tsconfig.rest.json
            src/node_modules/p/index.ts -> tsconfig.rest.json
            .config/x/y.js -> jsconfig.dots.json
            .config/x/.y/z.js -> .
            src/.z.ts -> ."#]],
    );
}

#[test]
fn the_nearest_tsconfig_that_covers_a_file_owns_it() {
    check_owners(
        &[
            (
                "tsconfig.json",
                r#"{"include": ["apps", "shared/**/*", "tools/*.mts"]}"#,
            ),
            (
                "apps/web/tsconfig.json",
                r#"{"files": [], "references": [{"path": "./tsconfig.app.json"}, {"path": "./tsconfig.spec.json"}]}"#,
            ),
            (
                "apps/web/tsconfig.app.json",
                r#"{"compilerOptions": {"outDir": "out"}, "include": ["src/**/*.ts"], "exclude": ["src/**/*.spec.ts",]} // x"#,
            ),
            (
                "apps/web/tsconfig.spec.json",
                r#"{"include": ["src/**/*.spec.ts", "./.storybook/*.ts"]}"#,
            ),
            (
                "apps/api/tsconfig.base.json",
                r#"{"compilerOptions": {"strict": true}}"#,
            ),
            (
                "apps/api/tsconfig.build.json",
                r#"{"extends": "./tsconfig.base", "compilerOptions": {"allowJs": true, "outDir": "dist"}}"#,
            ),
            (
                "libs/a/tsconfig.json",
                r#"{"extends": ["@acme/config/strict.json"], "exclude": ["test"]}"#,
            ),
            ("libs/config/package.json", r#"{"name": "@acme/config"}"#),
            (
                "libs/config/tsconfig.other.json",
                r#"{"files": ["../../far/f.ts"], "include": []}"#,
            ),
            (
                "libs/config/strict.json",
                r#"{"include": ["${configDir}/src"]}"#,
            ),
            (
                "libs/config/tsconfig.strict.json",
                r#"{"include": ["${configDir}/src"]}"#,
            ),
            (
                "libs/b/tsconfig.json",
                r#"{"extends": "@acme/config/tsconfig.strict"}"#,
            ),
            ("libs/c/tsconfig.json", r#"{"files": ["main.ts"]}"#),
            ("js/jsconfig.json", "{}"),
            ("cycle/tsconfig.json", r#"{"extends": "./tsconfig.a.json"}"#),
            ("cycle/tsconfig.a.json", r#"{"extends": "./tsconfig.json"}"#),
            ("broken/tsconfig.json", "{"),
        ],
        &[
            "apps/web/src/a.ts",
            "apps/web/src/a.spec.ts",
            "apps/web/.storybook/main.ts",
            "apps/web/vite.config.ts",
            "apps/.hidden/x.ts",
            "apps/api/b.ts",
            "apps/api/c.js",
            "apps/api/dist/b.d.ts",
            "apps/web/src/a.js",
            "shared/s.tsx",
            "tools/t.mts",
            "tools/t.ts",
            "far/f.ts",
            "far/g.ts",
            "libs/b/src/x.ts",
            "libs/b/test/x.ts",
            "libs/a/test/x.ts",
            "libs/c/main.ts",
            "libs/c/imported.ts",
            "js/j.jsx",
            "cycle/x.ts",
            "broken/x.ts",
        ],
        &expect![[r#"
            apps/web/src/a.ts -> apps/web/tsconfig.app.json
            apps/web/src/a.spec.ts -> apps/web/tsconfig.spec.json
            apps/web/.storybook/main.ts -> apps/web/tsconfig.spec.json
            apps/web/vite.config.ts -> tsconfig.json
            apps/.hidden/x.ts -> .
            apps/api/b.ts -> apps/api/tsconfig.build.json
            apps/api/c.js -> apps/api/tsconfig.build.json
            apps/api/dist/b.d.ts -> tsconfig.json
            apps/web/src/a.js -> .
            shared/s.tsx -> tsconfig.json
            tools/t.mts -> tsconfig.json
            tools/t.ts -> .
            far/f.ts -> libs/config/tsconfig.other.json
            far/g.ts -> .
            libs/b/src/x.ts -> libs/b/tsconfig.json
            libs/b/test/x.ts -> .
            libs/a/test/x.ts -> .
            libs/c/main.ts -> libs/c/tsconfig.json
            libs/c/imported.ts -> libs/c/tsconfig.json
            js/j.jsx -> js/jsconfig.json
            cycle/x.ts -> cycle/tsconfig.json
            broken/x.ts -> .
            broken/tsconfig.json: cannot be read, ignored: invalid JSONC at line 1, column 2"#]],
    );
}

proptest! {
    /// Any text in configurations gives a model, the same each time.
    #[test]
    fn any_text_gives_a_deterministic_model(a in "[$()@%'!=<>. A-Cn;\\[\\]:,`é/*{}-]{0,50}", b in "[ -~é\\n]{0,60}") {
        let config = format!(r#"{{"include": ["{a}"], "extends": "{a}", "exclude": [{b}]}}"#);
        let texts: [(&str, &str); 4] = [
            ("tsconfig.json", &config),
            ("p/tsconfig.json", &b),
            ("package.json", &b),
            ("pnpm-workspace.yaml", &b),
        ];
        let (built, again) = (model(&texts, &["p/a.ts"]), model(&texts, &["p/a.ts"]));
        prop_assert_eq!(built.of::<TypeScriptProjects>(), again.of::<TypeScriptProjects>());
    }
}
