//! Small repositories of project files, and the models built from them.

use std::collections::BTreeMap;
use std::sync::Arc;

use codeagent_lang::project::ProjectModel;
use expect_test::{Expect, expect};
use proptest::prelude::*;

use crate::LANGUAGES;
use crate::project::{CSharpProject, CSharpProjects, GlobalUsing};

/// Builds the model of some project files with their texts and of other files without.
fn model(texts: &[(&str, &str)], others: &[&str]) -> ProjectModel {
    let mut paths: Vec<String> = texts
        .iter()
        .map(|(path, _)| *path)
        .chain(others.iter().copied())
        .map(str::to_owned)
        .collect();
    paths.sort_unstable();
    let texts: BTreeMap<String, Arc<str>> = texts
        .iter()
        .map(|(path, text)| ((*path).to_owned(), Arc::from(*text)))
        .collect();
    ProjectModel::build(LANGUAGES, &paths, texts)
}

fn describe(model: &ProjectModel, project: &CSharpProject) -> String {
    let usings = project.usings.iter().map(|using| match using {
        GlobalUsing::Namespace(name) => name.clone(),
        GlobalUsing::Static(name) => format!("static {name}"),
        GlobalUsing::Alias(alias, name) => format!("{alias}={name}"),
    });
    let verdict = project
        .defines
        .iter()
        .filter(|symbol| !symbol.starts_with("NET"));
    let projects = &model.of::<CSharpProjects>().projects;
    let names = |indices: &[u32]| -> Vec<&str> {
        indices
            .iter()
            .map(|index| projects[*index as usize].path.as_str())
            .collect()
    };
    let mut lines = vec![format!(
        "{} [{}] {} {}",
        project.path, project.assembly_name, project.target_framework, project.lang_version
    )];
    for (title, values) in [
        ("defines", verdict.cloned().collect::<Vec<_>>()),
        ("usings", usings.collect()),
        (
            "references",
            names(&project.references)
                .into_iter()
                .map(str::to_owned)
                .collect(),
        ),
        ("friends", project.internals_visible_to.clone()),
        ("files", project.files.clone()),
    ] {
        if !values.is_empty() {
            lines.push(format!("  {title}: {}", values.join(" ")));
        }
    }
    lines
        .iter()
        .map(|line| line.trim_end())
        .collect::<Vec<_>>()
        .join("\n")
}

fn check(texts: &[(&str, &str)], others: &[&str], expected: &Expect) {
    let model = model(texts, others);
    let projects = &model.of::<CSharpProjects>().projects;
    let mut lines: Vec<String> = projects
        .iter()
        .map(|project| describe(&model, project))
        .collect();
    lines.extend(
        model
            .owners
            .keys()
            .map(|path| format!("{path} -> {}", model.project_id(path))),
    );
    lines.extend(model.warnings.iter().cloned());
    expected.assert_eq(&lines.join("\n"));
}

const SDK_PROJECT: &str = r#"<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup></Project>"#;

#[test]
fn a_project_with_an_sdk_compiles_its_folder() {
    check(
        &[(
            "src/App/App.csproj",
            r#"<Project Sdk="Microsoft.NET.Sdk">
                     <PropertyGroup>
                       <TargetFrameworks>netstandard2.0;net8.0</TargetFrameworks>
                       <LangVersion>12</LangVersion>
                       <ImplicitUsings>enable</ImplicitUsings>
                       <DefineConstants>$(DefineConstants);ALWAYS</DefineConstants>
                       <DefineConstants Condition="'$(TargetFramework)' == 'net8.0'">$(DefineConstants),NEW</DefineConstants>
                       <DefineConstants Condition="'$(Configuration)' == 'Debug'">$(DefineConstants);DEBUG</DefineConstants>
                     </PropertyGroup>
                     <ItemGroup>
                       <Compile Remove="old\**" />
                       <Compile Include="..\Shared\*.cs" Exclude="..\Shared\Not.cs" Link="Shared\%(Filename).cs" />
                       <Compile Include="..\Shared\*.cs" Exclude="..\shared\not.cs" LinkBase="Shared" />
                       <Using Include="Acme.Core;Acme.Tools" />
                       <Using Include="System.Math" Static="true" />
                       <Using Include="System.Int32" Alias="I32" />
                       <Using Remove="System.Net.Http" />
                       <InternalsVisibleTo Include="$(AssemblyName).Tests" Key="00" />
                       <AssemblyAttribute Include="System.Runtime.CompilerServices.InternalsVisibleTo"><_Parameter1>Other, PublicKey=00</_Parameter1></AssemblyAttribute>
                     </ItemGroup>
                   </Project>"#,
        )],
        &[
            "src/App/A.cs",
            "src/App/sub/B.cs",
            "src/App/bin/x.cs",
            "src/App/obj/y.cs",
            "src/App/.vs/z.cs",
            "src/App/Old/Gone.cs",
            "src/Shared/S.cs",
            "src/Shared/Not.cs",
            "src/Loose.cs",
        ],
        &expect![[r#"
            src/App/App.csproj [App] net8.0 12
              defines: ALWAYS NEW TRACE
              usings: System System.Collections.Generic System.IO System.Linq System.Threading System.Threading.Tasks Acme.Core Acme.Tools static System.Math I32=System.Int32
              friends: App.Tests Other
              files: src/App/A.cs src/App/sub/B.cs src/Shared/S.cs
            src/App/A.cs -> src/App/App.csproj
            src/App/sub/B.cs -> src/App/App.csproj
            src/Shared/S.cs -> src/App/App.csproj"#]],
    );
}

#[test]
fn directory_build_files_apply_before_and_after_the_project() {
    check(
        &[
            (
                "Directory.Build.props",
                "<Project><PropertyGroup><LangVersion>latest</LangVersion><Root>$(MSBuildThisFileDirectory)</Root></PropertyGroup></Project>",
            ),
            (
                "src/Directory.Build.props",
                r#"<Project>
                     <Import Project="$([MSBuild]::GetPathOfFileAbove('Directory.Build.props', '$(MSBuildThisFileDirectory)../'))" />
                     <PropertyGroup><DefineConstants>PROPS</DefineConstants></PropertyGroup>
                   </Project>"#,
            ),
            (
                "Directory.Build.targets",
                r#"<Project>
                     <Import Project="eng/$(Kind).targets" Condition="'$(Kind)' != ''" />
                     <PropertyGroup Condition="'$(TargetFrameworkIdentifier)' == '.NETCoreApp'"><DefineConstants>$(DefineConstants);TARGETS</DefineConstants></PropertyGroup>
                   </Project>"#,
            ),
            (
                "eng/Library.targets",
                r#"<Project>
                     <Import Project="../Directory.Build.targets" />
                     <Target Name="Friends" BeforeTargets="BeforeCompile">
                       <ItemGroup><InternalsVisibleTo Include="%(Friend.Identity)" /></ItemGroup>
                     </Target>
                     <ItemGroup><Compile Include="$(Root)common/*.cs" /></ItemGroup>
                   </Project>"#,
            ),
            (
                "src/Lib/Lib.csproj",
                r#"<Project Sdk="Microsoft.NET.Sdk">
                     <PropertyGroup><TargetFramework>net50</TargetFramework><Kind>Library</Kind><EnableDefaultCompileItems>false</EnableDefaultCompileItems></PropertyGroup>
                     <ItemGroup><Friend Include="A;B" /></ItemGroup>
                     <Choose>
                       <When Condition="'$(Kind)' == 'Tool'"><PropertyGroup><DefineConstants>TOOL</DefineConstants></PropertyGroup></When>
                       <Otherwise><PropertyGroup><DefineConstants>$(DefineConstants);OTHER</DefineConstants></PropertyGroup></Otherwise>
                     </Choose>
                   </Project>"#,
            ),
        ],
        &["common/C.cs", "src/Lib/L.cs"],
        &expect![[r#"
            src/Lib/Lib.csproj [Lib] net5.0 latest
              defines: OTHER PROPS TARGETS TRACE
              friends: A B
              files: common/C.cs
            common/C.cs -> src/Lib/Lib.csproj"#]],
    );
}

#[test]
fn a_reference_is_found_behind_properties_of_msbuild_itself() {
    let parent = r#"<Project>
        <PropertyGroup><Above>$([System.IO.Path]::Combine('..', '$(_DirectoryBuildPropsFile)'))</Above></PropertyGroup>
        <Import Project="$(Above)" Condition="Exists('$(Above)')" />
      </Project>"#;
    let empty = r#"<Project Sdk="Microsoft.NET.Sdk"/>"#;
    check(
        &[
            (
                "Directory.Build.props",
                "<Project><PropertyGroup><Root>$(MSBuildThisFileDirectory)</Root><DefineConstants>ABOVE</DefineConstants></PropertyGroup></Project>",
            ),
            ("src/Directory.Build.props", parent),
            ("src/A/A.csproj", empty),
            ("src/C/C.csproj", empty),
            (
                "src/B/B.csproj",
                r#"<Project Sdk="Microsoft.NET.Sdk"><ItemGroup>
                     <ProjectReference Include="$(Root)src\\A\A.csproj" />
                     <ProjectReference Include="$(SetElsewhere)src\C\C.csproj" />
                   </ItemGroup></Project>"#,
            ),
        ],
        &["src/A/A.cs", "src/B/B.cs", "src/C/C.cs"],
        &expect![[r#"
            src/A/A.csproj [A]
              defines: ABOVE TRACE
              files: src/A/A.cs
            src/B/B.csproj [B]
              defines: ABOVE TRACE
              references: src/A/A.csproj src/C/C.csproj
              files: src/B/B.cs
            src/C/C.csproj [C]
              defines: ABOVE TRACE
              files: src/C/C.cs
            src/A/A.cs -> src/A/A.csproj
            src/B/B.cs -> src/B/B.csproj
            src/C/C.cs -> src/C/C.csproj"#]],
    );
}

#[test]
fn a_lost_reference_is_a_warning() {
    let project = r#"<Project Sdk="Microsoft.NET.Sdk"><ItemGroup>
        <ProjectReference Include="A.csproj;..\Gone\Gone.csproj" />
        <ProjectReference Include="$(Elsewhere)lib\A\A.csproj" />
        <ProjectReference Include="..\Other\Other.fsproj" />
      </ItemGroup></Project>"#;
    check(
        &[("src/A/A.csproj", project)],
        &[],
        &expect![[r#"
            src/A/A.csproj [A]
              defines: TRACE
            src/A/A.csproj: no project found for the reference $(Elsewhere)lib\A\A.csproj
            src/A/A.csproj: no project found for the reference ..\Gone\Gone.csproj"#]],
    );
}

#[test]
fn old_style_projects_are_evaluated() {
    check(
        &[
            (
                "Old/Old.csproj",
                r#"<?xml version="1.0"?>
                   <Project ToolsVersion="4.0" xmlns="http://schemas.microsoft.com/developer/msbuild/2003">
                     <PropertyGroup>
                       <Configuration Condition=" '$(Configuration)' == '' ">Debug</Configuration>
                       <TargetFrameworkVersion>v4.5.2</TargetFrameworkVersion><AssemblyName>Acme.Old</AssemblyName>
                     </PropertyGroup>
                     <PropertyGroup Condition=" '$(Configuration)|$(Platform)' == 'Debug|AnyCPU' "><DefineConstants>DEBUG;TRACE</DefineConstants></PropertyGroup>
                     <PropertyGroup Condition=" '$(Configuration)|$(Platform)' == 'Release|AnyCPU' "><DefineConstants>TRACE;OLD</DefineConstants></PropertyGroup>
                     <ItemGroup><Compile Include="A.cs" /><Compile Include="Sub\b.cs"><SubType>Code</SubType></Compile></ItemGroup>
                     <Import Project="..\Shared\Shared.projitems" Label="Shared" />
                     <Import Project="$(MSBuildToolsPath)\Microsoft.CSharp.targets" />
                   </Project>"#,
            ),
            (
                "Shared/Shared.projitems",
                r#"<Project xmlns="http://schemas.microsoft.com/developer/msbuild/2003">
                     <ItemGroup><Compile Include="$(MSBuildThisFileDirectory)S.cs" /></ItemGroup>
                   </Project>"#,
            ),
            (
                "Directory.Build.targets",
                "<Project><PropertyGroup><LangVersion>7.3</LangVersion></PropertyGroup></Project>",
            ),
        ],
        &[
            "Old/A.cs",
            "Old/Sub/B.cs",
            "Old/NotListed.cs",
            "Shared/S.cs",
        ],
        &expect![[r#"
            Old/Old.csproj [Acme.Old] net452 7.3
              defines: OLD TRACE
              files: Old/A.cs Old/Sub/B.cs Shared/S.cs
            Old/A.cs -> Old/Old.csproj
            Old/Sub/B.cs -> Old/Old.csproj
            Shared/S.cs -> Old/Old.csproj"#]],
    );
}

#[test]
fn sdks_can_be_imported() {
    check(
        &[
            (
                "Directory.Build.props",
                r#"<Project><Import Project="Sdk.props" Sdk="Microsoft.DotNet.Arcade.Sdk" /></Project>"#,
            ),
            (
                "Directory.Build.targets",
                r#"<Project><Import Project="Sdk.targets" Sdk="Microsoft.DotNet.Arcade.Sdk" /></Project>"#,
            ),
            (
                "eng/Versions.props",
                "<Project><PropertyGroup><Frameworks>$(NetPrevious);net472</Frameworks></PropertyGroup></Project>",
            ),
            (
                "a/A.csproj",
                r#"<Project>
                     <Import Project="Sdk.props" Sdk="Microsoft.NET.Sdk.Web/10.0" />
                     <PropertyGroup><TargetFrameworks>$(Frameworks)</TargetFrameworks></PropertyGroup>
                     <Import Project="Sdk.targets" Sdk="Microsoft.NET.Sdk.Web" />
                   </Project>"#,
            ),
            (
                "b/B.csproj",
                r#"<Project><PropertyGroup><TargetFrameworkVersion>v4.8</TargetFrameworkVersion></PropertyGroup></Project>"#,
            ),
            (
                "c/C.csproj",
                r#"<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFramework>net6.0</TargetFramework><TargetFrameworks>net8.0</TargetFrameworks></PropertyGroup></Project>"#,
            ),
        ],
        &["a/A.cs", "b/B.cs"],
        &expect![[r#"
            a/A.csproj [A] net9.0
              defines: TRACE
              files: a/A.cs
            b/B.csproj [B] net48
            c/C.csproj [C] net6.0
              defines: TRACE
            a/A.cs -> a/A.csproj"#]],
    );
}

#[test]
fn project_references_are_transitive() {
    let project = |references: &str| {
        format!(r#"<Project Sdk="Microsoft.NET.Sdk"><ItemGroup>{references}</ItemGroup></Project>"#)
    };
    let reference = |name: &str, rest: &str| {
        format!(r#"<ProjectReference Include="..\{name}\{name}.csproj" {rest} />"#)
    };
    check(
        &[
            (
                "A/A.csproj",
                &project(&format!(
                    "{}{}",
                    reference("b", ""),
                    reference("Gen", r#"ReferenceOutputAssembly="false""#)
                )),
            ),
            (
                "B/B.csproj",
                &project(&format!(
                    "{}{}",
                    reference("C", ""),
                    reference("D", r#"PrivateAssets="all""#)
                )),
            ),
            ("C/C.csproj", &project(&reference("A", ""))),
            (
                "D/D.csproj",
                &project(
                    r#"<PackageReference Include="C" Version="1.0" /><PackageReference Include="D" /><Reference Include="System" />"#,
                ),
            ),
            (
                "Gen/Gen.csproj",
                &project(r#"<PackageReference Include="A" IncludeAssets="analyzers" />"#),
            ),
        ],
        &[],
        &expect![[r#"
            A/A.csproj [A]
              defines: TRACE
              references: B/B.csproj C/C.csproj
            B/B.csproj [B]
              defines: TRACE
              references: A/A.csproj C/C.csproj D/D.csproj
            C/C.csproj [C]
              defines: TRACE
              references: A/A.csproj B/B.csproj
            D/D.csproj [D]
              defines: TRACE
              references: A/A.csproj B/B.csproj C/C.csproj
            Gen/Gen.csproj [Gen]
              defines: TRACE"#]],
    );
}

#[test]
fn a_file_has_one_owner() {
    check(
        &[
            ("All.csproj", SDK_PROJECT),
            (
                "lib/Lib.Net9.csproj",
                &SDK_PROJECT.replace("net8.0", "net9.0"),
            ),
            ("lib/Lib.csproj", SDK_PROJECT),
            ("multi/A.csproj", SDK_PROJECT),
            ("multi/B.csproj", &SDK_PROJECT.replace("net8.0", "net9.0")),
            ("sln/Main.csproj", SDK_PROJECT),
            ("sln/Extra.csproj", &SDK_PROJECT.replace("net8.0", "net9.0")),
            ("Main.sln", ""),
        ],
        &["Program.cs", "lib/L.cs", "multi/M.cs", "sln/S.cs"],
        &expect![[r#"
            All.csproj [All] net8.0
              defines: TRACE
              files: Program.cs lib/L.cs multi/M.cs sln/S.cs
            lib/Lib.Net9.csproj [Lib.Net9] net9.0
              defines: TRACE
              files: lib/L.cs
            lib/Lib.csproj [Lib] net8.0
              defines: TRACE
              files: lib/L.cs
            multi/A.csproj [A] net8.0
              defines: TRACE
              files: multi/M.cs
            multi/B.csproj [B] net9.0
              defines: TRACE
              files: multi/M.cs
            sln/Extra.csproj [Extra] net9.0
              defines: TRACE
              files: sln/S.cs
            sln/Main.csproj [Main] net8.0
              defines: TRACE
              files: sln/S.cs
            Program.cs -> All.csproj
            lib/L.cs -> lib/Lib.csproj
            multi/M.cs -> multi/B.csproj
            sln/S.cs -> sln/Main.csproj"#]],
    );
}

#[test]
fn hostile_project_files_are_evaluated_safely() {
    let deep = format!(
        r#"<Project Sdk="X">{}{}</Project>"#,
        "<Choose><When>".repeat(50_000),
        "</When></Choose>".repeat(50_000)
    );
    let doubling = format!(
        r#"<Project Sdk="X"><PropertyGroup><A>xxxxxxxx</A>{}</PropertyGroup></Project>"#,
        "<A>$(A)$(A)$(A)$(A)</A>".repeat(200)
    );
    check(
        &[
            ("broken/Broken.csproj", "<Project Sdk='X'><PropertyGroup>"),
            (
                "bomb/Bomb.csproj",
                "<!DOCTYPE a [<!ENTITY a 'a'>]><Project Sdk='X'/>",
            ),
            (
                "cycle/Cycle.csproj",
                r#"<Project Sdk="X"><Import Project="Cycle.csproj"/><Import Project="a.props"/></Project>"#,
            ),
            (
                "cycle/a.props",
                r#"<Project><Import Project="b.props"/></Project>"#,
            ),
            (
                "cycle/b.props",
                r#"<Project><Import Project="a.props"/><PropertyGroup><LangVersion>9</LangVersion></PropertyGroup></Project>"#,
            ),
            ("deep/Deep.csproj", &deep),
            ("doubling/Doubling.csproj", &doubling),
            (
                "out/Out.csproj",
                r#"<Project Sdk="X"><ItemGroup><Compile Include="../../../etc/*.cs;/etc/**;C:\x.cs"/></ItemGroup></Project>"#,
            ),
            (
                "self/Self.csproj",
                r#"<Project Sdk="X"><ItemGroup><ProjectReference Include="Self.csproj"/></ItemGroup></Project>"#,
            ),
        ],
        &["cycle/C.cs"],
        &expect![[r#"
            bomb/Bomb.csproj [Bomb]
              defines: TRACE
            broken/Broken.csproj [Broken]
              defines: TRACE
            cycle/Cycle.csproj [Cycle]  9
              defines: TRACE
              files: cycle/C.cs
            deep/Deep.csproj [Deep]
              defines: TRACE
            doubling/Doubling.csproj [Doubling]
              defines: TRACE
            out/Out.csproj [Out]
              defines: TRACE
            self/Self.csproj [Self]
              defines: TRACE
            cycle/C.cs -> cycle/Cycle.csproj
            bomb/Bomb.csproj: not well-formed XML, ignored: XML with DTD detected
            broken/Broken.csproj: not well-formed XML, ignored: the root node was opened but never closed"#]],
    );
}

proptest! {
    /// Any text in project files gives a model, the same each time.
    #[test]
    fn any_text_gives_a_deterministic_model(a in "[$()@%'!=<>. A-Cn;\\[\\]:,`é/*{}-]{0,50}", b in "[ -~é\\n]{0,60}") {
        let escaped = a.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
        let project = format!(
            r#"<Project Sdk="X"><PropertyGroup Condition="{escaped}"><A>{escaped}</A><TargetFrameworks>{escaped}</TargetFrameworks></PropertyGroup>
               <Import Project="{escaped}"/><ItemGroup><Compile Include="{escaped}" Exclude="$({escaped})"/><Using Include="$(A{escaped})"/>
               <ProjectReference Include="{escaped}"/></ItemGroup></Project>"#
        );
        let built = model(&[("p/A.csproj", &project), ("p/B.csproj", &b)], &["p/A.cs"]);
        let again = model(&[("p/A.csproj", &project), ("p/B.csproj", &b)], &["p/A.cs"]);
        let (built, again) = (built.of::<CSharpProjects>(), again.of::<CSharpProjects>());
        prop_assert_eq!(built, again);
        prop_assert!(built.projects.iter().any(|project| project.path == "p/A.csproj"), "{}", project);
    }
}
