//! `codeagent explore`: everything of a kind.

use super::Shop;

#[test]
fn a_kind_may_begin_with_an_acronym() {
    let code = "class Page { public string URL; }\nclass Row { public string URL; }\nabstract class URLShortener { }\nclass BitURLShortener : URLShortener { }\nclass OwnURLShortener : URLShortener { }\n";
    let shop = Shop::with(&[("src/Shorten.cs", code)]);
    let text = shop.stdout(&["explore", "which URL shorteners exist?"]);
    assert!(
        text.contains("BitURLShortener") && text.contains("OwnURLShortener"),
        "{text}"
    );
}

#[test]
fn kinds_of_types_are_what_they_are_kinds_of() {
    let faults =
        "export class DoorFault {}\nexport class GateFault {}\nexport class TillFault {}\n";
    let shop = Shop::with(&[("web/faults.ts", faults)]);
    let text = shop.stdout(&["explore", "which fault classes exist?"]);
    assert!(text.contains("symbols named like `fault` (3)"), "{text}");
}

#[test]
fn kinds_are_below_base_types_and_types_outside_the_repository() {
    let queues = "export abstract class QueueBaseService {}\nexport class MailQueueService extends QueueBaseService {}\nexport class PickQueueService extends QueueBaseService {}\nexport class TillQueueService extends QueueBaseService {}\n";
    let errors = "export class Refused extends Error {}\nexport class DoorRefused extends Refused {}\nexport function showError() {}\n";
    let icons = "export declare const MdQueue: any;\nexport declare const MdAddQueue: any;\nexport declare const MdPlayQueue: any;\n";
    let shop = Shop::with(&[
        ("web/queues.ts", queues),
        ("web/errors.ts", errors),
        ("web/page.ts", "export function Error() {}\n"),
        ("web/icons.d.ts", icons),
    ]);

    let text = shop.stdout(&["explore", "which queues exist?"]);
    assert!(
        text.contains("MailQueueService") && text.contains("TillQueueService"),
        "{text}"
    );
    assert!(!text.contains("MdQueue"), "{text}");

    let text = shop.stdout(&["explore", "which errors exist?"]);
    assert!(
        text.contains("class Refused ") && text.contains("class DoorRefused "),
        "{text}"
    );
    assert!(!text.contains("showError"), "{text}");

    let text = shop.stdout(&["explore", "what extends Error?"]);
    assert!(text.starts_with("## lib:Error"), "{text}");
    assert!(text.contains("Refused"), "{text}");
}

#[test]
fn a_kind_may_be_a_type_that_values_have() {
    let code = "export type MailSender = () => void;\nexport const post: MailSender = () => {};\nexport const pigeon: MailSender = () => {};\n";
    let shop = Shop::with(&[("web/senders.ts", code)]);
    let text = shop.stdout(&["explore", "which mail senders exist?"]);
    assert!(text.contains("pigeon") && text.contains("post"), "{text}");
}

#[test]
fn a_kind_may_be_the_files_of_a_folder() {
    let shop = Shop::with(&[
        ("server/chores/sweep.js", "module.exports = () => 1;\n"),
        ("server/chores/wash.js", "module.exports = () => 1;\n"),
        ("server/chores/iron.js", "module.exports = () => 1;\n"),
        ("server/index.js", "require('./chores/iron')();\n"),
        (
            "package.json",
            "{ \"scripts\": { \"start\": \"node server\" } }\n",
        ),
    ]);
    let text = shop.stdout(&["explore", "which chores exist?"]);
    assert!(
        text.contains("server/chores/sweep.js") && text.contains("server/chores/wash.js"),
        "{text}"
    );
    let text = shop.stdout(&["explore", "where does the server start?"]);
    assert!(
        text.contains("package.json: server/index.js (scripts)"),
        "{text}"
    );
}

#[test]
fn words_before_a_kind_select_of_it() {
    let code = "export class DoorProvider {}\nexport class GateProvider {}\nexport class WallProvider {}\n";
    let mail = "export class PostProvider {}\n";
    let shop = Shop::with(&[("web/providers.ts", code), ("web/mails/post.ts", mail)]);
    let text = shop.stdout(&["explore", "which mail providers are there?"]);
    assert!(
        text.starts_with(
            "each `provider` with `mail` in its name or path:\nsymbols named like `provider` (1):\n class PostProvider"
        ),
        "{text}"
    );
    let text = shop.stdout(&["explore", "which gate providers do we have in web?"]);
    assert!(
        text.contains("GateProvider") && !text.contains("DoorProvider"),
        "{text}"
    );
    let text = shop.stdout(&["explore", "which sea providers are defined here?"]);
    assert!(
        text.starts_with("no `provider` is known with `sea` in its name or path; others:")
            && text.contains("DoorProvider"),
        "{text}"
    );
    let text = shop.stdout(&["explore", "list the providers in mails"]);
    assert!(
        text.contains("PostProvider") && !text.contains("DoorProvider"),
        "{text}"
    );
}

#[test]
fn a_kind_may_be_a_decorator_or_an_attribute() {
    let web = "import { Chore } from 'chores';\nexport class House {\n  @Chore({ name: 'wash' })\n  wash() {}\n  dry() { Chore({}); }\n  all() { return [Chore]; }\n}\n";
    let code = "class ErrandAttribute : System.Attribute {}\nclass Shop { [Errand] void Buy() {} void Look() { new ErrandAttribute(); } }\n";
    let shop = Shop::with(&[("web/house.ts", web), ("src/Shop.cs", code)]);
    let text = shop.stdout(&["explore", "which chores exist?"]);
    assert!(
        text.starts_with("with an attribute or decorator of that name (1):\n method House.wash"),
        "{text}"
    );
    let text = shop.stdout(&["explore", "which errands exist?"]);
    assert!(
        text.contains("method Shop.Buy") && !text.contains("Shop.Look"),
        "{text}"
    );
}

#[test]
fn a_type_inherits_not_its_primary_constructor() {
    let code = "using System;\nclass LateFault(string door) : Exception(door);\n";
    let shop = Shop::with(&[("src/Faults.cs", code)]);
    let text = shop.stdout(&["explore", "what extends Exception?"]);
    assert!(text.contains("  2 LateFault: class LateFault"), "{text}");
}

#[test]
fn routes_and_hooks_are_kinds() {
    let server = "import express from 'express';\nconst app = express();\napp.get('/doors', list);\nfunction list() {}\n";
    let hooks = "export function useDoor() {}\nexport function useWall() {}\nexport const useGate = () => 1;\nexport function used() {}\n";
    let shop = Shop::with(&[
        ("server/app.ts", server),
        (
            "web/src/app/api/walls/[id]/route.ts",
            "export async function GET() {}\n",
        ),
        ("web/src/app/walls/page.tsx", "export default () => null;\n"),
        ("web/hooks.ts", hooks),
    ]);
    let text = shop.stdout(&["explore", "which API endpoints are there?"]);
    assert!(
        text.contains(" route GET /doors at server/app.ts:3: list")
            && text.contains("/api/walls/*  web/src/app/api/walls/[id]/route.ts")
            && !text.contains("page.tsx"),
        "{text}"
    );
    let text = shop.stdout(&["explore", "which routes exist in server?"]);
    assert!(text.contains("/doors") && !text.contains("walls"), "{text}");
    let text = shop.stdout(&["explore", "which custom hooks do we have?"]);
    assert!(
        text.contains("useDoor") && text.contains("useGate") && !text.contains("used "),
        "{text}"
    );
}

#[test]
fn a_kind_ends_with_a_word_for_types_or_is_named_in_the_plural() {
    let code = "export class Gate {}\nexport class GateType {}\nexport class Big extends GateType {}\nexport class Small extends GateType {}\nexport class WallPaths {}\nexport class DoorPaths {}\nexport class RoofPaths {}\n";
    let shop = Shop::with(&[("Shop.Web/gates.ts", code)]);
    let text = shop.stdout(&["explore", "which gate types does Shop.Web have?"]);
    assert!(
        text.starts_with(
            "each `gate type` in a folder `Shop.Web`:\nimplementing or deriving (2):\n class Big"
        ),
        "{text}"
    );
    let text = shop.stdout(&["explore", "which paths exist?"]);
    assert!(text.contains(" class DoorPaths"), "{text}");
}

#[test]
fn a_type_named_like_a_folder_is_a_type() {
    let code = "class Cart { public static bool operator !(Cart cart) => false; }\nclass AddOperator {}\nclass SubOperator {}\nclass MulOperator {}\n";
    let shop = Shop::with(&[
        ("src/Cart.cs", code),
        ("tests/Cart/CartTests.cs", "class CartTests {}\n"),
    ]);
    let text = shop.stdout(&["explore", "what operators does Cart have?"]);
    assert!(text.contains("operator !(Cart cart)"), "{text}");
}

#[test]
fn what_frameworks_know_by_a_line_is_listed_with_its_line() {
    let jobs =
        "export class Jobs {\n  // @Cron('0 0 * * *')\n  @Cron('0 5 * * *')\n  sweep() {}\n}\n";
    let options = "class Options\n{\n    [Option('p', \"Port\", HelpText = \"Web server port\")]\n    public int Port { get; set; }\n}\n";
    let shop = Shop::with(&[
        ("server/jobs.ts", jobs),
        ("web/timer.ts", "setInterval(() => {}, 5);\n"),
        ("src/Options.cs", options),
        ("schema.prisma", "model Till {\n  id Int\n}\n"),
    ]);

    let text = shop.stdout(&["explore", "What jobs run on a schedule in the server?"]);
    let lines = "lines that put work on a schedule (1):\nserver/\n jobs.ts\n  3 Jobs.sweep: @Cron";
    assert!(text.starts_with(lines), "{text}");
    let text = shop.stdout(&["explore", "what is put on a schedule?"]);
    assert!(text.contains("setInterval"), "{text}");

    let question = "Which command line switches does it understand?";
    let text = shop.stdout(&["explore", question]);
    assert!(text.contains("Options.Port: [Option('p'"), "{text}");
    let text = shop.stdout(&["explore", "which database tables are there?"]);
    assert!(
        text.contains("database (1):\n./\n schema.prisma\n  1 model Till"),
        "{text}"
    );
}

#[test]
fn lines_of_frameworks_that_are_not_read_are_counted() {
    let reads = "call(process.env.DOOR);\n".repeat(200);
    let names: Vec<String> = (0..11).map(|file| format!("web/file{file}.ts")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (&**name, &*reads)).collect();
    let shop = Shop::with(&files);
    let text = shop.stdout(&["explore", "which environment variables are read?"]);
    assert!(
        text.contains("200 more lines match and were not read; name a folder"),
        "{text}"
    );
}
