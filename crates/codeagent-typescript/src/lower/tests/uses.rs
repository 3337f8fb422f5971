//! Snapshots of expressions: narrowing, contexts, chains, JSX.

use codeagent_model::graph::Dialect;
use expect_test::expect;

use crate::lower::tests::check;

#[test]
fn conditions_narrow_types() {
    check(
        Dialect::Ts,
        r#"function f(x: A | B | null, s: string | number) {
    if (x instanceof A && x.next) { x.a(); } else if (isB(x)) { x.b(); }
    if (!(x instanceof B)) return;
    if (typeof s !== "string") { s.toFixed(); } else { s.trim(); }
    switch (x.kind) { case "a": x.c(); break; case "b": case "c": x.d(); }
    const y = x.kind === "z" ? x.e : "p" in x && x.p;
    while (this.node) { this.node.go(); }
    if (x !== null || s) { x.g(); }
}
"#,
        expect![[r#"
            Function f hoisted [1-9 "(x: A | B | null, s: string | number)"]
              Parameter x : union(A, B, 'null')
              Parameter s : union(string, number)
                Narrow x = x instanceof A
                Narrow x = x instanceof A
                Narrow x = x.next truthy
                  Narrow x = x by isB(x) at 0
                Narrow x = not x instanceof B
              Narrow x = x instanceof B from 157
                Narrow s = not s typeof string
                Narrow s = s typeof string
                  Narrow x = x kind == String a
                  Narrow x = x kind == String b
              Variable y const = (x.e | (Bool && x.p))
                Narrow x = x kind == String z
                Narrow x = not x kind == String z
                  Narrow x = x has p
                  Narrow this = this?.node truthy
            1:15 ParameterType A#0 by f
            1:19 ParameterType B#0 by f
            2:22 Read A by f
            2:29 Read x.next by f
            2:39 Call x.a() by f
            2:55 Call isB(x) by f
            2:67 Call x.b() by f
            3:24 Read B by f
            4:36 Call s.toFixed() by f
            4:58 Call s.trim() by f
            5:15 Read x.kind by f
            5:35 Call x.c() by f
            5:69 Call x.d() by f
            6:17 Read x.kind by f
            6:34 Read x.e by f
            6:52 Read x.p by f
            7:17 Read this?.node by f
            7:30 Read this?.node by f
            7:35 Call this?.node.go() by f
            8:30 Call x.g() by f
        "#]],
    );
}

#[test]
fn literals_pass_contextual_types_to_their_elements() {
    check(
        Dialect::Ts,
        r"const o: Options = { a: v => v.w, b() { return this.a; }, get c() { return 1; }, [k]: 2, 'd-e': [x => x], short, ...spread };
call({ on: { click: (e) => e.target } }, [(i) => i]);
target.handler = (e) => e.y;
let late;
late = create();
",
        expect![[r#"
            Variable o const : Options = object 1 [1-1 "Options"]
            ObjectLiteral  @Options
              Property a = lambda [1-1 "v"]
            Lambda  returns [v.w] @property a of 1
              Parameter v = context 0
              Method b returns [this.a] @property b of 1 [1-1 "()"]
              Getter c returns [Number1] @property c of 1
              Property [k] computed = Number2
              Property d-e computed = [lambda]
            ObjectLiteral  @property d-e of 1
            Lambda  returns [x] @assigned [lambda]
              Parameter x = context 0
              Property short = short
              Property  = ...spread
            ObjectLiteral  @argument 0 of call
              Property on = object 16
            ObjectLiteral  @property on of 14
              Property click = lambda [2-2 "(e)"]
            Lambda  returns [e.target] @property click of 16
              Parameter e = context 0
            ObjectLiteral  @argument 1 of call
            Lambda  returns [i] @assigned [lambda]
              Parameter i = context 0
            Lambda  returns [e.y] @assigned target.handler
              Parameter e = context 0
            Variable late let = create() [4-4]
            1:10 TypeRef Options#0 by o
            1:22 Key a of 1 by o
            1:32 Read v.w by a
            1:35 Key b of 1 by o
            1:53 Read this.a by b
            1:63 Key c of 1 by o
            1:82 Key [k] of 1 by o
            1:83 Read k by o
            1:90 Key d-e of 1 by o
            1:107 Read short by o
            1:107 Key short of 1 by o
            1:117 Read spread by o
            2:1 Call call(object 14, [lambda]) by -
            2:8 Key on of 14 by -
            2:14 Key click of 16 by -
            2:30 Read e.target by click
            3:1 Read target by -
            3:8 Write target.handler by -
            3:27 Read e.y by -
            5:1 Write late by -
            5:8 Call create() by -
        "#]],
    );
}

#[test]
fn chains_calls_and_hoisted_operators_are_lowered() {
    check(
        Dialect::Ts,
        r#"async function f() {
    const a = await db.query<User>(sql).first();
    if (!isValid<T>(a)) { }
    a!.b!["c"](d)?.e?.[0]!.f();
    const m = await import("./lazy");
    tag`x${a.y}z`;
    new Outer.Inner<T>(...args).run();
    const x = a && b!.c();
    count++; total += a.price; ({ q, r: this.s } = a);
    await using handle = open();
    (cond ? left : right)(1);
    for (const [k, v] of map.entries()) { k.use(v); }
}
"#,
        expect![[r#"
            Function f async hoisted [1-13 "()"]
              Variable a const = await db.query<User>(sql).first()
                Narrow a = not a by isValid<T>(a) at 0
              Variable m const = await import(./lazy)
              Variable x const = (a && b.c())
                Narrow a = a truthy
              Variable handle const = open()
                Narrow cond = cond truthy
                Variable k const = each map.entries()~0
                Variable v const = each map.entries()~1
                  Narrow v = v asserted by k.use(v) at 0 from 422
            2:21 Read db by f
            2:24 Call db.query<User>(sql) by f
            2:30 TypeRef User#0 by f
            2:36 Read sql by f
            2:41 Call db.query<User>(sql).first() by f
            3:10 Call isValid<T>(a) by f
            3:18 TypeRef T#0 by f
            4:8 Read a.b by f
            4:11 Call a.b.c(d) by f
            4:16 Read d by f
            4:20 Read a.b.c(d).e by f
            4:28 Call index a.b.c(d).e(Number0).f() by f
            5:21 Import import(./lazy) by f
            6:5 Tag tag(Unknown, a.y) by f
            6:14 Read a.y by f
            7:9 Read Outer by f
            7:15 New new Outer.Inner<T>(...args) by f
            7:21 TypeRef T#0 by f
            7:27 Read args by f
            7:33 Call new Outer.Inner<T>(...args).run() by f
            8:20 Read b by f
            8:23 Call b.c() by f
            9:5 ReadWrite count by f
            9:14 ReadWrite total by f
            9:25 Read a.price by f
            9:35 Write q by f
            9:35 Destructure a~q by f
            9:38 Destructure a~r by f
            9:46 Write this?.s by f
            10:26 Call open() by f
            11:5 Call (left | right)(Number1) by f
            11:6 Read cond by f
            11:13 Read left by f
            11:20 Read right by f
            12:26 Read map by f
            12:30 Call map.entries() by f
            12:45 Call k.use(v) by f
        "#]],
    );
}

#[test]
fn jsx_elements_are_uses_of_components() {
    check(
        Dialect::Tsx,
        r"export function App({ items }: Props) {
    return <Layout.Main title={items.name} {...rest} onClick={e => e.stop()}>
        <div className='x'>{items.map(i => <Item<T> key={i.id} />)}</div>
        {state => <b>{state}</b>}
    </Layout.Main>;
}
const Small = () => cond ? <App /> : null;
",
        expect![[r#"
            Function App export hoisted jsx returns [<Layout.Main />] [1-6 "({ items }: Props)"]
              Parameter  : Props
              Variable items = <Props>~items
              Lambda  returns [e.stop()] @attribute onClick of Layout.Main
                Parameter e = context 0
              Lambda  jsx returns [<Item />] @argument 0 of items.map
                Parameter i = context 0
              Lambda  jsx returns [<_ />] @attribute children of Layout.Main
                Parameter state = context 0
            Variable Small const = lambda [7-7 "()"]
            Lambda  jsx returns [(<App /> | Null)]
                Narrow cond = cond truthy
            1:23 Destructure <Props>~items by App
            1:32 ParameterType Props#0 by App
            2:13 Read Layout by App
            2:20 Jsx <Layout.Main /> by App
            2:25 Key title of <Layout.Main> by App
            2:38 Read items.name by App
            2:48 Read rest by App
            2:54 Key onClick of <Layout.Main> by App
            2:70 Call e.stop() by App
            3:35 Call items.map(lambda) by App
            3:45 Jsx <Item /> by App
            3:50 TypeRef T#0 by App
            3:53 Key key of <Item> by App
            3:60 Read i.id by App
            7:21 Read cond by Small
            7:29 Jsx <App /> by Small
        "#]],
    );
}
