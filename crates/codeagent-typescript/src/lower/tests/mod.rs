//! Snapshots of the facts of small texts.

mod hostile;
mod uses;
mod valid_syntax;

use codeagent_model::facts::{Detail, Facts};
use codeagent_model::graph::{Dialect, ParseStatus};
use codeagent_model::print::print;
use expect_test::{Expect, expect};

use crate::LANGUAGES;

/// Compares the facts of a text with a snapshot.
#[allow(
    clippy::needless_pass_by_value,
    reason = "snapshots are written in place"
)]
pub fn check(dialect: Dialect, text: &str, expected: Expect) {
    expected.assert_eq(&print(&LANGUAGES.extract(text, dialect, &[])));
}

#[test]
fn class_members_of_every_form_are_lowered() {
    check(
        Dialect::Ts,
        r"/** A cart. */
@Entity({ name: 'cart' }) export abstract class Cart<T extends Item = Item> extends Base<T> implements ns.Priced {
    static #count = 0;
    @Column readonly items: T[] = [];
    'quoted-name'?: string;
    [Symbol.iterator]() { return this.items; }
    constructor(private readonly store: Store, protected name = 'x', plain: number) { super(plain); Cart.#count++; }
    get total(): number { return this.items.length; }
    set total(value) { this.name = ''; }
    protected abstract price(item: T): Money;
    static { this.#count = 1; }
    [key: string]: unknown;
    handler = (event: Event) => this.price(event);
}
class Named<N extends { size: number }> extends Core<{ name: N }> { parts: { inner: N } }
",
        expect![[r#"
            Class Cart export abstract Extends Base<T> Implements ns.Priced [2-14 "A cart."]
            ObjectLiteral  @argument 0 of Entity
              Property name = "cart"
              TypeParam T Constraint Item : Item
              Property #count static = Number0 [3-3 private]
              Property items readonly : T[] = [] [4-4 "T[]" public]
              ObjectLiteral  @T[]
              Property quoted-name optional computed : string [5-5 "string" public]
              Method [Symbol.iterator] computed returns [this.items] [6-6 "()" public]
              Constructor constructor [7-7 "(private readonly store: Store, protected name = 'x', plain: number)" public]
                Parameter store from-parameter : Store
              Property store readonly from-parameter : Store [7-7 "Store" private]
                Parameter name optional from-parameter = "x"
              Property name from-parameter = "x" [7-7 protected]
                Parameter plain : number
              Getter total : number returns [this.items.length] [8-8 "()" "number" public]
              Setter total [9-9 "(value)" public]
                Parameter value
              Method price abstract : Money [10-10 "(item: T)" "Money" protected]
                Parameter item : T
              IndexSignature  : unknown
                Parameter key : string
              Property handler = lambda [13-13 "(event: Event)" public]
              Lambda  returns [this.price(event)]
                Parameter event : Event
            Class Named Extends Core<Object(DeclId(29))> [15-15]
              TypeParam N Constraint Object(DeclId(27))
              ObjectType 
                Property size : number [15-15 "number" public]
              ObjectType 
                Property name : N [15-15 "N" public]
              Property parts : Object(DeclId(32)) [15-15 "{ inner: N }" public]
              ObjectType 
                Property inner : N [15-15 "N" public]
            2:2 Call Entity(object 1) by Cart
            2:11 Key name of 1 by Cart
            2:64 TypeRef Item#0 by Cart
            2:71 TypeRef Item#0 by Cart
            2:85 Base base 0 of Cart by Cart
            2:104 TypeRef ns.Priced#0 by Cart
            2:107 Base base 1 of Cart by Cart
            4:6 Decorator Column by items
            6:6 Read Symbol by Cart
            6:13 Read Symbol.iterator by Cart
            6:39 Read this.items by [Symbol.iterator]
            7:41 ParameterType Store#0 by constructor
            7:87 BaseInit super(plain) by constructor
            7:101 Read Cart by constructor
            7:106 ReadWrite Cart.#count by constructor
            8:39 Read this.items by total
            8:45 Read this.items.length by total
            9:29 Write this.name by total
            10:40 TypeRef Money#0 by price
            11:19 Write class Cart.#count by Cart
            13:23 TypeRef Event#0 by handler
            13:38 Call this.price(event) by handler
            15:49 Base base 0 of Named by Named
        "#]],
    );
}

#[test]
fn function_overloads_and_patterns_are_lowered() {
    check(
        Dialect::Ts,
        r"export function f(a: string): void;
export function f(a: number): void;
export async function f(this: Self, { a, b: [c = 1, , ...d], ...e }: P = {}, ...rest: R[]) { await this.g(a, c); }
function* gen() { yield 1; yield* more(); }
const pick = <K extends keyof P>(key: K, fallback?: P[K]) => key;
outer(x => x.y, function named(z) { return named; });
",
        expect![[r#"
            Function f export hoisted : void [1-1 "(a: string)" "void"]
              Parameter a : string
            Function f export hoisted : void [2-2 "(a: number)" "void"]
              Parameter a : number
            Function f export async hoisted [3-3 "(this: Self, { a, b: [c = 1, , ...d], ...e }: P = {}, ...rest: R[])"]
              Parameter this : Self
              Parameter  optional : P = object 7
              ObjectLiteral  @P
              Variable a = <P>~a
              Variable c = (<P>~b~0 | Number1)
              Variable d = <P>~b~rest
              Variable e = <P>~rest
              Parameter rest rest : R[]
            Function gen generator hoisted returns [Number1, each more()] [4-4 "()"]
            Variable pick const = lambda [5-5 "(key: K, fallback?: P[K])"]
            Lambda  returns [key]
              TypeParam K Constraint keyof P
              Parameter key : K
              Parameter fallback optional : P[K]
            Lambda  returns [x.y] @argument 0 of outer
              Parameter x = context 0
              Lambda named returns [named] @argument 1 of outer
              Parameter z = context 0
            3:31 ParameterType Self#0 by f
            3:39 Destructure <P>~a by f
            3:42 Destructure <P>~b by f
            3:70 ParameterType P#0 by f
            3:87 ParameterType R#0 by f
            3:105 Call <Self>.g(a, c) by f
            4:35 Call more() by gen
            5:31 TypeRef P#0 by pick
            5:53 TypeRef P#0 by pick
            6:1 Call outer(lambda, lambda) by -
            6:14 Read x.y by -
        "#]],
    );
}

#[test]
fn imports_and_exports_of_every_form_are_lowered() {
    check(
        Dialect::Ts,
        r"import def, { a, b as c, type T, default as other } from './m';
import * as ns from 'n';
import type { U } from 'u';
import 'side';
import req = require('r');
import alias = ns.deep.Name;
export { a, c as d };
export { e as default } from './e';
export * from './star';
export * as all from './all';
export type * from './types';
export default a.b();
export const x = 1, y = 2;
export import z = ns.z;
",
        expect![[r#"
            import Default default as def from ./m
            import Named a as a from ./m
            import Named b as c from ./m
            import Named type T as T from ./m
            import Named default as other from ./m
            import Namespace  as ns from n
            import Named type U as U from u
            import SideEffect  as  from side
            import Require  as req from r
            export Local a as a from 
            export Local c as d from 
            export From e as default from ./e
            export Star  as  from ./star
            export StarAs  as all from ./all
            export Star type  as  from ./types
            DefaultExport default export default = a.b() [12-12]
            Variable x export const = Number1 [13-13]
            Variable y export const = Number2 [13-13]
            1:8 Import default by -
            1:15 Import a by -
            1:18 Import b by -
            1:31 Import T by -
            1:34 Import default by -
            2:13 Import  by -
            3:15 Import U by -
            4:8 Import  by -
            5:8 Import  by -
            6:16 Read ns by -
            6:19 Read ns.deep by -
            6:24 Read ns.deep.Name by -
            7:10 Export a by -
            7:13 Export c by -
            8:10 Export e by -
            9:15 Export  by -
            10:22 Export  by -
            11:20 Export  by -
            12:16 Read a by default
            12:18 Call a.b() by default
            14:19 Read ns by -
            14:22 Read ns.z by -
        "#]],
    );
}

#[test]
fn types_of_every_form_are_lowered() {
    check(
        Dialect::Ts,
        r"type A = Map<string, B.C[]> | { x: number; m?(y: D): this; new (): E; (f: F): G; readonly [k: string]: H };
type M = { readonly [K in keyof T]?: T[K] };
type C<T> = T extends [infer H extends string, ...infer R] ? H : never;
type L = import('m').N<O>['p'] | typeof q.r | [first: S, ...rest: U[]] | `a${V}` | 'lit' | -1;
type P = (x: unknown) => x is W;
declare function check(v: unknown): asserts v is X;
let z: typeof import('y') & (abstract new (a: Z) => object);
interface I<in out T> extends J<T>, K.L { prop: T; method<U>(u: U): void }
",
        expect![[r#"
            TypeAlias A : union(Map<string, B.C[]>, Object(DeclId(1))) [1-1]
              ObjectType  partial
                Property x : number [1-1 "number" public]
                Method m optional : This [1-1 "(y: D)" "this" public]
                  Parameter y : D
                ConstructSignature  : E
                CallSignature  : G
                  Parameter f : F
                IndexSignature  readonly : H
                  Parameter k : string
            TypeAlias M : Mapped(DeclId(11)) [2-2]
              MappedType  optional : T[K]
                TypeParam K Constraint keyof T
            TypeAlias C : conditional(T, [Infer(DeclId(15)), ...Infer(DeclId(16))], H, never, Infer(DeclId(15)), Infer(DeclId(16))) [3-3]
              TypeParam T
                TypeParam H Constraint string
                TypeParam R
            TypeAlias L : union(import(m).N<O>['p'], typeof q.r, [first: S, ...rest: U[]], template('a', V), 'lit', '-1') [4-4]
            TypeAlias P : Function(DeclId(19)) [5-5]
              FunctionType  : x is W
                Parameter x : unknown
            Function check declare hoisted : asserts v is X [6-6 "(v: unknown)" "asserts v is X"]
              Parameter v : unknown
            Variable z let : both(import(y)., Function(DeclId(24))) [7-7 "typeof import('y') & (abstract new (a: Z) => object)"]
            FunctionType new abstract : object
              Parameter a : Z
            Interface I Extends J<T> Extends K.L [8-8]
              TypeParam T
              Property prop : T [8-8 "T" public]
              Method method : void [8-8 "(u: U)" "void" public]
                TypeParam U
                Parameter u : U
            1:10 TypeRef Map<string, B.C[]>#0 by A
            1:22 TypeRef B.C#0 by A
            1:24 TypeRef B.C#1 by A
            1:50 ParameterType D#0 by m
            1:68 TypeRef E#0 by A
            1:75 TypeRef F#0 by A
            1:79 TypeRef G#0 by A
            1:104 TypeRef H#0 by A
            2:33 TypeRef T#0 by M
            2:38 TypeRef T#0 by M
            4:22 TypeRef import(m).N<O>#0 by L
            4:24 TypeRef O#0 by L
            4:27 TypeRef import(m).N<O>['p']#0 by L
            4:41 Read q by L
            4:43 Read q.r by L
            4:55 TypeRef S#0 by L
            4:67 TypeRef U#0 by L
            4:78 TypeRef V#0 by L
            5:31 TypeRef W#0 by P
            6:50 TypeRef X#0 by check
            7:15 Import import(y) by z
            7:47 TypeRef Z#0 by z
            8:31 Base base 0 of I by I
            8:37 TypeRef K.L#0 by I
            8:39 Base base 1 of I by I
        "#]],
    );
}

#[test]
fn namespaces_enums_and_ambient_modules_are_lowered() {
    check(
        Dialect::Ts,
        r#"namespace A.B { export const x = 1; }
declare module "m" { export function f(): void; }
declare global { interface Window { y: number } }
export const enum E { One = 1, 'two-2' = One << 1, Three }
"#,
        expect![[r#"
            Namespace A [1-1]
              Namespace B export [1-1]
                Variable x export const = Number1 [1-1]
            AmbientModule m declare [2-2]
              Function f export declare hoisted : void [2-2 "()" "void"]
              Interface Window declare global [3-3]
                Property y declare global : number [3-3 "number" public]
            Enum E export const [4-4]
              EnumMember One static = Number1 [4-4 public]
              EnumMember two-2 static computed = Number [4-4 public]
              EnumMember Three static [4-4 public]
            4:42 Read One by two-2
        "#]],
    );
}

#[test]
fn common_js_and_assigned_members_are_lowered() {
    check(
        Dialect::Js,
        r"const fs = require('fs');
const { join, resolve: r } = require('path');
const one = require('m').one;
class A { constructor(x) { this.x = x; this.x = 1; } }
function lazy() { return require('./lazy'); }
module.exports = A;
exports.join = join;
module.exports.lazy = lazy;
",
        expect![[r#"
            import Require  as fs from fs
            import Named join as join from path
            import Named resolve as r from path
            import Named one as one from m
            export Assign A as  from  = A
            export CommonJs join as join from  = join
            export CommonJs lazy as lazy from  = lazy
            Class A [4-4]
              Constructor constructor [4-4 "(x)" public]
                Parameter x
              Property x = x [4-4 public]
            Function lazy hoisted returns [require(./lazy)] [5-5 "()"]
            1:20 Import  by -
            2:9 Import join by -
            2:15 Import resolve by -
            3:26 Import one by -
            4:33 Write this.x by constructor
            4:45 Write this.x by constructor
            5:34 Import require(./lazy) by lazy
            6:18 Read A by -
            7:16 Read join by -
            8:23 Read lazy by -
        "#]],
    );
}

#[test]
fn jsdoc_types_are_lowered() {
    check(
        Dialect::Js,
        r"/**
 * Adds.
 * @param {Item[]} items what
 * @param {import('./m').Kind | null} [kind]
 * @returns {Promise<Map<string, Item>>} all
 */
export function add(items, kind, { a: b }) { return items; }
/** @type {ns.Store} */
const store = make();
/** @param {{ a: number }} odd */
const skipped = (odd) => odd;
",
        expect![[r#"
            Function add export hoisted : Promise<Map<string, Item>> returns [items] [7-7 "(items, kind, { a: b })" "Adds."]
              Parameter items : Item[]
              Parameter kind optional : union(import(./m).Kind, null)
              Parameter 
              Variable b = _~a
            Variable store const : ns.Store = make() [9-9]
            Variable skipped const = lambda [11-11 "(odd)"]
            Lambda  returns [odd]
              Parameter odd : Object(DeclId(9))
              ObjectType 
                Property a : number
            7:36 Destructure _~a by add
            9:15 Call make() by store
        "#]],
    );
}

#[test]
fn uses_of_locals_have_no_sites() {
    check(
        Dialect::Ts,
        r"import { g } from './g';
function f<T>(p: T, cb: () => void) {
    const v = p;
    cb(); v; p; g;
    function inner() { inner(); }
    inner();
    const h = () => g;
    return h;
}
",
        expect![[r#"
            import Named g as g from ./g
            Function f hoisted returns [h] [2-9 "(p: T, cb: () => void)"]
              TypeParam T
              Parameter p : T
              Parameter cb : Function(DeclId(5))
              FunctionType  : void
              Variable v const = p
              Function inner hoisted called [5-5 "()"]
              Variable h const = lambda [7-7 "()"]
              Lambda  returns [g]
            1:10 Import g by -
            4:5 Call cb() by f
            4:17 Read g by f
            5:24 Call inner() by inner
            6:5 Call inner() by f
            7:21 Read g by h
            8:12 Read h by f
        "#]],
    );
}

#[test]
fn code_with_errors_is_lowered_as_far_as_possible() {
    let facts = LANGUAGES.extract(
        "function a() {}\nclass { ]]\nfunction b() { a(); }\n",
        Dialect::Ts,
        &[],
    );
    assert_eq!(facts.header.parse_status, ParseStatus::Partial);
    assert_eq!(facts.header.error_lines.first(), Some(&2));
    assert!(facts.decl_ids().any(|id| facts.decl_name(id) == "a"));
    assert!(facts.decl_ids().any(|id| facts.decl_name(id) == "b"));
}

#[test]
fn the_interface_hash_covers_only_what_other_files_see() {
    let hash = |text: &str| {
        LANGUAGES
            .extract(text, Dialect::Ts, &[])
            .header
            .interface_hash
    };

    assert_eq!(
        hash("export function f(): A { return a; }"),
        hash("export function f(): A { return bcd(); }")
    );
    assert_eq!(
        hash("export function f() { return a; }"),
        hash("export function f() { return b; }")
    );
    assert_ne!(
        hash("export function f() { return a; }"),
        hash("export function f(): A { return a; }")
    );
    assert_ne!(
        hash("export function f(): A { }"),
        hash("export function f(): B { }")
    );

    // Comments and spaces are ignored; line endings and text may matter.
    let plain = "let a = f\n(b)\nexport const c = ' '";
    assert_eq!(
        hash(plain),
        hash("/* a\n b */ let a=f // c\n\n ( b )\n /** d */\nexport  const c = ' '\n// e\n")
    );
    assert_ne!(hash(plain), hash("let a = f\n(b) export const c = ' '"));
    assert_ne!(hash(plain), hash("let a = f\n(b)\nexport const c = '  '"));
    assert_ne!(
        hash("/// <reference path='a.ts' />\nlet a"),
        hash("/// <reference path='b.ts' />\nlet a")
    );
    assert_ne!(hash("let ab"), hash("let a/**/b"));

    // A body without a declared result is represented by its type.
    assert_eq!(
        hash("export const f = () => { a(); };"),
        hash("export const f = () => { b(); throw c; };")
    );
    assert_ne!(
        hash("export const f = () => { a(); };"),
        hash("export const f = () => { return a(); };")
    );
    assert_eq!(
        hash("export function f(a: A) { return a.b > 1; }"),
        hash("export function f(a: A) { g(); return !a; }")
    );
    assert_ne!(
        hash("export function f(a: A) { return a.b > 1; }"),
        hash("export function f(a: A) { return 'a'; }")
    );
    assert_ne!(
        hash("export function f() { if (a) return 1; return 2; }"),
        hash("export function f() { if (a) return 1; return 'b'; }")
    );
    assert_ne!(
        hash("export function* f() { a(); }"),
        hash("export function* f() { yield a(); }")
    );

    let bodies = |text: &str| {
        LANGUAGES
            .extract(text, Dialect::Ts, &[])
            .bodies
            .into_iter()
            .map(|body| body.hash)
            .collect::<Vec<_>>()
    };

    assert_ne!(
        bodies("function f() { return a; }"),
        bodies("function f() { return b; }")
    );
    assert_eq!(
        bodies("function f() { return a; }"),
        bodies("let long = 1; function g(): A { return c; } function f() { return a; }")
    );
    assert_eq!(
        bodies("function f() { return () => a; } function g(a: A) { return true; }").len(),
        1,
        "what lies in another is part of it"
    );
    assert_eq!(
        bodies("class C { get a() { return b; } m() { return a; } } const f = () => c;").len(),
        3
    );

    let script = |text: &str| {
        LANGUAGES
            .extract(text, Dialect::Js, &[])
            .header
            .interface_hash
    };

    assert_ne!(
        script("/** @type {A} */\nlet a"),
        script("/** @type {B} */\nlet a")
    );
    assert_ne!(
        script("function F() { this.a = new A(); }"),
        script("function F() { this.a = new B(); }")
    );
}

/// Returns the names of the members of `after` that differ from `before`; `None` if anything else
/// differs.
fn changed_pieces(before: &str, after: &str) -> Option<Vec<String>> {
    let [was, is] = [before, after].map(|text| LANGUAGES.extract(text, Dialect::Ts, &[]));
    let changed = is.member_hashes.iter().filter(|member| {
        !was.member_hashes
            .iter()
            .any(|other| other.hash == member.hash)
    });
    let heads = |facts: &Facts| -> Vec<_> { facts.type_hashes.iter().map(|of| of.hash).collect() };
    (was.header.frame_hash == is.header.frame_hash && heads(&was) == heads(&is)).then(|| {
        changed
            .map(|member| is.decl_name(member.decl).to_owned())
            .collect()
    })
}

#[test]
fn changed_declarations_of_a_module_are_named_one_by_one() {
    let before = "import { X } from './x';\nexport const a = 1;\nexport function f(x: X): X { return x; }\nexport interface I { p: X; m(): void }\nexport type T = X;\n";
    let after = |from: &str, to: &str| changed_pieces(before, &before.replacen(from, to, 1));
    let names = |names: &[&str]| {
        Some(
            names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>(),
        )
    };

    assert_eq!(
        after("export const a", "export const b = 2;\nexport const a"),
        names(&["b"])
    );
    assert_eq!(after("f(x: X)", "f(x?: X)"), names(&["f"]));
    assert_eq!(after("p: X;", "p: X; q?: number;"), names(&["q"]));
    assert_eq!(after("p: X;", "p?: X;"), names(&["p"]));
    assert_eq!(after("T = X", "T = X | null"), names(&["T"]));
    assert_eq!(after("interface I", "interface I extends T"), None);
    assert_eq!(after("export type", "export default a;\nexport type"), None);
    assert_eq!(
        changed_pieces("var a = 1;", "var a = 1; var b = 2;"),
        None,
        "a script declares for all files"
    );
}

#[test]
fn declarations_of_a_library_have_no_displayed_texts() {
    let text =
        "/** About f. */\nexport declare function f(a: A): B;\ndeclare class C { private x: A; }\n";
    let facts = LANGUAGES.extract_declarations(text, Dialect::Ts);
    let shown = LANGUAGES.extract(text, Dialect::Ts, &[]);

    let is_text = |name: &str| name.contains(['.', '(', ' ']);
    assert!(shown.names.iter().any(is_text) && !facts.names.iter().any(is_text));

    let access = |detail: &Detail| (detail.span.start.line, detail.access);
    assert!(
        facts
            .details
            .iter()
            .map(access)
            .eq(shown.details.iter().map(access))
    );
    assert_eq!(facts.decls.len(), shown.decls.len());
    assert!(facts.sites.is_empty());
}
