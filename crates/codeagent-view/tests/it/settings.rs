//! Access to the page, and the limits of its scripts.

use crate::server::Server;

#[test]
fn the_page_loads_nothing_but_its_own_files() {
    let server = Server::of_shop();
    let page = server.get("/");
    assert_eq!(page.status, 200);
    for header in [
        "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; \
         connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'\r\n",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "cache-control: no-store",
        "content-type: text/html; charset=utf-8",
    ] {
        assert!(page.head.contains(header.trim_end()), "{}", page.head);
    }
    assert!(!page.body.contains("http:") && !page.body.contains("https:"));
    assert!(!page.body.contains("<script>"), "no inline script");

    let script = server.get("/app.js");
    assert!(script.head.contains("text/javascript") && script.body.len() > 50_000);
    assert!(server.get("/style.css").head.contains("text/css"));
    assert_eq!(server.get("/page/../Cargo.toml").status, 404);
    assert_eq!(server.get("/api/nothing").status, 404);
}

#[test]
fn a_wrong_token_host_or_origin_is_refused_with_the_same_headers() {
    let server = Server::of_shop();
    let wrong = format!("/{}/", "0".repeat(64));
    for (path, headers, expected) in [
        ("/", &[][..], 401),
        (wrong.as_str(), &[], 401),
        ("/api/status", &[], 401),
        ("/app.js", &[], 401),
        (&wrong, &[("Host", "evil.example")], 403),
        (&wrong, &[("Origin", "http://evil.example")], 403),
    ] {
        let reply = server.send(path, headers);
        assert_eq!(reply.status, expected, "{path} {headers:?}");
        assert!(reply.head.contains("content-security-policy"), "{path}");
    }
    for headers in [
        ("Host", "evil.example"),
        ("Origin", "http://evil.example"),
        ("Origin", "null"),
    ] {
        let base = server.address_path();
        assert_eq!(server.send(&base, &[headers]).status, 403, "{headers:?}");
    }
}

#[test]
fn every_run_has_its_own_token() {
    let (first, second) = (Server::of_shop(), Server::of_shop());
    assert_ne!(first.address_path(), second.address_path());
    assert_eq!(second.send(&first.address_path(), &[]).status, 401);
}
