//! One route: its method, path, scope and body limit, what it takes and what it answers.
//!
//! The router, the OpenAPI document and the tests of authorisation are all made from these values.

use std::sync::Arc;

use axum::handler::Handler;
use axum::routing::{MethodFilter, MethodRouter, on};
use http::Method;
use palyra_common::Scope;
use palyra_policy::{Action, Face, ResourceKind};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{IntoParams, ToSchema};

use crate::app::App;
use crate::policy::action_of;

/// Longest body of a request that says nothing else.
pub const SMALL_BODY: usize = 64 << 10;

/// One route of the API.
pub struct Route {
    /// Its method.
    pub method: Method,
    /// Its path, for example `/v1/tools/{tool}`.
    pub path: &'static str,
    /// What a token needs.
    pub scope: Scope,
    /// What it needs besides.
    pub also: Option<Scope>,
    /// What the access policy is asked.
    pub action: Action,
    /// Whether it serves anonymous requests, for a browser that signs in.
    pub public: bool,
    /// Whether the policy is asked where more is known than the path says.
    pub pipeline_authorizes: bool,
    /// The transport, if it differs from that of the request.
    pub face: Option<Face>,
    /// Longest body it reads.
    pub body_limit: usize,
    /// Summary in one line.
    pub summary: &'static str,
    /// The shape of its body.
    pub takes: Option<Shape>,
    /// The media type of a body that is not JSON.
    pub takes_type: Option<&'static str>,
    /// The shape of its answer; none for one that is not JSON.
    pub answers: Option<Shape>,
    /// The media type of an answer that is not JSON.
    pub answers_type: Option<&'static str>,
    /// What may stand in its query.
    pub query: Vec<utoipa::openapi::path::Parameter>,
    pub(super) handler: MethodRouter<Arc<App>>,
}

/// A shape of the API, as the OpenAPI document names it.
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
    /// A route that looks at something.
    pub fn get<H: Handler<X, Arc<App>>, X: 'static>(path: &'static str, scope: Scope, handler: H) -> Self {
        Self::new(Method::GET, MethodFilter::GET, path, scope, handler)
    }

    /// A route that does something.
    pub fn post<H: Handler<X, Arc<App>>, X: 'static>(path: &'static str, scope: Scope, handler: H) -> Self {
        Self::new(Method::POST, MethodFilter::POST, path, scope, handler)
    }

    /// A route that sets something.
    pub fn put<H: Handler<X, Arc<App>>, X: 'static>(path: &'static str, scope: Scope, handler: H) -> Self {
        Self::new(Method::PUT, MethodFilter::PUT, path, scope, handler)
    }

    /// A route that takes something away.
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

    /// It serves anonymous requests, so the handler must check everything itself.
    #[must_use]
    pub fn public(self) -> Self {
        Self { public: true, ..self }
    }

    /// The access policy is asked about something narrower than the scope says.
    #[must_use]
    pub fn does(self, action: Action) -> Self {
        Self { action, ..self }
    }

    /// The call pipeline evaluates the access policy, because it knows the release.
    #[must_use]
    pub fn pipeline_authorizes(self) -> Self {
        Self { pipeline_authorizes: true, ..self }
    }

    /// A token needs a second scope.
    #[must_use]
    pub fn and(self, scope: Scope) -> Self {
        Self { also: Some(scope), ..self }
    }

    /// It is a separate transport, with its own rules.
    #[must_use]
    pub fn via(self, face: Face) -> Self {
        Self { face: Some(face), ..self }
    }

    /// What its action is about, and which part of its path has the name.
    pub fn about(&self) -> (ResourceKind, Option<&'static str>) {
        let parts = self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        let named = parts.filter_map(|part| Some((kind_of(part)?, part)));
        let found = named.into_iter().find(|(kind, _)| self.action.resources().contains(kind));
        found.map_or((ResourceKind::Daemon, None), |(kind, part)| (kind, Some(part)))
    }

    /// Summary in one line.
    #[must_use]
    pub fn summary(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    /// It takes a JSON body of this shape and at most so many bytes.
    #[must_use]
    pub fn takes<T: ToSchema>(self, body_limit: usize) -> Self {
        Self { takes: Some(Shape::of::<T>()), body_limit, ..self }
    }

    /// It takes bytes of this media type, and at most so many.
    #[must_use]
    pub fn takes_bytes(self, media_type: &'static str, body_limit: usize) -> Self {
        Self { takes_type: Some(media_type), body_limit, ..self }
    }

    /// It answers with JSON of this shape.
    #[must_use]
    pub fn answers<T: ToSchema>(self) -> Self {
        Self { answers: Some(Shape::of::<T>()), ..self }
    }

    /// It answers with something else than JSON.
    #[must_use]
    pub fn answers_with(self, media_type: &'static str) -> Self {
        Self { answers_type: Some(media_type), ..self }
    }

    /// It reads a query of this shape.
    #[must_use]
    pub fn query<T: IntoParams>(self) -> Self {
        let query = T::into_params(|| Some(utoipa::openapi::path::ParameterIn::Query));
        Self { query, ..self }
    }
}

/// What a part of a path names, if the policy knows such things.
fn kind_of(part: &str) -> Option<ResourceKind> {
    match part {
        "tool" => Some(ResourceKind::Tool),
        "skill_id" => Some(ResourceKind::Skill),
        "publisher" => Some(ResourceKind::Publisher),
        _ => None,
    }
}
