//! The description of one route: method, path, scope, body limit, request and response.
//!
//! The router, the OpenAPI document and the authorization tests are all built from these descriptions.

use std::sync::Arc;

use axum::handler::Handler;
use axum::routing::{MethodFilter, MethodRouter, on};
use http::Method;
use palyra_common::Scope;
use palyra_policy::{Action, Face, ResourceKind, resources};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{IntoParams, ToSchema};

use crate::app::App;
use crate::policy::action_of;

/// Default limit of a request body in bytes.
pub const SMALL_BODY: usize = 64 << 10;

/// One route of the API.
pub struct Route {
    /// HTTP method.
    pub method: Method,
    /// Path, for example `/v1/tools/{tool}`.
    pub path: &'static str,
    /// Scope that a token requires.
    pub scope: Scope,
    /// A second scope that a token requires.
    pub also: Option<Scope>,
    /// Action that the access policy decides.
    pub action: Action,
    /// True if it serves unauthenticated requests, for a browser that signs in.
    pub public: bool,
    /// True if the pipeline evaluates the access policy, because it knows more than the path.
    pub pipeline_authorizes: bool,
    /// The transport, if it differs from that of the request.
    pub face: Option<Face>,
    /// Limit of the request body in bytes.
    pub body_limit: usize,
    /// One-line summary.
    pub summary: &'static str,
    /// Type of its request body.
    pub takes: Option<Shape>,
    /// Media type of a request body that is not JSON.
    pub takes_type: Option<&'static str>,
    /// Schema of the JSON response; `None` for another media type.
    pub answers: Option<Shape>,
    /// Media type of a response that is not JSON.
    pub answers_type: Option<&'static str>,
    /// Query parameters.
    pub query: Vec<utoipa::openapi::path::Parameter>,
    pub(super) handler: MethodRouter<Arc<App>>,
}

/// An API type as the OpenAPI document refers to it.
pub struct Shape {
    pub(super) reference: Ref,
    pub(super) schemas: fn(&mut Vec<(String, RefOr<Schema>)>),
}

impl Shape {
    fn of<T: ToSchema>() -> Self {
        let schemas = |all: &mut Vec<(String, RefOr<Schema>)>| {
            all.push((T::name().into_owned(), T::schema()));
            T::schemas(all);
        };
        Self { reference: Ref::from_schema_name(T::name()), schemas }
    }
}

impl Route {
    /// Creates a route that reads.
    pub fn get<H: Handler<X, Arc<App>>, X: 'static>(path: &'static str, scope: Scope, handler: H) -> Self {
        Self::new(Method::GET, MethodFilter::GET, path, scope, handler)
    }

    /// Creates a route that performs an operation.
    pub fn post<H: Handler<X, Arc<App>>, X: 'static>(path: &'static str, scope: Scope, handler: H) -> Self {
        Self::new(Method::POST, MethodFilter::POST, path, scope, handler)
    }

    /// Creates a route that replaces a value.
    pub fn put<H: Handler<X, Arc<App>>, X: 'static>(path: &'static str, scope: Scope, handler: H) -> Self {
        Self::new(Method::PUT, MethodFilter::PUT, path, scope, handler)
    }

    /// Creates a route that removes something.
    pub fn delete<H: Handler<X, Arc<App>>, X: 'static>(path: &'static str, scope: Scope, handler: H) -> Self {
        Self::new(Method::DELETE, MethodFilter::DELETE, path, scope, handler)
    }

    fn new<H: Handler<X, Arc<App>>, X: 'static>(
        method: Method,
        filter: MethodFilter,
        path: &'static str,
        scope: Scope,
        handler: H,
    ) -> Self {
        Self {
            method,
            path,
            scope,
            also: None,
            action: action_of(scope),
            public: false,
            pipeline_authorizes: false,
            face: None,
            body_limit: SMALL_BODY,
            summary: "",
            takes: None,
            takes_type: None,
            answers: None,
            answers_type: None,
            query: Vec::new(),
            handler: on(filter, handler),
        }
    }

    /// Serves unauthenticated requests, so the handler must check everything itself.
    #[must_use]
    pub fn public(self) -> Self {
        Self { public: true, ..self }
    }

    /// Sets an action for the access policy that is narrower than the scope.
    #[must_use]
    pub fn does(self, action: Action) -> Self {
        Self { action, ..self }
    }

    /// Lets the call pipeline evaluate the access policy, because it knows the release.
    #[must_use]
    pub fn pipeline_authorizes(self) -> Self {
        Self { pipeline_authorizes: true, ..self }
    }

    /// Requires a second scope.
    #[must_use]
    pub fn and(self, scope: Scope) -> Self {
        Self { also: Some(scope), ..self }
    }

    /// Makes it a separate transport for the access policy.
    #[must_use]
    pub fn via(self, face: Face) -> Self {
        Self { face: Some(face), ..self }
    }

    /// Returns the resource kind of its action, and the part of the path with the name.
    pub fn about(&self) -> (ResourceKind, Option<&'static str>) {
        let parts = self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        let named = parts.filter_map(|part| Some((kind_of(part)?, part)));
        let found = named.into_iter().find(|(kind, _)| resources(self.action).contains(kind));
        found.map_or((ResourceKind::Daemon, None), |(kind, part)| (kind, Some(part)))
    }

    /// Sets the summary in one line.
    #[must_use]
    pub fn summary(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    /// Sets the schema and the limit of its JSON body.
    #[must_use]
    pub fn takes<T: ToSchema>(self, body_limit: usize) -> Self {
        Self { takes: Some(Shape::of::<T>()), body_limit, ..self }
    }

    /// Sets the media type and the limit of its body.
    #[must_use]
    pub fn takes_bytes(self, media_type: &'static str, body_limit: usize) -> Self {
        Self { takes_type: Some(media_type), body_limit, ..self }
    }

    /// Sets the schema of its JSON response.
    #[must_use]
    pub fn answers<T: ToSchema>(self) -> Self {
        Self { answers: Some(Shape::of::<T>()), ..self }
    }

    /// Sets the media type of its response.
    #[must_use]
    pub fn answers_with(self, media_type: &'static str) -> Self {
        Self { answers_type: Some(media_type), ..self }
    }

    /// Sets the type of its query.
    #[must_use]
    pub fn query<T: IntoParams>(self) -> Self {
        let query = T::into_params(|| Some(utoipa::openapi::path::ParameterIn::Query));
        Self { query, ..self }
    }
}

/// Returns the resource kind that a part of a path names, if the policy has one.
fn kind_of(part: &str) -> Option<ResourceKind> {
    match part {
        "tool" => Some(ResourceKind::Tool),
        "skill_id" => Some(ResourceKind::Skill),
        "publisher" => Some(ResourceKind::Publisher),
        _ => None,
    }
}
