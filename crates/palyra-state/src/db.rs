//! The owner's tables in `state.db`: schema, row MACs, and the Merkle root over sealed rows.
//!
//! `palyra-journal` owns the file and its only writer; these tables share the file so that a row and its leaf
//! commit together.

mod calls_schema;
mod channels_schema;
mod deliveries_schema;
mod hooks_schema;
mod merkle;
mod numbers;
mod routines_schema;
mod row;
mod schema;
mod sessions_schema;
mod tables;

pub use row::{RowKey, RowProblem, SealedTable};
pub use tables::{RowChange, RowFault, SealedRows};

pub(crate) use numbers::{signed, unsigned};
pub(crate) use schema::MIGRATIONS;
pub(crate) use tables::{empty_tables, read_generation, read_tables, write_changes, write_generation};
