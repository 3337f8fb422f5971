//! Which rules of the linkers can be switched off without a test noticing?
//!
//! **Limits.** Counts the branches so far.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use syn::visit::{self, Visit};

/// Switches the rules of the linkers off, one by one, and runs the rule tests on each.
#[derive(clap::Args)]
pub struct Options {}

/// Counts the branches of `resolve`.
///
/// # Errors
///
/// A source that cannot be read or parsed.
pub fn run(_: &Options) -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut branches = Branches::default();
    count(&root.join("crates/codeagent-core/src/resolve"), &mut branches)?;
    println!("{} branches", branches.0);
    Ok(())
}

#[derive(Default)]
struct Branches(usize);

impl Visit<'_> for Branches {
    fn visit_expr_if(&mut self, node: &syn::ExprIf) {
        self.0 += 1;
        visit::visit_expr_if(self, node);
    }
}

fn count(folder: &Path, branches: &mut Branches) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            count(&path, branches)?;
        } else {
            let file = syn::parse_file(&fs::read_to_string(&path)?).with_context(|| path.display().to_string())?;
            branches.visit_file(&file);
        }
    }
    Ok(())
}
