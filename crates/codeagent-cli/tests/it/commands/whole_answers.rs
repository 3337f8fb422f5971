//! `codeagent explore`: inherited members, registrations, namespaces, exports, settings and files
//! in other languages, beside the uses of a name.

use super::{Case, Shop, assert_answers};

#[test]
fn an_answer_has_the_sections_of_its_question() {
    assert_answers(CASES);
}

#[test]
fn names_of_a_question_select_what_is_shown() {
    for (files, question, absent) in [
        (
            TWICE,
            "who calls openModal of the console app?",
            "## exported function openModal()  apps/mobile",
        ),
        (
            DROPDOWN,
            "what happens when someone picks \"Delete\" in the CartMenu menu?",
            "dropUser",
        ),
        (
            TOKENS,
            "which subclasses of Token override Valid?",
            "record Valid",
        ),
        (
            OPTIONS,
            "who writes the option baseUrl (ServerOptions.baseUrl)?",
            "PageConfig.baseUrl: string\n",
        ),
        (
            BUNDLES,
            "how does the till reach the server?",
            "function the",
        ),
        (BUNDLES, "who calls projectTotal?", " yarn-1.cjs\n"),
        (BUNDLES, "who calls projectTotal?", " vendor.js\n"),
    ] {
        let text = Shop::with(files).stdout(&["explore", question]);
        assert!(!text.contains(absent), "{question}\n{text}");
    }
}

const NAMESPACES: &[(&str, &str)] = &[
    (
        "src/Contract.cs",
        "namespace Depot.Contract;\npublic class Dto { }\ninternal class Key { }\n",
    ),
    (
        "src/Api.cs",
        "using Depot.Contract;\nclass Api { Dto dto; }\n",
    ),
    (
        "src/Deep.cs",
        "namespace Depot.Contract.Deep;\nclass Deep { Dto dto; }\n",
    ),
];

const OPTIONS: &[(&str, &str)] = &[
    (
        "web/options.ts",
        "export interface ServerOptions { baseUrl: string; }
export interface PageConfig { baseUrl: string; }
export const defaults: ServerOptions = { baseUrl: 'a' };
",
    ),
    (
        "web/page.ts",
        "import { PageConfig, ServerOptions } from './options';
export const page = (options: ServerOptions): PageConfig => ({ baseUrl: options.baseUrl });
",
    ),
];

const PROXIES: &[(&str, &str)] = &[
    (
        "src/Settings.cs",
        "class MailSettings {
    private static readonly string port = \"1\";
    public string Port { get; set; } = port;
    public string KnownHosts { get; set; }
}
class Sender {
    string Hosts(MailSettings settings) => settings.KnownHosts;
    string Other(dynamic config) => config[\"mail:knownHosts\"];
    string Port(MailSettings settings) => settings.Port;
}
class Start { void Run() => System.Environment.GetEnvironmentVariable(\"mail__knownHosts\"); }
",
    ),
    (
        "run.sh",
        "if [ \"$mail__knownHosts\" = \"a\" ]; then exit; fi\n",
    ),
];

const LISTS: &[(&str, &str)] = &[(
    "web/list.ts",
    "export class List { add(item: string) {} private own() {} remove() {} }
export class HeaderList extends List { add(item: string) {} static isList() {} }
export interface Resolver { resolve(): string; }
export interface Flags { resolver: Resolver; }
export const flags: Flags = { resolver: { resolve: () => 'a' } };
export const later: Flags = {
  resolver: {
    resolve: () => 'b',
  },
};
",
)];

const SCHEDULER: &[(&str, &str)] = &[(
    "web/scheduler.ts",
    "export class Scheduler {
  schedule(run: () => void, every: number) {}
  stop() {}
}
export function start(scheduler: Scheduler) {
  scheduler.schedule(
    () => clean(),
    5,
  );
  scheduler.stop();
}
export function clean() {}
",
)];

const TOKENS: &[(&str, &str)] = &[(
    "src/Token.cs",
    "abstract class Token { public abstract bool Valid { get; } }
class Ticket : Token { public override bool Valid => true; }
record Valid<T>(T Value);
",
)];

const REEXPORTS: &[(&str, &str)] = &[
    (
        "web/index.ts",
        "export * from './a';\nexport * from './b';\n",
    ),
    (
        "web/a.ts",
        "export const one = 1;\nfunction two() {}\nexport { two as second };\nexport * from './c';\n",
    ),
    ("web/b.ts", "export default function third() {}\n"),
    ("web/c.ts", "export type Four = 4;\nexport * from './a';\n"),
];

const RAZOR: &[(&str, &str)] = &[
    (
        "src/Cart.razor",
        "@inject ICarts Carts
<button @onclick=\"EmptyAsync\">Empty the cart</button>
@code {
    private Task EmptyAsync()
    {
        return Carts.EmptyAsync(1);
    }
}
",
    ),
    (
        "src/Carts.cs",
        "interface ICarts { Task EmptyAsync(int id); }
class Carts : ICarts {
    public Task EmptyAsync(int id) { Log(); return null; }
    void Log() { }
}
",
    ),
];

const JOBS: &[(&str, &str)] = &[
    ("src/Core/Job.cs", "public abstract class Job { }\n"),
    ("src/Api/Clean.cs", "public class CleanJob : Job { }\n"),
    ("src/Web/Send.cs", "public class SendJob : Job { }\n"),
];

const PACKAGE: &[(&str, &str)] = &[
    (
        "tool/package.json",
        "{ \"name\": \"tool\", \"bin\": { \"tool\": \"bin/tool\" } }\n",
    ),
    (
        "tool/bin/tool",
        "#!/usr/bin/env node\nrequire('../dist/run.js').go();\n",
    ),
    ("tool/src/run.ts", "export function go() {}\n"),
];

const ASSERTIONS: &[(&str, &str)] = &[(
    "web/response.test.ts",
    "it('has a status', () => { response.to.have.status(200); });\n",
)];

const DROPDOWN: &[(&str, &str)] = &[(
    "web/dropdown.tsx",
    "export const CartMenu = () => <button onClick={() => emptyCart()}>Delete</button>;
export const UserMenu = () => <button onClick={() => dropUser()}>Delete</button>;
function emptyCart() {}
function dropUser() {}
",
)];

const EXTENSIONS: &[(&str, &str)] = &[(
    "src/Bus.cs",
    "interface IEndpoint { }
interface IBus : IEndpoint { }
static class Jobs {
    public static void Retry(this IEndpoint endpoint, int jobId) { Send(); }
    static void Send() { }
}
",
)];

const TWICE: &[(&str, &str)] = &[
    ("apps/mobile/modal.ts", "export function openModal() {}\n"),
    ("apps/console/modal.ts", "export function openModal() {}\n"),
    (
        "apps/console/page.ts",
        "import { openModal } from './modal';\nexport const page = () => openModal();\n",
    ),
];

const CHANNELS: &[(&str, &str)] = &[(
    "app/ipc/files.js",
    "let ipc;
ipcMain.handle('file:save', () => ipc.save());
ipcMain.on('file:closed', () => {});
",
)];

const TABS: &[(&str, &str)] = &[(
    "web/preferences.tsx",
    "export const Preferences = () => {
  const panel = () => {
    switch (tab) {
      case 'orders': {
        return <OrderSettings />;
      }
    }
  };
  return <div onClick={() => setTab('orders')}>Past Orders</div>;
};
",
)];

const STORES: &[(&str, &str)] = &[
    (
        "web/store.ts",
        "export interface Store { get(): string; }
export function load(store: Store, name: string) {}
",
    ),
    (
        "web/cli.ts",
        "import { load } from './store';\nconst memory = { get: () => 'a' };\nload(memory, 'b');\n",
    ),
];

const ENRICHERS: &[(&str, &str)] = &[(
    "src/Enrichers.cs",
    "interface IProfileEnricher { }\nclass A : IProfileEnricher { }\nclass B : IProfileEnricher { }\n",
)];

const PHRASES: &[(&str, &str)] = &[
    (
        "phrases/en/general.ts",
        "const general = { create: 'Make it', save: 'Keep it', close: 'Close it' };\nexport default general;\n",
    ),
    (
        "web/modal.tsx",
        "export const Modal = () => <Button title=\"general.create\" onClick={() => make()} />;\nfunction make() {}\n",
    ),
    ("web/other.ts", "export const verb = 'create';\n"),
];

const PARTS: &[(&str, &str)] = &[
    ("a/A.csproj", "<Project Sdk=\"Microsoft.NET.Sdk\" />\n"),
    ("a/A.cs", "namespace Depot.Parts;\npublic class One { }\n"),
    ("b/B.csproj", "<Project Sdk=\"Microsoft.NET.Sdk\" />\n"),
    ("b/B.cs", "namespace Depot.Parts;\npublic class Two { }\n"),
];

const COMMON_JS: &[(&str, &str)] = &[(
    "web/cart.js",
    "function total() {}\nconst add = () => total();\nfunction own() {}\nmodule.exports = { total, add };\n",
)];

const COMPONENTS: &[(&str, &str)] = &[
    ("web/helpers/object.ts", "export const keys = () => [];\n"),
    ("web/helpers/other.ts", "export const other = () => [];\n"),
    (
        "web/Cart.vue",
        "<script setup>\nimport { keys } from '~/helpers/object'\nimport { other } from '~/helpers/other'\n</script>\n",
    ),
];

const OPTION: &[(&str, &str)] = &[(
    "src/Args.cs",
    "class Args {
    [Option(\"max-size\", HelpText = \"bytes\")]
    public int MaxSize { get; set; }
}
",
)];

const PREFIXED: &[(&str, &str)] = &[(
    "src/Depot.cs",
    "namespace Depot;
class Env { public const string MaxSize = \"TC_MaxSize\"; }
class Runs { void Depot() { } }
",
)];

const ACCESSORS: &[(&str, &str)] = &[
    (
        "web/plugin.ts",
        "export class Plugin {
  private mode = false;
  private text = '';
  public get id(): string {
    return 'a';
  }
  public get devMode(): boolean {
    return this.mode;
  }
  public set devMode(v: boolean) {
    this.mode = v;
  }
  public set label(value: string) {
    this.text = value;
  }
  public run(times: number): void {}
}
",
    ),
    (
        "src/Gate.cs",
        "public class Gate
{
    public int Size { get; set; }
    public string Name { get; init; }
    public bool Open => Size > 0;
    public string Secret { set { } }
    public int this[int index] { get => index; }
    public event System.Action Closed { add { } remove { } }
    public int Count;



    public void Run() { }
}
",
    ),
];

const COMMANDS: &[(&str, &str)] = &[
    (
        "cli/run.ts",
        "import { clean } from './commands/clean';
import { make } from './commands/make';
const wrapped = (run) => (argv) => run(argv);
function local(name: string, run) { return run; }
export function addAll(cli) {
  cli
    .command({
      command: `make [name]`,
      builder: (y) => y.option('force'),
      handler: wrapped(make),
    })
    .command({
      command: 'db:reset',
      handler: wrapped(
        local('db/reset', (argv) => argv)
      ),
    })
    .command('clean <dir>', 'Removes files', (y) => y, clean)
    .command('described', 'Has no handler', (y) => y);
}
",
    ),
    ("cli/commands/make.ts", "export function make() {}\n"),
    ("cli/commands/clean.ts", "export function clean() {}\n"),
    (
        "tools/serve.ts",
        "import { program } from 'commander';
program.command('serve').option('--port').action(serve);
function serve() {}
",
    ),
];

const LOADED: &[(&str, &str)] = &[
    (
        "web/routes.tsx",
        "export const routes = [{ path: '/carts/:id/edit', lazy: () => import('./edit') }];\n",
    ),
    (
        "web/edit/index.ts",
        "export { CartEdit as Component } from './cart-edit';\n",
    ),
    (
        "web/edit/cart-edit.tsx",
        "import { save } from './save';
export const CartEdit = () => <EditForm />;
const EditForm = () => <form onSubmit={() => save()} />;
",
    ),
    ("web/edit/save.ts", "export const save = () => {};\n"),
];

/// One line of a minified file.
const MINIFIED: &str = "function t(e){return e.projectTotal(e,'                                                                                                                                                                                                                                                                                                                                                                                                                                ')}\n";

const BUNDLES: &[(&str, &str)] = &[
    (
        ".yarn/releases/yarn-1.cjs",
        "function the(t,e){return t.projectTotal(e)}\nfunction reach(){return the(1)}\n",
    ),
    ("web/assets/vendor.js", MINIFIED),
    ("web/cart.ts", "export class Cart { projectTotal() {} }\n"),
    (
        "web/page.ts",
        "export const page = (cart: any) => cart.projectTotal();\n",
    ),
];

const CASES: &[Case] = &[
    Case {
        files: BUNDLES,
        question: "who calls projectTotal?",
        expected: &[
            "unresolved uses that may belong to it, the likeliest; section \"less likely\" has the others (1 of 3):\nweb/\n page.ts\n",
        ],
    },
    Case {
        files: LOADED,
        question: "which component is behind the route /carts/:id/edit, and which form does it show?",
        expected: &[
            "routes.tsx:1: CartEdit  web/edit/cart-edit.tsx:2\n",
            "CartEdit  web/edit/cart-edit.tsx:2\n  2 EditForm  web/edit/cart-edit.tsx:3\n    3 save  web/edit/save.ts:1\n",
        ],
    },
    Case {
        files: COMMANDS,
        question: "which commands does the tool register in cli/run.ts, and which file implements each?",
        expected: &["commands registered in cli/run.ts (3):
 7 make [name]: make  cli/commands/make.ts:1
 12 db:reset: an unnamed function with calls of wrapped, local \"db/reset\"
 18 possibly clean <dir>: clean  cli/commands/clean.ts:1
"],
    },
    Case {
        files: COMMANDS,
        question: "which commands exist?",
        expected: &[
            "registered commands (4):
 cli/run.ts:7 make [name]: make  cli/commands/make.ts:1
",
            " tools/serve.ts:2 serve: serve  tools/serve.ts:3\n",
        ],
    },
    Case {
        files: COMMANDS,
        question: "who calls the function make of cli/commands/make.ts?",
        expected: &["command \"make [name]\" at cli/run.ts:7\n"],
    },
    Case {
        files: ACCESSORS,
        question: "what members does the class Plugin have?",
        expected: &[
            " 4 id: string {get} (0 uses)\n",
            " 7 devMode: boolean {get; set} (0 uses)\n",
            " 13 label: string {set} (0 uses)\n",
            " 16 run(times: number): void (0 uses)\n",
        ],
    },
    Case {
        files: ACCESSORS,
        question: "what members does the class Gate have?",
        expected: &[
            " 3 Size: int {get; set} (1 use)\n",
            " 4 Name: string {get; init} (0 uses)\n",
            " 5 Open: bool {get} (0 uses)\n",
            " 6 Secret: string {set} (0 uses)\n",
            "[int index]: int {get} (0 uses)\n",
            " 8 event Closed: System.Action (0 uses)\n",
        ],
    },
    Case {
        files: PARTS,
        question: "what public types does the namespace Depot.Parts export?",
        expected: &["declares, with the uses in other files (2):\n class One (0)  "],
    },
    Case {
        files: COMMON_JS,
        question: "what does web/cart.js export?",
        expected: &[
            "other names that it exports:\n4 total\n4 add\n",
            "not exported (1):\n 3 function own\n",
        ],
    },
    Case {
        files: COMPONENTS,
        question: "who imports web/helpers/object.ts?",
        expected: &[
            "imported in files of other languages, matched by text (1):\nweb/\n Cart.vue\n  2 import { keys }",
        ],
    },
    Case {
        files: OPTION,
        question: "which values does --max-size take?",
        expected: &["  2 Args.MaxSize: [Option(\"max-size\""],
    },
    Case {
        files: PREFIXED,
        question: "where does Depot read the environment variable SHOP_TC_MaxSize?",
        expected: &["## text TC_MaxSize (1 line)\n", "  2 Env.MaxSize: "],
    },
    Case {
        files: EXTENSIONS,
        question: "what happens when IBus.Retry(jobId) is called?",
        expected: &[
            "note: IBus.Retry is declared as Jobs.Retry\n",
            "Jobs.Retry  src/Bus.cs:4\n  4 Jobs.Send  src/Bus.cs:5\n",
        ],
    },
    Case {
        files: TWICE,
        question: "who calls openModal of the console app?",
        expected: &["## exported function openModal()  apps/console/modal.ts:1\n"],
    },
    Case {
        files: CHANNELS,
        question: "which IPC channels are registered in app/ipc?",
        expected: &[
            "callbacks registered under a string:\napp/ipc/files.js\n  2 ipcMain.handle \"file:save\"\n  3 ipcMain.on \"file:closed\"\n",
            "note: left out: ipc, which differs in case from IPC; query it alone\n",
        ],
    },
    Case {
        files: TABS,
        question: "which component is behind the Past Orders tab?",
        expected: &[
            "in the branch for it:\n",
            " 4 case 'orders': {\n 5   return <OrderSettings />;\n",
        ],
    },
    Case {
        files: STORES,
        question: "which objects implement Store?",
        expected: &[
            "calls of functions that take one, which may pass an object of another type (1):\nweb/\n cli.ts\n  3 load(memory, 'b');\n",
        ],
    },
    Case {
        files: ENRICHERS,
        question: "What profile enrichers ship with the library?",
        expected: &["implemented, extended or derived by, at all levels (2):\n"],
    },
    Case {
        files: PHRASES,
        question: "what happens when \"Make it\" is clicked?",
        expected: &[
            "its key is used at (1):\nweb/\n modal.tsx\n  1 Modal",
            "  make  web/modal.tsx:2\n",
        ],
    },
    Case {
        files: NAMESPACES,
        question: "who uses the namespace Depot.Contract?",
        expected: &[
            "imported by (1):\nsrc/\n Api.cs\n  1 using Depot.Contract;\n",
            "used without an import by (1):\nsrc/\n Deep.cs\n  2 Deep.dto",
            " class Dto (2)  src/Contract.cs:2\n internal class Key (0)  src/Contract.cs:3\n",
        ],
    },
    Case {
        files: OPTIONS,
        question: "where is the option baseUrl (ServerOptions.baseUrl) read?",
        expected: &[
            "## public property ServerOptions.baseUrl: string",
            "read or used by (1):\nweb/\n page.ts\n  2 page: ",
            "written by (1):\nweb/\n options.ts\n  3 defaults: ",
        ],
    },
    Case {
        files: PROXIES,
        question: "where is the setting KnownHosts read?",
        expected: &[
            "  7 Sender.Hosts: ",
            "keys with its name, of a configuration or in SQL, matched by text (2):\n",
            "  8 Sender.Other: ",
        ],
    },
    Case {
        files: PROXIES,
        question: "where is the environment variable mail__knownHosts read?",
        expected: &["in files of other languages (1):\n./\n run.sh\n  1 if"],
    },
    Case {
        files: PROXIES,
        question: "where is the MailSettings setting port read?",
        expected: &[
            "uses of the property Port (line 3), by name (1):\nsrc/\n Settings.cs\n  9 Sender.Port: ",
        ],
    },
    Case {
        files: LISTS,
        question: "what public members does HeaderList have, inherited ones included?",
        expected: &["inherited members (1):\n List:1 remove() (0 uses)\n"],
    },
    Case {
        files: LISTS,
        question: "who implements Resolver, object literals included?",
        expected: &[
            "object literals and values of this type (2):\nweb/\n list.ts\n  5 flags: ",
            "  7 later: resolver: {",
        ],
    },
    Case {
        files: SCHEDULER,
        question: "which jobs are registered with the Scheduler?",
        expected: &[
            "what is registered with it (1):\nweb/\n scheduler.ts\n  6 start: scheduler.schedule(() => clean(), 5,\n",
        ],
    },
    Case {
        files: TOKENS,
        question: "List every subclass of Token, and say which of them override Valid.",
        expected: &[
            "## public property Token.Valid: bool",
            "types below Token, at all levels, 1 with an override of Valid (1):\nsrc/\n Token.cs\n  2 Ticket: overrides Valid (2)\n",
        ],
    },
    Case {
        files: REEXPORTS,
        question: "what does web/index.ts export?",
        expected: &[
            " 1 *: one, second, Four  web/a.ts:1\n",
            " 2 * (no names)  web/b.ts:1\n",
        ],
    },
    Case {
        files: RAZOR,
        question: "what happens when \"Empty the cart\" is clicked?",
        expected: &[
            "    ICarts.EmptyAsync -> Carts.EmptyAsync  src/Carts.cs:3\n      3 Carts.Log  src/Carts.cs:4\n",
        ],
    },
    Case {
        files: JOBS,
        question: "What Quartz jobs does the Api project schedule?",
        expected: &[
            "no `job` is known with `quartz` in its name or path, in a folder `Api`; others:\n",
            "implementing or deriving (1):\n class CleanJob  src/Api/Clean.cs:1\n",
        ],
    },
    Case {
        files: PACKAGE,
        question: "where does the tool CLI start?",
        expected: &["tool/package.json: src/run.ts (bin tool, loaded by bin/tool)"],
    },
    Case {
        files: ASSERTIONS,
        question: "which tests cover the `to.have.status(...)` assertion chain?",
        expected: &["in tests (1):\nweb/\n response.test.ts\n  1 it \"has a status\": "],
    },
    Case {
        files: DROPDOWN,
        question: "what happens when someone picks \"Delete\" in the CartMenu menu?",
        expected: &[
            "note: \"Delete\" has 1 more place elsewhere\n",
            "  emptyCart  web/dropdown.tsx:3\n",
        ],
    },
    Case {
        files: DROPDOWN,
        question: "which component is shown at the URL /nowhere/:id?",
        expected: &["no symbol, string, route or file in the index is named \"/nowhere/:id\""],
    },
];
