//! The owner's tables in `state.db`: what they are, how a row proves itself, and what they are in sum.
//!
//! `palyra-journal` owns the file and its one writer; these tables live beside its leaves so that a row and the
//! leaf that tells of it commit together.

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
