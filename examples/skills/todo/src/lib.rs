//! A to-do list that survives restarts; every tool shows the list, and only `list` leaves it as it is.

mod change;
mod document;
mod list;
mod tasks;
#[cfg(test)]
mod tests;

palyra_plugins_sdk::plugin! { tools: [change::add, change::done, change::remove, list::list] }
