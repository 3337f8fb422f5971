//! Diagrams of `path`, `impact` and `overview`, and the report.

use super::Shop;

#[test]
fn impact_draws_the_users_of_a_symbol() {
    let shop = Shop::indexed();
    let drawn = shop.stdout(&["impact", "PriceCalculator.Price", "--format", "mermaid"]);
    assert!(drawn.starts_with("flowchart LR\n"), "{drawn}");
    assert!(drawn.contains("n0[\"PriceCalculator.Price<br/>"), "{drawn}");
    assert!(drawn.contains("    n1 -->|\"calls\"| n0\n"), "{drawn}");

    let drawn = shop.stdout(&["impact", "IDiscount.Apply", "--format", "dot"]);
    assert!(drawn.starts_with("digraph codeagent {\n"), "{drawn}");
    assert!(drawn.contains("[label=\"overrides\"]") || drawn.contains("[label=\"implements\"]"));
}

#[test]
fn an_overview_of_one_project_draws_its_folders() {
    let shop = Shop::indexed();
    let drawn = shop.stdout(&["overview", "src", "--format", "mermaid"]);
    assert!(drawn.contains("[\"src/Shop.Domain<br/>"), "{drawn}");
    let projects = shop.stdout(&["overview", "--format", "mermaid"]);
    assert!(projects.contains("[\"Shop.Domain\"]"), "{projects}");
}

#[test]
fn a_missing_path_or_symbol_is_said() {
    let shop = Shop::indexed();
    let done = shop.run(&["path", "Button", "PriceCalculator.Price", "--format", "dot"]);
    let notes = String::from_utf8(done.stderr).unwrap();
    assert!(notes.contains("there is no path between"), "{notes}");
    let done = shop.run(&["impact", "Nope", "--format", "dot"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(done.stdout.is_empty());
}

#[test]
fn a_diagram_is_not_json() {
    let done = Shop::indexed().run(&["overview", "--format", "dot", "--json"]);
    assert_eq!(done.status.code(), Some(2));
}

// Windows has no such file names.
#[cfg(unix)]
#[test]
fn a_report_is_one_file_in_which_names_are_text() {
    let shop = Shop::new();
    let hostile = "export class Bad { '<img src=x onerror=alert(1)>'() {} }\n";
    std::fs::write(shop.root.path().join("web/bad.ts"), hostile).unwrap();
    std::fs::write(shop.root.path().join("web/<b>.cs"), "class {{{ )").unwrap();
    assert_eq!(shop.run(&["index"]).status.code(), Some(0));

    let page = shop.root.path().join("report.html");
    shop.stdout(&["report", "--html", page.to_str().unwrap()]);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("What was understood") && page.contains("web/&lt;b&gt;.cs"));
    for unwanted in ["<script", "<img", "<b>", "http://", "https://"] {
        assert!(!page.contains(unwanted), "{unwanted}");
    }

    let done = shop.run(&["report", "--html", "r.html", "--base", "HEAD"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&done.stderr).contains("git"));
}
