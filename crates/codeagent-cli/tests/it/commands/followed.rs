//! `codeagent explore`: steps that no call shows, in code and markup.

use super::{Case, Shop, assert_answers};

#[test]
fn steps_without_a_call_are_followed() {
    assert_answers(CASES);
}

#[test]
fn a_quoted_text_of_words_is_no_path() {
    let shop = Shop::with(&[(
        "src/Doors.cs",
        "[Route(\"status\")] class DoorsController : Controller { [HttpGet] public int Get() => 1; }",
    )]);
    let text = shop.stdout(&["explore", "what happens on \"View status\"?"]);
    assert!(!text.contains("routes with this path"), "{text}");
}

#[test]
fn object_types_in_a_head_are_no_members() {
    let code = "class Core<C extends { size: number }> { constructor(protected name: string) {} parts!: C; }\n\
        export class Wall extends Core<{ size: number; label: string }> { paint() {} copy() { return new Wall('a'); } }\n\
        // ..\n// ..\n// ..\n// ..\n// ..\n// ..\n";
    let shop = Shop::with(&[("web/wall.ts", code)]);
    let text = shop.stdout(&["explore", "what is the public surface of Wall?"]);
    assert!(!text.contains("label: string ("), "{text}");
    assert!(!text.contains("size: number ("), "{text}");
}

const CASES: &[Case] = &[
    Case {
        files: &[(
            "src/Weight.cs",
            "public readonly struct Weight {\n    readonly int grams;\n    public Weight(int grams) { this.grams = grams; }\n    public static Weight operator +(Weight one, Weight other)\n    {\n        return new Weight(one.grams + other.grams);\n    }\n    public bool IsLight() => grams < 10;\n    public bool IsHeavy() => grams > 100;\n}\n",
        )],
        question: "which operators does Weight have, and what do they do?",
        expected: &[
            "what its operators do:\n4 public static Weight operator +(Weight one, Weight other)\n5 {\n6     return new Weight(one.grams + other.grams);\n",
        ],
    },
    Case {
        files: &[(
            "web/schema.ts",
            "export function check(url: string) { return !!url; }\nexport const linkSchema = z.string().refine((url: string) => check(url));\nexport function save(input: unknown) { return linkSchema.safeParse(input); }\n",
        )],
        question: "what breaks if check changes, two levels up?",
        expected: &["callers of these callers (1):\nweb/\n schema.ts\n  3 save: "],
    },
    Case {
        files: &[(
            "src/Sets.cs",
            "static class Sets {\n    public static void Format(int[] all) {\n        Write(all);\n    }\n    public static string Format(int[] all, string by) {\n        Format(all);\n        return by;\n    }\n    static void Write(int[] all) { Format(all); }\n}\n",
        )],
        question: "who calls Sets.Format?",
        expected: &[
            "called or used by, of all overloads (2):\nsrc/\n Sets.cs\n  6 Sets.Format: Format(all);\n  9 Sets.Write: ",
        ],
    },
    Case {
        files: &[
            (
                "web/filter.ts",
                "export interface FilterBuilder { title: string }\nexport const all: FilterBuilder[] = [];\n",
            ),
            (
                "web/Kinds.svelte",
                "<script lang=\"ts\">\n  const builder: FilterBuilder = { title: 'a' };\n</script>\n",
            ),
        ],
        question: "who implements FilterBuilder, including object literals?",
        expected: &["Kinds.svelte\n  2 const builder: FilterBuilder = "],
    },
    Case {
        files: &[
            (
                "server/package.json",
                "{ \"name\": \"depot\", \"main\": \"dist/index\", \"oclif\": { \"commands\": \"./dist/commands\" } }\n",
            ),
            (
                "server/src/index.ts",
                "export class App { open() { app.listen(80); } }\nexport function start() { new App().open(); }\n",
            ),
            (
                "server/src/commands/start.ts",
                "import { start } from '../index';\nexport default class Start { async run() { start(); } }\n",
            ),
        ],
        question: "where does the depot server begin, from the command line to the port?",
        expected: &[
            " server/package.json: src/commands/start.ts (oclif start)",
            "Start.run  server/src/commands/start.ts:2\n  2 start  server/src/index.ts:2\n",
        ],
    },
    Case {
        files: &[(
            "web/vault.ts",
            "export interface VaultClient { read(key: string): string }\nexport const cloud: VaultClient = {\n  read(key) {\n    return key;\n  },\n};\nexport const open = (client: VaultClient) => client.read('a');\n",
        )],
        question: "who implements VaultClient.read, and who calls it?",
        expected: &[
            "defined in object literals of its type (1):\nweb/\n vault.ts\n  3 cloud: read(key) {\n",
            "called or used by (1):\nweb/\n vault.ts\n  7 open: ",
        ],
    },
    Case {
        files: &[
            (
                "src/Bakery.Ovens/Heating/Heater.cs",
                "namespace Bakery.Ovens.Heating { public class Heater { public void Heat(int degrees) { } } }\n",
            ),
            (
                "src/Bakery.Ovens/Oven.cs",
                "namespace Bakery.Ovens { public class Oven { public void Open() { } } }\n",
            ),
            (
                "src/Bakery.Shop/Shop.cs",
                "using Bakery.Ovens.Heating;\nclass Shop { Heater heater; }\n",
            ),
            (
                "src/Bakery.Shop/Bakery.Shop.csproj",
                "<Project>\n  <ProjectReference Include=\"..\\Bakery.Ovens\\Bakery.Ovens.csproj\" />\n</Project>\n",
            ),
        ],
        question: "who imports the namespace Bakery.Ovens, by using directive or project reference?",
        expected: &[
            "imports in code that is not indexed, and of namespaces inside it, matched by text (1):\nsrc/Bakery.Shop/\n Shop.cs\n  1 ",
            "projects that refer to the project of that name (1):\nsrc/Bakery.Shop/\n Bakery.Shop.csproj\n  2 ",
        ],
    },
    Case {
        files: &[(
            "src/Config.cs",
            "class Config {\n    string Read(string key) => Environment.GetEnvironmentVariable($\"BAKERY_{key.ToUpper()}\");\n    Dictionary<string, int> Values() => new() {\n        [nameof(OvenPort)] = Get(\"OvenPort\"),\n    };\n    public int OvenPort => 1;\n    int Use() => OvenPort;\n    int Get(string key) => Read(key).Length;\n}\n",
        )],
        question: "where is the environment variable BAKERY_OVENPORT read, and where does its value go?",
        expected: &[
            "BAKERY_OVENPORT is the setting \"OvenPort\": src/Config.cs:2 makes the name of the variable: ",
            "uses of OvenPort, which holds its value (1):\nsrc/\n Config.cs\n  7 Config.Use: ",
        ],
    },
    Case {
        files: &[
            (
                "packages/oven-tools/src/index.ts",
                "export { heat } from './heat';\n",
            ),
            (
                "packages/oven-tools/src/heat.ts",
                "export function heat() {}\n",
            ),
            ("web/title.ts", "export const title = 'Bakery';\n"),
        ],
        question: "what can I import from Bakery's own package of oven tools?",
        expected: &[
            "## folder packages/oven-tools (2 files)\npackages/oven-tools/src/index.ts:\nexported from other files (1):\n 1 heat  packages/oven-tools/src/heat.ts:1\n",
        ],
    },
    Case {
        files: &[(
            "src/Extensions/OvenExtensions.cs",
            "public static class OvenExtensions {\n    extension(Oven oven) {\n        public void Heat(int degrees) { }\n    }\n    public static void Cool(this Oven oven) { }\n}\npublic class Oven { }\n",
        )],
        question: "which public methods does src/Extensions offer?",
        expected: &[": 3 Heat(int degrees): void, 5 Cool(this Oven oven): void"],
    },
    Case {
        files: &[
            (
                "src/Bin.cs",
                "public interface IBin { }\npublic class Bin : IBin { }\n",
            ),
            (
                "src.Tests/BinTests.cs",
                "class BinTests { [Fact] public void Empties() { var bin = Substitute.For<IBin>(); } }\n",
            ),
        ],
        question: "who implements IBin, also by mocks in tests?",
        expected: &[
            "objects that tests make in its place, or in that of a type below it (1):\nsrc.Tests/\n BinTests.cs\n  1 BinTests.Empties: ",
        ],
    },
    Case {
        files: &[(
            "src/Bins.cs",
            "public record BinHidden(int Id);\nclass Sync {\n    public IEnumerable<object> Changes(bool b) {\n        yield return b ?\n            new BinHidden(1) :\n            new object();\n    }\n}\nclass Bins {\n    void Apply() { foreach (var change in new Sync().Changes(true)) { Raise(change); } }\n    void Hide() { Raise(new BinHidden(2)); }\n    void Raise(object change) { }\n}\n",
        )],
        question: "who raises the BinHidden event?",
        expected: &[
            "  11 Bins.Hide: ",
            "call chains that lead to where it is made and not passed on at once:\nBins.Apply  src/Bins.cs:10\n",
        ],
    },
    Case {
        files: &[
            (
                "web/board.tsx",
                "import { useState } from 'react';\nimport { uuid } from './ids';\nfunction fresh() { return uuid(); }\nexport function Board({ post }: any) {\n  const [board] = useState(fresh());\n  return post(`/boards/${board}`);\n}\n",
            ),
            ("web/ids.ts", "export function uuid() {}\n"),
        ],
        question: "what does Board in web/board.tsx depend on as a whole: endpoints and modules?",
        expected: &[
            "calls of the functions of its file that it calls (1):\n 3 uuid  web/ids.ts:1 in fresh\n",
            "lines with paths (1):\nweb/\n board.tsx\n  6 Board: ",
            "imports (2):\n 1 useState  react\n 2 uuid  web/ids.ts\n",
        ],
    },
    Case {
        files: &[(
            "src/Scan.cs",
            "class Scan {\n    void Configure() {\n        var all = new Command(\"scan-all\", \"Scans\");\n        var one = new Command(\n            \"scan-one\");\n    }\n}\n",
        )],
        question: "which subcommands does the scanner accept?",
        expected: &[
            "lines that declare commands of a command line (2):",
            "  3 Scan.Configure: var all = new Command(\"scan-all\"",
            "  4 var one = new Command(",
        ],
    },
    Case {
        files: &[(
            "web/Stats.tsx",
            "import { useAction } from 'actions';\nimport { useConfirm } from './confirm';\n\
            const pay = action(async () => {\n  send();\n});\nfunction send() {}\n\
            export function Stats() {\n  const { execute: runPay } = useAction(pay);\n\
            const { modal, setShow: setShowPay } = useConfirm({\n    title: 'Sure?',\n    onConfirm: async () => {\n      await runPay();\n    },\n  });\n\
            return <div>{modal}<Button text=\"Pay out\" onClick={() => setShowPay(true)} /></div>;\n}\n",
        )],
        question: "what happens when a user clicks \"Pay out\"?",
        expected: &[
            "setShowPay is set by",
            "onConfirm: async () => {",
            "send  web/Stats.tsx:6",
        ],
    },
    Case {
        files: &[(
            "web/Menu.tsx",
            "import { useState } from 'react';\nfunction close() {}\n\
            export function Menu() {\n  const [open, setOpen] = useState(false);\n\
            return <div>\n    <button onClick={() => setOpen(true)}>Close the shop</button>\n\
            {open && <Dialog onYes={() => close()} />}\n  </div>;\n}\n",
        )],
        question: "what happens when a user clicks \"Close the shop\"?",
        expected: &["setOpen is set by", "<Dialog>", "close  web/Menu.tsx:2"],
    },
    Case {
        files: &[
            (
                "web/remove.ts",
                "import { useMutation } from '@tanstack/react-query';\n\
                const removeUser = () => fetch('/user/me', { method: 'DELETE' });\n\
                export const useRemove = () => {\n  const { mutateAsync: remove } = useMutation({ mutationFn: removeUser });\n  return { remove };\n};\n",
            ),
            (
                "web/Page.tsx",
                "import { useRemove } from './remove';\nexport function Page() {\n  const { remove } = useRemove();\n\
                const onRemove = async () => {\n    await remove();\n  };\n  return <button onClick={onRemove}>Leave now</button>;\n}\n",
            ),
        ],
        question: "A user types \"yes\" and presses the Leave now button. What happens?",
        expected: &[
            "remove() from useRemove()",
            "possibly runs removeUser",
            "DELETE /user/me",
        ],
    },
    Case {
        files: &[
            (
                "src/Views/Doors/List.cshtml",
                "<form method=\"post\" asp-action=\"Paint\">\n  <button type=\"submit\">@Localizer[\"Paint it\"]</button>\n</form>\n",
            ),
            (
                "src/DoorsController.cs",
                "public class DoorsController : Controller {\n    public object List() => View();\n    public object Paint() { Brush.Dip(); return null; }\n}\nstatic class Brush { public static void Dip() {} }",
            ),
            (
                "src/OtherController.cs",
                "public class OtherController : Controller { public object Paint() => null; }",
            ),
        ],
        question: "what happens when an admin clicks \"Paint it\"?",
        expected: &[
            "actions with the name of the view List.cshtml (1):",
            "asp-action=\"Paint\"",
            "DoorsController.Paint",
            "Brush.Dip",
        ],
    },
    Case {
        files: &[
            (
                "src/Views/Shared/Components/DoorBell/Default.cshtml",
                "<h5>Ring twice</h5>\n",
            ),
            (
                "src/Views/DoorExtension.cshtml",
                "<vc:door-bell model=\"Model\" />\n",
            ),
            (
                "src/DoorBell.cs",
                "public class DoorBell : ViewComponent { }\nclass Plugin { void Run() { Add(\"/Views/DoorExtension.cshtml\"); } void Add(string path) {} }",
            ),
        ],
        question: "which component renders \"Ring twice\" on the page?",
        expected: &[
            "view component of Default.cshtml, by its folder (1):",
            "DoorBell: public class DoorBell",
            "<vc:door-bell",
            "code that names these views (1):",
        ],
    },
    Case {
        files: &[
            (
                "src/Views/Cart.cshtml",
                "<div><a href=\"#\" class=\"add-to-cart\">Add to cart</a></div>\n",
            ),
            (
                "src/wwwroot/cart.js",
                "$(function () {\n  $('body').on('click', '.add-to-cart', function () {\n    $.ajax({ type: 'POST', url: '/carts/add' });\n  });\n});\n",
            ),
            (
                "src/CartsController.cs",
                "[Route(\"carts\")] public class CartsController : Controller {\n    [HttpPost(\"add\")] public object Add() => null;\n}",
            ),
        ],
        question: "what happens when a shopper clicks \"Add to cart\"?",
        expected: &[
            "src/wwwroot/cart.js:2",
            "requests POST /carts/add -> CartsController.Add",
        ],
    },
    Case {
        files: &[
            (
                "src/wwwroot/shipments.js",
                "function shipments($http) {\n  function create(one) {\n    return $http.post('api/shipments', one);\n  }\n  return { create };\n}\n",
            ),
            (
                "src/ShipmentsController.cs",
                "[Route(\"api/shipments\")] public class ShipmentsController : Controller {\n    [HttpPost] public object Post() => null;\n}",
            ),
        ],
        question: "from shipments.create in the browser, which server code runs?",
        expected: &["requests POST api/shipments -> ShipmentsController.Post"],
    },
    Case {
        files: &[
            (
                "src/wwwroot/pay.js",
                "export function cancel() {\n  connection.invoke(\"CancelPay\", 1);\n}\n",
            ),
            (
                "src/PayHub.cs",
                "public class PayHub : Hub { public void CancelPay(int id) { } }\npublic class Other { public void CancelPay(int id) { } }",
            ),
        ],
        question: "what happens when `cancel` in pay.js runs?",
        expected: &["connection.invoke -> (hub method of that name) PayHub.CancelPay"],
    },
    Case {
        files: &[(
            "src/Options.cs",
            "class Defaults { public const string EnvironmentPrefix = \"SHOP_\"; }\n\
            class Options {\n    public string TorFile { get; set; }\n    void Load(Settings settings) {\n        TorFile = settings.Get(\"torfile\");\n    }\n}\n\
            class Tor { void Start(Options options) { Open(options.TorFile); } void Open(string path) {} }",
        )],
        question: "where is the environment variable SHOP_TORFILE read, and what uses its value?",
        expected: &[
            "SHOP_TORFILE is the setting \"torfile\"",
            "uses of TorFile, which holds its value (1):",
            "Tor.Start",
        ],
    },
    Case {
        files: &[(
            "web/env.ts",
            "export function needed(name: string) {\n  const value = process.env[name];\n  if (!value) throw new Error(name);\n  return value;\n}\nexport const key = needed(\"SHOP_SECRET\");\n",
        )],
        question: "where is SHOP_SECRET read?",
        expected: &[
            "needed, which gets its name",
            "if (!value) throw new Error(name);",
        ],
    },
    Case {
        files: &[(
            "src/Surface.cs",
            "delegate void Handler();\ninterface ISurface { event Handler Changed; void Notify(); }\n\
            class Surface : ISurface {\n    private Handler _changed;\n    public event Handler Changed { add => _changed += value; remove => _changed -= value; }\n\
            public void Notify() {\n        _changed();\n    }\n}\n\
            class Tool { void Use(ISurface surface) { surface.Notify(); } }",
        )],
        question: "who raises the event ISurface.Changed?",
        expected: &[
            "raised at (1):",
            "Surface.Notify: _changed();",
            "raised through Notify by (1):",
            "Tool.Use",
        ],
    },
    Case {
        files: &[(
            "web/hooks.ts",
            "export function sendHook(hook: { trigger: string }) {}\n\
            export function join() {\n  sendHook({\n    trigger: \"door.joined\",\n  });\n}\n\
            export const labels = {\n  \"door.joined\": \"Joined\",\n};\n",
        )],
        question: "who sends \"door.joined\"?",
        expected: &[
            "sent by, as an argument of a call (1):",
            "join > sendHook(..)",
            "named by (1):",
        ],
    },
    Case {
        files: &[(
            "src/wwwroot/modal.js",
            "(function () {\n  function showFrame() {}\n  function hidden() {}\n  window.shop = {\n    showFrame: showFrame,\n  };\n})();\n",
        )],
        question: "what does modal.js expose?",
        expected: &[
            "assigned to the global object:\n4 window.shop = {",
            "not exported (1):\n 3 local function hidden",
        ],
    },
    Case {
        files: &[(
            "src/Providers.cs",
            "interface IBell { }\nclass LoudBell : IBell { }\n\
            static class Services { public static void AddBell<T>(this Container services) where T : IBell { } }\n\
            class Container { void Run() { this.AddBell<LoudBell>(); } }",
        )],
        question: "who implements IBell and where is each registered?",
        expected: &["or given as type arguments, at (1):", "Container.Run"],
    },
    Case {
        files: &[(
            "src/Window.cs",
            "class Options { public bool Small { get; set; } }\n\
            class Window { void Close(Options options) {\n        if (options.Small)\n        {\n            Trim();\n        }\n    }\n    void Trim() { } }",
        )],
        question: "where is Options.Small used and what does it trigger there?",
        expected: &["what these reads decide:", "    Trim();"],
    },
    Case {
        files: &[
            (
                "src/Shop.Orders/Order.cs",
                "namespace Shop.Orders { public class Order { Shop.Stock.Item Item; } }",
            ),
            (
                "src/Shop.Orders/Shop.Orders.csproj",
                "<Project Sdk=\"Microsoft.NET.Sdk\"><ItemGroup><ProjectReference Include=\"../Shop.Stock/Shop.Stock.csproj\" /></ItemGroup></Project>",
            ),
            (
                "src/Shop.Stock/Item.cs",
                "namespace Shop.Stock { public class Item { } }",
            ),
            (
                "src/Shop.Stock/Shop.Stock.csproj",
                "<Project Sdk=\"Microsoft.NET.Sdk\" />",
            ),
        ],
        question: "what does the Orders module depend on?",
        expected: &[
            "## folder src/Shop.Orders",
            "depends on types and functions of (1):\n src/Shop.Stock/Shop.Stock.csproj: Item",
        ],
    },
    Case {
        files: &[(
            "web/app/api/doors/[id]/paint/route.ts",
            "import { withUser } from './user';\nexport const POST = withUser(async () => {\n  dip();\n});\nfunction dip() {}\n",
        )],
        question: "how does a POST to /api/doors/<id>/paint end up in the brush?",
        expected: &["what happens, in order:\nPOST", "dip  web/app/api/doors"],
    },
    Case {
        files: &[
            (
                "web/pages/api/teams/[teamId]/pause.ts",
                "export default function handle() {\n  stop();\n}\nfunction stop() {}\n",
            ),
            (
                "web/pause.ts",
                "export function pause(team: string) {\n  return fetch(`/api/teams/${team}/pause`, { method: 'POST' });\n}\n",
            ),
        ],
        question: "what happens when `pause` in web/pause.ts runs?",
        expected: &["-> (by its path) handle", "stop  web/pages/api"],
    },
    Case {
        files: &[
            (
                "web/app/api/doors/[id]/route.ts",
                "import { paint } from '../../../../paint';\nexport async function DELETE() {\n  paint();\n}\n",
            ),
            ("web/paint.ts", "export function paint() {}\n"),
            (
                "web/close.ts",
                "export function close(id: string) {\n  return fetch(`/api/doors/${id}`, { method: 'DELETE' });\n}\nexport const read = (id: string) => fetch(`/api/doors/${id}`);\n",
            ),
        ],
        question: "who calls paint, and who calls those callers?",
        expected: &[
            "these callers are reached without a call by (1):",
            "close at web/close.ts:2",
        ],
    },
    Case {
        files: &[(
            "src/Xml.cs",
            "#nullable enable\nclass Builder { }\nclass Xml {\n    public static void Escape(string text, bool all, Builder? builder = null) { }\n    public static void Escape(Builder builder, int from, bool all) { }\n    void Run() { Escape(\"a\", true); }\n}",
        )],
        question: "what breaks if Xml.Escape(string, bool, Builder) changes?",
        expected: &[
            "Escape(string text, bool all, Builder? builder = null)",
            "Xml.Run",
        ],
    },
    Case {
        files: &[(
            "src/Logs.cs",
            "class LogFactory { public void Suspend() { } }\nclass LogManager { public void Suspend() { } }\n\
            class LogTests { void Run(LogFactory a, LogManager b) { a.Suspend(); b.Suspend(); } }",
        )],
        question: "who calls Suspend (LogFactory and LogManager)?",
        expected: &[
            "## public method LogFactory.Suspend()",
            "## public method LogManager.Suspend()",
        ],
    },
    Case {
        files: &[
            (
                "src/Door.cs",
                "public partial class Door : Wall { }\npublic class Wall { }",
            ),
            ("src/Door.Designer.cs", "partial class Door { }"),
        ],
        question: "list all subclasses of Wall",
        expected: &["1 Door: public partial class Door : Wall"],
    },
    Case {
        files: &[(
            "src/Plugins.cs",
            "class RedPlugin { }\nclass BluePlugin { }\nclass GreenPlugin { }",
        )],
        question: "Which plug-ins does it ship and how are they loaded?",
        expected: &["class RedPlugin", "class BluePlugin"],
    },
];
