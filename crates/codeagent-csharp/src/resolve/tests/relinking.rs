//! Incremental consistency: after an edit, resolving only the invalidated files gives the same as
//! resolving all.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use codeagent_lang::dependencies::{DependencyKey, KeyKind};
use codeagent_lang::{Resolution, World, WorldFile, link};
use codeagent_model::facts::Facts;
use codeagent_model::graph::Dialect;

use crate::LANGUAGES;
use crate::resolve::tests::{print, split, world};
use crate::resolve::{keys_of_member, provided_keys};

const REPOSITORY: &str = r"
//- a.cs
global using Shop.Tools;
namespace Shop;
public partial class Cart : Base, IPriced { public int Total() => Sum(Lines[0]) + Rate; int Sum(Line line) => line.Price.Scale(2); }
//- b.cs
namespace Shop;
public partial class Cart { public System.Collections.Generic.List<Line> Lines; public class Line { public Money Price; } }
public interface IPriced { int Total(); }
//- c.cs
namespace Shop { public class Base { protected int Rate; public virtual void Close() { } protected class Hidden { } } }
//- d.cs
namespace Shop.Tools { public struct Money { public static Money operator +(Money a, Money b) => a; } public static class Scaling { public static int Scale(this Money m, int by) => by; } }
//- e.cs
using Shop;
class Program { static void Main() { var cart = new Cart(); cart.Total(); cart.Close(); var line = cart.Lines[0]; (line.Price + line.Price).Scale(3); Twice(1); } static int Twice(int x) => x; }
//- f.cs
namespace Other { class Money { } class Uses { void M(Money m) { m.Scale(1); Shop.Cart c = new(); c.Total(); } } }
";

/// Edits: path and new text; an empty text deletes the file.
const EDITS: &[(&str, &str)] = &[
    ("a.cs", ""),
    ("b.cs", ""),
    ("c.cs", ""),
    ("d.cs", ""),
    (
        "a.cs",
        "namespace Shop;\npublic partial class Cart : Base { public int Total(int x) => x; }\n",
    ),
    (
        "a.cs",
        "global using Shop.Tools; global using Other;\nnamespace Shop;\npublic partial class Cart : Base, IPriced { public int Total() => 1; }\n",
    ),
    (
        "b.cs",
        "namespace Shop;\npublic partial class Cart { public Line[] Lines; public class Line { public Other.Money Price; } }\n",
    ),
    (
        "c.cs",
        "namespace Shop { public class Base { protected int Rate; protected class Line { public int Price; } } }\n",
    ),
    (
        "c.cs",
        "namespace Shop { public class Base { public void Scale(int x) { } } }\n",
    ),
    (
        "d.cs",
        "namespace Shop.Tools { public struct Money { public int Scale(int by) => by; } }\n",
    ),
    (
        "d.cs",
        "namespace Shop.Others { public struct Money { } public static class Scaling { public static int Scale(this Money m, int by) => by; } }\n",
    ),
    (
        "g.cs",
        "public class Cart { public void Total() { } public void Close() { } }\n",
    ),
    (
        "g.cs",
        "namespace Shop; public partial class Cart { public int Sum(object line) => 0; public new void Close() { } }\n",
    ),
    (
        "g.cs",
        "namespace Other { static class More { public static void Scale(this Money m, int by) { } } }\n",
    ),
    (
        "g.cs",
        "namespace Shop { public static class Nearer { public static int Scale(this Tools.Money m, int by) => by; } }\n",
    ),
    (
        "g.cs",
        "namespace Other.Shop { class Cart { public void Total() { } } }\n",
    ),
    (
        "g.cs",
        "global using static Helper; static class Helper { public static int Twice(int x, int y) => x; }\n",
    ),
    (
        "a.cs",
        "global using Shop.Tools;\nnamespace Shop;\npublic partial class Cart : Base, IPriced { public long Total() => 1; int Sum(Line line) => 1; void Close(int x) { } }\n",
    ),
    (
        "b.cs",
        "namespace Shop;\npublic partial class Cart { public System.Collections.Generic.List<Line> Lines; public void Close() { } public class Line { public int Price; } }\npublic interface IPriced { int Total(); void Close(); }\n",
    ),
    (
        "c.cs",
        "namespace Shop { public class Base { protected int Rate; public virtual void Close(int x) { } public virtual int Total() => 1; protected class Hidden { } } }\n",
    ),
    (
        "d.cs",
        "namespace Shop.Tools { public struct Money { public static Money operator -(Money a, Money b) => a; public int Scale(int x) => x; public static implicit operator int(Money m) => 1; } public static class Scaling { public static int Scale(this Money m, long by) => 1; } }\n",
    ),
    (
        "e.cs",
        "using Shop;\nclass Program { static void Main() { new Cart().Lines.Clear(); } }\n",
    ),
];

type Linked = BTreeMap<String, (Resolution, String)>;

fn link_all(world: &World) -> Linked {
    let ids: Vec<_> = world.repository_files().collect();
    ids.into_iter().map(|file| linked(world, file)).collect()
}

fn linked(world: &World, file: codeagent_lang::FileId) -> (String, (Resolution, String)) {
    let resolution = link(file, world);
    let mut text = print(world, file, &resolution, &|_| true);
    text.push_str(&format!(
        "{:?} {} {} {}",
        resolution.unresolved,
        resolution.calls,
        resolution.calls_resolved,
        resolution.calls_external
    ));
    (world.file(file).path.to_string(), (resolution, text))
}

/// Returns the dependency keys of the changed members of a file; `None` if anything else changed.
fn changed_pieces(was: &Facts, is: &Facts) -> Option<BTreeSet<DependencyKey>> {
    let answers = |facts: &Facts| {
        let mut answers: BTreeMap<DependencyKey, Vec<[u8; 8]>> = BTreeMap::new();
        for member in &facts.member_hashes {
            keys_of_member(facts, member.decl)
                .into_iter()
                .for_each(|slot| answers.entry(slot).or_default().push(member.hash));
        }
        answers
    };

    let (before, now) = (answers(was), answers(is));
    let differs = |slot: &&DependencyKey| before.get(slot) != now.get(slot);

    let heads = |facts: &Facts| -> Vec<_> { facts.type_hashes.iter().map(|of| of.hash).collect() };
    (was.header.frame_hash == is.header.frame_hash && heads(was) == heads(is)).then(|| {
        before
            .keys()
            .chain(now.keys())
            .filter(differs)
            .copied()
            .collect()
    })
}

/// Returns the files that must be resolved again by the rules of invalidation.
fn dirty(before: &World, old: &Linked, after: &World, changed: &str) -> BTreeSet<String> {
    let facts = |world: &World| {
        world
            .find(changed)
            .map(|file| world.file(file).facts.clone())
    };

    let (was, is) = (facts(before), facts(after));
    let mut dirty: BTreeSet<String> = BTreeSet::from([changed.to_owned()]);
    if was.as_ref().map(|facts| facts.header.interface_hash)
        == is.as_ref().map(|facts| facts.header.interface_hash)
    {
        return dirty;
    }

    let member_hashes = was
        .as_ref()
        .zip(is.as_ref())
        .and_then(|(was, is)| changed_pieces(was, is));
    let slots: BTreeSet<DependencyKey> = match &member_hashes {
        Some(member_hashes) => member_hashes
            .iter()
            .copied()
            .filter(|key| key.kind() != KeyKind::Member)
            .collect(),
        None => was
            .iter()
            .chain(is.iter())
            .flat_map(|facts| provided_keys(facts))
            .collect(),
    };

    for (path, (resolution, _)) in old {
        let reads_file = resolution
            .dependencies
            .files
            .iter()
            .any(|file| &*before.file(*file).path == changed);

        let asks = member_hashes.as_ref().is_none_or(|member_hashes| {
            resolution
                .dependencies
                .keys
                .iter()
                .any(|slot| member_hashes.contains(slot))
        });

        if reads_file && asks
            || resolution
                .dependencies
                .keys
                .iter()
                .any(|slot| slots.contains(slot))
        {
            dirty.insert(path.clone());
        }
    }

    dirty
}

#[test]
fn resolving_invalidated_files_equals_resolving_all() {
    let files = split(REPOSITORY);
    let mut spared = 0;
    for (path, text) in EDITS {
        let mut edited = files.clone();
        if text.is_empty() {
            edited.remove(*path);
        } else {
            edited.insert((*path).to_owned(), (*text).to_owned());
        }
        for (from, to) in [(&files, &edited), (&edited, &files)] {
            let (before, after) = (world(from), world(to));
            let (old, new) = (link_all(&before), link_all(&after));
            let dirty = dirty(&before, &old, &after, path);

            for (other, (_, text)) in &new {
                if !dirty.contains(other) {
                    spared += 1;
                    assert_eq!(
                        &old[other].1, text,
                        "{other} was not linked again after the edit of {path} to {to:?}"
                    );
                }
            }
        }
    }

    assert!(spared > 20, "the law must spare files, spared {spared}");
}

/// Files that exist or are new, with types that were added, changed and removed.
const CHANGED_TYPES: &[(&str, &str)] = &[
    (
        "b.cs",
        "namespace Shop;\npublic interface IFirst { }\npublic partial class Cart { public System.Collections.Generic.List<Line> Lines; public class Line { public Money Price; } public class Fresh : Line { } }\npublic interface IPriced { int Total(); }\n",
    ),
    (
        "d.cs",
        "namespace Shop.Tools { public static class Scaling { public static int Scale(this Money m, int by) => by; } public struct Money { public static Money operator +(Money a, Money b) => a; } public class Line { } }\n",
    ),
    (
        "f.cs",
        "namespace Other { class Uses { void M(Money m) { m.Scale(1); Shop.Cart c = new(); c.Total(); } } }\nclass Money { public void Scale(int by) { } }\n",
    ),
    ("f.cs", "namespace Other { }\n"),
    (
        "e2.cs",
        "using Shop;\nclass Fresh { void Tally(Cart cart) { cart.Total(); cart.Scale(); } }\nstatic class More { public static void Scale(this Cart cart) { } }\n",
    ),
    (
        "0.cs",
        "namespace Shop.Tools;\npublic class Line { public int Price; }\n",
    ),
];

#[test]
fn types_and_files_are_added_in_place() {
    let files = split(REPOSITORY);
    for (path, text) in CHANGED_TYPES {
        let (mut before, mut edited) = (world(&files), files.clone());
        let facts = Arc::new(LANGUAGES.extract(text, Dialect::CSharp, &[]));
        match before.find(path) {
            Some(file) => assert!(before.replace(file, facts), "{path} is replaced by {text}"),
            None => {
                let file = WorldFile {
                    path: (*path).into(),
                    facts: facts.into(),
                    external: false,
                    package: None,
                };
                let projects = Arc::clone(&before.projects);
                assert!(before.add(&file, &projects).is_some(), "{path} is added");
            }
        }

        edited.insert((*path).to_owned(), (*text).to_owned());
        let (patched, rebuilt) = (link_all(&before), link_all(&world(&edited)));
        for (other, (_, text)) in &rebuilt {
            assert_eq!(&patched[other].1, text, "{other} after the edit of {path}");
        }
    }
}

#[test]
fn resolving_twice_gives_the_same_result() {
    let files = split(REPOSITORY);
    let world = world(&files);
    let (first, second) = (link_all(&world), link_all(&world));
    assert!(
        first
            .iter()
            .all(|(path, (resolution, _))| &second[path].0 == resolution)
    );
}
