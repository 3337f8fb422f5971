//! `codeagent explore`: what belongs to a symbol by its name or form alone, which no edge shows.

use super::{Case, Shop, assert_answers};

#[test]
fn names_and_forms_lead_to_what_belongs_together() {
    assert_answers(CASES);
}

#[test]
fn a_callback_that_raises_an_event_is_not_its_method() {
    let shop = Shop::with(&[(
        "src/Relay.cs",
        "public class Relay {\n    public event System.EventHandler Opened;\n    Door door = new Door();\n    public void Connect() {\n        door.Closed += (sender, e) => Opened?.Invoke(sender, e);\n    }\n    public void Start() { Connect(); }\n}\n",
    )]);
    let text = shop.stdout(&["explore", "who raises Relay.Opened?"]);
    assert!(text.contains("5 Relay.Connect: "), "{text}");
    assert!(!text.contains("raised through"), "{text}");
}

const CASES: &[Case] = &[
    Case {
        files: &[
            (
                "src/Filters.cs",
                "public abstract class Filter { public abstract bool Check(); }\n[Filter(\"whenRare\")]\npublic class RareFilter : Filter { public override bool Check() => true; }\n",
            ),
            (
                "tests/FilterTests.cs",
                "public class FilterTests {\n    [Fact] public void Types() { var type = typeof(Filter); }\n    [Fact] public void Rare() { Load(\"<whenRare layout='a' />\"); }\n}\n",
            ),
        ],
        question: "which tests cover RareFilter?",
        expected: &[
            "bases: Filter  src/Filters.cs:1\nin tests, by the name \"whenRare\" that its attribute gives it (1):\ntests/\n FilterTests.cs\n  3 FilterTests.Rare: ",
        ],
    },
    Case {
        files: &[
            (
                "src/Stores.cs",
                "public interface IStore { void Put(); }\npublic class DiskStore : IStore { public void Put() { } }\n",
            ),
            (
                "tests/StoreTests.cs",
                "public class StoreTests {\n    public void One() { var store = Substitute.For<IStore>(); }\n    public void Two() { var store = Substitute.For<DiskStore>(); }\n}\n",
            ),
        ],
        question: "who implements IStore, also as substitutes in tests?",
        expected: &[
            "objects that tests make in its place, or in that of a type below it (2):\ntests/\n StoreTests.cs\n  2 StoreTests.One: ",
        ],
    },
    Case {
        files: &[(
            "web/source.ts",
            "export interface Source {\n  subscribeTo(name: string): void;\n}\nexport class Notifier {\n  subscribeTo(name: string) {}\n  close() {}\n}\nexport function make(lag: boolean) {\n  const source: Source = lag\n    ? {\n        subscribeTo: () => {},\n      }\n    : new Notifier();\n  return source;\n}\n",
        )],
        question: "who implements Source, object literals included?",
        expected: &[
            "classes that have all its members and do not declare it (1):\nweb/\n source.ts\n  4 Notifier: export class Notifier {\n",
            "object literals and values of this type (2):\nweb/\n source.ts\n  9 make: const source: Source = lag ? { : new Notifier();\n",
        ],
    },
    Case {
        files: &[(
            "src/Kinds.cs",
            "public enum Kind { Plain, Root }\npublic class Item {\n    public virtual Kind GetKind()\n    {\n        return Kind.Plain;\n    }\n}\npublic class RootItem : Item {\n    public override Kind GetKind()\n    {\n        return Kind.Root;\n    }\n}\n",
        )],
        question: "who overrides Item.GetKind, and what do they return?",
        expected: &["9 RootItem.GetKind: public override Kind GetKind() { return Kind.Root; }\n"],
    },
    Case {
        files: &[
            (
                "tests/Make.cs",
                "public static class Make { public static int Random() => 4; }\n",
            ),
            (
                "tests/ItemTests.cs",
                "public class ItemTests {\n    int item;\n    [SetUp]\n    public void Setup() { item = Make.Random(); }\n    [Test]\n    public void Saves() { }\n    [Test]\n    public void Loads() { }\n}\n",
            ),
        ],
        question: "which tests break if Make.Random changes?",
        expected: &[
            "tests before which one of these runs (1):\n ItemTests.Setup before tests/ItemTests.cs: 6 Saves, 8 Loads\n",
        ],
    },
    Case {
        files: &[(
            "src/Arguments.cs",
            "public static class Settings { public static bool IsQuiet; }\npublic class Arguments {\n    void ReadQuiet(Args args) {\n        if (args[\"quiet-start\"] == null) return;\n        Settings.IsQuiet = true;\n    }\n    void Start() { if (Settings.IsQuiet) return; }\n}\n",
        )],
        question: "where is the switch \"quiet-start\" read, and what acts on it?",
        expected: &[
            "uses of IsQuiet, which holds its value",
            "  7 Arguments.Start: ",
        ],
    },
    Case {
        files: &[(
            "src/Parser.cs",
            "/// - app.logIncludeTime\npublic static class Log { public static bool IncludeTime; public static void Line() { if (IncludeTime) return; } }\npublic class Parser {\n    void FromEnvironment() { Log.IncludeTime = Get(\"app.logIncludeTime or\"); }\n    void FromXml(string name) {\n        switch (name) {\n            case \"LOGINCLUDETIME or\": Log.IncludeTime = true; break;\n        }\n    }\n}\n",
        )],
        question: "where is the setting logIncludeTime read, and where does it take effect?",
        expected: &[
            "lines of code that have it in other case (1):\nsrc/\n Parser.cs\n  7 Parser.FromXml: ",
        ],
    },
    Case {
        files: &[(
            "web/widgets.ts",
            "export type Events = { doorClosed: { id: number } };\nexport class Door { close() { trigger(\"doorClosed\", { id: 1 }); } }\nexport class Lamp {\n  doorClosedEvent() {}\n}\nexport class Bell {\n  onDoorClosed() {}\n}\n",
        )],
        question: "who raises the `doorClosed` event, and who reacts to it?",
        expected: &[
            "methods named after it (2):\nweb/\n widgets.ts\n  4 Lamp.doorClosedEvent: doorClosedEvent() {}\n  7 Bell.onDoorClosed: onDoorClosed() {}\n",
        ],
    },
    Case {
        files: &[
            (
                "web/queue.ts",
                "const jobs = { sweep: 1 };\nexport const queue = make(jobs);\n",
            ),
            ("web/jobs.ts", "export const jobs = { expire: 1 };\n"),
            (
                "web/engine.ts",
                "import { jobs } from './jobs';\nexport const worker = new Worker({ name: \"engine-worker\", jobs: jobs });\n",
            ),
        ],
        question: "which jobs does the worker \"engine-worker\" have in `jobs`?",
        expected: &[
            "variable jobs  web/jobs.ts:1\nalso of that name: variable jobs  web/queue.ts:1\n",
        ],
    },
    Case {
        files: &[
            (
                "web/my_scrypt.ts",
                "function getHash(text: string) { return text; }\nexport default { getHash };\n",
            ),
            (
                "web/login.ts",
                "import scrypt from './my_scrypt';\nexport function login() { return scrypt.getHash('a'); }\n",
            ),
        ],
        question: "what breaks if I rename the `my_scrypt` module: who imports it, and what do they use?",
        expected: &[
            "## file web/my_scrypt.ts\nimported by (1):\nweb/\n login.ts\n  1 import scrypt",
            "  2 login: export function login() { return scrypt.getHash('a'); }",
        ],
    },
    Case {
        files: &[
            ("src/Shop.Log/Log.cs", "class Log { }\n"),
            (
                "src/Shop.Log/Shop.Log.csproj",
                "<Project Sdk=\"Microsoft.NET.Sdk\">\n  <ItemGroup>\n    <PackageReference Include=\"Events\" Version=\"1.0\" />\n    <Compile Include=\"..\\Shop\\Target.cs\" />\n    <ProjectReference Include=\"..\\Shop\\Shop.csproj\" />\n  </ItemGroup>\n</Project>\n",
            ),
        ],
        question: "what does the project Shop.Log depend on as a whole?",
        expected: &[
            "project files that name what they depend on (3):\nsrc/Shop.Log/\n Shop.Log.csproj\n  3 <PackageReference Include=\"Events\" Version=\"1.0\" />\n  4 <Compile Include=",
        ],
    },
    Case {
        files: &[
            (
                "src/Options.cs",
                "public class Pages { public void Show() { var kept = Stored.Default.BackupFileKeepCount; } }\n",
            ),
            (
                "src/Stored.Designer.cs",
                "public sealed class Stored {\n    public static Stored Default;\n    public int BackupFileKeepCount { get; set; }\n}\n",
            ),
        ],
        question: "where is the setting for how many old backup files are kept read?",
        expected: &["property Stored.BackupFileKeepCount", "  1 Pages.Show: "],
    },
    Case {
        files: &[
            ("web/start.ts", "listen();\n"),
            ("web/mobile.ts", "show();\n"),
        ],
        question: "where does the web client start when somebody opens the shop on a small device, and how does the server decide to send that version?",
        expected: &["note: this lists where programs start; ask for what else the question says"],
    },
    Case {
        files: &[(
            "web/catalog.ts",
            "export const catalog = {\n  expire: {\n    after: 1,\n    keep: 2,\n    a: 1,\n    b: 1,\n    c: 1,\n    d: 1,\n    e: 1,\n    f: 1,\n    g: 1,\n    h: 1,\n  },\n  sweep: {\n    after: 1,\n    keep: 2,\n    a: 1,\n    b: 1,\n    c: 1,\n    d: 1,\n    e: 1,\n    f: 1,\n    g: 1,\n    h: 1,\n  },\n};\n",
        )],
        question: "which jobs does catalog have?",
        expected: &["keys of its object (2):\n 2 expire\n 14 sweep\n"],
    },
    Case {
        files: &[(
            "web/decoder.ts",
            "export interface Decoder<T> {\n  mapFromDriver(value: T): T;\n}\nexport interface Mapper<T> extends Decoder<T> {}\nexport const noDecoder: Decoder<number> = {\n  mapFromDriver: (value) => value,\n};\nexport const noMapper: Mapper<number> = {\n  ...noDecoder,\n};\nexport function pick(is: boolean, other: any) {\n  const decoder = is\n    ? { mapFromDriver: (v: any) => v }\n    : other;\n  return decoder;\n}\n",
        )],
        question: "who implements Decoder, including object literals made on the fly?",
        expected: &[
            "  8 noMapper: export const noMapper: Mapper<number> = {\n",
            "object literals with a key of its members, matched by text (1):\nweb/\n decoder.ts\n  13 ",
        ],
    },
    Case {
        files: &[
            (
                "src/Settings.cs",
                "public class ClientSettings { public string DateFormat { get; set; } = \"s\"; }\n",
            ),
            (
                "src/Templates/Client.liquid",
                "url.Append(value.ToString(\"{{ DateFormat }}\"));\n",
            ),
        ],
        question: "where is ClientSettings.DateFormat used?",
        expected: &["named in files of other languages", " Client.liquid\n  1 "],
    },
    Case {
        files: &[(
            "src/Commands.cs",
            "public class Command { }\npublic class OutputCommand : Command { }\npublic class SwaggerCommand : OutputCommand { }\n",
        )],
        question: "which classes derive from Command, directly and deeper?",
        expected: &[
            "  2 OutputCommand: public class OutputCommand",
            "  3 SwaggerCommand: (indirectly) ",
        ],
    },
    Case {
        files: &[(
            "src/Windows.cs",
            "public static class Windows { public static void Open() { } }\n",
        )],
        question: "for tablets that are reached over the raw path on Windows there is a small struct that describes one control request; which ready-made requests can it build, and which of its helpers are really used?",
        expected: &["left out: Windows; "],
    },
    Case {
        files: &[(
            "src/Panes.cs",
            "public class Pane : Control { protected override void OnShown() { } }\npublic class Dock : Control { protected override void OnShown() { } }\npublic class PaneModel { public void OnShown() { } }\n",
        )],
        question: "Which panes override the lifecycle method `OnShown`?",
        expected: &[
            "overrides a member of a base outside the index",
            "others that override a member of that name (1):\nsrc/\n Panes.cs\n  1 Pane.OnShown: ",
        ],
    },
    Case {
        files: &[(
            "src/Wares.cs",
            "namespace Kiosk.Wares { public class Ware { } }\nnamespace Kiosk.Wares.Kits { public class Kit { } }\nnamespace Kiosk.Wares.Tools { public class Tool { } }\n",
        )],
        question: "Which public types does the namespace `Kiosk.Wares` itself export (without the sub-namespaces Kits and Tools)?",
        expected: &["namespace Wares", "\n class Ware"],
    },
    Case {
        files: &[(
            "src/Sieves.cs",
            "public interface ISieve { bool Fits(int size); }\npublic class AllSieve : ISieve { public bool Fits(int size) => true; }\npublic class PickSieve : ISieve { public PickSieve(Func<int, bool> fits) { } public bool Fits(int size) => true; }\nclass Rack { ISieve all = new AllSieve(); ISieve small = new PickSieve(size => size < 3); }\n",
        )],
        question: "Who implements `ISieve`, and where is one made only from a lambda?",
        expected: &[
            "made of a function by a constructor of one of these (1):\nsrc/\n Sieves.cs\n  4 Rack.small: ",
        ],
    },
    Case {
        files: &[(
            "src/Patience.cs",
            "public class Patience { public int Wait { get; set; } }\npublic class Oven\n{\n    private Patience patience;\n    public int Limit => patience.Wait * 2;\n}\nclass Cook { bool Done(Oven oven) => oven.Limit > 3; }\n",
        )],
        question: "Where is the setting `Patience.Wait` read, and where does its value become a limit?",
        expected: &[
            "uses of Limit, which holds its value (1):\nsrc/\n Patience.cs\n  7 Cook.Done: ",
        ],
    },
    Case {
        files: &[(
            "web/stores.ts",
            "export interface ShelfStore { fillShelf?: (name: string) => void }\nexport class Plain implements ShelfStore { fillShelf(name: string) {} }\nfunction fillShelf(name: string) {}\nexport default { fillShelf };\n",
        )],
        question: "which stores implement `fillShelf` of the `ShelfStore` interface?",
        expected: &[
            "functions of that name, which objects of the interface may hold (1):\nweb/\n stores.ts\n  3 fillShelf: ",
        ],
    },
    Case {
        files: &[(
            "src/Limits.cs",
            "public static class Limits\n{\n    private const string Size = \"MaxSize\";\n\n\n\n\n\n    public static string Read() => Find(\"SHOP_\" + Size);\n    private static string Find(string name) => System.Environment.GetEnvironmentVariable(name);\n}\n",
        )],
        question: "Where is the environment variable `SHOP_MaxSize` read?",
        expected: &[
            "uses of constants, functions and properties that hold this string (1):\nsrc/\n Limits.cs\n  9 Limits.Read: ",
        ],
    },
    Case {
        files: &[(
            "src/Tablets.cs",
            "public class Tablet { public Keys Attributes { get; set; } }\npublic class Driver {\n    bool Fits(Tablet tablet) => Matches(1, tablet.Attributes);\n    bool Matches(int device, Keys attributes)\n    {\n        return attributes.Has(\"usage\");\n    }\n}\n",
        )],
        question: "which keys of Tablet.Attributes are read, and where?",
        expected: &[
            "lines of Matches with attributes, which gets it, matched by text (1):\nsrc/\n Tablets.cs\n  6 Driver.Matches: return attributes.Has(\"usage\");\n",
        ],
    },
    Case {
        files: &[
            (
                "src/Shop.Web/Cart.cs",
                "namespace Shop.Web { public class Cart { } public class Order { } }\n",
            ),
            (
                "src/Shop.Web/Extensions.cs",
                "namespace Microsoft.Extensions { public static class ShopExtensions { public static void AddShop(this Services services) { } } }\n",
            ),
        ],
        question: "what does the project Shop.Web export, and in which namespaces?",
        expected: &[
            "Cart.cs: Cart (0)",
            "Extensions.cs: Microsoft.Extensions.ShopExtensions (",
        ],
    },
    Case {
        files: &[(
            "web/post.ts",
            "const key = process.env.POST_KEY;\nexport class Clock { now() { return new Date(); } }\nexport class Poster { constructor(private clock: Clock) {} send() { return this.clock.now() + key; } }\n",
        )],
        question: "what does Poster depend on as a whole?",
        expected: &[
            "settings that its file reads (1):\n POST_KEY\n",
            "which depend on (1):\n Clock: ",
        ],
    },
    Case {
        files: &[(
            "web/map.ts",
            "export function mapRow(row: any): any {\n  return row.inner\n    ? mapRow(row.inner)\n    : row;\n}\nexport const mapped = mapRow({});\n",
        )],
        question: "what breaks if I change the signature of mapRow?",
        expected: &["  3 mapRow: ? mapRow(row.inner)\n"],
    },
    Case {
        files: &[(
            "src/Relay.cs",
            "public class Door { public event System.EventHandler Opened; public void Open() { Opened?.Invoke(this, null); } }\npublic class Relay {\n    public event System.EventHandler Opened;\n    Door door = new Door();\n    public void Connect() {\n        door.Opened += (sender, e) => Opened?.Invoke(sender, e);\n    }\n    public void Start() { Connect(); }\n}\n",
        )],
        question: "who raises Opened, and who reacts?",
        expected: &[
            "runs a callback in Relay.Connect  src/Relay.cs:5, subscribed at src/Relay.cs:6\n",
        ],
    },
    Case {
        files: &[(
            "src/Shapes.cs",
            "public class Shape { public virtual int Area() => 0; }\npublic class Round : Shape { }\npublic class Disc : Round { public override int Area() => 3; }\npublic class Line : Shape { }\n",
        )],
        question: "which classes derive from Shape, directly or deeper, and which of them override Shape.Area?",
        expected: &[
            "types below Shape, at all levels, 1 with an override of Area (3):\nsrc/\n Shapes.cs\n  2 Round\n  3 Disc: via Round, overrides Area (3)\n  4 Line\n",
        ],
    },
    Case {
        files: &[
            (
                "src/Ticks.cs",
                "public class View { public void Repeat() { } }\n/// Fires ticks at a view while a button is held down.\npublic class HoldRepeater {\n    private readonly View view;\n    public HoldRepeater(View view) { this.view = view; }\n    public void Tick() { view.Repeat(); }\n}\n",
            ),
            (
                "src/Menu.cs",
                "public class Menu { public void Build() { Add(new Button { Text = \"button\" }); } void Add(Button button) { } }\npublic class Button { public string Text; }\n",
            ),
        ],
        question: "what does the class that fires ticks at a view while a button is held down depend on?",
        expected: &["those that may be meant:\n## public class HoldRepeater  src/Ticks.cs:3\n"],
    },
    Case {
        files: &[(
            "src/Keys.cs",
            "using System;\npublic class Keys {\n    public static object DefaultBindings;\n    public object OtherBindings;\n    public static event EventHandler DefaultBindingsChanged;\n    public static void SetDefaultBinding() { DefaultBindingsChanged?.Invoke(null, EventArgs.Empty); }\n}\n",
        )],
        question: "who raises the event that tells listeners that the default bindings have been changed?",
        expected: &[
            "## public event Keys.DefaultBindingsChanged",
            "  6 Keys.SetDefaultBinding: ",
        ],
    },
    Case {
        files: &[(
            "web/colors.ts",
            "export const colors = process.env.SHOP_COLORS !== 'off';\nexport const port = process.env.SHOP_PORT;\n",
        )],
        question: "which environment variable decides whether Linux users see colors?",
        expected: &[
            "environment variables whose names have most words of the question (2):\n SHOP_COLORS  web/colors.ts:1\n SHOP_PORT  web/colors.ts:2\n",
        ],
    },
    Case {
        files: &[(
            "web/roles.ts",
            "export type BasicRole = 'owner' | 'editor';\nexport type Role = BasicRole | 'guest';\nexport function canEdit(role: BasicRole): boolean { return role === 'editor'; }\nexport function first<T extends Role>(all: T[]): T { return all[0]; }\nexport function count(): number { return 2; }\n",
        )],
        question: "which values does Role have, and which functions operate on it?",
        expected: &[
            "types in it:\n1 export type BasicRole = 'owner' | 'editor';\n",
            "exported functions of its file that take or return it (2):\n 3 canEdit(role: BasicRole): boolean\n 4 first",
        ],
    },
    Case {
        files: &[(
            "web/guard.ts",
            "export function isClosed(error: Error): boolean { return error.name === 'Closed'; }\nexport function close(error: Error) {\n  if (isClosed(error)) {\n    throw error;\n  }\n}\n",
        )],
        question: "what breaks if isClosed gives another answer?",
        expected: &["  3 close: if (isClosed(error)) { throw error;\n"],
    },
    Case {
        files: &[(
            "web/child.ts",
            "export enum Command { CountItems }\nexport class Cart { countItems() { return total(); } }\nfunction total() { return 1; }\nexport function ask(send: (command: Command) => void) {\n  send(Command.CountItems);\n}\nexport function handle(command: Command, cart: Cart) {\n  switch (command) {\n    case Command.CountItems:\n      return cart.countItems();\n  }\n}\n",
        )],
        question: "what happens when a child process calls Cart.countItems?",
        expected: &[
            "uses of enum members of its name, which may be messages that call it (2):\nweb/\n child.ts\n  5 ask: send(Command.CountItems);\n  9 handle: case Command.CountItems:\n",
        ],
    },
    Case {
        files: &[(
            "src/Paper.cs",
            "public class Sheet { public Sheet(string text) { Ink.Mix(text); } }\npublic static class Ink { public static void Mix(string text) { Dry(); } static void Dry() { } }\npublic static class Press { public static void Run<T>(string text) { new Sheet(text); } }\n",
        )],
        question: "how does Press.Run<T>(string text) reach Ink.Mix?",
        expected: &[
            "how Press.Run<T>(string) leads to Ink.Mix:\n",
            "what it calls, in order:\nInk.Mix  src/Paper.cs:2\n  2 Ink.Dry",
        ],
    },
    Case {
        files: &[(
            "src/Paper.cs",
            "public class Sheet { public Sheet(string text) { Ink.Mix(text); } }\npublic static class Ink { public static void Mix(string text) { Dry(); } static void Dry() { } }\npublic static class Press { public static void Run(string text) { new Sheet(text); } }\n",
        )],
        question: "what happens in Press.Run?",
        expected: &[
            "  3 new Sheet  src/Paper.cs:1\n    1 Ink.Mix  src/Paper.cs:2\n      2 Ink.Dry",
        ],
    },
    Case {
        files: &[
            (
                "src/Pens.cs",
                "namespace Shop;\npublic interface IPen { void Write(); }\npublic class Quill : IPen { public void Write() { } }\n",
            ),
            (
                "samples/Sample/Sample.csproj",
                "<Project Sdk=\"Microsoft.NET.Sdk\"><ItemGroup><PackageReference Include=\"Shop.Pens\" Version=\"1.0.0\" /></ItemGroup></Project>\n",
            ),
            (
                "samples/Sample/Chalk.cs",
                "using Shop;\nclass Chalk : IPen { public void Write() { } }\n",
            ),
            ("src/Shop.csproj", "<Project Sdk=\"Microsoft.NET.Sdk\" />\n"),
        ],
        question: "who implements IPen, samples included?",
        expected: &[
            "types that name it as a base, whose target is unknown (1):\nsamples/Sample/\n Chalk.cs\n  2 Chalk.Write: ",
        ],
    },
    Case {
        files: &[(
            "web/desk.ts",
            "class Lamp {}\nexport class Desk {\n  lamp: Lamp;\n  constructor() {\n    this.lamp = new Lamp();\n  }\n  one() {}\n  two() {}\n  three() {}\n  four() {}\n  five() {}\n  six() {}\n  seven() {}\n}\n",
        )],
        question: "what does Desk create in its constructor?",
        expected: &[
            "what its constructors call (1):\nweb/\n desk.ts\n  5 Desk.constructor: this.lamp = new Lamp();\nits constructors:\n4 constructor() {\n",
        ],
    },
    Case {
        files: &[
            (
                "web/sender.ts",
                "export class Sender {\n  send() {\n    this.queue('afterClose', 1);\n  }\n  queue(name: string, value: number) {}\n}\n",
            ),
            (
                "web/receiver.ts",
                "export function receive(channel: string) {\n  return channel === 'afterClose';\n}\n",
            ),
        ],
        question: "Sender.send puts a message into a channel; who receives it?",
        expected: &[
            "its strings elsewhere, which may connect it, matched by equal text (1):\nweb/\n receiver.ts\n  2 receive: ",
        ],
    },
    Case {
        files: &[(
            "web/made.ts",
            "export function makeCart() { return 1; }\nfunction inner() { return 2; }\nexport { inner as shown };\n",
        )],
        question: "what does web/made.ts export?",
        expected: &[" 2 function inner as shown() ("],
    },
    Case {
        files: &[
            ("web/open.ts", "export function openCart() {}\n"),
            (
                "web/user.ts",
                "import { openCart } from \"#nowhere\";\nexport function use() { openCart(); }\n",
            ),
        ],
        question: "who calls openCart?",
        expected: &["unresolved uses that may belong to it (1):\nweb/\n user.ts\n  2 use: "],
    },
];
