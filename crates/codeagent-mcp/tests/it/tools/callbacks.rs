//! Code in anonymous callbacks: callers name the callback, and a location inside one stands for the
//! callback alone.

use serde_json::{Value, json};

use crate::tools::support::Session;

const ROUTES: &str = "import { archive, restore, log } from './documents';
declare const router: any;
declare function auth(): any;

router.post(
  'documents.archive',
  auth(),
  async (ctx: any) => {
    archive();
    [1].forEach(() => log());
  }
);
router.post('documents.restore', async (ctx: any) => {
  restore();
});
";

const DOCUMENTS: &str = "export function archive() {}
export function restore() {}
export function log() {}
";

const TESTS: &str = "import { archive } from './documents';
declare const describe: any, it: any;
describe('#archive', () => {
  it('removes the document', () => {
    archive();
  });
  function helper() {
    archive();
  }
  helper();
});
";

async fn session() -> Session {
    Session::indexed(&[
        ("routes.ts", ROUTES.as_bytes()),
        ("documents.ts", DOCUMENTS.as_bytes()),
        ("documents.test.ts", TESTS.as_bytes()),
    ])
    .await
}

/// Returns the callback of each site of each row, with its line.
fn callbacks(answer: &Value) -> Vec<(u64, String)> {
    let rows = answer["results"].as_array().unwrap();
    let sites = rows
        .iter()
        .flat_map(|row| row["call_sites"].as_array().unwrap());
    sites
        .map(|site| {
            let callback = site["callback"].as_str().unwrap_or_default();
            (site["line"].as_u64().unwrap(), callback.to_owned())
        })
        .collect()
}

#[tokio::test]
async fn sites_name_the_callback_around_them() {
    let session = session().await;
    let callers = session
        .structured("get_callers", json!({ "node_id": "archive" }))
        .await;
    assert_eq!(
        callbacks(&callers),
        [
            (5, "it \"removes the document\"".to_owned()),
            (8, String::new()),
            (9, "router.post \"documents.archive\"".to_owned()),
        ],
        "{callers}"
    );

    let log = session
        .structured("get_callers", json!({ "node_id": "log" }))
        .await;
    assert_eq!(
        callbacks(&log),
        [(10, "router.post \"documents.archive\"".to_owned())],
        "a callback without a string belongs to the one around it"
    );
}

#[tokio::test]
async fn a_location_in_a_callback_selects_the_callback_alone() {
    let session = session().await;
    let names = |answer: &Value| -> Vec<String> {
        let rows = answer["results"].as_array().unwrap();
        rows.iter()
            .map(|row| row["name"].as_str().unwrap().to_owned())
            .collect()
    };

    for (line, expected) in [(9, vec!["auth", "archive", "log"]), (14, vec!["restore"])] {
        let callees = session
            .structured(
                "get_callees",
                json!({ "node_id": format!("routes.ts:{line}") }),
            )
            .await;
        assert_eq!(names(&callees), expected, "{line}: {callees}");
        let note = callees["note"].as_str().unwrap();
        assert!(note.contains("router.post \"documents."), "{note}");
    }

    let whole = session
        .structured("get_callees", json!({ "node_id": "routes.ts" }))
        .await;
    assert_eq!(names(&whole), ["auth", "archive", "log", "restore"]);

    let helper = session
        .structured("get_callees", json!({ "node_id": "documents.test.ts:8" }))
        .await;
    assert_eq!(names(&helper), ["archive"]);
    assert!(
        helper["note"].is_null(),
        "a named function is nearer: {helper}"
    );
}
