//! Tests of outlines: they have everything that the facts of the same text have.

use super::*;
use crate::LANGUAGES;
use crate::resolve::specifiers;

fn outlined(text: &str) -> Option<DeclarationOutline> {
    outline(text, Dialect::Ts)
}

#[test]
fn an_outline_has_the_specifiers_and_names_of_the_facts() {
    let texts = [
        "import { A, type B as C } from './a';\nexport declare function f(a: A): C;",
        "/// <reference types=\"node\" />\n/// <reference path='b.d.ts' />\n/// <reference lib=\"dom\" />\nexport {};",
        "import './side';\nimport x = require('cjs');\nexport = x;",
        "export interface I { m(): import('./other').T; 'quoted-name': 1; #p: any }",
        "export { default } from './d';\nexport { a as b, type c } from './e';",
        "// import './no'\n/* from './no' */ export type T = `a${import('./t').X}b${'}'}`;",
        "export declare const { a, b: c }: typeof import('./v'), d: number;",
        "declare class A {} export { A as default };\nexport as namespace N;",
        "export {}; declare global { interface Window { a: import('./w').W } }",
        "declare module 'm' { import n from 'n'; export { n as default }; }\ndeclare module '*.svg';",
        "declare namespace N.M { export import A = X.Y; }\ndeclare var v: N.M.A, w: 'text';",
    ];
    for text in texts {
        let outline = outlined(text).unwrap_or_else(|| panic!("no outline: {text}"));
        let facts = LANGUAGES.extract_declarations(text, Dialect::Ts);
        let outlined: FxHashSet<&str> = outline.specifiers().collect();
        for sym in specifiers(&facts) {
            assert!(outlined.contains(facts.text(sym)), "{text}: {outlined:?}");
        }
        assert!(!outlined.contains("./no"), "{text}");

        let names: FxHashSet<&str> = outline.names().collect();
        for name in facts.names.iter().filter(|name| !name.is_empty()) {
            let is_known = names.contains(name) || outlined.contains(name);
            assert!(is_known, "{text}: {name}");
        }
    }
}

#[test]
fn exported_names_are_known() {
    let text = "export declare const { a, b: c }: X, d: number;\n\
                export { e as f, type g };\nexport default h;\n\
                export interface I { inner: 1 }\nexport declare namespace N.M { let n: 1 }";
    let outline = outlined(text).unwrap();
    let exported: Vec<&str> = outline.exported().collect();
    for name in ["a", "c", "d", "f", "g", "default", "I", "N", "M"] {
        assert!(exported.contains(&name), "{name}");
    }
    for name in ["inner", "n"] {
        assert!(!exported.contains(&name), "{name}");
        assert!(outline.names().any(|other| other == name), "{name}");
    }
    assert!(!outline.is_assigned);
    assert!(
        outlined("declare const a: 1; export = a;")
            .unwrap()
            .is_assigned
    );
}

#[test]
fn stars_are_in_source_order() {
    let text = "export * from './b';\nexport * as c from './c';\nexport type * from './a';\n\
                import * as d from './d';\nexport declare const q: 'it\\'s', r: \"'\";";
    let outline = outlined(text).unwrap();
    let stars: Vec<&str> = outline.stars().collect();
    assert_eq!(stars, ["./b", "./a"]);
    let specifiers: Vec<&str> = outline.specifiers().collect();
    assert_eq!(specifiers, ["./a", "./b", "./c", "./d"]);
    assert!(outline.exported().any(|name| name == "c"));
    assert!(outline.exported().any(|name| name == "r"));
}

#[test]
fn globals_and_ambient_modules_are_known() {
    let text = "declare module 'a' { export * from 'b'; global { var c: D, e: F }\n\
                export function g(): void; }\ndeclare module \"h\";\n\
                declare namespace I.J { const k: 1 } declare function* l(m: N): O;\n\
                interface global { p: 1 } type Q<R> = S;";
    let outline = outlined(text).unwrap();
    let mut globals: Vec<&str> = outline.globals().collect();
    globals.retain(|name| name.len() == 1);
    assert_eq!(globals, ["I", "Q", "c", "e", "l"]);
    assert!(outline.globals().any(|name| name == "global"));
    assert_eq!(outline.ambient().collect::<Vec<_>>(), ["a", "h"]);
    assert_eq!(outline.specifiers().collect::<Vec<_>>(), ["a", "b", "h"]);
    assert_eq!(outline.exported().count(), 0);
    assert_eq!(outline.stars().count(), 0);
}

#[test]
fn files_that_do_more_than_declare_have_no_outline() {
    for text in [
        "export {}; declare global { const { a, b }: X; }",
        "export {}; declare global { function f(a): asserts a; }",
        "declare function f(a: unknown): asserts a;",
        "declare const { a, b }: X;",
        "declare namespace N { module 'a' { } }",
        "import 'a'; declare module 'a' { interface B {} }",
        "export const a: 'open",
        "export * from '\\x41';",
        "export const a: { b: 1 ];",
        "export const a: `${string",
    ] {
        assert_eq!(outlined(text), None, "{text}");
    }
}
