//! Bulk inserts: many rows per statement, which saves repeated B-tree searches.

use rusqlite::{Connection, Statement, ToSql};

use crate::store::StoreError;

/// Rows per statement.
const ROWS_AT_ONCE: usize = 64;

/// The parameters of a statement, bound in order.
pub(super) struct Values<'s, 'c> {
    statement: &'s mut Statement<'c>,
    bound: usize,
}

impl Values<'_, '_> {
    pub(super) fn push(&mut self, value: impl ToSql) -> Result<(), StoreError> {
        self.bound += 1;
        Ok(self.statement.raw_bind_parameter(self.bound, value)?)
    }
}

/// Inserts rows. `bind` pushes the values of one row, `columns` of them.
pub(super) fn insert<T>(
    connection: &Connection,
    (table, columns): (&str, usize),
    rows: impl Iterator<Item = T>,
    bind: impl Fn(&T, &mut Values<'_, '_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    try_insert(connection, (table, columns), rows.map(Ok), bind)
}

/// Inserts rows as [`insert`] does; ends with the first one that cannot be read.
pub(super) fn try_insert<T>(
    connection: &Connection,
    (table, columns): (&str, usize),
    rows: impl Iterator<Item = Result<T, StoreError>>,
    bind: impl Fn(&T, &mut Values<'_, '_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut waiting = Vec::with_capacity(ROWS_AT_ONCE);
    let mut many = None;

    for row in rows {
        waiting.push(row?);
        if waiting.len() == ROWS_AT_ONCE {
            let statement = match &mut many {
                Some(statement) => statement,
                None => {
                    many.insert(connection.prepare_cached(&sql(table, columns, ROWS_AT_ONCE))?)
                }
            };
            execute(statement, &waiting, &bind)?;
            waiting.clear();
        }
    }

    if waiting.is_empty() {
        return Ok(());
    }

    let mut one = connection.prepare_cached(&sql(table, columns, 1))?;
    waiting
        .iter()
        .try_for_each(|row| execute(&mut one, std::slice::from_ref(row), &bind))
}

fn execute<T>(
    statement: &mut Statement<'_>,
    rows: &[T],
    bind: &impl Fn(&T, &mut Values<'_, '_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut values = Values {
        statement,
        bound: 0,
    };
    rows.iter().try_for_each(|row| bind(row, &mut values))?;
    statement.raw_execute()?;
    Ok(())
}

/// Builds the insert statement. `OR FAIL` is cheaper than undoing one statement, and a failed row
/// aborts the whole transaction anyway.
fn sql(table: &str, columns: usize, rows: usize) -> String {
    let row = format!("({})", vec!["?"; columns].join(", "));
    format!(
        "INSERT OR FAIL INTO {table} VALUES {}",
        vec![row; rows].join(", ")
    )
}
