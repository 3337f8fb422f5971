//! The place of an interface pack: a file or a URL.

use std::path::Path;

use codeagent_core::packs::MAX_PACK_BYTES;
use url::Url;

use crate::{Remote, ShareError};

/// Reads the pack at a path or URL that the user named.
pub fn read_pack(place: &str) -> Result<Vec<u8>, ShareError> {
    let bytes = open(place)?.read("", MAX_PACK_BYTES)?;
    bytes.ok_or_else(|| ShareError::NoPack {
        place: place.to_owned(),
    })
}

/// Writes a pack to a path or URL that the user named. Readers see all of it or nothing.
pub fn write_pack(place: &str, bytes: Vec<u8>) -> Result<(), ShareError> {
    open(place)?.write("", bytes)
}

fn open(place: &str) -> Result<Remote, ShareError> {
    if place.contains("://") {
        return Remote::open(place);
    }
    let path = std::path::absolute(Path::new(place))?;
    let url = Url::from_file_path(path).map_err(|()| ShareError::Url {
        url: place.to_owned(),
        reason: "it is no path of a file".to_owned(),
    })?;
    Remote::open(url.as_str())
}
