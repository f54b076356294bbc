//! CSV or JSON in, a document with a table and a chart out.

mod chart;
mod columns;
mod csv;
mod document;
mod records;
mod show;
#[cfg(test)]
mod tests;

palyra_plugins_sdk::plugin! { tools: [show::show] }
