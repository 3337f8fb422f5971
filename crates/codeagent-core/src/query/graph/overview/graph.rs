//! The whole graph in memory, for one overview.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::graph::{EdgeType, Language, NodeId, NodeKind};
use crate::query::{QueryError, Snapshot};
use crate::store::{self, FileKey, SymbolBrief};

/// An indexed file.
pub struct File {
    pub path: String,
    /// Index of its project.
    pub project: usize,
    /// Index of its folder.
    pub folder: usize,
    pub language: Language,
    pub is_test: bool,
    /// Number of lines.
    pub lines: u32,
    /// Whether the file is in the scope of the overview.
    pub is_inside: bool,
}

/// A use of a symbol. Usings of C# namespaces are left out: a namespace is in many files and
/// projects.
#[derive(Clone, Copy)]
pub struct Use {
    /// Index of the symbol that contains the use.
    pub source: u32,
    /// Index of the symbol that is used.
    pub target: u32,
    pub edge_type: EdgeType,
    /// Index of the file of the use.
    pub file: u32,
    pub line: u32,
}

/// All symbols and uses of a snapshot.
pub struct ProjectGraph {
    pub symbols: Vec<SymbolBrief>,
    pub files: Vec<File>,
    pub projects: Vec<String>,
    pub folders: Vec<String>,
    pub uses: Vec<Use>,
    index: FxHashMap<NodeId, u32>,
    file_index: FxHashMap<FileKey, u32>,
}

impl ProjectGraph {
    /// Loads the graph. `is_inside` decides by path and project whether a file is in scope, `needs_uses` by the files
    /// whether the uses are loaded.
    pub fn load(
        snapshot: &Snapshot,
        is_inside: impl Fn(&str, &str) -> bool,
        needs_uses: impl Fn(&[File]) -> bool,
    ) -> Result<Self, QueryError> {
        let (mut projects, mut folders) = (Interner::default(), Interner::default());
        let (mut files, mut file_index) = (Vec::new(), FxHashMap::default());
        for row in store::files(snapshot)? {
            file_index.insert(row.id, files.len() as u32);
            files.push(File {
                project: projects.index(&row.project_id),
                folder: folders.index(folder_of(&row.path)),
                language: row.dialect.language(),
                is_test: store::is_test_path(&row.path),
                lines: row.lines,
                is_inside: is_inside(&row.path, &row.project_id),
                path: row.path,
            });
        }

        let symbols = store::all_briefs(snapshot)?;
        let index: FxHashMap<NodeId, u32> = symbols
            .iter()
            .zip(0..)
            .map(|(symbol, index)| (symbol.id, index))
            .collect();
        snapshot.check()?;

        let mut uses = Vec::new();
        if needs_uses(&files) {
            store::export_edges(snapshot, |edge| {
                let ends = (index.get(&edge.source), index.get(&edge.target));
                let file = file_index.get(&edge.file);
                if let ((Some(source), Some(target)), Some(file)) = (ends, file)
                    && !is_shared(&symbols[*target as usize])
                {
                    uses.push(Use {
                        source: *source,
                        target: *target,
                        edge_type: edge.edge_type,
                        file: *file,
                        line: edge.line,
                    });
                }
            })?;
        }
        Ok(Self {
            symbols,
            files,
            projects: projects.names,
            folders: folders.names,
            uses,
            index,
            file_index,
        })
    }

    /// Returns the symbol at an index.
    pub fn symbol(&self, index: u32) -> &SymbolBrief {
        &self.symbols[index as usize]
    }

    /// Returns the index of a symbol.
    pub fn index_of(&self, id: NodeId) -> Option<u32> {
        self.index.get(&id).copied()
    }

    /// Returns the index of a symbol's container.
    pub fn parent(&self, index: u32) -> Option<u32> {
        self.symbol(index)
            .parent
            .and_then(|parent| self.index.get(&parent))
            .copied()
    }

    /// Returns the index and the file of a symbol's primary declaration.
    pub fn file_of(&self, index: u32) -> Option<(u32, &File)> {
        let file = *self.file_index.get(&self.symbol(index).file?)?;
        Some((file, &self.files[file as usize]))
    }

    /// Reports whether a symbol is `outer` or inside it.
    pub fn is_within(&self, inner: u32, outer: u32) -> bool {
        let mut at = Some(inner);
        while let Some(index) = at {
            if index == outer {
                return true;
            }
            at = self.parent(index);
        }
        false
    }

    /// Counts, for each symbol, the uses in other files and these files; tests are left out.
    pub fn uses_from_elsewhere(
        &self,
        counts: impl Fn(&Use) -> bool,
    ) -> FxHashMap<u32, (usize, usize)> {
        let mut pairs: FxHashSet<(u32, u32)> = FxHashSet::default();
        let mut found: FxHashMap<u32, (usize, usize)> = FxHashMap::default();
        for each in self.uses.iter().filter(|each| counts(each)) {
            let entry = found.entry(each.target).or_default();
            entry.0 += 1;
            entry.1 += usize::from(pairs.insert((each.target, each.file)));
        }
        found
    }
}

/// Reports whether a symbol is a C# namespace.
fn is_shared(symbol: &SymbolBrief) -> bool {
    symbol.kind == NodeKind::Namespace && symbol.language == Language::CSharp
}

/// Returns the folder of a path; `.` for the root.
pub fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(".", |(folder, _)| folder)
}

#[derive(Default)]
struct Interner {
    names: Vec<String>,
    known: FxHashMap<String, usize>,
}

impl Interner {
    fn index(&mut self, name: &str) -> usize {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        self.names.push(name.to_owned());
        self.known.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }
}
