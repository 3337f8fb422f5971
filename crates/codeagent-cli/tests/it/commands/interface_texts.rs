//! `codeagent explore`: questions in the words of a user interface.

use super::{Case, Shop, assert_answers};

#[test]
fn a_text_leads_to_its_place_its_key_and_its_handler() {
    assert_answers(CASES);
}

const ACCOUNT: &str = "import { Button } from './Button';
export function Account() {
  const remove = async () => {
    await send();
  };
  return (
    <form onSubmit={() => save()}>
      <h1>Account</h1>
      <Button kind=\"danger\" onClick={remove}>
        <b />
        Delete
        account
      </Button>
      <Button type=\"submit\">Save changes</Button>
    </form>
  );
}
function send() {}
function save() {}
";

const CART: &[(&str, &str)] = &[
    (
        "web/cart.html",
        "<form (ngSubmit)=\"pay()\">
  <div><button type=\"submit\"><b>Pay now</b></button></div>
</form>
<div>
  <div><div>Gift wrap</div><p>Paper and ribbon</p></div>
  <div><mat-toggle (change)=\"wrap($event)\" /></div>
</div>
",
    ),
    (
        "web/cart.ts",
        "@Component({ selector: 'cart', templateUrl: './cart.html' })
export class CartComponent {
  pay() { send(); }
  wrap(max: number) { throw new Error(`Too many gifts (${max} at most)`); }
}
function send() {}
",
    ),
];

const FORM: &[(&str, &str)] = &[
    (
        "web/settings.html",
        "<div><label>Days of logs</label><input formControlName=\"totalLogs\" /></div>
<p><a routerLink=\"/releases\">Releases</a></p>
",
    ),
    (
        "web/routes.ts",
        "class Releases {}
export const routes = [{ path: 'releases', component: Releases }];
",
    ),
    (
        "src/Cleanup.cs",
        "class Settings { public int TotalLogs { get; set; } }
class Cleanup {
    void Run(Settings settings) { Delete(settings.TotalLogs); }
    void Delete(int days) { }
}
",
    ),
];

const BUTTON: &str = "export function Button({ onClick, children }) {
  return <button onClick={onClick}>{children}</button>;
}
export function Close({ done }) {
  return <button onClick={done}>Close</button>;
}
export function Panel() {
  return <Close done={() => leave()} />;
}
function leave() {}
";

const MENU: &str = "export const menu = () => t('settings.delete.label');
export const items = [{ label: 'Export', run: () => write() }];
function write() {}
";

const TRANSLATIONS: &str = "{
  \"settings\": { \"delete\": { \"label\": \"Remove everything\" } }
}
";

const RESX: &str = "<root>
  <data name=\"RemoveAll\" xml:space=\"preserve\">
    <value>Remove everything</value>
  </data>
</root>
";

const PAGE: &str = "class Page {
  void Build() {
    Add(new Item(Strings.RemoveAll, Clear));
    var open = new Item(\"Open file\");
    open.Click += OnOpen;
  }
  void Clear() { Wipe(); }
  void OnOpen() { }
  void Wipe() { }
}
";

const WINDOW: &str = "<Window x:Class=\"Shop.Main\">
  <Button Content=\"_Pay now\" Click=\"OnPay\" />
  <Button Command=\"{Binding ClearCommand}\">
    <TextBlock Text=\"Empty cart\" />
  </Button>
</Window>
";

const BEHIND: &str = "namespace Shop;
partial class Main {
  void OnPay(object sender, object e) { Charge(); }
  void Charge() { }
}
class MainViewModel {
  public Command ClearCommand { get; }
  public MainViewModel() {
    ClearCommand = new Command(Clear);
  }
  void Clear() { }
}
";

const RAZOR: &str = "<h1>Billing</h1>
<button @onclick=\"Pay\">Pay now</button>
@code {
    private async Task Pay()
    {
        await Send();
    }
}
";

const CASES: &[Case] = &[
    Case {
        files: &[
            (
                "src/Pages.cs",
                "public class Page { public virtual string Title => \"\"; }\n[View(typeof(BinsView))]\npublic class BinsPage : Page {\n    public override string Title => Texts.Label_Bins;\n}\nclass Shell { Page First() => new BinsPage(); }\n",
            ),
            (
                "src/Texts.resx",
                "<root>\n  <data name=\"Label_Bins\">\n    <value>All bins</value>\n  </data>\n</root>\n",
            ),
        ],
        question: "which class is behind the \"All bins\" entry of the menu?",
        expected: &[
            "## public class BinsPage",
            "  6 Shell.First: class Shell { Page First() => new BinsPage(); }",
            "2 [View(typeof(BinsView))]",
        ],
    },
    Case {
        files: &[("web/Account.tsx", ACCOUNT), ("web/Button.tsx", BUTTON)],
        question: "what happens when the user clicks \"Delete account\"?",
        expected: &[
            "## text \"Delete account\" of the interface (1 place)",
            "11 Account <Button> in <form>: Delete",
            "9 onClick={remove}",
            "Account.remove  web/Account.tsx:3",
            "4 send  web/Account.tsx:18",
        ],
    },
    Case {
        files: &[("web/Account.tsx", ACCOUNT), ("web/Button.tsx", BUTTON)],
        question: "what does the save changes button do?",
        expected: &["7 onSubmit={() => save()}", "save  web/Account.tsx:19"],
    },
    Case {
        files: &[("web/Account.tsx", ACCOUNT), ("web/Button.tsx", BUTTON)],
        question: "which page has the heading Account?",
        expected: &["8 Account <h1> in <form>: <h1>Account</h1>"],
    },
    Case {
        files: &[(
            "web/Note.tsx",
            "export function Note() {\n  return <p>Mind the gap</p>;\n}\nexport const Page = () => <Note\n  isOpen={true}\n/>;\n",
        )],
        question: "which component shows the text \"Mind the gap\", and where?",
        expected: &[
            "Note is rendered at (1):",
            "4 Page: export const Page = () => <Note",
        ],
    },
    Case {
        files: &[("web/Button.tsx", BUTTON)],
        question: "what does the button \"Close\" do?",
        expected: &[
            "given by web/Button.tsx:8 done={() => leave()}",
            "leave  web/Button.tsx:10",
        ],
    },
    Case {
        files: &[("web/menu.ts", MENU), ("web/locales/en.json", TRANSLATIONS)],
        question: "where is the label Remove everything defined and who uses it?",
        expected: &[
            "settings.delete.label  web/locales/en.json:2",
            "1 menu: export const menu = () => t('settings.delete.label');",
        ],
    },
    Case {
        files: &[
            (
                "web/page.ts",
                "export const page = (code) => t(`errors.api.${code}`);\nexport {};\n",
            ),
            (
                "web/en.json",
                "{ \"errors.api.tooOld\": \"Stop: it is too old.\" }\n",
            ),
        ],
        question: "where does the text \"Stop: it is too old.\" come from?",
        expected: &[
            "errors.api.tooOld  web/en.json:1; no use by that name found\n",
            "code that computes keys with the same beginning (1):",
            "1 page: ",
        ],
    },
    Case {
        files: &[("web/menu.ts", MENU)],
        question: "what does the Export button do?",
        expected: &["2 run: () => write()", "write  web/menu.ts:3"],
    },
    Case {
        files: &[("src/Page.cs", PAGE), ("src/Strings.resx", RESX)],
        question: "what happens when the user clicks \"Remove everything\"?",
        expected: &[
            "RemoveAll  src/Strings.resx:3",
            "3 Page.Build: Add(new Item(Strings.RemoveAll, Clear));",
            "Page.Clear  src/Page.cs:7",
            "Page.Wipe  src/Page.cs:9",
        ],
    },
    Case {
        files: &[
            (
                "src/Page.cs",
                "class Page { string Warn(int n) => string.Format(Strings.Ask, n); }\n",
            ),
            (
                "src/Strings.resx",
                "<root><data name=\"Ask\">\n<value>Remove {0} carts, or none?</value></data></root>\n",
            ),
        ],
        question: "where does \"Remove 3 carts, or none?\" come from?",
        expected: &["Ask  src/Strings.resx:2", "1 Page.Warn: "],
    },
    Case {
        files: &[(
            "src/Page.cs",
            "class Page { string Warn() => \"Cannot pay, try again\"; }\n",
        )],
        question: "which code shows the error Cannot pay, try again?",
        expected: &[
            "## text \"Cannot pay try again\" of the interface (1 place)",
            "1 Page.Warn: ",
        ],
    },
    Case {
        files: &[("src/Page.cs", PAGE)],
        question: "what does the menu entry Open file do?",
        expected: &["5 open.Click += OnOpen;", "Page.OnOpen  src/Page.cs:8"],
    },
    Case {
        files: &[("src/Main.xaml", WINDOW), ("src/Main.xaml.cs", BEHIND)],
        question: "what happens when the user clicks \"Pay now\"?",
        expected: &[
            "2 Click=\"OnPay\"",
            "Main.OnPay  src/Main.xaml.cs:3",
            "Main.Charge",
        ],
    },
    Case {
        files: &[("src/Main.xaml", WINDOW), ("src/Main.xaml.cs", BEHIND)],
        question: "what does the button Empty cart do?",
        expected: &[
            "3 Command=\"{Binding ClearCommand}\"",
            "MainViewModel.Clear  src/Main.xaml.cs:11",
        ],
    },
    Case {
        files: &[("src/Pay.razor", RAZOR)],
        question: "what happens when the user clicks \"Pay now\"?",
        expected: &["2 @onclick=\"Pay\"", "4 private async Task Pay()"],
    },
    Case {
        files: FORM,
        question: "where is the setting \"Days of logs\" used on the server?",
        expected: &[
            "uses of properties named `totalLogs`, to which its control is bound (1):",
            "3 Cleanup.Run: ",
        ],
    },
    Case {
        files: FORM,
        question: "what does the link \"Releases\" show?",
        expected: &[
            "2 routerLink=\"/releases\"",
            "shows Releases  web/routes.ts:1",
        ],
    },
    Case {
        files: &[(
            "src/Guard.cs",
            "class Guard {
    public void Check(int count) {
        if (count > 3)
            Log.Warn(\"Too many tries by this user: {Count}\", count);
    }
}
class Login { void Run(Guard guard) { guard.Check(1); } }
",
        )],
        question: "what logs \"Too many tries by this user\", and when?",
        expected: &["if (count > 3)", "Guard.Check is called at (1):"],
    },
    Case {
        files: &[(
            "web/reset.ts",
            "const CONFIRM = 'RESET IT';
export function ask() { return show(CONFIRM); }
export {};
",
        )],
        question: "what happens when a user types the text \"RESET IT\"?",
        expected: &["CONFIRM is used at (1):", "2 ask: "],
    },
    Case {
        files: CART,
        question: "what does the \"Pay now\" button do?",
        expected: &["1 (ngSubmit)=\"pay()\"", "CartComponent.pay  web/cart.ts:3"],
    },
    Case {
        files: CART,
        question: "what happens when someone switches on \"Gift wrap\"?",
        expected: &[
            "<mat-toggle> beside it",
            "6 (change)=\"wrap($event)\"",
            "CartComponent.wrap  web/cart.ts:4",
        ],
    },
    Case {
        files: CART,
        question: "who says \"Too many gifts (3 at most)\"?",
        expected: &[
            "## text \"Too many gifts (3 at most)\" of the interface (1 place)",
            "4 CartComponent.wrap:",
        ],
    },
    Case {
        files: &[("web/Account.tsx", ACCOUNT)],
        question: "which component shows the text \"No such thing\"?",
        expected: &[
            "no text in source, markup, `.resx` or JSON equals \"No such thing\", and no element or resource",
        ],
    },
    Case {
        files: &[("src/Page.cs", PAGE)],
        question: "what does the menu entry \"Wipe\" do?",
        expected: &[
            "private method Page.Wipe",
            "files that Git ignores were not searched; the answer is about symbols",
        ],
    },
    Case {
        files: &[(
            "src/Main.xaml",
            "<Menu><Item Header=\"E_xit\" Click=\"OnExit\" /></Menu>\n",
        )],
        question: "what does the menu entry Exit do?",
        expected: &["1 <Item> in <Menu>: <Menu><Item Header=\"E_xit\""],
    },
];

#[test]
fn a_control_of_a_form_has_handlers_in_other_parts_of_its_class() {
    let designer = "partial class Till {\n    void InitializeComponent() {\n        this.payButton.Text = \"Pay now\";\n    }\n    private Button payButton;\n}\n";
    let form = "partial class Till : Form {\n    public Till() {\n        InitializeComponent();\n        payButton.Click += OnPay;\n    }\n    void OnPay(object sender, EventArgs e) { Charge(); }\n    void Charge() { }\n}\n";
    let shop = Shop::with(&[("src/Till.Designer.cs", designer), ("src/Till.cs", form)]);
    let text = shop.stdout(&["explore", "what happens when a user clicks \"Pay now\"?"]);
    let flow = "src/Till.cs:4 payButton.Click += OnPay;\n  Till.OnPay  src/Till.cs:6\n    6 Till.Charge  src/Till.cs:7\n";
    assert!(text.contains(flow), "{text}");
}
