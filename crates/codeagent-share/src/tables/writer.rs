//! Writes one table as Parquet: required columns, zstd, row groups of bounded size. Equal rows give
//! equal bytes.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, Type, TypePtr};

use super::schema::{Coding, Column, Kind, Table, VERSION};

/// Number of rows in a row group.
pub const ROW_GROUP: usize = 131_072;

/// Number of rows in a page, so that an index of pages can skip most of a row group.
const PAGE_ROWS: usize = 8_192;

/// Level at which pages are compressed.
const LEVEL: i32 = 9;

/// A value of a row.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// Of a column with text.
    Text(&'a str),
    /// Of a column with 64 bits.
    Long(i64),
    /// Of a column with 32 bits.
    Int(u32),
    /// Of a column with yes or no.
    Bool(bool),
}

/// The values of a column that wait for their row group.
enum Values {
    Text { bytes: Vec<u8>, ends: Vec<usize> },
    Long(Vec<i64>),
    Int(Vec<i32>),
    Bool(Vec<bool>),
}

impl Values {
    fn new(kind: Kind) -> Self {
        match kind {
            Kind::Text => Self::Text {
                bytes: Vec::new(),
                ends: Vec::new(),
            },
            Kind::Long => Self::Long(Vec::new()),
            Kind::Int => Self::Int(Vec::new()),
            Kind::Bool => Self::Bool(Vec::new()),
        }
    }

    fn push(&mut self, value: Value<'_>) -> Result<()> {
        match (self, value) {
            (Self::Text { bytes, ends }, Value::Text(text)) => {
                bytes.extend_from_slice(text.as_bytes());
                ends.push(bytes.len());
            }
            (Self::Long(values), Value::Long(value)) => values.push(value),
            (Self::Int(values), Value::Int(value)) => {
                values.push(i32::try_from(value).unwrap_or(i32::MAX));
            }
            (Self::Bool(values), Value::Bool(value)) => values.push(value),
            _ => {
                return Err(ParquetError::General(
                    "a value is not of its column's type".to_owned(),
                ));
            }
        }

        Ok(())
    }

    /// Writes and removes all values.
    fn write(&mut self, column: &mut SerializedColumnWriter<'_>) -> Result<()> {
        match self {
            Self::Text { bytes, ends } => {
                let all = ByteArray::from(std::mem::take(bytes));
                let mut start = 0;
                let values: Vec<ByteArray> = std::mem::take(ends)
                    .into_iter()
                    .map(|end| {
                        let value = all.slice(start, end - start);
                        start = end;
                        value
                    })
                    .collect();
                column
                    .typed::<ByteArrayType>()
                    .write_batch(&values, None, None)?;
            }
            Self::Long(values) => {
                column
                    .typed::<Int64Type>()
                    .write_batch(values, None, None)?;
                values.clear();
            }
            Self::Int(values) => {
                column
                    .typed::<Int32Type>()
                    .write_batch(values, None, None)?;
                values.clear();
            }
            Self::Bool(values) => {
                column.typed::<BoolType>().write_batch(values, None, None)?;
                values.clear();
            }
        }

        Ok(())
    }
}

/// Writes the rows of a table, which come in its order.
pub struct TableWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Vec<Values>,
    waiting: usize,
    rows: u64,
}

impl<W: Write + Send> TableWriter<W> {
    /// Begins a table.
    pub fn new(table: &Table, out: W) -> Result<Self> {
        Ok(Self {
            file: SerializedFileWriter::new(out, schema(table)?, Arc::new(properties(table)?))?,
            columns: table
                .columns
                .iter()
                .map(|column| Values::new(column.kind))
                .collect(),
            waiting: 0,
            rows: 0,
        })
    }

    /// Adds a row with a value for each column.
    pub fn push(&mut self, row: &[Value<'_>]) -> Result<()> {
        debug_assert_eq!(row.len(), self.columns.len());
        for (values, value) in self.columns.iter_mut().zip(row) {
            values.push(*value)?;
        }
        self.rows += 1;
        self.waiting += 1;
        if self.waiting == ROW_GROUP {
            self.write_row_group()?;
        }
        Ok(())
    }

    /// Ends the table and returns the number of its rows, and what it was written to.
    pub fn finish(mut self) -> Result<(u64, W)> {
        if self.waiting > 0 {
            self.write_row_group()?;
        }
        Ok((self.rows, self.file.into_inner()?))
    }

    fn write_row_group(&mut self) -> Result<()> {
        let mut group = self.file.next_row_group()?;
        let mut columns = self.columns.iter_mut();
        while let (Some(mut column), Some(values)) = (group.next_column()?, columns.next()) {
            values.write(&mut column)?;
            column.close()?;
        }
        group.close()?;
        self.waiting = 0;
        Ok(())
    }
}

fn schema(table: &Table) -> Result<TypePtr> {
    let field = |column: &Column| {
        let (physical, logical) = match column.kind {
            Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Kind::Long => (Physical::INT64, None),
            Kind::Int => (Physical::INT32, None),
            Kind::Bool => (Physical::BOOLEAN, None),
        };
        let field = Type::primitive_type_builder(column.name, physical)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(logical);
        field.build().map(Arc::new)
    };
    let fields = table.columns.iter().map(field).collect::<Result<_>>()?;
    let group = Type::group_type_builder(table.name).with_fields(fields);
    Ok(Arc::new(group.build()?))
}

fn properties(table: &Table) -> Result<WriterProperties> {
    let entry = |key: &str, value: &str| KeyValue::new(key.to_owned(), value.to_owned());
    let sorted = table.sorted_by.iter().map(|name| SortingColumn {
        column_idx: table.position(name).unwrap_or_default() as i32,
        descending: false,
        nulls_first: false,
    });

    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("codeagent version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(vec![
            entry("codeagent.table", table.name),
            entry("codeagent.schema", VERSION),
        ]))
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(LEVEL)?))
        .set_max_row_group_row_count(Some(ROW_GROUP))
        .set_data_page_row_count_limit(PAGE_ROWS)
        .set_write_batch_size(1_024)
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_sorting_columns(Some(sorted.collect()));
    for column in table.columns {
        let path = ColumnPath::from(column.name);
        let is_dictionary = column.coding == Coding::Dictionary;
        properties = properties.set_column_dictionary_enabled(path.clone(), is_dictionary);
        let encoding = match column.coding {
            Coding::Delta => Encoding::DELTA_BINARY_PACKED,
            Coding::Front => Encoding::DELTA_BYTE_ARRAY,
            Coding::Dictionary | Coding::Plain => Encoding::PLAIN,
        };
        properties = properties.set_column_encoding(path, encoding);
    }
    Ok(properties.build())
}
