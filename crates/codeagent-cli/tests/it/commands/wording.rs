//! `codeagent explore`: what the words beside a name ask for.

use super::{Case, Shop, assert_answers};

#[test]
fn words_beside_a_name_select_it_and_the_sections() {
    assert_answers(CASES);
}

#[test]
fn an_option_is_not_a_setting() {
    let shop = Shop::with(VISITS);
    for (question, expected) in [
        ("which settings ignore visits?", true),
        ("which option ignores visits?", false),
    ] {
        let text = shop.stdout(&["explore", question]);
        let is_setting = text.contains("IGNORED_VISITS (matched by words of its name)");
        assert_eq!(is_setting, expected, "{question}\n{text}");
    }
}

#[test]
fn asides_are_no_targets() {
    let shop = Shop::with(JOBS);
    for (question, absent) in [
        (
            "when I stop a long job in the Depot program, which code reacts to that?",
            "## namespace Depot",
        ),
        (
            "when I stop a long job in Docker, which code runs it?",
            "## text Docker",
        ),
        ("who uses the Job of Shop.Old?", "namespace Old"),
        ("who uses Shop.Old.Job and Shop.Old.Job?", "not included"),
    ] {
        let text = shop.stdout(&["explore", question]);
        assert!(!text.contains(absent), "{question}\n{text}");
    }
    for question in [
        "what is in the namespace Shop.Old?",
        "which large public classes with uploads does Shop.Old hold?",
    ] {
        let text = shop.stdout(&["explore", question]);
        assert!(text.contains("namespace Old"), "{question}\n{text}");
    }
}

const JOBS: &[(&str, &str)] = &[(
    "src/Jobs.cs",
    "namespace Shop.Jobs {
    public class Job { public Status Status { get; set; } }
    public class Runner { public void Stop(Job job) { job.Status = new Status(); } }
}
namespace Shop.Old {
    public class Job { public int Status { get; set; } }
}
public class Status { }
namespace Depot { class Docked { string Name = \"Docker\"; } }
",
)];

const WRITER: &[(&str, &str)] = &[(
    "src/Writer.cs",
    "interface IWriter { void Write(); }
class Writer : IWriter {
    string Path() => \"a\";
    public void Write() { Path(); }
}
class Backup { void Run(IWriter writer) { writer.Write(); } }
",
)];

const COUNTER: &[(&str, &str)] = &[(
    "web/counter.ts",
    "import { store } from 'database';
interface User { dailyRequests: number; }
export const read = (user: User) => user.dailyRequests;
export const reset = () => store.update({ data: { dailyRequests: 0 } });
export const add = (dailyRequests: number) => dailyRequests;
",
)];

const EVENT: &[(&str, &str)] = &[(
    "web/event.ts",
    "export class CartClosed {
  static getName(): string {
    return 'cart.Closed';
  }
}
export function close(bus) {
  bus.emit(CartClosed.getName());
}
",
)];

const BELL: &[(&str, &str)] = &[(
    "src/Bell.cs",
    "class Bell {
    public event System.Action Rung;
    public void Press() { Rung?.Invoke(); }
    public void OnRung(System.Action answer) { Rung += answer; }
}
class Hall {
    void Open(Bell bell) { bell.Rung += Answer; }
    void Answer() { }
}
class Tower {
    void Build(Bell bell) { bell.OnRung(() => { }); }
}
",
)];

const AREAS: &[(&str, &str)] = &[(
    "src/Areas.cs",
    "class Plan { public int Area() => 1; }
class Round { public virtual int Area() => 3; }
class Disc : Round { public override int Area() => 4; }
",
)];

const SEALS: &[(&str, &str)] = &[(
    "web/seal.ts",
    "export function completeCart(id: number) { check(id); }
function check(id: number) { sealAll(id); }
export function sealAll(id: number) {}
export const jobs = [{ run: sealAll, cron: '*/15 * * * *' }];
setInterval(() => sealAll(1), 5);
",
)];

const DIALOG: &[(&str, &str)] = &[
    (
        "web/dialog.tsx",
        "import { useCallback } from 'react';
export function Dialog({ done }) {
  const find = useCallback(async () => {
    await fetch(url('/api/carts/find'), { method: 'POST' });
  }, []);
  return <div><h1>Find carts</h1><button onClick={find}>Go</button></div>;
}
const url = (path: string) => path;
",
    ),
    (
        "server/carts.ts",
        "import { Hono } from 'hono';
export const carts = new Hono();
carts.post('/find', (c) => search());
export const app = new Hono();
app.route('/api/carts', carts);
function search() {}
",
    ),
];

const CHAIN: &[(&str, &str)] = &[(
    "web/store.ts",
    "function saveAll() {}
export function store() { return run({ [SQL]: () => saveAll() }); }
function handle() { store(); }
import express from 'express';
const app = express();
app.post('/carts', handle);
",
)];

const VISITS: &[(&str, &str)] = &[(
    "web/visits.ts",
    "export const isIgnored = (ip: string) => ip === process.env.IGNORED_VISITS;
export const port = process.env.SHOP_PORT;
export function handle(ip: string) { return isIgnored(ip); }
",
)];

const KINDS: &[(&str, &str)] = &[
    (
        "src/Kind.cs",
        "namespace Shop; enum Kind { Big }
class Pick { bool Run(Kind kind) => kind == Kind.Big; }
",
    ),
    (
        "web/kind.ts",
        "export enum Kind { Big }
export const isBig = (kind: Kind) => kind === Kind.Big;
",
    ),
];

const GUARDED: &[(&str, &str)] = &[(
    "src/Upload.cs",
    "class Options {
    public static bool Off;
    static void Read() { Off = true; }
}
class Upload {
    void Run() {
        if (Options.Off)
            Show(\"Sorry, uploads are off.\");
    }
    void Show(string text) { }
}
",
)];

const EACH: &[(&str, &str)] = &[(
    "src/Shape.cs",
    "abstract class Shape { public abstract int Area(); }
class Square : Shape {
  public override int Area() { int side = 2; return side * side; }
}
",
)];

const SPLITS: &[(&str, &str)] = &[
    (
        "web/stock-split.spec.ts",
        "it('halves the price', () => {});\n",
    ),
    ("web/sale.spec.ts", "it('sells a stock', () => {});\n"),
    ("web/other.spec.ts", "it('buys', () => {});\n"),
];

const CASES: &[Case] = &[
    Case {
        files: JOBS,
        question: "who sets the Status property of a Job (Shop.Jobs)?",
        expected: &["## public property Job.Status: Status", "3 Runner.Stop: "],
    },
    Case {
        files: JOBS,
        question: "who uses the Job of Shop.Old?",
        expected: &["## public class Job  src/Jobs.cs:6"],
    },
    Case {
        files: WRITER,
        question: "callers of Writer.Path, and who calls those?",
        expected: &["4 Writer.Write: ", "6 Backup.Run: "],
    },
    Case {
        files: WRITER,
        question: "which places have to be adapted if Writer.Path gets a parameter?",
        expected: &["called or used by (1):", "4 Writer.Write: public void"],
    },
    Case {
        files: COUNTER,
        question: "which code writes dailyRequests?",
        expected: &[
            "keys of object literals of unknown type, which may set it (1):",
            "4 reset: ",
        ],
    },
    Case {
        files: EVENT,
        question: "who emits the cart.Closed event?",
        expected: &[
            "uses of constants, functions and properties that hold this string (1):",
            "7 close: bus.emit(CartClosed.getName());",
        ],
    },
    Case {
        files: BELL,
        question: "who subscribes to the event Rung?",
        expected: &["subscribed through OnRung by (1):", "11 Tower.Build: "],
    },
    Case {
        files: BELL,
        question: "who overrides Bell.Press?",
        expected: &["no member in the index implements or overrides it"],
    },
    Case {
        files: BELL,
        question: "how does Bell.Press work?",
        expected: &["what happens, in order:", "3 raises Rung -> Hall.Answer"],
    },
    Case {
        files: AREAS,
        question: "which subclasses of Round override the method Area?",
        expected: &[
            "## public method Round.Area",
            "  3 Disc: overrides Area (3)\n",
        ],
    },
    Case {
        files: BELL,
        question: "what happens when Bell.Press is called?",
        expected: &["3 raises Rung -> Hall.Answer  src/Bell.cs:8"],
    },
    Case {
        files: SEALS,
        question: "how does a customer completing a cart end up in sealAll?",
        expected: &[
            "how completeCart (matched by words) leads to sealAll:",
            "calls check",
        ],
    },
    Case {
        files: SEALS,
        question: "which jobs run on a schedule?",
        expected: &["4 jobs: ", "lines that start timers (1):"],
    },
    Case {
        files: DIALOG,
        question: "which request does the \"Find carts\" dialog send, and who answers it?",
        expected: &[
            "find  web/dialog.tsx:3",
            "4 requests POST /api/carts/find -> ",
            "search  server/carts.ts:6",
        ],
    },
    Case {
        files: CHAIN,
        question: "which routes lead to saveAll?",
        expected: &[
            "call chains that lead to it:\nstore.[SQL]  web/store.ts:2\n  inside store  web/store.ts:2\n    \
             handle  web/store.ts:3\n      serves POST /carts  web/store.ts:6",
        ],
    },
    Case {
        files: VISITS,
        question: "which setting leaves out visits from the own office, and where is it enforced?",
        expected: &[
            "IGNORED_VISITS (matched by words of its name) is read at (1):",
            "isIgnored is called at (1):",
        ],
    },
    Case {
        files: KINDS,
        question: "where is Kind.Big handled on the server and in the client?",
        expected: &["uses of the others of that name (1):", "2 Pick.Run: "],
    },
    Case {
        files: GUARDED,
        question: "where does the message \"Sorry, uploads are off.\" come from, and when is it shown?",
        expected: &[
            "symbols in its condition and their assignments (2):",
            "2 Options.Off: ",
            "3 Options.Read: static void Read() { Off = true; }",
        ],
    },
    Case {
        files: EACH,
        question: "which classes override Shape.Area, and what does each do?",
        expected: &[
            "Square.Area:\n",
            "3 public override int Area() { int side = 2;",
        ],
    },
    Case {
        files: SPLITS,
        question: "which tests check that prices are right after a company does a stock split?",
        expected: &[
            "tests with up to 3 of these 5 words in their names, titles or paths (1):",
            "1 it \"halves the price\"",
        ],
    },
];
