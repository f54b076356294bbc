//! HTTP as an ordinary WASI program does it: `wasi:http/outgoing-handler`, streams and polls.
//!
//! The input is `{"url": …, "body": …}`; the output `{"status": …, "body": …}` or `{"error": …}`.

#[cfg(target_arch = "wasm32")]
mod exchange;

#[cfg(target_arch = "wasm32")]
mod export {
    use crate::exchange::exchange;
    use palyra_plugins_sdk::raw::{exports, types::ToolError};

    struct WasiHttp;

    impl exports::tools::Guest for WasiHttp {
        fn invoke(_tool_id: String, input_json: String) -> Result<String, ToolError> {
            let input: serde_json::Value = serde_json::from_str(&input_json).unwrap_or_default();
            let url = input["url"].as_str().unwrap_or_default();
            let answer = match exchange(url, input["body"].as_str()) {
                Ok((status, body)) => serde_json::json!({ "status": status, "body": String::from_utf8_lossy(&body) }),
                Err(error) => serde_json::json!({ "error": error }),
            };
            Ok(answer.to_string())
        }
    }

    exports::export_tools!(WasiHttp);
}
