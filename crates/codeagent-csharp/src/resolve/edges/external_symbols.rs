//! The external symbols that a file uses: members and types of libraries, by package and
//! documentation-comment id.
//!
//! Limitations: a type that no library declares has no symbol, because its namespace is unknown.

use std::sync::Arc;

use codeagent_lang::query::memo::MemoTable;
use codeagent_lang::{DeclRef, ExternalUse};
use codeagent_model::external::{ExternalSymbol, PackageManager};
use codeagent_model::facts::Site;
use codeagent_model::graph::EdgeType;

use crate::project::nuget::package_name;
use crate::resolve::edges::SiteResolver;
use crate::resolve::expressions::calls::CallResult;
use crate::stdlib::comment_ids::comment_id;
use crate::stdlib::{DOTNET_PREFIX, FILE_SEPARATOR};

/// The symbols of the declarations used so far; `None` for one without a name.
pub type ExternalSymbols = MemoTable<DeclRef, Option<Arc<ExternalSymbol>>>;

/// The prefix of paths in the user's NuGet folder.
const NUGET_PREFIX: &str = "nuget://";

impl SiteResolver<'_> {
    /// Returns the use of a library's member by a call.
    pub(super) fn external_call(&self, site: &Site, result: &CallResult) -> Option<ExternalUse> {
        let used = self.external_use(site, EdgeType::Calls, result.external?)?;
        Some(ExternalUse {
            confidence: result.confidence(),
            ..used
        })
    }

    /// Returns the use of a library's declaration at a site.
    pub(super) fn external_use(
        &self,
        site: &Site,
        edge_type: EdgeType,
        decl: DeclRef,
    ) -> Option<ExternalUse> {
        let symbol = self.external.get_or_insert_with(decl, || {
            let (manager, package) = package_of(self.path(decl.file))?;
            let descriptor = comment_id(self.facts(decl.file), decl.decl)?;
            Some(Arc::new(ExternalSymbol {
                manager,
                package: package.into(),
                descriptor: descriptor.into(),
            }))
        })?;
        Some(ExternalUse::of_site(site, edge_type, symbol))
    }

    /// Returns the symbol of a declaration in an interface pack.
    pub(super) fn packed_symbol(&self, decl: DeclRef) -> Option<Arc<ExternalSymbol>> {
        self.external.get_or_insert_with(decl, || {
            Some(Arc::new(ExternalSymbol {
                manager: PackageManager::NuGet,
                package: (&**self.package_of(decl.file)?).into(),
                descriptor: self.packed_id(decl)?.into(),
            }))
        })
    }
}

/// Returns the package of a library file, from its path: `dotnet:System.String`,
/// `nuget://dapper/2.1.0/lib/net8.0/Dapper.dll#Dapper.SqlMapper`, `lib/Own.dll#Own.Type`.
fn package_of(path: &str) -> Option<(PackageManager, &str)> {
    if path.starts_with(DOTNET_PREFIX) {
        return Some((PackageManager::DotNet, ""));
    }

    let (file, _) = path.rsplit_once(FILE_SEPARATOR)?;
    let name = file.rsplit('/').next()?;
    let assembly = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let Some(inside) = file.strip_prefix(NUGET_PREFIX) else {
        return Some((PackageManager::Assembly, assembly));
    };

    let folder = inside.split('/').next()?;
    Some((PackageManager::NuGet, package_name(folder, assembly)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_file_names_its_package() {
        for (path, expected) in [
            ("dotnet:System.String", Some((PackageManager::DotNet, ""))),
            (
                "nuget://dapper/2.1.0/lib/net8.0/Dapper.dll#Dapper.SqlMapper",
                Some((PackageManager::NuGet, "Dapper")),
            ),
            (
                "nuget://serilog.sinks.file/5.0.0/lib/net6.0/Other.dll#A",
                Some((PackageManager::NuGet, "serilog.sinks.file")),
            ),
            (
                "lib/Own.dll#Own.Type",
                Some((PackageManager::Assembly, "Own")),
            ),
            ("a.cs", None),
        ] {
            assert_eq!(package_of(path), expected, "{path}");
        }
    }
}
