//! One call over gRPC.

use http::header::AUTHORIZATION;
use http::uri::{Authority, Scheme};
use http::{HeaderValue, Request, Response, Uri};
use hyper::body::Incoming;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Client, Error, ResponseFuture};
use hyper_util::rt::TokioExecutor;
use palyra_api::Problem;
use palyra_api::grpc::gateway::v1::InvokeRequest;
use palyra_api::grpc::gateway::v1::gateway_service_client::GatewayServiceClient;
use std::task::{Context, Poll};
use tonic::body::Body;

/// A connection with a token.
#[derive(Clone)]
pub(super) struct Wire {
    client: Client<HttpConnector, Body>,
    place: Authority,
    token: HeaderValue,
}

impl Wire {
    pub(super) fn new(url: &str, token: &str) -> Self {
        Self {
            client: Client::builder(TokioExecutor::new()).http2_only(true).build(HttpConnector::new()),
            place: url.trim_start_matches("http://").parse().unwrap(),
            token: format!("Bearer {token}").parse().unwrap(),
        }
    }

    pub(super) async fn invoke(&self, tool: &str, input: &str, limits: &[String]) -> Result<(), Problem> {
        let request = InvokeRequest {
            tool: tool.to_owned(),
            input_json: input.to_owned(),
            limits: limits.to_vec(),
            ..InvokeRequest::default()
        };
        let answer = GatewayServiceClient::new(self.clone()).invoke(request).await;
        answer.map(drop).map_err(|status| palyra_api::grpc::problem_of(&status))
    }
}

impl tower::Service<Request<Body>> for Wire {
    type Response = Response<Incoming>;
    type Error = Error;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> ResponseFuture {
        let mut parts = std::mem::take(request.uri_mut()).into_parts();
        parts.scheme = Some(Scheme::HTTP);
        parts.authority = Some(self.place.clone());
        *request.uri_mut() = Uri::from_parts(parts).unwrap();
        request.headers_mut().insert(AUTHORIZATION, self.token.clone());
        self.client.request(request)
    }
}
