//! Uploaded packages: checks of type, size and time.

use palyra_common::ErrorCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{FromRequest, Request};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http_body_util::BodyExt;
use palyra_api::Problem;
use palyra_api::packages::PACKAGE_TYPE;
use serde_json::json;
use tokio::time::timeout;

use super::access::Needs;
use super::answer::Failure;
use super::blocking::blocking;
use super::body::{BodyTimeout, reservation};
use super::route::SMALL_BODY;
use crate::app::App;
use crate::budget::Reservation;
use crate::uploads::Spooled;

/// Each part of a package may take as long as a whole small body, and the package this many times as long.
const PATIENCE: u32 = 20;

/// A complete package that was not yet verified.
pub(super) struct Upload {
    package: Spooled,
    reservation: Reservation,
}

impl Upload {
    /// Reads the package into memory and passes it to `work`; waits while too many others are in memory.
    pub(super) async fn judge<T, E>(
        self,
        app: &Arc<App>,
        work: impl FnOnce(&App, Arc<[u8]>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, Failure>
    where
        T: Send + 'static,
        E: Into<Failure> + Send + 'static,
    {
        let permit = app.uploads().may_read().await;
        blocking(app, move |app| {
            let _permit = permit;
            let Self { package, reservation } = self;
            reservation.grow_to(package.length()).map_err(Problem::from)?;
            let bytes = package.read().map_err(not_kept)?;
            work(app, bytes).map_err(Into::<Failure>::into)
        })
        .await
    }
}

impl FromRequest<Arc<App>> for Upload {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Failure> {
        check_type(&request)?;
        let limit = request.extensions().get::<Needs>().map_or(SMALL_BODY, |needs| needs.body_limit);
        check_length(&request, limit)?;
        let many =
            || Problem::new(ErrorCode::TooManyUploads, "too many uploads are in progress").hint("try again");
        let mut coming = app.uploads().begin(app.state().root().path()).ok_or_else(many)?;
        let reservation = reservation(request.extensions())?.clone();
        let patience = request.extensions().get::<BodyTimeout>().map(|timeout| timeout.0);
        let began = Instant::now();
        let mut body = request.into_body();
        while let Some(frame) = in_time(body.frame(), patience, began).await? {
            let frame = frame.map_err(|error| {
                Problem::new(ErrorCode::Usage, format!("the upload ended unexpectedly: {error}"))
            })?;
            let Ok(chunk) = frame.into_data() else { continue };
            if coming.length().saturating_add(chunk.len() as u64) > limit as u64 {
                return Err(too_long(limit));
            }
            coming.take(chunk).await;
        }
        Ok(Self { package: coming.end().await.map_err(not_kept)?, reservation })
    }
}

/// Waits for a part within the timeout of a small body, and for all parts within a multiple of it.
async fn in_time<T>(
    next: impl Future<Output = T>,
    patience: Option<Duration>,
    began: Instant,
) -> Result<T, Failure> {
    let Some(patience) = patience else { return Ok(next.await) };
    let left = patience.saturating_mul(PATIENCE).saturating_sub(began.elapsed());
    let late = |_| Problem::new(ErrorCode::RequestTimeout, "the package did not arrive in time").into();
    timeout(patience.min(left), next).await.map_err(late)
}

fn check_type(request: &Request) -> Result<(), Failure> {
    let named = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if named.trim().eq_ignore_ascii_case(PACKAGE_TYPE) {
        Ok(())
    } else {
        let message = format!("the request body must be a package of type `{PACKAGE_TYPE}`");
        Err(Problem::new(ErrorCode::UnsupportedMediaType, message).into())
    }
}

/// Rejects a request whose claimed length is too large. The claim is not used otherwise.
fn check_length(request: &Request, limit: usize) -> Result<(), Failure> {
    let claimed =
        request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    match claimed {
        Some(length) if length > limit as u64 => Err(too_long(limit)),
        _ => Ok(()),
    }
}

fn too_long(limit: usize) -> Failure {
    let message = format!("the package is longer than {limit} bytes");
    Problem::new(ErrorCode::BodyTooLarge, message).details(json!({ "limit": limit })).into()
}

fn not_kept(error: std::io::Error) -> Failure {
    Problem::new(ErrorCode::StateIo, format!("cannot store the uploaded package: {error}")).into()
}
