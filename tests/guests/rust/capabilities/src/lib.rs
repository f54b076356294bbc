//! One tool per capability; the tool id selects it, the JSON input says with what.

mod doors;
mod facts;
mod http;
mod keeping;
#[cfg(test)]
mod tests;

palyra_plugins_sdk::plugin! {
    tools: [
        http::get,
        http::post,
        http::send,
        doors::handles,
        doors::find,
        doors::reveal,
        keeping::storage_get,
        keeping::storage_put,
        keeping::storage_delete,
        keeping::storage_list,
        facts::publish,
        facts::write_log,
        facts::run_facts,
    ]
}
