//! Calls about runs.

use bytes::Bytes;
use http::Method;
use http::header::{ACCEPT, HeaderValue};

use super::query::Pairs;
use super::sse::SseStream;
use super::{Client, ClientError, Transport, empty_body, request, segment};
use crate::runs::{ReplayAnswer, Run, RunFilter, RunInfo, RunLineList, RunList, RunReceipt};

impl<T: Transport> Client<T> {
    /// Returns one page of runs, newest first.
    pub async fn runs(&self, filter: &RunFilter) -> Result<RunList, ClientError> {
        let pairs = Pairs::default()
            .with("skill", filter.skill_id.as_deref())
            .with("tool", filter.tool_id.as_deref())
            .with("status", filter.status.as_deref())
            .with("since_ms", filter.since_ms)
            .with("until_ms", filter.until_ms)
            .with("before", filter.before.as_deref())
            .with("limit", filter.limit);
        self.get(&pairs.after("/v1/runs")).await
    }

    /// Returns one run.
    pub async fn run(&self, run_id: &str) -> Result<RunInfo, ClientError> {
        self.get(&path(run_id, "")).await
    }

    /// Returns the lines of a run after the line with this number.
    pub async fn run_lines(&self, run_id: &str, after: Option<u64>) -> Result<RunLineList, ClientError> {
        self.get(&Pairs::default().with("after", after).after(&path(run_id, "/lines"))).await
    }

    /// Follows the output of a run until it ends.
    pub async fn follow_run(&self, run_id: &str) -> Result<SseStream, ClientError> {
        self.follow_run_after(run_id, None).await
    }

    /// Follows the output of a run after the line with this number, to continue after a lost connection.
    pub async fn follow_run_after(&self, run_id: &str, after: Option<u64>) -> Result<SseStream, ClientError> {
        let mut request = request(Method::GET, &path(run_id, "/events"), empty_body())?;
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(after) = after {
            request.headers_mut().insert("last-event-id", HeaderValue::from(after));
        }
        Ok(SseStream::new(self.open(request).await?.into_body()))
    }

    /// Returns the tape of a run in its encoded form.
    pub async fn tape(&self, run_id: &str) -> Result<Bytes, ClientError> {
        self.exchange(request(Method::GET, &path(run_id, "/tape"), empty_body())?).await
    }

    /// Returns the receipt of a run.
    pub async fn receipt(&self, run_id: &str) -> Result<RunReceipt, ClientError> {
        self.get(&path(run_id, "/receipt")).await
    }

    /// Replays a stored run from its tape.
    pub async fn replay(&self, run_id: &str) -> Result<ReplayAnswer, ClientError> {
        self.post(&path(run_id, "/replay")).await
    }

    /// Cancels a run in progress.
    pub async fn cancel_run(&self, run_id: &str) -> Result<Run, ClientError> {
        self.post(&path(run_id, "/cancel")).await
    }

    /// Returns host calls of a run after the one with this number, from its tape.
    pub async fn run_steps(
        &self,
        run_id: &str,
        after: Option<u64>,
    ) -> Result<crate::runs::RunSteps, ClientError> {
        let after = after.map(|after| format!("?after={after}")).unwrap_or_default();
        self.get(&format!("/v1/runs/{}/steps{after}", segment(run_id))).await
    }

    /// Returns the first denied host call of a run, and the change that would permit it.
    pub async fn run_denial(&self, run_id: &str) -> Result<crate::runs::RunDenial, ClientError> {
        self.get(&format!("/v1/runs/{}/denial", segment(run_id))).await
    }
}

fn path(run_id: &str, rest: &str) -> String {
    format!("/v1/runs/{}{rest}", segment(run_id))
}
