//! Three tools in Rust: say it back, fetch what the manifest allows, and count across calls.

mod echo;
mod fetch;
mod remember;
#[cfg(test)]
mod tests;

palyra_plugins_sdk::plugin! { tools: [echo::echo, fetch::fetch, remember::remember] }
