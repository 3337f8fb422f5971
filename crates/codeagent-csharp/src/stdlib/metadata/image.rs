//! Finds the metadata of an assembly through the CLI header of the portable executable (ECMA-335
//! II.25).
//!
//! Limitations: reads no other part of the file.

/// Returns the metadata of an assembly; `None` if it is not one.
#[must_use]
pub fn metadata(image: &[u8]) -> Option<&[u8]> {
    let header = u32_at(image, 0x3c)? as usize;
    if image.get(header..header.checked_add(4)?)? != b"PE\0\0" {
        return None;
    }

    let sections = u16_at(image, header + 6)? as usize;
    let optional_size = u16_at(image, header + 20)? as usize;
    let optional = header + 24;
    let directories = match u16_at(image, optional)? {
        0x10b => optional + 96,
        0x20b => optional + 112,
        _ => return None,
    };

    let table = Sections {
        image,
        start: optional + optional_size,
        count: sections,
    };

    let cli = table.offset(u32_at(image, directories + 14 * 8)?)?;
    let start = table.offset(u32_at(image, cli + 8)?)?;
    let size = u32_at(image, cli + 12)? as usize;
    image.get(start..start.checked_add(size)?)
}

struct Sections<'i> {
    image: &'i [u8],
    start: usize,
    count: usize,
}

impl Sections<'_> {
    /// Returns the file offset of a virtual address.
    fn offset(&self, address: u32) -> Option<usize> {
        (0..self.count).find_map(|index| {
            let at = self.start + index * 40;
            let (size, begin) = (u32_at(self.image, at + 8)?, u32_at(self.image, at + 12)?);
            let (raw_size, raw) = (u32_at(self.image, at + 16)?, u32_at(self.image, at + 20)?);
            let inside = address.checked_sub(begin)?;
            (inside < size.max(raw_size)).then(|| raw as usize + inside as usize)
        })
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(
        bytes.get(at..at.checked_add(2)?)?.try_into().ok()?,
    ))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(
        bytes.get(at..at.checked_add(4)?)?.try_into().ok()?,
    ))
}
