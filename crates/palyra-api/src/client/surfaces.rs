//! Calls about documents of calls outside of agent runs.

use http::Method;

use super::query::Pairs;
use super::{Client, ClientError, Transport, segment};
use crate::sessions::FormSubmit;
use crate::surfaces::{CallSurface, CallSurfaceList};
use crate::tools::InvokeAnswer;

impl<T: Transport> Client<T> {
    /// Lists documents of calls, newest first.
    pub async fn call_surfaces(
        &self,
        before: Option<&str>,
        limit: Option<u16>,
    ) -> Result<CallSurfaceList, ClientError> {
        self.get(&Pairs::default().with("before", before).with("limit", limit).after("/v1/surfaces")).await
    }

    /// Returns one document.
    pub async fn call_surface(&self, surface_id: &str) -> Result<CallSurface, ClientError> {
        self.get(&path(surface_id, "")).await
    }

    /// Submits a form of a document, which calls the tool that it names.
    pub async fn submit_form(
        &self,
        surface_id: &str,
        submit: &FormSubmit,
    ) -> Result<InvokeAnswer, ClientError> {
        self.send(Method::POST, &path(surface_id, "/submit"), submit).await
    }
}

fn path(surface_id: &str, rest: &str) -> String {
    format!("/v1/surfaces/{}{rest}", segment(surface_id))
}
