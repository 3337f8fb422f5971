//! Packs external declarations into blobs: .NET assemblies (ECMA-335 metadata), TypeScript's
//! libraries ([`declarations`]) and npm packages ([`packages`]).
//!
//! `codeagent_csharp::stdlib::metadata` reads the assemblies.
//!
//! Limitations: public and protected declarations only. From the runtime's own assemblies
//! (`System.Private.*`), only types that another assembly forwards to.

pub mod declarations;
pub mod packages;

use std::collections::BTreeMap;

use anyhow::{Result, anyhow};
use codeagent_csharp::stdlib::BundleWriter;
use codeagent_csharp::stdlib::metadata::{Assembly, TypeName};
use rustc_hash::FxHashSet;

/// Packs assemblies, given by name and content, into a blob.
///
/// # Errors
/// Returns an error that names a malformed assembly.
pub fn blob(assemblies: &BTreeMap<String, Vec<u8>>) -> Result<(Vec<u8>, BundleWriter)> {
    let mut read = Vec::new();
    for (name, bytes) in assemblies {
        read.push((
            name,
            Assembly::read(bytes).map_err(|problem| anyhow!("{name}: {problem}"))?,
        ));
    }

    let forwarded: FxHashSet<TypeName> = read
        .iter()
        .flat_map(|(_, assembly)| assembly.forwards())
        .collect();

    let is_kept = |assembly: &str, name: &TypeName| {
        !assembly.starts_with("System.Private.") || forwarded.contains(name)
    };

    let public: FxHashSet<TypeName> = read
        .iter()
        .flat_map(|(file, assembly)| assembly.public_types().filter(|name| is_kept(file, name)))
        .collect();

    let mut packer = BundleWriter::new();
    for (file, assembly) in &read {
        assembly
            .units(&mut packer, Some(&public), &|name| is_kept(file, name))
            .map_err(|problem| anyhow!("{file}: {problem}"))?;
    }

    Ok((packer.finish(), packer))
}

/// Reports whether a file belongs to the shared frameworks of .NET and ASP.NET Core or to
/// Microsoft.Extensions.
#[must_use]
pub fn is_framework(name: &str) -> bool {
    const FRAMEWORKS: &[&str] = &[
        "System",
        "Microsoft.AspNetCore",
        "Microsoft.Extensions",
        "Microsoft.VisualBasic",
        "Microsoft.Win32",
    ];
    const SINGLE: &[&str] = &[
        "Microsoft.CSharp",
        "Microsoft.JSInterop",
        "Microsoft.Net.Http.Headers",
        "WindowsBase",
        "mscorlib",
        "netstandard",
    ];
    // Packages with the same prefixes that are not part of the frameworks.
    const PACKAGES: &[&str] = &[
        "Microsoft.Extensions.AI.Abstractions",
        "Microsoft.Extensions.Azure",
        "System.ClientModel",
        "System.CommandLine",
        "System.Configuration.ConfigurationManager",
        "System.Drawing.Common",
        "System.IO.Hashing",
        "System.Linq.AsyncEnumerable",
        "System.Memory.Data",
        "System.Net.ServerSentEvents",
        "System.Security.Cryptography.ProtectedData",
        "System.Security.Permissions",
        "System.Windows.Extensions",
    ];

    let Some(name) = name.strip_suffix(".dll") else {
        return false;
    };

    let prefixed = |prefix: &&str| {
        name.strip_prefix(*prefix)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };

    (FRAMEWORKS.iter().any(prefixed) || SINGLE.contains(&name)) && !PACKAGES.contains(&name)
}
