//! Snapshots of the facts of small texts.
