//! Serializes the numbers in facts as differences: each to the one before it of the same kind.
//!
//! Ids, places in pools and positions mostly rise by little from one value to the next. Their differences take few
//! bytes and repeat, and an edit changes few of them, so that the facts of two versions of a text have most bytes in
//! common. The compressed facts of a repository are a third smaller than with the numbers as they are.
//!
//! The number before is kept per thread, because serde passes no state to a value. [`first`] is the first field of
//! [`Facts`](super::Facts), so nothing of other facts is left over. Any bytes can be read: sums wrap around.

use std::cell::Cell;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::span::{Position, Span};

/// A kind of numbers.
#[derive(Clone, Copy, Debug)]
pub enum Numbers {
    Names,
    Scopes,
    Decls,
    Types,
    Exprs,
    Calls,
    Details,
    Imports,
    Exports,
    DeclPlaces,
    TypePlaces,
    ExprPlaces,
    ArgPlaces,
    SegmentPlaces,
    ElementPlaces,
    BasePlaces,
    Offsets,
    Lines,
}

const KINDS: usize = Numbers::Lines as usize + 1;

thread_local! {
    static LAST: [Cell<u32>; KINDS] = const { [const { Cell::new(0) }; KINDS] };
}

/// Forgets the numbers before.
fn restart() {
    LAST.with(|last| last.iter().for_each(|last| last.set(0)));
}

fn last(kind: Numbers) -> u32 {
    LAST.with(|last| last[kind as usize].get())
}

fn set_last(kind: Numbers, number: u32) {
    LAST.with(|last| last[kind as usize].set(number));
}

/// Returns the difference of two numbers as one without a sign: 0, 1, 2, 3, 4 for 0, -1, 1, -2, 2.
fn difference(number: u32, before: u32) -> u32 {
    let difference = number.wrapping_sub(before).cast_signed();
    ((difference << 1) ^ (difference >> 31)).cast_unsigned()
}

/// Returns the number with this difference to another.
fn sum(before: u32, difference: u32) -> u32 {
    before.wrapping_add((difference >> 1) ^ (difference & 1).wrapping_neg())
}

fn written(kind: Numbers, number: u32) -> u32 {
    let written = difference(number, last(kind));
    set_last(kind, number);
    written
}

fn read(kind: Numbers, written: u32) -> u32 {
    let number = sum(last(kind), written);
    set_last(kind, number);
    number
}

/// Returns what is written for a number that may be absent: 0 if it is, which takes one byte.
fn written_or(absent: u32, kind: Numbers, number: u32) -> u64 {
    if number == absent {
        0
    } else {
        u64::from(written(kind, number)) + 1
    }
}

fn read_or(absent: u32, kind: Numbers, stored: u64) -> u32 {
    match stored.checked_sub(1) {
        None => absent,
        Some(stored) => read(kind, stored as u32),
    }
}

/// Returns what is written for an id.
pub fn written_id(kind: Numbers, id: u32) -> u64 {
    written_or(u32::MAX, kind, id)
}

/// Returns the id for which this was written.
pub fn read_id(kind: Numbers, stored: u64) -> u32 {
    read_or(u32::MAX, kind, stored)
}

/// Returns what is written for the start of a list. Most lists begin where the one before ends.
pub fn written_start(kind: Numbers, start: u32, len: u32) -> u32 {
    if len == 0 {
        return start;
    }
    let written = difference(start, last(kind));
    set_last(kind, start.wrapping_add(len));
    written
}

/// Returns the start of the list for which this was written.
pub fn read_start(kind: Numbers, stored: u32, len: u32) -> u32 {
    if len == 0 {
        return stored;
    }
    let start = sum(last(kind), stored);
    set_last(kind, start.wrapping_add(len));
    start
}

/// A value before which there is no number of any kind.
pub mod first {
    use super::{Deserialize, Deserializer, Serialize, Serializer, restart};

    pub fn serialize<T: Serialize, S: Serializer>(
        value: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        restart();
        value.serialize(serializer)
    }

    pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        restart();
        T::deserialize(deserializer)
    }
}

/// Positions. Columns are as they are.
pub mod position {
    use super::{Deserialize, Deserializer, Numbers, Position, Serialize, Serializer};
    use super::{read, written};

    pub fn serialize<S: Serializer>(at: &Position, serializer: S) -> Result<S::Ok, S::Error> {
        let offset = written(Numbers::Offsets, at.offset);
        let line = written(Numbers::Lines, at.line);
        (offset, line, at.column).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Position, D::Error> {
        let (offset, line, column) = Deserialize::deserialize(deserializer)?;
        Ok(Position {
            offset: read(Numbers::Offsets, offset),
            line: read(Numbers::Lines, line),
            column,
        })
    }
}

/// Spans, whose ends are relative to their starts.
pub mod span {
    use super::{Deserialize, Deserializer, Numbers, Position, Serialize, Serializer, Span};
    use super::{difference, read, sum, written};

    pub fn serialize<S: Serializer>(span: &Span, serializer: S) -> Result<S::Ok, S::Error> {
        let start = span.start;
        let offset = written(Numbers::Offsets, start.offset);
        let line = written(Numbers::Lines, start.line);
        let length = difference(span.end_offset, start.offset);
        let lines = difference(span.end_line, start.line);
        (offset, line, start.column, length, lines).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Span, D::Error> {
        let (offset, line, column, length, lines) = Deserialize::deserialize(deserializer)?;
        let start = Position {
            offset: read(Numbers::Offsets, offset),
            line: read(Numbers::Lines, line),
            column,
        };
        Ok(Span {
            start,
            end_offset: sum(start.offset, length),
            end_line: sum(start.line, lines),
        })
    }
}

/// Byte offsets, of which many are 0.
pub mod offset {
    use super::{Deserialize, Deserializer, Numbers, Serialize, Serializer, read_or, written_or};

    pub fn serialize<S: Serializer>(offset: &u32, serializer: S) -> Result<S::Ok, S::Error> {
        written_or(0, Numbers::Offsets, *offset).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
        let stored = u64::deserialize(deserializer)?;
        Ok(read_or(0, Numbers::Offsets, stored))
    }
}

/// Lines.
pub mod line {
    use super::{Deserialize, Deserializer, Numbers, Serialize, Serializer, read, written};

    pub fn serialize<S: Serializer>(line: &u32, serializer: S) -> Result<S::Ok, S::Error> {
        written(Numbers::Lines, *line).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
        let stored = u32::deserialize(deserializer)?;
        Ok(read(Numbers::Lines, stored))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written, and what of it is read, in the same order from the same start.
    fn round_trip<W: Copy, T>(
        numbers: &[u32],
        write: impl Fn(u32) -> W,
        read: impl Fn(W) -> T,
    ) -> (Vec<W>, Vec<T>) {
        restart();
        let written: Vec<W> = numbers.iter().map(|number| write(*number)).collect();
        restart();
        let read = written.iter().map(|written| read(*written)).collect();
        (written, read)
    }

    #[test]
    fn all_numbers_round_trip_and_near_ones_are_small() {
        let numbers = [0, 1, 3, 2, 2, u32::MAX - 1, 0, 1 << 31, u32::MAX, 5];
        let kind = Numbers::Exprs;
        let (stored, found) = round_trip(&numbers, |n| written(kind, n), |n| read(kind, n));
        assert_eq!(found, numbers);
        assert_eq!(stored[..5], [0, 2, 4, 1, 0]);

        let (stored, found) = round_trip(&numbers, |n| written_id(kind, n), |n| read_id(kind, n));
        assert_eq!(found, numbers);
        assert_eq!((stored[1], stored[8]), (3, 0));
    }

    #[test]
    fn lists_that_follow_each_other_start_at_no_distance() {
        let lists = [(0, 2), (2, 3), (0, 0), (5, 1), (1, 4)];
        let starts = lists.map(|(start, _)| start);

        restart();
        let kind = Numbers::ArgPlaces;
        let stored = lists.map(|(start, len)| written_start(kind, start, len));
        assert_eq!(stored[..4], [0; 4]);

        restart();
        let lens = lists.map(|(_, len)| len);
        let mut stored = stored.into_iter().zip(lens);

        assert_eq!(
            starts.map(|_| {
                let (stored, len) = stored.next().unwrap();
                read_start(kind, stored, len)
            }),
            starts
        );
    }
}
