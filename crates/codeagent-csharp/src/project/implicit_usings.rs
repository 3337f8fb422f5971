//! The namespaces that `<ImplicitUsings>enable</ImplicitUsings>` imports, by SDK.
//!
//! Limitations: only Microsoft's SDKs are known; usings that packages add are ignored.

use crate::project::GlobalUsing;
use crate::project::frameworks::{Family, Framework};
use crate::project::properties::Properties;

/// The namespaces that every SDK imports.
pub const BASE: [&str; 7] = [
    "System",
    "System.Collections.Generic",
    "System.IO",
    "System.Linq",
    "System.Net.Http",
    "System.Threading",
    "System.Threading.Tasks",
];
const WEB: [&str; 9] = [
    "System.Net.Http.Json",
    "Microsoft.AspNetCore.Builder",
    "Microsoft.AspNetCore.Hosting",
    "Microsoft.AspNetCore.Http",
    "Microsoft.AspNetCore.Routing",
    "Microsoft.Extensions.Configuration",
    "Microsoft.Extensions.DependencyInjection",
    "Microsoft.Extensions.Hosting",
    "Microsoft.Extensions.Logging",
];
const WORKER: [&str; 4] = [
    "Microsoft.Extensions.Configuration",
    "Microsoft.Extensions.DependencyInjection",
    "Microsoft.Extensions.Hosting",
    "Microsoft.Extensions.Logging",
];
const BLAZOR: [&str; 4] = [
    "System.Net.Http.Json",
    "Microsoft.Extensions.Configuration",
    "Microsoft.Extensions.DependencyInjection",
    "Microsoft.Extensions.Logging",
];
const MAUI: [&str; 8] = [
    "Microsoft.Extensions.DependencyInjection",
    "Microsoft.Maui",
    "Microsoft.Maui.Accessibility",
    "Microsoft.Maui.ApplicationModel",
    "Microsoft.Maui.Controls",
    "Microsoft.Maui.Graphics",
    "Microsoft.Maui.Hosting",
    "Microsoft.Maui.Storage",
];

/// Returns the implicit usings of a project, in the SDK's order.
pub(super) fn of(sdks: &[String], properties: &Properties) -> Vec<GlobalUsing> {
    if !properties.is_true("ImplicitUsings") {
        return Vec::new();
    }

    let framework = Framework::parse(properties.get("TargetFramework"));
    let mut names: Vec<&str> = BASE.to_vec();
    if framework.family == Family::NetFramework || properties.is_true("UseWPF") {
        names.retain(|name| *name != "System.Net.Http");
    }

    if properties.is_true("UseWPF") {
        names.retain(|name| *name != "System.IO");
    }

    if properties.is_true("UseWindowsForms") {
        names.extend(["System.Drawing", "System.Windows.Forms"]);
    }

    if properties.is_true("UseMaui") {
        names.extend(MAUI);
    }

    for sdk in sdks {
        match sdk.as_str() {
            "microsoft.net.sdk.web" => names.extend(WEB),
            "microsoft.net.sdk.worker" => names.extend(WORKER),
            "microsoft.net.sdk.blazorwebassembly" => names.extend(BLAZOR),
            "mstest.sdk" => names.push("Microsoft.VisualStudio.TestTools.UnitTesting"),
            _ => {}
        }
    }

    names
        .into_iter()
        .map(|name| GlobalUsing::Namespace(name.to_owned()))
        .collect()
}
