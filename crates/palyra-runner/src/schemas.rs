//! Checks input and output against the schemas of the signed manifest, compiled once for each payload and tool.
//!
//! The author of a skill controls both the schema and the output, so the work is estimated first: small checks run in
//! place, large ones on a few threads under the deadline of the call, and checks above a limit are rejected.

use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, Instant};

use palyra_a2ui::{A2uiDocument, A2uiError};
use palyra_common::limits::MAX_SCHEMA_STEPS;
use palyra_common::{BoundedCache, JsonText, LimitKind, WasmPluginRunError};
use palyra_skills::Sha256Digest;
use palyra_skills::manifest::{SchemaMismatch, SchemaProblem, ToolEntrypoint, ToolReturns, ToolSchema};
use tokio::sync::Semaphore;

/// Maximum number of tools with cached schemas.
const MAX_CACHED: usize = 1_024;

/// Maximum steps of a check on an async worker: about two milliseconds.
const INLINE_STEPS: u64 = 1 << 18;
const A_DAY: Duration = Duration::from_secs(86_400);
/// Maximum bytes of a text whose values are counted on an async worker.
const INLINE_BYTES: usize = 64 << 10;

/// The compiled schemas of a tool.
pub(super) struct ToolSchemas {
    input: ToolSchema,
    output: ToolSchema,
    /// True if the output is an A2UI document, which has rules besides its schema.
    returns_document: bool,
    large_checks: Arc<Semaphore>,
}

/// Deadline of a check, with the limit that an error reports.
#[derive(Debug, Clone, Copy)]
pub(super) struct CheckDeadline {
    pub(super) at: Instant,
    limit_ms: u64,
}

impl CheckDeadline {
    /// Returns the deadline of a call that started `elapsed` ago.
    pub(super) fn of_call(limit_ms: u64, elapsed: Duration) -> Self {
        let left = Duration::from_millis(limit_ms).saturating_sub(elapsed);
        // A limit beyond the range of the clock becomes a day.
        let at = Instant::now().checked_add(left).unwrap_or_else(|| Instant::now() + A_DAY);
        Self { at, limit_ms }
    }

    fn passed<E>(self, _: E) -> WasmPluginRunError {
        WasmPluginRunError::TimedOut { limit_ms: self.limit_ms }
    }
}

pub(super) struct SchemaCache {
    pub(super) kept: BoundedCache<(Sha256Digest, String), Arc<ToolSchemas>>,
    large_checks: Arc<Semaphore>,
}

impl Default for SchemaCache {
    fn default() -> Self {
        // A check cannot be cancelled, so half of the cores are kept free of them.
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let large_checks = Arc::new(Semaphore::new((cores / 2).max(1)));
        Self { kept: BoundedCache::new(MAX_CACHED), large_checks }
    }
}

impl SchemaCache {
    /// Returns the schemas of a tool, compiling them on first use.
    pub(super) fn get(
        &self,
        payload: Sha256Digest,
        tool: &ToolEntrypoint,
    ) -> Result<Arc<ToolSchemas>, WasmPluginRunError> {
        let key = (payload, tool.id.clone());
        if let Some(schemas) = self.kept.get(&key) {
            return Ok(schemas);
        }
        let failed =
            |problem: SchemaProblem| WasmPluginRunError::Internal(format!("the tool's schema: {problem}"));
        let schemas = Arc::new(ToolSchemas {
            input: ToolSchema::compile_input(&tool.input_schema).map_err(failed)?,
            output: ToolSchema::compile(&tool.output_schema).map_err(failed)?,
            returns_document: tool.returns == ToolReturns::A2ui,
            large_checks: Arc::clone(&self.large_checks),
        });
        self.kept.insert(key, Arc::clone(&schemas));
        Ok(schemas)
    }
}

impl ToolSchemas {
    pub(super) async fn check_input(
        &self,
        input: &JsonText,
        deadline: CheckDeadline,
    ) -> Result<(), WasmPluginRunError> {
        let checked = self.check(&self.input, input, deadline).await?;
        checked.map_err(|mismatch| WasmPluginRunError::invalid_input(mismatch.pointer, mismatch.reason))
    }

    pub(super) async fn check_output(
        &self,
        output: &JsonText,
        deadline: CheckDeadline,
    ) -> Result<(), WasmPluginRunError> {
        let checked = self.check(&self.output, output, deadline).await?;
        checked.map_err(|SchemaMismatch { pointer, reason }| WasmPluginRunError::InvalidOutput {
            pointer,
            reason,
        })?;
        if self.returns_document { check_document(output).await } else { Ok(()) }
    }

    async fn check(
        &self,
        schema: &ToolSchema,
        text: &JsonText,
        deadline: CheckDeadline,
    ) -> Result<Result<(), SchemaMismatch>, WasmPluginRunError> {
        if schema.steps_by_length(text) <= INLINE_STEPS {
            return Ok(schema.check_text(text));
        }
        if text.as_str().len() <= INLINE_BYTES {
            let steps = schema.steps(text);
            check_steps(steps)?;
            if steps <= INLINE_STEPS {
                return Ok(schema.check_text(text));
            }
        }
        let until = tokio::time::Instant::from_std(deadline.at);
        let permit = tokio::time::timeout_at(until, Arc::clone(&self.large_checks).acquire_owned()).await;
        let permit = permit.map_err(|late| deadline.passed(late))?;
        let permit = permit.map_err(|closed| WasmPluginRunError::Internal(closed.to_string()))?;
        let (schema, text) = (schema.clone(), text.clone());
        let (done, checked) = tokio::sync::oneshot::channel();
        // A new thread instead of the blocking pool: the allocator caches freed memory per thread, so large checks on
        // all threads of the pool would leave megabytes in each.
        let check = move || {
            let checked = check_steps(schema.steps(&text)).map(|()| schema.check_text(&text));
            // The permit is held until the check ends, even if the caller has stopped waiting, and released before the
            // caller gets the result.
            drop(permit);
            let _ = done.send(checked);
        };
        let thread = std::thread::Builder::new().name("schema-check".into()).spawn(check);
        thread.map_err(|error| WasmPluginRunError::Internal(format!("cannot start a thread: {error}")))?;
        let checked = tokio::time::timeout_at(until, checked).await.map_err(|late| deadline.passed(late))?;
        checked.map_err(|_| WasmPluginRunError::Internal("the check of a schema panicked".into()))?
    }
}

/// Checks an output that is a document; a long one on a blocking thread.
async fn check_document(output: &JsonText) -> Result<(), WasmPluginRunError> {
    let parse = |text: &JsonText| A2uiDocument::parse(text.as_str()).map(drop);
    let parsed = if output.as_str().len() <= INLINE_BYTES {
        parse(output)
    } else {
        let text = output.clone();
        let parsing = tokio::task::spawn_blocking(move || parse(&text)).await;
        parsing.map_err(|error| WasmPluginRunError::Internal(error.to_string()))?
    };
    parsed.map_err(|A2uiError { pointer, reason }| WasmPluginRunError::InvalidOutput {
        // `/` is the whole output, as in a schema mismatch.
        pointer: if pointer.is_empty() { "/".to_owned() } else { pointer },
        reason,
    })
}

fn check_steps(steps: u64) -> Result<(), WasmPluginRunError> {
    if steps > MAX_SCHEMA_STEPS {
        Err(WasmPluginRunError::QuotaExceeded {
            limit: LimitKind::Schema,
            allowed: MAX_SCHEMA_STEPS,
            used: steps,
        })
    } else {
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Returns schemas with this many alternatives per value, and this many permits for large checks.
    fn schemas(rules: u32, places: usize) -> ToolSchemas {
        let alternatives: Vec<Value> = (0..rules).map(|n| json!({"multipleOf": n + 1})).collect();
        let schema = json!({"type": "object", "additionalProperties": {"items": {"anyOf": alternatives}}});
        ToolSchemas {
            input: ToolSchema::compile_input(&schema).unwrap(),
            output: ToolSchema::compile(&schema).unwrap(),
            returns_document: false,
            large_checks: Arc::new(Semaphore::new(places)),
        }
    }

    fn list_of(values: usize) -> JsonText {
        JsonText::from(&json!({"list": vec![1; values]}))
    }

    fn soon() -> CheckDeadline {
        CheckDeadline::of_call(600_000, Duration::ZERO)
    }

    #[tokio::test]
    async fn schema_work_over_the_cap_is_a_quota() {
        let schemas = schemas(900, 1);
        let text = list_of(500_000);
        for checked in [schemas.check_input(&text, soon()).await, schemas.check_output(&text, soon()).await] {
            let Err(WasmPluginRunError::QuotaExceeded { limit, allowed, used }) = checked else {
                panic!("{checked:?}");
            };
            assert_eq!((limit, allowed), (LimitKind::Schema, MAX_SCHEMA_STEPS));
            assert!(used > allowed);
        }
        assert_eq!(schemas.check_output(&list_of(10), soon()).await, Ok(()), "others go on");
    }

    #[tokio::test]
    async fn large_schema_work_waits_for_a_place_until_the_deadline() {
        let schemas = schemas(100, 0);
        let late = CheckDeadline::of_call(5, Duration::from_secs(1));
        let checked = schemas.check_output(&list_of(50_000), late).await;
        assert_eq!(checked, Err(WasmPluginRunError::TimedOut { limit_ms: 5 }));
        assert_eq!(schemas.check_output(&list_of(100), late).await, Ok(()), "small work needs no place");
    }

    #[tokio::test]
    async fn large_schema_work_is_done_where_there_is_a_place() {
        let schemas = schemas(100, 1);
        assert_eq!(schemas.check_output(&list_of(50_000), soon()).await, Ok(()));
        let wrong = JsonText::from(&json!({"list": ["a".repeat(100_000), 1.5]}));
        let mismatch = schemas.check_input(&wrong, soon()).await.unwrap_err();
        assert_eq!(mismatch.kind().wire_name(), "invalid_input");
        assert_eq!(schemas.large_checks.available_permits(), 1);
    }

    #[tokio::test]
    async fn output_of_a_document_tool_is_checked_as_a_document() {
        let schemas = ToolSchemas { returns_document: true, ..schemas(1, 1) };
        let document = json!({"v": 1, "surface": "s", "components": []});
        assert_eq!(schemas.check_output(&JsonText::from(&document), soon()).await, Ok(()));
        let component = json!({"id": "a", "type": "text", "props": {"value": "x".repeat(INLINE_BYTES)}});
        let long = json!({"v": 1, "surface": "s", "components": [component]});
        for (output, at) in [(json!({"a": 1}), "/a"), (long, "/components/0/props/value")] {
            let checked = schemas.check_output(&JsonText::from(&output), soon()).await;
            let Err(WasmPluginRunError::InvalidOutput { pointer, .. }) = checked else {
                panic!("{checked:?}");
            };
            assert_eq!(pointer, at);
        }
    }
}
