//! The call that makes a backup.

use http::Method;
use http::header::{ACCEPT, HeaderValue};

use super::{ApiBody, Client, ClientError, Transport, empty_body, request};
use crate::backup::BACKUP_TYPE;

impl<T: Transport> Client<T> {
    /// Starts a backup of the state root; returns it as a streaming body.
    pub async fn backup(&self) -> Result<ApiBody, ClientError> {
        let mut request = request(Method::POST, "/v1/backup", empty_body())?;
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static(BACKUP_TYPE));
        Ok(self.open(request).await?.into_body())
    }
}
