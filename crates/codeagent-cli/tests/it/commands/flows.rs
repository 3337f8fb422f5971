//! Answers about what happens, in prose: flows of events, messages, constants and strings, paths, bases.

use super::Shop;

#[test]
fn what_happens_to_a_type_is_told_of_the_function_that_the_verb_names() {
    let action = "abstract class Base { protected void Save() {} public void Run() { Save(); } }
class Close : Base {
    public string Name() => \"close\";
    public void ExecuteAsync() { Run(); }
}
";
    let shop = Shop::with(&[("src/Close.cs", action)]);
    let text = shop.stdout(&["explore", "what happens when Close is executed?"]);
    assert!(
        text.contains("what happens, in order:\nClose.ExecuteAsync") && text.contains("Base.Save"),
        "{text}"
    );
    assert!(!text.contains("\nClose.Name  "), "{text}");
    let text = shop.stdout(&["explore", "what happens when Close runs?"]);
    assert!(text.contains("what happens, in order:\nBase.Run"), "{text}");
}

#[test]
fn calls_under_a_condition_are_marked() {
    let csharp = "class Till {
    void Open(int coins) {
        if (Check(coins)) {
            Count();
        } else if (coins > 0) Warn();
        else Close();
        switch (coins) {
            case 1: Single(); break;
        }
        try { Lock(); }
        catch { if (coins > 2) Alarm(); }
        finally { Log(); }
        var sum = coins > 3 ? Many() : Few();
    }
    bool Check(int coins) => coins > 0; void Count() {} void Warn() {} void Close() {}
    void Single() {} void Lock() {} void Alarm() {} void Log() {} int Many() => 1; int Few() => 2;
}
";
    let script = "if (ready) {
  doors.on('visited', () => {
    prepare();
    ready && greet();
    return ready
      ? enter()
      : leave();
  });
}
function prepare() {} function greet() {} function enter() {} function leave() {}
";
    let shop = Shop::with(&[("src/Till.cs", csharp), ("web/visit.ts", script)]);
    for (question, expected) in [
        (
            "what happens in Till.Open?",
            "
  3 Till.Check  src/Till.cs:15
  4 if: Till.Count  src/Till.cs:15
  5 if: Till.Warn  src/Till.cs:15
  6 else: Till.Close  src/Till.cs:15
  8 case: Till.Single  src/Till.cs:16
  10 Till.Lock  src/Till.cs:16
  11 catch: Till.Alarm  src/Till.cs:16
  12 Till.Log  src/Till.cs:16
  13 if: Till.Many  src/Till.cs:16
  13 else: Till.Few  src/Till.cs:16
",
        ),
        (
            "what happens when the event \"visited\" is emitted?",
            "
  3 prepare  web/visit.ts:10
  4 if: greet  web/visit.ts:10
  6 if: enter  web/visit.ts:10
  7 else: leave  web/visit.ts:10
",
        ),
    ] {
        let text = shop.stdout(&["explore", question]);
        assert!(text.contains(expected), "{question}\n{text}");
    }
}

#[test]
fn what_happens_to_a_constant_is_told_of_what_its_event_or_job_runs() {
    let names = "export enum Events { Opened = 'door.opened' }\nexport enum Jobs { Paint = 'paint' }\nexport const QUEUE = 'doors';\n";
    let doors = "import { Events, Jobs, QUEUE } from './names';
export class Doors {
  constructor(private events: Emitter, @InjectQueue(QUEUE) private queue: Queue) {}
  open() {
    this.events.emit(Events.Opened);
    this.queue.add(
      Jobs.Paint,
    );
  }
}
";
    let handlers = "import { Events, QUEUE } from './names';
export class Listener { @OnEvent(Events.Opened) ring() { bell(); } }
@Processor(QUEUE)
export class Painter { process() { paint(); } }
function bell() {}
function paint() {}
";
    let shop = Shop::with(&[
        ("web/names.ts", names),
        ("web/doors.ts", doors),
        ("web/handlers.ts", handlers),
    ]);
    let text = shop.stdout(&["explore", "what happens when Events.Opened is emitted?"]);
    assert!(
        text.contains("\nListener.ring  ") && text.contains(" bell "),
        "{text}"
    );
    let text = shop.stdout(&["explore", "what happens when Jobs.Paint is processed?"]);
    assert!(
        text.contains("\nPainter.process  ") && text.contains(" paint "),
        "{text}"
    );
}

#[test]
fn what_happens_to_an_event_class_is_told_by_the_name_that_it_returns() {
    let event = "export class Opened { static getName() { return 'door.opened'; } }\n";
    let doors = "import { Opened } from './opened';
export class Doors {
  constructor(private events: Emitter) {}
  open() { this.events.emit(Opened.getName(), new Opened()); }
}
export class Listener { @OnEvent(Opened.getName()) ring() { bell(); } }
function bell() {}
";
    let shop = Shop::with(&[("web/opened.ts", event), ("web/doors.ts", doors)]);
    let text = shop.stdout(&["explore", "what happens when Opened is emitted?"]);
    assert!(
        text.contains("\nListener.ring  ") && text.contains(" bell "),
        "{text}"
    );
}

#[test]
fn a_constant_or_message_that_selects_a_branch_shows_it() {
    let code = "namespace M;
public enum Key { Paint, Erase }
public record Pay(int Id);
public class Till {
  public void Press(Key key) {
    switch (key) {
      case Key.Paint:
        Brush();
        break;
      case Key.Erase:
        break;
    }
  }
  public void Take(object message) {
    switch (message) {
      case Pay pay:
        Book(pay);
        break;
    }
  }
  [HttpPost] public void Pay() { Brush(); }
  void Brush() { }
  void Book(Pay pay) { }
}
";
    let shop = Shop::with(&[("src/Till.cs", code)]);
    let text = shop.stdout(&["explore", "what happens when Key.Paint is pressed?"]);
    let branch = "Till.Press  src/Till.cs:7\n 7 case Key.Paint:\n 8   Brush();\n 9   break;\n";
    assert!(text.contains(branch), "{text}");
    assert!(!text.contains("10 case"), "{text}");

    let text = shop.stdout(&["explore", "what happens when Pay is sent?"]);
    assert!(text.starts_with("## public record Pay"), "{text}");
    assert!(text.contains(" 17   Book(pay);\n"), "{text}");
}

#[test]
fn a_control_that_is_clicked_runs_what_its_event_is_subscribed_with() {
    let form = "namespace M;
public class Shop : Form {
  private Button pay;
  void Initialize() {
    pay.Click += pay_Click;
  }
  void pay_Click(object sender, EventArgs e) { Book(); }
  void Book() { }
}
";
    let shop = Shop::with(&[("src/Shop.cs", form)]);
    let text = shop.stdout(&["explore", "what happens when Shop.pay is clicked?"]);
    assert!(
        text.contains("\nShop.pay_Click  ") && text.contains(" Shop.Book "),
        "{text}"
    );
}

#[test]
fn keys_of_routers_lead_to_the_procedure() {
    let root = "import { documentRouter } from './documents';
export const appRouter = router({
  document: documentRouter,
});
";
    let documents = "import { sendRoute } from './send';
export const documentRouter = router({
  send: sendRoute,
  field: {
    send: procedure.mutation(() => paint()),
  },
});
function paint() {}
";
    let send = "export const sendRoute = procedure.mutation(async () => { await mail(); });\nasync function mail() {}\n";
    let client = "export const Send = () => [api.document.send.useMutation(), api.document.field.send.useMutation()];\n";
    let shop = Shop::with(&[
        ("web/app.ts", root),
        ("web/documents.ts", documents),
        ("web/send.ts", send),
        ("web/client.ts", client),
    ]);
    let text = shop.stdout(&["explore", "what serves api.document.send.useMutation?"]);
    assert!(text.contains("\nsendRoute  web/send.ts:1\n"), "{text}");
    assert!(text.contains(" mail "), "{text}");
    let text = shop.stdout(&[
        "explore",
        "what serves api.document.field.send.useMutation?",
    ]);
    assert!(
        text.contains("web/documents.ts:5") && text.contains(" paint "),
        "{text}"
    );
}

#[test]
fn a_string_leads_to_the_branches_and_objects_that_name_it() {
    let jobs = "const MAIL_ID = 'mail.sent';
export const MAIL = {
  name: MAIL_ID,
  run: async () => { await post(); },
};
async function post() {}
export function take(name: string) {
  switch (name) {
    case 'mail.read':
      open();
      break;
  }
}
function open() {}
";
    let shop = Shop::with(&[("web/jobs.ts", jobs)]);
    let text = shop.stdout(&["explore", "what happens when mail.sent is triggered?"]);
    assert!(text.contains(" post "), "{text}");
    let text = shop.stdout(&["explore", "what happens when mail.read is triggered?"]);
    assert!(text.contains(" 10   open();\n"), "{text}");
}

#[test]
fn what_an_unnamed_listener_stands_in_does_not_run() {
    let till = "export class Bus { on(name: string, f: () => void) {} emit(name: string) {} }
export function start(bus: Bus) {
  unrelated();
  bus.on('till:closed', () => { line(); });
}
function unrelated() {}
function line() {}
";
    let shop = Shop::with(&[("web/till.ts", till)]);
    let text = shop.stdout(&["explore", "what happens when 'till:closed' is emitted?"]);
    assert!(text.contains(" line "), "{text}");
    assert!(!text.contains(" unrelated "), "{text}");
}

#[test]
fn a_call_runs_the_member_itself_and_what_overrides_it_at_any_level() {
    let meters = "interface IMeter { void Tick(); void Stop(); }
abstract class Meter : IMeter { public virtual void Tick() { Log(); } public abstract void Stop(); void Log() {} }
class Slow : Meter { public override void Stop() {} }
class Fast : Slow { public override void Tick() {} public override void Stop() {} }
class Runner {
    void Run(Meter meter) { meter.Tick(); }
    void Halt(IMeter meter) { meter.Stop(); }
}
";
    let shop = Shop::with(&[("src/Meters.cs", meters)]);
    let text = shop.stdout(&["explore", "what happens in Runner.Run?"]);
    let entered = "Meter.Tick  src/Meters.cs:2 (overridden by Fast.Tick)\n    2 Meter.Log  ";
    assert!(text.contains(entered), "{text}");
    let text = shop.stdout(&["explore", "what happens in Runner.Halt?"]);
    assert!(
        text.contains("IMeter.Stop -> Slow.Stop, Fast.Stop\n"),
        "{text}"
    );
}

#[test]
fn how_one_symbol_gets_to_another_is_asked_in_many_ways() {
    let doors = "export function open() { turn(); }\nfunction turn() { push(); }\nexport function push() {}\n";
    let shop = Shop::with(&[("web/doors.ts", doors)]);
    for question in [
        "how does open() end up in push()?",
        "which way leads from open() to push()?",
        "does open() reach push()?",
    ] {
        let text = shop.stdout(&["explore", question]);
        assert!(
            text.contains("how open leads to push:\n"),
            "{question}: {text}"
        );
    }

    // A type and its member are not two ends of a path.
    let doors = "class Door { Open() {} }\nclass Gate : Door { }\n";
    let shop = Shop::with(&[("src/Door.cs", doors)]);
    let text = shop.stdout(&[
        "explore",
        "what inherits from Door and who calls Door.Open?",
    ]);
    assert!(text.contains(" Gate: class Gate : Door { }"), "{text}");
}

#[test]
fn a_route_is_asked_for_in_prose() {
    let routes = "declare const router: any;
router.post('/doors/open', () => { turn(); });
function turn() {}
";
    let shop = Shop::with(&[("web/routes.ts", routes)]);
    let question = "what does the server do when somebody POSTs to /doors/open?";
    let text = shop.stdout(&["explore", question]);
    assert!(
        text.contains(" turn  web/routes.ts:3") && !text.contains("no symbol"),
        "{text}"
    );
}

#[test]
fn a_string_is_read_through_its_constant() {
    let settings = "const KEY = 'DOOR_KEY';\nexport const key = () => process.env[KEY];\n";
    let shop = Shop::with(&[("web/settings.ts", settings)]);
    let text = shop.stdout(&["explore", "where is DOOR_KEY read?"]);
    let uses = "uses of constants, functions and properties that hold this string (1):\nweb/\n settings.ts\n  2 key: ";
    assert!(text.contains(uses), "{text}");
}

#[test]
fn a_module_is_named_without_its_ending() {
    let shop = Shop::with(&[
        ("web/tools/locks.ts", "export const lock = 1;\n"),
        ("web/door.ts", "import { lock } from './tools/locks';\n"),
    ]);
    let text = shop.stdout(&["explore", "who imports tools/locks?"]);
    assert!(
        text.contains("## file web/tools/locks.ts\n") && text.contains("door.ts\n"),
        "{text}"
    );
}

#[test]
fn calls_through_an_external_interface_may_be_of_what_implements_it() {
    let doors = "using System;
using System.Collections.Generic;
class Door {
    readonly List<IObserver<Door>> observers = new();
    void Opened() => observers.ForEach(o => o.OnNext(this));
}
class Bell : IObserver<Door> {
    public void OnNext(Door door) {}
    public void OnError(Exception e) {}
    public void OnCompleted() {}
}
class Chime : Bell { }
";
    let shop = Shop::with(&[("src/Door.cs", doors)]);
    let text = shop.stdout(&["explore", "who calls Bell.OnNext?"]);
    let through =
        "possibly, through dotnet:System.IObserver.OnNext (1):\nsrc/\n Door.cs\n  5 Door.Opened: ";
    assert!(text.contains(through), "{text}");
}

#[test]
fn only_a_program_has_entry_points() {
    let main = "class Program { static void Main() {} }\n";
    let backup = "class BackupJob { public void StartBackup() {} }\n";
    let shop = Shop::with(&[("src/Program.cs", main), ("src/BackupJob.cs", backup)]);
    let text = shop.stdout(&["explore", "how does a user start a backup?"]);
    assert!(
        text.contains("BackupJob.StartBackup") && !text.contains("entry points"),
        "{text}"
    );
    let text = shop.stdout(&["explore", "where does the server start?"]);
    assert!(text.contains("entry points outside of tests:\n"), "{text}");
}

#[test]
fn minified_code_does_not_match_the_words_of_a_sentence() {
    let filler = "var a=1;".repeat(60);
    let bundle = format!("function tq(){{\"retry failed payment later\";{filler}}}\n");
    let own = "export function later(): void {\n  // Retry the failed payment.\n}\n";
    let shop = Shop::with(&[("web/bundle.js", &bundle), ("web/payments.ts", own)]);
    let text = shop.stdout(&["explore", "where is a failed payment retried?"]);
    assert!(
        text.contains("function later") && !text.contains(" tq"),
        "{text}"
    );
}

#[test]
fn bases_outside_the_repository_are_named() {
    let code = "using System;\nreadonly struct ItemId : IComparable<ItemId>, IKey { public int CompareTo(ItemId other) => 0; }\ninterface IKey { }\n";
    let shop = Shop::with(&[("src/ItemId.cs", code)]);
    let text = shop.stdout(&["explore", "which interfaces does ItemId implement?"]);
    let bases = "bases: IKey  src/ItemId.cs:3, dotnet:System.IComparable\n";
    assert!(text.contains(bases), "{text}");
}

#[test]
fn many_symbols_of_one_name_are_listed_in_a_section() {
    let classes: String = (1..=12)
        .map(|number| format!("export class Part{number} {{ onInit() {{}} }}\n"))
        .collect();
    let shop = Shop::with(&[("web/parts.ts", &classes)]);
    let text = shop.stdout(&["explore", "which classes do something in onInit?"]);
    for number in 1..=12 {
        assert!(text.contains(&format!("Part{number}.onInit")), "{text}");
    }
}

#[test]
fn functions_that_are_passed_on_are_entered() {
    let code = "using System.Threading.Tasks;
public interface ITrash { bool Clear(); }
public class Trash : ITrash { public bool Clear() => Bin.Sweep(); }
public static class Bin { public static bool Sweep() => true; }
public class Action {
    ITrash trash = new Trash();
    public async Task Run() { Log(nameof(Bin.Sweep)); await Task.Run(trash.Clear); }
    void Log(string text) { Mode = Size == 1; }
    int Size => Bin.Sweep() ? 1 : 2;
    bool Mode { get => true; set { Save(value); } }
    void Save(bool mode) { }
}
";
    let shop = Shop::with(&[("src/Action.cs", code)]);
    let text = shop.stdout(&["explore", "what happens when Action.Run is called?"]);
    let flow = "Action.Run  src/Action.cs:7
  7 Action.Log(nameof(Bin.Sweep))  src/Action.cs:8
    8 sets Action.Mode  src/Action.cs:10
      10 Action.Save  src/Action.cs:11
  7 passes ITrash.Clear -> Trash.Clear  src/Action.cs:3
    3 Bin.Sweep  src/Action.cs:4
";
    assert!(text.contains(flow), "{text}");
}

#[test]
fn calls_of_what_is_not_installed_are_named_as_written() {
    let code = "import { Client } from 'generated';
export class Orders {
  constructor(private db: Client, private labels: string[]) {}
  async close(id: string) {
    const found = await this.db.order.findFirst({ where: { id } });
    this.check(found);
    const open = found.rows.map((row) => row.id);
    await this.db.order
      .update({ id, labels: this.labels.map((label) => label + open) })
      .returning(\"id\");
  }
  private check(order: unknown) {}
}
router.get('/orders', () => { audit.write('orders'); });
";
    let shop = Shop::with(&[("web/orders.ts", code)]);

    let text = shop.stdout(&["explore", "what happens when Orders.close is called?"]);
    let flow = "Orders.close  web/orders.ts:4
  5 this.db.order.findFirst (unknown target)
  6 Orders.check  web/orders.ts:12
  9 this.db.order.update(..).returning (unknown target)
";
    assert!(text.contains(flow), "{text}");
    let row = "target unknown: 5 this.db.order.findFirst, 9 this.db.order.update(..).returning and 1 more";
    assert!(text.contains(row), "{text}");

    let text = shop.stdout(&["explore", "web/orders.ts:14"]);
    assert!(text.contains("target unknown: 14 audit.write"), "{text}");
}

#[test]
fn chains_of_calls_requests_and_hosted_classes_are_steps() {
    let program = "using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
class Cleanup : BackgroundService { protected override void ExecuteAsync() { Sweep(); } void Sweep() { } }
class Program {
    static void Start(IServiceCollection services) { services.AddHostedService<Cleanup>(); }
}
";
    let carts = "export async function drop(table: any, carts: any, id: string) {
  await table(carts).where(id).delete();
  await fetch(id);
}
";
    let shop = Shop::with(&[("web/carts.ts", carts), ("src/Program.cs", program)]);
    let text = shop.stdout(&["explore", "what happens when drop is called?"]);
    assert!(
        text.contains("  2 table(carts).where(id).delete (unknown target)\n"),
        "{text}"
    );
    assert!(
        text.contains("  3 fetch (outside the repository)\n"),
        "{text}"
    );

    let text = shop.stdout(&["explore", "what happens in Program.Start?"]);
    let flow = "  5 services.AddHostedService<Cleanup> (outside the repository)
    later runs Cleanup.ExecuteAsync  src/Program.cs:3
      3 Cleanup.Sweep  src/Program.cs:3
";
    assert!(text.contains(flow), "{text}");
}

#[test]
fn a_procedure_runs_in_the_flow_of_the_component_that_calls_it() {
    let routes = "import { closeRoute } from './close';
export const carts = router({
  close: closeRoute,
  open: procedure.mutation(() => {
    save();
  }),
});
export function save() {}
";
    let close = "export const closeRoute = procedure.mutation(() => {
  log();
});
function log() {}
";
    let other = "export const closeRoute = 1;\n";
    let app = "import { carts } from './routes';
export const app = router({
  carts: carts,
});
export type App = typeof app;
";
    let dialog = "import { client } from './client';
export function Dialog() {
  const close = client.carts.close.useMutation();
  const open = client.carts.open.useMutation();
  return <button onClick={() => close()} />;
}
";
    let shop = Shop::with(&[
        ("web/routes.ts", routes),
        ("web/close.ts", close),
        ("web/other.ts", other),
        ("web/app.ts", app),
        ("web/dialog.tsx", dialog),
    ]);
    let text = shop.stdout(&["explore", "what happens in Dialog?"]);
    let flow = "Dialog  web/dialog.tsx:2
  3 client.carts.close.useMutation -> (matched by key names) closeRoute  web/close.ts:1
    1 procedure.mutation (unknown target)
    2 log  web/close.ts:4
  4 client.carts.open.useMutation -> (matched by key names) web/routes.ts:4
    5 save  web/routes.ts:8
";
    assert!(text.contains(flow), "{text}");
}
