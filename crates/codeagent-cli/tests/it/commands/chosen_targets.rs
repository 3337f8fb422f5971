//! `codeagent explore`: which names, folders and words of a sentence an answer is about.

use super::{Case, Shop, assert_answers};

#[test]
fn an_answer_is_about_what_a_sentence_names() {
    assert_answers(CASES);
}

#[test]
fn words_of_prose_select_nothing_beside_names() {
    for (files, question, absent) in [
        (STORE, "what calls saveStore in Depot?", "Depot  web"),
        (
            STORE,
            "which Visual Studio project calls saveStore?",
            "Visual",
        ),
        (
            HOLDERS,
            "where is the config setting maxDepth read?",
            "## public property Options.config",
        ),
        (STORE, "who calls saveStore in depot.dev?", "literal"),
        (STORE, "who uses saveStore, not Depot?", "Depot  web"),
        (
            STORE,
            "trace saveStore() of the store to the server, across HTTP from the client",
            "no path",
        ),
    ] {
        let text = Shop::with(files).stdout(&["explore", question]);
        assert!(!text.contains(absent), "{question}\n{text}");
    }
}

const STORE: &[(&str, &str)] = &[
    (
        "web/depot/store.ts",
        "export const Depot = 1;
export enum Kind { Visual }
export function saveStore() {}
export function close() { saveStore(); }
export const origin = 'depot.dev';
",
    ),
    ("cli/package.json", "{\n  \"name\": \"depot.dev\"\n}\n"),
    ("web/the.ts", "export function the() {}\n"),
];

const HOLDERS: &[(&str, &str)] = &[(
    "web/options.ts",
    "export interface Config { maxDepth: number }
export interface Options { config: Config }
export interface Walk { maxDepth: number }
export const depth = (options: Options) => options.config.maxDepth;
export const steps = (walk: Walk) => walk.maxDepth;
",
)];

const ADD_IN: &[(&str, &str)] = &[
    (
        "Depot.AddIn/Commands.cs",
        "class OpenCommand { } class SaveCommand { } class CloseCommand { }\n",
    ),
    ("Depot/Other.cs", "class OtherCommand { }\n"),
];

const USAGE: &[(&str, &str)] = &[
    (
        "Depot/Library/Usage/Report.cs",
        "namespace Depot.Usage;
public class Report { public void Send() { } void Hide() { } }
public class Sheet { Report report; }
internal class Row { }
",
    ),
    (
        "Depot/Web/Page.cs",
        "namespace Depot.Web;
class Page { Usage.Sheet sheet; }
",
    ),
];

const CHAINS: &[(&str, &str)] = &[
    (
        "web/client.ts",
        "export class Orders { listOpen() {} }
export class Admin { orders: Orders = new Orders(); }
export class Client { admin: Admin = new Admin(); }
export function jobsApi() { return { runOnce() {} }; }
",
    ),
    (
        "web/use.ts",
        "import { Client } from './client';
export const list = (client: Client) => client.admin.orders.listOpen();
",
    ),
];

const PROGRAMS: &[(&str, &str)] = &[
    ("apps/depot/package.json", "{\"main\": \"main.js\"}\n"),
    (
        "apps/depot/main.js",
        "const React = require('react');\nrun();\nfunction run() {}\n",
    ),
    (
        "tools/package.json",
        "{\"bin\": {\"depot-mail\": \"send.js\"}}\n",
    ),
    ("tools/send.js", "send();\nfunction send() {}\n"),
    (
        "src/Mail.Agent/Program.cs",
        "static class Agent { static void Main() { } }\n",
    ),
    (
        "src/Mail.Server/Program.cs",
        "static class Server { static void Main() { } }\n",
    ),
];

const HELPERS: &[(&str, &str)] = &[
    ("test/helpers.ts", "export function assertPaid() {}\n"),
    (
        "test/a.test.ts",
        "import { assertPaid } from './helpers';\nit('pays', () => { assertPaid(); });\n",
    ),
];

const COIN: &[(&str, &str)] = &[(
    "src/Coin.cs",
    "struct Coin {
    public int Cents;
    public static Coin operator +(Coin a, Coin b) => a;
    public Coin Half() => this;
    public Coin Twice() => this;
    public Coin Third() => this;
    public Coin Rest() => this;
    public Coin Round() => this;
    public Coin Back() => this;
    public Coin Free() => this;
    public Coin Tax() => this;
}
class Sum { Coin All(Coin a, Coin b) => (a + b).Half(); }
",
)];

const FLAGS: &[(&str, &str)] = &[
    (
        "web/one.ts",
        "export interface Flag { key: string }\nexport const first: Flag = {\n  key: 'a',\n};\n",
    ),
    (
        "web/two.ts",
        "export namespace Types { export interface Flag { key: string } }
export const second: Types.Flag = {
  key: 'b',
};
",
    ),
];

const TOPICS: &[(&str, &str)] = &[
    (
        "web/topics.ts",
        "export enum Topic { Paid = 'paid', Sent = 'sent' }
export function publish(bus: any) {
  bus.emit({ name: Topic.Paid });
}
export function pick() {
  return Topic.Sent;
}
export function send() { return pick(); }
",
    ),
    (
        "web/subscriber.ts",
        "import { Topic } from './topics';\nexport const config = { event: Topic.Paid };\n",
    ),
];

const MENU: &[(&str, &str)] = &[(
    "src/Menu.cs",
    "abstract class Command { public abstract void Execute(); }
[Menu(Header = \"Compare all\")]
class CompareCommand : Command {
    public override void Execute() { Open(); }
    void Open() { }
}
",
)];

const LOADER: &[(&str, &str)] = &[(
    "web/loader.ts",
    "export class JobLoader {
  load() { this.register(); }
  private register() {}
}
",
)];

const CASES: &[Case] = &[
    Case {
        files: &[
            ("a/utils.ts", "export function ensureName() {}\n"),
            (
                "packages/utils/package.json",
                "{ \"name\": \"@depot/utils\", \"main\": \"src/index.ts\" }\n",
            ),
            ("packages/utils/src/index.ts", "export const none = 1;\n"),
            (
                "packages/utils/src/names.ts",
                "export function ensureName() {}\n",
            ),
            (
                "web/use.ts",
                "import { none } from '@depot/utils';\nexport const one = none;\n",
            ),
        ],
        question: "who calls ensureName from @depot/utils?",
        expected: &["## exported function ensureName()  packages/utils/src/names.ts:1"],
    },
    Case {
        files: &[(
            "src/Config.cs",
            "public class Options { public int Configuration { get; set; } }\n[Route(\"configuration\")]\npublic class ConfigController : ControllerBase {\n    [HttpPost]\n    public IActionResult Post() => Ok();\n}\n",
        )],
        question: "what happens when something is posted to the administration route `configuration`?",
        expected: &["route POST /configuration at src/Config.cs:4: ConfigController.Post"],
    },
    Case {
        files: &[(
            "packages/db/package.json",
            "{\n  \"scripts\": {\n    \"db:seed\": \"tsx seed/all.ts\"\n  }\n}\n",
        )],
        question: "where does the code run by `pnpm db:seed` start?",
        expected: &["  3 \"db:seed\": \"tsx seed/all.ts\""],
    },
    Case {
        files: &[
            (
                "api/server.js",
                "import express from 'express';\nconst app = express();\napp.use(express.text());\n",
            ),
            (
                "api/apps/formatter/actions/text/index.js",
                "export const transformers = {};\n",
            ),
        ],
        question: "which transformers can the `text` action of the formatter run?",
        expected: &["## folder api/apps/formatter/actions/text (1 file)"],
    },
    Case {
        files: &[("api/helpers/beacon.ee.ts", "export function capture() {}\n")],
        question: "what does our own wrapper around Beacon export?",
        expected: &["## file api/helpers/beacon.ee.ts", "function capture()"],
    },
    Case {
        files: &[(
            "api/engine.ts",
            "function run() {}\nfunction pause() {}\nconst Engine = { run, pause };\nexport default Engine;\nexport function boot() { Engine.run(); }\nexport function halt() { Engine.pause(); }\n",
        )],
        question: "who calls Engine.run?",
        expected: &[
            "## function run()",
            "Engine.run is an alias of it (api/engine.ts:3)",
            "called or used by (2):\napi/\n engine.ts\n  3 Engine: const Engine = { run, pause };\n  5 boot: ",
        ],
    },
    Case {
        files: &[(
            "web/app/carts/[cartId]/page.tsx",
            "export default function CartPage() { return <div />; }\n",
        )],
        question: "which component is behind the route /carts/[cartId]?",
        expected: &["web/app/carts/[cartId]/page.tsx", "CartPage"],
    },
    Case {
        files: &[
            (
                "api/client.ts",
                "const client = make();\nfunction make() { return { send() {} }; }\nexport default client;\n",
            ),
            (
                "api/mail.ts",
                "import http from './client';\nexport const mail = () => http.send();\n",
            ),
        ],
        question: "who imports api/client.ts, and which export does each use?",
        expected: &[
            " 3 variable default (1 use elsewhere)",
            "used by (1):\napi/\n mail.ts\n  2 mail: ",
        ],
    },
    Case {
        files: ADD_IN,
        question: "Which commands does the Visual Studio add-in (Depot.AddIn) offer, and where are they made?",
        expected: &[
            "each `command` in a folder `Depot.AddIn`:\n",
            "symbols named like `command` (3):\n",
        ],
    },
    Case {
        files: ADD_IN,
        question: "Which commands exist in Depotly, and which menu shows each?",
        expected: &["no folder is named Depotly; each `command` of the repository:\n"],
    },
    Case {
        files: USAGE,
        question: "What does the project Depot.Library.Usage publish?",
        expected: &[
            "## folder Depot/Library/Usage",
            "files outside that use them (1):\n Depot/Web/Page.cs: Sheet\n",
            " Report.cs: Report (0): Send; Sheet (1)\n",
        ],
    },
    Case {
        files: CHAINS,
        question: "who calls sdk.admin.orders.listOpen?",
        expected: &[
            "note: sdk.admin.orders.listOpen is declared as web/client.ts#Orders.listOpen\n",
            "  2 list: ",
        ],
    },
    Case {
        files: CHAINS,
        question: "which tests cover api.jobs.runOnce?",
        expected: &["note: api.jobs.runOnce is declared as web/client.ts#jobsApi.runOnce\n"],
    },
    Case {
        files: PROGRAMS,
        question: "Where does the depot app (apps/depot) start, from Electron to the first React page?",
        expected: &["entry points outside of tests:\n apps/depot/package.json: main.js (main)\n"],
    },
    Case {
        files: PROGRAMS,
        question: "Where does the depot-mail program start?",
        expected: &[
            "entry points outside of tests:\n tools/package.json: send.js (bin depot-mail)\n",
        ],
    },
    Case {
        files: PROGRAMS,
        question: "Where does the Mail Agent program start, and how does it reach the server?",
        expected: &["entry points outside of tests:\n src/Mail.Agent/Program.cs:1 Agent.Main\n"],
    },
    Case {
        files: PROGRAMS,
        question: "Where does the app in the project Mail.Server start, from its Main method until mail is shown?",
        expected: &["entry points outside of tests:\n src/Mail.Server/Program.cs:1 Server.Main\n"],
    },
    Case {
        files: HELPERS,
        question: "What breaks if the test helper assertPaid changes, and is it used without a runner?",
        expected: &["in tests (1):\ntest/\n a.test.ts\n  2 it \"pays\": "],
    },
    Case {
        files: HOLDERS,
        question: "where is maxDepth read?",
        expected: &["uses of the others of that name (1):\nweb/\n options.ts\n  5 steps: "],
    },
    Case {
        files: COIN,
        question: "which operators does Coin define, and where is each used?",
        expected: &["uses of `operator +` (1):\nsrc/\n Coin.cs\n  13 Sum.All: "],
    },
    Case {
        files: COIN,
        question: "what public members does Coin offer, and where are they used?",
        expected: &["uses of its members (1):\nsrc/\n Coin.cs\n  13 Sum.All: "],
    },
    Case {
        files: FLAGS,
        question: "which object literals implement Flag?",
        expected: &[
            "object literals and values of this type (1):\nweb/\n one.ts\n  2 first: ",
            "object literals and values declared with the others of that name (1):\nweb/\n two.ts\n  2 second: ",
        ],
    },
    Case {
        files: TOPICS,
        question: "what happens when publish is called?",
        expected: &[
            "other uses of the constants that it names (1):\nweb/\n subscriber.ts\n  2 config: ",
        ],
    },
    Case {
        files: TOPICS,
        question: "who raises Topic.Sent?",
        expected: &["pick is called at (1):\nweb/\n topics.ts\n  8 send: "],
    },
    Case {
        files: MENU,
        question: "what happens when \"Compare all\" is clicked?",
        expected: &["CompareCommand.Execute  src/Menu.cs:4\n  4 CompareCommand.Open"],
    },
    Case {
        files: LOADER,
        question: "how does a job get from JobLoader to the queue?",
        expected: &["JobLoader.load  web/loader.ts:2\n  2 JobLoader.register  web/loader.ts:3\n"],
    },
];
