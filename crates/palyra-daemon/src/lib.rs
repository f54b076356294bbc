//! `palyrad`: the owner of the state root, and its transports.
//!
//! [`App`] is the daemon without transports: stores and services over the open state. The modules of [`transport`]
//! decode a request, authorize it, call the app, and encode the response. [`in_process`] is the same router without a
//! socket, for a command that owns the state; [`server`] listens. [`problem`] converts errors of libraries to problems
//! of the API.

#![forbid(unsafe_code)]

pub mod access;
mod agent;
mod app;
mod blocking;
mod budget;
pub mod built_in;
mod calls;
mod catalog;
pub mod compile_child;
mod compiling;
mod console;
pub mod deliveries;
mod denials;
pub mod doctor;
mod forms;
pub mod in_process;
mod invoke;
mod metrics;
mod models;
mod modules;
pub mod packages;
pub mod palyrad;
mod plugins;
mod policy;
pub mod problem;
pub mod routines;
pub mod serve;
pub mod server;
mod streams;
mod surfaces;
mod to_api;
pub mod traces;
pub mod transport;
pub mod upkeep;
mod uploads;
mod when;

pub use palyra_console_page::is_built as console_is_built;

pub use agent::ModelSource;
pub use app::{App, AppConfig, Outside};
pub use in_process::InProcess;
pub use problem::ToProblem;
pub use server::{Endpoint, Server, ServerConfig, ServerError};
pub use when::when;
