//! The format of interface packs: a magic word, the blake3 hash of everything after it, a compressed
//! header in JSON, then the packed facts of each file in the order of the header.

use std::collections::BTreeMap;

use codeagent_workspace::{RepoPath, is_import_name};
use serde::{Deserialize, Serialize};

use crate::store::may_be_facts;
use crate::versions::FACTS_VERSION;

use super::PackError;

/// The first bytes of a pack.
const MAGIC: &[u8; 8] = b"capack01";

/// Number of bytes that identify a pack: the magic word and the hash.
pub const HEAD: usize = MAGIC.len() + 32;

/// Maximum size of a pack, in bytes.
pub const MAX_PACK_BYTES: u64 = 512 << 20;

/// Maximum size of a decoded header, in bytes.
const MAX_HEADER_BYTES: u32 = 64 << 20;

/// Maximum total size of the decoded facts, in bytes.
const MAX_FACTS_BYTES: u64 = 4 << 30;

/// Level at which the header is compressed.
const LEVEL: i32 = 9;

/// What a pack says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Name of the repository, which is the pack's.
    pub name: String,
    /// Id of the commit; empty if unknown.
    pub commit: String,
    /// Version of the program that made it.
    pub made_by: String,
    /// Version of its facts.
    pub facts_version: String,
    /// The source files, by path.
    pub files: Vec<PackedFile>,
    /// Texts of the project files, by path.
    pub texts: BTreeMap<String, String>,
}

/// A source file of a pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedFile {
    /// Path in its repository.
    pub path: String,
    /// Name of the package or assembly that it is part of.
    pub package: String,
}

/// Packs a header and the packed facts of its files.
pub fn encode(header: &Header, facts: &[Vec<u8>]) -> Result<Vec<u8>, PackError> {
    let plain = serde_json::to_vec(header).map_err(std::io::Error::other)?;
    let packed = zstd::bulk::compress(&plain, LEVEL)?;
    let mut body = Vec::new();
    body.extend((plain.len() as u32).to_le_bytes());
    add(&mut body, &packed);
    for blob in facts {
        add(&mut body, blob);
    }

    let hash = blake3::hash(&body);
    Ok([&MAGIC[..], hash.as_bytes(), &body].concat())
}

fn add(to: &mut Vec<u8>, bytes: &[u8]) {
    to.extend((bytes.len() as u32).to_le_bytes());
    to.extend(bytes);
}

/// Returns the header of a pack and the packed facts of its files. Refuses anything that [`encode`]
/// does not write, and what would take far more memory than it is worth.
pub fn decode(bytes: &[u8]) -> Result<(Header, Vec<&[u8]>), PackError> {
    let refused = |reason: &str| PackError::Refused(reason.to_owned());
    if bytes.len() as u64 > MAX_PACK_BYTES {
        return Err(refused("it is too large"));
    }
    let (hash, body) = bytes
        .strip_prefix(MAGIC)
        .ok_or_else(|| refused("it is not an interface pack"))?
        .split_first_chunk::<32>()
        .ok_or_else(|| refused("it is cut off"))?;
    if blake3::hash(body).as_bytes() != hash {
        return Err(refused("it is cut off or damaged"));
    }

    let mut rest = body;
    let (plain_bytes, after) = rest
        .split_first_chunk::<4>()
        .ok_or_else(|| refused("it is cut off"))?;
    rest = after;
    let plain_bytes = u32::from_le_bytes(*plain_bytes);
    if plain_bytes > MAX_HEADER_BYTES {
        return Err(refused("its header is too large"));
    }
    let packed = take(&mut rest).ok_or_else(|| refused("it is cut off"))?;
    let plain = zstd::bulk::decompress(packed, plain_bytes as usize)
        .map_err(|_| refused("its header cannot be read"))?;
    let header: Header =
        serde_json::from_slice(&plain).map_err(|_| refused("its header cannot be read"))?;
    if header.facts_version != FACTS_VERSION {
        return Err(PackError::OtherVersion {
            name: header.name,
            made_by: header.made_by,
        });
    }
    check(&header).map_err(refused)?;

    let mut facts = Vec::with_capacity(header.files.len());
    let mut total = 0;
    while !rest.is_empty() {
        let blob = take(&mut rest).ok_or_else(|| refused("it is cut off"))?;
        total += decoded_bytes(blob);
        if !may_be_facts(blob) || total > MAX_FACTS_BYTES {
            return Err(refused("it has facts of an impossible size"));
        }
        facts.push(blob);
    }
    if facts.len() != header.files.len() {
        return Err(refused("it does not have the facts of each file"));
    }
    Ok((header, facts))
}

/// Returns the size that packed facts have when decoded.
fn decoded_bytes(blob: &[u8]) -> u64 {
    let length = blob.first_chunk::<4>();
    length.map_or(0, |length| u64::from(u32::from_le_bytes(*length)))
}

fn take<'b>(rest: &mut &'b [u8]) -> Option<&'b [u8]> {
    let (length, after) = rest.split_first_chunk::<4>()?;
    let (bytes, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *rest = after;
    Some(bytes)
}

/// Checks the names and paths of a header; an error says what is wrong.
fn check(header: &Header) -> Result<(), &'static str> {
    if !is_import_name(&header.name) {
        return Err("its name is invalid");
    }
    let is_path = |path: &str| RepoPath::new(path).is_ok_and(|path| !path.is_root());
    let files = header.files.iter().map(|file| file.path.as_str());
    if !files
        .chain(header.texts.keys().map(String::as_str))
        .all(is_path)
    {
        return Err("it has an invalid path");
    }
    if !header.files.is_sorted_by(|a, b| a.path < b.path) {
        return Err("its files are not sorted");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(files: &[&str]) -> Header {
        let file = |path: &&str| PackedFile {
            path: (*path).to_owned(),
            package: "orm".to_owned(),
        };
        Header {
            name: "orm".to_owned(),
            made_by: "1".to_owned(),
            facts_version: FACTS_VERSION.to_owned(),
            files: files.iter().map(file).collect(),
            ..Header::default()
        }
    }

    fn blob(size: u32, bytes: usize) -> Vec<u8> {
        [&size.to_le_bytes()[..], &vec![7; bytes]].concat()
    }

    #[test]
    fn packs_round_trip_and_every_cut_and_every_flipped_bit_is_refused() {
        let (header, facts) = (header(&["a.ts", "b.ts"]), [blob(10, 5), blob(20, 9)]);
        let bytes = encode(&header, &facts).unwrap();
        assert_eq!(
            decode(&bytes).unwrap(),
            (header, facts.iter().map(Vec::as_slice).collect())
        );
        for end in 0..bytes.len() {
            assert!(decode(&bytes[..end]).is_err(), "{end}");
        }
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&flipped).is_err(), "{bit}");
        }
    }

    #[test]
    fn packs_of_another_version_name_it() {
        let other = Header {
            facts_version: "other".to_owned(),
            ..header(&[])
        };
        let error = decode(&encode(&other, &[]).unwrap()).unwrap_err();
        assert!(matches!(error, PackError::OtherVersion { .. }), "{error}");
    }

    #[test]
    fn bombs_paths_outside_and_missing_facts_are_refused() {
        for (files, facts) in [
            (&["a.ts"][..], vec![blob(u32::MAX, 100)]),
            (&["a.ts"], vec![blob(200 << 20, 100)]),
            (&["a.ts"], vec![]),
            (&["../a.ts"], vec![blob(10, 5)]),
            (&["/a.ts"], vec![blob(10, 5)]),
            (&["b.ts", "a.ts"], vec![blob(10, 5), blob(10, 5)]),
        ] {
            assert!(decode(&encode(&header(files), &facts).unwrap()).is_err());
        }
        let named = Header {
            name: "../orm".to_owned(),
            ..header(&[])
        };
        assert!(decode(&encode(&named, &[]).unwrap()).is_err());
    }

    #[test]
    fn a_header_that_decodes_to_more_than_it_says_is_refused() {
        let packed = zstd::bulk::compress(&vec![b' '; 1 << 20], LEVEL).unwrap();
        let mut body = 10u32.to_le_bytes().to_vec();
        add(&mut body, &packed);
        let hash = blake3::hash(&body);
        let bytes = [&MAGIC[..], hash.as_bytes(), &body].concat();
        assert!(decode(&bytes).is_err());
    }
}
