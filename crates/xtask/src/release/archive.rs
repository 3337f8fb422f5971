//! Archives with the same bytes for the same contents: no times, owners or folder order of the
//! machine.

use std::io::{Cursor, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use zip::write::SimpleFileOptions;

/// A file of an archive.
#[derive(Clone, Debug)]
pub struct Entry {
    pub path: String,
    pub is_program: bool,
    pub bytes: Vec<u8>,
}

impl Entry {
    pub fn text(path: impl Into<String>, text: &str) -> Self {
        Self {
            path: path.into(),
            is_program: false,
            bytes: text.as_bytes().to_vec(),
        }
    }

    pub fn program(path: impl Into<String>, bytes: &[u8]) -> Self {
        Self {
            path: path.into(),
            is_program: true,
            bytes: bytes.to_vec(),
        }
    }

    fn mode(&self) -> u32 {
        if self.is_program { 0o755 } else { 0o644 }
    }
}

/// Returns a gzipped tar file whose entries are in `folder`.
pub fn tar_gz(folder: &str, entries: &[Entry]) -> anyhow::Result<Vec<u8>> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    for entry in entries {
        let mut header = tar::Header::new_gnu();
        header.set_size(entry.bytes.len() as u64);
        header.set_mode(entry.mode());
        // npm refuses a time of 0.
        header.set_mtime(499_162_500);
        tar.append_data(
            &mut header,
            format!("{folder}/{}", entry.path),
            entry.bytes.as_slice(),
        )?;
    }
    Ok(tar.into_inner()?.finish()?)
}

pub fn zip(entries: &[Entry]) -> anyhow::Result<Vec<u8>> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for entry in entries {
        let options = SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Deflated)
            .last_modified_time(zip::DateTime::default())
            .unix_permissions(entry.mode());
        zip.start_file(&entry.path, options)?;
        zip.write_all(&entry.bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}
