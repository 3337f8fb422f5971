//! Lists of places: headings or whole lines, short or long names, trees, links.

use std::process::Command;

use expect_test::expect;

use super::Shop;

#[test]
fn files_are_headings_on_a_terminal() {
    let shop = Shop::indexed();
    expect![[r#"
        src/Shop.Api/Endpoints/OrdersEndpoint.cs
        28:36: OrdersEndpoint.Handle: return Show(order, service.Place(order));
    "#]]
    .assert_eq(&shop.stdout(&["callers", "IOrderService.Place", "--heading"]));
    expect![[r#"
        method Order.Place(): void  src/Shop.Domain/Order.Status.cs:14
        method OrderService.Place(Order order): Receipt  src/Shop.Services/OrderService.cs:31
    "#]]
    .assert_eq(&shop.stdout(&["search", "--limit", "2", "place order", "--heading"]));
    let both = shop.stdout(&[
        "callers",
        "IOrderService.Place",
        "--heading",
        "--no-heading",
    ]);
    assert_eq!(both, shop.stdout(&["callers", "IOrderService.Place"]));
}

#[test]
fn every_line_begins_with_its_place_in_a_pipe() {
    let shop = Shop::indexed();
    for arguments in [
        &["callers", "IOrderService.Place"][..],
        &["callees", "OrderService.Place"],
        &["references", "Order"],
        &["dependents", "Order"],
        &["dependencies", "OrderService", "--type", "contains"],
        &["search", "order"],
        &["lookup", "OrderService"],
    ] {
        let text = shop.stdout(arguments);
        // Several symbols of a name have headings.
        let is_heading = |line: &&str| {
            line.is_empty() || line.ends_with(" results") || line.ends_with(" result")
        };
        for line in text.lines().filter(|line| !is_heading(line)) {
            let mut parts = line.splitn(3, ':');
            let (path, number) = (parts.next().unwrap(), parts.next().unwrap());
            assert!(
                shop.root.path().join(path).is_file() && number.parse::<u32>().is_ok(),
                "{arguments:?}: {line}"
            );
        }
    }
}

#[test]
fn names_are_short_unless_long_ones_are_requested() {
    let shop = Shop::indexed();
    let short = shop.stdout(&["callers", "PriceCalculator.Price"]);
    assert!(short.contains(": OrderService.Place: "), "{short}");
    let long = shop.stdout(&["callers", "PriceCalculator.Price", "--long"]);
    assert!(
        long.contains(": Shop.Services.OrderService.Place: "),
        "{long}"
    );
    let long = shop.stdout(&["search", "--long", "OrdersApi"]);
    assert!(
        long.contains("web/packages/client/src/orders.ts#OrdersApi"),
        "{long}"
    );
}

#[test]
fn deeper_callers_are_printed_as_a_tree() {
    let shop = Shop::indexed();
    expect![[r#"
        OrderService.Place  src/Shop.Services/OrderService.cs:34:15: order.Place();
          OrderService.PlaceAsync  src/Shop.Services/OrderService.cs:42:16: return Place(order);
    "#]]
    .assert_eq(&shop.stdout(&["callers", "Order.Place", "--tree", "--depth", "2"]));
    expect![[r#"
        src/Shop.Domain/Discounts/BulkDiscount.cs:3:44: implements BulkDiscount: public class BulkDiscount(int threshold) : IDiscount
        src/Shop.Domain/Discounts/LevelDiscount.cs:3:30: implements LevelDiscount: public class LevelDiscount : IDiscount
    "#]].assert_eq(&shop.stdout(&["implementations", "IDiscount"]));
}

#[test]
fn places_that_are_not_printed_are_counted() {
    let shop = Shop::indexed();
    let output = shop.run(&["references", "Order", "--sites", "1"]);
    let printed = String::from_utf8(output.stderr).unwrap();
    assert!(printed.contains("more location"), "{printed}");
    assert!(printed.contains("(--sites "), "{printed}");
}

#[test]
fn locations_link_where_that_is_asked_for() {
    let shop = Shop::indexed();
    let run = |arguments: &[&str]| {
        let mut command: Command = shop.command(&[&["callers", "Order.Place"], arguments].concat());
        let output = command.env("CLICOLOR_FORCE", "1").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(!run(&[]).contains("\u{1b}]8;"), "not in a pipe");
    let linked = run(&["--hyperlink-format", "vscode"]);
    assert!(
        linked.contains("\u{1b}]8;;vscode://file/") && linked.contains("OrderService.cs:34:15"),
        "{linked}"
    );
    let (code, message) = shop.failure(&["callers", "Place", "--hyperlink-format", "emacs"]);
    assert!(code == 2 && message.contains("vscode"), "{message}");
}

#[test]
fn environment_variables_are_listed_by_name_also_those_read_through_a_function() {
    let env = "export const env = (name: string) => process.env[name];
export function required(name: string, hint: string) {
  const value = env(name);
  return value ?? hint;
}
";
    let server = "import { env, required } from './env';
const { HOST, PORT: port = 80 } = process.env;
export const url = env('BASE_URL') ?? process.env.HOST;
export const key = required('API_KEY', 'none');
export const nobody = required('nobody', 'none');
";
    let shop = Shop::with(&[
        ("web/env.ts", env),
        ("web/server.ts", server),
        (
            "src/Settings.cs",
            "class Settings { string Home = System.Environment.GetEnvironmentVariable(\"HOME\"); }",
        ),
    ]);
    let text = shop.stdout(&["explore", "which environment variables are read?"]);
    let expected = "environment variables (5):
 API_KEY  web/server.ts:4
 BASE_URL  web/server.ts:3
 HOME  src/Settings.cs:1
 HOST  web/server.ts:2,3
 PORT  web/server.ts:2
reads of variables whose name is computed (1):
web/
 env.ts
  1 env: ";
    assert!(text.starts_with(expected), "{text}");
}
