//! Answers about what happens: flows of events, messages, constants and strings.

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
