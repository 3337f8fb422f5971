//! Snapshots: an index made once is shared through an object store. [`tables`] are for other engines.
//!
//! 1. What is shared: *facts* (per text, under a key that covers everything they depend on) and,
//!    with `--graph`, the whole *graph* of a commit.
//! 2. `v1/packs/HASH`: an immutable pack of facts, named by the blake3 hash of its bytes;
//!    `v1/packs/HASH.keys`: its keys; `v1/graphs/HASH`: a compressed graph.
//! 3. `v1/repos/REPO/COMMIT.json`: the manifest of a commit, closed by its own hash. It names the
//!    program's versions, the packs with their sizes, and the graph.
//! 4. A push reads the keys of the nearest earlier manifest's packs and sends the others as a
//!    *patch*: compressed against the facts that the commit no longer needs, which are mostly those
//!    of the same files before. If too much of the old packs is unused, it sends everything again.
//! 5. The manifest is written last, so a reader never sees a name without its content.
//! 6. A pull takes the manifest of `HEAD`, else that of its nearest ancestor, else the newest.
//! 7. Sizes are checked before something is read, hashes before anything of it is used; decoded
//!    sizes are bounded. Whatever fails is refused, and the index stays as it was.
//! 8. Pulled facts only add keys. A key contains the text's hash, so an index uses them for equal
//!    texts only. A pulled graph has no file times: the next update compares every file.
//! 9. `gc` keeps the newest manifests of a repository, and every pack and graph that any manifest
//!    names; what is younger than a day is kept, because a push may be about to name it.
//! 10. The URL comes from the user, never from the repository. Only these commands use a network.
//!
//! 11. An *interface pack* is one object at its own URL or a file; see `ingest/packs` of
//!     `codeagent-core`.
//!
//! Limitations: who may write to the store decides what the edges of its graphs say; a pull without
//! the graph trusts facts only about texts that the repository has.

#![warn(missing_docs)]

mod error;
mod gc;
mod http;
mod manifest;
mod pack;
mod patch;
mod place;
mod pull;
mod push;
mod remote;
mod services;
pub mod tables;

pub use error::ShareError;
pub use gc::{Collected, gc};
pub use manifest::{Manifest, Part};
pub use place::{read_pack, write_pack};
pub use pull::{PullOptions, Pulled, pull};
pub use push::{PushOptions, Pushed, push};
pub use remote::{Listed, Remote};
