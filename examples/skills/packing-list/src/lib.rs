//! A packing list, made in two steps: a form about the trip, a second one that follows from its answers, and the list.

mod details;
mod document;
mod list;
mod start;
#[cfg(test)]
mod tests;
mod trip;

palyra_plugins_sdk::plugin! { tools: [start::start, details::details, list::make] }
