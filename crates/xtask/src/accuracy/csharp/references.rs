//! Compares our references to types with the C# compiler's.

use std::collections::{HashMap, HashSet};

use crate::accuracy::csharp::declarations::CsharpGold;
use crate::accuracy::score::{Scored, Tables};
use crate::accuracy::tables::{Declared, Site, Table};

pub fn score(gold: &CsharpGold<'_>, actual: &Tables<'_>, tables: &Tables<'_>) -> Scored {
    let uses = type_uses(gold, tables.table("refs"));
    let mut score = Scored::new("references to types");
    let mut found = HashSet::new();

    for row in actual.table("refs").rows() {
        let (site, declared) = (row.site(), row.declared("decl"));
        let Some(type_use) = uses.get(&site).filter(|_| !found.contains(&site)) else {
            continue;
        };

        let whole = find_type(gold, &declared);
        match type_use {
            TypeUse::Unresolved => {}
            TypeUse::Repo(target) if whole == Some(gold.symbols[*target].whole) => {
                found.insert(site);
                score.right(row.text("confidence"));
            }
            TypeUse::Repo(_) | TypeUse::External => {
                let expected = match type_use {
                    TypeUse::Repo(target) => gold.show(*target),
                    _ => "outside".to_owned(),
                };
                let (site, declared) = (site.to_string(), declared.to_string());
                score.wrong(row.text("confidence"), &site, &declared, &expected);
            }
        }
    }

    for (site, type_use) in &uses {
        if let TypeUse::Repo(target) = type_use {
            let (is_found, expected) = (found.contains(site), gold.show(*target));
            score.expect(is_found, &site.to_string(), "nothing", &expected);
        }
    }

    score
}

/// What the compiler says of a use of a type.
enum TypeUse {
    /// The number of the declaration.
    Repo(usize),
    External,
    /// Not bound, so not compared.
    Unresolved,
}

fn type_uses<'t>(gold: &CsharpGold<'_>, table: &Table<'t>) -> HashMap<Site<'t>, TypeUse> {
    let mut uses = HashMap::new();
    for row in table.rows().filter(|row| gold.covers(row.text("file"))) {
        let type_use = match row.text("status") {
            "repo" => TypeUse::Repo(row.number("decl_sid")),
            "unres" => TypeUse::Unresolved,
            _ => TypeUse::External,
        };
        uses.insert(row.site(), type_use);
    }

    uses
}

/// Returns the first part of the type that a row refers to: `new C()` may be recorded as a use of C
/// or of its constructor.
fn find_type(gold: &CsharpGold<'_>, declared: &Declared<'_>) -> Option<usize> {
    let id = gold.find(declared)?;
    let symbol = &gold.symbols[id];
    if symbol.kind == "constructor" {
        Some(gold.symbols[symbol.parent].whole)
    } else {
        Some(symbol.whole)
    }
}
